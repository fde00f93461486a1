"""Monte Carlo samples: poses, forces and margins of all of them, in core seconds a pose."""

from __future__ import annotations

import time

import numpy as np

import gough
from benchmarks.measure import Report
from gough.tolerance.monte_carlo import monte_carlo
from gough.tolerance.stated import stated_tolerances

ROBOTS, POSES, TRIES = 100_000, 5, 3
TOLERANCES = {
    "legs[*].base": "50 um",
    "legs[*].platform": "50 um",
    "legs[*].length_offset": "50 um",
    "platform.mass": "1 %",
}


def core_seconds(robot, poses, samples):
    """Of the machines alone: the least of a few tries, on however many cores."""
    loads, found = [np.zeros(6)] * 3, []
    stated = stated_tolerances(robot, TOLERANCES)
    for _ in range(TRIES):
        start = time.process_time()
        monte_carlo(stated, poses, loads, samples, 0)
        found.append(time.process_time() - start)
    return min(found)


def run() -> None:
    """Measure and print."""
    report, robot = Report("Tolerances, demo-hexapod, core seconds"), gough.load("demo-hexapod")
    rng = np.random.default_rng(0)
    place = np.array(robot.home[:3]) + rng.uniform(-0.1, 0.1, (POSES, 3))
    poses = gough.pose(place, rotation_vector=rng.uniform(-0.2, 0.2, (POSES, 3)))
    core_seconds(robot, poses, 10)
    one, all_of_them = (core_seconds(robot, some, ROBOTS) for some in (poses[:1], poses))
    a_pose = (all_of_them - one) / (POSES - 1)
    report.at_most(f"{ROBOTS} machines: poses, forces, margins, a pose", a_pose, 0.1, "s")
    report.at_most("  drawing their errors, once for all poses", one - a_pose, 0.2, "s")
    report.show()
