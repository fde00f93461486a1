"""A proof that one solution of the legs' conditions lies near a point: Krawczyk's operator.

Let F be the six conditions c·monomials, e·g and the row x̂ᴴ(z - x) that fixes the scale, and Y any
matrix. N(z) = z - Y F(z) has the derivative I - Y F'(z), and F' is linear in z, so with

    b₀ >= |Y F(x)|,   b₁ >= ‖I - Y F'(x)‖,   b₂ r >= ‖Y (F'(z) - F'(x))‖ for |z - x| <= r

(maximum absolute value of an entry, and the induced matrix norm) N maps the ball of
radius r = 2 b₀ into itself and contracts it if b₁ + b₂ r <= 1/2. Then F has exactly one zero in
the ball, and Y is regular. Farther out, the contraction excludes a second zero as long as
b₁ + b₂ |z - x| < 1.

All bounds hold for exact coefficients: each sum is bounded by the same sum of absolute values
times ROUNDING, which covers the rounding of the coefficients, of F, F' and Y F', and of the bounds
themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.assembly.study_coordinates import bordered, gradient_bounds, jacobian
from gough.equations.assembly.study_path import LinearAlgebra
from gough.equations.solvers.complex_number import Complex, side_by_side, zeros
from gough.equations.spatial.algebra import Value

ROUNDING = 2.0**-46
"""128 units of rounding: none of the terms meets more than 60, and √2 is for complex products."""


@dataclass(frozen=True)
class Proof:
    """Certificate of a solution near a point; `holds` is 1 or 0."""

    holds: Value
    radius: Value
    """Radius of a ball that holds exactly one solution."""
    isolation: Value
    """Radius of a ball that holds no second solution."""
    inverse: Value
    """The norm of Y, which is about that of the inverse Jacobian: large near singular solutions."""


def proof(c: Complex, bounds: Value, x: Complex, linear: LinearAlgebra) -> Proof:
    """Krawczyk's test at a point x of length one.

    The exact coefficients differ from c by less than 16 units of rounding of `bounds`, 6x17.
    """
    J = bordered(jacobian(c, x), x)
    values = (J[0:7, :] @ x).scaled(0.5)
    size = ca.sqrt(x.squares)
    J_bounds = ca.vertcat(
        bounds @ gradient_bounds(size), ca.vertcat(size[4:8], size[0:4]).T, size.T
    )
    value_bounds = J_bounds[0:7, :] @ size

    Y = _inverse(J, linear)
    Y_size = ca.sqrt(Y.squares)
    residual = ca.sqrt(values.squares) + ROUNDING * value_bounds
    b_0 = _largest(Y_size[:, 0:7] @ residual)
    product = Y @ J
    defect = Complex(product.re - ca.SX.eye(8), product.im)
    b_1 = _largest(_row_sums(ca.sqrt(defect.squares) + ROUNDING * (1 + Y_size @ J_bounds)))
    ones = ca.SX.ones(8)
    curvature = ca.vertcat(bounds @ gradient_bounds(ones) @ ones, 8)
    b_2 = _largest(Y_size[:, 0:7] @ curvature) * (1 + ROUNDING)

    radius = 2 * b_0 * (1 + ROUNDING)
    holds = b_1 + b_2 * radius <= 0.5 - ROUNDING
    isolation = (1 - b_1) / b_2 * (1 - ROUNDING)
    return Proof(holds, radius, isolation, _largest(_row_sums(Y_size)))


def _inverse(A: Complex, linear: LinearAlgebra) -> Complex:
    """An approximate inverse, column by column."""
    factors = linear.factorise(A)
    unit = ca.SX.eye(8)
    columns = [linear.solve(*factors, Complex(unit[:, k], zeros(8).im)) for k in range(8)]
    return side_by_side(*columns)


def _row_sums(A: Value) -> Value:
    return A @ ca.SX.ones(A.shape[1])


def _largest(values: Value) -> Value:
    """Return the maximum of values, none of them negative; NaN if one of them is NaN."""
    largest, total = values[0], values[0]
    for k in range(1, values.shape[0]):
        largest, total = ca.fmax(largest, values[k]), total + values[k]
    return ca.if_else(total >= largest, largest, total)
