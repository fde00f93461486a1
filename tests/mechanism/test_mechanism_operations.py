"""How many operations the equations take, inverse kinematics included: as few as they once did."""

import pytest
from drawn_machines import MACHINES
from general_cases import mechanism
from mechanism_kernels import kernels

from gough.compiler.front.program import Program

MOST = {
    "delta, ball-ended rods": (402, 441),
    "6-RSS": (1790, 2290),
    "rrr3": (650, 800),
    "rus6": (3500, 4800),
    "delta_us": (1250, 1870),
}
"""Inverse and forward dynamics."""


@pytest.mark.parametrize("name", MOST)
def test_operations_are_few(name):
    k = kernels(MACHINES[name](0) if name in MACHINES else mechanism(name))
    equations = ("inverse_dynamics", "forward_dynamics")
    counts = [Program.of(k.function(equation)).n_operations for equation in equations]
    assert all(count <= most for count, most in zip(counts, MOST[name], strict=True)), counts
