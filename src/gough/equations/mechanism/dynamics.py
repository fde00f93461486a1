"""Dynamics of a parallel robot [Briot & Khalil 2021, §2, §3].

The platform is free, every leg is a free tree with all its joints driven; the constraint rows of
the closed loops couple them, in the platform's independent velocities u.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from gough.equations.dynamics import default
from gough.equations.dynamics.regressor import regressor as of_legs
from gough.equations.legs import closure
from gough.equations.machine import Machine, short
from gough.equations.mechanism import elimination, inertia, rows, tree
from gough.equations.mechanism.bodies import ZERO, lever_matrix, moment
from gough.equations.mechanism.frame_convention import (
    acceleration_in,
    in_base_axes,
    in_machine_axes,
    twist_in,
)
from gough.equations.mechanism.freedom import (
    Assembled,
    assembled,
    count,
    platform_bias_acceleration,
)
from gough.equations.mechanism.friction import with_joints
from gough.equations.mechanism.inertia import energy, machine_inertia, mass_matrix
from gough.equations.mechanism.kinematics import (
    actuation_matrix,
    admissible,
    bias_acceleration,
    jacobian,
)
from gough.equations.mechanism.legs import LegPosture, leg_jacobian, leg_motion
from gough.equations.mechanism.loads import UNLOADED, LegLoads
from gough.equations.mechanism.rows import Twist
from gough.equations.solvers.linear import solve, solve_symmetric
from gough.equations.spatial.algebra import Value, cross
from gough.equations.spatial.pose import rate

if TYPE_CHECKING:
    from gough.equations.mechanism.joint_loads import JointLoads

__all__ = [
    "actuator_force",
    "balancing_forces",
    "bias",
    "energy",
    "force_parts",
    "forward_dynamics",
    "gravity",
    "inverse_dynamics",
    "mass_matrix",
    "regressor",
    "required_forces",
]

NONE = ca.DM.zeros(6)
"""No twist, no acceleration, no wrench."""


@short(default.inverse_dynamics)
def inverse_dynamics(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Return the efforts of the motors [N m, N] for a motion of the platform.

    pose 7 [m, -], twist 6 [m/s, rad/s], acceleration 6 [m/s^2, rad/s^2], and the external
    wrench 6 [N, N m] on the platform about its origin; all in base axes. More motors than
    degrees of freedom share the load so that the sum of their efforts' squares is minimal.
    """
    at = assembled(machine, pose)
    required, own = _required(at, twist, acceleration)
    required -= in_machine_axes(machine, wrench)
    if len(machine.motors) == at.T.shape[1]:
        return own + _balancing(at, required)  # (15)
    J = _by_motor(machine, [leg_jacobian(leg, at.T) for leg in at.legs], of_all_joints=True)
    return J @ solve_symmetric(J.T @ J, at.T.T @ required + J.T @ own)


actuator_force = with_joints(inverse_dynamics)
"""Efforts of the motors [N m, N] with friction, damping and springs of the joints."""


