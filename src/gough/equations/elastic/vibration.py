"""Small vibrations of a hexapod on compliant legs: M z̈ + K z = 0, without its dampers.

z are the platform's displacement δ (translation and rotation vector, base axes), then the
displacements E of the pistons that a connector separates from the platform, then those of the
decoupling stages, and of rotors that springs separate from all of these. A piston on its actuator's
side does not move along the leg with the platform: its axial mass is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from gough.equations import dynamics
from gough.equations.dynamics import AT_REST
from gough.equations.elastic.frames import on_frames
from gough.equations.elastic.springs import springs_of
from gough.equations.elastic.stiffness import (
    Loaded,
    loaded,
    one_body,
    own_stiffness,
    piston_weight,
    pushes,
    stage_weight,
)
from gough.equations.legs.extensible import ExtensibleLegs, Leg
from gough.equations.legs.leg import leg_position, leg_velocity
from gough.equations.machine import Machine
from gough.equations.mechanism.friction import friction_wrench
from gough.equations.spatial.algebra import (
    Value,
    angular,
    cross,
    linear,
    position,
    reciprocal,
    rotation,
    vector,
)

Rotors = Sequence[Value | float | None]
"""Inertia of all actuators' rotors, reflected to the legs [kg]; None: zero."""


@dataclass(frozen=True)
class _Sliding:
    """Something in a leg that slides on springs."""

    coupling: Value
    """Force on the coordinates of platform and joints, by its way (n) [N/m, N]."""
    stiffness: Value
    mass: Value | float
    to_piston: Value | None = None
    """Force on the leg's piston by its way [N/m]; None: they do not touch."""


@dataclass(frozen=True)
class _Axis:
    """All that a leg has along itself."""

    stiffness: Value
    """Stiffness of the platform's and joints' coordinates (nxn)."""
    piston: _Sliding | None
    stage: _Sliding | None
    rotor: _Sliding | None


def vibration(
    machine: ExtensibleLegs,
    pose: Value,
    force: Value,
    actuator_compliance: Value,
    rotors: Rotors | None = None,
) -> tuple[Value, Value]:
    """M and K [SI] at a pose under forces of the actuators; inf for a piston that is held.

    K is symmetric: of a moment from outside that which stores energy counts, half of it turning
    with the platform.
    """
    at = loaded(machine, pose, force)
    own, M = own_stiffness(at), dynamics.default.mass_matrix(one_body(at), pose)
    masses = rotors or [None] * len(at.legs)
    axes = [_axis(at, k, actuator_compliance[k], mass) for k, mass in enumerate(masses)]
    K = sum((axis.stiffness for axis in axes), (own + own.T) / 2)
    kinds = ([getattr(axis, kind) for axis in axes] for kind in ("piston", "stage", "rotor"))
    inner = [(k, sliding) for kind in kinds for k, sliding in enumerate(kind) if sliding]
    if not inner:
        return M, on_frames(machine, pose, K, pushes(at))
    coupled = ca.horzcat(*(sliding.coupling for _, sliding in inner))
    whole = ca.blockcat([[K, coupled], [coupled.T, _between(inner)]])
    weights = ca.diag(ca.vertcat(*(sliding.mass for _, sliding in inner)))
    return ca.diagcat(M, weights), on_frames(machine, pose, whole, pushes(at))


def _axis(at: Loaded, k: int, actuator_compliance: Value, rotor: Value | float | None) -> _Axis:
    """A leg's springs and masses along it; a rotor without a spring ahead moves with the piston."""
    leg, row, springs = at.legs[k], at.row(k), springs_of(at.machine, k)
    with_piston = not leg.connector.is_rigid and springs.rigid_behind
    turned = None if with_piston else rotor
    behind = springs.behind(leg.at.l) + (actuator_compliance if turned is None else 0)
    ahead, holding = springs.ahead(), reciprocal(actuator_compliance)
    if leg.connector.is_rigid:
        spring = reciprocal(behind + ahead)
        turning = None if turned is None else _Sliding(-row.T * spring, spring + holding, turned)
        return _Axis(row.T @ row * spring, None, _stage(at, k), turning)
    spring, driving = reciprocal(ahead), reciprocal(behind)
    mass = leg.leg.piston.mass + (rotor if rotor is not None and with_piston else 0)
    piston = _Sliding(piston_weight(at, k) - row.T * spring, spring + driving, mass)
    none = ca.DM(*row.T.shape)
    turning = None if turned is None else _Sliding(none, driving + holding, turned, -driving)
    return _Axis(row.T @ row * spring, piston, _stage(at, k), turning)


