"""Bounds of every kernel of a pose of every library robot, against sampled points.

`python -m benchmarks enclosures` takes all library robots, or `GOUGH_ROBOTS="delta h4"`, with
`GOUGH_BOXES` boxes (1000) and `GOUGH_POINTS` points (10 000) in each for every kernel, shared among
`GOUGH_WORKERS` processes (as many as processors). Sides of boxes are 1 % of those of a
workspace of ± 10 % of the robot's size and ± 10°, along its degrees of freedom. All legs close in
their middles, and at the corners of boxes three times as wide: others are drawn anew. Sides of
other inputs are 1 % of ± 1, or from 0 on where they are never negative. Half of the points are
corners, and two more for each output are those to which its slopes lead: the true range is at least
that of these points. Bounds are those of order 1; of order 2, or of halved sides (64 parts of a
box of six coordinates), where more than 5 %, or 20 %, of all outputs in 10 boxes have wider ones
than 4 times their range, and fewer than half as many then. An output is rounding alone, and not
counted, in a box where its sampled range is below the width of its bounds at a single point and
what is allowed for the rounding of samples.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from multiprocessing import get_context
from time import process_time
from typing import NamedTuple

import numpy as np

import gough
from benchmarks.measure import Report
from gough.compiler import Argument, Function, Kernel
from gough.compiler.native.threads import on_one_thread
from gough.errors import CompilerError, GoughError
from gough.kinematics.freedoms.nearest_pose import closed_poses
from gough.kinematics.proof.enclosures import enclosed
from gough.kinematics.proof.implicit import Implicit, moved
from gough.kinematics.proof.joint_derivatives import JointDerivatives
from gough.kinematics.size import machine_size
from gough.model.catalogue import definitions
from gough.model.machines import Machines
from gough.robot import MOVES

BOXES, POINTS = 1000, 10_000
FEW = 10, 100
"""Boxes, and points in each, by which the way is chosen."""
WAYS = {(1, 0): 0.0, (2, 0): 0.05, (1, 1): 0.2}
"""Order of bounds, and halvings, with the share of wider outputs above which these are tried:
halvings take longer."""
PARTS = 8
"""Parts of a robot's kernels, each measured by one process of several."""
TOGETHER = 100
"""Boxes that are bounded at a time."""
SHARE = 0.01
"""Side of a box, over that of the workspace."""
CORNERS = np.array([(0.0,) * 6, *product((-1.0, 1.0), repeat=6)])
"""The middle of a box, and its corners."""
MARGIN = 3.0
"""All legs close at the corners of a box that is as many times as wide: none is at the border of
the workspace, where slopes are infinite."""
ROUNDING = 1e-11
"""Of a sampled value, which is computed in doubles, over the maximum of the output's bounds; a
hundredth of it over the maximum of all outputs, some of which are zero but for rounding."""
ZERO = 1e-16
"""Sampled values [SI] as small are zero, of which rounding leaves so much."""
NUMBERS = 2**16
"""Values that are computed at a time: so many stay in a processor's cache."""
UNSIGNED = {"actuator_compliance": 1e-6, "max_force": 1e3}
"""Maximum of inputs that are never negative [SI]."""
WIDE = 4.0
"""Width over true range that is aimed at."""


class Found(NamedTuple):
    """What was seen of a kernel."""

    points: int
    outside: int
    """Number of points with a value outside of its bounds."""
    unknown: int
    """Number of boxes in which an output that has values has no bounds."""
    counted: int
    """Number of outputs in boxes whose range is above rounding."""
    narrow: int
    """Number of those with bounds of at most 4 times the sampled range."""
    median: float
    """Median of widths over sampled ranges of those."""
    worst: float
    where: str
    """Output and box of the worst."""

    @property
    def wide(self):
        """Number of those with wider ones."""
        return self.counted - self.narrow

    def __str__(self):
        return (
            f"{self.points} points, {self.outside} outside, {self.unknown} boxes unknown, "
            f"{self.narrow} of {self.counted} at most {WIDE:g} x, median {self.median:.2f}, "
            f"widest {self.worst:.3g}"
        )


