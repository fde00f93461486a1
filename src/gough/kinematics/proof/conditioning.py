"""Condition numbers over boxes.

The condition number of J is at most K where JᵀJ - μ and K²μ - JᵀJ are positive definite, whichever
number μ is. A guide has the singular vectors U, V of J near all of the box: bounds of UᵀJV, which
is almost diagonal there, decide that (`within_condition`). It is above K where that of two
directions is.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.machine import Machine
from gough.equations.motion import singularity_measures
from gough.equations.spatial.algebra import Value
from gough.model.definition import POSE
from gough.model.machines import Machines


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
