"""The stiffness of a hexapod whose legs yield: how its forces change as the platform moves.

About a pose at which the actuators' forces are given, in the coordinates δ of the platform (way and
rotation vector, base axes) and, of each leg with a connector, the piston's way E:

    K = Jᵀ k J + ∂(G - Jᵀ F)/∂δ + joints

The second part is geometric: forces F along the legs turn with them, and weights move. External
forces and moments on the platform keep their direction in base axes and act at its origin.
"""

from __future__ import annotations

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
from gough.equations.spatial.algebra import Value, dot, norm, reciprocal, rotation, skew


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
    K = own_stiffness(at)
    for k, leg in enumerate(at.legs):
        row, springs = at.row(k), springs_of(machine, k)
        behind, ahead = springs.behind(leg.at.l) + actuator_compliance[k], springs.ahead()
        K += row.T @ row * reciprocal(behind + ahead)
        if not leg.connector.is_rigid:
            share = reciprocal(1 + ahead * reciprocal(behind))  # of a displacement that E takes
            weight = piston_weight(at, k)
            mixed = row.T @ weight.T
            K += share * (mixed + mixed.T) - ahead * share * (weight @ weight.T)
        if leg.connector.decoupling is not None:
            weight = stage_weight(at, k)
            K -= weight @ weight.T / leg.connector.decoupling.stiffness
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


def own_stiffness(at: Loaded) -> Value:
    """What legs of constant force have (nxn): the geometric part, and that of their joints."""
    platform, gravity = at.machine.platform, at.machine.gravity
    c = rotation(at.pose) @ platform.center_of_mass
    turning, K = _turning(c, platform.mass * gravity), ca.DM(0)
    for k, leg in enumerate(at.legs):
        push, change = _push_and_change(at, k)
        moved = at.motions[k].way
        turning += _turning(leg.at.b, push)
        K -= moved.T @ change @ moved
        joints = springs_of(at.machine, k).joints
        if joints is not None:
            K += joint_stiffness(leg.leg, joints, leg.at, at.motions[k])
    return K + ca.diagcat(turning, ca.DM(K.shape[0] - 6, K.shape[0] - 6))


def pushes(at: Loaded) -> list[Value]:
    """What the legs do to the platform joints [N]."""
    return [_push_and_change(at, k)[0] for k in range(len(at.legs))]


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


def _push_and_change(at: Loaded, k: int) -> tuple[Value, Value]:
    """What a leg of constant force does to the platform joint [N], and how by its step [N/m]."""
    leg, span = at.legs[k], ca.SX.sym("span", 3)
    push = _push(leg, at.along[k], at.machine.gravity, span)
    now = [push, ca.jacobian(push, span)]
    push, change = ca.substitute(now, [span], [leg.at.l * leg.at.s])
    return push, change


def _push(leg: CompliantLeg, F: Value, gravity: Value, span: Value) -> Value:
    """What a leg of constant force does to the platform joint [N], at an end of its own.

    Its masses weigh on the joint as far as they turn about the base; the piston of a rigid leg
    follows its end.
    """
    l = norm(span)
    s = span / l
    across = (gravity - dot(gravity, s) * s) / l
    first, _ = fixed_and_sliding_moments(leg)
    if not leg.connector.is_rigid:
        return F * s + first * across
    piston = leg.leg.piston
    return F * s + piston.mass * gravity + (first - piston.mass * piston.center_of_mass) * across


def _turning(arm: Value, force: Value) -> Value:
    """What a force at the end of an arm that turns with the platform adds (6x6) [N m/rad]."""
    return ca.diagcat(ca.DM.zeros(3, 3), -skew(force) @ skew(arm))


def _turned_weight(at: Loaded, k: int) -> Value:
    """How gravity along a leg changes as its platform joint moves (n) [1/s^2, m/s^2]."""
    leg = at.legs[k]
    across = (at.machine.gravity - leg.weight * leg.at.s) * leg.at.inverse_l
    return at.motions[k].way.T @ across
