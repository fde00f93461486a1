"""Stiffness of a hexapod with compliant legs: change of its forces with the platform's position.

About a pose at which the actuators' forces are given, in the coordinates δ of the platform
(translation and rotation vector, base axes) and, of each leg with a connector, the piston's
displacement E:

    K = Jᵀ k J + ∂(G - Jᵀ F)/∂δ + joints

The second part is geometric: forces F along the legs turn with them, and weights move. External
forces and moments on the platform keep their direction in base axes and act at its origin.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import casadi as ca
from casadi import cross, dot, skew

from gough.equations import dynamics
from gough.equations.actuators import compliant
from gough.equations.actuators.compliant_leg import CompliantLeg, Inner, as_one_body, legs_of
from gough.equations.dynamics.formulation import AT_REST
from gough.equations.forces.passive_joints import FrictionLaw, friction_wrench, spring_wrench
from gough.equations.legs.closure import LegPosition, leg_position, leg_velocity
from gough.equations.legs.extensible import ExtensibleLegs, JointSprings, Leg, springs_of
from gough.equations.machine import Machine
from gough.equations.solvers.linear import solve
from gough.equations.spatial import algebra
from gough.equations.spatial.algebra import Value, angular, linear, position, reciprocal, rotation


@dataclass(frozen=True)
class JointMotion:
    """Motion of a platform joint relative to its base joint, by the coordinates of a stiffness."""

    way: Value  # (3xn)
    turn: Value  # (3xn), a rotation vector


@dataclass(frozen=True)
class Loaded:
    """A machine at a pose, under forces of its actuators."""

    machine: ExtensibleLegs
    pose: Value
    legs: list[CompliantLeg]  # where their masses are
    along: list[Value]  # forces on the platform [N]; of a rigid leg with its piston's weight
    motions: list[JointMotion]  # motions of the platform joints

    @cached_property
    def pushes(self) -> list[Value]:
        """Return the forces of the legs of constant force F on the platform joints [N].

        F s + first (g - (g·s) s)/l: a leg's masses load the joint by their moment about the base
        joint. The piston of a rigid leg follows its end.
        """
        found = []
        for k, (leg, F) in enumerate(zip(self.legs, self.along, strict=True)):
            push = F * leg.at.s + _turning_moment(leg) * _across(self, k)
            rigid = leg.connector.is_rigid
            found.append(push + leg.leg.piston.mass * self.machine.gravity if rigid else push)
        return found


def stiffness(
    machine: ExtensibleLegs, pose: Value, force: Value, actuator_compliance: Value
) -> Value:
    """Return K (6x6) [N/m, N, N m/rad] of the platform, as `stiffness.stiffness` of others.

    What slides in legs is in balance.
    """
    at, along = loaded(machine, pose, force), []
    for k in range(len(at.legs)):
        springs, inner = _axis(at, k, actuator_compliance[k], None)
        each = (one.coupling @ one.coupling.T / one.stiffness for one in inner if one is not None)
        along.append(springs - sum(each, ca.DM(0)))
    return on_frames(machine, pose, own_stiffness(at, along), at.pushes)


def loaded(machine: ExtensibleLegs, pose: Value, force: Value) -> Loaded:
    """The machine at a pose, its masses where the forces of the actuators hold them."""
    count = len(machine.legs)
    connectors = [springs_of(machine, k).connector for k in range(count)]
    legs = legs_of(machine, connectors, pose, AT_REST, Inner.none(count))
    along, placed = [], []
    for k, leg in enumerate(legs):
        F = force[k] if leg.connector.is_rigid else force[k] + leg.leg.piston.mass * leg.weight
        E = leg.unloaded_position + springs_of(machine, k).ahead() * F
        along.append(F)
        placed.append(replace(leg, inner=replace(leg.inner, E=E, D=leg.resting_stage)))
    motions = [joint_motion(machine, k, leg.at.b) for k, leg in enumerate(legs)]
    return Loaded(machine, pose, placed, along, motions)


def own_stiffness(at: Loaded, along: Sequence[Value]) -> Value:
    """Stiffness (nxn) of legs of constant force and their joints, and of springs `along` (3x3)."""
    platform, gravity = at.machine.platform, at.machine.gravity
    c = rotation(at.pose) @ platform.center_of_mass
    turning, K = _turning(c, platform.mass * gravity), ca.DM(0)
    for k, leg in enumerate(at.legs):
        turning += _turning(leg.at.b, at.pushes[k])
        moved = at.motions[k].way
        K += moved.T @ (_resisted(at, k) + along[k]) @ moved
        if leg.leg.flexures is not None:
            K += joint_stiffness(leg.leg, leg.leg.flexures, leg.at, at.motions[k])
    return K + ca.diagcat(turning, ca.DM(K.shape[0] - 6, K.shape[0] - 6))


def _resisted(at: Loaded, k: int) -> Value:
    """Return the decrease of that force by displacement of the platform joint (3x3) [N/m]."""
    leg, first = at.legs[k], _turning_moment(at.legs[k])
    s, inverse_l = leg.at.s, leg.at.inverse_l
    sideways = inverse_l * (at.along[k] - first * leg.weight * inverse_l)
    turned = first * inverse_l * (s @ _across(at, k).T)
    return turned + turned.T - sideways * (ca.DM.eye(3) - s @ s.T)


def _turning_moment(leg: CompliantLeg) -> Value:
    """Σ m r [kg m] of what turns about the base joint and does not follow the platform."""
    first, _ = leg.moments
    piston = leg.leg.piston
    return first - piston.mass * piston.center_of_mass if leg.connector.is_rigid else first


def _turning(arm: Value, force: Value) -> Value:
    """Return the stiffness of a force at an arm that turns with the platform (6x6) [N m/rad]."""
    return ca.diagcat(ca.DM.zeros(3, 3), -skew(force) @ skew(arm))


def _across(at: Loaded, k: int) -> Value:
    """Return gravity across a leg over its length (3) [1/s^2]: that derivative at its joint."""
    leg = at.legs[k]
    return (at.machine.gravity - leg.weight * leg.at.s) * leg.at.inverse_l


def holding_force(machine: ExtensibleLegs, pose: Value, wrench: Value) -> Value:
    """Forces (n) [N, N m] of the actuators that hold the machine at a pose under a wrench.

    They are those of a rigid machine but for the weights of a hexapod's pistons, which bear on the
    platform by where the springs of connectors leave them.
    """
    springs = [springs_of(machine, k) for k in range(len(machine.legs))]
    return compliant.static_solution(machine, [x.as_one for x in springs], pose, wrench).force


def joint_stiffness(leg: Leg, springs: JointSprings, at: LegPosition, motion: JointMotion) -> Value:
    """Return the stiffness (nxn) [N/m, N, N m/rad] of a leg's joint springs.

    Between the joints is a rigid rod of length l, which turns by φ across itself. With the
    displacement Y of the platform joint across the leg and the rotation Θ of the platform, both as
    rotation vectors across it,

        2 energy = (Y - l φ)²/c + k_b φ² + k_p (Θ - φ)²,

    c being the compliance of both bearings across the leg. φ minimises this energy.
    """
    k_b, k_p, c = springs.base_bending, springs.platform_bending, springs.radial
    P, by_all = ca.DM.eye(3) - at.s @ at.s.T, reciprocal(at.l**2 + c * (k_b + k_p))
    crossed = at.l * k_p * by_all * (motion.way.T @ skew(at.s) @ motion.turn)  # Yᵀ Θ = -wayᵀ s x Θ
    bent = (k_b + k_p) * by_all * (motion.way.T @ P @ motion.way) + crossed + crossed.T
    bent += k_p * (at.l**2 + c * k_b) * by_all * (motion.turn.T @ P @ motion.turn)
    step = ca.SX.sym("step", 6)  # of the platform joint, which turns about the leg against it
    s_dot = (linear(step) - dot(at.s, linear(step)) * at.s) * at.inverse_l
    against = dot(at.s, angular(step) - leg.base_joint.angular_velocity(at.s, s_dot))
    twisted = ca.jacobian(against, step) @ ca.vertcat(motion.way, motion.turn)
    return bent + springs.torsion * (twisted.T @ twisted)


# Elastic base and platform frames, in series with the legs. A frame that is given by a 6x6
# displaces all of its joints together. One that is condensed to its joints displaces each of them
# by itself: the relative displacements of both frames' joints, three components a leg, are
# coordinates of the stiffness until `on_frames` eliminates them. Inertial forces of what moves
# inside the legs do not load the frames.


def joint_motion(machine: ExtensibleLegs, leg: int, arm: Value) -> JointMotion:
    """Return the motion of the joint at the end of an arm, by the platform's displacement (6).

    If a frame is condensed to its joints, also by the elastic displacement of those of each leg
    (3). Only forces deform it: a joint turns with the platform.
    """
    displaced = [ca.DM.eye(3) if other == leg else ca.DM(3, 3) for other in _loose(machine)]
    turn = ca.horzcat(ca.DM(3, 3), ca.DM.eye(3), *(ca.DM(3, 3) for _ in displaced))
    return JointMotion(ca.horzcat(ca.DM.eye(3), -skew(arm), *displaced), turn)


def on_frames(machine: ExtensibleLegs, pose: Value, K: Value, pushes: Sequence[Value]) -> Value:
    """Return the stiffness K of the legs, and of what moves in them, between elastic frames.

    The first six coordinates of K are the platform's, the next those of joints with displacements
    of their own. `pushes` are the legs' forces [N] on the platform joints, before displacement.
    """
    if _loose(machine):
        K = _on_joints(machine, pose, K, pushes)
    C = _of_whole_frames(machine, pose)
    if C is None:
        return K
    by_platform = K[:, 0:6]
    return K - by_platform @ C @ solve(ca.DM.eye(6) + K[0:6, 0:6] @ C, by_platform.T)


def _on_joints(machine: ExtensibleLegs, pose: Value, K: Value, pushes: Sequence[Value]) -> Value:
    """Return K without the joints' coordinates y, which minimise the energy of legs and frames.

    The platform's part C_p of the frames' compliance C turns with it. Forces of the legs before
    displacement do not, and so deform it further, by -P z as the other coordinates z change. With
    the forces φ that deform both frames

        y = -C φ - P z,  φ = Bᵀ z + H y
    """
    count = 3 * len(machine.legs)
    y = [*range(6, 6 + count)]
    z = [i for i in range(K.shape[0]) if i not in y]
    B, H = K[z, y], K[y, y]
    X: Value = ca.SX(len(z), count)
    X[3:6, :] = ca.horzcat(*map(skew, pushes))
    base, platform = machine.flexible_base, machine.flexible_platform
    C = base if base is not None and _condensed(base) else ca.DM(count, count)
    C_p = ca.DM(count, count)
    if platform is not None and _condensed(platform):
        C_p = _in_base_axes(platform, pose)
    C += C_p
    P = C_p @ X.T
    phi = solve(ca.DM.eye(count) + H @ C, B.T - H @ P)
    return K[z, z] - B @ (C @ phi + P) - P.T @ (phi + X.T)


def _of_whole_frames(machine: ExtensibleLegs, pose: Value) -> Value | None:
    """Compliance at the platform's origin (6x6), in base axes, of frames that keep their shape."""
    found = []
    if machine.flexible_base is not None and not _condensed(machine.flexible_base):
        carried = ca.DM.eye(6) + ca.SX(6, 6)
        carried[0:3, 3:6] = -skew(position(pose))
        found.append(carried @ machine.flexible_base @ carried.T)
    if machine.flexible_platform is not None and not _condensed(machine.flexible_platform):
        found.append(_in_base_axes(machine.flexible_platform, pose))
    return sum(found[1:], found[0]) if found else None


