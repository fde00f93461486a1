"""All poses of a platform at given leg lengths, by following paths of complex solutions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
