"""Simulation of a machine under forces or a controller.

>>> import gough
>>> gough.simulation.computed_torque(900, 60).name
'computed-torque'
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
