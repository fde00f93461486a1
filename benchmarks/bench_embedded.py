"""Exported C on processors of controllers: operations, code and stack of a call."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import gough
from benchmarks.measure import Report
from gough.exchange import export_kernels
from gough.exchange.source import exported_program

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "samples"))
from cross_builds import TARGETS, code_size, compiled_for, stack_size

ROBOTS = ("demo-hexapod", "delta")
KERNELS = (
    "inverse_kinematics", "jacobian", "inverse_dynamics", "forward_dynamics", "forward_kinematics",
)  # fmt: skip


def measured(model, kernel, target):
    """Most operations, bytes of code and bytes of stack."""
    with TemporaryDirectory() as folder:
        export_kernels(model, folder, [kernel], dtype=target.dtype)
        frames = compiled_for(target, Path(folder), kernel)
        program = exported_program(model, kernel, target.dtype)
        return program.most_operations, code_size(Path(folder), kernel), stack_size(program, frames)


def run() -> None:
    """Print what each kernel takes on each processor."""
    for robot in ROBOTS:
        model, report = gough.Model(gough.load(robot)), Report(f"{robot} on controllers")
        for name, target in TARGETS.items():
            for kernel in KERNELS:
                most, code, stack = measured(model, kernel, target)
                report.fact(
                    f"{name}, {target.dtype}: {kernel}",
                    f"at most {most:,} operations, {code:,} bytes of code, {stack:,} of stack",
                )
        report.show()