@short(default.required_forces)
def required_forces(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """Return a motion's generalised forces along u (n), and efforts of the motors [N m, N].

    M_u u̇ + c_rob = the first + J_uᵀ the second: a leg's own part does not load the platform.
    """
    at = assembled(machine, pose)
    required, own = _required(at, twist, acceleration)
    return at.T.T @ required, own


@short(closure.leg_forces)
def balancing_forces(machine: Machine, pose: Value, wrench: Value) -> Value:
    """Solve J_uᵀ · effort = generalised force along u, for as many motors; columns of several."""
    at = assembled(machine, pose)
    J = _by_motor(machine, [leg_jacobian(leg, at.T) for leg in at.legs], of_all_joints=True)
    return solve(J.T, wrench)


@short(default.forward_dynamics)
def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> Value:
    """Return the platform's acceleration, 6x1 [m/s^2, rad/s^2], under the efforts [N m, N]."""
    at, V = assembled(machine, pose), twist_in(machine, twist)
    V_dot = platform_bias_acceleration(at, V)
    pushed = in_machine_axes(machine, wrench) - platform_wrench(at, V, V_dot)
    for number, leg in enumerate(at.legs):
        need = leg_need(leg, V, V_dot, machine.gravity)
        multipliers = driving_multipliers(leg, need, force[machine.own_motors(number), :])
        pushed += rows.wrench_of(leg.tips, multipliers, [-f for f in need.at_tips])
    u_dot = solve_symmetric(machine_inertia(at), at.T.T @ pushed)  # (20)
    bias_part = ca.vertcat(V_dot.v + machine.gravity, V_dot.omega)
    return in_base_axes(machine, at.T @ u_dot + bias_part)  # (18)


@short(default.bias)
def bias(machine: Machine, pose: Value, twist: Value) -> Value:
    """Return c_rob, n x 1: velocity and gravity terms, in the coordinates u."""
    at, V = assembled(machine, pose), twist_in(machine, twist)
    return required_force(at, V, platform_bias_acceleration(at, V))  # (22)


@short(default.gravity)
def gravity(machine: Machine, pose: Value) -> Value:
    """Return c_rob at rest, n x 1."""
    return bias(machine, pose, ca.DM.zeros(6))


def required_force(
    at: Assembled, twist: Twist, acceleration: Twist, resisting: JointLoads | None = None
) -> Value:
    """Return the generalised force of a motion, n x 1, along u; the acceleration is less gravity.

    For rigid bodies alone, or with the loads of friction, damping and springs of the joints.
    """
    required = platform_wrench(at, twist, acceleration)
    if resisting is not None:
        required += resisting.of_platform
    for number, leg in enumerate(at.legs):
        load = UNLOADED if resisting is None else resisting.of_leg(number)
        need = leg_need(leg, twist, acceleration, at.machine.gravity, load)
        phi = elimination.driven_multipliers(leg.rows, need.motors)
        multipliers = elimination.with_driven(leg.rows, need.multipliers, phi)
        required += rows.wrench_of(leg.tips, multipliers, need.at_tips)
    return at.T.T @ required


def _required(at: Assembled, twist: Value, acceleration: Value) -> tuple[Value, Value]:
    """Return a wrench on the platform (6), in the machine's axes, and efforts of the motors."""
    machine = at.machine
    V, V_dot = twist_in(machine, twist), acceleration_in(machine, acceleration)
    needs = [leg_need(leg, V, V_dot, machine.gravity) for leg in at.legs]
    required = platform_wrench(at, V, V_dot)
    for leg, need in zip(at.legs, needs, strict=True):
        required += rows.wrench_of(leg.tips, need.multipliers, need.at_tips)
    return required, _by_motor(machine, [ca.vertsplit(need.motors) for need in needs])


def platform_wrench(at: Assembled, twist: Twist, acceleration: Twist) -> Value:
    """Return w_P, which moves the free platform, 6x1 [N, N m]; the acceleration is less gravity."""
    R, body = at.platform.rotation, at.machine.platform
    ms = R @ body.ms
    U = lever_matrix(twist.omega, acceleration.omega)
    U_P = lever_matrix(R.T @ twist.omega, R.T @ acceleration.omega)
    f = body.mass * acceleration.v + U @ ms  # (10)
    return ca.vertcat(f, cross(ms, acceleration.v) + R @ moment(U_P, body.sigma))  # (10)


@dataclass(frozen=True)
class LegNeed:
    """Forces that a leg needs in order to move, without those of its driven rows."""

    multipliers: list[Value]
    """Multipliers on the platform, by row: forces that its passive joints cannot exert."""
    at_tips: list[Value]
    """Forces on the platform, by tip, that move the mass a rod shares, in the machine's axes."""
    motors: Value
    """Efforts of its motors [N m, N]."""


def leg_need(
    at: LegPosture, twist: Twist, acceleration: Twist, gravity: Value, load: LegLoads = UNLOADED
) -> LegNeed:
    """Return τ_i of a leg with all joints driven, shared between passive and driven joints."""
    motion = leg_motion(at, twist, acceleration, gravity)
    more = inertia.forces_on_links(at, motion, twist, acceleration)
    for link, forces in load.links.items():
        more.setdefault(link, []).extend(forces)
    tau = tree.joint_forces(at.leg.joints, at.places, motion.links, more)
    for joint, effort in load.efforts.items():
        tau[joint] += effort
    multipliers = elimination.passive_multipliers(at.rows, tau)
    own = elimination.motor_forces(at.rows, tau, multipliers)
    return LegNeed(multipliers, inertia.forces_at_tips(at, motion), own)


def driving_multipliers(at: LegPosture, need: LegNeed, effort: Value) -> list[Value]:
    """Return the multipliers of a leg's rows on the platform under efforts of its motors."""
    phi = elimination.driven_multipliers(at.rows, effort - need.motors)
    return elimination.with_driven(at.rows, [-l for l in need.multipliers], phi)


def _balancing(at: Assembled, required: Value) -> Value:
    """Return the efforts that exert a wrench on the platform, projected on u: by the driven rows.

    No division by the rows' pivots: static efforts stay finite where a leg is singular. For a
    platform with six degrees of freedom moments are about the first tip: that leg has none there.
    """
    machine, T = at.machine, at.T
    o = at.legs[0].tips[0].lever if T.shape == (6, 6) else ZERO
    lines = _by_motor(machine, [_lines(leg, T, o) for leg in at.legs])
    f, n = required[0:3], required[3:6]
    phi = solve(lines.T, T.T @ ca.vertcat(f, n - cross(o, f)))
    efforts = [
        ca.vertsplit(leg.rows.pivot.T @ phi[machine.own_motors(number), :])
        for number, leg in enumerate(at.legs)
    ]
    return _by_motor(machine, efforts)


def _lines(at: LegPosture, T: Value, about: Value) -> list[Value]:
    """Return a leg's driven rows over u: a row for each motor; moments about a point."""
    return elimination.freed(at.rows, [row @ T for row in rows.platform_rows(at.tips, about)])


def _by_motor(
    machine: Machine, by_leg: Sequence[Sequence[Value]], of_all_joints: bool = False
) -> Value:
    """Order the legs' values, of their motors or of all their joints, as the motors are."""
    places = [
        (leg, joint if of_all_joints else machine.legs[leg].plan.driven.index(joint))
        for leg, joint in machine.motors
    ]
    return ca.vertcat(*(by_leg[leg][place] for leg, place in places))


def force_parts(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> tuple[Value, Value, Value, Value]:
    """Return parts of the efforts [N m, N]: gravity, acceleration, velocity, external wrench.

    They are those of G, M u̇, C u and -wrench; their sum is the effort. The acceleration's part is
    that of T u̇: the rest of it, Ṫ u, belongs to the velocity's part.
    """
    weightless = machine.weightless
    carried = bias_acceleration(machine, pose, twist)
    return (
        inverse_dynamics(machine, pose, NONE, NONE, NONE),
        inverse_dynamics(weightless, pose, NONE, acceleration - carried, NONE),
        inverse_dynamics(weightless, pose, twist, carried, NONE),
        inverse_dynamics(weightless, pose, NONE, NONE, wrench),
    )


@short(of_legs)
def regressor(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Return the regressor Y (m x p) of efforts = Y · standard inertial parameters.

    Ten of each body (mass, first moment, inertia), the platform first; without an external wrench.
    The bodies act on the efforts through their wrenches, which are linear in these parameters:
    the derivatives are exact, and hold for all values.
    """
    numbers = ca.SX.sym("standard", 10 * len(machine.description.carried))
    heavy = machine.with_bodies(numbers)
    efforts = inverse_dynamics(heavy, pose, twist, acceleration, NONE)
    return ca.densify(ca.jacobian(efforts, numbers))


# On the coordinates of the driven joints, where they are as many as u:
#
#     M_q q̈ + C_q q̇ + G_q = force + J_u⁻ᵀ Tᵀ wrench,  q̇ = J_u u   [Kalani 2016 (44), (45), (66)]
#
# None of this exists where J_u is singular: in a parallel singularity.


def joint_mass_matrix(machine: Machine, pose: Value, M: Value) -> Value:
    """Return M_q (n, n), the mass matrix for the driven joints, from the mass matrix M for u."""
    direct = _direct(machine, pose)
    return direct.T @ M @ direct


def joint_coriolis_matrix(machine: Machine, pose: Value, twist: Value, M: Value, C: Value) -> Value:
    """Return C_q (n, n), with d/dt M_q - 2 C_q skew, from M and C for u."""
    direct = _direct(machine, pose)
    J_dot = _actuation_rate(machine, pose, twist)
    return direct.T @ (C - M @ direct @ J_dot) @ direct


@short(closure.jacobian_rate)
def jacobian_rate(machine: Machine, pose: Value, twist: Value) -> Value:
    """Return J̇ (motors, 6): q̈ = J · acceleration + J̇ · twist, for admissible motions."""
    return _rate(jacobian, machine, pose, twist)


@short(closure.jacobian_rate)
def _actuation_rate(machine: Machine, pose: Value, twist: Value) -> Value:
    return _rate(actuation_matrix, machine, pose, twist)


def _direct(machine: Machine, pose: Value) -> Value:
    """Return J_u⁻¹, from the rates of the driven joints to u."""
    return balancing_forces(machine, pose, ca.DM.eye(count(machine))).T


def _rate(
    of_pose: Callable[[Machine, Value], Value], machine: Machine, pose: Value, twist: Value
) -> Value:
    """Return the time derivative of a function of the pose; first derivatives are exact."""
    x = ca.SX.sym("pose", 7)
    x_dot = rate(pose, admissible(machine, pose, twist))
    return ca.substitute(ca.jtimes(of_pose(machine, x), x, x_dot), x, pose)
