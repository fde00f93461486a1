"""Transmission between the actuators and the platform, as plants use it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, final

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators import drive
from gough.equations.actuators.drive import Actuation
from gough.equations.closure.closing import closing_step
from gough.equations.forces import dynamics
from gough.equations.forces.passive_joints import (
    FrictionLaw,
    friction_wrench,
    spring_energy,
    spring_wrench,
)
from gough.equations.legs.extensible import Mode
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import BAUMGARTE_RATE
from gough.equations.spatial.pose import rate as pose_rate
from gough.model.kernels import Kernels
from gough.robot import Robot
from gough.simulation.plants.actuators import MachineResponse


class CompliantParts(NamedTuple):
    """Compliant parts of all legs, and their use by a controller."""

    name: str
    use: str
    modes: tuple[Mode, ...]
    """Modes in which connectors have them."""


CONNECTORS = CompliantParts(
    "connectors", "feels forces in", ("simple", "low-frequency", "high-frequency", "complete")
)
COUPLINGS = CompliantParts("coupling stages", "compresses", ("low-frequency", "complete"))


class MachineState(NamedTuple):
    """A machine at one moment."""

    machine: Machine
    pose: Value
    twist: Value
    inner: Any
    """States of the transmission, in its own form."""


class ActuatorState(NamedTuple):
    """The actuators at one moment."""

    q: Value
    """Their positions [m, rad], of rigid legs."""
    q_dot: Value
    deflection: Value
    """Compression of the coupling stages [m]; zero where there are none."""
    push: Value
    """Forces in the connectors [N]; zero in rigid legs."""


class InitialState(NamedTuple):
    """State of a machine at the beginning: it carries its weight, and follows a motion."""

    pose: Array
    twist: Array
    states: list[Value]
    """States of the transmission."""


class Transmission(ABC):
    """Transmission from the actuators to the platform; by default without states of its own."""

    varies = True
    """Whether numbers of the robot may differ from run to run."""

    @property
    def states(self) -> tuple[Argument, ...]:
        """State variables; none if it is rigid."""
        return ()

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Outputs in a run, as returned by `forward_dynamics`."""
        return ()

    @property
    def springs(self) -> tuple[CompliantParts, ...]:
        """Compliant parts of all legs."""
        return ()

    def inner(self, column: Value) -> Any:
        """Return its states in its own form, from their column."""
        return None

    @abstractmethod
    def actuator_state(self, at: MachineState) -> ActuatorState:
        """Return positions, speeds, deflections and forces of the actuators."""

    @abstractmethod
    def forward_dynamics(
        self, at: MachineState, laws: Actuation, wrench: Value, frictions: Sequence[FrictionLaw]
    ) -> MachineResponse:
        """Return the motion under the actuators' laws, a wrench on the platform and friction."""

    def platform_rates(self, at: MachineState, acceleration: Value) -> Value:
        """Return time derivatives of pose and twist (13), corrected for constraint violations.

        Where the twist basis is constant, or has all six columns, there are none.
        """
        velocity = at.twist + BAUMGARTE_RATE * closing_step(at.machine, at.pose)
        violation = at.twist - kinematics.admissible(at.machine, at.pose, at.twist)
        return ca.vertcat(pose_rate(at.pose, velocity), acceleration - BAUMGARTE_RATE * violation)

    def driven(self, states: Array) -> tuple[Array, Array] | None:
        """Return positions and rates (..., n) of the driven joints, from its states (..., s).

        None where they follow from pose and twist.
        """
        return None

    def validity_warnings(self, time: Array, states: Array) -> list[str]:
        """Return reasons why its states (T, s) at times [s] are not to be trusted."""
        return []

    def carrying(self, robot: Robot) -> Self:
        """Return the transmission of a robot that differs in its platform alone."""
        return self

    @abstractmethod
    def energy(self, at: MachineState) -> Value:
        """Return kinetic, potential and elastic energy [J], 3x1."""

    @abstractmethod
    def holding_forces(self, robot: Robot, numbers: Array, pose: Array) -> Array:
        """Return the actuators' forces (..., n) [N, N m] that hold a robot of some numbers."""

    def start(self, robot: Robot, pose: Array, twist: Array) -> InitialState:
        """Return the machine at a pose and twist: those of the platform, and its own states."""
        return InitialState(pose, twist, [])


def with_joints(at: MachineState, wrench: Value, frictions: Sequence[FrictionLaw]) -> Value:
    """Return a wrench on the platform, with those of friction and springs in the joints."""
    wrench += spring_wrench(at.machine, at.pose)
    if not frictions:
        return wrench
    return wrench + friction_wrench(at.machine, frictions, at.pose, at.twist)


@final
@dataclass(frozen=True)
class RigidJoints(Transmission):
    """Rigid transmission: the driven joints move the platform directly."""

    def actuator_state(self, at: MachineState) -> ActuatorState:
        """Return the driven joints' positions and speeds."""
        q = kinematics.inverse_kinematics(at.machine, at.pose)
        q_dot = kinematics.joint_velocity(at.machine, at.pose, at.twist)
        none = ca.DM.zeros(q.shape[0])
        return ActuatorState(q, q_dot, none, none)

    def forward_dynamics(
        self, at: MachineState, laws: Actuation, wrench: Value, frictions: Sequence[FrictionLaw]
    ) -> MachineResponse:
        """Return forward dynamics, with the actuators' own inertia and friction."""
        state, loaded = (at.machine, at.pose, at.twist), with_joints(at, wrench, frictions)
        acceleration, force = drive.forward_dynamics(*state, laws, loaded)
        return MachineResponse(acceleration, [], force, [])

    def energy(self, at: MachineState) -> Value:
        """Return the energy of bodies, and of springs of passive joints."""
        bodies = dynamics.energy(at.machine, at.pose, at.twist)
        return ca.vertcat(bodies, spring_energy(at.machine, at.pose))

    def holding_forces(self, robot: Robot, numbers: Array, pose: Array) -> Array:
        """Return the forces of inverse dynamics at rest."""
        return np.asarray(Kernels(robot, parametric=True).actuator_force(numbers, pose))


RIGID_JOINTS = RigidJoints()
