"""A million designs at a hundred poses, in core seconds: actuators and condition at worst."""

from __future__ import annotations

from time import process_time

import numpy as np

import gough
from benchmarks.measure import Report
from gough.robot.mechanism import MOVES

MEASURED, DESIGNS, POSES, TARGET = 100_000, 1_000_000, 100, 30.0
PIECE = 256
FAMILIES = {
    "demo-hexapod": ["symmetric.*", "platform.home.position"],
    "delta": ["leg.base.x", "leg.platform.x", "leg.links[*].length"],
}


def seconds(kernel, poses, designs) -> float:
    """Core seconds of the largest over all poses of all designs, in pieces that stay in caches."""
    start = process_time()
    for k in range(0, len(designs), PIECE):
        kernel(designs[k : k + PIECE, None], poses, threads=1).max(axis=1)
    return process_time() - start


def run() -> None:
    """Measure and print."""
    report = Report(
        f"Of {DESIGNS:,} designs x {POSES} poses, by {MEASURED:,} of them, core seconds"
    )
    for name, patterns in FAMILIES.items():
        model = gough.Model(gough.load(name), parametric=patterns)
        rng = np.random.default_rng(0)
        designs = model.parameters * rng.uniform(0.95, 1.05, (MEASURED, len(model.parameters)))
        free = np.isin(MOVES, model.structure.degrees_of_freedom)
        steps = np.where(free, rng.uniform(-0.1, 0.1, (POSES, 6)), 0.0)
        poses = gough.poses.displace(model.robot.home, steps)
        for quantity in ("inverse_kinematics", "condition"):
            time = seconds(model.quantity(quantity), poses, designs) * DESIGNS / MEASURED
            report.at_most(f"{name}, max of {quantity}", time, TARGET, "s")
    report.show()
