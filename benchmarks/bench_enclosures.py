"""Bounds of every kernel of a pose of every library robot, against sampled points.

`python -m benchmarks enclosures` takes all library robots, or `GOUGH_ROBOTS="delta h4"`, with
`GOUGH_BOXES` boxes (1000) of each kernel and `GOUGH_POINTS` points (200) in each: 10^7 points of a
robot with 50 kernels. Sides of boxes are 1 % of those of a workspace of ± 10 % of the robot's size
and ± 10°, along its degrees of freedom; so are those of other inputs, of ± 1. Half of the points
are corners, and two more for each output are those to which its slopes lead: the true range is at
least that of these points. Bounds are those of order 1, or of 2 where these are too wide. Rows are
printed as they are known.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from time import process_time

import numpy as np

import gough
from benchmarks.measure import Report
from gough.errors import CompilerError, GoughError
from gough.kinematics.freedoms.nearest_pose import closed_poses
from gough.kinematics.proof.enclosures import enclosed
from gough.kinematics.proof.implicit import Implicit
from gough.kinematics.size import machine_size
from gough.kinematics.workspace.box import pose_at
from gough.model.catalogue import definitions
from gough.model.machines import Machines
from gough.robot import MOVES

BOXES, POINTS = 1000, 200
SHARE = 0.01
"""Side of a box, over that of the workspace."""
ROUNDING = 1e-11
"""Of a sampled value, which is computed in doubles, over the maximum of the output's bounds; a
hundredth of it over the maximum of all outputs, some of which are zero but for rounding."""
ZERO = 1e-16
"""Sampled values [SI] as small are zero, of which rounding leaves so much."""
WIDE = 4.0
"""Width over true range that is aimed at."""


@dataclass
class Found:
    """What was seen of a kernel."""

    points: int
    outside: int
    """Number of points with a value outside of its bounds."""
    unknown: int
    """Number of boxes in which an output that has values has no bounds."""
    median: float
    """Median of widths over sampled ranges, of all outputs that vary, in all boxes."""
    worst: float


def kernels(model):
    """Names of the kernels of a pose."""
    known = definitions(model.structure, model.formulation)
    return [name for name, one in known.items() if one.inputs and one.inputs[0].name == "pose"]


def measured(model, name, boxes=BOXES, points=POINTS, order=1, seed=0):
    """Compare bounds of a kernel, of order 1 or 2, with samples, in random boxes."""
    robot, rng = model.robot, np.random.default_rng(seed)
    definition = definitions(model.structure, model.formulation)[name]
    others = definition.inputs[1:]
    size = 0.1 * machine_size(robot)
    moves = np.isin(MOVES, model.structure.degrees_of_freedom)
    half = np.array([size] * 3 + [0.175] * 3) * moves
    half = np.concatenate([half, np.ones(sum(a.size for a in others))])
    middle = rng.uniform(-1, 1, (boxes, len(half))) * half
    ends = np.stack([middle - SHARE * half, middle + SHARE * half], -1)
    home, varied = np.array(robot.home), np.flatnonzero(half)
    found = enclosed(Machines(robot), model.formulation, name, home, ends, order)
    counted, outside, unknown, ratios = 0, 0, 0, [np.zeros(0)]
    for k in range(boxes):
        shares = rng.uniform(-1, 1, (points, len(half)))
        shares[::2] = np.sign(shares[::2])
        steep = np.zeros((found.low.shape[1], len(half)))
        steep[:, varied] = np.sign(np.nan_to_num(found.slopes[k].mean(-1))).T
        shares = np.concatenate([shares, steep, -steep])
        x = np.clip(middle[k] + SHARE * half * shares, ends[k, :, 0], ends[k, :, 1])
        poses = closed_poses(robot, pose_at(home, x[:, :6]))[0]
        sizes = np.cumsum([a.size for a in others])
        given = np.split(x[:, 6:], sizes, axis=1)[: len(others)]
        given = [g.reshape(len(x), *a.shape) for g, a in zip(given, others, strict=True)]
        found_here = getattr(model, name)(poses, *given)
        each = found_here if len(definition.outputs) > 1 else [found_here]
        values = np.concatenate([np.asarray(part).reshape(len(x), -1) for part in each], axis=1)
        most = np.maximum(np.abs(found.low[k]), np.abs(found.high[k]))
        finite = most[np.isfinite(most)]
        most = ZERO + ROUNDING * (most + 0.01 * finite.max(initial=0.0))
        inside = (found.low[k] - most <= values) & (values <= found.high[k] + most)
        known, real = np.isfinite(found.low[k]), np.isfinite(values).all(axis=0)
        counted += len(x)
        outside += int((~inside[:, known]).any(-1).sum())  # NaN, too: where bounds are is a value
        unknown += bool((real & ~known).any())
        true = np.ptp(values[:, known & real], axis=0)
        width = (found.high[k] - found.low[k])[known & real]
        varies = true > 1e-6 * np.abs(values[:, known & real]).max(initial=0.0)
        ratios.append(width[varies] / true[varies])
    every = np.concatenate(ratios)
    wide = (float(np.median(every)), float(every.max())) if len(every) else (1.0, 1.0)
    return Found(counted, outside, unknown, *wide)


def run_robot(name, boxes, points):
    """Measure all kernels of a robot, print each, and return a row of what was found."""
    model, found, refused, second = gough.Model(gough.load(name)), {}, [], []
    start = process_time()
    for kernel in kernels(model):
        try:
            one = found[kernel] = measured(model, kernel, boxes, points)
            if one.median > WIDE and not Implicit(model.robot).count:
                one = found[kernel] = measured(model, kernel, boxes, points, 2)
                second.append(kernel)
        except (CompilerError, GoughError) as error:
            refused.append(kernel)
            print(f"{name} {kernel}: no bounds: {str(error)[:80]}", flush=True)
            continue
        print(f"{name} {kernel}: {one.outside} outside, {one.unknown} boxes unknown, "
              f"median {one.median:.2f}, worst {one.worst:.1f}", flush=True)  # fmt: skip
    whole = [x for x in found.values() if not x.unknown]
    narrow = sum(x.median <= WIDE for x in whole)
    worst = sorted(found, key=lambda k: (-found[k].unknown, -found[k].median))
    row = f"{sum(x.points for x in found.values()):.2g} points, " \
          f"{sum(x.outside for x in found.values())} outside; of {len(found) + len(refused)} " \
          f"kernels {len(found)} have bounds, {len(whole)} in all boxes, {narrow} of these at " \
          f"most {WIDE:g} x the range, {len(second)} by order 2; widest: {', '.join(worst[:4])}; " \
          f"{process_time() - start:.0f} s"  # fmt: skip
    print(f"{name}: {row}", flush=True)
    return row


def run():
    """Measure bounds of kernels, and print a table."""
    report = Report("Bounds over boxes of 1 % of a workspace")
    boxes, points = (int(os.environ.get(f"GOUGH_{key}", default))
                     for key, default in (("BOXES", BOXES), ("POINTS", POINTS)))  # fmt: skip
    for robot in os.environ.get("GOUGH_ROBOTS", "").split() or gough.library_names():
        report.fact(robot, run_robot(robot, boxes, points))
    report.show()
