"""Derivatives of closed loops through time, against runs without them."""

from __future__ import annotations

from functools import partial
from time import process_time

import numpy as np

import gough
from benchmarks.measure import Report, best_times
from gough.simulation import (
    Sampling,
    computed_torque,
    force_commanded,
    gradient,
    joint_pid,
    real_plant,
    rigid_plant,
    sensitivity,
)
from gough.simulation.closed_loop import ClosedLoop

SAMPLES = 1000


def slopes(part, runs):
    """Of the sum of squares of the position."""
    d_memory = np.zeros_like(runs.memory)
    d_memory[..., :3] = 2 * runs.memory[..., :3]
    return d_memory, np.zeros_like(runs.command)


def loop_of(name):
    """Return a loop of computed torque or, of a robot with drives, of a PID controller."""
    robot = gough.load(name)
    if name == "demo-hexapod":
        plant = force_commanded(real_plant(robot))
        return ClosedLoop(plant, joint_pid(1e6, 1e4, 1e6), robot, Sampling(1e-4))
    return ClosedLoop(rigid_plant(robot, ("platform.mass",)), computed_torque(900, 60), robot)


def run():
    """Print the times of a gradient and of a sensitivity as multiples of that of a run."""
    report = Report(f"Derivatives of {SAMPLES} samples of closed loops with RK4, in CPU time")
    for name in ("kalani-2016", "delta", "demo-hexapod"):
        loop, robot = loop_of(name), gough.load(name)
        along = np.tile(np.concatenate([robot.home, np.zeros(12)]), (SAMPLES, 1))
        start = loop.start(robot.home)
        options = {"parameters": np.array([1.0])} if loop.plant.varied else {}
        changes = options or {"gains": loop.gain_values}
        calls = (
            partial(loop.run, start, along, **options),
            partial(gradient, loop, start, along, slopes, **options),
            partial(sensitivity, loop, start, along, changes, **options),
        )
        best_times(*calls, seconds=0)  # compiles
        run, all_slopes, along_one = best_times(*calls, clock=process_time)
        report.at_most(f"{name}: gradient by all that it is given", all_slopes / run, 6, "runs")
        report.at_most(f"{name}: derivative along one direction", along_one / run, 6, "runs")
    report.show()
