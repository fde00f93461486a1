"""Ideal actuators: the force that they are told, at once and whatever their speed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import final

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.compliant import Response
from gough.equations.spatial.algebra import Value
from gough.simulation.plants.actuators import Actuators, Legs


@final
@dataclass(frozen=True)
class IdealActuators(Actuators):
    """Told a force [N] each."""

    states = ()
    watched = ()

    @property
    def command(self) -> Argument:
        """Forces."""
        meaning = "actuator forces, positive when they extend"
        return Argument("force", (self.count,), "N", meaning)

    @property
    def limit(self) -> tuple[float, ...]:
        """The largest forces of the robot's file [N]."""
        return tuple(inf if leg.max_force is None else leg.max_force for leg in self.robot.legs)

    def response(self, legs: Legs, own: Value, force: Value) -> Response:
        """The motion under forces; those of the stops are not the actuators'."""
        moved = legs.under(Actuation(force + legs.beside, ca.DM.zeros(self.count)))
        return replace(moved, force=moved.force - legs.beside)

    def rates(self, own: Value, force: Value, speed: Value) -> list[Value]:
        """None."""
        return []

    def watch(self, own: Value, force: Value, speed: Value) -> list[Value]:
        """Nothing."""
        return []

    def energies(self, own: Value, speed: Value) -> tuple[Value, Value]:
        """Nothing is stored."""
        return ca.DM(0), ca.DM(0)

    def resting(self, force: Value) -> list[Value]:
        """No states."""
        return []

    def holding(self, force: Value) -> Value:
        """The forces themselves."""
        return force