class Tally:
    """Bounds of a kernel over boxes, and what samples say of them."""

    def __init__(self, model, name, way):
        self.name, self.way, self.model = name, way, model
        known = definitions(model.structure, model.formulation)[name]
        self.others, self.outputs = known.inputs[1:], known.outputs
        self.kernel = getattr(model, name)
        self.size = np.concatenate([np.zeros(6), *(np.full(a.size, UNSIGNED.get(a.name, 0.0))
                                                   for a in self.others)])  # fmt: skip
        count = sum(a.size for a in self.outputs)
        self.ratios, self.counts = list[np.ndarray](), np.zeros(3, int)
        self.memory = np.empty((count, max(NUMBERS // count, 64)))
        parts = np.split(self.memory, np.cumsum([a.size for a in self.outputs])[:-1])
        self.places = [np.moveaxis(part.reshape(*a.shape, -1), -1, 0)
                       for part, a in zip(parts, self.outputs, strict=True)]  # fmt: skip

    def bound(self, boxes, implicit):
        """Bound the kernel over boxes."""
        own = np.swapaxes(self.inputs(np.swapaxes(boxes, 1, 2)), 1, 2)
        varied = np.flatnonzero((own[..., 0] < own[..., 1]).any(0))
        points = np.repeat(own.mean(-1, keepdims=True), 2, -1)
        given = implicit, self.model.formulation, self.name
        found, at = enclosed(*given, own, *self.way), enclosed(*given, points, 1)
        self.low, self.high, self.rounded = found.low, found.high, at.high - at.low
        self.steep = np.zeros((*self.low.shape, boxes.shape[1]), np.int8)
        slopes = np.nan_to_num(found.slopes.mean(-1))
        self.steep[..., varied] = np.sign(np.swapaxes(slopes, 1, 2))

    def inputs(self, x):
        """Inputs of numbers from -1 to 1: of those that are never negative from 0 on."""
        x = x[..., : len(self.size)]
        if not self.size.any():
            return x
        return np.where(self.size > 0, self.size * np.maximum(1 + SHARE + x, 0) / 2, x)

    def values(self, x, poses):
        """Values (outputs, n) at points."""
        x = self.inputs(x)
        sizes = np.cumsum([6, *(a.size for a in self.others)]).tolist()
        given = [x[:, i:j].reshape(len(x), *a.shape)
                 for i, j, a in zip(sizes[:-1], sizes[1:], self.others, strict=True)]  # fmt: skip
        out = tuple(place[: len(x)] for place in self.places)
        self.kernel(poses, *given, out=out if len(out) > 1 else out[0])
        return self.memory[:, : len(x)]

    def add(self, k, samples):
        """Compare with samples of box k."""
        low, high = self.low[k], self.high[k]
        size = np.maximum(np.abs(low), np.abs(high))
        size = ZERO + ROUNDING * (size + 0.01 * size[np.isfinite(size)].max(initial=0.0))
        known, ends = np.isfinite(low), []
        for x, poses in samples:
            for start in range(0, len(x), self.memory.shape[1]):
                some = slice(start, start + self.memory.shape[1])
                each = self.values(x[some], poses[some])
                least, most = each.min(axis=1), each.max(axis=1)
                inside = (low - size <= least) & (most <= high + size)
                if not inside[known].all():  # NaN, too: where bounds are is a value
                    right = ((low - size)[:, None] <= each) & (each <= (high + size)[:, None])
                    self.counts[1] += int((~right[known]).any(0).sum())
                ends.append((least, most))
            self.counts[0] += len(x)
        with np.errstate(invalid="ignore"):  # of infinite values
            true = np.max([x for _, x in ends], axis=0) - np.min([x for x, _ in ends], axis=0)
        self.counts[2] += bool((np.isfinite(true) & ~known).any())
        varies = known & (true > self.rounded[k] + size)
        self.ratios.append(np.where(varies, (high - low) / np.where(varies, true, 1.0), np.nan))

    def found(self):
        """Return what was seen."""
        ratios = np.array(self.ratios)
        every = ratios[np.isfinite(ratios)]
        if not len(every):
            return Found(*self.counts.tolist(), 0, 0, 1.0, 1.0, "")
        box, output = np.unravel_index(np.nanargmax(ratios), ratios.shape)
        narrow = int((every <= WIDE).sum())
        return Found(*self.counts.tolist(), len(every), narrow, float(np.median(every)),
                     float(every.max()), f"{self.name}[{output}] in box {box}")  # fmt: skip


def kernels(model):
    """Names of the kernels of a pose."""
    known = definitions(model.structure, model.formulation)
    return [name for name, one in known.items() if one.inputs and one.inputs[0].name == "pose"]


def measured(model, ways, boxes, points, seed=0):
    """Compare bounds of kernels with samples in random boxes: what was seen, or why not, by name.

    `ways` are those of `WAYS`, by the kernel's name.
    """
    robot, rng = model.robot, np.random.default_rng(seed)
    others = max(sum(a.size for a in definitions(model.structure, model.formulation)[name].inputs)
                 for name in ways)  # fmt: skip
    moves = np.isin(MOVES, model.structure.degrees_of_freedom)
    half = np.array([0.1 * machine_size(robot)] * 3 + [0.175] * 3) * moves
    arguments = Argument("middle", (7,)), Argument("step", (6,)), Argument("pose", (7,))
    pose_at = Kernel(Function.from_equation("pose_at", moved, arguments[:2], arguments[2:]))

    def poses_of(x):
        poses = pose_at(np.array(robot.home), x, columns=True)
        return closed_poses(robot, poses)[0] if Implicit(robot).steps else poses

    def closes(x):
        corners = x[:, None] + MARGIN * SHARE * half * CORNERS
        found = model.inverse_kinematics(poses_of(corners.reshape(-1, 6)))
        return np.isfinite(found).reshape(len(x), -1).all(-1)

    middle = np.empty((0, 6))
    while len(middle) < boxes:
        drawn = rng.uniform(-1, 1, (boxes, 6)) * half
        middle = np.concatenate([middle, drawn[closes(drawn)]])[:boxes]
    middle = np.concatenate([middle, rng.uniform(-1, 1, (boxes, others - 7))], axis=1)
    half = np.concatenate([half, np.ones(others - 7)])
    ends = np.stack([middle - SHARE * half, middle + SHARE * half], -1)

    def sample(k, shares):
        x = np.clip(middle[k] + SHARE * half * shares, ends[k, :, 0], ends[k, :, 1])
        return x, poses_of(x[:, :6])

    tallies, found = {name: Tally(model, name, way) for name, way in ways.items()}, {}
    for start in range(0, boxes, TOGETHER):
        some = ends[start : start + TOGETHER]
        implicit = JointDerivatives(Machines(robot), np.array(robot.home))
        for name in list(tallies):
            try:
                tallies[name].bound(some, implicit)
            except (CompilerError, GoughError) as error:
                found[name] = str(error)
                del tallies[name]
        for k in range(len(some)) if tallies else ():
            shares = rng.uniform(-1, 1, (len(half), points)).T
            shares[::2] = np.sign(shares[::2])
            common = sample(start + k, shares)
            for tally in tallies.values():
                steep = np.concatenate([tally.steep[k], -tally.steep[k]])
                tally.add(k, [common, sample(start + k, steep)])
    return found | {name: tally.found() for name, tally in tallies.items()}


def measured_part(robot, part, parts, boxes, points):
    """Measure a part of the kernels of a robot: ways, what was seen, and processor time [s]."""
    with on_one_thread():
        return robot, *_measured_part(gough.Model(gough.load(robot)), part, parts, boxes, points)


def _measured_part(model, part, parts, boxes, points):
    start = process_time()
    left, ways, shares, refused = kernels(model)[part::parts], {}, {}, {}
    for way, share in WAYS.items():
        left = [name for name in left if shares.get(name, 0.0) >= share]
        few = measured(model, dict.fromkeys(left, way), *FEW) if left else {}
        for name, one in few.items():
            if not isinstance(one, Found):
                refused.setdefault(name, one)
            elif name not in ways or one.wide / max(one.counted, 1) < shares[name] / 2:
                ways[name], shares[name] = way, one.wide / max(one.counted, 1)
    found = measured(model, ways, boxes, points)
    found |= {name: why for name, why in refused.items() if name not in ways}
    return ways, found, process_time() - start


def row_of(ways, found, seconds):
    """Return a row of what was found of a robot."""
    seen = [one for one in found.values() if isinstance(one, Found)]
    whole = [one for one in seen if not one.unknown]
    total = Found(*(sum(column) for column in [*zip(*seen, strict=True)][:5]), 1.0, 1.0, "")
    worst = max(seen, key=lambda one: one.worst)
    second, halved = (sum(way == x for x in ways.values()) for way in [*WAYS][1:])
    return (
        f"{total.points:.3g} points, {total.outside} outside; of {len(found)} kernels {len(seen)} "
        f"have bounds, {len(whole)} in all boxes, {sum(x.median <= WIDE for x in whole)} of these "
        f"with a median of at most {WIDE:g} x the range, {second} by order 2, "
        f"{halved} by halved sides; {total.narrow / max(total.counted, 1):.1%} of all outputs at "
        f"most {WIDE:g} x, median {np.median([x.median for x in seen]):.2f}, "
        f"widest {worst.worst:.3g} ({worst.where}); {seconds:.0f} s"
    )


def run():
    """Measure bounds of kernels, and print a table."""
    boxes, points, workers = (
        int(os.environ.get(f"GOUGH_{key}", default))
        for key, default in (("BOXES", BOXES), ("POINTS", POINTS), ("WORKERS", os.cpu_count()))
    )
    robots: Sequence[str] = os.environ.get("GOUGH_ROBOTS", "").split() or gough.library_names()
    report = Report(f"Bounds over {boxes} boxes of 1 % of a workspace, {points} points in each")
    iterated = {x: Implicit(gough.load(x)).count for x in robots}
    parts = {robot: [] for robot in robots}
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        slowest = sorted(robots, key=lambda x: -iterated[x])
        count = PARTS if workers > 1 else 1  # what samples are of is computed once for each part
        jobs = [pool.submit(measured_part, robot, part, count, boxes, points)
                for robot in slowest for part in range(count)]  # fmt: skip
        for job in as_completed(jobs):
            robot, *part = job.result()
            for name, one in part[1].items():
                print(f"{robot} {name}: {one!s:.200}", flush=True)
            parts[robot].append(part)
            if len(parts[robot]) == count:
                ways, found, seconds = zip(*parts[robot], strict=True)
                row = row_of(
                    *({k: v for x in some for k, v in x.items()} for some in (ways, found)),
                    sum(seconds),
                )
                print(f"{robot}: {row}", flush=True)
                report.fact(robot, row)
    report.show()
