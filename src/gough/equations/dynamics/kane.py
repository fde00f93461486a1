"""Kane's method [Baiges 1996, chapters 3, 5 and 6], with rigid connectors.

The generalised speeds are the platform's twist. A leg feels them only through the velocity V_p of
its platform joint p, so what its bodies add to Kane's equations, effective forces times partial
velocities and effective torques times partial angular velocities, is one force acting at p: its
wrench is (∂V_p/∂u)ᵀ times the force, (27)-(29).

The dissertation's letters: b is the cylinder, its mass centre at bl from the base joint, and e
the piston, at E; L is the leg's length. s1 and s2 are the Hooke joint's axes, s3 runs along the
leg, and s23 = s2 x s3. The springs and dampers are rigid here and the decoupling mass is left
out: then E and L grow at the same rate. An equation number without a chapter is one of chapter 5.

Two errata run through all equations: the dissertation takes k1 = |s1 x s3| for one, and adds the
external wrench instead of subtracting it.
"""

from dataclasses import dataclass

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.dynamics.formulation import AT_REST
from gough.equations.legs import closure
from gough.equations.legs.closure import LegPosition, leg_position
from gough.equations.legs.extensible import ExtensibleLegs, Leg
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial.algebra import Value, angular, linear, rotation, vector, wrench_at


