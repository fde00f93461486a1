"""Exported C, compiled strictly and called from here."""

import ctypes
import re
import shutil
import subprocess
import sys
from collections import defaultdict

import numpy as np

COMPILER = ["cc"] if shutil.which("cc") else [sys.executable, "-m", "ziglang", "cc"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion", "-Werror"]
STRICT = ["-std=c99", *WARNINGS, "-O2"]
QUICK = ["-std=c99", *WARNINGS, "-O0"]


def built(folder, name):
    """The function of a library of one."""
    return getattr(library_of(folder, name), name)


def library_of(folder, name, flags=QUICK):
    command = [*COMPILER, *flags, "-shared", "-fPIC", f"{name}.c", "-lm", "-o", f"{name}.so"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / f"{name}.so"))


def pointers(*arrays):
    return [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]


def shown_by_example(folder, name, flags=STRICT, compiler=COMPILER, run=()):
    """What the example prints: arrays by the names of what it prints, in their order."""
    files = [f"{name}.c", f"{name}_example.c"]
    subprocess.run([*compiler, *flags, *files, "-lm", "-o", "example"], cwd=folder, check=True)
    done = subprocess.run([*run, folder / "example"], check=True, capture_output=True, text=True)
    found = defaultdict(list)
    for line in done.stdout.splitlines():
        printed, number = re.fullmatch(r"([\w.]+)\[\d+\] = (.*)", line).groups()
        found[printed].append(float(number))
    return {key: np.array(numbers) for key, numbers in found.items()}
