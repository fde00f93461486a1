"""The actuator forces as a sum over what the bodies weigh: linear in their standard parameters.

A rigid body counts by its mass m [kg], its first moment [kg m] and its inertia [kg m^2], the latter
two about a point of its own: of the platform its frame's origin, of a cylinder the base joint, of a
piston the platform joint. In these the equation of motion is linear [Briot & Khalil 2021, (10)]:
its derivatives by them, at bodies of unit mass in these points, are exact and hold for all values.

A cylinder's first moment counts along the leg, a piston's back from its platform joint. The inertia
of a leg that does not spin counts by one moment across it, that of others by six: xx, yy, zz, xy,
xz, yz on the leg's axes.
"""

from dataclasses import replace
from functools import partial

import casadi as ca
from casadi import cross, skew

from gough.equations.dynamics.newton_euler import body_wrench, leg_force
from gough.equations.legs.closure import LegPosition, leg_forces, leg_position
from gough.equations.legs.extensible import ExtensibleLegs, Leg, RigidPart
from gough.equations.spatial import algebra
from gough.equations.spatial.algebra import Value, angular, derivative, linear, tensor
from gough.equations.tree.bodies import Rigid

_ACROSS = ca.diag(ca.DM([1, 1, 0]))


def regressor(machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Y (n x p) of forces = Y · standard parameters: platform, then cylinders and pistons."""
    balance = leg_forces(machine, pose, ca.DM.eye(6))  # J⁻ᵀ
    v_dot, omega, alpha = linear(acceleration), angular(twist), angular(acceleration)
    D = skew(alpha) + skew(omega) @ skew(omega)

    def on_platform(own: Value) -> Value:
        """Wrench (6) that moves the free platform."""
        body = Rigid(own[0], own[1:4], tensor(own[4:10]))
        return body_wrench(body, pose, omega, alpha, v_dot - machine.gravity, D)

    columns = [balance @ derivative(on_platform, ca.DM.zeros(10))]
    for leg in machine.legs:
        at = leg_position(leg, pose)
        motion = linear(twist) + cross(omega, at.b), v_dot + D @ at.b, machine.gravity
        unit = ca.DM([1, *[0] * (7 if leg.base_joint.spins else 2)])
        on_leg = partial(_on_leg, leg, at, *motion)
        forces = derivative(on_leg, ca.vertcat(unit, unit))
        columns.append((balance @ algebra.point_jacobian(at.b).T) @ forces)
    return ca.densify(ca.horzcat(*columns))


def _on_leg(
    leg: Leg, at: LegPosition, x_dot: Value, x_ddot: Value, gravity: Value, own: Value
) -> Value:
    """Force (3) at the platform joint that moves a leg with parameters of cylinder and piston."""
    cylinder, piston = (_part(part) for part in ca.vertsplit(own, own.shape[0] // 2))
    moved = replace(leg, cylinder=cylinder, piston=piston)
    f_n, f_s = leg_force(moved, at, x_dot, x_ddot, gravity)
    return piston.mass * (x_ddot - gravity) + f_n + f_s * at.s


def _part(own: Value) -> RigidPart:
    m, first, inertia = own[0], own[1], own[2:]
    about_joint = inertia * _ACROSS if inertia.numel() == 1 else tensor(inertia)
    return RigidPart(m, first / m, about_joint - first**2 / m * _ACROSS)
