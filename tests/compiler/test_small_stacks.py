"""Kernels and loops on threads with small stacks: code that would not fit goes elsewhere."""

import os
import platform
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.compiler.native import cache, threads

ROOT = Path(__file__).parents[2]


def on_a_small_stack(script, optimize):
    """What a script prints whose function `work` runs on a thread with a stack of 128 KiB."""
    around = """
        import threading
        import numpy as np
        import gough
        {script}
        found = []
        threading.stack_size(128 * 1024)
        thread = threading.Thread(target=lambda: found.append(work()))
        thread.start()
        thread.join()
        print(*found)
    """
    text = textwrap.dedent(around).format(script=textwrap.dedent(script))
    environment = {**os.environ, "GOUGH_OPTIMIZE": optimize}
    done = subprocess.run(  # noqa: PLW1510  (what it ends with is looked at)
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout.split()


@pytest.mark.parametrize("optimize", ["yes", "no"])
def test_large_kernels_run_and_compile_on_a_small_stack(optimize):
    script = """
        model = gough.Model(gough.load("demo-hexapod"))
        pose, twist = np.array(model.robot.home), np.zeros(6)
        big = model.regressor
        def work():
            one = float(np.linalg.norm(big(pose, twist, twist)))
            many = big(np.tile(pose, (5000, 1)), twist, twist)  # large enough for threads
            new = float(model.mass_matrix(pose)[0, 0])  # compiled on this thread
            return one, float(np.linalg.norm(many[-1])), new
    """
    found = on_a_small_stack(script, optimize)
    model = gough.Model(gough.load("demo-hexapod"))
    pose = np.array(model.robot.home)
    expected = np.linalg.norm(model.regressor(pose, np.zeros(6), np.zeros(6)))
    one, many, new = (float(text.strip("(),")) for text in found)
    assert one == many == expected
    assert new == model.mass_matrix(pose)[0, 0]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads machine code of this processor")
@pytest.mark.parametrize("optimize", ["yes", "no"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "regressor"])
def test_code_takes_no_more_of_the_stack_than_is_said(name, optimize, monkeypatch):
    monkeypatch.setenv("GOUGH_OPTIMIZE", optimize)
    kernel = gough.Kernel(gough.Model(gough.load("demo-hexapod")).function(name))
    code = cache.read(kernel.description.key)
    taken = [int.from_bytes(size, "little") for size in re.findall(rb"\x48\x81\xec(....)", code)]
    assert 0 < sum(taken) <= kernel.description.stack  # of `sub rsp, size` in all functions


def test_work_that_needs_room_keeps_its_context():
    with threads.on_one_thread():
        assert threads.with_room(2**40 // 2**10, threads.available) == 1
