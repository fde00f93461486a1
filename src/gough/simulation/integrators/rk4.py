"""The classical Runge-Kutta method with a fixed step, as equations: a period of constant command.

It also says how large a step may be. An error of a mode with eigenvalue λ is multiplied by
R(hλ) = 1 + z + z²/2 + z³/6 + z⁴/24 in each step: a mode that decays must not grow by it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.model.definition import WRENCH
from gough.simulation.plants.plant import Plant

WRENCH_NEXT = Argument("wrench_next", (6,), "N, N m", "external wrench at the end of the period")
INDEX = Argument("index", (), "1", "steps done within the period")


class StepTooLarge(GoughError):  # noqa: N818  (a fact about the step)
    """A step with which RK4 is not stable; `largest` [s] is the largest that is."""

    def __init__(self, step: float, largest: float, eigenvalue: complex) -> None:
        self.step, self.largest, self.eigenvalue = step, largest, eigenvalue
        super().__init__(
            f"step of {step:.4g} s is too large for RK4: a mode of the plant has the eigenvalue "
            f"{eigenvalue:.4g} 1/s; expected at most {largest:.4g} s (more substeps, a shorter "
            "period, or a stiff integrator)"
        )


def rk4_step(rates: Callable[[float, Value], Value], state: Value, h: Value) -> Value:
    """The state after a step h [s], from rates(share of the step, state)."""
    k_1 = rates(0, state)
    k_2 = rates(0.5, state + h / 2 * k_1)
    k_3 = rates(0.5, state + h / 2 * k_2)
    k_4 = rates(1, state + h * k_3)
    return state + h / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4)


def held_period(plant: Plant, period: float, substeps: int) -> Callable[..., Value]:
    """(state, command, wrench, wrench_next, *parameters) -> the state after a period.

    The command is constant; the wrench goes from one value to the other on a straight line.
    """
    h = period / substeps
    rates = plant.rate_function

    def step(state: Value, k: Value, command: Value, w_0: Value, w_1: Value, *p: Value) -> Value:
        def at(share: float, x: Value) -> Value:
            return rates(x, command, w_0 + (w_1 - w_0) * ((k + share) / substeps), *p)

        return plant.normalised(rk4_step(at, state, h)), k + 1, 0

    if substeps == 1:
        return lambda state, *inputs: step(state, 0, *inputs)[0]
    function = Function.from_equation(
        "rk4_step",
        step,
        [plant.state, INDEX, plant.command, WRENCH, WRENCH_NEXT, *plant.parameters],
        [plant.state, INDEX, Argument("status")],
    )
    repeated = iterate(function, substeps)
    return lambda state, *inputs: repeated(state, 0, *inputs)[0]


def check_step(
    plant: Plant,
    step: float,
    state: Array,
    command: Array,
    *parameters: Array,
    wrench_slope: Array | None = None,
) -> None:
    """Refuse a step [s] with which RK4 makes a decaying mode of the plant grow.

    `wrench_slope` (6, 13) is how an external wrench answers to pose and twist, if it does.
    """
    eigenvalues = plant_eigenvalues(plant, state, command, *parameters, wrench_slope=wrench_slope)
    largest, of = largest_stable_step(eigenvalues)
    if step > largest * (1 + 1e-9):
        raise StepTooLarge(step, largest, of)


def plant_eigenvalues(
    plant: Plant,
    state: Array,
    command: Array,
    *parameters: Array,
    wrench_slope: Array | None = None,
) -> Array:
    """Eigenvalues [1/s] of the plant near a state, under a constant command."""
    steps = 1e-6 * np.maximum(1e-2, np.abs(state))
    moved = state + np.concatenate([np.diag(steps), -np.diag(steps)])
    A = _differences(plant.rate_kernel(moved, command, np.zeros(6), *parameters), steps)
    if wrench_slope is not None:
        pushes = np.ones(6)
        pushed = np.concatenate([np.diag(pushes), -np.diag(pushes)])
        by_wrench = _differences(plant.rate_kernel(state, command, pushed, *parameters), pushes)
        A[:, : wrench_slope.shape[1]] += by_wrench @ wrench_slope
    if not np.isfinite(A).all():
        raise GoughError(
            "the plant has no derivative near a state of the run: it is singular there, or its "
            "numbers are too large; expected another start, or an integrator that adapts"
        )
    return np.asarray(np.linalg.eigvals(A))


def _differences(values: Array, steps: Array) -> Array:
    """A derivative from values at places moved by steps, one way and then the other."""
    n = len(steps)
    return np.asarray(((values[:n] - values[n:]) / (2 * steps[:, None])).T)


def largest_stable_step(eigenvalues: Array) -> tuple[float, complex]:
    """The largest step [s] at which every decaying mode decays, and the mode that sets it."""
    stiffest, largest = 0j, np.inf
    fastest = np.abs(eigenvalues).max(initial=0.0)
    for eigenvalue in eigenvalues:
        noise = 1e-6 * fastest
        if abs(eigenvalue) <= noise or eigenvalue.real > noise:
            continue
        step = _stable_radius(eigenvalue / abs(eigenvalue)) / abs(eigenvalue)
        if step < largest:
            stiffest, largest = complex(eigenvalue), float(step)
    return largest, stiffest


def _stable_radius(direction: complex) -> float:
    """How far z may go in a direction of the left half-plane before |R(z)| exceeds one."""
    direction = complex(min(direction.real, 0.0), direction.imag)
    radii = np.linspace(0.0, 4.0, 4001)[1:]
    z = radii * direction / abs(direction)
    growth = np.abs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))))
    unstable = radii[growth > 1 + 1e-9]
    return float(unstable[0]) if len(unstable) else 4.0
