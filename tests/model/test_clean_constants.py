"""Rounding does not reach the code: no constant that is nothing beside its like."""

import casadi as ca
import numpy as np
import pytest

import gough
from gough.compiler.front.program import ConstantValue, Program
from gough.equations.spatial.algebra import total, without_rounding

KERNELS = (
    "inverse_kinematics",
    "jacobian",
    "inverse_dynamics",
    "mass_matrix",
    "energy",
    "joint_centers",
    "mass_center_position",
    "reactions",
)
KINDS = ("agile-eye", "delta", "demo-hexapod", "orthoglide", "planar-3rrr", "tricept")
"""Machines whose legs are closed in different ways."""


@pytest.mark.parametrize("robot", KINDS)
def test_kernels_have_no_constants_that_are_rounding(robot):
    """The numbers of these machines are larger by far, also where they are squared."""
    model = gough.Model(gough.load(robot))
    for kernel in set(KERNELS) & set(model.kernel_names):
        program = Program.of(model.function(kernel))
        called = [r for r in program.routines() if isinstance(r, Program)]
        numbers = {
            i.value
            for p in (program, *called)
            for i in p.instructions
            if isinstance(i, ConstantValue)
        }
        assert {x for x in numbers if 0 < abs(x) < 1e-9} == set(), kernel


def test_only_what_is_rounding_beside_its_like_is_zero():
    given = ca.DM([1e-17, 1e-14, -2.0, np.inf, -np.inf])
    np.testing.assert_array_equal(
        np.array(without_rounding(given)).ravel(), [0, 1e-14, -2.0, np.inf, -np.inf]
    )
    small = ca.DM([1e-20, 2e-20])
    np.testing.assert_array_equal(np.array(without_rounding(small)), np.array(small))
    symbol = ca.SX.sym("x", 2)
    assert without_rounding(symbol) is symbol
    assert without_rounding(ca.SX(1e-17), ca.SX(1.0)).is_zero()
    assert float(without_rounding(ca.SX(1e-17), symbol)) == 1e-17


def test_a_sum_that_cancels_is_zero():
    terms = [ca.DM([0.1, 1.0]), ca.DM([0.2, 2.0]), ca.DM([-0.3, 1.0])]
    assert float(terms[0][0] + terms[1][0] + terms[2][0]) != 0
    np.testing.assert_array_equal(np.array(total(terms)).ravel(), [0.0, 4.0])
