"""Dynamics of a parallel robot [Briot & Khalil 2021, §2, §3].

The platform is free, every leg is a free tree with all its joints driven; the constraint rows of
the closed loops couple them, in the platform's independent velocities u.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.closure.assembled import Assembled, LegMotion, LegPosture, assembled
from gough.equations.closure.constraint_rows import CutRod, Held, platform_rows, wrench_of
from gough.equations.dynamics import default
from gough.equations.dynamics.formulation import AT_REST, NO_WRENCH
from gough.equations.dynamics.regressor import regressor as of_legs
from gough.equations.forces.joint_loads import UNLOADED, JointLoads, LegLoads
from gough.equations.forces.passive_joints import with_joints
from gough.equations.legs import closure
from gough.equations.machine import Machine, short
from gough.equations.motion import kinematics, motions
from gough.equations.solvers.linear import least_squares, solve, solve_symmetric
from gough.equations.spatial.algebra import Value, angular, derivative, point_jacobian
from gough.equations.spatial.pose import rate
from gough.equations.tree.bodies import ZERO, Force, Twist, lever_matrix, moment
from gough.equations.tree.joints import BASE


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
    required -= machine.in_own_axes(wrench)
    if len(machine.motors) == at.T.shape[1]:
        return own + _balancing(at, required)  # (15)
    return least_squares(at.J, at.T.T @ required + at.J.T @ own)


def gravity_only_dynamics(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Return efforts [N m, N] as if only the platform had inertia, and all else weight alone.

    The approximate model of Baiges 1996, 8.2, of every mechanism: cheap, and good for slow motions.
    """
    at, rest = assembled(machine, pose), (machine.twist(AT_REST), machine.acceleration(AT_REST))
    moving = platform_wrench(at, machine.twist(twist), machine.acceleration(acceleration))
    inertial = machine.in_base_axes(moving - platform_wrench(at, *rest))
    return inverse_dynamics(machine, pose, AT_REST, AT_REST, wrench - inertial)


actuator_force = with_joints(inverse_dynamics)
"""Efforts of the motors [N m, N] with friction, damping and springs of the joints."""