def _loose(machine: ExtensibleLegs) -> range:
    """Return the legs whose joints have elastic displacements of their own."""
    given = (machine.flexible_base, machine.flexible_platform)
    return range(len(machine.legs) if any(map(_condensed, given)) else 0)


def _condensed(compliance: Value | None) -> bool:
    """Whether a frame's compliance is that of its joints."""
    return compliance is not None and compliance.shape[0] > 6


def _in_base_axes(C: Value, pose: Value) -> Value:
    """A matrix of vectors in the platform's axes."""
    R = ca.diagcat(*[rotation(pose)] * (C.shape[0] // 3))
    return R @ C @ R.T


# Small vibrations M z̈ + K z = 0, without dampers. z are the platform's displacement δ, then the
# displacements E of the pistons that a connector separates from the platform, then those of the
# decoupling stages, and of rotors that springs separate from all of these. A piston on its
# actuator's side does not move along the leg with the platform: its axial mass is its own.


Rotors = Sequence[Value | float | None] | None  # inertia of all rotors at legs [kg]; None: zero


@dataclass(frozen=True)
class _Sliding:
    """Something in a leg that slides on springs."""

    coupling: Value  # force on the platform joint by its way (3) [N/m]
    stiffness: Value
    mass: Value | float
    to_piston: Value | None = None  # force on the piston by its way [N/m]; None: they are apart


def vibration(
    machine: ExtensibleLegs,
    pose: Value,
    force: Value,
    actuator_compliance: Value,
    rotors: Rotors = None,
) -> tuple[Value, Value]:
    """M and K [SI] at a pose under forces of the actuators; inf for a piston that is held.

    K is symmetric: of a moment from outside that which stores energy counts, half of it turning
    with the platform.
    """
    at = loaded(machine, pose, force)
    M = dynamics.default.mass_matrix(as_one_body(machine, at.legs), pose)
    masses = rotors or [None] * len(at.legs)
    axes = [_axis(at, k, actuator_compliance[k], mass) for k, mass in enumerate(masses)]
    own = own_stiffness(at, [springs for springs, _ in axes])
    K = (own + own.T) / 2
    kinds = zip(*(sliding for _, sliding in axes), strict=True)
    inner = [(k, sliding) for kind in kinds for k, sliding in enumerate(kind) if sliding]
    if not inner:
        return M, on_frames(machine, pose, K, at.pushes)
    coupled = ca.horzcat(*(at.motions[k].way.T @ sliding.coupling for k, sliding in inner))
    K = ca.blockcat([[K, coupled], [coupled.T, _between(inner)]])
    weights = ca.diag(ca.vertcat(*(sliding.mass for _, sliding in inner)))
    return ca.diagcat(M, weights), on_frames(machine, pose, K, at.pushes)


def _axis(
    at: Loaded, k: int, actuator_compliance: Value, rotor: Value | float | None
) -> tuple[Value, tuple[_Sliding | None, ...]]:
    """Stiffness of a leg along it (3x3), and what slides: piston (with a rotor), stage, rotor.

    The weight of what slides bears on the platform joint across the leg.
    """
    leg, springs, across = at.legs[k], springs_of(at.machine, k), _across(at, k)
    s = leg.at.s
    with_piston = not leg.connector.is_rigid and springs.rigid_behind
    turned = None if with_piston else rotor
    behind = springs.behind(leg.at.l) + (actuator_compliance if turned is None else 0)
    ahead, holding = springs.ahead(), reciprocal(actuator_compliance)
    swings, stage = leg.connector.decoupling, None
    if swings is not None:
        stage = _Sliding(-swings.mass * across, swings.stiffness, swings.mass)
    if leg.connector.is_rigid:
        spring = reciprocal(behind + ahead)
        turning = None if turned is None else _Sliding(-s * spring, spring + holding, turned)
        return s @ s.T * spring, (None, stage, turning)
    spring, driving = reciprocal(ahead), reciprocal(behind)
    mass = leg.leg.piston.mass + (rotor if rotor is not None and with_piston else 0)
    piston = _Sliding(-leg.leg.piston.mass * across - s * spring, spring + driving, mass)
    turning = None
    if turned is not None:
        turning = _Sliding(ca.DM(3, 1), driving + holding, turned, -driving)
    return s @ s.T * spring, (piston, stage, turning)


def _between(inner: Sequence[tuple[int, _Sliding]]) -> Value:
    """The stiffness of all that slides in legs; those that touch a piston come behind all."""
    K = ca.SX(ca.diag(ca.vertcat(*(sliding.stiffness for _, sliding in inner))))
    pistons: dict[int, int] = {}
    for i, (leg, sliding) in enumerate(inner):
        piston = pistons.setdefault(leg, i)
        if sliding.to_piston is not None:
            K[i, piston] = K[piston, i] = sliding.to_piston
    return K


def momentum_of_rates(machine: ExtensibleLegs, pose: Value, force: Value) -> Value:
    """Return linear [kg] and angular momentum about the base's origin [kg m] by each rate (6xn).

    Times a field of inertial forces, or of gravity, it is the generalised force of that field.
    """
    at = loaded(machine, pose, force)
    platform = algebra.derivative(partial(momentum, as_one_body(machine, at.legs), pose), AT_REST)
    pistons, stages = [], []
    for leg in at.legs:
        along = algebra.vector(leg.at.s, cross(leg.leg.base, leg.at.s))
        if not leg.connector.is_rigid:
            pistons.append(leg.leg.piston.mass * along)
        if leg.connector.decoupling is not None:
            stages.append(leg.connector.decoupling.mass * along)
    return ca.horzcat(platform, *pistons, *stages)


def joint_damping(machine: Machine, frictions: Sequence[FrictionLaw], pose: Value) -> Value:
    """The wrench by twist (6x6) [N s/m, N s] of viscous, not dry, friction and dampers."""
    viscous = [friction.viscous for friction in frictions]
    if not (viscous or machine.loaded):
        return ca.DM.zeros(6, 6)

    def resisting(twist: Value) -> Value:
        dampers = spring_wrench(replace(machine, flexures=()), pose, twist)
        return dampers + friction_wrench(machine, viscous, pose, twist)

    return -algebra.derivative(resisting, AT_REST)


def momentum(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """Linear momentum [kg m/s] and angular momentum about the base origin [kg m^2/s], 6x1."""
    platform, R, omega = machine.platform, rotation(pose), angular(twist)
    c = R @ platform.center_of_mass
    h = R @ (platform.inertia @ (R.T @ omega))
    points = [(platform.mass, position(pose) + c, linear(twist) + cross(omega, c))]
    for leg in machine.legs:
        at = leg_position(leg, pose)
        v = leg_velocity(leg, at, twist)
        axes = ca.horzcat(*leg.base_joint.axes(at.s))  # cylinder and piston turn together
        h += axes @ ((leg.cylinder.inertia + leg.piston.inertia) @ (axes.T @ v.omega))
        c_1, c_2 = leg.cylinder.center_of_mass, at.l - leg.piston.center_of_mass
        points.append((leg.cylinder.mass, leg.base + c_1 * at.s, c_1 * v.s_dot))
        points.append((leg.piston.mass, leg.base + c_2 * at.s, v.l_dot * at.s + c_2 * v.s_dot))
    p = sum((m * r_dot for m, _, r_dot in points), ca.DM.zeros(3))
    return ca.vertcat(p, sum((cross(r, m * r_dot) for m, r, r_dot in points), h))
