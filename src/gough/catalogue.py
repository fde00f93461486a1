"""The kernels that a model offers: for each its equation, its arguments and their meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gough.compiler.argument import Argument
from gough.equations import closure

POSE = Argument("pose", (7,), "m, 1", "platform position x y z and quaternion w x y z")
TWIST = Argument(
    "twist", (6,), "m/s, rad/s", "velocity of the platform's origin, angular velocity", True
)
ACCELERATION = Argument(
    "acceleration", (6,), "m/s^2, rad/s^2", "time derivative of the twist", True
)


@dataclass(frozen=True)
class Definition:
    """A kernel to be: `equation(machine, *inputs)` gives the outputs, for one state."""

    equation: Callable[..., Any]
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]

    @property
    def doc(self) -> str:
        """The equation's own description."""
        return self.equation.__doc__ or ""


def _define(
    equation: Callable[..., Any], inputs: tuple[Argument, ...], *outputs: Argument
) -> Definition:
    return Definition(equation, inputs, outputs)


DEFINITIONS: dict[str, Definition] = {
    "inverse_kinematics": _define(
        closure.inverse_kinematics, (POSE,), Argument("q", (6,), "m", "leg lengths")
    ),
    "jacobian": _define(
        closure.jacobian,
        (POSE,),
        Argument("J", (6, 6), "1, m/rad", "leg rates by twist; row i belongs to leg i"),
    ),
    "joint_velocity": _define(
        closure.joint_velocity,
        (POSE, TWIST),
        Argument("q_dot", (6,), "m/s", "rates of the leg lengths"),
    ),
    "joint_acceleration": _define(
        closure.joint_acceleration,
        (POSE, TWIST, ACCELERATION),
        Argument("q_ddot", (6,), "m/s^2", "second rates of the leg lengths"),
    ),
    "leg_angular_velocity": _define(
        closure.leg_angular_velocity,
        (POSE, TWIST),
        Argument("omega", (6, 3), "rad/s", "angular velocity of each leg, base axes"),
    ),
    "leg_angular_acceleration": _define(
        closure.leg_angular_acceleration,
        (POSE, TWIST, ACCELERATION),
        Argument("alpha", (6, 3), "rad/s^2", "angular acceleration of each leg, base axes"),
    ),
}
