"""Analysis of a motion: quantities along it, figures of them, warnings."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
