"""Make the example of how-to/calibration.md and its picture: `python docs/make_calibration.py`.

A demo-hexapod whose joint centres and offsets have errors of 0.1 mm is measured at forty poses,
with noise of 15 µm and 20 µrad: a simulation.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from make_robots import compact

import gough
from gough.identification import load_measurements, save_pose_table
from gough.plots import save_plot
from gough.poses import displace

ROOT = Path(__file__).parents[1]
FILE = ROOT / "studies" / "measured.csv"
PICTURE = ROOT / "docs" / "figures" / "calibration.png"
PARAMETERS = ["legs[*].base", "legs[*].platform", "legs[*].length_offset"]
ERROR, SIGMA, ANGLE_SIGMA = 1e-4, 15e-6, 20e-6


def measure(robot: gough.Robot) -> None:
    """Write what a machine with errors does at poses that tell much."""
    family, generator = gough.Model(robot, parametric=True), np.random.default_rng(1)
    unknown = family.matching_parameters(PARAMETERS)
    places = [family.parameter_names.index(name) for name in unknown]
    numbers = robot.parameters
    numbers[places] += ERROR * generator.standard_normal(len(places))
    poses = gough.calibration_poses(robot, 40)
    readings = gough.Model(robot).readings(poses).round(7)
    taken = family.forward_kinematics(
        family.positions(numbers, readings), poses, parameters=numbers
    ).pose
    noise = generator.standard_normal((len(poses), 6)) * np.repeat([SIGMA, ANGLE_SIGMA], 3)
    save_pose_table(robot, readings, displace(taken, noise), FILE)


def main() -> None:
    """Write both."""
    robot = gough.load("demo-hexapod")
    measure(robot)
    measured = load_measurements(FILE, robot, sigma=SIGMA, angle_sigma=ANGLE_SIGMA)
    save_plot(gough.calibrate(robot, measured, validation=0.2).plot(), PICTURE)
    compact(PICTURE)


if __name__ == "__main__":
    main()
