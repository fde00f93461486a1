"""Exported examples on emulated processors of controllers print the numbers of this one.

Not part of the suite: Zig makes a C library for each processor first, which takes minutes, and QEMU
must be there: `pytest tests/exchange/check_emulated.py`.
"""

import shutil

import numpy as np
import pytest
from compiled_c import STRICT, shown_by_example
from cross_builds import ZIG

import gough
from gough.exchange import export_kernels

KERNELS = ["forward_kinematics", "inverse_kinematics", "inverse_dynamics", "forward_dynamics"]
EMULATED = {"aarch64-linux-musl": "qemu-aarch64", "arm-linux-musleabihf": "qemu-arm"}


@pytest.mark.parametrize("robot", ["demo-hexapod", "delta"])
@pytest.mark.parametrize(("dtype", "digits"), [("float64", 1e-14), ("float32", 2e-6)])
@pytest.mark.parametrize("triple", EMULATED)
def test_an_emulated_processor_prints_the_same_numbers(triple, dtype, digits, robot, tmp_path):
    emulator = EMULATED[triple]
    if shutil.which(emulator) is None:
        pytest.fail(f"{emulator} is not installed: it comes with QEMU's user emulation")
    export_kernels(gough.Model(gough.load(robot)), tmp_path, KERNELS, dtype=dtype)
    name = robot.replace("-", "_")
    expected = shown_by_example(tmp_path, name)
    compiler = [*ZIG, "cc", "-target", triple, "-static"]
    found = shown_by_example(tmp_path, name, STRICT, compiler, run=[emulator])
    assert found.keys() == expected.keys()
    for key, numbers in expected.items():
        assert np.isfinite(numbers).all()
        scale = max(1.0, np.abs(numbers).max())
        np.testing.assert_allclose(found[key], numbers, rtol=0, atol=digits * scale, err_msg=key)
