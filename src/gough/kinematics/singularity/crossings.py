"""Singularities on a motion: where it crosses one, touches one, comes near one.

A motion is one of `gough.motion`, or any function of time.
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
        crossed = ("crossed", self.crossing_times, self.crossing_poses)
        touched = ("touched", self.touching_times, self.touching_poses)
        rows = [
            (word, float(time), vector(pose))
            for word, times, poses in (crossed, touched)
            for time, pose in zip(times, poses, strict=True)
        ]
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
    motion: Motion,
    times: ArrayLike,
    *,
    samples: int = 1001,
    characteristic_length: float | None = None,
) -> Crossings:
    """Find where a motion crosses or touches singularities, and its nearest approach to one.

    `motion` is one of `gough.motion`, or a function from a time to a pose, and `times` its start
    and end. It is evaluated at `samples` times, and between them where |det J| has a minimum:
    faster changes are missed.
    """
    model = kernels_of(robot)
    robot = model.own_robot("crossings")
    length = check_length(robot, characteristic_length)
    ends = np.asarray(times, dtype=float)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise GoughError(f"times are {ends}; expected a start, and an end after it")
    require_memory(_BYTES * samples, f"{samples:,} samples")
    grid = np.linspace(ends[0], ends[1], max(int(samples), 3))

    def at(t: float) -> Any:
        state = motion(t)
        return getattr(state, "pose", state)

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

    floor = ROUNDING * determinant_unit(robot, length)
    found = sorted(
        zeros(det, grid, along.determinant, floor, lambda t: float(measures(t).condition))
    )
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


def _poses(at: Motion, times: Sequence[float] | Array) -> Array:
    poses = [np.asarray(at(float(t)), dtype=float) for t in times]
    for t, pose in zip(times, poses, strict=True):
        if pose.shape != (7,):
            raise GoughError(f"the motion at time {t:g} has shape {pose.shape}; expected (7,)")
    return np.array(poses).reshape(-1, 7)
