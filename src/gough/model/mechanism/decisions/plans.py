"""Which rows of a leg fix which joints: decided on samples, once for the machine."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gough.arrays import Array
from gough.equations.machine import EliminationPlan
from gough.errors import RobotError
from gough.model.mechanism.decisions.samples import Sample

ZERO = 1e-11  # a coefficient that is as small on all samples is zero
SMALL = 3  # maximum number of rows in a group that determines as many joints by itself

Stage = tuple[tuple[int, ...], tuple[int, ...]]


def plan_of(A: Sequence[Array], driven: tuple[int, ...], name: str) -> EliminationPlan:
    """The plan of a leg whose rows were A on each of the samples."""
    stack = np.array(A)
    count, joints = stack.shape[1:]
    passive = [j for j in range(joints) if j not in driven]
    free = _free_rows(stack, driven, passive)
    rest = [r for r in range(count) if r not in free]
    stages = _stages(stack, rest, passive, name)
    if len(free) == len(driven):
        return EliminationPlan(driven, tuple(free), True, stages)
    return EliminationPlan(driven, _driven_rows(stack, driven, stages, name), False, stages)


def used_rows(plan: EliminationPlan) -> set[int]:
    """Rows that fix joints."""
    return set(plan.driven_rows).union(*(rows for rows, _ in plan.stages))


def with_constraints(
    plans: Sequence[EliminationPlan], samples: Sequence[Sample], S: Array
) -> list[EliminationPlan]:
    """Return the plans with the best conditioned platform constraints."""
    outside = complement(S * samples[0].scales)
    count = len(outside)
    if not count:
        return list(plans)
    places, numbers = [], []
    for leg, plan in enumerate(plans):
        for row in sorted(set(range(len(samples[0].B[leg]))) - used_rows(plan)):
            K = np.array([_left_over(s.A[leg], s.B[leg], plan, row) for s in samples])
            places.append((leg, row))
            numbers.append(K @ outside.T)
    chosen = [places[k] for k in independent_rows(np.stack(numbers, axis=1))]
    if len(chosen) < count:
        raise RobotError(
            f"no {count} constraint rows hold the platform at all states near home: the best "
            f"choice has {len(chosen)}",
            key="platform.home",
            expected="a home farther from configurations in which the platform gains a freedom",
        )
    return [
        replace(plan, left=tuple(row for leg, row in chosen if leg == number))
        for number, plan in enumerate(plans)
    ]


def complement(S: Array) -> Array:
    """Orthonormal rows across those of S: coordinate axes where S is made of them."""
    Q = np.linalg.qr(S.T, mode="complete")[0][:, len(S) :].T
    untouched = [k for k in range(S.shape[1]) if not S[:, k].any()]
    if len(untouched) == len(Q):
        return np.eye(S.shape[1])[untouched]
    return Q


def _left_over(A: Array, B: Array, plan: EliminationPlan, row: int) -> Array:
    """Return a row over V when all joints are eliminated."""
    used = sorted(used_rows(plan))
    if not used:
        return np.asarray(B[row])
    return np.asarray(B[row] - np.linalg.solve(A[used].T, A[row]) @ B[used])


def _free_rows(A: Array, driven: tuple[int, ...], passive: list[int]) -> list[int]:
    """Rows without passive joints, one for each driven joint and the surest ones, if there are."""
    rows = [r for r in range(A.shape[1]) if not _touches(A, r, passive)]
    chosen: list[int] = []
    for j in driven:
        left = [r for r in rows if r not in chosen and _touches(A, r, [j])]
        if not left:
            return []
        chosen.append(left[first_of_best(np.abs(A[:, left, j]).min(axis=0))])
    block = A[:, chosen][:, :, list(driven)]
    return chosen if not driven or np.abs(np.linalg.det(block)).min() > ZERO else []


def _stages(A: Array, rows: list[int], passive: list[int], name: str) -> tuple[Stage, ...]:
    """Small groups of rows with as many unknowns one after the other, then the rest as one."""
    rows, unknown, stages = list(rows), list(passive), []
    while unknown:
        stage = _smallest(A, rows, unknown)
        if stage is None:
            what, block = f"{len(unknown)} joints of this leg", A[:, rows][:, :, unknown]
            stage = tuple(rows[k] for k in _rows_that_fix(block, what, name)), tuple(unknown)
        stages.append(stage)
        rows = [r for r in rows if r not in stage[0]]
        unknown = [j for j in unknown if j not in stage[1]]
    return tuple(stages)


def _smallest(A: Array, rows: list[int], unknown: list[int]) -> Stage | None:
    """The smallest group of rows that have as many unknowns, if there are some; the surest one.

    A group is as sure as its smallest singular value on all samples.
    """
    touched = {r: frozenset(j for j in unknown if _touches(A, r, [j])) for r in rows}
    for size in range(1, SMALL + 1):
        groups = [
            (group, tuple(sorted(frozenset().union(*(touched[r] for r in group)))))
            for group in combinations([r for r in rows if touched[r]], size)
        ]
        determined = [(group, joints) for group, joints in groups if len(joints) == size]
        blocks = [A[:, list(group)][:, :, list(joints)] for group, joints in determined]
        sure = np.array([np.linalg.svd(block, compute_uv=False).min() for block in blocks])
        if sure.max(initial=0.0) > RANK:
            return determined[first_of_best(sure)]
    return None


def _driven_rows(
    A: Array, driven: tuple[int, ...], stages: tuple[Stage, ...], name: str
) -> tuple[int, ...]:
    """Rows that, freed of passive joints, fix the driven ones best."""
    used = [r for rows, _ in stages for r in rows]
    passive = [j for _, columns in stages for j in columns]
    rest = [r for r in range(A.shape[1]) if r not in used]
    freed = []
    for a in A:
        taken = a[np.ix_(rest, passive)] @ np.linalg.inv(a[np.ix_(used, passive)])
        freed.append(a[np.ix_(rest, list(driven))] - taken @ a[np.ix_(used, list(driven))])
    return tuple(rest[k] for k in _rows_that_fix(freed, "all driven joints of this leg", name))


def _rows_that_fix(states: Sequence[Array] | Array, what: str, name: str) -> list[int]:
    """Rows that fix joints, the columns, at each state near home; RobotError if there are none."""
    count = states[0].shape[1]
    if min(np.linalg.matrix_rank(rows, tol=RANK) for rows in states) < count:
        expected = "a leg whose joints cannot move while the platform stands still"
        problem = f"the platform's pose does not determine {what}"
        raise RobotError(problem, key=name, expected=expected)
    chosen = independent_rows(states)
    if len(chosen) < count:
        problem = f"no choice of constraint rows determines {what} at all states near home: the"
        expected = "a home farther from singular configurations of the leg"
        raise RobotError(f"{problem} best one fixes {len(chosen)}", key=name, expected=expected)
    return chosen


def _touches(A: Array, row: int, joints: list[int]) -> bool:
    return bool(np.abs(A[:, row, joints]).max(initial=0.0) > ZERO)


RANK = 1e-8
"""A row that adds less at some state, as a share of what all rows see there, adds nothing."""
AS_GOOD = 0.99
"""The first choice with this share of the best is taken: of equal ones rounding decides nothing."""


def independent_rows(states: Iterable[Array]) -> list[int]:
    """Rows that see at each state all that all rows see, given by state as (rows, columns).

    Each adds most, at the worst state, to those before it; fewer where no row is good at all
    states. States at which all rows together see less than elsewhere are left out. Each state is
    checked by itself: rows that depend on each other at every one, by numbers that change, look
    independent when the states are stacked.
    """
    spaces = [_column_space(rows) for rows in states]
    rank = max(space.shape[1] for space in spaces)
    left = np.array([space for space in spaces if space.shape[1] == rank])
    chosen: list[int] = []
    for _ in range(rank):
        added = np.linalg.norm(left, axis=2).min(axis=0)
        if added.max() < RANK:
            break
        chosen.append(first_of_best(added))
        along = left[:, chosen[-1]] / np.linalg.norm(left[:, chosen[-1]], axis=1, keepdims=True)
        left = left - (left @ along[:, :, None]) * along[:, None, :]
    return sorted(chosen)


def first_of_best(values: Array) -> int:
    """Return the place of the first number that is as good as the maximum."""
    return int(np.argmax(values >= AS_GOOD * values.max()))


def _column_space(rows: Array) -> Array:
    """Orthonormal columns (rows, rank): the rows in coordinates in which all together are even."""
    U, sigma, _ = np.linalg.svd(rows, full_matrices=False)
    return U[:, : int((sigma > RANK * sigma.max(initial=0.0)).sum())]
