"""A leg's rates from its rows, in the order that was found when the machine was read.

First the rows that fix the driven joints, then one group of passive joints after the other: nearly
always a single row that has a single unknown left. Rates and rows may be matrices of several
columns each: lists of 1xn rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.machine import EliminationPlan
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, reciprocal

Matrix = list[list[Value]]
SMALL = 3
"""Larger groups have determinants that are too long."""


@dataclass(frozen=True)
class Elimination:
    """The rows A of a leg, ready to be solved."""

    plan: EliminationPlan
    A: Matrix
    mixed: list[list[Value]]
    """By driven row: how much of each passive row is to be added to free it of passive joints."""
    pivot: Value
    """Remainder of the driven rows: a matrix over the driven joints."""


def eliminated(plan: EliminationPlan, A: Matrix) -> Elimination:
    """Prepare a leg's rows."""
    mixed = [_mixed(plan, A, row) for row in plan.driven_rows]
    pivot = [
        [A[row][j] + _sum(y[r] * A[r][j] for r in passive_rows(plan)) for j in plan.driven]
        for row, y in zip(plan.driven_rows, mixed, strict=True)
    ]
    return Elimination(plan, A, mixed, ca.blockcat(pivot) if pivot else ca.DM(0, 0))


def serial_pivot(e: Elimination) -> Value:
    """The determinant of the driven rows: zero in a serial singularity."""
    return ca.det(ca.SX(e.pivot))


def passive_pivots(e: Elimination) -> list[Value]:
    """Determinants of the groups of passive joints, but for large groups."""
    small = (stage for stage in e.plan.stages if len(stage[0]) <= SMALL)
    return [ca.det(ca.SX(_part(e.A, *stage))) for stage in small]


def pivots(e: Elimination) -> list[Value]:
    """All of them: where one changes its sign, two solutions of the leg have met."""
    driven = [serial_pivot(e)] if e.plan.driven else []
    return driven + passive_pivots(e)


def passive_rows(plan: EliminationPlan) -> list[int]:
    """The rows that fix passive joints."""
    return [row for rows, _ in plan.stages for row in rows]


def freed(e: Elimination, values: Sequence[Value]) -> list[Value]:
    """Values of the driven rows, freed of passive joints: the right-hand sides of the pivot."""
    return [
        values[row] + _sum(y[r] * values[r] for r in passive_rows(e.plan))
        for row, y in zip(e.plan.driven_rows, e.mixed, strict=True)
    ]


def solved(e: Elimination, values: Sequence[Value]) -> list[Value]:
    """x of A x = values, for all joints."""
    x: list[Value] = [ca.DM.zeros(1)] * len(e.A[0])
    _put(x, e.plan.driven, _block(e.pivot, freed(e, values)))
    return _with_passive(e, x, values)


def solved_passive(e: Elimination, values: Sequence[Value]) -> list[Value]:
    """x of the passive rows of A x = values, for all joints; zero for the driven ones."""
    x: list[Value] = [ca.DM.zeros(1)] * len(e.A[0])
    return _with_passive(e, x, values)


def solved_in_turn(
    e: Elimination, values: Callable[[Sequence[Value]], Sequence[Value]]
) -> list[Value]:
    """x, where `values` of the x that are known so far already has their share taken off."""
    x: list[Value] = [ca.DM.zeros(1)] * len(e.A[0])
    _put(x, e.plan.driven, _block(e.pivot, freed(e, values(x))))
    for rows, columns in e.plan.stages:
        now = values(x)
        _put(x, columns, _block(_part(e.A, rows, columns), [now[r] for r in rows]))
    return x


def passive_multipliers(e: Elimination, forces: Sequence[Value]) -> list[Value]:
    """λ, by row, that balances the passive joints' forces without any of the driven rows."""
    return _transposed(e.plan, e.A, forces)


def motor_forces(e: Elimination, forces: Sequence[Value], multipliers: Sequence[Value]) -> Value:
    """Return the motors' efforts without those of the driven rows: the leg's own part."""
    rows = passive_rows(e.plan)
    return ca.vertcat(
        *(forces[j] - _sum(e.A[r][j] * multipliers[r] for r in rows) for j in e.plan.driven)
    )


