"""The actuator forces as a sum over what the bodies weigh: linear in their standard parameters.

A rigid body counts by its mass m [kg], its first moment [kg m] and its inertia [kg m^2], the latter
two about a point of its own: of the platform its frame's origin, of a cylinder the base joint, of a
piston the platform joint. In these the equation of motion is linear [Briot & Khalil 2021, (10)]. By
the principle of virtual work each body adds its own wrench times how it moves with the platform.

A cylinder's first moment counts along the leg, a piston's back from its platform joint. The inertia
of a leg that does not spin counts by one moment across it, that of others by six: xx, yy, zz, xy,
xz, yz on the leg's axes.
"""

import casadi as ca
from casadi import cross, skew

from gough.equations.legs import closure
from gough.equations.legs.closure import LegAcceleration, LegPosition, LegVelocity
from gough.equations.legs.extensible import ExtensibleLegs, Leg
from gough.equations.spatial.algebra import Value, angular, linear, point_jacobian, rotation
from gough.equations.tree.bodies import lever_matrix


def regressor(machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Y (n x p) of forces = Y · standard parameters: platform, then cylinders and pistons."""
    balance = closure.leg_forces(machine, pose, ca.DM.eye(6))  # J⁻ᵀ
    columns = [balance @ platform_columns(machine, pose, twist, acceleration)]
    for leg in machine.legs:
        at = closure.leg_position(leg, pose)
        v = closure.leg_velocity(leg, at, twist)
        a = closure.leg_acceleration(leg, at, v, twist, acceleration)
        forces = leg_columns(leg, at, v, a, machine.gravity)
        columns.append((balance @ point_jacobian(at.b).T) @ forces)
    return ca.horzcat(*columns)


def platform_columns(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """Wrenches (6x10) that move the free platform, for each unit of m, m c and J."""
    R, omega, alpha = rotation(pose), angular(twist), angular(acceleration)
    free = linear(acceleration) - machine.gravity
    mass = ca.vertcat(free, ca.DM.zeros(3))
    first = ca.vertcat(lever_matrix(omega, alpha) @ R, -skew(free) @ R)
    second = R @ euler_columns(R.T @ omega, R.T @ alpha)
    return ca.horzcat(mass, first, ca.vertcat(ca.DM.zeros(3, 6), second))


def leg_columns(
    leg: Leg, at: LegPosition, v: LegVelocity, a: LegAcceleration, gravity: Value
) -> Value:
    """Forces at the platform joint (3 x 2k) that move a leg: of its cylinder, then its piston."""
    free = a.x_ddot - gravity
    inertia = _inertia_columns(leg, at, v, a)
    cylinder = (ca.DM.zeros(3), _turning(leg, at, cross(gravity, at.s)), inertia)
    piston = (free, _turning(leg, at, cross(free, at.s)) - a.s_ddot, inertia)
    return ca.horzcat(*cylinder, *piston)


def euler_columns(omega: Value, alpha: Value) -> Value:
    """J α + ω x J ω (3x6) for each unit of xx, yy, zz, xy, xz, yz of J."""
    return _products(alpha) + skew(omega) @ _products(omega)


def _inertia_columns(leg: Leg, at: LegPosition, v: LegVelocity, a: LegAcceleration) -> Value:
    if not leg.base_joint.spins:
        return _turning(leg, at, a.alpha)
    axes = ca.horzcat(*leg.base_joint.axes(at.s))
    turning = ca.horzcat(*(_turning(leg, at, axis) for axis in ca.horzsplit(axes)))
    return turning @ euler_columns(axes.T @ v.omega, axes.T @ a.alpha)


def _turning(leg: Leg, at: LegPosition, moment: Value) -> Value:
    """The force at the platform joint (3) that does the work of a moment on the leg."""
    axes, rates = leg.base_joint.turning(at.s)
    return rates.T @ (axes.T @ moment) * at.inverse_l


def _products(w: Value) -> Value:
    """The matrix (3x6) of J w in xx, yy, zz, xy, xz, yz of J."""
    x, y, z = ca.vertsplit(w)
    return ca.blockcat([[x, 0, 0, y, z, 0], [0, y, 0, x, 0, z], [0, 0, z, 0, x, y]])
