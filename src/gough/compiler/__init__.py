"""A symbolic function in, something that runs out: machine code, derivatives, C, CUDA."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
