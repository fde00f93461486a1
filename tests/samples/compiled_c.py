"""Exported C, compiled strictly and called from here."""

import ctypes
import shutil
import subprocess
import sys

COMPILER = ["cc"] if shutil.which("cc") else [sys.executable, "-m", "ziglang", "cc"]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]


def built(folder, name):
    command = [*COMPILER, *STRICT, "-shared", "-fPIC", f"{name}.c", "-lm", "-o", f"{name}.so"]
    subprocess.run(command, cwd=folder, check=True)
    return getattr(ctypes.CDLL(str(folder / f"{name}.so")), name)


def pointers(*arrays):
    return [a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in arrays]
