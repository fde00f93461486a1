"""What controllers drive: rigid bodies, or machines with all that their files say of them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
