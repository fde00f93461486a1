"""Rounding does not reach the code: no constant that is nothing beside its like."""

import casadi as ca
import numpy as np
import pytest

import gough
from gough.compiler.front.program import Constant, Program
from gough.equations.spatial.algebra import total, without_rounding


@pytest.mark.parametrize(
    "robot", ["kalani-2016", "bingul-2012", "baiges-1996", "demo-hexapod", "agile-eye", "delta"]
)
def test_kernels_have_no_constants_that_are_rounding(robot):
    model = gough.Model(gough.load(robot))
    for kernel in ("inverse_kinematics", "inverse_dynamics"):
        program = Program.of(model.function(kernel))
        numbers = [i.value for i in program.instructions if isinstance(i, Constant)]
        assert [x for x in numbers if 0 < abs(x) < 1e-14] == []


def test_only_what_is_rounding_beside_its_like_is_zero():
    given = ca.DM([1e-17, 1e-14, -2.0, np.inf, -np.inf])
    np.testing.assert_array_equal(
        np.array(without_rounding(given)).ravel(), [0, 1e-14, -2.0, np.inf, -np.inf]
    )
    small = ca.DM([1e-20, 2e-20])
    np.testing.assert_array_equal(np.array(without_rounding(small)), np.array(small))
    symbol = ca.SX.sym("x", 2)
    assert without_rounding(symbol) is symbol


def test_a_sum_that_cancels_is_zero():
    terms = [ca.DM([0.1, 1.0]), ca.DM([0.2, 2.0]), ca.DM([-0.3, 1.0])]
    assert float(terms[0][0] + terms[1][0] + terms[2][0]) != 0
    np.testing.assert_array_equal(np.array(total(terms)).ravel(), [0.0, 4.0])
