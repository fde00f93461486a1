"""The workbench: a machine in the browser, moved by hand, with the same equations as everywhere."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
