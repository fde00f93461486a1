"""Proofs over boxes of poses: what they take; and bounds of kernels against sampled points.

`python -m benchmarks proof` measures proofs with machine code that is made already, in processor
time of one process. `python -m benchmarks enclosures` takes all library robots, or
`GOUGH_ROBOTS="delta h4"`, and `GOUGH_BOXES` boxes of every kernel of a pose, 10^4 points each.
Sides of boxes are 1 % of those of a workspace of ± 10 % of the robot's size and ± 10°, along its
degrees of freedom; so are those of other inputs, of ± 1. Half of the points are corners.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from time import perf_counter, process_time

import numpy as np

import gough
from benchmarks.measure import Report
from benchmarks.proof_cases import CASES, counted
from gough.errors import CompilerError, GoughError
from gough.executors import opened
from gough.kinematics.freedoms.nearest_pose import closed_poses
from gough.kinematics.proof.enclosures import _kernel
from gough.kinematics.proof.implicit import Enclosing
from gough.kinematics.proof.requirements import bounds
from gough.kinematics.size import machine_size
from gough.kinematics.workspace.box import pose_at
from gough.model.catalogue import definitions
from gough.model.machines import Machines
from gough.robot import MOVES

BOXES, POINTS = 1000, 10_000
ROUNDING = 1e-11
"""Of a sampled value, which is computed in doubles, over the maximum of the output's bounds."""


@dataclass
class Found:
    """What was seen of a kernel."""

    outside: int
    """Number of points with a value outside of its bounds."""
    unknown: int
    """Number of boxes without bounds."""
    median: float
    """Median of widths over sampled ranges, of all outputs that vary."""
    worst: float


def kernels(model):
    """Names of the kernels of a pose."""
    known = definitions(model.structure, model.formulation)
    return [name for name, one in known.items() if one.inputs and one.inputs[0].name == "pose"]


def measured(model, name, boxes=BOXES, points=POINTS, seed=0):
    """Compare bounds of a kernel with samples, in random boxes."""
    robot, rng = model.robot, np.random.default_rng(seed)
    definition = definitions(model.structure, model.formulation)[name]
    others = definition.inputs[1:]
    size = 0.1 * machine_size(robot)
    moves = np.isin(MOVES, model.structure.degrees_of_freedom)
    half = np.array([size] * 3 + [0.175] * 3) * moves
    half = np.concatenate([half, np.ones(sum(a.size for a in others))])
    middle = rng.uniform(-1, 1, (boxes, len(half))) * half
    ends = np.stack([middle - 0.01 * half, middle + 0.01 * half], -1)
    home, varied = np.array(robot.home), np.flatnonzero(half)
    kernel = _kernel(Machines(robot), model.formulation, name)
    implicit = Enclosing(Machines(robot), home)
    found = bounds(kernel, ends, [np.stack([home, home], -1)], varied, implicit, states=6)
    outside, ratios = 0, []
    known = np.isfinite(found.low).all(-1)
    for k in np.flatnonzero(known):
        shares = rng.uniform(-1, 1, (points, len(half)))
        shares[::2] = np.sign(shares[::2])
        x = np.clip(middle[k] + 0.01 * half * shares, ends[k, :, 0], ends[k, :, 1])
        poses = closed_poses(robot, pose_at(home, x[:, :6]))[0]
        sizes = np.cumsum([a.size for a in others])
        given = np.split(x[:, 6:], sizes, axis=1)[: len(others)]
        given = [g.reshape(points, *a.shape) for g, a in zip(given, others, strict=True)]
        found_here = getattr(model, name)(poses, *given)
        each = found_here if len(definition.outputs) > 1 else [found_here]
        values = np.concatenate([np.asarray(part).reshape(points, -1) for part in each], axis=1)
        most = np.maximum(np.abs(found.low[k]), np.abs(found.high[k])) * ROUNDING + 1e-300
        inside = (found.low[k] - most <= values) & (values <= found.high[k] + most)
        outside += int((~inside).any(-1).sum())  # NaN, too: bounds say that there is a value
        values = values[np.isfinite(values).all(-1)]
        if not len(values):
            continue
        true, width = np.ptp(values, axis=0), found.high[k] - found.low[k]
        varies = true > 1e-6 * np.abs(values).max()
        ratios.append(width[varies] / true[varies])
    every = np.concatenate([*ratios, []])
    wide = (float(np.median(every)), float(every.max())) if len(every) else (1.0, 1.0)
    return Found(outside, int((~known).sum()), *wide)


def timed(call):
    """Return what a call gives, and its processor time [s] when it is made again."""
    call()
    start = process_time()
    return call(), process_time() - start


def run():
    """Measure proofs, and print a table."""
    report = Report("Proofs over boxes of poses")
    robot, half = gough.load("demo-hexapod"), ([0.05] * 3, [np.radians(5)] * 3)
    zones = {f"legs[*].{key}": 50e-6 for key in ("base", "platform", "length_offset")}
    for aim, options in ((20, {}), (60, {"tolerances": zones})):
        proof, seconds = timed(partial(gough.prove, robot, *half, **options))
        words = f"{proof.verdict}, {len(proof.proved)} boxes, {len(proof.tolerances)} tolerances"
        report.at_most("demo-hexapod ± 50 mm, ± 5°, all limits", seconds, aim, "s", words)
    delta, states = gough.load("delta"), {"twist": 1.0, "acceleration": 98.1, "wrench": 10.0}
    proof, seconds = timed(partial(gough.prove, delta, [0.1, 0.1, 0.05], **states))
    words = f"{proof.verdict}, {len(proof.proved)} boxes"
    row = "delta ± 0.1 0.1 0.05 m, all limits, 1 m/s, 10 g, 10 N in every direction"
    report.at_most(row, seconds, 5, "s", words)
    walls, sharp = [], gough.kinematics.Limits(max_condition=4.0)
    for workers in (1, 2):
        with opened(workers) as executor:
            call = partial(gough.prove, robot, *half, limits=sharp, executor=executor)
            call()
            start = perf_counter()
            call()
            walls.append(perf_counter() - start)
    times = " s, ".join(f"{wall:.1f}" for wall in walls)
    report.fact("demo-hexapod, condition number ≤ 4, by one and by two workers", f"{times} s")
    found = counted()
    words = ", ".join(f"{found[key]} {key}" for key in sorted(found) if found[key])
    report.fact(f"{CASES} random boxes of random hexapods", words)
    report.at_most("those proved that a sample contradicts", found["contradicted"], 0, "")
    report.at_most("refuted ones that hold with 50 digits", found["not violated"], 0, "")
    report.show()


def run_enclosures():
    """Measure bounds of kernels, and print a table."""
    report = Report("Bounds over boxes of 1 % of a workspace")
    boxes = int(os.environ.get("GOUGH_BOXES", BOXES))
    for robot in os.environ.get("GOUGH_ROBOTS", "").split() or gough.library_names():
        model = gough.Model(gough.load(robot))
        for name in kernels(model):
            try:
                found = measured(model, name, boxes)
            except (CompilerError, GoughError) as error:
                report.fact(f"{robot} {name}", f"no bounds: {str(error)[:60]}")
                continue
            wide = (
                f"{found.outside} outside, {found.unknown} boxes unknown, worst {found.worst:.1f}"
            )
            report.at_most(f"{robot} {name}", found.median, 4, "x the true range", wide)
    report.show()
