"""From a study, a design or what was found to a folder: results and a report, all or nothing."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
