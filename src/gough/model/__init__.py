"""A robot's equations with its numbers: structure, catalogue, parameters, kernels by name."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
