"""A leg's rates from its rows, in the order that was found when the machine was read.

First the rows that fix the driven joints, then one group of passive joints after the other: nearly
always a single row that has a single unknown left. Rates and rows may be matrices of several
columns each: lists of 1xn rows.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from gough.equations.machine import EliminationPlan
from gough.equations.solvers.linear import bounded, factorise, solve
from gough.equations.spatial.algebra import Value, reciprocal

Matrix = list[list[Value]]
Stage = tuple[tuple[int, ...], tuple[int, ...]]  # rows and joints of a group
SMALL = 3  # larger groups have determinants that are too long


@dataclass(frozen=True)
class Elimination:
    """The rows A of a leg, ready to be solved."""

    plan: EliminationPlan
    A: Matrix

    @cached_property
    def mixed(self) -> list[list[Value]]:
        """By driven row: how much of each passive row is added to free it of passive joints."""
        none = [ca.DM.zeros(1)] * len(self.A)
        opposite = ([-a for a in self.A[row]] for row in self.plan.driven_rows)
        return [none if self.plan.free else self.passive_multipliers(f) for f in opposite]

    @cached_property
    def pivot(self) -> Value:
        """Remainder of the driven rows: a matrix over the driven joints."""
        plan, A = self.plan, self.A
        rows = [
            [A[row][j] + _sum(y[r] * A[r][j] for r in plan.passive_rows) for j in plan.driven]
            for row, y in zip(plan.driven_rows, self.mixed, strict=True)
        ]
        return ca.blockcat(rows) if rows else ca.DM(0, 0)

    def pivots(self) -> list[Value]:
        """Determinants of the driven rows and of passive groups: 0 where solutions meet."""
        blocks = [self.pivot] if self.plan.driven else []
        blocks += [_part(self.A, *stage) for stage in self.plan.stages]
        return [
            ca.det(ca.SX(A)) if A.shape[0] <= SMALL else factorise(A).determinant for A in blocks
        ]

    def freed(self, values: Sequence[Value]) -> list[Value]:
        """Values of the driven rows, freed of passive joints: the right-hand sides of the pivot."""
        passive, pairs = self.plan.passive_rows, zip(self.plan.driven_rows, self.mixed, strict=True)
        return [values[row] + _sum(y[r] * values[r] for r in passive) for row, y in pairs]

    def solved(self, values: Sequence[Value]) -> list[Value]:
        """x of A x = values, for all joints."""
        return self.solved_passive(values, self._block(None, self.freed(values)))

    def solved_passive(
        self, values: Sequence[Value], driven: Sequence[Value] | None = None
    ) -> list[Value]:
        """x of the passive rows of A x = values, for all joints, from the driven ones (or zero)."""
        x: list[Value] = [ca.DM.zeros(1)] * len(self.A[0])
        known = self.plan.driven
        if driven is not None:
            _put(x, known, driven)
        for rows, columns in self.plan.stages:
            rest = [values[r] - _sum(self.A[r][j] * x[j] for j in known) for r in rows]
            _put(x, columns, self._block((rows, columns), rest))
            known += columns
        return x

    def solved_in_turn(self, values: Callable[[Sequence[Value]], Sequence[Value]]) -> list[Value]:
        """x, where `values` of the x that are known so far already has their share taken off."""
        x: list[Value] = [ca.DM.zeros(1)] * len(self.A[0])
        _put(x, self.plan.driven, self._block(None, self.freed(values(x))))
        for rows, columns in self.plan.stages:
            now = values(x)
            _put(x, columns, self._block((rows, columns), [now[r] for r in rows]))
        return x

    def passive_multipliers(self, forces: Sequence[Value]) -> list[Value]:
        """λ, by row, that balances the passive joints' forces without any of the driven rows.

        Aᵀ λ = forces in the passive joints, the last group first.
        """
        stages, A = self.plan.stages, self.A
        multipliers: list[Value] = [ca.DM.zeros(1)] * len(A)
        for k in reversed(range(len(stages))):
            rows, columns = stages[k]
            later = [r for later_rows, _ in stages[k + 1 :] for r in later_rows]
            rest = [forces[j] - _sum(A[r][j] * multipliers[r] for r in later) for j in columns]
            _put(multipliers, rows, self._block((rows, columns), rest, transposed=True))
        return multipliers

    def motor_forces(self, forces: Sequence[Value], multipliers: Sequence[Value]) -> Value:
        """Return the motors' efforts without those of the driven rows: the leg's own part."""
        A, rows = self.A, self.plan.passive_rows
        borne = {j: _sum(A[r][j] * multipliers[r] for r in rows) for j in self.plan.driven}
        return ca.vertcat(*(forces[j] - share for j, share in borne.items()))

    def with_driven(self, multipliers: Sequence[Value], phi: Value) -> list[Value]:
        """All multipliers: those that passive joints ask for, and φ of the driven rows."""
        full = list(multipliers)
        for k, (row, y) in enumerate(zip(self.plan.driven_rows, self.mixed, strict=True)):
            full[row] = full[row] + phi[k]
            for r in self.plan.passive_rows:
                full[r] = full[r] + y[r] * phi[k]
        return full

    def balancing(self, forces: Sequence[Value], effort: Value) -> list[Value]:
        """λ, by row, that balances forces in all joints and efforts of the driven ones, at once."""
        plan, n = self.plan, len(self.A[0])
        rows, loads = [*plan.driven_rows, *plan.passive_rows], list(forces)
        for k, joint in enumerate(plan.driven):
            loads[joint] += effort[k]
        multipliers: list[Value] = [ca.DM.zeros(1)] * len(self.A)
        found = solve(_part(self.A, rows, range(n)).T, ca.vertcat(*loads))
        _put(multipliers, rows, ca.vertsplit(found))
        return multipliers

    def driven_multipliers(self, forces: Value) -> Value:
        """φ of the driven rows that gives the driven joints these forces: pivotᵀ φ = forces."""
        if not self.plan.driven:
            return ca.DM(0, 1)
        return ca.vertcat(*self._block(None, ca.vertsplit(forces), transposed=True))

    def freed_of_passive(self, row: int) -> list[Value]:
        """Weights of all rows by which a row that is left over is freed of passive joints."""
        weights = self.passive_multipliers([-a for a in self.A[row]])
        weights[row] = ca.DM.ones(1)
        return weights

    def left_over(self, row: int) -> list[Value]:
        """Weights of all rows by which a row that is left over is freed of all joints."""
        forces = [-a for a in self.A[row]]
        passive = self.passive_multipliers(forces)
        phi = self.driven_multipliers(self.motor_forces(forces, passive))
        weights = self.with_driven(passive, phi)
        weights[row] = ca.DM.ones(1)
        return weights

    def _block(
        self, stage: Stage | None, values: Sequence[Value], *, transposed: bool = False
    ) -> list[Value]:
        """x of A x = values, both given row by row, of a stage, or of the pivot."""
        if not values:
            return []
        A = self.pivot if stage is None else _part(self.A, *stage)
        A = A.T if transposed else A
        if len(values) == 1:
            x = values[0] if ca.SX(A).is_one() else values[0] * reciprocal(A[0, 0])
            return [bounded(x)]
        return list(ca.vertsplit(solve(A, ca.vertcat(*values))))


def _part(A: Matrix, rows: Sequence[int], columns: Sequence[int]) -> Value:
    return ca.blockcat([[A[r][j] for j in columns] for r in rows])


def _put(x: list[Value], places: Sequence[int], values: Sequence[Value]) -> None:
    for place, value in zip(places, values, strict=True):
        x[place] = value


def _sum(terms: Iterable[Value]) -> Value:
    return sum(terms, ca.DM.zeros(1))
