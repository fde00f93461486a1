"""Machines for other tools: source code of kernels, and machines as trees."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
