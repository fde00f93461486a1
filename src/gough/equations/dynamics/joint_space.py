"""The equation of motion on the leg lengths, from that on the platform's twist, however derived.

With q̇ = J · twist the motion obeys M_q q̈ + C_q q̇ + G_q = force + J⁻ᵀ wrench. These matrices need
J⁻¹: they do not exist where J is singular [Kalani 2016 (44), (45), (66)].
"""

from __future__ import annotations

from gough.equations.spatial.algebra import Value


def mass_matrix(direct: Value, M: Value) -> Value:
    """M_q = J⁻ᵀ M J⁻¹ (6x6) [kg]; `direct` is J⁻¹."""
    return direct.T @ M @ direct


def coriolis_matrix(direct: Value, J_dot: Value, M: Value, C: Value) -> Value:
    """C_q = J⁻ᵀ (C - M J⁻¹ J̇) J⁻¹ (6x6) [kg/s]; Ṁ_q - 2 C_q is skew if Ṁ - 2 C is."""
    return direct.T @ (C - M @ (direct @ J_dot)) @ direct
