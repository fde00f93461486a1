"""Rigid machines of any kind with ideal actuators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.any_machine import (
    AnyMachine,
    energy,
    forward_dynamics,
    inverse_kinematics,
    joint_velocity,
    spring_energy,
    spring_wrench,
)
from gough.equations.control.signals import Measurement
from gough.equations.spatial.algebra import Value
from gough.model.kernels import Kernels
from gough.robot import Robot
from gough.simulation.plants.actuators import IdealActuators
from gough.simulation.plants.plant import PLATFORM, Plant, Shown, platform_rates


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class RigidPlant(Plant):
    """Bodies and springs of passive joints: pose and twist are all of its state; no losses."""

    further = watched = springs = ()
    bounces = yields = False
    __repr__ = Plant.__repr__

    def derivative(self, machine: AnyMachine, state: Value, command: Value, wrench: Value) -> Value:
        """Rates of pose and twist under actuator forces [N, N m] and an external wrench."""
        pose, twist = state[0:7], state[7:PLATFORM]
        loaded = wrench + spring_wrench(machine, pose)
        acceleration = forward_dynamics(machine, pose, twist, command, loaded)
        return platform_rates(machine, pose, twist, acceleration)

    def measured(self, machine: AnyMachine, state: Value, wrench: Value) -> Measurement:
        """Positions of the driven joints [m, rad] and their rates, and the wrench."""
        pose, twist = state[0:7], state[7:PLATFORM]
        q, q_dot = inverse_kinematics(machine, pose), joint_velocity(machine, pose, twist)
        none = ca.DM.zeros(self.command.size)
        return Measurement(q, q_dot, wrench, none, none)

    def shown(self, machine: AnyMachine, state: Value, command: Value, wrench: Value) -> Shown:
        """The command itself; energies of platform, legs and springs of passive joints."""
        bodies = energy(machine, state[0:7], state[7:PLATFORM])
        stored = ca.vertcat(bodies, 0, 0, spring_energy(machine, state[0:7]), 0, 0)
        return Shown(command, stored, [])

    def begun(self, pose: Array, twist: Array) -> Array:
        """Pose and twist."""
        return np.concatenate([pose, twist])

    def holding(self, pose: Array) -> Array:
        """The forces [N, N m], of each run if there are several."""
        kernel = Kernels(self.robot, parametric=True).actuator_force
        return np.asarray(kernel(self.numbers, pose))

    def contact_slope(self, state: Array) -> None:
        """There is no surface."""


def rigid_plant(
    robot: Robot, varied: tuple[str, ...] = (), values: Array | None = None
) -> RigidPlant:
    """A rigid machine with ideal actuators: the command is the force of each [N, N m]."""
    return RigidPlant(robot=robot, mover=IdealActuators.of(robot), varied=varied, values=values)
