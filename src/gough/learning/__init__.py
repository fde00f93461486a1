"""Simulations as environments of reinforcement learning, declared in study files.

>>> import gough
>>> gough.learning.task_names()[:2]
('ball-on-plate', 'cross-singularity')
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
