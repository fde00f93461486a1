"""Wrench capacity: additional wrenches on the platform within the maximum actuator forces."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, numeric
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table, data_of
from gough.errors import GoughError
from gough.kinematics.size import default_length
from gough.model.kernels import Kernels, kernels_of
from gough.robot import Robot


@dataclass(frozen=True, eq=False)
class WrenchCapacity(Displayable):
    """Additional wrenches that can act on the platform, at each state of a batch `(...)`.

    Exact: the feasible wrenches are a zonotope, and this is about its facets. With more motors than
    degrees of freedom the load is shared optimally.
    """

    model: Kernels
    state: tuple[Array, ...]
    """Pose, twist, acceleration, and the present wrench."""
    max_force: Array
    """(n) maximum forces [N, N m]."""
    characteristic_length: float
    """Length by which moments are divided to compare them with forces [m]."""
    sphere: Array
    """(...) maximum wrench that can act in every direction [N]; a moment counts over the
    characteristic length. Negative where the state alone takes more than the maximum forces."""

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and what this is."""
        return self.model.own_robot("wrench_capacity").name, "wrench capacity"

    def tables(self) -> list[Table]:
        """Maximum wrench in every direction; of several states the minimum."""
        rows = [
            ("states", int(np.size(self.sphere)), ""),
            ("wrench in every direction, minimum", float(np.nanmin(self.sphere)), "N"),
            ("characteristic length", float(self.characteristic_length), "m"),
        ]
        return [Table.properties("", rows)]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        state = zip(("pose", "twist", "acceleration", "wrench"), self.state, strict=True)
        return dict(state) | data_of(self, "max_force characteristic_length sphere")

    def along(self, direction: ArrayLike) -> Array:
        """Return the minimum and maximum multiple (..., 2) of a wrench (..., 6); NaN if none."""
        pose, *moving = self.state
        return np.asarray(self.model.load_range(pose, self.max_force, direction, *moving))

    def force(self, direction: ArrayLike) -> Array:
        """Return the maximum force (...) along a direction (..., 3), base axes, at the origin [N].

        Negative where a supporting force of at least this size is needed; NaN if none suffices.
        """
        way = np.asarray(direction, dtype=float)
        lengths = np.linalg.norm(way, axis=-1, keepdims=True)
        if way.shape[-1:] != (3,) or not (lengths > 0).all():
            expected = "three numbers, not all zero"
            raise GoughError(f"direction is {direction!r:.80}; expected {expected}")
        return self.along(np.concatenate([way / lengths, np.zeros_like(way)], axis=-1))[..., 1]


def wrench_capacity(
    robot: Robot | Kernels,
    pose: ArrayLike,
    twist: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    *,
    max_force: ArrayLike | None = None,
) -> WrenchCapacity:
    """Compute the wrench capacity of a machine, at rest or during a motion under a wrench.

    `max_force` [N, N m], one for all actuators or one each, is by default that of the robot.
    """
    model = kernels_of(robot)
    robot = model.own_robot("wrench_capacity", of_forces=True)
    most = largest_forces(robot, max_force)
    loads = (np.zeros(6) if x is None else x for x in (twist, acceleration, wrench))
    at, *moving = state = tuple(np.asarray(x, dtype=float) for x in (pose, *loads))
    sphere = np.asarray(model.wrench_margin(at, most, *moving))
    return WrenchCapacity(model, state, most, default_length(robot), sphere)


def largest_forces(robot: Robot, given: ArrayLike | None = None) -> Array:
    """Return the maximum force (n) of each actuator [N, N m]: given, or the robot's own."""
    count = len(robot.actuators)
    if given is not None:
        limit = numeric(given)
        if limit is None or limit.shape not in ((), (count,)) or not (limit > 0).all():
            expected = f"one number or {count}, above 0 N or N m"
            raise GoughError(f"max_force is {given!r}; expected {expected}")
        return np.broadcast_to(limit.astype(float), (count,))
    unlimited = ", ".join(a.name for a in robot.actuators if a.max_force is None)
    if unlimited:
        problem = f"{robot.name}: no maximum force of {unlimited} is stated"
        raise GoughError(f"{problem}; expected max_force")
    return np.array([a.max_force for a in robot.actuators], dtype=float)