def with_driven(e: Elimination, multipliers: Sequence[Value], phi: Value) -> list[Value]:
    """All multipliers: those that passive joints ask for, and φ of the driven rows."""
    full = list(multipliers)
    for k, (row, y) in enumerate(zip(e.plan.driven_rows, e.mixed, strict=True)):
        full[row] = full[row] + phi[k]
        for r in passive_rows(e.plan):
            full[r] = full[r] + y[r] * phi[k]
    return full


def driven_multipliers(e: Elimination, forces: Value) -> Value:
    """φ of the driven rows that gives the driven joints these forces: pivotᵀ φ = forces."""
    if not e.plan.driven:
        return ca.DM(0, 1)
    return ca.vertcat(*_block(e.pivot.T, ca.vertsplit(forces)))


def freed_of_passive(e: Elimination, row: int) -> list[Value]:
    """Weights of all rows by which a row that is left over is freed of passive joints."""
    weights = passive_multipliers(e, [-a for a in e.A[row]])
    weights[row] = ca.DM.ones(1)
    return weights


def left_over(e: Elimination, row: int) -> list[Value]:
    """Weights of all rows by which a row that is left over is freed of all joints."""
    weights = _mixed_for_all(e, row)
    weights[row] = ca.DM.ones(1)
    return weights


def _with_passive(e: Elimination, x: list[Value], values: Sequence[Value]) -> list[Value]:
    """x with its passive joints, from the driven ones that are in it."""
    for rows, columns in e.plan.stages:
        known = e.plan.driven + _columns_before(e.plan, columns)
        rest = [values[r] - _sum(e.A[r][j] * x[j] for j in known) for r in rows]
        _put(x, columns, _block(_part(e.A, rows, columns), rest))
    return x


def _mixed_for_all(e: Elimination, row: int) -> list[Value]:
    forces = [-a for a in e.A[row]]
    passive = passive_multipliers(e, forces)
    return with_driven(e, passive, driven_multipliers(e, motor_forces(e, forces, passive)))


def _mixed(plan: EliminationPlan, A: Matrix, row: int) -> list[Value]:
    if plan.free:
        return [ca.DM.zeros(1)] * len(A)
    return _transposed(plan, A, [-a for a in A[row]])


def _transposed(plan: EliminationPlan, A: Matrix, forces: Sequence[Value]) -> list[Value]:
    """λ of the passive rows with Aᵀ λ = forces in the passive joints, the last group first."""
    multipliers: list[Value] = [ca.DM.zeros(1)] * len(A)
    for k in reversed(range(len(plan.stages))):
        rows, columns = plan.stages[k]
        later = [r for later_rows, _ in plan.stages[k + 1 :] for r in later_rows]
        rest = [forces[j] - _sum(A[r][j] * multipliers[r] for r in later) for j in columns]
        _put(multipliers, rows, _block(_part(A, rows, columns).T, rest))
    return multipliers


def _columns_before(plan: EliminationPlan, columns: tuple[int, ...]) -> tuple[int, ...]:
    known: tuple[int, ...] = ()
    for _, these in plan.stages:
        if these == columns:
            break
        known += these
    return known


def _part(A: Matrix, rows: Sequence[int], columns: Sequence[int]) -> Value:
    return ca.blockcat([[A[r][j] for j in columns] for r in rows])


def _block(A: Value, values: Sequence[Value]) -> list[Value]:
    """x of A x = values, both given row by row."""
    if not values:
        return []
    if len(values) == 1:
        return [values[0] if ca.SX(A).is_one() else values[0] * reciprocal(A[0, 0])]
    return list(ca.vertsplit(solve(A, ca.vertcat(*values))))


def _put(x: list[Value], places: Sequence[int], values: Sequence[Value]) -> None:
    for place, value in zip(places, values, strict=True):
        x[place] = value


def _sum(terms: Iterable[Value]) -> Value:
    return sum(terms, ca.DM.zeros(1))
