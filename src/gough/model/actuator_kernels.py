"""Kernels of the actuators of every machine: what they can carry, and what their encoders read."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gough.compiler.front.argument import Argument
from gough.equations import capacity
from gough.equations.any_machine import inverse_kinematics
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


def of_encoders(structure: Structure) -> dict[str, Definition]:
    """What the actuators' encoders read, and back."""
    n, unit = (structure.actuators,), structure.unit
    readings = Argument("readings", n, unit, "of the actuators' encoders")
    return {
        "readings": define(
            lambda machine, pose: machine.encoders.readings(inverse_kinematics(machine, pose)),
            (POSE,),
            readings,
            doc="What the encoders read at a pose: position = gain · reading + offset.",
        ),
        "positions": define(
            lambda machine, readings: machine.encoders.positions(readings),
            (readings,),
            Argument("q", n, unit, "true positions of the actuators"),
            doc="Where the actuators are, from what their encoders read.",
        ),
    }
