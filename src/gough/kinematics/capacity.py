"""What a machine can still carry: wrenches on its platform within the largest forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array, numeric
from gough.errors import GoughError
from gough.kinematics.size import default_length
from gough.model.kernels import Kernels
from gough.robot import Robot
from gough.shown.brief import brief


@dataclass(frozen=True, eq=False)
class WrenchCapacity:
    """What can act on the platform besides, at each state of a batch `(...)`.

    Exact: the wrenches that actuators can carry fill a zonotope, and this is about its planes. More
    motors than freedoms share a load in the best way.
    """

    model: Kernels
    state: tuple[Array, Array, Array, Array]
    """Pose, twist, acceleration, and the wrench that acts already."""
    max_force: Array
    """(n) the largest forces [N, N m]."""
    characteristic_length: float
    """Over which moments count as forces [m]."""
    sphere: Array
    """(...) the largest wrench that can act whichever way it points [N]; a moment counts over the
    characteristic length. Negative where the state alone takes more than the largest forces."""

    __repr__ = brief

    def along(self, direction: Any) -> Array:
        """(..., 2) from which to which multiple of a wrench (..., 6) can act; NaN if none can."""
        pose, *moving = self.state
        return np.asarray(self.model.load_range(pose, self.max_force, direction, *moving))

    def force(self, direction: Any) -> Array:
        """(...) the largest force along a direction (..., 3), base axes, at the origin [N].

        Negative where a force must help, at least, by so much; NaN where none can.
        """
        way = np.asarray(direction, dtype=float)
        lengths = np.linalg.norm(way, axis=-1, keepdims=True)
        if way.shape[-1:] != (3,) or not (lengths > 0).all():
            raise GoughError(
                f"direction is {direction!r:.80}; expected three numbers, not all zero"
            )
        return self.along(np.concatenate([way / lengths, np.zeros_like(way)], axis=-1))[..., 1]


def wrench_capacity(
    model: Kernels,
    pose: Any,
    twist: Any = None,
    acceleration: Any = None,
    wrench: Any = None,
    *,
    max_force: Any = None,
) -> WrenchCapacity:
    """What a machine can carry besides, at rest or during a motion under a wrench.

    `max_force` [N, N m], one for all actuators or one each, is that of the robot, if left out.
    """
    robot = model.own_robot("wrench_capacity")
    most = largest_forces(robot, max_force)
    at, *moving = (
        np.zeros(6) if x is None else np.asarray(x, dtype=float)
        for x in (pose, twist, acceleration, wrench)
    )
    sphere = np.asarray(model.wrench_margin(at, most, *moving))
    state = (at, moving[0], moving[1], moving[2])
    return WrenchCapacity(model, state, most, default_length(robot), sphere)


def largest_forces(robot: Robot, given: Any = None) -> Array:
    """(n) the largest force of each actuator [N, N m]: given, or the robot's own."""
    count = len(robot.actuators)
    if given is not None:
        limit = numeric(given)
        if limit is None or limit.shape not in ((), (count,)) or not (limit > 0).all():
            raise GoughError(
                f"max_force is {given!r}; expected one number or {count}, above 0 N or N m"
            )
        return np.broadcast_to(limit.astype(float), (count,))
    unlimited = [a.name for a in robot.actuators if a.max_force is None]
    if unlimited:
        raise GoughError(
            f"{robot.name}: no largest force of {', '.join(unlimited)} is stated; "
            "expected max_force"
        )
    return np.array([a.max_force for a in robot.actuators], dtype=float)
