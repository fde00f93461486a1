"""Designs: optima, fronts and many designs at once, in core seconds with kernels that are kept."""

from __future__ import annotations

import time

import numpy as np
from scipy.optimize import differential_evolution

import gough
from benchmarks.measure import Report
from gough.design import Design, Objective, Requirement, Variable, demands
from gough.one_thread import one_thread

SIX = (
    Variable("symmetric.base_radius", 0.3, 1.0),
    Variable("symmetric.platform_radius", 0.15, 0.8),
    Variable("symmetric.base_angle", 0.05, 1.0),
    Variable("symmetric.platform_angle", 0.05, 1.0),
    Variable("platform.home.position.z", 0.5, 1.5),
    Variable("symmetric.platform_height", -0.1, 0.1),
)
JOINTS = (
    Variable("legs[*].base", -0.1, 0.1, about=True),
    Variable("legs[*].platform", -0.1, 0.1, about=True),
)
POSES, DESIGNS, SECONDS = 100, 1_000_000, 10.0
GENERATIONS = 50


def demand(robot):
    """So many poses about home, each with an acceleration, the same in every run."""
    rng = np.random.default_rng(0)
    offset = rng.uniform(-1, 1, (POSES, 6)) * [0.1, 0.1, 0.1, 0.15, 0.15, 0.15]
    home = np.array(robot.home)
    poses = gough.pose(home[:3] + offset[:, :3], rpy=offset[:, 3:])
    found = demands.of_poses(poses)
    found.acceleration[:] = rng.uniform(-3, 3, (POSES, 6))
    return found


def core_seconds(work):
    """What it takes, and what it gives."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def evolved(design, seconds):
    """The best that differential evolution finds in so many core seconds, on batches."""
    problem, start = design.problem, time.process_time()
    scale = problem.evaluated(problem.space.start[None]).objectives[0, 0]

    def cost(shares):
        slack, objectives = problem.evaluated(problem.space.unscaled(shares.T))
        return objectives[:, 0] / scale + 100 * np.maximum(-slack, 0).sum(axis=1)

    found = differential_evolution(
        cost, [(0.0, 1.0)] * len(problem.space), vectorized=True, updating="deferred", rng=0,
        popsize=5, maxiter=10**6, tol=0, polish=False,
        callback=lambda *_: time.process_time() - start > seconds,
    )  # fmt: skip
    return float(found.fun * scale)


def run() -> None:
    """Measure and print."""
    report = Report("Designs, core seconds, kernels kept")
    with one_thread():
        demo, kalani = gough.load("demo-hexapod"), gough.load("kalani-2016")
        bounds = [Requirement("limits"), Requirement("condition", 20.0)]
        one = Design(demo, SIX, [demand(demo)], bounds, [Objective("force")])
        one.optimise(starts=1)
        spent, best = core_seconds(one.optimise)
        report.at_most("6 variables x 100 poses, 12 starts", spent, 5.0, "s")
        known = one.optimise(starts=60, rng=1).objectives["force"]
        known = min(known, evolved(one, SECONDS))
        report.at_most(
            "  beyond the best known", 100 * (best.objectives["force"] / known - 1), 0.1, "%"
        )
        two = Design(demo, SIX, [demand(demo)], bounds, [Objective("force"), Objective("radius")])
        two.front(3, starts=1)
        spent, _ = core_seconds(two.front)
        report.at_most("front of 15 points", spent, 15.0, "s")
        two.front(3, starts=1, generations=1)
        spent, _ = core_seconds(lambda: two.front(generations=GENERATIONS))
        report.at_most(f"  after {GENERATIONS} generations", spent, 15.0, "s")
        joints = Design(kalani, JOINTS, [demand(kalani)], bounds, [Objective("force")])
        joints.optimise(starts=1)
        spent, best = core_seconds(lambda: joints.optimise(starts=4))
        report.at_most("36 joint coordinates, 4 starts", spent, 10.0, "s")
        share = best.objectives["force"] / evolved(joints, SECONDS)
        report.at_most("  force by that of differential evolution in 10 s", share, 1.0, "")
        many = Design(
            demo, SIX, [demand(demo)], [Requirement("limits.stroke")], [Objective("force")]
        )
        rng = np.random.default_rng(0)
        drawn = many.problem.space.unscaled(rng.random((DESIGNS, len(SIX))))
        many.evaluate(drawn[:10])
        spent, _ = core_seconds(lambda: many.evaluate(drawn))
        report.at_most(f"{DESIGNS} designs x 100 poses: strokes and forces", spent, 30.0, "s")
    report.show()
