"""Small vibrations of a machine whose bearings yield: bodies that swing on them.

The coordinates are the platform's displacement V (way and rotation vector, base axes) and the
strains e of all bearings and rods. Every body keeps its shape and moves with both; rows that fix no
joint tie V and e together. The geometric part is that of the moves alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.freedom import Assembled, assembled
from gough.equations.mechanism.joint_rates import JointRates
from gough.equations.mechanism.linearization import geometric_stiffness
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.mass_centers import momentum_of
from gough.equations.mechanism.motions import Velocities, frames_of
from gough.equations.mechanism.network import parts, strained_legs
from gough.equations.mechanism.points import GROUND
from gough.equations.mechanism.rows import Twist
from gough.equations.mechanism.springs import Springs
from gough.equations.mechanism.stance import in_machine_axes
from gough.equations.mechanism.straining import rates_of_strain
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, skew


@dataclass(frozen=True)
class Swinging:
    """M z̈ + K z = 0 with A z = 0, without what holds the drives; z are n coordinates."""

    M: Value
    K: Value
    drives: Value
    """How drives move (m, n)."""
    ties: Value
    """A (k, n)."""
    momentum: Value
    """Linear and angular about the base's origin, by the rates of the coordinates (6, n)."""


def swinging(machine: Machine, pose: Value, force: Value) -> Swinging:
    """The matrices [SI] at a pose under efforts of the motors."""
    springs, at = machine.springs, assembled(machine, pose)
    assert springs is not None, "a machine that is not elastic"
    known, C = parts(at, springs, springs.motors)
    rows = [(ca.horzcat(part.N, part.P), part.k) for part in known]
    count = len(springs.motors)
    K = ca.diagcat(_geometric(machine, pose, force), solve(C, ca.DM.eye(C.shape[0])))
    for row, k in rows[count:]:
        if k is not None:
            K += k * (row.T @ row)
    moving = _unit_motions(at, springs)
    turned = ca.diagcat(in_machine_axes(machine, ca.DM.eye(6)), ca.DM.eye(C.shape[0]))
    drives = ca.vertcat(*(row for row, _ in rows[:count]))
    ties = ca.vertcat(ca.DM(0, turned.shape[0]), *(row for row, k in rows if k is None))
    return Swinging(
        turned.T @ _mass_matrix(machine, moving) @ turned,
        turned.T @ K @ turned,
        drives @ turned,
        ties @ turned,
        ca.horzcat(*(momentum_of(machine, velocities) for velocities in moving)) @ turned,
    )


def _geometric(machine: Machine, pose: Value, force: Value) -> Value:
    """On the platform's displacement (6x6), of which the moves are a part."""
    S, K = machine.freedom.S, geometric_stiffness(machine, pose, force)
    return S.T @ ((K + K.T) / 2) @ S


def _unit_motions(at: Assembled, springs: Springs) -> list[Velocities]:
    """How all bodies move by a unit of each coordinate."""
    frames, columns = frames_of(at.platform, at.legs), ca.horzsplit(ca.DM.eye(6))
    twists = (Twist(column[0:3], column[3:6]) for column in columns)
    found = [JointRates.of(at.platform, at.legs, twist).velocities for twist in twists]
    for leg in strained_legs(at, springs, frames):
        strains = range(len(leg.strains))
        found += [rates_of_strain(at, frames, leg, k).velocities for k in strains]
    return found


def _mass_matrix(machine: Machine, moving: list[Velocities]) -> Value:
    """Of all bodies with their true masses, by unit motions."""
    frames, M = moving[0].frames, ca.DM.zeros(1)
    for carrier, body in machine.description.masses.items():
        if carrier == GROUND:
            continue
        R = frames.axes(carrier)
        motion = ca.horzcat(*(ca.vertcat(*velocities.by_carrier[carrier]) for velocities in moving))
        ms = skew(R @ body.ms)
        own = ca.blockcat([[body.mass * ca.DM.eye(3), -ms], [ms, R @ body.inertia @ R.T]])
        M += motion.T @ own @ motion
    for rod in machine.description.loads.rods:
        near, far = (
            ca.horzcat(*(velocities.point(end) for velocities in moving))
            for end in (rod.line.near, rod.line.far)
        )
        M += rod.shared * (near.T @ far + far.T @ near)
    return M
