"""The machine on compliant legs: with six, 24 degrees of freedom [Baiges 1996, chapters 5 and 6].

The rigid machine's equations hold, with each leg a rigid body as it is at this moment, the Coriolis
forces of what slides in it, and the forces of its springs and dampers along it. Only where no
spring is left between actuator and platform does the piston stay a piston, and the actuator's own
force act along the leg.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca
from casadi import dot

from gough.equations import dynamics
from gough.equations.actuators import compliant_leg, drive
from gough.equations.actuators.compliant_leg import CompliantLeg, Connectors, Inner, legs_of
from gough.equations.actuators.drive import Actuation
from gough.equations.dynamics.formulation import AT_REST
from gough.equations.legs import closure
from gough.equations.legs.extensible import ConnectorLaw, ExtensibleLegs
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, position, rotation, vector, wrench_at


@dataclass(frozen=True)
class Response:
    """Motion of a compliant machine under given forces."""

    acceleration: Value  # acceleration of the platform (6) [m/s^2, rad/s^2]
    inner_rate: Inner  # rates of the inner coordinates: m/s, and m/s^2 for those of E_dot and D_dot
    force: Value  # forces of the actuators on M_e (n) [N]
    leg_force: Value  # on the platform, along the legs (n) [N]


@dataclass(frozen=True)
class Inverse:
    """Demand of a prescribed platform motion on the legs, each (n)."""

    force: Value  # forces of the actuators [N]
    leg_force: Value  # on the platform, along the legs [N]
    E: Value  # where M_e must be [m]
    delta_c_dot: Value
    """Rate of the coupling stage's compression [m/s], where the stage has a damper."""
    D_ddot: Value  # acceleration of M_d along the leg [m/s^2]


def forward_dynamics(
    machine: Machine,
    connectors: Connectors,
    pose: Value,
    twist: Value,
    inner: Inner,
    actuators: Actuation,
    wrench: Value,
) -> Response:
    """Accelerations of all coordinates under laws α F + m Ë = f of actuators, and a wrench."""
    hexapod = machine.hexapod
    legs = legs_of(hexapod, connectors, pose, twist, inner)
    held = replace(machine, extensible=compliant_leg.as_one_body(hexapod, legs))
    laws, loaded = _along(legs, actuators), wrench - compliant_leg.coriolis(legs)
    acceleration, pushes = drive.forward_dynamics(held, pose, twist, laws, loaded)
    l_ddot = closure.joint_acceleration(hexapod, pose, twist, acceleration)
    E_ddot, force, leg_force = [], [], []
    for k, leg in enumerate(legs):
        if leg.connector.is_rigid:
            E_ddot.append(l_ddot[k])
            force.append(pushes[k] - leg.stage_force + leg.friction_force)
            leg_force.append(pushes[k] - leg.moving_force(l_ddot[k]))
        else:
            E_ddot.append(_acceleration(leg, actuators, k))
            force.append(leg.moving_force(E_ddot[k]) + leg.friction_force + leg.spring_force)
            leg_force.append(pushes[k])
    rates = [
        Inner(leg.inner.E_dot, leg.coupling_rate, leg.inner.D_dot, second, leg.stage_acceleration)
        for leg, second in zip(legs, E_ddot, strict=True)
    ]
    return Response(acceleration, Inner.of_legs(rates), vector(*force), vector(*leg_force))


