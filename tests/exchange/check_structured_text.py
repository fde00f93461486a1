"""Larger kernels as Structured Text: too slow for every run, as the grammar takes 5 ms a line.

Run by `pytest tests/exchange/check_structured_text.py`.
"""

import numpy as np
import pytest
from structured_text_machine import Units

import gough
from gough.exchange import export_kernels
from gough.kinematics.forward.status import Status

KERNELS = [
    ("kalani-2016", "inverse_dynamics"),
    ("kalani-2016", "forward_dynamics"),
    ("five-bar", "mass_matrix"),
    ("tripod-3rps", "crossing_residual"),  # calls an iteration
]


@pytest.mark.parametrize(("robot", "kernel"), KERNELS)
def test_the_block_gives_the_kernels_numbers(robot, kernel, tmp_path):
    model = gough.Model(gough.load(robot))
    (path,) = export_kernels(model, tmp_path, [kernel], language="st").paths
    block, function = Units(path.read_text()).block(kernel), model.function(kernel)
    rng = np.random.default_rng(0)
    inputs = {a.name: rng.normal(size=a.shape) for a in function.inputs}
    inputs["pose"] = np.array(model.robot.home)
    block(**inputs)
    expected = getattr(model, kernel)(*inputs.values())
    (output,) = (a.name.lower() for a in function.outputs)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(block.values[output], expected, rtol=0, atol=1e-12 * scale)


def test_forward_kinematics_follows_a_delta_through_a_motion_without_dividing_by_zero(tmp_path):
    model = gough.Model(gough.load("delta"))
    (path,) = export_kernels(model, tmp_path, ["forward_kinematics"], language="st").paths
    block = Units(path.read_text()).block(path.stem)
    home = np.array(model.robot.home)
    t = np.linspace(0, np.pi, 3)
    path = np.stack([np.sin(t), np.sin(2 * t), np.cos(t) - 1], axis=-1) * 0.01
    state = np.r_[home, 0.0, 0.0, 0.0]
    for offset in path:
        pose = home + [*offset, 0, 0, 0, 0]
        block(q=model.inverse_kinematics(pose), state=state)
        state = block.values["new_state"].copy()
        assert block.values["status"] == Status.CONVERGED
        np.testing.assert_allclose(block.values["pose"], pose, atol=1e-9)
