"""Stiffness of a hexapod with compliant legs: change of its forces with the platform's position.

About a pose at which the actuators' forces are given, in the coordinates δ of the platform
(translation and rotation vector, base axes) and, of each leg with a connector, the piston's
displacement E:

    K = Jᵀ k J + ∂(G - Jᵀ F)/∂δ + joints

The second part is geometric: forces F along the legs turn with them, and weights move. External
forces and moments on the platform keep their direction in base axes and act at its origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from gough.equations.actuators import compliant_statics
from gough.equations.actuators.compliant_leg import (
    CompliantLeg,
    Inner,
    as_one_body,
    fixed_and_sliding_moments,
    legs_of,
    resting_stage,
    unloaded_position,
)
from gough.equations.actuators.connector import ConnectorLaw
from gough.equations.dynamics import AT_REST, NO_WRENCH
from gough.equations.elastic.frames import JointMotion, joint_motion, on_frames
from gough.equations.elastic.springs import JointSprings, LegSprings, connectors_of, springs_of
from gough.equations.legs.base_joint import angular_velocity
from gough.equations.legs.extensible import ExtensibleLegs, Leg
from gough.equations.legs.leg import LegPosition
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, angular, dot, linear, reciprocal, rotation, skew


@dataclass(frozen=True)
class Loaded:
    """A machine at a pose, under forces of its actuators."""

    machine: ExtensibleLegs
    pose: Value
    legs: list[CompliantLeg]
    """Where their masses are."""
    along: list[Value]
    """Forces of the legs on the platform [N]; of a rigid leg with its piston's weight."""
    motions: list[JointMotion]
    """Motions of the platform joints."""

    def row(self, leg: int) -> Value:
        """Return the derivative of a leg's length (1xn)."""
        return self.legs[leg].at.s.T @ self.motions[leg].way


def stiffness(
    machine: ExtensibleLegs, pose: Value, force: Value, actuator_compliance: Value
) -> Value:
    """Return K (6x6) [N/m, N, N m/rad] of the platform: the wrench for a small displacement.

    `actuator_compliance` [m/N] is 0 for a locked actuator, 1/gain under position control, and inf
    for an actuator of constant force.
    """
    at = loaded(machine, pose, force)
    K = own_stiffness(at, [_along(at, k, actuator_compliance[k]) for k in range(len(at.legs))])
    return on_frames(machine, pose, K, pushes(at))


def compliance(
    machine: ExtensibleLegs, pose: Value, force: Value, actuator_compliance: Value
) -> Value:
    """K⁻¹ (6x6) [m/N, rad/N, rad/(N m)]: how a wrench on the platform displaces it."""
    return solve(stiffness(machine, pose, force, actuator_compliance), ca.DM.eye(6))


def deflection(
    machine: ExtensibleLegs, pose: Value, wrench: Value, actuator_compliance: Value
) -> Value:
    """Return the displacement (6) [m, rad] of the platform, in balance with weights, by a wrench.

    Translation of its origin and rotation vector, both in base axes, to first order.
    """
    held = holding_force(machine, pose, NO_WRENCH)
    return solve(stiffness(machine, pose, held, actuator_compliance), wrench)


def loaded(machine: ExtensibleLegs, pose: Value, force: Value) -> Loaded:
    """The machine at a pose, its masses where the forces of the actuators hold them."""
    legs = legs_of(machine, connectors_of(machine), pose, AT_REST, Inner.none(len(machine.legs)))
    along, placed = [], []
    for k, leg in enumerate(legs):
        F = force[k] if leg.connector.is_rigid else force[k] + leg.leg.piston.mass * leg.weight
        E = unloaded_position(leg) + springs_of(machine, k).ahead() * F
        D = resting_stage(leg)
        along.append(F)
        placed.append(replace(leg, inner=replace(leg.inner, E=E, D=D)))
    motions = [joint_motion(machine, k, leg.at.b) for k, leg in enumerate(legs)]
    return Loaded(machine, pose, placed, along, motions)


def own_stiffness(at: Loaded, along: Sequence[Value] | None = None) -> Value:
    """Return the stiffness of legs of constant force (nxn): geometric part, and their joints'.

    `along` adds that of springs along the legs, by displacements of the platform joints (3x3).
    """
    platform, gravity = at.machine.platform, at.machine.gravity
    c = rotation(at.pose) @ platform.center_of_mass
    turning, K = _turning(c, platform.mass * gravity), ca.DM(0)
    for k, leg in enumerate(at.legs):
        turning += _turning(leg.at.b, _push(at, k))
        resisted = _resisted(at, k) if along is None else _resisted(at, k) + along[k]
        moved = at.motions[k].way
        K += moved.T @ resisted @ moved
        joints = springs_of(at.machine, k).joints
        if joints is not None:
            K += joint_stiffness(leg.leg, joints, leg.at, at.motions[k])
    return K + ca.diagcat(turning, ca.DM(K.shape[0] - 6, K.shape[0] - 6))


