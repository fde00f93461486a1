"""Waiting: CPU seconds of commands that were run before, each time in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Report

STUDIES = Path(__file__).parents[1] / "studies"
AIMS = {
    "--help": 0.2,
    "pose ik demo-hexapod": 0.35,
    "run demo-machining.toml": 0.8,
    "run simulation/demo-pid.toml": 0.9,
    "control tune demo-hexapod": 0.9,
    "workspace volume demo-hexapod": 1.2,
    "pose assemblies kalani-2016": 0.5,
}
"""Commands, in the folder of the studies, and at most how long they should take [s]."""
REPEATS = 5


def of_command(words):
    """What a command of Gough takes, its results written into a folder of their own."""
    with TemporaryDirectory() as folder:
        output = ["--output", f"{folder}/results"] if words[0] == "run" else []
        return cpu_seconds("-m", "gough", *words, *output)


def cpu_seconds(*words):
    """What Python takes of all cores together, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, *words], cwd=STUDIES, stdout=subprocess.DEVNULL, env=_usual()
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(words)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def _usual():
    """The environment in which Python keeps what it has compiled, as it does for most."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def run():
    report = Report(f"Second runs of commands: CPU seconds, the best of {REPEATS}")
    for command, aim in AIMS.items():
        words = command.split()
        of_command(words)  # compiles what is new
        best = min(of_command(words) for _ in range(REPEATS))
        report.at_most(f"gough {command}", best, aim, "s")
    numpy = min(cpu_seconds("-c", "import numpy") for _ in range(REPEATS))
    report.fact("beside them: import numpy", f"{numpy:.3f} s")
    report.show()
