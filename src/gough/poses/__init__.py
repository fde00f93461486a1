"""Poses: functions that make, compose, move and compare them.

A pose is an array (..., 7): position x y z [m] and quaternion qw qx qy qz, which need not have
length one. It takes points of the platform to the base, x ↦ p + R x. Everything here takes and
gives batches, which follow NumPy's broadcasting.

>>> import gough
>>> home = gough.pose([0, 0, 1])
>>> there = gough.poses.displace(home, [0, 0, 0.1, 0, 0, 0.2])
>>> float(gough.poses.interpolate(home, there, 0.5)[2].round(6))  # [m]
1.05

The equations have the same verbs for symbols in `gough.equations.spatial.pose`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
