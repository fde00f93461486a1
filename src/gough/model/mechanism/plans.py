"""Which rows of a leg fix which joints: decided on samples, once for the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.linalg import qr

from gough.equations.mechanism.machine import Plan
from gough.errors import RobotError
from gough.model.mechanism.drawing import Array
from gough.model.mechanism.samples import Sample

ZERO = 1e-11
"""A coefficient that is as small on all samples is zero."""

Stage = tuple[tuple[int, ...], tuple[int, ...]]


def plan_of(A: Sequence[Array], driven: tuple[int, ...], name: str) -> Plan:
    """The plan of a leg whose rows were A on each of the samples."""
    stack = np.array(A)
    count, joints = stack.shape[1:]
    passive = [j for j in range(joints) if j not in driven]
    free = _free_rows(stack, driven, passive)
    rest = [r for r in range(count) if r not in free]
    stages = _stages(stack, rest, list(driven), passive, name)
    if len(free) == len(driven):
        return Plan(driven, tuple(free), True, stages)
    stages = _stages(stack, list(range(count)), list(driven), passive, name)
    return Plan(driven, _driven_rows(stack, driven, stages, name), False, stages)


def used_rows(plan: Plan) -> set[int]:
    """Rows that fix joints."""
    return set(plan.driven_rows).union(*(rows for rows, _ in plan.stages))


def with_constraints(plans: Sequence[Plan], samples: Sequence[Sample], S: Array) -> list[Plan]:
    """The plans with those left-over rows that say best what the platform cannot do."""
    outside = complement(S)
    count = len(outside)
    if not count:
        return list(plans)
    places, numbers = [], []
    for leg, plan in enumerate(plans):
        for row in sorted(set(range(len(samples[0].B[leg]))) - used_rows(plan)):
            K = np.array([_left_over(s.A[leg], s.B[leg], plan, row) for s in samples])
            places.append((leg, row))
            numbers.append((K @ outside.T).ravel())
    order = qr(np.array(numbers).T, mode="economic", pivoting=True)[2][:count]
    chosen = [places[k] for k in sorted(order)]
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


def _left_over(A: Array, B: Array, plan: Plan, row: int) -> Array:
    """What a row says of V when all joints are eliminated."""
    used = sorted(used_rows(plan))
    if not used:
        return np.asarray(B[row])
    weights = np.linalg.solve(A[used].T, A[row])
    return np.asarray(B[row] - weights @ B[used])


def _free_rows(A: Array, driven: tuple[int, ...], passive: list[int]) -> list[int]:
    """Rows without passive joints, one for each driven joint and the surest ones, if there are."""
    rows = [r for r in range(A.shape[1]) if not _touches(A, r, passive)]
    chosen: list[int] = []
    for j in driven:
        left = [r for r in rows if r not in chosen and _touches(A, r, [j])]
        if not left:
            return []
        chosen.append(max(left, key=lambda r: np.abs(A[:, r, j]).min()))
    block = A[:, chosen][:, :, list(driven)]
    return chosen if not driven or np.abs(np.linalg.det(block)).min() > ZERO else []


def _stages(
    A: Array, rows: list[int], known: list[int], passive: list[int], name: str
) -> tuple[Stage, ...]:
    """Rows with a single unknown one after the other, then what is left as one block."""
    rows, unknown, stages = list(rows), list(passive), []
    while unknown:
        single = [(r, j) for r in rows for j in unknown if _only(A, r, j, unknown)]
        if not single:
            stages.append(_block(A, rows, unknown, name))
            break
        row, joint = max(single, key=lambda rj: float(np.abs(A[:, rj[0], rj[1]]).min()))
        stages.append(((row,), (joint,)))
        rows.remove(row)
        unknown.remove(joint)
    return tuple(stages)


def _block(A: Array, rows: list[int], unknown: list[int], name: str) -> Stage:
    block = A[:, rows][:, :, unknown]
    if min(np.linalg.matrix_rank(a, tol=1e-8) for a in block) < len(unknown):
        raise RobotError(
            f"the platform's pose does not determine {len(unknown)} joints of this leg",
            key=name,
            expected="a leg whose joints cannot move while the platform stands still",
        )
    order = qr(np.hstack(list(block.transpose(0, 2, 1))).reshape(-1, len(rows)), pivoting=True)[2]
    chosen = sorted(order[: len(unknown)])
    return tuple(rows[k] for k in chosen), tuple(unknown)


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
    if min(np.linalg.matrix_rank(f, tol=1e-8) for f in freed) < len(driven):
        raise RobotError("the platform's pose does not determine a driven joint", key=name)
    order = qr(np.hstack([f.T for f in freed]).reshape(-1, len(rest)), pivoting=True)[2]
    return tuple(rest[k] for k in sorted(order[: len(driven)]))


def _touches(A: Array, row: int, joints: list[int]) -> bool:
    return bool(np.abs(A[:, row, joints]).max(initial=0.0) > ZERO)


def _only(A: Array, row: int, joint: int, unknown: list[int]) -> bool:
    others = [j for j in unknown if j != joint]
    return _touches(A, row, [joint]) and not _touches(A, row, others)
