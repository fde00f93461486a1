"""A kernel that is dropped gives its memory back."""

import subprocess
import sys

from gough.compiler.native import cache

MOST = 20_000
"""Bytes that a kernel may leave behind: LLVM keeps 1 to 3 kB of each."""

PROGRAM = """
import gc, resource, sys
import numpy as np
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.compiler.native.recurrence import Recurrence

x, y, z = (Argument(name, (3,)) for name in "xyz")

def use_and_drop(first, count):
    for k in range(first, first + count):
        f = Function.from_equation("f", lambda x, y: (k * x, x + y), [x, y], [y, z])
        assert (Kernel(f)(np.ones(3), np.ones(3)).y == k).all()
        sums = Recurrence(f, {"x": "y"})({"x": np.ones(3), "y": np.ones((2, 1, 3))})["z"]
        assert (sums[1] == k + 1).all()
    gc.collect()
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

before = use_and_drop(2, 20)
print((use_and_drop(1000, 60) - before) / 120)
"""


def test_dropped_kernels_give_their_memory_back(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "kernels"))
    for _ in ("compiled", "from the cache"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        )
        assert float(done.stdout) < MOST
