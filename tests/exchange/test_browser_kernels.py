"""Kernels of robots in a browser's languages: Python's own numbers, to the last bit."""

import numpy as np
import pytest
from browser_kernels import run
from drawn_machines import MACHINES

import gough
from gough.model.catalogue import definitions

SAMPLES = 1000
PLANAR = gough.Model(gough.load("planar-3rrr"))
CASES = {
    "hexapod": (
        gough.Model(gough.load("demo-hexapod")),
        ["inverse_kinematics", "jacobian", "inverse_dynamics", "forward_dynamics"],
    ),
    "parametric": (
        gough.Model(gough.load("demo-hexapod"), parametric=True),
        ["inverse_kinematics", "gravity"],
    ),
    "with iterations": (gough.Model(MACHINES["3-RRRS"](1)), ["inverse_kinematics", "moves"]),
    "all of a planar machine": (PLANAR, list(definitions(PLANAR.structure, PLANAR.formulation))),
}


def samples_of(function, model, rng):
    """Random states near home, and whatever else the kernel takes about as large as one."""
    samples = []
    for a in function.inputs:
        if a.name == "pose":
            pose = np.tile(np.asarray(model.robot.home, float), (SAMPLES, 1))
            pose += rng.uniform(-0.03, 0.03, pose.shape)
            pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
            samples.append(pose)
        elif a.name == "parameters":
            samples.append(model.parameters * rng.uniform(0.9, 1.1, (SAMPLES, a.size)))
        else:
            samples.append(rng.normal(size=(SAMPLES, *a.shape)))
    return samples


@pytest.mark.parametrize("case", CASES)
def test_kernels_have_the_bits_of_python(case, tmp_path):
    (model, names), rng = CASES[case], np.random.default_rng(3)
    functions = {name: model.function(name) for name in names}
    samples = {name: samples_of(f, model, rng) for name, f in functions.items()}
    for name, (one, many) in run(functions, samples, tmp_path).items():
        found = getattr(model, name)(*samples[name])
        parts = found if isinstance(found, tuple) else (found,)
        expected = np.hstack([np.reshape(part, (SAMPLES, -1)) for part in parts])
        np.testing.assert_array_equal(one, expected, err_msg=name)
        np.testing.assert_array_equal(many, expected, err_msg=name)
