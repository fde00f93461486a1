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

from gough.equations import dynamics
from gough.equations.actuators.compliant_leg import (
    CompliantLeg,
    Inner,
    as_one_body,
    fixed_and_sliding_moments,
    legs_of,
    resting_stage,
    unloaded_position,
)
from gough.equations.actuators.connector import Connector
from gough.equations.dynamics import AT_REST
from gough.equations.elastic.frames import on_frames
from gough.equations.elastic.joints import joint_stiffness
from gough.equations.elastic.springs import LegSprings
from gough.equations.legs import closure
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
    J: Value


def stiffness(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """K (6x6) [N/m, N, N m/rad] of the platform: the wrench that a small displacement takes.

    Each actuator yields by its compliance [m/N]: 0 is one that is held, 1/gain one under position
    control, inf one that keeps its force.
    """
    at = loaded(machine, pose, force)
    K = own_stiffness(at)
    for k, leg in enumerate(at.legs):
        row, springs = at.J[k, :], springs_of(machine, k)
        behind, ahead = springs.behind(leg.at.l) + actuator_compliance[k], springs.ahead()
        K += row.T @ row * reciprocal(behind + ahead)
        if not leg.connector.is_rigid:
            share = reciprocal(1 + ahead * reciprocal(behind))  # of a displacement that E takes
            weight = piston_weight(leg, at)
            mixed = row.T @ weight.T
            K += share * (mixed + mixed.T) - ahead * share * (weight @ weight.T)
        if leg.connector.decoupling is not None:
            weight = stage_weight(leg, at)
            K -= weight @ weight.T / leg.connector.decoupling.stiffness
    return on_frames(machine, pose, K)


def compliance(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """K⁻¹ (6x6) [m/N, rad/N, rad/(N m)]: how a wrench on the platform displaces it."""
    return solve(stiffness(machine, pose, force, actuator_compliance), ca.DM.eye(6))


def deflection(machine: Machine, pose: Value, wrench: Value, actuator_compliance: Value) -> Value:
    """How far a small wrench moves the platform (6) [m, rad] that holds its own weight.

    Way of its origin and rotation vector, both in base axes.
    """
    held = dynamics.default.joint_gravity(machine, pose)
    return solve(stiffness(machine, pose, held, actuator_compliance), wrench)


def springs_of(machine: Machine, k: int) -> LegSprings:
    """The springs of a leg, which every leg of an elastic machine has."""
    springs = machine.legs[k].springs
    assert springs is not None
    return springs


def connectors_of(machine: Machine) -> list[Connector]:
    """The connectors of all legs."""
    return [springs_of(machine, k).connector for k in range(len(machine.legs))]


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
    return Loaded(machine, pose, placed, along, closure.jacobian(machine, pose))


def own_stiffness(at: Loaded) -> Value:
    """What legs of constant force have (6x6): the geometric part, and that of their joints."""
    platform, gravity = at.machine.platform, at.machine.gravity
    c = rotation(at.pose) @ platform.center_of_mass
    K = _turning(c, platform.mass * gravity)
    for k, (leg, F) in enumerate(zip(at.legs, at.along, strict=True)):
        x = ca.SX.sym("span", 3)
        push = _push(leg, F, gravity, x)
        now, change = ca.substitute([push, ca.jacobian(push, x)], [x], [leg.at.l * leg.at.s])
        moved = _joint_step(leg)
        K += _turning(leg.at.b, now) - moved.T @ change @ moved
        joints = springs_of(at.machine, k).joints
        if joints is not None:
            K += joint_stiffness(leg.leg, joints, leg.at)
    return K


def piston_weight(leg: CompliantLeg, at: Loaded) -> Value:
    """How the piston's weight on the platform changes with E (6) [N/m, N]."""
    return -leg.leg.piston.mass * _turned_weight(leg, at)


def stage_weight(leg: CompliantLeg, at: Loaded) -> Value:
    """How the decoupling stage's weight on the platform changes with D (6) [N/m, N]."""
    stage = leg.connector.decoupling
    assert stage is not None
    return -stage.mass * _turned_weight(leg, at)


def one_body(at: Loaded) -> Machine:
    """The machine whose legs hold all that slides in them as it is now."""
    return as_one_body(at.machine, at.legs)


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


def _joint_step(leg: CompliantLeg) -> Value:
    """The step of the platform joint by that of the platform (3x6)."""
    return ca.horzcat(ca.DM.eye(3), -skew(leg.at.b))


def _turned_weight(leg: CompliantLeg, at: Loaded) -> Value:
    """How gravity along the leg changes as the platform moves (6) [1/s^2, m/s^2]."""
    across = (at.machine.gravity - leg.weight * leg.at.s) * leg.at.inverse_l
    return _joint_step(leg).T @ across
