"""Programs in two: what depends on one input alone, and the rest."""

import casadi as ca
import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program
from gough.compiler.front.stages import in_two
from gough.compiler.native.kernel import Kernel

TURN, POINT = Argument("turn", (2,)), Argument("point", (3,))


def program(equation, output=Argument("result", (2,))):
    function = Function.from_equation("example", equation, [POINT, TURN], [output])
    return function, Program.of(function)


def turned(point, turn):
    c, s = ca.cos(turn[0]), ca.sin(turn[0])
    return ca.vertcat(c * point[0] - s * point[1], turn[1] * ca.exp(point[2]) + 1)


def test_both_parts_together_do_what_the_program_does():
    function, whole = program(turned)
    first, rest = in_two(whole, "turn")
    point, turn = np.random.default_rng(0).normal(size=(2, 5, 3))
    numbers = Kernel.of_program(first)(turn[:, :2])
    found = Kernel.of_program(rest)(point, numbers)
    np.testing.assert_array_equal(found, Kernel(function)(point, turn[:, :2]))


def test_what_one_input_determines_is_done_once():
    _, whole = program(turned)
    first, rest = in_two(whole, "turn")
    assert first.operations == {"cos": 1, "sin": 1}
    assert rest.operations + first.operations == whole.operations
    assert [a.shape for a in rest.inputs] == [(3,), (3,)]


def test_a_program_without_that_input_stays_as_it_is():
    function, whole = program(lambda point, turn: point[:2] ** 2)
    first, rest = in_two(whole, "turn")
    assert not first.n_operations
    point = np.arange(3.0)
    found = Kernel.of_program(rest)(point, Kernel.of_program(first)(np.zeros(2)))
    np.testing.assert_array_equal(found, Kernel(function)(point, np.zeros(2)))
