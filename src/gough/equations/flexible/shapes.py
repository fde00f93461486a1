"""A link that bends, in the axes of its floating frame: r = r₀ + Φ η, clamped at its first joint.

The deformation is small: it is linear in the coordinates η, and so is the force that it takes,
K η + D η̇.
What inertia needs of the shapes Φ is constant [Shabana, Dynamics of Multibody Systems, §5].
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.bodies import Body, BodyMotion, Force
from gough.equations.spatial.algebra import Value, dot, skew, vector


@dataclass(frozen=True)
class Shapes:
    """Constants of the shapes Φ of n coordinates."""

    stiffness: Value
    """K (n x n) [SI]."""
    damping: Value
    """D (n x n) [SI]."""
    S: Value
    """∫ Φ dm (3 x n)."""
    A: tuple[Value, ...]
    """∫ r₀ Φ_kᵀ dm (3 x 3), by k."""
    B: tuple[tuple[Value, ...], ...]
    """∫ Φ_k Φ_lᵀ dm (3 x 3), by k and l."""
    last: Value
    """Where the last end is (3) [m] while nothing is bent."""
    way: Value
    """Displacement of the last end (3 x n) by η."""
    turn: Value
    """Turn of the last end (3 x n) by η."""

    @property
    def count(self) -> int:
        """n."""
        return int(self.stiffness.shape[0])


def deformed(body: Body, shapes: Shapes, eta: Value) -> Body:
    """The body's mass properties as it is bent."""
    B_eta = [_sum(shapes.B[k], eta) for k in range(shapes.count)]
    AB = [shapes.A[k].T + B_eta[k] / 2 for k in range(shapes.count)]
    half = _sum(AB, eta)
    return Body(body.mass, body.ms + shapes.S @ eta, body.sigma + half + half.T)


def elastic_inertia(
    shapes: Shapes, motion: BodyMotion, eta: Value, rate: Value, second: Value
) -> tuple[Force, Value]:
    """Forces of a bent body beside those of a rigid one, and forces that move η.

    Every point accelerates by v̇ + U r + 2 ω x Φ η̇ + Φ η̈.
    """
    n, omega = shapes.count, skew(motion.omega)
    C = [shapes.A[k].T + _sum(shapes.B[k], eta) for k in range(n)]  # ∫ Φ_k rᵀ dm
    f = shapes.S @ second + 2 * omega @ (shapes.S @ rate)
    moved = 2 * omega @ _sum(C, rate) + _sum(C, second)
    eta_force = [
        dot(shapes.S[:, k], motion.v_dot)
        + _inner(motion.U, C[k])
        + 2 * _inner(omega, _sum(shapes.B[k], rate))
        + sum((ca.trace(B) * second[j] for j, B in enumerate(shapes.B[k])), ca.DM.zeros(1))
        for k in range(n)
    ]
    return Force(f, _axial(moved)), ca.vertcat(*eta_force)


def _axial(W: Value) -> Value:
    """∫ r x a dm of W = ∫ a rᵀ dm."""
    return vector(W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1])


def _inner(U: Value, C: Value) -> Value:
    """∫ Φ_kᵀ U r dm of C = ∫ Φ_k rᵀ dm."""
    return ca.sum1(ca.sum2(U * C))


def _sum(matrices: list[Value] | tuple[Value, ...], weights: Value) -> Value:
    return sum((M * weights[k] for k, M in enumerate(matrices)), ca.SX(3, 3))