def _stage(at: Loaded, k: int) -> _Sliding | None:
    """A leg's decoupling stage."""
    stage = at.legs[k].connector.decoupling
    return None if stage is None else _Sliding(stage_weight(at, k), stage.stiffness, stage.mass)


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

    On an accelerated base a field of inertial forces acts on the masses: the generalised force on
    a coordinate is the machine's momentum per unit of its rate times that field. So the same
    matrix gives the forces of base excitation and of gravity.
    """
    at = loaded(machine, pose, force)
    platform = _by_twist(lambda twist: momentum(one_body(at), pose, twist))
    pistons, stages = [], []
    for leg in at.legs:
        along = vector(leg.at.s, cross(leg.leg.base, leg.at.s))
        if not leg.connector.is_rigid:
            pistons.append(leg.leg.piston.mass * along)
        if leg.connector.decoupling is not None:
            stages.append(leg.connector.decoupling.mass * along)
    return ca.horzcat(platform, *pistons, *stages)


def joint_damping(machine: Machine, frictions: Sequence[Any], pose: Value) -> Value:
    """The wrench by the platform's twist (6x6) [N s/m, N s] that viscous friction of joints takes.

    Dry friction has no part in small vibrations.
    """
    viscous = [friction.viscous for friction in frictions]
    if not viscous:
        return ca.DM.zeros(6, 6)
    return -_by_twist(lambda twist: friction_wrench(machine, viscous, pose, twist))


def _by_twist(found: Callable[[Value], Value]) -> Value:
    """Return the derivative of a quantity by the platform's twist, at rest."""
    twist = ca.SX.sym("twist", 6)
    return ca.substitute(ca.jacobian(found(twist), twist), twist, AT_REST)


@dataclass(frozen=True)
class BodyMomentum:
    """A rigid body at one instant, vectors in base axes."""

    mass: Value
    center: Value
    """Its mass centre, from the base frame's origin [m]."""
    velocity: Value
    """Velocity of the mass centre [m/s]."""
    spin: Value
    """Angular momentum about the mass centre [kg m^2/s]."""


def momentum(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """Linear momentum [kg m/s] and angular momentum about the base origin [kg m^2/s], 6x1."""
    p, h = ca.DM.zeros(3), ca.DM.zeros(3)
    for body in bodies(machine, pose, twist):
        p += body.mass * body.velocity
        h += cross(body.center, body.mass * body.velocity) + body.spin
    return ca.vertcat(p, h)


def bodies(machine: ExtensibleLegs, pose: Value, twist: Value) -> list[BodyMomentum]:
    """The platform, then each leg's cylinder and piston."""
    platform, R = machine.platform, rotation(pose)
    c, omega = R @ platform.center_of_mass, angular(twist)
    moving = BodyMomentum(
        platform.mass,
        position(pose) + c,
        linear(twist) + cross(omega, c),
        R @ (platform.inertia @ (R.T @ omega)),
    )
    return [moving, *(body for leg in machine.legs for body in leg_bodies(leg, pose, twist))]


def leg_bodies(leg: Leg, pose: Value, twist: Value) -> tuple[BodyMomentum, BodyMomentum]:
    """A leg's cylinder and piston, which turn together."""
    at = leg_position(leg, pose)
    v = leg_velocity(leg, at, twist)
    axes = ca.horzcat(*leg.base_joint.axes(at.s))
    omega_in_leg = axes.T @ v.omega
    c_1 = leg.cylinder.center_of_mass
    c_2 = at.l - leg.piston.center_of_mass
    cylinder = BodyMomentum(
        leg.cylinder.mass,
        leg.base + c_1 * at.s,
        c_1 * v.s_dot,
        axes @ (leg.cylinder.inertia @ omega_in_leg),
    )
    piston = BodyMomentum(
        leg.piston.mass,
        leg.base + c_2 * at.s,
        v.l_dot * at.s + c_2 * v.s_dot,
        axes @ (leg.piston.inertia @ omega_in_leg),
    )
    return cylinder, piston
