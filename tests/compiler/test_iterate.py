"""Iterations inside a kernel: each sample stops by itself, and says how."""

import casadi as ca
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.front.program import Program
from gough.compiler.native.kernel import Kernel
from gough.errors import CompilerError

X, A = Argument("x"), Argument("a")
CONVERGED, NEGATIVE = 1, 2


def heron_step(x, a):
    """One step of Heron's square root; stops when x does not change, or for a negative number."""
    new = (x + a / x) / 2
    status = ca.if_else(a < 0, NEGATIVE, ca.fabs(new - x) <= 1e-15 * new)
    return new, status


STEP = Function.from_equation("heron", heron_step, [X, A], [X, Argument("status")])


def root(at_most, lanes=None):
    repeat = iterate(STEP, at_most)
    outputs = [Argument("root"), Argument("iterations"), Argument("status")]
    function = Function.from_equation("root", lambda a: repeat(1.0, a), [A], outputs)
    return Kernel(function, lanes=lanes)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_every_sample_iterates_until_it_has_converged(lanes):
    a = np.concatenate([[1.0, 4.0, 2.0], 10.0 ** np.linspace(-12, 12, 50)])
    x, iterations, status = root(100, lanes)(a)
    np.testing.assert_allclose(x, np.sqrt(a), rtol=1e-15)
    assert (status == CONVERGED).all()
    assert iterations[0] == 1
    assert iterations[-1] > iterations[1] > 1


@pytest.mark.parametrize("lanes", [1, 8])
def test_a_sample_is_the_same_whatever_its_neighbours_do(lanes):
    kernel = root(60, lanes)
    a = np.random.default_rng(0).uniform(0, 1e6, 37)
    together = kernel(a)
    for k in range(37):
        assert tuple(r[k] for r in together) == tuple(kernel(a[k]))


def test_the_most_operations_are_those_of_all_passes():
    once, often = (root(n).program for n in (1, 1000))
    assert once.n_operations == often.n_operations
    assert often.most_operations == 1000 * once.most_operations


def test_too_few_iterations_leave_status_zero():
    _, iterations, status = root(3)([1.0, 1e9])
    np.testing.assert_array_equal(iterations, [1, 3])
    np.testing.assert_array_equal(status, [CONVERGED, 0])


def test_other_reasons_to_stop_are_kept_as_status():
    _, iterations, status = root(50)([4.0, -1.0])
    assert status[1] == NEGATIVE
    assert iterations[1] == 1
    assert status[0] == CONVERGED


def test_nan_does_not_pass_for_converged():
    x, iterations, status = root(7)(np.nan)
    assert np.isnan(x)
    assert (iterations, status) == (7, 0)


def test_vectors_and_parameters_iterate_too():
    """Newton's method for two equations, with a linear solve inside."""

    def newton(x, target):
        f = ca.vertcat(x[0] ** 2 + x[1] ** 2, x[0] * x[1]) - target
        jacobian = ca.vertcat(ca.horzcat(2 * x[0], 2 * x[1]), ca.horzcat(x[1], x[0]))
        step = ca.solve(jacobian, f)
        return x - step, ca.dot(step, step) < 1e-28

    x, target = Argument("x", (2,)), Argument("target", (2,))
    step = Function.from_equation("newton", newton, [x, target], [x, Argument("done")])
    solve = iterate(step, 30)
    outputs = [x, Argument("iterations"), Argument("status")]
    kernel = Kernel(Function.from_equation("solve", lambda g, t: solve(g, t), [x, target], outputs))
    exact = np.random.default_rng(1).uniform([2, 0.5], [3, 1.5], size=(100, 2))
    found, _, status = kernel([2.5, 1.0], np.stack([(exact**2).sum(1), exact.prod(1)], 1))
    assert (status == 1).all()
    np.testing.assert_allclose(found, exact, rtol=1e-13)


def test_a_pass_is_counted_once():
    repeat = iterate(STEP, 10)
    outputs = [Argument("root"), Argument("iterations"), Argument("status")]
    function = Function.from_equation("root", lambda a: repeat(1.0, a), [A], outputs)
    assert Program.of(function).n_operations == Program.of(STEP).n_operations


def test_an_iteration_is_not_differentiated_as_if_it_were_one_step():
    repeat = iterate(STEP, 10)
    function = Function.from_equation("root", lambda a: repeat(1.0, a)[0], [A], [X])
    with pytest.raises(RuntimeError):
        function.jacobian("x", "a")


def test_a_constant_iteration_has_the_derivative_of_one_more_step_outside():
    repeat = iterate(STEP, 10, constant=True)
    function = Function.from_equation(
        "root", lambda a: STEP(repeat(1.0, a)[0], a)[0], [A], [Argument("x")]
    )
    slope = Kernel(function.jacobian("x", "a"))
    np.testing.assert_allclose(slope(np.array([2.0, 9.0])), [1 / np.sqrt(8.0), 1 / 6.0], rtol=1e-12)


def test_a_step_must_return_its_states_and_a_status():
    with pytest.raises(CompilerError, match="returns its states"):
        iterate(
            Function.from_equation(
                "f", lambda x: 2 * x, [Argument("x", (2,))], [Argument("x", (2,))]
            ),
            3,
        )
    with pytest.raises(CompilerError, match="at most 0 times"):
        iterate(STEP, 0)


def test_an_iteration_is_refused_as_a_function_of_casadi():
    repeat = iterate(STEP, 10)
    inner = Function.from_equation("root", lambda a: repeat(1.0, a)[0], [A], [X])
    outer = Function.from_equation("twice", lambda a: 2 * inner(a), [A], [X])
    for function in (inner, outer):
        with pytest.raises(CompilerError, match="iterates inside"):
            _ = function.casadi
    assert Kernel(outer)(9.0) == 6.0
