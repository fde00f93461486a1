"""Gough: parallel robots, exactly and fast.

    import gough

    model = gough.Model(gough.load("kalani-2016"))
    model.inverse_kinematics([0, 0, 1, 1, 0, 0, 0])

The public names are in the stub beside this file, as those of every room are. They are imported
when they are first used, so that `import gough` is quick and needs only what a program uses.
"""

import lazy_loader

import gough._began  # noqa: F401  (notes the time, before any source is read)

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
