"""Random poses of a robot: those that its legs can reach, around its home pose.

A sample is an offset from home: a translation [m] and a Rodrigues vector (axis times the tangent of
half the angle; about half the angle), in base axes. The box of offsets has a side for each degree
of freedom of the machine, and extends to the travel along each alone before an actuator exceeds its
range, and at most one machine size and about one radian. A robot without limits of travel has a
quarter of its size and about 0.3 rad. Dependent coordinates follow.
"""

import numpy as np

from gough.arrays import Array
from gough.checks import RandomSource
from gough.errors import GoughError
from gough.kinematics.freedoms.nearest_pose import closed_poses
from gough.kinematics.singularity.singularity import determinant
from gough.kinematics.size import machine_size
from gough.memory import require_memory
from gough.model.kernels import Kernels, kernels_of
from gough.poses import pose
from gough.poses.quaternions import conjugate, product
from gough.robot import Robot

FARTHEST = (1.0, 0.5)
"""The box for robots with strokes: machine sizes, Rodrigues vector (0.5: 53 deg)."""
WITHOUT_STROKE = (0.25, 0.15)
"""The box for robots without: machine sizes, Rodrigues vector (0.15: 17 deg)."""
STEPS = 200
DRAWS_AT_MOST = 10_000
"""Maximum number of samples for one reachable pose."""
_BYTES = 768
"""Memory of a pose during sampling [bytes]: twice as many are tried, with offsets and lengths."""


def random_poses(robot: Robot | Kernels, count: int, rng: RandomSource = 0) -> Array:
    """Poses (count, 7), uniform in the box, within the travel and on home's side of det J = 0."""
    model = kernels_of(robot)
    require_memory(_BYTES * count, f"{count:,} random poses")
    generator = np.random.default_rng(rng)
    low, high = offset_box(model)
    sides = determinant(model.machines)
    accepted: list[Array] = []
    found, drawn = 0, 0
    while found < count:
        poses = _poses(model, generator.uniform(low, high, (max(2 * count, 1000), len(low))))
        same_side = sides(poses) * sides(model.robot.home) > 0
        accepted.append(poses[np.logical_and(within_strokes(model, poses), same_side)])
        found, drawn = found + len(accepted[-1]), drawn + len(poses)
        if drawn > DRAWS_AT_MOST * max(found, 1):
            raise GoughError(
                f"{model.robot.name}: of {drawn} poses around home {found} can be reached; "
                "expected a home pose inside the strokes and away from singularities"
            )
    return np.concatenate(accepted)[:count]


def offset_box(model: Kernels) -> tuple[Array, Array]:
    """Return the minimum and maximum offsets from home in each degree of freedom, (n,) each."""
    size = machine_size(model.own_robot("a box of poses"))
    turns = np.abs(model.robot.freedom_rows[:, 3:]).max(1) > 0
    free = all(actuator.travel is None for actuator in model.robot.actuators)
    ways, angles = WITHOUT_STROKE if free else FARTHEST
    farthest = np.where(turns, angles, ways * size)
    if free:
        return -farthest, farthest
    ways = np.linspace(0, 1, STEPS + 1)[:, None, None] * np.diag(farthest)
    sides = []
    for sign in (-1.0, 1.0):
        inside = within_strokes(model, _poses(model, sign * ways))
        steps_inside = np.logical_and.accumulate(inside, axis=0).sum(0) - 1
        sides.append(sign * farthest * np.maximum(steps_inside, 0) / STEPS)
    if not np.subtract(*sides).all():
        raise GoughError(
            f"{model.robot.name}: the strokes do not let the platform leave home along every axis; "
            "expected a home pose from which it can move"
        )
    return sides[0], sides[1]


def moved_from_home(robot: Robot, offsets: Array) -> Array:
    """Return poses (..., 7) of offsets (..., 6) from home; see above."""
    home = np.array(robot.home)
    turn = np.insert(offsets[..., 3:], 0, 1.0, axis=-1)
    return pose(home[:3] + offsets[..., :3], quaternion=product(turn, home[3:]))


def offsets_from_home(robot: Robot, poses: Array) -> Array:
    """Return offsets (..., 6) from home of poses (..., 7): the inverse of `moved_from_home`."""
    home = np.array(robot.home)
    turn = product(poses[..., 3:], conjugate(home[3:]))
    return np.concatenate([poses[..., :3] - home[:3], turn[..., 1:] / turn[..., :1]], -1)


def within_strokes(model: Kernels, poses: Array) -> Array:
    """Whether all actuators are within their travel, and the legs can reach the pose at all."""
    q = model.inverse_kinematics(poses)
    travels = (actuator.travel or (-np.inf, np.inf) for actuator in model.robot.actuators)
    low, high = zip(*travels, strict=True)
    return np.asarray(((q >= low) & (q <= high)).all(-1))


def _poses(model: Kernels, offsets: Array) -> Array:
    """Poses of offsets from home in the degrees of freedom (..., n); NaN where there are none."""
    offsets = offsets @ np.linalg.pinv(model.robot.freedom_rows).T  # in place of those given
    return closed_poses(model.robot, moved_from_home(model.robot, offsets))[0]
