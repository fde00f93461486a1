"""Algorithms over many evaluations of a robot's kinematics.

>>> import gough
>>> gough.kinematics.leg_parameters(gough.load("delta")).legs[0][0].name
'hip-1'
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
