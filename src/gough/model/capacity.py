"""Kernels about what actuators can carry within their largest forces, of every machine."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gough.compiler.front.argument import Argument
from gough.equations import capacity
from gough.equations.crossing import RequiredForces
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH, Definition, define, forces
from gough.model.structure import Structure

DIRECTION = Argument("direction", (6,), "N, N m", "a wrench on the platform")


def of_capacity(structure: Structure, required_forces: RequiredForces) -> dict[str, Definition]:
    """The kernels by name, from what a derivation says that a motion takes."""
    if structure.actuators < len(structure.freedoms):
        return {}
    most = replace(
        forces(structure), name="max_force", meaning="largest forces, without sign", optional=False
    )
    state = (TWIST, ACCELERATION, WRENCH)
    return {
        "wrench_margin": define(
            partial(capacity.wrench_margin, required_forces),
            (POSE, most, *state),
            Argument("margin", (), "N", "that can act besides, moments over a length"),
            doc=capacity.wrench_margin.__doc__ or "",
        ),
        "load_range": define(
            partial(capacity.load_range, required_forces),
            (POSE, most, DIRECTION, *state),
            Argument("range", (2,), "1", "least and largest multiple of the direction"),
            doc=capacity.load_range.__doc__ or "",
        ),
    }
