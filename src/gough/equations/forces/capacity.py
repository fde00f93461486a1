"""Wrenches that the actuators can carry within their force limits, for one state.

Forces within ± F make J_uᵀ force a zonotope: the sum of as many segments as there are actuators. It
is what lies between pairs of parallel planes; a normal c of such a pair is at right angles to n - 1
rows of J_u, and the planes are at ± Σ F_i |c · J_i| [Gouttefarde & Krut 2010, for cable robots]. A
wrench can be carried if what the motion needs, less that wrench, lies between all of them. There
is no division by det J: flat zonotopes, of singular poses, are as exact as others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import combinations
from math import nan
from operator import mul

import casadi as ca

from gough.equations.forces.crossing import RequiredForces, move_units, needed
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.motion.singularity_measures import arm as characteristic_length
from gough.equations.spatial.algebra import Value, angular, dot, linear, norm

ROUNDING = 1e-14
"""Share of a wrench below which its component along a normal counts as zero."""
PARALLEL = 1e-12
"""Rows whose normal is as short beside the product of their lengths are dependent: no plane."""


def wrench_margin(
    required_forces: RequiredForces,
    machine: Machine,
    pose: Value,
    max_force: Value,
    twist: Value,
    acceleration: Value,
    wrench: Value,
) -> Value:
    """Return the maximum additional wrench that can be carried in every direction [N].

    Moments are divided by the characteristic length. The result is negative where the motion by
    itself exceeds the force limits, and zero at most where the machine is singular.
    """
    r = needed(required_forces, machine, pose, twist, acceleration, wrench)
    planes = _planes(machine, pose, max_force)
    least = reduce(ca.fmin, (apart - ca.fabs(dot(c, r)) for c, apart in planes))
    return ca.if_else(_known(r, max_force), least, nan)


def load_range(
    required_forces: RequiredForces,
    machine: Machine,
    pose: Value,
    max_force: Value,
    direction: Value,
    twist: Value,
    acceleration: Value,
    wrench: Value,
) -> Value:
    """From which to which multiple (2) of a wrench can act besides; NaN if none can.

    Infinite where no actuator feels it.
    """
    r = needed(required_forces, machine, pose, twist, acceleration, wrench)
    along = kinematics.twist_basis(machine, pose).T @ direction
    size = norm(linear(direction)) + norm(angular(direction)) / characteristic_length(machine)
    least: Value | float = -ca.inf
    most: Value | float = ca.inf
    for c, apart in _planes(machine, pose, max_force):
        here, slope = dot(c, r), dot(c, along)  # |here - λ slope| ≤ apart
        middle, half = here / slope, apart / ca.fabs(slope)
        beside = ca.if_else(ca.fabs(here) <= apart, ca.inf, -ca.inf)  # all of the ray, or nothing
        unfelt = ca.fabs(slope) <= ROUNDING * size
        least = ca.fmax(least, ca.if_else(unfelt, -beside, middle - half))
        most = ca.fmin(most, ca.if_else(unfelt, beside, middle + half))
    some = ca.logic_and(_known(r, max_force), least <= most)
    return ca.if_else(some, ca.vertcat(least, most), ca.DM.nan(2))


def _known(r: Value, max_force: Value) -> Value:
    """Whether all are numbers: `fmin` and `fmax` would hide one that is not."""
    return dot(r, r) + dot(max_force, max_force) >= 0


def _planes(machine: Machine, pose: Value, max_force: Value) -> Iterator[tuple[Value, Value]]:
    """Normals (n) of length one when scaled, and how far [N] their planes are from the middle."""
    unit = move_units(machine)
    J = kinematics.actuation_matrix(machine, pose)
    rows = [row.T * unit for row in ca.vertsplit(J)]
    for some in combinations(range(len(rows)), unit.numel() - 1):
        normal = _normal([rows[i] for i in some])
        size, largest = norm(normal), reduce(mul, (norm(rows[i]) for i in some), 1)
        apart = sum(
            max_force[i] * ca.fabs(dot(normal, rows[i])) for i in range(len(rows)) if i not in some
        )
        regular = size > PARALLEL * largest
        scale = ca.if_else(regular, 1 / size, 0)
        yield normal * unit * scale, ca.if_else(regular, apart * scale, ca.inf)


def _normal(rows: list[Value]) -> Value:
    """Return the vector (n) normal to n - 1 rows: their minors, with alternating signs."""
    n = len(rows) + 1
    minors: dict[tuple[int, ...], Value | float] = {(): 1}
    for depth, row in enumerate(reversed(rows), start=1):
        minors = {
            columns: sum(
                (-1) ** k * row[column] * minors[columns[:k] + columns[k + 1 :]]
                for k, column in enumerate(columns)
            )
            for columns in combinations(range(n), depth)
        }
    whole = tuple(range(n))
    return ca.vertcat(*((-1) ** k * minors[whole[:k] + whole[k + 1 :]] for k in range(n)))
