"""Ideal actuators: the force that they are told, at once and whatever their speed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Self, final

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.spatial.algebra import Value
from gough.model.structure import structure_of
from gough.robot import Robot
from gough.simulation.plants.actuators import Actuators, Load, Moved, Signals


@final
@dataclass(frozen=True)
class IdealActuators(Actuators):
    """Told a force [N] or torque [N m] each."""

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """With the largest forces of a robot's file."""
        structure, forces = structure_of(robot), [a.max_force for a in robot.actuators]
        meaning = "actuator forces, positive when they extend"
        command = Argument("force", (structure.actuators,), structure.force_unit, meaning)
        limit = tuple(inf if force is None else force for force in forces)
        return cls(command, limit, (), ())

    def response(self, load: Load, own: Value, command: Value) -> Moved:
        """The motion under forces; those of the stops are not the actuators'."""
        moved = load.under(Actuation(command + load.beside, ca.DM.zeros(self.command.size)))
        return replace(moved, force=moved.force - load.beside)

    def signals(self, own: Value, command: Value, speed: Value) -> Signals:
        """Nothing is remembered, watched or stored."""
        return Signals([], [], ca.DM(0), ca.DM(0))

    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """No states; the forces themselves."""
        return [], force
