"""Deflections and natural frequencies of many poses: kernels against LAPACK, per pose."""

from __future__ import annotations

import numpy as np

import gough
from benchmarks.measure import Report, best_times
from gough.elastic.kernels import frequency_kernel, holding_kernel

N = 10_000


def by_lapack(model, poses):
    """From poses to frequencies [Hz] with kernels of M and K, and NumPy's batched routines."""
    force = holding_kernel(model.machines)(poses, threads=1)
    M, K = model.vibration(poses, force, threads=1)
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    squares = np.linalg.eigvalsh(inverse @ K @ inverse.swapaxes(1, 2))
    return np.sqrt(squares) / (2 * np.pi)


def around_home(robot):
    """Poses (N, 7)."""
    rng = np.random.default_rng(0)
    position = np.array(robot.home[:3]) + rng.uniform(-0.1, 0.1, (N, 3))
    return gough.pose(position, rotation_vector=rng.uniform(-0.2, 0.2, (N, 3)))


def deflections(report, robot, words):
    """A robot's deflections under a wrench, beside its stiffness and NumPy's batched solve."""
    model, poses, wrench = gough.Model(robot), around_home(robot), np.array([0.0, 0, -500, 0, 9, 0])
    holding = holding_kernel(model.machines)
    force = holding(poses)

    def by_solve():
        K = model.stiffness(poses, holding(poses, threads=1), threads=1)
        return np.linalg.solve(K, wrench[None, :, None])[..., 0]

    assert np.allclose(model.deflection(poses, wrench), by_solve(), rtol=1e-9), "they differ"
    ours, alone, theirs = best_times(
        lambda: model.deflection(poses, wrench, threads=1),
        lambda: model.stiffness(poses, force, threads=1),
        by_solve,
    )
    report.at_most(f"stiffness, {words}", alone / N * 1e6, 0.25, "µs a pose")
    report.at_most(f"deflection, {words}", ours / N * 1e6, 0.25, "µs a pose")
    report.at_least("  against numpy.linalg.solve", theirs / ours, 2)


def against_lapack(report, robot, words, aim):
    """A robot's frequencies at poses around home."""
    model, poses = gough.Model(robot), around_home(robot)
    kernel = frequency_kernel(model.machines)
    assert np.allclose(kernel(poses), by_lapack(model, poses), rtol=1e-9), "they differ"
    ours, theirs = best_times(lambda: kernel(poses, threads=1), lambda: by_lapack(model, poses))
    report.at_most(f"frequencies, {words}", ours / N * 1e6, aim, "µs a pose")
    report.at_least("  against numpy.linalg.eigvalsh", theirs / ours, 2)


def run() -> None:
    """Measure and print."""
    report, robot = Report("Vibration, demo-hexapod, one core"), gough.load("demo-hexapod")
    deflections(report, robot, "pistons and stages on springs")
    deflections(report, robot.replace({"leg.connector": None}), "screws alone")
    against_lapack(report, robot.replace({"leg.connector": None}), "6 modes", 2)
    springs = robot.replace({"leg.connector": {"stiffness": "20 N/um"}})
    against_lapack(report, springs, "12 modes", 8)
    report.show()
