"""The driven joints of a machine of any kind: nothing yields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations import any_machine
from gough.equations.actuators import actuation
from gough.equations.actuators.actuation import Actuation
from gough.equations.spatial.algebra import Value
from gough.model.kernels import Kernels
from gough.robot import Robot
from gough.simulation.plants.actuators import Moved
from gough.simulation.plants.springs import Springs
from gough.simulation.plants.transmission import At, Begun, Seen, Transmission, with_joints


@final
@dataclass(frozen=True)
class RigidJoints(Transmission):
    """What moves the driven joints moves the platform."""

    states: tuple[Argument, ...] = ()
    watched: tuple[Argument, ...] = ()
    springs: tuple[Springs, ...] = ()

    def inner(self, column: Value) -> None:
        """None."""

    def seen(self, at: At) -> Seen:
        """The driven joints themselves."""
        q = any_machine.inverse_kinematics(at.machine, at.pose)
        q_dot = any_machine.joint_velocity(at.machine, at.pose, at.twist)
        none = ca.DM.zeros(q.shape[0])
        return Seen(q, q_dot, none, none)

    def moved(self, at: At, laws: Actuation, wrench: Value, frictions: Sequence[Any]) -> Moved:
        """Forward dynamics, with what the actuators have of their own."""
        wrench = with_joints(at, wrench, frictions)
        moved = actuation.forward_dynamics(at.machine, at.pose, at.twist, laws, wrench)
        acceleration, force = moved
        return Moved(acceleration, [], force, [])

    def energy(self, at: At) -> Value:
        """Of bodies, and of springs of passive joints."""
        bodies = any_machine.energy(at.machine, at.pose, at.twist)
        return ca.vertcat(bodies, any_machine.spring_energy(at.machine, at.pose))

    def holding(self, robot: Robot, pose: Array) -> Value:
        """What motions take, at rest."""
        return ca.DM(Kernels(robot).actuator_force(pose))

    def start(self, robot: Robot, pose: Array, twist: Array) -> Begun:
        """There, without states."""
        return Begun(pose, twist, [])
