"""Appearance of machines, for figures and reports alike."""

import numpy as np
from numpy.typing import ArrayLike

from gough.plots.shapes.mechanism import mechanism_shape
from gough.plots.shapes.shape import Bar, Shape, hexapod_shape, with_springs
from gough.robot import Robot

__all__ = ["Bar", "Shape", "shape_of", "with_springs"]


def shape_of(robot: Robot, poses: ArrayLike) -> Shape:
    """The machine while it goes through poses (n, 7): sizes are chosen so that all is seen."""
    through = np.reshape(np.asarray(poses, dtype=float), (-1, 7))
    return (hexapod_shape if robot.extensible_legs else mechanism_shape)(robot, through)
