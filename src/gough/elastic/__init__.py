"""Compliant machines: stiffness, natural modes, response to base excitation.

>>> import gough
>>> round(gough.elastic.Cut.up(0.5, teeth=4, specific_force=1e9).exit, 3)  # [rad]
1.571
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
