"""Display of objects: in a line in a terminal, in a card in a notebook."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
