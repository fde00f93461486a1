"""The machine on compliant legs: with six, 24 freedoms [Baiges 1996, chapters 5 and 6].

The rigid machine's equations hold, with each leg a rigid body as it is at this moment, the Coriolis
forces of what slides in it, and the forces of its springs and dampers along it. Only where no
spring is left between actuator and platform does the piston stay a piston, and the actuator's own
force act along the leg.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    legs_of,
    moving_force,
    rubbing,
    spring_force,
    stage_acceleration,
    stage_force,
    unloaded_position,
)
from gough.equations.actuators.connector import Connector
from gough.equations.legs import closure
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, vector


@dataclass(frozen=True)
class Response:
    """What a compliant machine does under given forces."""

    acceleration: Value
    """Of the platform (6) [m/s^2, rad/s^2]."""
    inner_rate: Inner
    """Rates of the inner coordinates: m/s, and m/s^2 for those of E_dot and D_dot."""
    force: Value
    """Of the actuators on M_e (n) [N]."""
    leg_force: Value
    """On the platform, along the legs (n) [N]."""


@dataclass(frozen=True)
class Inverse:
    """What a prescribed motion of the platform asks of the legs, each (n)."""

    force: Value
    """Of the actuators [N]."""
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
    connectors: Sequence[Connector],
    pose: Value,
    twist: Value,
    inner: Inner,
    actuators: Actuation,
    wrench: Value,
) -> Response:
    """Accelerations of all coordinates under the actuators' laws α F + m Ë = f, and a wrench."""
    legs = legs_of(machine, connectors, pose, twist, inner)
    acceleration, pushes = actuation.forward_dynamics(
        as_one_body(machine, legs), pose, twist, _along(legs, actuators), wrench - coriolis(legs)
    )
    l_ddot = closure.joint_acceleration(machine, pose, twist, acceleration)
    E_ddot, force, leg_force = [], [], []
    for k, leg in enumerate(legs):
        if leg.connector.is_rigid:
            E_ddot.append(l_ddot[k])
            force.append(pushes[k] - stage_force(leg) + rubbing(leg))
            leg_force.append(pushes[k] - moving_force(leg, l_ddot[k]))
        else:
            E_ddot.append(_acceleration(leg, actuators, k))
            force.append(moving_force(leg, E_ddot[k]) + rubbing(leg) + spring_force(leg))
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
    machine: Machine,
    connectors: Sequence[Connector],
    pose: Value,
    twist: Value,
    acceleration: Value,
    inner: Inner,
    E_ddot: Value,
    wrench: Value,
) -> Inverse:
    """What a motion takes, if the legs are as `inner` says and M_e accelerates by E_ddot (6).

    δ_c, D and its rate are integrated along with the motion. E follows from them and the springs,
    and must be in `inner` already: begin with the E of rigid legs, take the result's along the
    whole motion with its two derivatives, and do so again. Each round gains a factor of the legs'
    own inertia over the springs' stiffness. A rigid leg is right at once.
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
            force.append(F_k + rubbing(leg))
            leg_force.append(pushes[k] - moved)
        else:
            force.append(F_k + rubbing(leg) + moved)  # 6.(29)
            leg_force.append(pushes[k])
        E.append(unloaded_position(leg) + _deflection(leg.connector, F_k, delta_c))
        delta_c_dot.append(connector.forced_coupling_rate(leg.connector, F_k, delta_c))
    D_ddot = [stage_acceleration(leg) for leg in legs]
    return Inverse(*(vector(*rows) for rows in (force, leg_force, E, delta_c_dot, D_ddot)))


def inner_motion(
    machine: Machine, connectors: Sequence[Connector], pose: Value, twist: Value, inner: Inner
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
    machine: Machine, connectors: Sequence[Connector], pose: Value, twist: Value, inner: Inner
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
            f.append(actuators.force[k] - load * (rubbing(leg) - stage_force(leg)))
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
    resisting = moving_force(leg, 0) + rubbing(leg) + spring_force(leg)
    mass = actuators.mass[k] + load * leg.leg.piston.mass
    return (actuators.force[k] - load * resisting) / mass  # 6.(26)


def _deflection(of_leg: Connector, F_k: Value, delta_c: Value) -> Value:
    """δ_L + δ_c [m] under a force F_kL; δ_c is as given where a damper holds it."""
    if of_leg.coupling is None or of_leg.coupling.damping is None:
        return connector.compliance(of_leg) * F_k
    return delta_c if of_leg.stiffness is None else delta_c + F_k / of_leg.stiffness
