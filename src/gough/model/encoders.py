"""Kernels of the actuators' encoders."""

from __future__ import annotations

from gough.compiler.front.argument import Argument
from gough.equations.any_machine import inverse_kinematics
from gough.model.definition import POSE, Definition, define
from gough.model.structure import Structure


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
