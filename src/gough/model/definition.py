"""Definition of a kernel: an equation for one state, its inputs, outputs and their meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gough.compiler.front.argument import Argument
from gough.display.brief import Brief
from gough.model.structure import Structure

if TYPE_CHECKING:
    from gough.equations.spatial.algebra import Value

POSE = Argument("pose", (7,), "m, 1", "platform position x y z and quaternion w x y z")
TWIST = Argument(
    "twist", (6,), "m/s, rad/s", "velocity of the platform's origin, angular velocity", True
)
ACCELERATION = Argument(
    "acceleration", (6,), "m/s^2, rad/s^2", "time derivative of the twist", True
)
WRENCH = Argument(
    "wrench", (6,), "N, N m", "force and moment that the world exerts on the platform", True
)
MOTION = (POSE, TWIST, ACCELERATION)
BASE_MOTION = (
    Argument("base_pose", (7,), "m, 1", "of the base in the world: x y z and quaternion w x y z"),
    Argument("base_twist", (6,), "m/s, rad/s", "of the base's origin, world axes"),
    Argument("base_acceleration", (6,), "m/s^2, rad/s^2", "d/dt of base_twist, without gravity"),
)
"""First inputs of kernels of a machine on a base that moves."""
OF_MOVING_BASE = (
    *("inverse_dynamics", "actuator_force", "forward_dynamics", "bias", "gravity", "joint_gravity"),
    *("actuator_power", "motor_demand", "energy", "momentum", "linearize", "force_parts"),
    *("reactions", "all_reactions", "coupling_efforts", "base_wrench", "wrench_margin"),
    *("load_range", "crossing_residual", "crossing_share"),
)
"""Kernels that take these: the others are the same on every base."""
OF_RESTING_BASE = (
    *("regressor", "motor_matrices", "crossing_forces", "leg_form", "limb_matrices"),
    *("force_decomposition", "wrench_decomposition"),
    *("stiffness", "compliance", "deflection", "vibration"),
)
"""Kernels that machines have on a base at rest alone."""
CARRYING = ("wrench_margin", "load_range")
"""Kernels of machines with at least as many actuators as degrees of freedom."""


def forces(structure: Structure) -> Argument:
    """The forces of all actuators."""
    meaning = "efforts of the driven joints, positive from the first body to the second"
    if structure.extensible:
        meaning = "actuator forces, positive when they extend the legs"
    return Argument("force", (structure.actuators,), structure.force_unit, meaning, True)


def actuator_compliances(structure: Structure) -> Argument:
    """Return the argument of the actuators' compliances."""
    units = (f"{a.unit}/({a.force_unit})" if a.turns else "m/N" for a in structure.driven)
    meaning = "0 for actuators that are held, inf for free ones"
    unit = ", ".join(dict.fromkeys(units))
    return Argument("actuator_compliance", (structure.actuators,), unit, meaning, True)


@dataclass(frozen=True, repr=False)
class Definition(Brief):
    """A kernel to be: `equation(machine, *inputs)` gives the outputs, for one state."""

    equation: Callable[..., Value | tuple[Value, ...]]
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    doc: str
    needs_inverse: bool
    """Whether it needs J⁻¹: only machines have it whose motion determines the forces."""
    ungated: Callable[..., Value | tuple[Value, ...]] | None = None
    """The equation without a test whether its pose is on home's branch, if it has one."""


def define(
    equation: Callable[..., Value | tuple[Value, ...]],
    inputs: tuple[Argument, ...],
    *outputs: Argument,
    doc: str = "",
    needs_inverse: bool = False,
) -> Definition:
    """A kernel to be; without a text of its own it has that of its equation."""
    stated = getattr(equation, "func", equation).__doc__  # of what a partial calls
    return Definition(equation, inputs, outputs, doc or stated or "", needs_inverse)
