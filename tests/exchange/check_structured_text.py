"""Larger kernels as Structured Text: too slow for every run, as the grammar takes 5 ms a line.

Run by `pytest tests/exchange/check_structured_text.py`.
"""

import numpy as np
import pytest
from structured_text_machine import Units

import gough
from gough.exchange import export_kernels

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
