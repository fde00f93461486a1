"""Kinematics of a machine: joint positions, rates, accelerations, Jacobian, twist basis."""

from collections.abc import Iterable, Sequence

import casadi as ca

from gough.equations.closure.assembled import LegMotion, assembled
from gough.equations.legs import closure
from gough.equations.machine import Machine, short
from gough.equations.spatial.algebra import Value


def inverse_kinematics(machine: Machine, pose: Value) -> Value:
    """Positions of the driven joints at a pose [rad, m]."""
    return machine.driven([at.joint_positions for at in assembled(machine, pose).legs])


@short(closure.joint_velocity)
def joint_velocity(machine: Machine, pose: Value, twist: Value) -> Value:
    """Rates of the driven joints [rad/s, m/s]."""
    V = machine.twist(twist)
    return machine.driven([at.rates(V) for at in assembled(machine, pose).legs])


@short(closure.joint_acceleration)
def joint_acceleration(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Second rates of the driven joints [rad/s^2, m/s^2]."""
    return machine.driven([m.q_ddot for m in _motions(machine, pose, twist, acceleration)])


def all_joints(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value, Value]:
    """Positions, rates and second rates of all joints of all legs, leg by leg."""
    motions = _motions(machine, pose, twist, acceleration)
    q = _all(at.joint_positions for at in assembled(machine, pose).legs)
    return q, _all(leg.q_dot for leg in motions), _all(leg.q_ddot for leg in motions)


def twist_basis(machine: Machine, pose: Value) -> Value:
    """T (6, n): the twists that the platform can do, twist = T u with u = S · twist."""
    T = machine.freedom.T
    return machine.in_base_axes(assembled(machine, pose).T if T is None else T)


def independent_velocities(machine: Machine, twist: Value) -> Value:
    """u = S · twist (n)."""
    return machine.freedom.S @ machine.in_own_axes(twist)


def admissible(machine: Machine, pose: Value, twist: Value) -> Value:
    """T S · twist: the twist that the platform can do and that has the same u."""
    return twist_basis(machine, pose) @ independent_velocities(machine, twist)


def bias_acceleration(machine: Machine, pose: Value, twist: Value) -> Value:
    """Ṫ u (6): the acceleration of a motion whose u does not change [m/s^2, rad/s^2]."""
    if machine.freedom.T is not None:
        return ca.DM.zeros(6)
    V_dot = assembled(machine, pose).bias_acceleration(machine.twist(twist))
    return machine.in_base_axes(machine.relative(V_dot))


@short(closure.jacobian)
def jacobian(machine: Machine, pose: Value) -> Value:
    """J (motors, 6) of q̇ = J · twist, for twists that the machine can do."""
    possible = machine.freedom.possible
    columns = ca.DM.eye(6) if possible is None else possible
    J = machine.driven([at.jacobian(columns) for at in assembled(machine, pose).legs])
    return machine.in_base_axes(J.T).T


@short(closure.jacobian)
def actuation_matrix(machine: Machine, pose: Value) -> Value:
    """J T (motors, n): the rates of the driven joints by u."""
    return assembled(machine, pose).J


def drift(machine: Machine, pose: Value, twist: Value) -> Value:
    """Second rates of the driven joints (m) [m/s^2, rad/s^2] while u does not change: J̇_u u."""
    return joint_acceleration(machine, pose, twist, bias_acceleration(machine, pose, twist))


def _motions(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> list[LegMotion]:
    V, V_dot = machine.twist(twist), machine.acceleration(acceleration)
    return [at.motion(V, V_dot, machine.base_motion) for at in assembled(machine, pose).legs]


def _all(by_leg: Iterable[Sequence[Value]]) -> Value:
    return ca.vertcat(*(x for leg in by_leg for x in leg))