def required_forces(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """Return a motion's wrench on the platform (6) [N, N m] and forces along the legs (n) [N]."""
    W = platform_wrench(machine, pose, twist, acceleration)
    along = []
    for leg in machine.legs:
        forces = leg_forces(machine, leg, pose, twist, acceleration)
        W += wrench_at(forces.arm, forces.axes[:, :-1] @ forces.sum[:-1])  # (72)
        along.append(forces.sum[-1])  # 6.(29)
    return W, vector(*along)


def forward_dynamics(
    machine: ExtensibleLegs, pose: Value, twist: Value, force: Value, wrench: Value
) -> Value:
    """The platform's acceleration [m/s^2, rad/s^2] under actuator forces and a wrench: (37)."""
    W = wrench - platform_wrench(machine, pose, twist, AT_REST)
    for leg, F_a in zip(machine.legs, ca.vertsplit(force), strict=True):
        forces = leg_forces(machine, leg, pose, twist, AT_REST)
        F = vector(-forces.sum[:-1], F_a - forces.sum[-1])
        W += wrench_at(forces.arm, forces.axes @ F)
    return solve_symmetric(mass_matrix(machine, pose), W)


def mass_matrix(machine: ExtensibleLegs, pose: Value) -> Value:
    """The 6x6 factor of the generalised speeds' rates in (37) [kg, kg m, kg m^2]."""
    platform, R = machine.platform, rotation(pose)
    M = moving_with(R @ platform.center_of_mass, platform.mass * ca.DM.eye(3))
    M += ca.diagcat(ca.DM(3, 3), R @ platform.inertia @ R.T)  # (58)
    for leg in machine.legs:
        at = leg_position(leg, pose)
        M += moving_with(at.b, leg_inertia(leg, at))
    return symmetric(M)


def platform_wrench(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """W_p: the platform's inertia and weight [N, N m]; its mass centre may be anywhere."""
    platform, R = machine.platform, rotation(pose)
    c = R @ platform.center_of_mass
    A_c = linear(acceleration) + turning(twist, acceleration) @ c
    F = platform.mass * (A_c - machine.gravity)  # (46)
    omega, alpha = R.T @ angular(twist), R.T @ angular(acceleration)  # platform axes
    T = platform.inertia @ alpha + cross(omega, platform.inertia @ omega)  # (54)
    return wrench_at(c, F) + vector(0, 0, 0, R @ T)  # (72.a)


@dataclass(frozen=True)
class LegForces:
    """Forces at p [N] that a leg's weight and motion require of the platform, split as in (69).

    `axes` holds directions in base axes, one a column, the last along the leg; the forces are
    components on them. The forces along the leg, (61), are split in the same way.
    """

    arm: Value  # from the platform frame's origin to p, R_pc [m]
    axes: Value
    gr: Value  # the weight's
    tan: Value  # terms in the second rates of the leg's own coordinates: its length and two angles
    cor: Value  # terms in products of the length's rate and an angular rate
    cent: Value  # terms in products of two angular rates; the gyroscopic torque is among them

    @property
    def sum(self) -> Value:
        """All four together."""
        return self.gr + self.tan + self.cor + self.cent


def leg_forces(
    machine: ExtensibleLegs, leg: Leg, pose: Value, twist: Value, acceleration: Value
) -> LegForces:
    """One leg's forces, from the motion of its platform joint."""
    at = leg_position(leg, pose)
    V_p = linear(twist) + cross(angular(twist), at.b)  # 3.(11)
    A_p = linear(acceleration) + turning(twist, acceleration) @ at.b  # 3.(30)
    forces = hooke_forces if leg.base_joint.spins else spherical_forces
    return forces(leg, at, V_p, A_p, machine.gravity)


def hooke_forces(leg: Leg, at: LegPosition, V_p: Value, A_p: Value, g: Value) -> LegForces:
    """The forces of a UPS leg, on s2, s23 and s3.

    Partial velocities with respect to V_p: those of the mass centres are bl / L and E / L across
    the leg, (24)-(26), and 1 along it for the piston, (32); that of the rotation is, (17)-(19),
    ∂ω12/∂V_p = (s1 s2ᵀ / k1 + s2 s23ᵀ) / L, where s1 / k1 = t s3 - s23.
    """
    L, (M_e, E, M1, M2) = at.l, leg_masses(leg, at)
    axes, t = hooke_axes(leg, at)
    V2, V23, V3 = ca.vertsplit(axes.T @ V_p)  # 3.(18)
    w2, w23 = V2 / L, V23 / L  # k1 ω1 and ω2, 3.(19)-(20): ω12 = w23 s2 - w2 s23 + t w2 s3
    A_cor = 2 * V3 * vector(w2, w23, 0)  # the known terms of p's acceleration, 3.(32)
    A_cent = vector(2 * t * w2 * V23, -t * w2 * V2, -(w2 * V2 + w23 * V23))
    A_star = axes.T @ A_p - A_cor - A_cent  # L k1 α1, L α2 and L̈, 3.(33)
    Ixx, _, Izz, Ixy, Ixz, Iyz = hooke_dyadic(leg)
    D = t * (Ixx - Izz) + (1 - t**2) * Ixz  # half the growth of s1·Il·s1 about s2, over k1²
    T2 = 2 * D * w2 * w23 - (Iyz + t * Ixy) * w23**2  # (s1 / k1)·T where α1 = α2 = 0, (65)
    T23 = -D * w2**2  # s2·T, the same
    across, along = M2 / L**2, M_e * E / L
    return LegForces(
        at.b,
        axes,
        gr=-vector(M1 / L, M1 / L, M_e) * (axes.T @ g),  # (69.a)
        tan=hooke_inertia(leg, at, t) @ A_star,  # (69.b)
        cor=along * A_cor,  # (69.c)
        cent=vector(across, across, along) * A_cent + vector(T2 / L, T23 / L, 0),  # (69.d)
    )


def spherical_forces(leg: Leg, at: LegPosition, V_p: Value, A_p: Value, g: Value) -> LegForces:
    """The forces of an SPS leg, which does not spin, on the directions g, A_p, ds3/dt and s3.

    As above with ∂ω12/∂V_p = [s3 x] / L. The leg is symmetric: there is no gyroscopic torque.
    """
    L, s3, (M_e, E, M1, _) = at.l, at.s, leg_masses(leg, at)
    m = spherical_inertia(leg, at)
    V3 = dot(V_p, s3)  # 3.(18)
    s3_dot = (V_p - V3 * s3) / L
    g3, A3, w_squared = dot(g, s3), dot(A_p, s3), dot(s3_dot, s3_dot)
    L_ddot = A3 + L * w_squared  # 3.(34)
    return LegForces(
        at.b,
        ca.horzcat(g, A_p, s3_dot, s3),
        gr=vector(-M1 / L, 0, 0, (M1 / L - M_e) * g3),  # (69.a)
        tan=vector(0, m, -2 * m * V3, M_e * L_ddot - m * A3),  # (69.b)
        cor=vector(0, 0, 2 * M_e * E / L * V3, 0),  # (69.c)
        cent=vector(0, 0, 0, -M_e * E * w_squared),  # (61)
    )


def leg_inertia(leg: Leg, at: LegPosition) -> Value:
    """The 3x3 factor of p's acceleration in the force at p, base axes [kg]."""
    if leg.base_joint.spins:
        axes, t = hooke_axes(leg, at)
        return symmetric(axes @ hooke_inertia(leg, at, t) @ axes.T)
    m = spherical_inertia(leg, at)
    return symmetric(m * ca.DM.eye(3) + (leg.piston.mass - m) * at.s @ at.s.T)


def hooke_inertia(leg: Leg, at: LegPosition, t: Value) -> Value:
    """The inertia of a UPS leg on s2, s23, s3 [kg]: (69.b) and (61) for any inertia dyadic."""
    M_e, _, _, M2 = leg_masses(leg, at)
    Ixx, Iyy, Izz, Ixy, Ixz, Iyz = hooke_dyadic(leg)
    a, b, c = M2 + Ixx + t * (t * Izz - 2 * Ixz), t * Iyz - Ixy, M2 + Iyy
    return ca.diagcat(ca.blockcat([[a, b], [b, c]]) / at.l**2, M_e)


def spherical_inertia(leg: Leg, at: LegPosition) -> Value:
    """The inertia of an SPS leg across its axis [kg]: (69.b) without spin."""
    *_, M2 = leg_masses(leg, at)
    return (M2 + leg.cylinder.inertia[0, 0] + leg.piston.inertia[0, 0]) / at.l**2


def hooke_axes(leg: Leg, at: LegPosition) -> tuple[Value, Value]:
    """The columns s2, s23, s3, and t = s3x / k1, the cotangent of the angle from s1 to s3.

    In the dissertation's scalar products, (60), s3x = k1 t and s23x = -k1.
    """
    s1, s3 = leg.base_joint.first_axis, at.s
    assert s1 is not None
    k1 = leg.base_joint.sine(s3)  # |s1 x s3|
    s2 = cross(s1, s3) / k1  # 3.4.1, erratum: without k1
    return ca.horzcat(s2, cross(s2, s3), s3), dot(s1, s3) / k1


def hooke_dyadic(leg: Leg) -> tuple[Value, ...]:
    """Il = Ib + Ie [kg m^2] on s23, s2, s3, (55)-(57): xx, yy, zz, xy, xz, yz.

    s2 is the x of the leg's frame, s23 is -y and s3 is z.
    """
    Il = leg.cylinder.inertia + leg.piston.inertia
    return Il[1, 1], Il[0, 0], Il[2, 2], -Il[0, 1], -Il[1, 2], Il[0, 2]


def leg_masses(leg: Leg, at: LegPosition) -> tuple[Value, Value, Value, Value]:
    """M_e and E, and the mass moments M_e E + M_b bl and M_e E² + M_b bl² about the base joint."""
    M_b, bl = leg.cylinder.mass, leg.cylinder.center_of_mass
    M_e, E = leg.piston.mass, at.l - leg.piston.center_of_mass
    return M_e, E, M_e * E + M_b * bl, M_e * E**2 + M_b * bl**2


def turning(twist: Value, acceleration: Value) -> Value:
    """The matrix of 3.(30): times an arm, its tangential and centripetal acceleration."""
    w = skew(angular(twist))
    return skew(angular(acceleration)) + w @ w


def moving_with(arm: Value, inertia: Value) -> Value:
    """The 6x6 inertia of a 3x3 one at the end of an arm: (∂V_p/∂u)ᵀ inertia ∂V_p/∂u."""
    turned = skew(arm) @ inertia
    return ca.blockcat([[inertia, turned.T], [turned, turned @ skew(arm).T]])


def symmetric(A: Value) -> Value:
    """A symmetric matrix from its lower half, so that the upper half costs nothing."""
    return ca.tril2symm(ca.tril(A))


# Eight parts of the actuator forces: Baiges's 6.(24) is the sum of six wrenches that the connector
# forces F_L balance, those with which the legs push the platform. An actuator also moves its own
# piston along the leg, 6.(29): its weight and its inertia are two parts beside the six, so that all
# add up to Jᵀ force, not to Jᵀ F_L. W_ext has the other sign (an erratum). The decoupling mass M_d
# is part of the cylinder. A leg's part counts by the rates of the leg's own coordinates: its length
# and the two angles of its universal joint or, where it has none, of its direction. The second
# rates of these also depend on the velocity of the platform, so the tangential part does, too.
# Gyroscopic torques are centrifugal.


def wrench_decomposition(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> tuple[Value, ...]:
    """Eight wrenches whose sum is Jᵀ force.

    The six of [Baiges 1996, 6.(24)], and what the pistons take along their legs, 6.(29).
    """
    legs = ca.DM.zeros(6, 6)
    for leg in machine.legs:
        F, s = leg_forces(machine, leg, pose, twist, acceleration), leg_position(leg, pose).s
        parts = F.axes @ ca.horzcat(F.gr, F.tan, F.cor, F.cent)
        along = s.T @ parts
        weight, moving = along[0], along[1] + along[2] + along[3]
        forces = ca.horzcat(parts - s @ along, weight * s, moving * s)
        legs += ca.horzcat(*(wrench_at(F.arm, force) for force in ca.horzsplit(forces)))
    return (
        -wrench,  # erratum: with the other sign
        platform_wrench(machine, pose, twist, acceleration),  # 6.(24.a)
        *ca.horzsplit(legs),  # 6.(24.b), (24.d)-(24.f), 6.(29); errata: the torques in (24.f)
    )


def force_decomposition(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> tuple[Value, ...]:
    """Eight parts of the actuator forces, one for each wrench of `wrench_decomposition`.

    The first six add up to the connector forces F_L of [Baiges 1996, 6.(24)]; the last two are what
    the actuators need for their own pistons, 6.(29).
    """
    parts = wrench_decomposition(machine, pose, twist, acceleration, wrench)
    return tuple(ca.horzsplit(closure.leg_forces(machine, pose, ca.horzcat(*parts))))
