"""The dynamics of a Gough-Stewart platform in the symbols of the chapter [Briot & Khalil 2021, §4].

Legs are RRP chains with the frames of its Table 1: a_1i the universal joint's first axis, a_2i
across that and the leg, a_3i along the leg; x_1i along a_1i x a_2i, x_3i along a_2i x a_3i. The
angle q_1i counts from the common normal of the base's z axis and a_1i.
"""

import casadi as ca
from casadi import cross, dot, sin

from gough.equations.closure.assembled import assembled
from gough.equations.forces.dynamics import platform_wrench
from gough.equations.machine import Machine
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, norm, point_jacobian, unit

_X, _Z = ca.DM([1, 0, 0]), ca.DM([0, 0, 1])
_PARALLEL = 1e-9
CYLINDER, PISTON = 1, 2


def leg_form(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> tuple[Value, ...]:
    """Jacobians of the legs and parts of the inverse dynamics [Briot & Khalil 2021, §2, §4].

    J_i is in frame 3i, whose axes are the columns of R_3i; all else is in base axes. A row of q_i,
    or three of a matrix, belong to each leg.
    """
    at = assembled(machine, pose)
    V, V_dot = machine.twist(twist), machine.acceleration(acceleration)
    q, R, J, J_v, J_inv, rates, tau = ([] for _ in range(7))
    w_P = platform_wrench(at, V, V_dot)  # (10)
    for leg in at.legs:
        frames = leg.link_frames()
        (base_axes, base), a_2, a_3 = frames[0], frames[CYLINDER][0][:, 2], frames[PISTON][0][:, 2]
        a_1, x_1 = base_axes[:, 2], cross(base_axes[:, 2], a_2)
        u = _common_normal(base, a_1)
        q_1 = ca.atan2(dot(cross(u, x_1), a_1), dot(u, x_1))
        q_2, q_3 = ca.atan2(dot(a_3, x_1), -dot(a_3, a_1)), leg.joint_positions[PISTON]
        q.append(ca.horzcat(q_1, q_2, q_3))  # (24)
        R.append(ca.horzcat(cross(a_2, a_3), a_2, a_3))
        J.append(ca.blockcat([[0, q_3, 0], [-q_3 * sin(q_2), 0, 0], [0, 0, 1]]))  # (26)
        J_v.append(point_jacobian(leg.cuts[0].lever))  # (29)
        J_inv.append(a_3.T @ J_v[-1])  # (32)
        rates.append(solve(J[-1], R[-1].T @ J_v[-1]))  # (30)
        motion = leg.motion(V, V_dot, machine.base_motion)
        tau.append(ca.horzcat(*leg.joint_forces(motion.links, {})))
    inverse = ca.vertcat(*J_inv)
    G = [of_twist @ solve(inverse, ca.DM.eye(6)) for of_twist in rates]  # (8)
    legs = sum((of_twist.T @ t.T for of_twist, t in zip(rates, tau, strict=True)), ca.DM.zeros(6))
    tau_a = solve(inverse.T, w_P + legs)  # (33)
    each = (ca.vertcat(*parts) for parts in (q, R, J, J_v))
    return *each, inverse, ca.vertcat(*G), w_P, ca.vertcat(*tau), tau_a


def _common_normal(base: Value, a: Value) -> Value:
    """Direction from the base's z axis to a line through a joint: of a parallel one, across it."""
    n = cross(_Z, a)
    outwards = ca.if_else(dot(base, n) < -_PARALLEL * norm(n), -1, 1) * n
    aside = base - base[2] * _Z
    level = ca.if_else(norm(aside) < _PARALLEL, _X, aside)
    return unit(ca.if_else(norm(n) < _PARALLEL, level, outwards))
