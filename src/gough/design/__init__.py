"""From a task to a machine: what may change, what must hold, what is best."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
