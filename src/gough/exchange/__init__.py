"""Machines for other tools, and from them: source code, FMUs, trees of bodies, recordings.

>>> import gough
>>> maps = gough.exchange.joint_maps(gough.load("ankle-2spu"))
>>> maps.motor_position.name
'motor_position'
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
