"""The largest eigenvalue of a symmetric 3x3 matrix in closed form [Smith 1961]."""

from __future__ import annotations

import casadi as ca

from gough.equations.spatial.algebra import Value


def largest_eigenvalue(A: Value) -> Value:
    """Of A = q + p B, tr B = 0, |B|² = 6, it is q + 2 p cos φ, where cos 3φ = det B / 2."""
    q = ca.trace(A) / 3
    rest = A - q * ca.DM.eye(3)
    p = ca.sqrt(ca.sumsqr(rest) / 6)
    cosine = ca.fmin(ca.fmax(ca.det(rest / p) / 2, -1), 1)
    angle = ca.atan2(ca.sqrt(1 - cosine**2), cosine) / 3
    return ca.if_else(p > 0, q + 2 * p * ca.cos(angle), q)
