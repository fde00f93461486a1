"""Plants of controllers: rigid bodies, or machines with all effects stated in their files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
