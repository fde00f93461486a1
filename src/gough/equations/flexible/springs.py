"""Energy of joints that yield: bearings where they should be rigid, flexures in their freedoms."""

from __future__ import annotations

import casadi as ca

from gough.equations.flexible.machine import Bearing, Cut, Flexure, Machine
from gough.equations.flexible.recursion import Tree
from gough.equations.spatial.algebra import Value, cross, dot

NEAR_HOME = 1e-4
"""sin² of half an angle below which the angle's square is its series, to rounding error."""


def spring_energy(machine: Machine, z: Value) -> Value:
    """½ Σ k strain² [J] of all bearings and flexures; they are unstrained at home."""
    tree = Tree.of(machine, z)
    return sum((_energy(tree, spring) for spring in machine.springs), ca.SX(0))


def gap(tree: Tree, cut: Cut) -> Value:
    """Displacements [m] and sines of angles between the sides of a joint, row by row."""
    (R, p), (R_far, p_far) = tree.placed(cut.first), tree.placed(cut.second)
    angles = (dot(R @ a, R_far @ b) - dot(a, b) for a, b in cut.pairs)
    return ca.vertcat(cut.ways @ (R.T @ (p_far - p)), *angles)


def _energy(tree: Tree, spring: Bearing | Flexure) -> Value:
    if isinstance(spring, Bearing):
        strains = gap(tree, spring.rows)
        return dot(spring.stiffness, strains * strains) / 2
    return spring.stiffness * _squares(tree, spring) / 2


def _squares(tree: Tree, flexure: Flexure) -> Value:
    """Sum of the squares of a joint's positions [m^2, rad^2] from home."""
    (R, p), (R_far, p_far) = tree.placed(flexure.first), tree.placed(flexure.second)
    turn = R.T @ R_far
    if not flexure.axes:
        return _square_of_angle(turn)
    a, b = flexure.axes[0], flexure.axes[-1]
    if flexure.slides:
        return dot(a, R.T @ (p_far - p)) ** 2
    if len(flexure.axes) == 1:
        aside = _aside(a)
        return _angle(a, aside, turn @ aside) ** 2
    return _angle(a, b, turn @ b) ** 2 + _angle(b, a, turn.T @ a) ** 2


def _angle(axis: Value, start: Value, now: Value) -> Value:
    """The angle [rad] about an axis from one direction to another."""
    return ca.atan2(
        dot(axis, cross(start, now)), dot(start, now) - dot(axis, start) * dot(axis, now)
    )


def _aside(axis: Value) -> Value:
    """A direction across an axis."""
    k = min(range(3), key=lambda i: abs(float(axis[i])))
    return cross(axis, ca.DM.eye(3)[:, k])


def _square_of_angle(turn: Value) -> Value:
    """θ² [rad^2] of a rotation matrix, smooth at the unit matrix: of h = sin²(θ/2)."""
    h = (3 - ca.trace(turn)) / 4
    series = 4 * h * (1 + h / 3 * (1 + 8 * h / 15 * (1 + 9 * h / 14)))
    near = h < NEAR_HOME
    return ca.if_else(near, series, 4 * ca.asin(ca.sqrt(ca.if_else(near, 0.5, h))) ** 2)
