"""Our own elementary functions: digits, signs, and the same result in every lane."""

import casadi as ca
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel

LANES = (1, 2, 4, 8)
NUMPY = {
    "sin": np.sin,
    "cos": np.cos,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "tanh": np.tanh,
}
FEW_TURNS = 2.0**20  # beyond, C's library is asked


@pytest.fixture(scope="module")
def kernels():
    inputs, outputs = [Argument("a"), Argument("b")], [Argument(name) for name in NUMPY]

    def everything(a, b):
        return tuple(getattr(ca, name)(*operands(name, a, b)) for name in NUMPY)

    function = Function.from_equation("elementary", everything, inputs, outputs)
    return {lanes: Kernel(function, lanes=lanes) for lanes in LANES}


def operands(name, a, b):
    return (a, b) if name == "atan2" else (a,)


def of_every_size(rng, count):
    return rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-310, 308, count)


def arguments(name):
    """Many numbers, most of them where the function is hard to compute."""
    rng = np.random.default_rng(5)
    quarter_turns = np.arange(1, 20_000) * (np.pi / 2)
    near_one = 1 - 10.0 ** rng.uniform(-16, 0, 5000)
    steps = rng.uniform(-1, 1, 5000) * 10.0 ** rng.uniform(-3, 3, 5000)
    hard = {
        "sin": [quarter_turns, rng.uniform(-FEW_TURNS, FEW_TURNS, 20_000)],
        "cos": [quarter_turns, rng.uniform(-FEW_TURNS, FEW_TURNS, 20_000)],
        "asin": [near_one, -near_one],
        "acos": [near_one, -near_one],
    }.get(name, [near_one, 1 / near_one[near_one > 0]])
    a = np.concatenate([*hard, steps, of_every_size(rng, 5000)])
    b = np.where(rng.random(len(a)) < 0.5, 1.0, of_every_size(rng, len(a)))
    return a, b


def units_in_the_last_place(got, expected):
    """How far apart, in the distance of neighbouring numbers at the expected one."""
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    return np.where(same, 0.0, np.abs(got - expected) / np.spacing(np.abs(expected)))


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("name", NUMPY)
def test_results_are_within_three_units_of_those_with_more_digits(name, kernels):
    a, b = arguments(name)
    got = getattr(kernels[8](a, b), name)
    exact = NUMPY[name](*(x.astype(np.longdouble) for x in operands(name, a, b)))
    error = units_in_the_last_place(got, exact.astype(float))
    worst = int(np.argmax(error))
    assert error[worst] <= 3, f"{name}({a[worst]!r}, {b[worst]!r})"


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("name", NUMPY)
def test_zeros_infinities_and_nan_follow_the_rules_of_c(name, kernels):
    some = np.array([0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, np.inf, -np.inf, np.nan])
    a, b = (x.ravel() for x in np.meshgrid(some, some))
    got, expected = getattr(kernels[8](a, b), name), NUMPY[name](*operands(name, a, b))
    np.testing.assert_array_max_ulp(got[~np.isnan(expected)], expected[~np.isnan(expected)], 1)
    assert np.isnan(got[np.isnan(expected)]).all()
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(expected)].all()


@pytest.mark.parametrize("name", NUMPY)
def test_a_number_has_the_same_result_in_any_lane_beside_any_others(name, kernels):
    a, b = arguments(name)
    alone = getattr(kernels[1](a, b), name)
    order = np.random.default_rng(6).permutation(len(a))
    for lanes in LANES[1:]:
        mixed = np.empty_like(alone)
        mixed[order] = getattr(kernels[lanes](a[order], b[order]), name)
        np.testing.assert_array_equal(mixed.view(np.int64), alone.view(np.int64))
