"""Choosing actuators: catalogues of them, what motions ask of them, and which suffice."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
