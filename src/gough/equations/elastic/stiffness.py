"""The stiffness of a hexapod whose legs yield: how its forces change as the platform moves.

About a pose at which the actuators' forces are given, in the coordinates δ of the platform (way and
rotation vector, base axes) and, of each leg with a connector, the piston's way E:

    K = Jᵀ k J + ∂(G - Jᵀ F)/∂δ + joints

The second part is geometric: forces F along the legs turn with them, and weights move. External
forces and moments on the platform keep their direction in base axes and act at its origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from gough.equations.actuators.compliant_leg import (
    CompliantLeg,
    Inner,
    as_one_body,
    fixed_and_sliding_moments,
    legs_of,
    resting_stage,
    unloaded_position,
)
from gough.equations.dynamics import AT_REST, NO_WRENCH
from gough.equations.elastic.frames import JointMotion, joint_motion, on_frames
from gough.equations.elastic.holding import holding_force
from gough.equations.elastic.joints import joint_stiffness
from gough.equations.elastic.springs import connectors_of, springs_of
from gough.equations.machine import Machine
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, reciprocal, rotation, skew


@dataclass(frozen=True)
class Loaded:
    """A machine at a pose, under forces of its actuators."""

    machine: Machine
    pose: Value
    legs: list[CompliantLeg]
    """Where their masses are."""
    along: list[Value]
    """Forces of the legs on the platform [N]; of a rigid leg with its piston's weight."""
    motions: list[JointMotion]
    """Of the platform joints."""

    def row(self, leg: int) -> Value:
        """How a leg's length changes (1xn)."""
        return self.legs[leg].at.s.T @ self.motions[leg].way


def stiffness(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """K (6x6) [N/m, N, N m/rad] of the platform: the wrench that a small displacement takes.

    Each actuator yields by its compliance [m/N]: 0 is one that is held, 1/gain one under position
    control, inf one that keeps its force.
    """
    at = loaded(machine, pose, force)
    K = own_stiffness(at, [_along(at, k, actuator_compliance[k]) for k in range(len(at.legs))])
    return on_frames(machine, pose, K, pushes(at))


def compliance(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """K⁻¹ (6x6) [m/N, rad/N, rad/(N m)]: how a wrench on the platform displaces it."""
    return solve(stiffness(machine, pose, force, actuator_compliance), ca.DM.eye(6))


def deflection(machine: Machine, pose: Value, wrench: Value, actuator_compliance: Value) -> Value:
    """How far a small wrench moves the platform (6) [m, rad] that holds its own weight.

    Way of its origin and rotation vector, both in base axes.
    """
    held = holding_force(machine, pose, NO_WRENCH)
    return solve(stiffness(machine, pose, held, actuator_compliance), wrench)


def loaded(machine: Machine, pose: Value, force: Value) -> Loaded:
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
    """What legs of constant force have (nxn): the geometric part, and that of their joints.

    With that of springs along the legs, if they are given by the ways of platform joints (3x3).
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
    """What the legs do to the platform joints [N]."""
    return [_push(at, k) for k in range(len(at.legs))]


def piston_weight(at: Loaded, leg: int) -> Value:
    """How the piston's weight on the platform changes with E (n) [N/m, N]."""
    return -at.legs[leg].leg.piston.mass * _turned_weight(at, leg)


def stage_weight(at: Loaded, leg: int) -> Value:
    """How the decoupling stage's weight on the platform changes with D (n) [N/m, N]."""
    stage = at.legs[leg].connector.decoupling
    assert stage is not None
    return -stage.mass * _turned_weight(at, leg)


def one_body(at: Loaded) -> Machine:
    """The machine whose legs hold all that slides in them as it is now."""
    return as_one_body(at.machine, at.legs)


def _along(at: Loaded, k: int, actuator_compliance: Value) -> Value:
    """What a leg's springs along it add, by the way of its platform joint (3x3) [N/m].

    Piston and stage go where they rest, which moves their weights.
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
    """What a leg of constant force F does to the platform joint [N].

    F s + first (g - (g·s) s)/l: its masses weigh on the joint as far as they turn about the base.
    The piston of a rigid leg follows its end.
    """
    leg, across = at.legs[k], _across(at, k)
    push = at.along[k] * leg.at.s + _turning_moment(leg) * across
    return push + leg.leg.piston.mass * at.machine.gravity if leg.connector.is_rigid else push


def _resisted(at: Loaded, k: int) -> Value:
    """How much less it pushes by the way of its platform joint (3x3) [N/m]."""
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
    """What a force at the end of an arm that turns with the platform adds (6x6) [N m/rad]."""
    return ca.diagcat(ca.DM.zeros(3, 3), -skew(force) @ skew(arm))


def _turned_weight(at: Loaded, k: int) -> Value:
    """How gravity along a leg changes as its platform joint moves (n) [1/s^2, m/s^2]."""
    return at.motions[k].way.T @ _across(at, k)


def _across(at: Loaded, k: int) -> Value:
    """The same by the way of its joint: gravity across the leg, by its length (3) [1/s^2]."""
    leg = at.legs[k]
    return (at.machine.gravity - leg.weight * leg.at.s) * leg.at.inverse_l
