"""Calibration: how much better a machine is known, whether sigmas are honest, how long it takes.

Simulated demo-hexapods with errors of 0.1 mm in all joint centres and offsets, measured at forty
poses with noise of 15 um and 20 urad.
"""

from __future__ import annotations

from time import process_time

import numpy as np

import gough
from benchmarks.measure import Report
from gough.identification import MeasuredPoses
from gough.identification.calibration.found import workspace_poses
from gough.identification.calibration.unknowns import unknowns_of
from gough.poses import difference, displace

MACHINES, COUNT, OTHERS = 100, 40, 200
ERROR, SIGMA, ANGLE_SIGMA = 1e-4, 15e-6, 20e-6
NOISE = np.repeat([SIGMA, ANGLE_SIGMA], 3)
WITHIN = 1.96


def rms(steps):
    """Of the ways [m] of steps (..., 6)."""
    return float(np.sqrt(np.square(steps[..., :3]).sum(-1).mean()))


def calibrated(robot, poses, others, generator):
    """Of many machines: error before over after, share of the intervals that hold, and seconds."""
    family, own = gough.Model(robot, parametric=True), robot.parameters
    places = list(unknowns_of(gough.Model(robot), None, None, ()).places)
    readings, fresh = (family.readings(own, at) for at in (poses, others))

    def taken(numbers, at, near):
        q = family.positions(numbers, at)
        return family.forward_kinematics(q, near, parameters=numbers).pose

    gains, inside, seconds = [], [], []
    for _ in range(MACHINES):
        numbers = own.copy()
        numbers[places] += ERROR * generator.standard_normal(len(places))
        noise = NOISE * generator.standard_normal((len(poses), 6))
        measured = displace(taken(numbers, readings, poses), noise)
        start = process_time()
        found = gough.calibrate(robot, MeasuredPoses(readings, measured, SIGMA, ANGLE_SIGMA))
        seconds.append(process_time() - start)
        real = taken(numbers, fresh, others)
        after = taken(found.robot.parameters, fresh, others)
        gains.append(rms(difference(others, real)) / rms(difference(after, real)))
        errors = (found.robot.parameters - numbers)[places]
        inside.append(np.abs(errors) < WITHIN * np.array([p.sigma for p in found.parameters]))
    return np.median(gains), 100 * np.mean(inside), seconds


def sigmas(robot, poses, others):
    """Predicted, rms: of parameters [m], and of ways over the workspace [m]."""
    unknowns = unknowns_of(gough.Model(robot), None, None, ())
    rows = unknowns.slopes(unknowns.prior, poses) / NOISE[:, None]
    seen = unknowns.observability(rows.reshape(-1, rows.shape[-1]), len(poses))
    ways = seen.deviations(unknowns.slopes(unknowns.prior, others))
    return float(np.sqrt(np.diag(seen.covariance).mean())), rms(ways)


def run():
    report = Report(f"Calibration: {MACHINES} simulated demo-hexapods, {COUNT} poses each")
    robot, generator = gough.load("demo-hexapod"), np.random.default_rng(0)
    others = workspace_poses(robot, OTHERS, rng=99)
    start = process_time()
    best = gough.calibration_poses(robot, COUNT)
    report.fact("choosing the poses, processor time", f"{process_time() - start:.1f} s")
    drawn = [workspace_poses(robot, COUNT, rng=k) for k in range(1, 11)]
    random = np.mean([sigmas(robot, poses, others) for poses in drawn], 0)
    chosen = np.array(sigmas(robot, best, others))
    for k, what in enumerate(("parameters", "way over the workspace")):
        said = f"{1e6 * random[k]:.1f} um, chosen: {1e6 * chosen[k]:.1f} um"
        report.fact(f"sigma of {what}, random poses", said)
    report.at_least("  random over chosen, parameters", random[0] / chosen[0], 1.8)
    for name, poses in (("random", drawn[0]), ("chosen", best)):
        gain, inside, seconds = calibrated(robot, poses, others, generator)
        report.at_least(f"{name} poses: error before over after, median", gain, 15)
        report.at_least("  95 % intervals that hold, at least", inside, 93, unit=" %")
        report.at_most("  and at most", inside, 97, "%")
        report.at_most("  processor time, median", float(np.median(seconds)), 1, "s")
    report.show()