def inverse_dynamics(
    machine: ExtensibleLegs,
    connectors: Connectors,
    pose: Value,
    twist: Value,
    acceleration: Value,
    inner: Inner,
    E_ddot: Value,
    wrench: Value,
) -> Inverse:
    """Compute the demand of a motion for the inner state `inner` and the acceleration E_ddot (6).

    δ_c, D and its rate are integrated along with the motion. E follows from them and the springs,
    and must be in `inner` already: start with the E of rigid legs, take the result's E along the
    whole motion with its two derivatives, and repeat. E_ddot is the acceleration of M_e. Each
    iteration reduces the error by the ratio of the legs' own inertia to the springs' stiffness.
    For a rigid leg the first result is exact.
    """
    legs = legs_of(machine, connectors, pose, twist, inner)
    held, loaded = compliant_leg.as_one_body(machine, legs), wrench - compliant_leg.coriolis(legs)
    motion = pose, twist, acceleration
    # 6.(24), with W_ext of the right sign
    pushes = dynamics.default.inverse_dynamics(held, *motion, loaded)
    force, leg_force, E, delta_c_dot = [], [], [], []
    for k, leg in enumerate(legs):
        F_k = pushes[k] - leg.stage_force  # 6.(27), (28)
        moved = leg.moving_force(E_ddot[k])
        delta_c = inner.delta_c[k]
        if leg.connector.is_rigid:
            force.append(F_k + leg.friction_force)
            leg_force.append(pushes[k] - moved)
        else:
            force.append(F_k + leg.friction_force + moved)  # 6.(29)
            leg_force.append(pushes[k])
        E.append(leg.unloaded_position + _deflection(leg.connector, F_k, delta_c))
        delta_c_dot.append(leg.connector.forced_coupling_rate(F_k, delta_c))
    D_ddot = [leg.stage_acceleration for leg in legs]
    return Inverse(*(vector(*rows) for rows in (force, leg_force, E, delta_c_dot, D_ddot)))


def inner_motion(
    machine: ExtensibleLegs, connectors: Connectors, pose: Value, twist: Value, inner: Inner
) -> Inner:
    """All inner coordinates, also those that are locked or follow another: E is the actuators'."""
    return Inner.of_legs([leg.inner for leg in legs_of(machine, connectors, pose, twist, inner)])


def _along(legs: Sequence[CompliantLeg], actuators: Actuation) -> Actuation:
    """The laws of the forces along the legs: of their springs, or of a rigid leg's actuator."""
    f, m, alpha = [], [], []
    for k, leg in enumerate(legs):
        if leg.connector.is_rigid:
            load = ca.DM(1) if actuators.load is None else actuators.load[k]
            f.append(actuators.force[k] - load * (leg.friction_force - leg.stage_force))
            m.append(actuators.mass[k])
            alpha.append(load)
        else:
            f.append(leg.spring_force + leg.stage_force)  # 6.(27)
            m.append(ca.DM(0))
            alpha.append(ca.DM(1))
    rigid = [leg.connector.is_rigid for leg in legs]
    shared = vector(*alpha) if actuators.load is not None and any(rigid) else None
    return Actuation(vector(*f), vector(*m), shared, actuators.passes_back and all(rigid))


def _acceleration(leg: CompliantLeg, actuators: Actuation, k: int) -> Value:
    """Ë [m/s^2] of M_e on springs."""
    load = ca.DM(1) if actuators.load is None else actuators.load[k]
    resisting = leg.moving_force(0) + leg.friction_force + leg.spring_force
    mass = actuators.mass[k] + load * leg.leg.piston.mass
    return (actuators.force[k] - load * resisting) / mass  # 6.(26)


def _deflection(of_leg: ConnectorLaw, F_k: Value, delta_c: Value) -> Value:
    """δ_L + δ_c [m] under a force F_kL; δ_c is as given where a damper holds it."""
    if of_leg.coupling is None or of_leg.coupling.damping is None:
        return of_leg.compliance * F_k
    return delta_c if of_leg.stiffness is None else delta_c + F_k / of_leg.stiffness


def energy(
    machine: ExtensibleLegs, connectors: Connectors, pose: Value, twist: Value, inner: Inner
) -> Value:
    """Kinetic energy, potential (zero at the base's origin) and energy of springs [J], 3x1."""
    platform, legs = machine.platform, legs_of(machine, connectors, pose, twist, inner)
    M = dynamics.default.mass_matrix(compliant_leg.as_one_body(machine, legs), pose)
    c = position(pose) + rotation(pose) @ platform.center_of_mass
    kinetic, springs = dot(twist, M @ twist) / 2, ca.DM(0)
    potential = -platform.mass * dot(machine.gravity, c)
    for leg in legs:
        first, _ = leg.moments
        if leg.connector.is_rigid:
            first += leg.leg.piston.mass * leg.inner.E
        mass = leg.leg.cylinder.mass + leg.leg.piston.mass
        kinetic += _sliding_energy(leg)
        potential -= mass * dot(machine.gravity, leg.leg.base) + first * leg.weight
        springs += _spring_energy(leg)
    return vector(kinetic, potential, springs)


