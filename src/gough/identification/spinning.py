"""Bodies that spin freely between ball joints: symmetric about a line, so that four numbers do.

They are the mass m, the first moment h along the line from the body's point, and the inertias about
that point across (xx) and along (zz) the line s. The ten are m, h s, xx (1 - s sᵀ) + zz s sᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.arrays import Array
from gough.model.standard import standard_points
from gough.model.structure import MechanismStructure, structure_of
from gough.robot import Mechanism
from gough.robot.mechanism import Joint
from gough.robot.numbers import UPPER

OF_A_ROD = ("mass", "first_moment", "joint_inertia.xx", "joint_inertia.zz")
_OFF = 1e-9


def spinning_lines(robot: Mechanism) -> dict[str, Array]:
    """The directions s of the lines about which bodies spin, by their places in the robot file.

    A body whose point is not on its line is left out.
    """
    structure, points = structure_of(robot), standard_points(robot)[1:]
    assert isinstance(structure, MechanismStructure)
    lines = dict[str, Array]()
    for k, (body, point) in enumerate(zip(robot.bodies, points, strict=True)):
        own = [joint for joint in robot.joints if body.name in joint.between]
        if body.name in structure.spinning and (line := _line(own, point)) is not None:
            lines[f"bodies[{k}]"] = line
    return lines


def symmetric(s: Array) -> Array:
    """The matrix (10 x 4) from the four numbers of a body to its ten."""
    matrix = np.zeros((10, 4))
    matrix[0, 0], matrix[1:4, 1] = 1.0, s
    along = np.outer(s, s)
    matrix[4:, 2], matrix[4:, 3] = (np.eye(3) - along)[UPPER], along[UPPER]
    return matrix


def _line(joints: Sequence[Joint], point: tuple[float, ...]) -> Array | None:
    """From ball to ball, or from a ball along the axis of another joint."""
    balls = [np.array(joint.at) for joint in joints if joint.kind.is_ball]
    axes = [np.array(line) for joint in joints for line in joint.lines]
    way = balls[1] - balls[0] if len(balls) > 1 else next(iter(axes), None)
    if way is None or not balls:
        return None
    s = way / np.linalg.norm(way)
    off = np.linalg.norm(np.cross(s, balls[0] - point))
    return s if off <= _OFF * np.abs(balls).max() else None
