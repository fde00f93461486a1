"""A step of the classical Runge-Kutta method."""

from __future__ import annotations

from collections.abc import Callable

from gough.equations.spatial.algebra import Value


def rk4_step(rates: Callable[[float, Value], Value], state: Value, h: Value | float) -> Value:
    """The state after a step h [s], from rates(share of the step, state)."""
    k_1 = rates(0, state)
    k_2 = rates(0.5, state + h / 2 * k_1)
    k_3 = rates(0.5, state + h / 2 * k_2)
    k_4 = rates(1, state + h * k_3)
    return state + h / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4)
