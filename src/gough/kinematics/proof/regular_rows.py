"""Rows of legs that iterate which are regular where no singularity is.

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

from gough.compiler import Argument, Kernel, compiled
from gough.equations.closure import constraint_rows as loops
from gough.equations.closure.assembled import LegPosture, assembled
from gough.equations.machine import Machine
from gough.equations.motion import singularity_measures
from gough.equations.spatial.algebra import Value
from gough.kinematics.proof.implicit import Implicit, moved
from gough.model.machines import Machines


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
