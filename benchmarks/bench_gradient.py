"""Derivatives of closed loops through time, against runs without them."""

from __future__ import annotations

from functools import partial

import numpy as np

import gough
from benchmarks.measure import Report, best_times
from gough.simulation import computed_torque, gradient, rigid_plant, sensitivity
from gough.simulation.closed_loop import ClosedLoop

SAMPLES = 1000


def slopes(part, runs):
    """Of the sum of squares of the position."""
    d_memory = np.zeros_like(runs.memory)
    d_memory[..., :3] = 2 * runs.memory[..., :3]
    return d_memory, np.zeros_like(runs.command)


def run():
    """Print the times of a gradient and of a sensitivity as multiples of that of a run."""
    report = Report(f"Derivatives of {SAMPLES} samples of computed torque with RK4")
    for name in ("kalani-2016", "delta"):
        robot = gough.load(name)
        loop = ClosedLoop(rigid_plant(robot, ("platform.mass",)), computed_torque(900, 60), robot)
        along = np.tile(np.concatenate([robot.home, np.zeros(12)]), (SAMPLES, 1))
        start = loop.start(robot.home)
        options = {"parameters": np.array([1.0])}
        run, all_slopes, along_one = best_times(
            partial(loop.run, start, along, **options),
            partial(gradient, loop, start, along, slopes, **options),
            partial(sensitivity, loop, start, along, options, **options),
        )
        report.at_most(f"{name}: gradient by all that it is given", all_slopes / run, 6, "runs")
        report.at_most(f"{name}: derivative along one direction", along_one / run, 6, "runs")
    report.show()
