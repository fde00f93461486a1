"""Files of triangles: STL, OBJ and GLB, as CAD programs write them, read into one form."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
