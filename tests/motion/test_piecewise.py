"""Piecewise polynomials against SciPy's, and splines against what defines them."""

import numpy as np
import pytest
from scipy.interpolate import BPoly, PPoly, make_interp_spline

from gough.motion.piecewise import PiecewisePolynomial, quintics, smoothest

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("count", [2, 3, 4, 30])
def test_the_smoothest_way_is_the_quintic_spline_at_rest_at_its_ends(count):
    times = np.cumsum(RNG.uniform(0.1, 2.0, count)) - 1.0
    values = RNG.normal(size=(count, 6))
    at_rest = ([(1, np.zeros(6)), (2, np.zeros(6))],) * 2
    expected = make_interp_spline(times, values, k=5, bc_type=at_rest)
    found, t = smoothest(times, values), np.linspace(times[0], times[-1], 500)
    for order in range(5):
        scale = np.abs(expected(t, order)).max()
        np.testing.assert_allclose(found(t), expected(t, order), atol=1e-11 * scale)
        found = found.derivative


def test_a_step_of_a_billionth_among_waypoints_does_not_spoil_the_others():
    times, values = np.array([0.0, 1.0, 1.0 + 2e-9, 2.0]), np.array([[0.0], [1.0], [1.0], [0.0]])
    t = np.linspace(0.0, 1.0, 100)
    found = smoothest(times, values)
    np.testing.assert_allclose(found(t), found(2.0 - t), atol=1e-6)
    assert np.abs(found(t)).max() < 1.1


def test_quintics_have_the_states_they_are_made_from():
    times, states = np.array([0.0, 0.3, 2.0, 2.1]), RNG.normal(size=(4, 3, 2))
    expected, found = BPoly.from_derivatives(times, states), quintics(times, states)
    t = np.linspace(0.0, 2.1, 300)
    for order in range(3):
        np.testing.assert_allclose(found(t), expected(t, order), rtol=1e-9, atol=1e-9)
        found = found.derivative


@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_sums_and_rates_are_those_of_scipy(shape):
    corners, coefficients = np.array([-1.0, 0.5, 0.6, 3.0]), RNG.normal(size=(3, 3, *shape))
    expected, found = PPoly(coefficients, corners), PiecewisePolynomial(corners, coefficients)
    t = np.linspace(-2.0, 4.0, 60).reshape(3, 20)  # also beyond its ends
    np.testing.assert_allclose(found(t), expected(t), atol=1e-12)
    np.testing.assert_allclose(found.derivative(t), expected(t, 1), atol=1e-12)
    np.testing.assert_allclose(found.antiderivative()(t), expected.antiderivative()(t), atol=1e-12)
    assert found(np.array(0.2)).shape == shape
