"""Motions, and tasks along them: what a platform does, and what the world does to it.

>>> import gough
>>> gough.motion.Quintic(2.0).duration
2.0
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
