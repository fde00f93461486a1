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
