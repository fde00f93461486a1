"""Reports: one self-contained HTML page of a study, which opens without a network."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
