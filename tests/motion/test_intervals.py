"""The bounds of an expression over an interval hold all its values there, and are tight."""

import casadi as ca
import numpy as np
import pytest

from gough.motion.motions.formula import parse
from gough.motion.motions.intervals import VALUES, ExpressionBounds

TEXTS = [
    "2*t - t**2 + 1/t - 3/(t - 0.3)",
    "-t*sin(5*t)*cos(7*t + 1)",
    "tan(t)",
    "exp(-t**2)*erf(3*t) + log(t + 3)*sqrt(t + 2)",
    "asin(t/2) + acos(t/3) - atan(4*t)*atanh(t/4)",
    "sinh(t) + cosh(2*t) - tanh(t)*asinh(t) + acosh(t + 3)",
    "atan2(sin(3*t), cos(3*t))",
    "abs(t)**1.7 + (t + 3)**-2.5 + (t + 2)**n + t**m",
    "(t + 3)**t",
    "min(t, 0.3, sin(t)) + max(t, -t**3)",
    "t if 0 < t and t <= 1 else (2 if t > 1.5 or t < -1 else -t)",
]


def bounds_and_values(text):
    t, numbers = ca.SX.sym("t"), ca.SX.sym("numbers", 2)
    value = parse(text, {"t": t, "n": numbers[0], "m": numbers[1]}, "x").value
    given = np.array([-3.0, 4.0])
    exact = ca.Function("exact", [t, numbers], [value])
    bounds = ExpressionBounds((t, numbers), value, VALUES)
    return lambda ends: bounds(ends, given), lambda at: np.array(exact(at[None], given)).ravel()


@pytest.mark.parametrize("text", TEXTS)
def test_no_value_is_outside_of_the_bounds(text):
    bounds, values = bounds_and_values(text)
    rng = np.random.default_rng(3)
    start = rng.uniform(-1.9, 1.9, 300)
    end = np.minimum(start + 10 ** rng.uniform(-6, 0.5, 300), 1.9)
    low, high = bounds((start, end))
    for share in np.linspace(0.0, 1.0, 41):
        value = values(start + share * (end - start))
        inside = (low[:, 0] <= value) & (value <= high[:, 0])
        assert (inside | np.isnan(value)).all()


@pytest.mark.parametrize("text", [t for t in TEXTS if "if" not in t])
def test_the_bounds_of_short_intervals_are_tight(text):
    bounds, values = bounds_and_values(text)
    start = np.random.default_rng(4).uniform(-1.5, -1.3, 100)
    low, high = bounds((start, start + 1e-9))
    assert high[:, 0] - low[:, 0] == pytest.approx(0.0, abs=3e-6)
    assert values(start) == pytest.approx(low[:, 0], abs=3e-6)


def test_where_there_is_no_value_there_are_no_bounds():
    bounds, _ = bounds_and_values("sqrt(t) + 1")
    low, high = bounds((np.array([-2.0, -1.0]), np.array([-1.0, 4.0])))
    assert np.isnan([low[0, 0], high[0, 0]]).all()
    assert (low[1, 0], high[1, 0]) == pytest.approx((1.0, 3.0))
