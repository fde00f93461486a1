"""Machines for other tools: source code of kernels, FMUs of plants and controllers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
