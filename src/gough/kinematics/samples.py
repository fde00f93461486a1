"""Random poses of a robot: those that its legs can reach, around its home pose.

A pose is drawn as an offset from home: a translation [m] and a Rodrigues vector (axis times the
tangent of half the angle; about half the angle), in base axes. The box to draw from reaches as far
as each of the six can go alone before a leg leaves its stroke, and at most one machine size and
about one radian. A robot without strokes gets a quarter of its size and about 0.3 rad.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.singularity.singularity import determinant
from gough.kinematics.size import machine_size
from gough.memory import require_memory
from gough.model.kernels import Kernels
from gough.poses import pose
from gough.poses.quaternions import conjugate, product
from gough.robot import Robot

FARTHEST = (1.0, 0.5)
"""The box for robots with strokes: machine sizes, Rodrigues vector (0.5: 53 deg)."""
WITHOUT_STROKE = (0.25, 0.15)
"""The box for robots without: machine sizes, Rodrigues vector (0.15: 17 deg)."""
STEPS = 200
DRAWS_AT_MOST = 10_000
"""How many poses may be drawn for one that can be reached."""
_BYTES = 768
"""What a pose takes while it is drawn: twice as many are tried, with offsets and leg lengths."""


def random_poses(model: Kernels, count: int, generator: np.random.Generator) -> Array:
    """Poses (count, 7), uniform in the box, within the strokes and on home's side of det J = 0."""
    require_memory(_BYTES * count, f"{count:,} random poses")
    low, high = offset_box(model)
    kept: list[Array] = []
    found, drawn = 0, 0
    while found < count:
        offsets = generator.uniform(low, high, (max(2 * count, 1000), 6))
        poses = moved_from_home(model.robot, offsets)
        kept.append(poses[_reachable(model, poses)])
        found, drawn = found + len(kept[-1]), drawn + len(poses)
        if drawn > DRAWS_AT_MOST * max(found, 1):
            raise GoughError(
                f"{model.robot.name}: of {drawn} poses around home {found} can be reached; "
                "expected a home pose inside the strokes and away from singularities"
            )
    return np.concatenate(kept)[:count]


def offset_box(model: Kernels) -> tuple[Array, Array]:
    """The least and the largest offsets from home, (6,) each."""
    size = machine_size(model.own_robot("a box of poses"))
    if all(leg.stroke is None for leg in model.robot.legs):
        reach = np.repeat(WITHOUT_STROKE, 3) * np.repeat([size, 1.0], 3)
        return -reach, reach
    farthest = np.repeat(FARTHEST, 3) * np.repeat([size, 1.0], 3)
    ways = np.linspace(0, 1, STEPS + 1)[:, None, None] * np.diag(farthest)
    sides = []
    for sign in (-1.0, 1.0):
        inside = within_strokes(model, moved_from_home(model.robot, sign * ways))
        steps_inside = np.logical_and.accumulate(inside, axis=0).sum(0) - 1
        sides.append(sign * farthest * np.maximum(steps_inside, 0) / STEPS)
    if not np.subtract(*sides).all():
        raise GoughError(
            f"{model.robot.name}: the strokes let the platform not leave home along every axis; "
            "expected a home pose from which it can move"
        )
    return sides[0], sides[1]


def moved_from_home(robot: Robot, offsets: Array) -> Array:
    """Poses (..., 7) of offsets (..., 6) from home; see above."""
    home = np.array(robot.home)
    turn = np.insert(offsets[..., 3:], 0, 1.0, axis=-1)
    return pose(home[:3] + offsets[..., :3], quaternion=product(turn, home[3:]))


def offsets_from_home(robot: Robot, poses: Array) -> Array:
    """Offsets (..., 6) from home of poses (..., 7): the inverse of `moved_from_home`."""
    home = np.array(robot.home)
    turn = product(poses[..., 3:], conjugate(home[3:]))
    return np.concatenate([poses[..., :3] - home[:3], turn[..., 1:] / turn[..., :1]], -1)


def within_strokes(model: Kernels, poses: Array) -> Array:
    """Whether no leg is shorter or longer than it can be."""
    lengths = model.inverse_kinematics(poses)
    low, high = zip(*(leg.stroke or (-np.inf, np.inf) for leg in model.robot.legs), strict=True)
    inside = (lengths >= low) & (lengths <= high)
    return np.asarray(inside.all(-1))


def _reachable(model: Kernels, poses: Array) -> Array:
    sides = determinant(model.machines)
    same_side = sides(poses) * sides(model.robot.home) > 0
    return np.asarray(within_strokes(model, poses) & same_side)
