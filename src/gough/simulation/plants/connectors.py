"""Legs of a hexapod, with the parts between each actuator and the platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators import compliant
from gough.equations.actuators.compliant import Response, Statics
from gough.equations.actuators.compliant_leg import Inner, legs_of
from gough.equations.actuators.drive import Actuation
from gough.equations.forces.passive_joints import FrictionLaw, spring_energy, spring_wrench
from gough.equations.legs.extensible import ConnectorLaw, ExtensibleLegs
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.model.parameters import machine_of
from gough.robot import Robot
from gough.simulation.plants.actuators import MachineResponse, run_outputs
from gough.simulation.plants.transmission import (
    CONNECTORS,
    COUPLINGS,
    ActuatorState,
    CompliantParts,
    InitialState,
    MachineState,
    Transmission,
    with_joints,
)

_OF_LEGS = (
    *("actuator_length", "actuator_length_rate"),
    *("coupling_deflection", "coupling_deflection_rate", "leg_force"),
)
_OF_STAGES = ("decoupling_position", "decoupling_speed")


@final
@dataclass(frozen=True)
class Connectors(Transmission):
    """Connectors of all legs."""

    connectors: tuple[ConnectorLaw, ...]

    @property
    def states(self) -> tuple[Argument, ...]:
        """States of the legs; none if they are rigid."""
        if all(c.is_rigid and c.decoupling is None for c in self.connectors):
            return ()
        size = Inner.none(len(self.connectors)).column().shape[0]
        meaning = "E, delta_c, D, and the rates of E and D: of each leg"
        return (Argument("inner", (size,), "m, m/s", meaning),)

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Actuators, stages and forces on the platform, if the legs are compliant."""
        names = _OF_LEGS + _OF_STAGES * any(c.decoupling is not None for c in self.connectors)
        return run_outputs(len(self.connectors), *names) * len(self.states)

    @property
    def springs(self) -> tuple[CompliantParts, ...]:
        """Compliant parts that all legs have."""
        yielding = all(not c.is_rigid for c in self.connectors)
        coupled = all(c.coupling is not None for c in self.connectors)
        return (CONNECTORS,) * yielding + (COUPLINGS,) * coupled

    def inner(self, column: Value) -> Inner:
        """Return the legs' inner coordinates."""
        return Inner.of(column) if self.states else Inner.none(len(self.connectors))

    def actuator_state(self, at: MachineState) -> ActuatorState:
        """Return the actuators' positions of rigid legs, and the deflections."""
        legs = legs_of(*self._connected(at))
        inner = Inner.of_legs([leg.inner for leg in legs])
        free = ca.vertcat(*(leg.leg.piston.center_of_mass for leg in legs))
        push = ca.vertcat(*(leg.spring_force for leg in legs))
        return ActuatorState(inner.E + free, inner.E_dot, inner.delta_c, push)

    def forward_dynamics(
        self, at: MachineState, laws: Actuation, wrench: Value, frictions: Sequence[FrictionLaw]
    ) -> MachineResponse:
        """Return the motion of platform and legs."""
        wrench = with_joints(at, wrench, frictions)
        state = (self.connectors, at.pose, at.twist, at.inner)
        moved = compliant.forward_dynamics(at.machine, *state, laws, wrench)
        inner = [moved.inner_rate.column()] if self.states else []
        outputs = self._output_values(at, moved)
        return MachineResponse(moved.acceleration, inner, moved.force, outputs)

    def _output_values(self, at: MachineState, moved: Response) -> list[Value]:
        """Return the `outputs`; NaN for legs without a decoupling stage if others have it."""
        found, inner = self.actuator_state(at), compliant.inner_motion(*self._connected(at))
        staged = ca.vertcat(*(ca.DM(0) if c.decoupling else ca.DM.nan(1) for c in self.connectors))
        values = {
            "actuator_length": found.q,
            "actuator_length_rate": found.q_dot,
            "coupling_deflection": found.deflection,
            "coupling_deflection_rate": moved.inner_rate.delta_c,
            "leg_force": moved.leg_force,
            "decoupling_position": inner.D + staged,
            "decoupling_speed": inner.D_dot + staged,
        }
        return [values[argument.name] for argument in self.outputs]

    def energy(self, at: MachineState) -> Value:
        """Return the energy of bodies and springs, including springs of passive joints."""
        joints = spring_energy(at.machine, at.pose)
        return compliant.energy(*self._connected(at)) + ca.vertcat(0, 0, joints)

    def holding_forces(self, robot: Robot, numbers: Array, pose: Array) -> Array:
        """Return the actuators' holding forces, with the weights of the actuators' own masses."""
        return np.array(self.statics(robot, pose).force, dtype=float).ravel()

    def start(self, robot: Robot, pose: Array, twist: Array) -> InitialState:
        """Return legs that carry the machine and move along with it."""
        if not self.states:
            return super().start(robot, pose, twist)
        at = (_hexapod(machine_of(robot)), self.connectors, ca.DM(pose), ca.DM(twist))
        inner = compliant.steady_inner(*at, self.statics(robot, pose).leg_force)
        return InitialState(pose, twist, [inner.column()])

    def statics(self, robot: Robot, pose: Array, wrench: Array | None = None) -> Statics:
        """Return the legs at rest under a wrench on the platform, springs of joints included."""
        machine, at = machine_of(robot), ca.DM(pose)
        load = ca.DM.zeros(6) if wrench is None else ca.DM(wrench)
        load += ca.evalf(ca.SX(spring_wrench(machine, at)))
        return compliant.static_solution(_hexapod(machine), self.connectors, at, load)

    def _connected(
        self, at: MachineState
    ) -> tuple[ExtensibleLegs, tuple[ConnectorLaw, ...], Value, Value, Inner]:
        return _hexapod(at.machine), self.connectors, at.pose, at.twist, at.inner


def _hexapod(machine: Machine) -> ExtensibleLegs:
    assert machine.extensible is not None
    return machine.extensible
