"""Files and folders that come into place whole, and are known to be Gough's own."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
