"""Small vibrations of a hexapod on compliant legs: M z̈ + K z = 0, without its dampers.

z are the platform's displacement δ (translation and rotation vector, base axes), then the
displacements E of the pistons that a connector separates from the platform, then those of the
decoupling stages, and of rotors that springs separate from all of these. A piston on its actuator's
side does not move along the leg with the platform: its axial mass is its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import casadi as ca

from gough.equations import dynamics
from gough.equations.actuators.compliant_leg import as_one_body
from gough.equations.dynamics.formulation import AT_REST
from gough.equations.elastic.leg_stiffness import (
    Loaded,
    loaded,
    on_frames,
    own_stiffness,
    weight_by,
)
from gough.equations.forces.friction import FrictionLaw, friction_wrench
from gough.equations.legs.closure import leg_position, leg_velocity
from gough.equations.legs.extensible import ExtensibleLegs, springs_of
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import (
    Value,
    angular,
    cross,
    derivative,
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
    own, M = own_stiffness(at), dynamics.default.mass_matrix(as_one_body(machine, at.legs), pose)
    masses = rotors or [None] * len(at.legs)
    axes = [_axis(at, k, actuator_compliance[k], mass) for k, mass in enumerate(masses)]
    K = sum((stiffness for stiffness, _ in axes), (own + own.T) / 2)
    kinds = zip(*(sliding for _, sliding in axes), strict=True)
    inner = [(k, sliding) for kind in kinds for k, sliding in enumerate(kind) if sliding]
    if not inner:
        return M, on_frames(machine, pose, K, at.pushes)
    coupled = ca.horzcat(*(sliding.coupling for _, sliding in inner))
    whole = ca.blockcat([[K, coupled], [coupled.T, _between(inner)]])
    weights = ca.diag(ca.vertcat(*(sliding.mass for _, sliding in inner)))
    return ca.diagcat(M, weights), on_frames(machine, pose, whole, at.pushes)


def _axis(
    at: Loaded, k: int, actuator_compliance: Value, rotor: Value | float | None
) -> tuple[Value, tuple[_Sliding | None, ...]]:
    """Return the stiffness of a leg along it (nxn), and what slides: piston, stage and rotor.

    A rotor without a spring ahead moves with the piston.
    """
    leg, row, springs = at.legs[k], at.row(k), springs_of(at.machine, k)
    with_piston = not leg.connector.is_rigid and springs.rigid_behind
    turned = None if with_piston else rotor
    behind = springs.behind(leg.at.l) + (actuator_compliance if turned is None else 0)
    ahead, holding = springs.ahead(), reciprocal(actuator_compliance)
    swings, stage = leg.connector.decoupling, None
    if swings is not None:
        stage = _Sliding(weight_by(at, k, swings.mass), swings.stiffness, swings.mass)
    if leg.connector.is_rigid:
        spring = reciprocal(behind + ahead)
        turning = None if turned is None else _Sliding(-row.T * spring, spring + holding, turned)
        return row.T @ row * spring, (None, stage, turning)
    spring, driving = reciprocal(ahead), reciprocal(behind)
    mass = leg.leg.piston.mass + (rotor if rotor is not None and with_piston else 0)
    piston = _Sliding(
        weight_by(at, k, leg.leg.piston.mass) - row.T * spring, spring + driving, mass
    )
    none = ca.DM(*row.T.shape)
    turning = None if turned is None else _Sliding(none, driving + holding, turned, -driving)
    return row.T @ row * spring, (piston, stage, turning)


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
    platform = derivative(partial(momentum, as_one_body(machine, at.legs), pose), AT_REST)
    pistons, stages = [], []
    for leg in at.legs:
        along = vector(leg.at.s, cross(leg.leg.base, leg.at.s))
        if not leg.connector.is_rigid:
            pistons.append(leg.leg.piston.mass * along)
        if leg.connector.decoupling is not None:
            stages.append(leg.connector.decoupling.mass * along)
    return ca.horzcat(platform, *pistons, *stages)


def joint_damping(machine: Machine, frictions: Sequence[FrictionLaw], pose: Value) -> Value:
    """The wrench by the platform's twist (6x6) [N s/m, N s] that viscous friction of joints takes.

    Dry friction has no part in small vibrations.
    """
    viscous = [friction.viscous for friction in frictions]
    if not viscous:
        return ca.DM.zeros(6, 6)
    return -derivative(partial(friction_wrench, machine, viscous, pose), AT_REST)


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
