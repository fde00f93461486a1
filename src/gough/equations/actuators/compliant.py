"""The machine on compliant legs: with six, 24 degrees of freedom [Baiges 1996, chapters 5 and 6].

The rigid machine's equations hold, with each leg a rigid body as it is at this moment, the Coriolis
forces of what slides in it, and the forces of its springs and dampers along it. Only where no
spring is left between actuator and platform does the piston stay a piston, and the actuator's own
force act along the leg.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from gough.equations import dynamics
from gough.equations.actuators import actuation, connector
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.compliant_leg import (
    CompliantLeg,
    Inner,
    as_one_body,
    coriolis,
    coupling_rate,
    fixed_and_sliding_moments,
    friction_force,
    legs_of,
    moving_force,
    spring_force,
    stage_acceleration,
    stage_force,
    unloaded_position,
)
from gough.equations.actuators.connector import ConnectorLaw
from gough.equations.legs import closure
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import (
    Value,
    angular,
    cross,
    dot,
    linear,
    position,
    rotation,
    vector,
)


@dataclass(frozen=True)
class Response:
    """Motion of a compliant machine under given forces."""

    acceleration: Value
    """Acceleration of the platform (6) [m/s^2, rad/s^2]."""
    inner_rate: Inner
    """Rates of the inner coordinates: m/s, and m/s^2 for those of E_dot and D_dot."""
    force: Value
    """Forces of the actuators on M_e (n) [N]."""
    leg_force: Value
    """On the platform, along the legs (n) [N]."""


@dataclass(frozen=True)
class Inverse:
    """Demand of a prescribed platform motion on the legs, each (n)."""

    force: Value
    """Forces of the actuators [N]."""
    leg_force: Value
    """On the platform, along the legs [N]."""
    E: Value
    """Where M_e must be [m]."""
    delta_c_dot: Value
    """Rate of the coupling stage's compression [m/s], where the stage has a damper."""
    D_ddot: Value
    """Acceleration of M_d along the leg [m/s^2]."""


def forward_dynamics(
    machine: Machine,
    connectors: Sequence[ConnectorLaw],
    pose: Value,
    twist: Value,
    inner: Inner,
    actuators: Actuation,
    wrench: Value,
) -> Response:
    """Accelerations of all coordinates under the actuators' laws α F + m Ë = f, and a wrench.

    The platform moves by the short equations alone, of legs whose parts are where springs hold
    them.
    """
    hexapod = machine.extensible
    assert hexapod is not None
    legs = legs_of(hexapod, connectors, pose, twist, inner)
    held = replace(machine, extensible=as_one_body(hexapod, legs))
    acceleration, pushes = actuation.forward_dynamics(
        held, pose, twist, _along(legs, actuators), wrench - coriolis(legs)
    )
    l_ddot = closure.joint_acceleration(hexapod, pose, twist, acceleration)
    E_ddot, force, leg_force = [], [], []
    for k, leg in enumerate(legs):
        if leg.connector.is_rigid:
            E_ddot.append(l_ddot[k])
            force.append(pushes[k] - stage_force(leg) + friction_force(leg))
            leg_force.append(pushes[k] - moving_force(leg, l_ddot[k]))
        else:
            E_ddot.append(_acceleration(leg, actuators, k))
            force.append(moving_force(leg, E_ddot[k]) + friction_force(leg) + spring_force(leg))
            leg_force.append(pushes[k])
    rate = Inner(
        vector(*(leg.inner.E_dot for leg in legs)),
        vector(*(coupling_rate(leg) for leg in legs)),
        vector(*(leg.inner.D_dot for leg in legs)),
        vector(*E_ddot),
        vector(*(stage_acceleration(leg) for leg in legs)),
    )
    return Response(acceleration, rate, vector(*force), vector(*leg_force))


