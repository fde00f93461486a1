"""Every kernel of every library robot, and all that its page computes, in a browser's languages.

Not part of the suite, as it takes half an hour: `pytest tests/exchange/check_browser_kernels.py`.
"""

import numpy as np
import pytest
from browser_kernels import expected_of, run, samples_of

import gough
from gough.compiler import Kernel, Program
from gough.compiler.native.webassembly import webassembly
from gough.model.catalogue import definitions
from gough.plots.shapes import shape_of
from gough.workbench.writing import functions


def by_browser(function):
    """Whether a function needs some that browsers compute in their own way, to the last bits."""
    return bool({"tanh", "exp", "log", "tan"} & {*webassembly(Program.of(function)).calls})


@pytest.mark.parametrize("robot", gough.library_names())
@pytest.mark.parametrize("parametric", [False, True], ids=["kernels", "page"])
def test_all_have_the_bits_of_python(robot, parametric, tmp_path):
    model, rng = gough.Model(gough.load(robot), parametric=parametric), np.random.default_rng(3)
    shape = shape_of(model.robot, np.array([model.robot.home]))
    names = () if parametric else definitions(model.structure, model.formulation)
    each = functions(model.robot, shape) if parametric else map(model.function, names)
    by_name = {function.name: function for function in each}
    samples = {name: samples_of(function, model, rng) for name, function in by_name.items()}
    differing = {}
    for name, found in run(by_name, samples, tmp_path).items():
        expected = expected_of(Kernel(by_name[name]), samples[name])
        last_bits = 4 * np.finfo(float).eps * np.nanmax(np.abs(expected), initial=0.0, axis=0)
        allowed = last_bits if by_browser(by_name[name]) else 0.0
        for way, numbers in zip(("JavaScript", "WebAssembly"), found, strict=True):
            unknown = np.isnan(numbers) & np.isnan(expected)
            with np.errstate(invalid="ignore"):  # infinite ones are equal, or differ
                near = np.abs(numbers - expected) <= allowed
            differs = ~near & (numbers != expected) & ~unknown
            if differs.any():
                differing[name, way] = f"{differs.any(1).sum()} states of {len(differs)}"
    assert differing == {}
