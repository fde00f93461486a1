"""Studies: say what a platform must do, and see what its actuators need for it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
