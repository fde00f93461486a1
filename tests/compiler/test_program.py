"""Programs: nothing computed twice, nothing computed in vain, calls that stay calls."""

import re

import casadi as ca
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.program import Call, Compute, LoadInput, Program
from gough.compiler.native.kernel import Kernel
from gough.compiler.native.llvm_loop import module_text
from gough.errors import CompilerError

X, Y = Argument("x"), Argument("y")


def program(equation, inputs=(X, Y), outputs=(Argument("r"),)):
    return Program.of(Function.from_equation("f", equation, inputs, outputs))


def test_equal_operations_are_done_once():
    p = program(lambda x, y: ca.sin(x * y) + ca.cos(y * x))
    assert p.operations == {"mul": 1, "sin": 1, "cos": 1, "add": 1}


def test_differences_are_not_taken_for_commutative():
    p = program(lambda x, y: (x - y) * ca.exp(y - x))
    assert p.operations["sub"] == 2


def test_what_no_output_needs_is_dropped():
    p = program(lambda x, y: (ca.sin(x), y)[1] + 0 * ca.cos(x))
    assert p.n_operations == 0
    assert [i for i in p.instructions if isinstance(i, LoadInput)] == [LoadInput(1)]


def test_a_condition_with_two_sides_is_one_selection():
    p = program(lambda x, y: ca.if_else(x < y, ca.sin(x), ca.cos(y)))
    assert p.operations == {"lt": 1, "sin": 1, "cos": 1, "select": 1}


@pytest.fixture
def inner():
    outputs = [Argument("a", (2,)), Argument("b")]
    return Function.from_equation(
        "inner", lambda v, y: (ca.sin(v) * y, ca.dot(v, v)), [Argument("v", (2,)), Y], outputs
    )


@pytest.fixture
def outer(inner):
    def equation(v):
        a, b = inner(2 * v, v[0])
        c, _ = inner(a, b)
        return c + b

    return Function.from_equation("outer", equation, [Argument("v", (2,))], [Argument("r", (2,))])


def test_a_call_is_a_call_and_not_a_copy(outer):
    p = Program.of(outer)
    calls = [i for i in p.instructions if isinstance(i, Call)]
    assert len(calls) == 2
    assert calls[0].routine is calls[1].routine
    assert not any(isinstance(i, Compute) and i.operation.name == "sin" for i in p.instructions)
    text = module_text(p, 8)
    assert text.count("call <8 x double> @lanes.sin") == 2  # both of them in the one inner routine


def test_operations_of_called_programs_count_each_time(outer):
    assert Program.of(outer).operations["sin"] == 4


def test_a_call_gives_what_the_copied_equation_gives(inner, outer):
    v = np.random.default_rng(0).normal(size=(20, 2))
    sin_v = np.sin(2 * v) * v[:, :1]
    b = (4 * v * v).sum(1, keepdims=True)
    np.testing.assert_allclose(Kernel(outer)(v), np.sin(sin_v) * b + b, rtol=1e-14)


def test_what_successive_calls_have_in_common_is_stored_once(inner):
    def equation(v):
        a, b = inner(v, v[0])
        c, d = inner(a, v[0])
        e, f = inner(a, d)
        return inner(e + c, b + f + v[0])[0]

    several = Function.from_equation(
        "several", equation, [Argument("v", (2,))], [Argument("r", (2,))]
    )
    stored = re.findall(r"store .*, ptr %routine\.\d+\.in\.", module_text(Program.of(several), 8))
    assert len(stored) == 3 + 2 + 1 + 3
    v = np.random.default_rng(1).normal(size=(5, 2))
    found = np.array([np.array(several.casadi(x)).ravel() for x in v])
    np.testing.assert_allclose(Kernel(several)(v), found, rtol=1e-14)


def test_calls_nest_and_a_shared_routine_is_built_once(inner, outer):
    def equation(v):
        return outer(v) + inner(v, 1.0)[0] + outer(2 * v)

    top = Function.from_equation("top", equation, [Argument("v", (2,))], [Argument("r", (2,))])
    assert [r.name for r in Program.of(top).routines()] == ["inner", "outer"]
    v = np.array([0.3, -0.7])
    np.testing.assert_allclose(Kernel(top)(v), np.array(top.casadi(v)).ravel(), rtol=1e-14)


def test_wrong_shapes_inside_equations_name_the_argument():
    with pytest.raises(CompilerError, match=r"f: r is 2x1; expected shape \(3,\)"):
        program(lambda x, y: ca.vertcat(x, y), outputs=(Argument("r", (3,)),))
    with pytest.raises(CompilerError, match="gave 1 results; expected 2"):
        program(lambda x, y: x + y, outputs=(X, Y))


def test_a_call_with_too_few_inputs_says_so(inner):
    with pytest.raises(CompilerError, match="inner: called with 1 inputs; expected 2"):
        inner(ca.SX.sym("v", 2))
