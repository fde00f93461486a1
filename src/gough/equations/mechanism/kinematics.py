"""Kinematics of a machine of any kind: joint positions, rates, accelerations, Jacobian, moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import casadi as ca

from gough.equations.mechanism.freedom import assembled, coasting
from gough.equations.mechanism.legs import (
    LegMotion,
    LegPosture,
    leg_jacobian,
    leg_motion,
    leg_postures,
    leg_rates,
)
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.stance import (
    acceleration_in,
    in_base_axes,
    in_machine_axes,
    platform_at,
    twist_in,
)
from gough.equations.spatial.algebra import Value


def inverse_kinematics(machine: Machine, pose: Value) -> Value:
    """Positions of the driven joints at a pose [rad, m]."""
    return _driven(machine, [at.joint_positions for at in _legs(machine, pose)])


def joint_velocity(machine: Machine, pose: Value, twist: Value) -> Value:
    """Rates of the driven joints [rad/s, m/s]."""
    V = twist_in(machine, twist)
    return _driven(machine, [leg_rates(at, V) for at in _legs(machine, pose)])


def joint_acceleration(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Second rates of the driven joints [rad/s^2, m/s^2]."""
    return _driven(machine, [m.q_ddot for m in _motions(machine, pose, twist, acceleration)])


def all_joints(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value, Value]:
    """Positions, rates and second rates of all joints of all legs, leg by leg."""
    motions = _motions(machine, pose, twist, acceleration)
    return (
        _all(at.joint_positions for at in _legs(machine, pose)),
        _all(motion.q_dot for motion in motions),
        _all(motion.q_ddot for motion in motions),
    )


def moves(machine: Machine, pose: Value) -> Value:
    """T (6, n): the twists that the platform can do, twist = T u with u = S · twist."""
    return in_base_axes(machine, assembled(machine, pose).T)


def along_moves(machine: Machine, twist: Value) -> Value:
    """u = S · twist (n)."""
    return machine.freedom.S @ in_machine_axes(machine, twist)


def admissible(machine: Machine, pose: Value, twist: Value) -> Value:
    """T S · twist: the twist that the platform can do and that has the same u."""
    at = assembled(machine, pose)
    return in_base_axes(machine, at.T @ along_moves(machine, twist))


def coasting_acceleration(machine: Machine, pose: Value, twist: Value) -> Value:
    """Ṫ u (6): the acceleration of a motion whose u does not change [m/s^2, rad/s^2]."""
    V_dot = coasting(assembled(machine, pose), twist_in(machine, twist))
    return in_base_axes(machine, ca.vertcat(V_dot.v + machine.gravity, V_dot.omega))


def jacobian(machine: Machine, pose: Value) -> Value:
    """J (motors, 6) of q̇ = J · twist, for twists that the machine can do."""
    possible = machine.freedom.possible
    columns = ca.DM.eye(6) if possible is None else possible
    J = _driven(machine, [leg_jacobian(at, columns) for at in _legs(machine, pose)])
    return in_base_axes(machine, J.T).T


def _legs(machine: Machine, pose: Value) -> list[LegPosture]:
    return leg_postures(machine, platform_at(machine, pose))


def _motions(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> list[LegMotion]:
    V, V_dot = twist_in(machine, twist), acceleration_in(machine, acceleration)
    return [leg_motion(at, V, V_dot, machine.gravity) for at in _legs(machine, pose)]


def _driven(machine: Machine, by_leg: Sequence[Sequence[Value]]) -> Value:
    return ca.vertcat(*(by_leg[leg][joint] for leg, joint in machine.motors))


def _all(by_leg: Iterable[Sequence[Value]]) -> Value:
    return ca.vertcat(*(x for leg in by_leg for x in leg))
