"""How stiff a machine is in its softest directions, while its actuators are held."""

from __future__ import annotations

import casadi as ca

from gough.equations import any_machine
from gough.equations.any_machine import AnyMachine
from gough.equations.dynamics import NO_WRENCH
from gough.equations.spatial.algebra import Value


def softest(machine: AnyMachine, pose: Value) -> tuple[Value, Value]:
    """Force for a way [N/m] and moment for a turn [N m/rad], each in the softest direction.

    The machine bears its own weight. Inf where it yields in no direction.
    """
    held = any_machine.holding_force(machine, pose, NO_WRENCH)
    C = any_machine.compliance(machine, pose, held, ca.DM.zeros(*held.shape))
    C = (C + C.T) / 2
    return 1 / largest_eigenvalue(C[0:3, 0:3]), 1 / largest_eigenvalue(C[3:6, 3:6])


def largest_eigenvalue(A: Value) -> Value:
    """Of A = q + p B, tr B = 0, |B|² = 6, it is q + 2 p cos φ, where cos 3φ = det B / 2."""
    q = ca.trace(A) / 3
    rest = A - q * ca.DM.eye(3)
    p = ca.sqrt(ca.sumsqr(rest) / 6)
    cosine = ca.fmin(ca.fmax(ca.det(rest / p) / 2, -1), 1)
    angle = ca.atan2(ca.sqrt(1 - cosine**2), cosine) / 3
    return ca.if_else(p > 0, q + 2 * p * ca.cos(angle), q)
