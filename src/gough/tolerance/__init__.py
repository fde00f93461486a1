"""Tolerances: effects of parameter errors of a machine on its poses, forces and margins."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
