"""Pictures of machines, and what all pictures share.

>>> import gough
>>> len(gough.plots.LEG_COLOURS)
6
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