def inverse_dynamics(
    machine: ExtensibleLegs,
    connectors: Sequence[ConnectorLaw],
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
    pushes = dynamics.default.inverse_dynamics(
        as_one_body(machine, legs), pose, twist, acceleration, wrench - coriolis(legs)
    )  # 6.(24), with W_ext of the right sign
    force, leg_force, E, delta_c_dot = [], [], [], []
    for k, leg in enumerate(legs):
        F_k = pushes[k] - stage_force(leg)  # 6.(27), (28)
        moved = moving_force(leg, E_ddot[k])
        delta_c = inner.delta_c[k]
        if leg.connector.is_rigid:
            force.append(F_k + friction_force(leg))
            leg_force.append(pushes[k] - moved)
        else:
            force.append(F_k + friction_force(leg) + moved)  # 6.(29)
            leg_force.append(pushes[k])
        E.append(unloaded_position(leg) + _deflection(leg.connector, F_k, delta_c))
        delta_c_dot.append(connector.forced_coupling_rate(leg.connector, F_k, delta_c))
    D_ddot = [stage_acceleration(leg) for leg in legs]
    return Inverse(*(vector(*rows) for rows in (force, leg_force, E, delta_c_dot, D_ddot)))


def inner_motion(
    machine: ExtensibleLegs,
    connectors: Sequence[ConnectorLaw],
    pose: Value,
    twist: Value,
    inner: Inner,
) -> Inner:
    """All inner coordinates, also those that are locked or follow another: E is the actuators'."""
    legs = [leg.inner for leg in legs_of(machine, connectors, pose, twist, inner)]
    return Inner(
        vector(*(leg.E for leg in legs)),
        vector(*(leg.delta_c for leg in legs)),
        vector(*(leg.D for leg in legs)),
        vector(*(leg.E_dot for leg in legs)),
        vector(*(leg.D_dot for leg in legs)),
    )


def spring_forces(
    machine: ExtensibleLegs,
    connectors: Sequence[ConnectorLaw],
    pose: Value,
    twist: Value,
    inner: Inner,
) -> Value:
    """F_kL [N] (n), in the connectors of the legs; zero of rigid ones."""
    legs = legs_of(machine, connectors, pose, twist, inner)
    return vector(*(spring_force(leg) for leg in legs))


def _along(legs: Sequence[CompliantLeg], actuators: Actuation) -> Actuation:
    """The laws of the forces along the legs: of their springs, or of a rigid leg's actuator."""
    f, m, alpha = [], [], []
    for k, leg in enumerate(legs):
        if leg.connector.is_rigid:
            load = ca.DM(1) if actuators.load is None else actuators.load[k]
            f.append(actuators.force[k] - load * (friction_force(leg) - stage_force(leg)))
            m.append(actuators.mass[k])
            alpha.append(load)
        else:
            f.append(spring_force(leg) + stage_force(leg))  # 6.(27)
            m.append(ca.DM(0))
            alpha.append(ca.DM(1))
    return Actuation(vector(*f), vector(*m), None if actuators.load is None else vector(*alpha))


def _acceleration(leg: CompliantLeg, actuators: Actuation, k: int) -> Value:
    """Ë [m/s^2] of M_e on springs."""
    load = ca.DM(1) if actuators.load is None else actuators.load[k]
    resisting = moving_force(leg, 0) + friction_force(leg) + spring_force(leg)
    mass = actuators.mass[k] + load * leg.leg.piston.mass
    return (actuators.force[k] - load * resisting) / mass  # 6.(26)


def _deflection(of_leg: ConnectorLaw, F_k: Value, delta_c: Value) -> Value:
    """δ_L + δ_c [m] under a force F_kL; δ_c is as given where a damper holds it."""
    if of_leg.coupling is None or of_leg.coupling.damping is None:
        return connector.compliance(of_leg) * F_k
    return delta_c if of_leg.stiffness is None else delta_c + F_k / of_leg.stiffness


def energy(
    machine: ExtensibleLegs,
    connectors: Sequence[ConnectorLaw],
    pose: Value,
    twist: Value,
    inner: Inner,
) -> Value:
    """Kinetic energy, potential of gravity and energy of the springs [J], 3x1.

    A mass at the base frame's origin has no potential.
    """
    platform, R, omega = machine.platform, rotation(pose), angular(twist)
    c = R @ platform.center_of_mass
    v, w = linear(twist) + cross(omega, c), R.T @ omega
    kinetic = platform.mass * dot(v, v) / 2 + dot(w, platform.inertia @ w) / 2
    potential = -platform.mass * dot(machine.gravity, position(pose) + c)
    springs = ca.DM(0)
    for leg in legs_of(machine, connectors, pose, twist, inner):
        first, second = _moments(leg)
        mass = leg.leg.cylinder.mass + leg.leg.piston.mass
        kinetic += _kinetic(leg, second)
        potential -= mass * dot(machine.gravity, leg.leg.base) + first * leg.weight
        springs += _spring_energy(leg)
    return vector(kinetic, potential, springs)


def _moments(leg: CompliantLeg) -> tuple[Value, Value]:
    """Σ m r and Σ m r² of the whole leg about its base joint."""
    first, second = fixed_and_sliding_moments(leg)
    if leg.connector.is_rigid:
        m, E = leg.leg.piston.mass, leg.inner.E
        first, second = first + m * E, second + m * E**2
    return first, second


def _kinetic(leg: CompliantLeg, second: Value) -> Value:
    w = ca.horzcat(*leg.leg.base_joint.axes(leg.at.s)).T @ leg.v.omega
    turning = second * leg.turning + dot(w, (leg.leg.cylinder.inertia + leg.leg.piston.inertia) @ w)
    sliding = leg.leg.piston.mass * leg.inner.E_dot**2
    if leg.connector.decoupling is not None:
        sliding += leg.connector.decoupling.mass * leg.inner.D_dot**2
    return (turning + sliding) / 2


def _spring_energy(leg: CompliantLeg) -> Value:
    of_leg, stored = leg.connector, ca.DM(0)
    whole = leg.inner.E - leg.at.l + connector.free_length(leg.leg)
    if of_leg.stiffness is not None:
        stored += of_leg.stiffness * (whole - leg.inner.delta_c) ** 2 / 2
    if of_leg.coupling is not None:
        stored += of_leg.coupling.stiffness * leg.inner.delta_c**2 / 2
    if of_leg.decoupling is not None:
        stage = of_leg.decoupling
        stored += stage.stiffness * (leg.inner.D - stage.position) ** 2 / 2
    return stored
