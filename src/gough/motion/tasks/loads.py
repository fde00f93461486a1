"""Forces and moments that are known in time: constant, sinusoidal, or from a table.

They act at a point that is fixed in the platform or in the base, on axes of either.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.display.brief import brief
from gough.equations.forces.contact import arm_of, load_at
from gough.equations.spatial.algebra import Value
from gough.motion.motions.screws import Frame
from gough.motion.samples import (
    MotionSamples,
    checked_array,
    checked_frame,
    checked_number,
    checked_times,
    checked_type,
)
from gough.motion.tasks.task import Task

Numbers = tuple[float, ...]
ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Place:
    """Where a load acts, and on which axes it is given.

    `frame` says what the load's direction follows; `point` [m] is in `point_frame`, and follows
    that. The default is the platform's origin, and directions fixed in the base.
    """

    frame: Frame = "base"
    point: Numbers = ORIGIN
    point_frame: Frame = "platform"

    def __post_init__(self) -> None:
        checked_array(self.point, "point", (3,))
        for key in ("frame", "point_frame"):
            checked_frame(getattr(self, key), key)

    def wrench(self, load: Array, samples: MotionSamples) -> Array:
        """The wrench about the platform's origin of a load (..., 6) [N, N m] that acts here."""
        kernel = _kernel(self.frame == "platform", self.point_frame == "platform")
        return np.asarray(kernel(samples.pose, load, np.array(self.point)))


HERE = Place()


class _Load(Task):
    """A load whose size at any time is known."""

    place: Place

    @abstractmethod
    def load(self, t: Array) -> Array:
        """Force [N] and moment [N m] at some times, (..., 6), as they are at the place."""

    def wrench(self, t: ArrayLike, samples: MotionSamples) -> Array:
        """The load, taken to the platform's origin."""
        return self.place.wrench(self.load(np.asarray(t, dtype=float)), samples)


@dataclass(frozen=True)
class Constant(_Load):
    """A constant force [N] and moment [N m]."""

    force: Numbers = ORIGIN
    moment: Numbers = ORIGIN
    place: Place = HERE

    __repr__ = brief

    def __post_init__(self) -> None:
        _check_load(self.force, self.moment, self.place)

    def load(self, t: Array) -> Array:
        """Return the constant load at all times."""
        return np.broadcast_to([*self.force, *self.moment], (*t.shape, 6))


@dataclass(frozen=True)
class Sinusoidal(_Load):
    """A force [N] and a moment [N m] times sin(2π f t + φ), f [Hz], φ [rad]."""

    frequency: float
    force: Numbers = ORIGIN
    moment: Numbers = ORIGIN
    phase: float = 0.0
    place: Place = HERE

    __repr__ = brief

    def __post_init__(self) -> None:
        _check_load(self.force, self.moment, self.place)
        checked_number(self.phase, "phase")
        checked_number(self.frequency, "frequency", above=0.0, expected="above 0 Hz")

    def load(self, t: Array) -> Array:
        """The amplitudes times the sine."""
        sine = np.sin(2 * np.pi * self.frequency * t + self.phase)
        return np.asarray(np.multiply.outer(sine, [*self.force, *self.moment]))

    @property
    def period(self) -> float:
        """That of the sine."""
        return 1.0 / self.frequency


@dataclass(frozen=True)
class Tabulated(_Load):
    """Forces [N] and moments [N m] at increasing times [s], straight lines between them.

    Before the first and after the last time there is no load.
    """

    times: Numbers
    forces: tuple[Numbers, ...]
    moments: tuple[Numbers, ...]
    place: Place = HERE

    __repr__ = brief

    def __post_init__(self) -> None:
        checked_type(self.place, Place, "place", "a Place")
        rows = len(checked_times(self.times, "times"))
        checked_array(self.forces, "forces", (rows, 3))
        checked_array(self.moments, "moments", (rows, 3))

    def load(self, t: Array) -> Array:
        """The interpolated table."""
        columns = np.concatenate([self.forces, self.moments], axis=-1).T
        values = [np.interp(t, self.times, column, left=0.0, right=0.0) for column in columns]
        return np.stack(values, axis=-1)

    @property
    def corners(self) -> tuple[float, ...]:
        """Its times."""
        return self.times

    @property
    def active(self) -> tuple[float, float]:
        """From the first to the last of its times."""
        return self.times[0], self.times[-1]


def point_force(
    force: ArrayLike, point: ArrayLike, *, frame: Frame = "base", point_frame: Frame = "platform"
) -> Constant:
    """A force [N] at a point [m]: each follows the platform, or stays with the base."""
    place = Place(frame, tuple(checked_array(point, "point", (3,)).tolist()), point_frame)
    return Constant(tuple(checked_array(force, "force", (3,)).tolist()), ORIGIN, place)


def _check_load(force: ArrayLike, moment: ArrayLike, place: Place) -> None:
    checked_type(place, Place, "place", "a Place")
    checked_array(force, "force", (3,))
    checked_array(moment, "moment", (3,))


@compiled
def _kernel(turns: bool, point_in_platform: bool) -> Kernel:
    def equation(pose: Value, load: Value, point: Value) -> Value:
        return load_at(pose, load, arm_of(pose, point, point_in_platform), turns)

    pose, point = Argument("pose", (7,), "m, 1"), Argument("point", (3,), "m")
    load, wrench = (Argument(name, (6,), "N, N m") for name in ("load", "wrench"))
    doc = "The wrench about the platform's origin of a load at a point."
    return Kernel.from_equation("load_at_a_point", equation, (pose, load, point), (wrench,), doc)