def _sliding_energy(leg: CompliantLeg) -> Value:
    """Kinetic energy [J] of what slides along a leg by itself: of a rigid leg not its piston."""
    stage, piston = leg.connector.decoupling, leg.leg.piston.mass * leg.inner.E_dot**2 / 2
    moving = ca.DM(0) if leg.connector.is_rigid else piston
    return moving if stage is None else moving + stage.mass * leg.inner.D_dot**2 / 2


def _spring_energy(leg: CompliantLeg) -> Value:
    of_leg, stored = leg.connector, ca.DM(0)
    if of_leg.stiffness is not None:
        stored += of_leg.stiffness * (leg.compression - leg.inner.delta_c) ** 2 / 2
    if of_leg.coupling is not None:
        stored += of_leg.coupling.stiffness * leg.inner.delta_c**2 / 2
    if of_leg.decoupling is not None:
        stage = of_leg.decoupling
        stored += stage.stiffness * (leg.inner.D - stage.position) ** 2 / 2
    return stored


@dataclass(frozen=True)
class Statics:
    """The machine at rest: forces of the actuators, on the platform (n) [N]; where masses are."""

    force: Value
    leg_force: Value
    inner: Inner


def static_solution(
    machine: ExtensibleLegs, connectors: Connectors, pose: Value, wrench: Value
) -> Statics:
    """The machine at rest at a pose under a wrench [6.4.1]; NaN where that is singular."""
    legs = legs_of(machine, connectors, pose, AT_REST, Inner.none(len(connectors)))
    D = vector(*(leg.resting_stage for leg in legs))
    E = vector(*(leg.unloaded_position for leg in legs))
    placed = [replace(leg, inner=replace(leg.inner, E=E[k], D=D[k])) for k, leg in enumerate(legs)]
    required = dynamics.default.gravity(compliant_leg.as_one_body(machine, placed), pose) - wrench
    columns = []  # the weight of M_e bears on the platform by E, which depends on the forces
    for leg in legs:
        weight = leg.leg.piston.mass * leg.weight
        line = closure.jacobian_row(leg.at).T
        if leg.connector.is_rigid:
            required += line * weight  # borne by the actuator alone
        across = machine.gravity - leg.weight * leg.at.s
        compliance = leg.connector.compliance * leg.leg.piston.mass * leg.at.inverse_l
        columns.append(line + compliance * wrench_at(leg.at.b, across))
    # erratum of 6.(30): the legs' weight across them, W_gr, acts at rest, too
    F, regular = closure.balance(machine, ca.horzcat(*columns), required)
    F = ca.if_else(regular, F, ca.DM.nan(len(legs)))
    E += vector(*(leg.connector.compliance for leg in legs)) * F  # 6.(31)
    delta_c = vector(*(leg.resting_coupling(F[k]) for k, leg in enumerate(legs)))
    weights = vector(*(leg.leg.piston.mass * leg.weight for leg in legs))
    still = ca.DM.zeros(len(legs))
    inner = Inner(E, delta_c, D, still, still)
    return Statics(F - weights, F, inner)  # 6.(33)


def steady_inner(
    machine: ExtensibleLegs, connectors: Connectors, pose: Value, twist: Value, force: Value
) -> Inner:
    """Inner coordinates that go along with a motion and bear forces F_kL (n) [N] without change."""
    legs = legs_of(machine, connectors, pose, twist, Inner.none(len(connectors)))
    steady = []
    for leg, F in zip(legs, ca.vertsplit(force), strict=True):
        E = leg.unloaded_position + leg.connector.compliance * F
        steady.append(Inner(E, leg.resting_coupling(F), leg.resting_stage, leg.v.l_dot, ca.DM(0)))
    return Inner.of_legs(steady)
