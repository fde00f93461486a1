"""Distance of a machine with one degree of freedom from home to its change points.

At a change point the machine can continue on two branches, as a flat parallelogram can, and the
root of a closed form or the iteration from home that was right before it is wrong behind it. The
machine is followed from home in both directions; where its joints are no longer those that are
found for the pose, although the platform moves on, it has passed one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.closure.assembled import posture_at
from gough.equations.machine import Leg, Machine
from gough.equations.tree.joints import Revolute
from gough.model.mechanism.decisions.samples import Assembler, Sample

STRIDES = (5e-2, 1e-2, 1e-3, 1e-4)
"""Steps of the path from home, then of paths from the last state before a change point: maximum
step of a joint or coordinate [rad, machine sizes]."""
FAR = 2 * np.pi
"""The walk from home ends there [rad, machine sizes]."""
ALIKE = 1e-7
"""Joints that stand as they should do so as well as this [rad, m]."""

Test = Callable[[Sample], bool]


def with_change_points(machine: Machine, assembler: Assembler) -> Machine:
    """The machine, which knows its change points if it has one degree of freedom and a choice."""
    if machine.dof != 1 or all(leg.branches is None for leg in machine.legs):
        return machine
    move, home = np.array(machine.freedom.S).ravel(), assembler.home()
    tests = [  # whether each leg stands where the equations will find it
        _same_pivots(leg, k, home) if leg.iterated else _same_positions(leg, k)
        for k, leg in enumerate(machine.legs)
    ]
    ends = [_end(assembler, move, tests, way) for way in (-1.0, 1.0)]
    if not np.isfinite(ends).any():
        return machine
    low, high = (min(ends), max(ends)) if np.isfinite(ends).all() else _half_open(ends)
    return replace(machine, freedom=replace(machine.freedom, on_branch=(low, high)))


def _half_open(ends: Sequence[float]) -> tuple[float, float]:
    """From and to where, if one way has no change point."""
    (end,) = (end for end in ends if np.isfinite(end))
    return (end, np.inf) if end < 0 else (-np.inf, end)


def _end(assembler: Assembler, move: Array, tests: Sequence[Test], way: float) -> float:
    """The displacement at which a change point is passed; NaN if none is."""
    home = assembler.home()
    last, step = home, way * assembler.tangent(home)
    for k, stride in enumerate(STRIDES):
        passed = False
        ahead = _displaced(home, last, move)
        for _ in range(int(FAR / stride) if k == 0 else 20):
            found = assembler.followed(last, step, stride)
            if found is None:
                return np.nan
            sample, onwards = found
            now = _displaced(home, sample, move)
            if ahead and not abs(now) > abs(ahead):
                return np.nan  # the platform turns back, or is half a turn from home
            passed = not all(test(sample) for test in tests)
            if passed:
                break
            last, step, ahead = sample, onwards, now
        if not passed:
            return np.nan
    return _displaced(home, last, move)


def _displaced(home: Sample, sample: Sample, move: Array) -> float:
    """Return a platform's displacement from home along u: `equations.closure.closing`."""
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

    x, y, z, w = Rotation.from_matrix(sample.rotation @ home.rotation.T).as_quat(canonical=True)
    along, about = move[:3] @ (sample.position - home.position), move[3:]
    size = float(np.linalg.norm(about))
    return float(along + size * 2 * np.arctan2(about @ (x, y, z), size * w))


def _same_positions(leg: Leg, number: int) -> Test:
    p, R = ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    pairs = zip(leg.joints, leg.positions(p, R), strict=True)
    function = ca.Function("positions", [p, R], [ca.vertcat(*(j.counted(x) for j, x in pairs))])
    hinges = np.array([type(joint) is Revolute for joint in leg.joints], bool)

    def test(at: Sample) -> bool:
        gaps = np.array(function(at.position, at.rotation)).ravel() - at.q[number]
        gaps = np.where(hinges, np.angle(np.exp(1j * gaps)), gaps)
        return bool((np.abs(gaps) < ALIKE).all())

    return test


def _same_pivots(leg: Leg, number: int, home: Sample) -> Test:
    q, p, R = ca.SX.sym("q", len(leg.joints)), ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    pivots = ca.vertcat(*posture_at(leg, q, p, R).rows.pivots())
    function = ca.Function("pivots", [q, p, R], [pivots])

    def signs(at: Sample) -> Array:
        found = np.array(function(at.q[number], at.position, at.rotation)).ravel()
        return np.asarray(np.sign(found))

    own = signs(home)
    return lambda at: bool((signs(at) * own >= 0).all())
