"""The legs of a hexapod, with what is between each actuator and the platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators import compliant, compliant_energy, compliant_statics
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.compliant import Response
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.compliant_statics import Statics
from gough.equations.actuators.connector import Connector
from gough.equations.any_machine import AnyMachine, spring_energy, spring_wrench
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.model.parameters import machine_of
from gough.robot import Robot
from gough.simulation.plants.actuators import Moved, of_a_run
from gough.simulation.plants.springs import CONNECTORS, COUPLINGS, Springs
from gough.simulation.plants.transmission import At, Begun, Seen, Transmission, with_joints

_OF_LEGS = (
    *("actuator_length", "actuator_length_rate"),
    *("coupling_deflection", "coupling_deflection_rate", "leg_force"),
)
_OF_STAGES = ("decoupling_position", "decoupling_speed")


@final
@dataclass(frozen=True)
class Connectors(Transmission):
    """One of each leg."""

    connectors: tuple[Connector, ...]

    @property
    def states(self) -> tuple[Argument, ...]:
        """Those of the legs; none if nothing yields."""
        if all(c.is_rigid and c.decoupling is None for c in self.connectors):
            return ()
        size = Inner.none(len(self.connectors)).column().shape[0]
        meaning = "E, delta_c, D, and the rates of E and D: of each leg"
        return (Argument("inner", (size,), "m, m/s", meaning),)

    @property
    def watched(self) -> tuple[Argument, ...]:
        """Actuators, stages and forces on the platform, if something yields."""
        names = _OF_LEGS + _OF_STAGES * any(c.decoupling is not None for c in self.connectors)
        return of_a_run(len(self.connectors), *names) * len(self.states)

    @property
    def springs(self) -> tuple[Springs, ...]:
        """What all legs have."""
        yielding = all(not c.is_rigid for c in self.connectors)
        coupled = all(c.coupling is not None for c in self.connectors)
        return (CONNECTORS,) * yielding + (COUPLINGS,) * coupled

    def inner(self, column: Value) -> Inner:
        """The legs' inner coordinates."""
        return Inner.of(column) if self.states else Inner.none(len(self.connectors))

    def seen(self, at: At) -> Seen:
        """The actuators as if nothing yielded."""
        legs = compliant.inner_motion(*self._connected(at))
        pistons = [leg.piston for leg in _hexapod(at.machine).legs]
        free = ca.vertcat(*(piston.center_of_mass for piston in pistons))
        push = compliant.spring_forces(*self._connected(at))
        return Seen(legs.E + free, legs.E_dot, legs.delta_c, push)

    def moved(self, at: At, laws: Actuation, wrench: Value, frictions: Sequence[Any]) -> Moved:
        """The motion of platform and legs."""
        wrench = with_joints(at, wrench, frictions)
        moved = compliant.forward_dynamics(*self._connected(at), laws, wrench)
        inner = [moved.inner_rate.column()] if self.states else []
        return Moved(moved.acceleration, inner, moved.force, self._watch(at, moved))

    def _watch(self, at: At, moved: Response) -> list[Value]:
        """What `watched` lists; NaN for legs without a decoupling stage, where others have one."""
        seen, inner = self.seen(at), compliant.inner_motion(*self._connected(at))
        staged = ca.vertcat(*(ca.DM(0) if c.decoupling else ca.DM.nan(1) for c in self.connectors))
        values = {
            "actuator_length": seen.q,
            "actuator_length_rate": seen.q_dot,
            "coupling_deflection": seen.deflection,
            "coupling_deflection_rate": moved.inner_rate.delta_c,
            "leg_force": moved.leg_force,
            "decoupling_position": inner.D + staged,
            "decoupling_speed": inner.D_dot + staged,
        }
        return [values[argument.name] for argument in self.watched]

    def energy(self, at: At) -> Value:
        """Of bodies and springs, those of passive joints among them."""
        joints = spring_energy(at.machine, at.pose)
        return compliant_energy.energy(*self._connected(at)) + ca.vertcat(0, 0, joints)

    def holding(self, robot: Robot, pose: Array) -> Value:
        """Those of the actuators, whose masses have weights of their own."""
        return self._statics(robot, pose).force

    def start(self, robot: Robot, pose: Array, twist: Array) -> Begun:
        """Legs that bear the machine and go along with it."""
        if not self.states:
            return Begun(pose, twist, [])
        at = (_hexapod(machine_of(robot)), self.connectors, ca.DM(pose), ca.DM(twist))
        inner = compliant_statics.steady_inner(*at, self._statics(robot, pose).leg_force)
        return Begun(pose, twist, [inner.column()])

    def _statics(self, robot: Robot, pose: Array) -> Statics:
        machine, at = _hexapod(machine_of(robot)), ca.DM(pose)
        wrench = ca.evalf(ca.SX(spring_wrench(machine, at)))
        return compliant_statics.static_solution(machine, self.connectors, at, wrench)

    def _connected(self, at: At) -> tuple[Machine, tuple[Connector, ...], Value, Value, Inner]:
        return _hexapod(at.machine), self.connectors, at.pose, at.twist, at.inner


def _hexapod(machine: AnyMachine) -> Machine:
    assert isinstance(machine, Machine)
    return machine