def pushes(at: Loaded) -> list[Value]:
    """Return the forces of the legs on the platform joints [N]."""
    return [_push(at, k) for k in range(len(at.legs))]


def piston_weight(at: Loaded, leg: int) -> Value:
    """Return the derivative of the piston's weight on the platform by E (n) [N/m, N]."""
    return -at.legs[leg].leg.piston.mass * _turned_weight(at, leg)


def stage_weight(at: Loaded, leg: int) -> Value:
    """Return the derivative of the decoupling stage's weight on the platform by D (n) [N/m, N]."""
    stage = at.legs[leg].connector.decoupling
    assert stage is not None
    return -stage.mass * _turned_weight(at, leg)


def one_body(at: Loaded) -> ExtensibleLegs:
    """The machine whose legs hold all that slides in them as it is now."""
    return as_one_body(at.machine, at.legs)


def _along(at: Loaded, k: int, actuator_compliance: Value) -> Value:
    """Return the stiffness of a leg's axial springs at its platform joint (3x3) [N/m].

    Piston and stage move to their equilibrium, which moves their weights.
    """
    leg, springs = at.legs[k], springs_of(at.machine, k)
    s, across = leg.at.s, _across(at, k)
    behind, ahead = springs.behind(leg.at.l) + actuator_compliance, springs.ahead()
    K = reciprocal(behind + ahead) * (s @ s.T)
    crossed = ca.DM(0)
    if not leg.connector.is_rigid:
        share = reciprocal(1 + ahead * reciprocal(behind))  # of a displacement that E takes
        m = leg.leg.piston.mass
        K -= share * m * _mixed(s, across)
        crossed += ahead * share * m**2
    if leg.connector.decoupling is not None:
        stage = leg.connector.decoupling
        crossed += stage.mass**2 / stage.stiffness
    return K - crossed * (across @ across.T)


def _push(at: Loaded, k: int) -> Value:
    """Return the force of a leg of constant force F on the platform joint [N].

    F s + first (g - (g·s) s)/l: its masses load the joint by their moment about the base joint.
    The piston of a rigid leg follows its end.
    """
    leg, across = at.legs[k], _across(at, k)
    push = at.along[k] * leg.at.s + _turning_moment(leg) * across
    return push + leg.leg.piston.mass * at.machine.gravity if leg.connector.is_rigid else push


def _resisted(at: Loaded, k: int) -> Value:
    """Return the decrease of that force by displacement of the platform joint (3x3) [N/m]."""
    leg, first = at.legs[k], _turning_moment(at.legs[k])
    s, inverse_l = leg.at.s, leg.at.inverse_l
    sideways = inverse_l * (at.along[k] - first * leg.weight * inverse_l)
    turned = first * inverse_l * _mixed(s, _across(at, k))
    return turned - sideways * (ca.DM.eye(3) - s @ s.T)


def _turning_moment(leg: CompliantLeg) -> Value:
    """Σ m r [kg m] of what turns about the base joint and does not follow the platform."""
    first, _ = fixed_and_sliding_moments(leg)
    piston = leg.leg.piston
    return first - piston.mass * piston.center_of_mass if leg.connector.is_rigid else first


def _mixed(a: Value, b: Value) -> Value:
    """a bᵀ + b aᵀ."""
    return a @ b.T + b @ a.T


def _turning(arm: Value, force: Value) -> Value:
    """Return the stiffness of a force at an arm that turns with the platform (6x6) [N m/rad]."""
    return ca.diagcat(ca.DM.zeros(3, 3), -skew(force) @ skew(arm))


def _turned_weight(at: Loaded, k: int) -> Value:
    """Return the derivative of gravity along a leg by the coordinates (n) [1/s^2, m/s^2]."""
    return at.motions[k].way.T @ _across(at, k)


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
    return compliant_statics.static_solution(
        machine, list(map(_one_spring, springs)), pose, wrench
    ).force


def _one_spring(springs: LegSprings) -> ConnectorLaw:
    """The connector whose stiffness is that of all springs between piston and platform."""
    if springs.connector.is_rigid:
        return springs.connector
    return replace(springs.connector, stiffness=1 / springs.ahead(), coupling=None)


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
    twisted = _twist(leg, at) @ ca.vertcat(motion.way, motion.turn)
    return bent + springs.torsion * (twisted.T @ twisted)


def _twist(leg: Leg, at: LegPosition) -> Value:
    """By how much the platform joint turns about the leg, against the leg itself (1x6)."""
    step = ca.SX.sym("step", 6)
    s_dot = (linear(step) - dot(at.s, linear(step)) * at.s) * at.inverse_l
    against = dot(at.s, angular(step) - angular_velocity(leg.base_joint, at.s, s_dot))
    return ca.jacobian(against, step)
