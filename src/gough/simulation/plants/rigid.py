"""Rigid mechanisms with ideal actuators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.control.signals import Measurement
from gough.equations.forces.dynamics import energy, forward_dynamics
from gough.equations.forces.joint_springs import spring_energy, spring_wrench
from gough.equations.machine import Machine
from gough.equations.motion.kinematics import inverse_kinematics, joint_velocity
from gough.equations.spatial.algebra import Value
from gough.model.kernels import Kernels
from gough.robot import Robot
from gough.simulation.plants.actuators import IdealActuators
from gough.simulation.plants.plant import PLATFORM, Plant, PlantOutputs, platform_rates


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class RigidPlant(Plant):
    """Rigid bodies and springs of passive joints, without losses: the state is pose and twist."""

    further = watched = springs = ()
    bounces = is_compliant = False
    __repr__ = Plant.__repr__

    def derivative(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        """Return rates of pose and twist under actuator forces [N, N m] and an external wrench."""
        pose, twist = state[0:7], state[7:PLATFORM]
        loaded = wrench + spring_wrench(machine, pose)
        acceleration = forward_dynamics(machine, pose, twist, command, loaded)
        return platform_rates(machine, pose, twist, acceleration)

    def measured(self, machine: Machine, state: Value, wrench: Value) -> Measurement:
        """Return positions of the driven joints [m, rad] and their rates, and the wrench."""
        pose, twist = state[0:7], state[7:PLATFORM]
        q, q_dot = inverse_kinematics(machine, pose), joint_velocity(machine, pose, twist)
        none = ca.DM.zeros(self.command.size)
        return Measurement(q, q_dot, wrench, none, none)

    def shown(self, machine: Machine, state: Value, command: Value, wrench: Value) -> PlantOutputs:
        """Return the command itself; energies of platform, legs and springs of passive joints."""
        bodies = energy(machine, state[0:7], state[7:PLATFORM])
        stored = ca.vertcat(bodies, 0, 0, spring_energy(machine, state[0:7]), 0, 0)
        return PlantOutputs(command, stored, [])

    def begun(self, pose: Array, twist: Array) -> Array:
        """Return pose and twist."""
        return np.concatenate([pose, twist])

    def holding(self, pose: Array) -> Array:
        """Return the holding forces [N, N m], of each run if there are several."""
        kernel = Kernels(self.robot, parametric=True).actuator_force
        return np.asarray(kernel(self.numbers, pose))

    def contact_slope(self, state: Array) -> None:
        """Return None: there is no surface."""


def rigid_plant(
    robot: Robot, varied: tuple[str, ...] = (), values: Array | None = None
) -> RigidPlant:
    """Return a rigid machine with ideal actuators: the command is the force of each [N, N m]."""
    return RigidPlant(robot=robot, mover=IdealActuators.of(robot), varied=varied, values=values)
