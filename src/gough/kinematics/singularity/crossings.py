"""Singularities on a motion: where it crosses one, touches one, comes near one.

A motion is one of `gough.motion`, a function of time, or samples. Between samples it is
interpolated by `gough.poses.interpolate`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.display import Displayable, Table, vector
from gough.errors import GoughError
from gough.kinematics.singularity.search import ROUNDING, least_about, zeros
from gough.kinematics.singularity.singularity import (
    Singularity,
    check_length,
    determinant,
    determinant_unit,
    singularity,
)
from gough.memory import require_memory
from gough.model.kernels import Kernels, kernels_of
from gough.poses import interpolate
from gough.robot import Robot

Motion = Callable[[float], Any]

_BYTES = 512
"""Memory of a sample [bytes]: its pose and all measures there."""


@dataclass(frozen=True)
class Crossings(Displayable):
    """The singularities of type 2 on a motion.

    With more motors than degrees of freedom det J has no sign: all singularities are touched.
    """

    robot: str
    """The machine's name."""
    crossing_times: Array
    """(k) times at which det J changes its sign."""
    crossing_poses: Array
    """(k, 7) the poses at these times."""
    touching_times: Array
    """(m) times at which J loses rank, but det J keeps its sign; start of a singular interval."""
    touching_poses: Array
    """(m, 7) the poses at these times."""
    nearest_time: float
    """Time of the minimum of the minimum singular value."""
    nearest: Singularity
    """All measures at that time: `nearest.parallel`, `nearest.distance`, the screw."""
    times: Array
    """(n) times of the samples."""
    along: Singularity
    """All measures at those times, for plots along the motion."""

    result_kind: ClassVar = "singularities on a motion"
    listed: ClassVar = (
        "crossing_times crossing_poses touching_times touching_poses nearest_time nearest"
    )

    def tables(self) -> list[Table]:
        """Times of crossing, touching and nearest approach of singularities, with the poses."""
        crossed = zip(self.crossing_times.tolist(), self.crossing_poses, strict=True)
        touched = zip(self.touching_times.tolist(), self.touching_poses, strict=True)
        rows = [("crossed", time, vector(pose)) for time, pose in crossed]
        rows += [("touched", time, vector(pose)) for time, pose in touched]
        nearest = [
            ("time", self.nearest_time, "s"),
            ("minimum singular value", float(self.nearest.parallel), ""),
            ("distance to det J = 0, to first order", float(self.nearest.distance), "m"),
        ]
        heads = ("", "time [s]", "pose [m, w x y z]")
        met = [Table.of("Singularities", heads, rows)] if rows else []
        return [*met, Table.properties("Nearest to a singularity", nearest)]


def crossings(
    robot: Robot | Kernels,
    motion: Motion | ArrayLike,
    times: ArrayLike,
    *,
    samples: int = 1001,
    characteristic_length: float | None = None,
) -> Crossings:
    """Find where a motion crosses or touches singularities, and its nearest approach to one.

    `motion` is one of `gough.motion`, or a function from a time to a pose, with `times = (start,
    end)`; or an array of poses `(n, 7)` with `times` `(n,)`. It is evaluated at `samples` times,
    and between them where |det J| has a minimum: faster changes are missed.
    """
    model = kernels_of(robot)
    robot = model.own_robot("crossings")
    length = check_length(robot, characteristic_length)
    at, grid = _motion(motion, times, samples)
    poses = _poses(at, grid)
    along = singularity(model, poses, characteristic_length=length)
    if not along.valid.all():
        k = int(along.valid.argmin())
        raise GoughError(
            f"the motion has no Jacobian at time {grid[k]:g}, pose {poses[k].tolist()}: expected "
            "finite numbers and a pose that all legs can reach"
        )

    def det(t: float) -> float:
        return float(determinant(model.machines)(at(t)))

    def measures(t: float) -> Singularity:
        return singularity(model, at(t), characteristic_length=length)

    def parallel(t: float) -> float:
        return float(measures(t).parallel)

    def condition(t: float) -> float:
        return float(measures(t).condition)

    floor = ROUNDING * determinant_unit(robot, length)
    found = sorted(zeros(det, grid, along.determinant, floor, condition))
    crossed = [zero.time for zero in found if zero.kind == "crossed"]
    touched = [zero.since for zero in found if zero.kind == "touched"]
    least = least_about(parallel, grid, int(along.parallel.argmin()))
    nearest = min([*crossed, *touched, least], key=parallel)
    return Crossings(
        robot=robot.name,
        crossing_times=np.array(crossed),
        crossing_poses=_poses(at, crossed),
        touching_times=np.array(touched),
        touching_poses=_poses(at, touched),
        nearest_time=nearest,
        nearest=measures(nearest),
        times=grid,
        along=along,
    )


def _motion(motion: Motion | ArrayLike, times: ArrayLike, samples: int) -> tuple[Motion, Array]:
    """The motion as a function of time, and the times of its samples."""
    when = np.asarray(times, dtype=float)
    if when.ndim != 1 or len(when) < 2 or not (np.diff(when) > 0).all():
        raise GoughError(f"times are {when}; expected at least two, increasing")
    require_memory(_BYTES * samples, f"{samples:,} samples")
    grid = np.union1d(when, np.linspace(when[0], when[-1], max(int(samples), 3)))
    if callable(motion):
        if len(when) != 2:
            raise GoughError(f"got {len(when)} times for a function; expected its start and end")

        def pose_at(t: float) -> Any:
            state = motion(t)
            return getattr(state, "pose", state)

        return pose_at, grid
    poses = np.asarray(motion, dtype=float)
    if poses.shape != (len(when), 7):
        raise GoughError(
            f"the poses have shape {poses.shape}; expected ({len(when)}, 7), one for each time"
        )
    if not np.isfinite(poses).all():
        raise GoughError("the poses have entries that are not finite numbers")

    def at(t: float) -> Array:
        k = min(int(np.searchsorted(when, t, side="right")), len(when) - 1)
        share = (t - when[k - 1]) / (when[k] - when[k - 1])
        return interpolate(poses[k - 1], poses[k], share)

    return at, grid


def _poses(at: Motion, times: Sequence[float] | Array) -> Array:
    poses = [np.asarray(at(float(t)), dtype=float) for t in times]
    for t, pose in zip(times, poses, strict=True):
        if pose.shape != (7,):
            raise GoughError(f"the motion at time {t:g} has shape {pose.shape}; expected (7,)")
    return np.array(poses).reshape(-1, 7)
