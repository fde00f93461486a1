"""A million designs at a hundred poses, in core seconds: actuators and condition at worst."""

from __future__ import annotations

from time import process_time

import numpy as np

import gough
from benchmarks.measure import Report
from gough.robot.mechanism import MOVES

MEASURED, DESIGNS, POSES, TARGET = 100_000, 1_000_000, 100, 30.0
FAMILIES = {
    "demo-hexapod": ["symmetric.*", "platform.home.position"],
    "delta": ["leg.base.x", "leg.platform.x", "leg.links[*].length"],
}


def seconds(model, how, quantity, poses, designs) -> float:
    """Core seconds of all designs over all poses; what is compiled is compiled before."""
    model.over_poses(how, quantity, poses, designs[:10])
    start = process_time()
    model.over_poses(how, quantity, poses, designs, threads=1)
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
        free = np.isin(MOVES, model.structure.freedoms)
        steps = np.where(free, rng.uniform(-0.1, 0.1, (POSES, 6)), 0.0)
        poses = gough.poses.displace(model.robot.home, steps)
        for quantity in ("inverse_kinematics", "condition"):
            time = seconds(model, "max", quantity, poses, designs) * DESIGNS / MEASURED
            report.at_most(f"{name}, max of {quantity}", time, TARGET, "s")
    report.show()
