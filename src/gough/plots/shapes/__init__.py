"""What machines look like, for drawings and reports alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.plots.shapes.hexapod import hexapod_shape
from gough.plots.shapes.mechanism import mechanism_shape
from gough.plots.shapes.shape import Bar, Shape
from gough.robot import Hexapod, Mechanism, Robot

__all__ = ["Bar", "Shape", "shape_of"]


def shape_of(robot: Robot, poses: Any) -> Shape:
    """The machine while it goes through poses (n, 7): sizes are chosen so that all is seen."""
    through = np.reshape(np.asarray(poses, dtype=float), (-1, 7))
    if isinstance(robot, Hexapod):
        return hexapod_shape(robot, through)
    assert isinstance(robot, Mechanism)
    return mechanism_shape(robot, through)
