"""A perceptron: layers of weighted sums, with an S-shaped function between them."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.spatial.algebra import Value

Layer = tuple[Value, Value]
"""Weights, one row per node, and offsets."""


def perceptron(layers: Sequence[Layer], x: Value) -> Value:
    """The last layer's sums for inputs x."""
    *hidden, (weights, offsets) = layers
    for hidden_weights, hidden_offsets in hidden:
        x = tanh_nearly(hidden_weights @ x + hidden_offsets)
    return weights @ x + offsets


def tanh_nearly(x: Value) -> Value:
    """The hyperbolic tangent to 1e-4, by its continued fraction: no library, no branch."""
    x = ca.if_else(x > 4.97, 4.97, ca.if_else(x < -4.97, -4.97, x))  # fmin would hide a NaN
    xx = x * x
    above = 135135 + xx * (17325 + xx * (378 + xx))
    below = 135135 + xx * (62370 + xx * (3150 + xx * 28))
    return x * above / below
