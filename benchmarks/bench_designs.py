"""A million designs at a hundred poses, in core seconds: actuators and condition at worst."""

from __future__ import annotations

from time import process_time

import numpy as np

import gough
from benchmarks.measure import Report

DESIGNS, POSES, TARGET = 1_000_000, 100, 30.0
HEXAPOD = ["symmetric.*", "platform.home.position"]
DELTA = ["leg.base.x", "leg.platform.x", "leg.links[*].length"]


def seconds(model, how, quantity, poses, designs) -> float:
    """Core seconds of all designs over all poses; what is compiled is compiled before."""
    model.over_poses(how, quantity, poses, designs[:10])
    start = process_time()
    model.over_poses(how, quantity, poses, designs, threads=1)
    return process_time() - start


def run() -> None:
    """Measure and print."""
    report = Report(f"{DESIGNS:,} designs x {POSES} poses on one core")
    for name, patterns, turn in (("demo-hexapod", HEXAPOD, 0.1), ("delta", DELTA, 0.0)):
        model = gough.Model(gough.load(name), parametric=patterns)
        rng = np.random.default_rng(0)
        designs = model.parameters * rng.uniform(0.95, 1.05, (DESIGNS, len(model.parameters)))
        step = rng.uniform(-0.1, 0.1, (POSES, 6)) * np.repeat([1.0, turn * 10], 3)
        poses = np.array([gough.poses.displace(model.robot.home, x) for x in step])
        for how, quantity in (("max", "inverse_kinematics"), ("max", "condition")):
            time = seconds(model, how, quantity, poses, designs)
            report.at_most(f"{name}, {how} of {quantity}", time, TARGET, "s")
    report.show()
