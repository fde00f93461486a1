"""Ideal actuators: the force that they are told, at once and whatever their speed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Self, final

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.compliant import Response
from gough.equations.spatial.algebra import Value
from gough.model.structure import structure_of
from gough.robot import Robot
from gough.simulation.plants.actuators import Actuators, Legs, Signals


@final
@dataclass(frozen=True)
class IdealActuators(Actuators):
    """Told a force [N] each."""

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """With the largest forces of a robot's file."""
        meaning = "actuator forces, positive when they extend"
        command = Argument("force", (structure_of(robot).actuators,), "N", meaning)
        limit = tuple(inf if leg.max_force is None else leg.max_force for leg in robot.legs)
        return cls(command, limit, (), ())

    def response(self, legs: Legs, own: Value, command: Value) -> Response:
        """The motion under forces; those of the stops are not the actuators'."""
        moved = legs.under(Actuation(command + legs.beside, ca.DM.zeros(self.command.size)))
        return replace(moved, force=moved.force - legs.beside)

    def signals(self, own: Value, command: Value, speed: Value) -> Signals:
        """Nothing is remembered, watched or stored."""
        return Signals([], [], ca.DM(0), ca.DM(0))

    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """No states; the forces themselves."""
        return [], force