@short(default.required_forces)
def required_forces(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """Forces along u (n), and efforts [N m, N] of a motion: M_u u̇ + c = first + J_uᵀ second."""
    at = assembled(machine, pose)
    required, own = _required(at, twist, acceleration)
    return at.T.T @ required, own


@short(closure.leg_forces)
def balancing_forces(machine: Machine, pose: Value, wrench: Value) -> Value:
    """Solve J_uᵀ · effort = generalised force along u; columns of several.

    More motors than degrees of freedom share it so that the sum of squares is minimal.
    """
    J = assembled(machine, pose).J
    return solve(J.T, wrench) if J.shape[0] == J.shape[1] else least_squares(J, wrench)


@short(default.forward_dynamics)
def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> Value:
    """Return the platform's acceleration, 6x1 [m/s^2, rad/s^2], under the efforts [N m, N]."""
    at, V = assembled(machine, pose), machine.twist(twist)
    V_dot = at.bias_acceleration(V)
    pushed = machine.in_own_axes(wrench) - platform_wrench(at, V, V_dot)
    for number, leg in enumerate(at.legs):
        need, effort = leg_need(at, leg, V, V_dot), force[machine.own_motors(number), :]
        if leg.leg.following is not None:
            driven = leg.leg.following.first[list(leg.leg.plan.driven), :]
            pushed += driven.T @ effort - need.by_power
            continue
        multipliers = driving_multipliers(leg, need, effort)
        pushed += wrench_of(leg.cuts, multipliers, [-f for f in need.at_cuts])
    u_dot = solve_symmetric(machine_inertia(at), at.T.T @ pushed)  # (20)
    return machine.in_base_axes(at.T @ u_dot + machine.relative(V_dot))  # (18)


@short(default.bias)
def bias(machine: Machine, pose: Value, twist: Value) -> Value:
    """Return c_rob, n x 1: velocity and gravity terms, in the coordinates u."""
    at, V = assembled(machine, pose), machine.twist(twist)
    return required_force(at, V, at.bias_acceleration(V))  # (22)


def gravity(machine: Machine, pose: Value) -> Value:
    """Return c_rob at rest, n x 1; of a base that moves that of weights alone."""
    return bias(replace(machine, base=None), pose, AT_REST)


def required_force(
    at: Assembled, twist: Twist, acceleration: Twist, resisting: JointLoads | None = None
) -> Value:
    """Generalised force (n) of a motion, its acceleration less gravity, and of joints' loads."""
    required = platform_wrench(at, twist, acceleration)
    if resisting is not None:
        required += resisting.of_platform
    for number, leg in enumerate(at.legs):
        load = UNLOADED if resisting is None else resisting.of_leg(number)
        need = leg_need(at, leg, twist, acceleration, load)
        if leg.leg.following is not None:
            required += need.by_power
            continue
        phi = leg.rows.driven_multipliers(need.motors)
        required += wrench_of(leg.cuts, leg.rows.with_driven(need.multipliers, phi), need.at_cuts)
    return at.T.T @ required


def _required(at: Assembled, twist: Value, acceleration: Value) -> tuple[Value, Value]:
    """Return a wrench on the platform (6), in the machine's axes, and efforts of the motors."""
    machine, own = at.machine, list[Sequence[Value]]()
    V, V_dot = machine.twist(twist), machine.acceleration(acceleration)
    required = platform_wrench(at, V, V_dot)
    for leg in at.legs:
        need = leg_need(at, leg, V, V_dot)
        if leg.leg.following is not None:
            required += need.by_power
            own.append([ca.DM.zeros(1)] * len(leg.leg.plan.driven))
            continue
        required += wrench_of(leg.cuts, need.multipliers, need.at_cuts)
        own.append(ca.vertsplit(need.motors))
    return required, _by_motor(machine, own)


def platform_wrench(at: Assembled, twist: Twist, acceleration: Twist) -> Value:
    """Return w_P, which moves the free platform, 6x1 [N, N m]; the acceleration is less gravity."""
    R, body = at.platform.rotation, at.machine.platform
    twist, acceleration = at.in_world(twist, acceleration)
    ms = R @ body.ms
    U = lever_matrix(twist.omega, acceleration.omega)
    U_P = lever_matrix(R.T @ twist.omega, R.T @ acceleration.omega)
    f = body.mass * acceleration.v + U @ ms  # (10)
    return ca.vertcat(f, cross(ms, acceleration.v) + R @ moment(U_P, body.sigma))  # (10)


@dataclass(frozen=True)
class LegNeed:
    """Forces that a leg needs in order to move, without those of its driven rows."""

    at: LegPosture
    tau: list[Value]  # efforts of all joints, as if driven [N m, N]
    at_cuts: list[Value]  # forces on the platform, by cut, for rods' shared mass, machine's axes

    @cached_property
    def multipliers(self) -> list[Value]:
        """Multipliers on the platform, by row: forces that its passive joints cannot exert."""
        return self.at.rows.passive_multipliers(self.tau)

    @cached_property
    def motors(self) -> Value:
        """Efforts of its motors [N m, N]."""
        return self.at.rows.motor_forces(self.tau, self.multipliers)

    @property
    def by_power(self) -> Value:
        """Wrench (6) on the platform with the power of all its joints, which follow it."""
        following, none = self.at.leg.following, [ca.DM.zeros(1)] * len(self.at.rows.A)
        assert following is not None
        exerted = wrench_of(self.at.cuts, none, self.at_cuts)
        return exerted + following.first.T @ ca.vertcat(*self.tau)


def leg_need(
    whole: Assembled, at: LegPosture, twist: Twist, acceleration: Twist, load: LegLoads = UNLOADED
) -> LegNeed:
    """Return τ_i of a leg with all joints driven, shared between passive and driven joints."""
    motion = at.motion(twist, acceleration, whole.machine.base_motion)
    more = forces_on_links(at, motion, *whole.in_world(twist, acceleration))
    for link, forces in load.links.items():
        more.setdefault(link, []).extend(forces)
    tau = at.joint_forces(motion.links, more)
    for k, moved in enumerate(at.leg.joints):
        tau[k] += moved.armature * motion.q_ddot[k]
    for joint, effort in load.efforts.items():
        tau[joint] += effort
    at_cuts = [
        held.cut.shared_mass * _near_end(held, motion) if isinstance(held.cut, CutRod) else ZERO
        for held in at.cuts
    ]
    return LegNeed(at, tau, at_cuts)


def driving_multipliers(at: LegPosture, need: LegNeed, effort: Value) -> list[Value]:
    """Return the multipliers of a leg's rows on the platform under efforts of its motors."""
    if at.leg.following is not None:
        return at.rows.balancing([*map(operator.neg, need.tau)], effort)
    phi = at.rows.driven_multipliers(effort - need.motors)
    return at.rows.with_driven([-l for l in need.multipliers], phi)


def _balancing(at: Assembled, required: Value) -> Value:
    """Return the efforts that exert a wrench on the platform, projected on u: by the driven rows.

    No division by the rows' pivots: static efforts stay finite where a leg is singular. For a
    platform with six degrees of freedom moments are about the first cut: that leg has none there.
    """
    machine, T = at.machine, at.T
    if any(leg.leg.following is not None for leg in at.legs):
        return solve(at.J.T, T.T @ required)
    o = at.legs[0].cuts[0].lever if T.shape == (6, 6) else ZERO
    over_u = ([row @ T for row in platform_rows(leg.cuts, o)] for leg in at.legs)
    freed = [leg.rows.freed(B) for leg, B in zip(at.legs, over_u, strict=True)]
    lines = _by_motor(machine, freed)
    f, n = required[0:3], required[3:6]
    phi = solve(lines.T, T.T @ ca.vertcat(f, n - cross(o, f)))
    efforts = [
        ca.vertsplit(leg.rows.pivot.T @ phi[machine.own_motors(number), :])
        for number, leg in enumerate(at.legs)
    ]
    return _by_motor(machine, efforts)


def _by_motor(machine: Machine, by_leg: Sequence[Sequence[Value]]) -> Value:
    """Order the values of the legs' motors as the motors are."""
    places = ((leg, machine.legs[leg].plan.driven.index(joint)) for leg, joint in machine.motors)
    return ca.vertcat(*(by_leg[leg][place] for leg, place in places))


def force_parts(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> tuple[Value, Value, Value, Value]:
    """Return parts of the efforts [N m, N]: gravity, acceleration, velocity, external wrench.

    They are those of G, M u̇, C u and -wrench; their sum is the effort. The acceleration's part is
    that of T u̇: the rest of it, Ṫ u, belongs to the velocity's part, as does the motion of a base
    that moves.
    """
    weightless = machine.weightless
    still = replace(weightless, base=None)
    carried = kinematics.bias_acceleration(machine, pose, twist)
    return (
        inverse_dynamics(replace(machine, base=None), pose, AT_REST, AT_REST, NO_WRENCH),
        inverse_dynamics(still, pose, AT_REST, acceleration - carried, NO_WRENCH),
        inverse_dynamics(weightless, pose, twist, carried, NO_WRENCH),
        inverse_dynamics(still, pose, AT_REST, AT_REST, wrench),
    )


@short(of_legs)
def regressor(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Return the regressor Y (m x p) of efforts = Y · standard inertial parameters.

    Ten of each body (mass, first moment, inertia), the platform first; without an external wrench.
    The bodies act on the efforts through their wrenches, which are linear in these parameters:
    the derivatives are exact, and hold for all values.
    """
    numbers = ca.SX.sym("standard", 10 * len(machine.description.carried))
    efforts = inverse_dynamics(machine.with_bodies(numbers), pose, twist, acceleration, NO_WRENCH)
    return ca.densify(ca.jacobian(efforts, numbers))


@short(default.mass_matrix)
def mass_matrix(machine: Machine, pose: Value) -> Value:
    """M_rob, n x n, in the coordinates u = S · twist."""
    return machine_inertia(assembled(machine, pose))


def energy(machine: Machine, pose: Value, twist: Value) -> Value:
    """Kinetic and potential energy, 2x1 [J]; the latter is zero for a mass at the base's origin.

    On a base that moves at the origin of the world, and with the velocities in the world.
    """
    at, V, body = assembled(machine, pose), machine.twist(twist), machine.platform
    u = machine.freedom.S @ ca.vertcat(V.v, V.omega)
    ms = machine.ground + body.mass * at.platform.position + at.platform.rotation @ body.ms
    for leg in at.legs:  # ∫ r dm of all there is [kg m]: what gravity acts on
        ends = [(rod, held.reach.position + held.position) for rod, held in _rods(leg)]
        ms += leg.first_moment() + sum((rod.shared_mass * both for rod, both in ends), ZERO)
    kinetic, base = dot(u, machine_inertia(at) @ u) / 2, machine.base
    if base is None:
        return ca.vertcat(kinetic, -dot(machine.gravity, ms))
    moving, V_b = motions.velocities_of(at, V), ca.vertcat(base.twist.v, base.twist.omega)
    both = (motions.momentum_of(machine, x) for x in (moving, moving.on(base.twist)))
    kinetic += dot(V_b, sum(both, ca.DM.zeros(6))) / 2
    shared = (2 * rod.shared for rod in machine.description.loads.rods)
    mass = sum(shared, sum((x.mass for x in machine.description.masses.values()), ca.DM(0)))
    lifted = ms + mass * (base.rotation.T @ base.position)
    return ca.vertcat(kinetic, -dot(machine.gravity, lifted))


def machine_inertia(at: Assembled) -> Value:
    """M_rob of an assembled machine."""
    R, body = at.platform.rotation, at.machine.platform
    ms = skew(R @ body.ms)
    corner = ca.trace(body.sigma) * ca.DM.eye(3) - R @ body.sigma @ R.T
    platform = ca.blockcat([[body.mass * ca.DM.eye(3), -ms], [ms, corner]])  # (11)
    M = at.T.T @ platform @ at.T
    for leg in at.legs:
        following = leg.leg.following is not None
        M += inertia_by_power(at, leg) if following else leg_inertia(leg, at.T)  # (21), with Ψ = T
    return M


def inertia_by_power(at: Assembled, leg: LegPosture) -> Value:
    """Return the same of a leg whose joints follow, by forces of unit accelerations alone."""
    still, free = Twist(ZERO, ZERO), replace(at, machine=at.machine.weightless)
    units = (Twist.of(column) for column in ca.horzsplit(at.T))
    needs = (leg_need(free, leg, still, unit) for unit in units)
    return at.T.T @ ca.horzcat(*(need.by_power for need in needs))


def leg_inertia(at: LegPosture, T: Value) -> Value:
    """Tᵀ G_iᵀ M_i G_i T, n x n; of a leg on one ball by the ball's velocity, which is shorter."""
    if at.is_on_a_ball and T.is_constant():
        (ball,) = at.cuts
        G = at.rows.solved([(ball.reach.axes @ row.force).T for row in ball.rows])
        X = point_jacobian(ball.lever) @ T
        return X.T @ _doubled(G, _half_momenta(at, G, T)) @ X
    G = at.jacobian(T)
    return _doubled(G, _half_momenta(at, G, T))


def _half_momenta(at: LegPosture, G: Sequence[Value], T: Value) -> list[Value]:
    """Z with G_iᵀ M_i G_i = GᵀZ + ZᵀG: the lower half of M_i, and what rods share; row by row."""
    M = at.mass_matrix()
    shared: dict[int, Value] = {}  # m v_C along each joint's own motion of E, rows over u
    for rod, held in _rods(at):
        for j, (v, _) in held.reach.columns.items():
            shared[j] = shared.get(j, 0) + rod.shared_mass * _velocity_along(held, v, G, T)
    return [
        M[i][i] / 2 * G[i] + sum(M[i][j] * G[j] for j in range(i)) + shared.get(i, 0)
        for i in range(len(G))
    ]


def _doubled(G: Sequence[Value], Z: Sequence[Value]) -> Value:
    """GᵀZ + ZᵀG, of matrices that are given row by row."""
    half = sum((g.T @ z for g, z in zip(G, Z, strict=True)), ca.DM.zeros(1))
    return half + half.T


# Rods with balls at both ends: a rod's kinetic energy is that of two point masses at its ends,
# which belong to the bodies there, and m v_E · v_C of the mass m that it shares. So each end is
# loaded by m times the acceleration of the other.


def forces_on_links(
    at: LegPosture, motion: LegMotion, twist: Twist, acceleration: Twist
) -> dict[int, list[Force]]:
    """Return the forces that move shared rod masses on the links of a leg, by link."""
    forces: dict[int, list[Force]] = {}
    for rod, held in _rods(at):
        far = held.holder_acceleration(motion.links, twist, acceleration)
        loads = [(rod.link, held.reach, rod.point, far)]
        if held.other is not None and rod.other is not None:
            loads.append((rod.other, held.other, rod.held_point, _near_end(held, motion)))
        for link, reach, point, beyond in loads:
            if link != BASE:
                f = rod.shared_mass * (reach.link_axes.T @ beyond)
                forces.setdefault(link, []).append(Force(f, cross(point, f)))
    return forces


def _velocity_along(held: Held, v: Value, G: Sequence[Value], T: Value) -> Value:
    """v · v_C, a row over u, for a velocity v of the other end."""
    if held.other is None:
        return ca.vertcat(v, cross(held.lever, v)).T @ T
    return sum((v.T @ c * G[j] for j, (c, _) in held.other.columns.items()), ca.DM.zeros(1))


def _rods(at: LegPosture) -> list[tuple[CutRod, Held]]:
    return [(held.cut, held) for held in at.cuts if isinstance(held.cut, CutRod)]


def _near_end(held: Held, motion: LegMotion) -> Value:
    return held.reach.acceleration(motion.links[held.cut.link], held.cut.point)


# On the coordinates of the driven joints, where they are as many as u:
#
#     M_q q̈ + C_q q̇ + G_q = force + J_u⁻ᵀ Tᵀ wrench,  q̇ = J_u u   [Kalani 2016 (44), (45), (66)]
#
# None of this exists where J_u is singular: in a parallel singularity.


def joint_mass_matrix(machine: Machine, pose: Value, M: Value) -> Value:
    """Return M_q (n, n), the mass matrix for the driven joints, from the mass matrix M for u."""
    direct = direct_jacobian(machine, pose)
    return direct.T @ M @ direct


def joint_coriolis_matrix(machine: Machine, pose: Value, twist: Value, M: Value, C: Value) -> Value:
    """Return C_q (n, n), with d/dt M_q - 2 C_q skew, from M and C for u."""
    direct = direct_jacobian(machine, pose)
    return direct.T @ (C - M @ direct @ actuation_rate(machine, pose, twist)) @ direct


@short(closure.jacobian_rate)
def actuation_rate(machine: Machine, pose: Value, twist: Value) -> Value:
    """Return d/dt J_u (motors, n): q̈ = J_u u̇ + J̇_u u."""
    return _rate(partial(kinematics.actuation_matrix, machine), machine, pose, twist)


@short(closure.jacobian_rate)
def jacobian_rate(machine: Machine, pose: Value, twist: Value) -> Value:
    """Return J̇ (motors, 6): q̈ = J · acceleration + J̇ · twist, for admissible motions."""
    return _rate(partial(kinematics.jacobian, machine), machine, pose, twist)


def direct_jacobian(machine: Machine, pose: Value) -> Value:
    """Return J_u⁻¹, from the rates of the driven joints to u."""
    return balancing_forces(machine, pose, ca.DM.eye(machine.dof)).T


def _rate(of_pose: Callable[[Value], Value], machine: Machine, pose: Value, twist: Value) -> Value:
    """Return the time derivative of a function of the pose; first derivatives are exact."""
    return derivative(of_pose, pose, rate(pose, kinematics.admissible(machine, pose, twist)))


# Coriolis matrix: the velocity terms c(u) = C u are the derivative ∇_u u of u along itself, in the
# geometry whose metric is M. Because ∇_u e - ∇_e u = [u, e] and ∇_u e + ∇_e u = ∂c/∂u e,
#
#     C e = ∇_u e = (∂c/∂u e + M [u, e]) / 2
#
# is the one matrix with Ṁ - 2C skew that belongs to a torsion-free connection. The bracket of the
# columns of T is that of rotations alone: S T = 1 is constant, and translations commute.


@short(default.coriolis_matrix)
def coriolis_matrix(machine: Machine, pose: Value, twist: Value) -> Value:
    """C (n, n) with C u + gravity = bias and Ṁ - 2C skew, u = S · twist."""
    T, u = kinematics.twist_basis(machine, pose), kinematics.independent_velocities(machine, twist)
    by_u = derivative(lambda u: bias(machine, pose, T @ u), u)
    return (by_u + mass_matrix(machine, pose) @ bracket(machine, T, u)) / 2


def bracket(machine: Machine, T: Value, u: Value) -> Value:
    """[u, ·], n x n: by how much u after e differs from e after u, for moves T in base axes."""
    turns = ca.vertcat(ca.DM.zeros(3, T.shape[1]), -skew(angular(T @ u)) @ T[3:6, :])
    return kinematics.independent_velocities(machine, turns)
