"""The equation of motion on the leg lengths, from that on the platform's twist, however derived.

With q̇ = J · twist the motion obeys M_q q̈ + C_q q̇ + G_q = force + J⁻ᵀ wrench. These matrices need
J⁻¹: they do not exist where J is singular [Kalani 2016 (44), (45), (66)].
"""

from __future__ import annotations

import casadi as ca

from gough.equations.algebra import Value
from gough.equations.linear import solve


def mass_matrix(J: Value, M: Value) -> Value:
    """M_q = J⁻ᵀ M J⁻¹ (6x6) [kg]."""
    direct = direct_jacobian(J)
    return direct.T @ M @ direct


def coriolis_matrix(J: Value, J_dot: Value, M: Value, C: Value) -> Value:
    """C_q = J⁻ᵀ (C - M J⁻¹ J̇) J⁻¹ (6x6) [kg/s]; Ṁ_q - 2 C_q is skew if Ṁ - 2 C is."""
    direct = direct_jacobian(J)
    return direct.T @ (C - M @ (direct @ J_dot)) @ direct


def direct_jacobian(J: Value) -> Value:
    """J⁻¹ (6x6), from leg rates to the twist [Kalani 2016 (18)]."""
    return solve(J, ca.DM.eye(6))
