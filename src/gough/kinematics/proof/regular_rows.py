"""Condition numbers over boxes, and rows of legs that iterate, by matrices of a guide.

The condition number of J is at most K where JᵀJ - μ and K²μ - JᵀJ are positive definite, whichever
number μ is. A guide has the singular vectors U, V of J near all of the box: bounds of UᵀJV, which
is almost diagonal there, decide that (`within_condition`). It is above K where that of two
directions is.

Determinants of legs that iterate have wide bounds. Their rows with locked motors, and those with
platform constraints, are regular where J and these constraints are (`locked_rows`); and a matrix M
is where the rows of C M - 1 have sums of sizes below 1, with a matrix C of the guide. So the side
of a singularity is that in the middle of the box; how far it stays from it is not stated then (a
margin of almost zero).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.closure import constraint_rows as loops
from gough.equations.closure.assembled import LegPosture, assembled
from gough.equations.machine import Machine
from gough.equations.motion import singularity_measures
from gough.equations.spatial.algebra import Value
from gough.kinematics.proof.implicit import Implicit, moved
from gough.model import Machines
from gough.model.definition import POSE


def locked_rows(machine: Machine, pose: Value) -> list[Value]:
    """Rows of legs that iterate, by rates of joints, beside those of others, which they see solved.

    Passive joints and u, of locked motors; and all joints and constrained directions, with platform
    constraints, if there are as many. Angles count, and lengths over the characteristic length.
    """
    at, outside = assembled(machine, pose), machine.freedom.outside
    length = singularity_measures.arm(machine)
    units = length / singularity_measures.freedom_units(machine, length)
    T, left = at.T @ ca.diag(units), sum(len(leg.leg.plan.left) for leg in at.legs)
    found = [_rows(at.legs, T, constrained=False)]
    if left and left == outside.shape[0]:
        found.append(_rows(at.legs, outside.T, constrained=True))
    return found


def row_margins(matrices: Sequence[Value], guide: Value) -> list[Value]:
    """Margins by which matrices are regular: those of the rows of C M - 1."""
    found, first = list[Value](), 0
    for M in matrices:
        n = M.shape[0]
        C = ca.reshape(guide[first : first + n * n], n, n)
        found += ca.vertsplit(1 - ca.sum2(ca.fabs(C @ M - ca.DM.eye(n))))
        first += n * n
    return found


@compiled
def locked_matrices(machines: Machines, sizes: tuple[int, ...]) -> Kernel[Any]:
    """Return the kernel of the first matrices of `locked_rows`, of these sizes."""
    implicit = Implicit(machines.robot)

    def equation(free: Machine, step: Value, middle: Value, *y: Value) -> list[Value]:
        pose = moved(middle, step)
        return locked_rows(*implicit.closed(free, pose, *y, *[ca.SX(0, 1)][len(y) :]))[: len(sizes)]

    inputs = [Argument("step", (6,)), Argument("middle", (7,)), *implicit.arguments("y")]
    outputs = [Argument(f"M{k}", (n, n)) for k, n in enumerate(sizes)]
    return Kernel(machines.function("locked", equation, inputs, outputs))


def _rows(legs: Sequence[LegPosture], V: Value, constrained: bool) -> Value:
    """Rows: joints of legs that iterate, one leg after the other, then motions V."""
    free = [[] if not at.leg.iterated else [j for j in range(len(at.leg.joints))
            if constrained or j not in at.leg.plan.driven] for at in legs]  # fmt: skip
    found = []
    for k, at in enumerate(legs):
        plan, by_platform = at.leg.plan, loops.platform_rows(at.cuts)
        rows = [*plan.driven_rows, *plan.passive_rows, *(plan.left if constrained else ())]
        if at.leg.iterated:
            pairs = [([at.rows.A[r][j] for j in free[k]], -by_platform[r] @ V) for r in rows]
        elif constrained:
            weights = (at.rows.left_over(row) for row in plan.left)
            pairs = [([], loops.wrench_of(at.cuts, weight).T @ V) for weight in weights]
        else:
            rates = at.jacobian(V)
            pairs = [([], rates[j]) for j in plan.driven]
        before, after = (sum(map(len, some)) for some in (free[:k], free[k + 1 :]))
        found += [ca.horzcat(ca.DM.zeros(1, before), *own, ca.DM.zeros(1, after), by)
                  for own, by in pairs]  # fmt: skip
    return ca.SX(ca.vertcat(*found))


def scaled_jacobian(machine: Machine, pose: Value, length: float | None) -> Value:
    """J, all entries numbers: see `Limits`."""
    of = singularity_measures
    return of.scaled_jacobian(machine, pose, length or of.arm(machine))


@compiled
def jacobian_kernel(machines: Machines, length: float | None) -> Kernel[Array]:
    """Return the kernel of the scaled J of a pose."""

    def equation(machine: Machine, pose: Value) -> Value:
        return scaled_jacobian(machine, pose, length)

    output = Argument("J", (len(machines.robot.actuators), machines.structure.dof), "1")
    return Kernel(machines.function("jacobian", equation, [POSE], [output]))


def within_condition(B: Array, K: float) -> AnyArray:
    """Whether all matrices within bounds (n, m, d, 2) have a condition number of at most K.

    Bᵀ B - μ and K²μ - Bᵀ B have positive pivots, with what is off their diagonals, which is small,
    as an uncertainty. Rounding is below 1e-9 of the first.
    """
    holds: AnyArray = np.asarray(np.isfinite(B).all((1, 2, 3)))
    B = np.where(holds[:, None, None, None], B, 0.0)
    c, r = B.mean(-1), np.diff(B)[..., 0] / 2
    c_T, r_T = np.swapaxes(c, 1, 2), np.swapaxes(r, 1, 2)
    A, E = c_T @ c, np.abs(c_T) @ r + r_T @ np.abs(c) + r_T @ r
    sizes = np.diagonal(A, axis1=1, axis2=2)
    mu = np.sqrt(sizes.min(-1) * sizes.max(-1)) / K
    for sign, shift in ((1.0, -mu), (-1.0, K**2 * mu)):
        M, within = sign * A + shift[:, None, None] * np.eye(A.shape[1]), E.copy()
        for k in range(A.shape[1]):
            pivot = M[:, k, k] - within[:, k, k]
            holds &= pivot > 1e-9 * sizes.max(-1)
            off = np.abs(M[:, k]) + within[:, k]
            with np.errstate(divide="ignore", invalid="ignore"):
                within = within + off[:, :, None] * off[:, None, :] / pivot[:, None, None]
    return holds
