"""Parts of files: quantities with units, tables, and words about mistakes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
