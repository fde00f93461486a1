"""What hexapods and machines of any kind both answer: one equation each, by the kind of machine.

For a hexapod all six components of a twist are free, u is the twist itself and T is one; its
equations are the shorter ones of extensible legs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca

from gough.equations.dynamics import default
from gough.equations.dynamics.energy import energy as hexapod_energy
from gough.equations.legs import closure
from gough.equations.machine import Machine as Hexapod
from gough.equations.mechanism import dynamics, kinematics, nearness, singularity
from gough.equations.mechanism.machine import Machine as AnyKind
from gough.equations.platform import singularity as platform
from gough.equations.spatial.algebra import Value

AnyMachine = Hexapod | AnyKind
Equation = Callable[..., Any]


def _by_kind(of_hexapod: Equation, of_any: Equation) -> Equation:
    def equation(machine: AnyMachine, *state: Value) -> Any:
        return (of_hexapod if isinstance(machine, Hexapod) else of_any)(machine, *state)

    equation.__doc__ = of_any.__doc__
    return equation


def _all_moves(machine: Hexapod, pose: Value) -> Value:
    return ca.DM.eye(6)


def _all_admissible(machine: Hexapod, pose: Value, twist: Value) -> Value:
    return twist


def _no_coasting(machine: Hexapod, pose: Value, twist: Value) -> Value:
    return ca.DM.zeros(6)


inverse_kinematics = _by_kind(closure.inverse_kinematics, kinematics.inverse_kinematics)
jacobian = _by_kind(closure.jacobian, kinematics.jacobian)
joint_velocity = _by_kind(closure.joint_velocity, kinematics.joint_velocity)
joint_acceleration = _by_kind(closure.joint_acceleration, kinematics.joint_acceleration)
moves = _by_kind(_all_moves, kinematics.moves)
admissible = _by_kind(_all_admissible, kinematics.admissible)
actuation_matrix = _by_kind(closure.jacobian, singularity.actuation_matrix)
determinant = _by_kind(platform.determinant, nearness.determinant)
scaled_jacobian = _by_kind(platform.scaled_jacobian, nearness.scaled_jacobian)
weakest_twist = _by_kind(platform.weakest_twist, nearness.weakest_twist)
singular_distance = _by_kind(platform.distance, nearness.distance)
coasting = _by_kind(_no_coasting, kinematics.coasting_acceleration)
inverse_dynamics = _by_kind(default.inverse_dynamics, dynamics.inverse_dynamics)
forward_dynamics = _by_kind(default.forward_dynamics, dynamics.forward_dynamics)
mass_matrix = _by_kind(default.mass_matrix, dynamics.mass_matrix)
bias = _by_kind(default.bias, dynamics.bias)
gravity = _by_kind(default.gravity, dynamics.gravity)
energy = _by_kind(hexapod_energy, dynamics.energy)
