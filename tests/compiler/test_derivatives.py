"""Derivatives through CasADi, compiled like everything else, against complex steps."""

import casadi as ca
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.errors import CompilerError

X, Y = Argument("x", (3,), "m"), Argument("Y", (2, 3), "s")


def equation(x, Y):
    return ca.sin(Y @ x) * ca.dot(x, x), ca.exp(Y)


FUNCTION = Function.from_equation(
    "f", equation, [X, Y], [Argument("u", (2,), "N"), Argument("V", (2, 3))]
)


def numpy_u(x, Y):
    return np.sin(Y @ x) * (x @ x)


@pytest.fixture
def state():
    rng = np.random.default_rng(0)
    return rng.normal(size=3), rng.normal(size=(2, 3))


def complex_step(f, x):
    columns = []
    for k in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[k] += 1e-200j
        columns.append(f(moved).imag / 1e-200)
    return np.stack(columns, -1).reshape(*columns[0].shape, *x.shape)


def test_a_jacobian_has_the_outputs_axes_and_then_the_inputs(state):
    x, Y = state
    by_vector = Kernel(FUNCTION.jacobian("u", "x"))
    by_matrix = Kernel(FUNCTION.jacobian("u", "Y"))
    assert by_matrix.signature == "(3),(2,3)->(2,2,3)"
    np.testing.assert_allclose(
        by_vector(x, Y), complex_step(lambda x: numpy_u(x, Y), x), rtol=1e-13
    )
    np.testing.assert_allclose(
        by_matrix(x, Y), complex_step(lambda Y: numpy_u(x, Y), Y), rtol=1e-13
    )


def test_matrix_outputs_have_jacobians_too(state):
    x, Y = state
    got = Kernel(FUNCTION.jacobian("V", "Y"))(x, Y)
    assert got.shape == (2, 3, 2, 3)
    np.testing.assert_allclose(got, complex_step(np.exp, Y), rtol=1e-13, atol=1e-15)


def test_a_derivative_can_be_differentiated_again(state):
    x, Y = state
    second = Kernel(FUNCTION.jacobian("u", "x").jacobian("d_u_d_x", "x"))(x, Y)
    np.testing.assert_allclose(second, second.swapaxes(1, 2), rtol=1e-12)
    first = Kernel(FUNCTION.jacobian("u", "x"))
    h = 1e-6
    along = (first(x + [h, 0, 0], Y) - first(x - [h, 0, 0], Y)) / (2 * h)
    np.testing.assert_allclose(second[..., 0], along, rtol=1e-7, atol=1e-8)


def test_a_directional_derivative_is_the_jacobian_times_the_direction(state):
    rng = np.random.default_rng(1)
    d_x, d_Y = rng.normal(size=3), rng.normal(size=(2, 3))
    change = Kernel(FUNCTION.directional())(*state, d_x, d_Y)
    expected = Kernel(FUNCTION.jacobian("u", "x"))(*state) @ d_x
    expected = expected + np.tensordot(Kernel(FUNCTION.jacobian("u", "Y"))(*state), d_Y, 2)
    np.testing.assert_allclose(change.d_u, expected, rtol=1e-13)
    np.testing.assert_allclose(change.d_V, np.exp(state[1]) * d_Y, rtol=1e-13)


def test_derivatives_go_through_calls(state):
    def outer(x, Y):
        u, _ = FUNCTION(2 * x, Y)
        return ca.dot(u, u)

    function = Function.from_equation("outer", outer, [X, Y], [Argument("r")])
    got = Kernel(function.jacobian("r", "x"))(*state)
    expected = complex_step(
        lambda x: np.atleast_1d(numpy_u(2 * x, state[1]) @ numpy_u(2 * x, state[1])), state[0]
    )
    np.testing.assert_allclose(got, expected[0], rtol=1e-13)


def test_units_of_a_derivative_are_a_ratio():
    assert FUNCTION.jacobian("u", "x").outputs[0].unit == "(N)/(m)"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(CompilerError, match="f has no argument 'z'; it has x, Y"):
        FUNCTION.jacobian("u", "z")


def test_what_is_no_number_has_no_slope():
    def chosen(x, Y):
        return ca.if_else(x[0] > 0, x, ca.DM.nan(3))

    chosen = Function.from_equation("chosen", chosen, [X, Y], [Argument("z", (3,))])
    slopes = Kernel(chosen.jacobian("z", "x"))
    np.testing.assert_array_equal(slopes([1, 2, 3], np.zeros((2, 3))), np.eye(3))
    assert np.isnan(slopes([-1, 2, 3], np.zeros((2, 3)))).all()
