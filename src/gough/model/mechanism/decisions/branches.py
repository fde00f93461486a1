"""Branches of a machine: all configurations that close its legs at home, and where one ends.

With one degree of freedom it ends at a change point, where the machine can continue on two
branches, as a flat parallelogram can: the root of a closed form or the iteration from home that was
right before it is wrong behind it. The machine is followed from home in both directions; where its
joints are no longer those that are found for the pose, although the platform moves on, it has
passed one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.closure.assembled import posture_at
from gough.equations.closure.closing import cosines
from gough.equations.closure.constraint_rows import PlatformPlacement, row_gaps
from gough.equations.machine import Leg, Machine
from gough.equations.tree.joints import Prismatic, Revolute
from gough.errors import RobotError
from gough.model.mechanism.decisions.samples import Assembler, Sample, row_function
from gough.poses.quaternions import of_matrix

CLOSED = 1e-9  # gaps of a leg [m, rad] below which it is closed
STARTS = 100  # random starts of the search for configurations of a leg without a closed form
_STEPS = 50
_LONGEST = 0.5  # maximum step of the search [rad, machine sizes]
_SAME = 1e-6  # configurations that differ by less [rad, machine sizes] are one
_REGULAR = 1e-6  # minimum singular value of the rows of a configuration that stands alone


def is_closed(leg: Leg, home: PlatformPlacement, q: Array) -> bool:
    """Whether a leg is closed at home with these joint positions, no axis reversed."""
    if not np.isfinite(q).all():
        return False
    at = posture_at(leg, ca.DM(q), home.position, home.rotation)
    turned = [cosine for held in at.cuts for cosine in cosines(held, home)]
    found = [float(ca.DM(ca.SX(x))) for x in (*row_gaps(at.cuts), *(1 - c for c in turned))]
    return bool(np.abs(found).max(initial=0.0) < CLOSED)


def closed_at_home(
    leg: Leg, home: PlatformPlacement, size: float
) -> dict[tuple[int, ...], tuple[float, ...]]:
    """Configurations that close a leg at home, by number: its own is 1, then the nearest first.

    Newton's method from random joint positions: it is not proved that there are no others. Those
    that differ by whole turns of hinges alone, and of rotors geared to them, are one: rows and
    slides are the same.
    """
    own = np.array([float(joint.at_home) for joint in leg.joints])
    slides = np.array([isinstance(joint, Prismatic) for joint in leg.joints])
    scales = np.where(slides, size, 1.0)
    hinges = np.array([type(joint) is Revolute for joint in leg.joints])
    place = np.array(ca.DM(home.position)), np.array(ca.DM(home.rotation))
    rng = np.random.default_rng(1)
    function, found = row_function(leg), list[tuple[Array, Array]]()
    for _ in range(STARTS):
        q, gap = own + scales * rng.uniform(-np.pi, np.pi, len(own)), np.array(np.inf)
        for _ in range(_STEPS):
            A, _, gap, *_ = function(q, *place)
            step = np.linalg.lstsq(A * scales, gap.ravel(), rcond=1e-12)[0]
            q = q + scales * step * min(1.0, _LONGEST / (np.abs(step).max() or 1.0))
            if np.abs(step).max() < CLOSED:
                break
        q = own + np.where(hinges, np.angle(np.exp(1j * (q - own))), q - own)
        alone = np.linalg.svd(A * scales, compute_uv=False).min() > _REGULAR
        if alone and is_closed(leg, home, q):
            found.append((q, A * scales))
    found.sort(key=lambda one: float(np.linalg.norm((one[0] - own) / scales)))
    kept = [(own, function(own, *place)[0] * scales)]
    for q, A in found:
        moved = (np.abs(((q - p) / scales)[slides]).max(initial=0.0) for p, _ in kept)
        turned = (np.abs(A - B).max() for _, B in kept)
        if all(max(pair) > _SAME for pair in zip(moved, turned, strict=True)):
            kept.append((q, A))
    return {(k,): tuple(q.tolist()) for k, (q, _) in enumerate(kept, 1)}


def joints_at_home(machine: Machine, branch: tuple[int, ...]) -> list[Array | None]:
    """Positions of each leg's joints at home [rad, m] on a branch; RobotError if it has none."""
    count = machine.own_numbers[-1].stop
    if len(branch) != count:
        expected = f"{count}, one for each solution to choose" if count else "no branch"
        problem = f"{len(branch)} numbers"
        raise RobotError(problem, key="branch", value=list(branch), expected=expected)
    found: list[Array | None] = []
    for leg, own in zip(machine.legs, machine.own_numbers, strict=True):
        known: Mapping[tuple[int, ...], tuple[float, ...]]
        known = {(): ()} if leg.branches is None else leg.branches.at_home()
        if branch[own] not in known:
            listed = " or ".join(str(list(numbers)) for numbers in known)
            problem = f"{list(branch[own])} does not close its leg at home"
            raise RobotError(problem, key=f"branch[{own.start}]", expected=listed)
        found.append(np.array(known[branch[own]]) if leg.branches else None)
    return found


STRIDES = (5e-2, 1e-2, 1e-3, 1e-4)
"""Steps of the path from home, then of paths from the last state before a change point: maximum
step of a joint or coordinate [rad, machine sizes]."""
FAR = 2 * np.pi  # the walk from home ends there [rad, machine sizes]
ALIKE = 1e-7  # joints that stand as they should do so as well as this [rad, m]

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
    beyond = assembler.followed(sample, onwards, stride)
    if beyond is not None and not abs(_displaced(home, beyond[0], move)) > abs(now):
        return np.nan  # a dead centre, where the platform turns back
    return _displaced(home, last, move)


def _displaced(home: Sample, sample: Sample, move: Array) -> float:
    """Return a platform's displacement from home along u: `equations.closure.closing`."""
    w, x, y, z = of_matrix(sample.rotation @ home.rotation.T)
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
