"""Steps of Runge-Kutta methods: the classical one of order 4, and one of order 6."""

from collections.abc import Callable
from typing import Any

from gough.equations.spatial.algebra import Value


def rk4_step(rates: Callable[[float, Value], Value], state: Value, h: Value | float) -> Value:
    """The state after a step h [s], from rates(share of the step, state)."""
    k_1 = rates(0, state)
    k_2 = rates(0.5, state + h / 2 * k_1)
    k_3 = rates(0.5, state + h / 2 * k_2)
    k_4 = rates(1, state + h * k_3)
    return state + h / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4)


SHARES = (0, 1 / 3, 2 / 3, 1 / 3, 5 / 6, 1 / 6, 1)
STAGES = (
    (),
    (1 / 3,),
    (0, 2 / 3),
    (1 / 12, 1 / 3, -1 / 12),
    (25 / 48, -55 / 24, 35 / 48, 15 / 8),
    (3 / 20, -11 / 24, -1 / 8, 1 / 2, 1 / 10),
    (-261 / 260, 33 / 13, 43 / 156, -118 / 39, 32 / 195, 80 / 39),
)
WEIGHTS = (13 / 200, 0, 11 / 40, 11 / 40, 4 / 25, 4 / 25, 13 / 200)


def rk6_step(rates: Callable[[float, Value], Value], state: Value, h: Value | float) -> Value:
    """The state after a step h [s] of order 6 with seven evaluations [Butcher 1964]."""
    k: list[Value] = []

    def moved(factors: tuple[float, ...]) -> Value:
        pairs = zip(factors, k, strict=True)
        return state + h * sum((a * rate for a, rate in pairs if a), 0 * state)

    for share, factors in zip(SHARES, STAGES, strict=True):
        k.append(rates(share, moved(factors)))
    return moved(WEIGHTS)


STEPS: dict[int, Callable[..., Any]] = {4: rk4_step, 6: rk6_step}  # steps by their order
