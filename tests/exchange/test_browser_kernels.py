"""Kernels of robots in a browser's languages: Python's own numbers, to the last bit.

Some of them; `pytest tests/exchange/check_browser_kernels.py` compares all of every library robot.
"""

import numpy as np
import pytest
from browser_kernels import expected_of, run, samples_of
from drawn_machines import MACHINES

import gough
from gough.model.catalogue import definitions

KNEE = gough.Model(gough.load("knee"))
CASES = {
    "hexapod": (
        gough.Model(gough.load("demo-hexapod")),
        ["inverse_kinematics", "jacobian", "inverse_dynamics", "forward_dynamics"],
    ),
    "parametric": (
        gough.Model(gough.load("demo-hexapod"), parametric=True),
        ["inverse_kinematics", "gravity"],
    ),
    "with iterations": (gough.Model(MACHINES["3-RRRS"](1)), ["inverse_kinematics", "twist_basis"]),
    "all of a knee": (KNEE, list(definitions(KNEE.structure, KNEE.formulation))),
}


@pytest.mark.parametrize("case", CASES)
def test_kernels_have_the_bits_of_python(case, tmp_path):
    (model, names), rng = CASES[case], np.random.default_rng(3)
    functions = {name: model.function(name) for name in names}
    samples = {name: samples_of(f, model, rng) for name, f in functions.items()}
    for name, (one, many) in run(functions, samples, tmp_path).items():
        expected = expected_of(getattr(model, name), samples[name])
        np.testing.assert_array_equal(one, expected, err_msg=name)
        np.testing.assert_array_equal(many, expected, err_msg=name)
