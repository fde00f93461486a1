"""Several functions as one: all their numbers, with what they share computed once."""

import casadi as ca
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, joined
from gough.compiler.front.program import Program
from gough.compiler.native.kernel import Kernel
from gough.errors import CompilerError

X, Y = Argument("x", (3,)), Argument("y")


def function(name, equation, inputs, outputs):
    return Function.from_equation(name, equation, inputs, outputs)


def test_inputs_of_one_name_are_one_and_outputs_are_told_apart():
    size = function("size", ca.norm_2, [X], [Argument("found")])
    scaled = function("scaled", lambda y, x: y * ca.norm_2(x), [Y, X], [Argument("found")])
    both = joined("both", [size, scaled])
    assert [a.name for a in both.inputs] == ["x", "y"]
    assert [a.name for a in both.outputs] == ["size_found", "scaled_found"]
    found = Kernel(both)(np.array([2.0, 3.0, 6.0]), 10.0)
    assert [float(one) for one in found] == [7.0, 70.0]
    alone = Program.of(size).n_operations
    assert Program.of(both).n_operations == alone + 1


def test_inputs_of_one_name_and_two_shapes_are_refused():
    size = function("size", ca.norm_2, [X], [Argument("a")])
    twice = function("twice", lambda x: 2 * x, [Argument("x")], [Argument("b")])
    with pytest.raises(CompilerError, match=r"both: x has shape \(3,\) in one function and \(\)"):
        joined("both", [size, twice])
