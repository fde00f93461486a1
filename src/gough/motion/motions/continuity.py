"""Whether a motion is continuous: place and speed change by what speed and acceleration add up to.

Over every piece of the motion the change of place is compared with the integral of the twist, and
the change of the twist with that of the acceleration. A piece where they differ is divided until
they agree: then it was only steep. What still differs within a billionth of the duration jumps.
(A jump is no zero of anything: what looks for zeros does not find it.)

And whether samples show a motion and its loads: what comes between two of them lies between them.
A motion is looked at in irregular places, so that one which comes again with its samples is seen as
well, and between the times at which its form changes; a load is looked at when its form changes.
"""

from math import asin, sqrt
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.spatial.algebra import Value, position, rotation
from gough.motion.checked import MotionError
from gough.motion.motions.intervals import divided
from gough.motion.motions.screws import SAMPLES
from gough.motion.samples import Motion, MotionSamples
from gough.motion.tasks.task import Task

PIECES = 1000  # into so many pieces a motion is divided first
SHORTEST = 1e-9  # a change within this share of the duration is a jump
JUMP = 1e-8  # minimum jump, as a fraction of the maximum change of place or of speed
SMALL = 1e-3
"""Places and speeds [m, rad, m/s, rad/s] that change by less count as if they changed so much."""
NEXT = 16 * np.finfo(float).eps  # share of the duration to which a corner is known: its rounding
MOST = 1_000_000  # maximum number of pieces before a motion is refused as too fast to be followed

_AT_ONCE = 1024
_PARTS = 8
_GOLDEN = (sqrt(5) - 1) / 2
_Blocks = tuple[tuple[str, str, int], ...]  # name, unit and size of each block of a vector
_STATE: _Blocks = (
    ("place", "m", 3), ("attitude", "rad", 9), ("speed", "m/s", 3), ("angular velocity", "rad/s", 3)
)  # fmt: skip
_ACCELERATIONS: _Blocks = (("acceleration", "m/s^2", 3), ("angular acceleration", "rad/s^2", 3))
_LOADS: _Blocks = (("force", "N", 3), ("moment", "N m", 3))


def check_continuous(motion: Motion, corners: Array) -> None:
    """Refuse values that are not finite, and places or speeds that jump: MotionError with the time.

    `corners` [s] are times that a jump may hide between: they are always looked at, and so is
    what is next to them.
    """
    next_to = np.add.outer(corners, motion.duration * NEXT * np.array([-1.0, 0.0, 1.0]))
    next_to = np.clip(next_to, 0.0, motion.duration)
    ends = np.union1d(irregular_times(motion.duration, PIECES), next_to)
    share = JUMP * _spans(motion, ends)
    pieces, looked_at = np.stack([ends[:-1], ends[1:]], axis=-1), 0
    while len(pieces):
        now, later = pieces[:_AT_ONCE], pieces[_AT_ONCE:]
        excess = _excess(motion, now, share)
        differ = np.asarray((excess > 0.0).any(axis=-1))
        jumps = differ & (now[:, 1] - now[:, 0] <= SHORTEST * motion.duration)
        if jumps.any():
            first = int(np.argmax(jumps))
            if not differ[:first].any():
                share = np.maximum(share, JUMP * _spans(motion, _around(now[first, 0], motion)))
                _check_jump(motion, now[first], share)
                continue
            now, later, differ = now[:first], pieces[first:], differ[:first]
        looked_at += len(now)
        if looked_at > MOST:
            raise MotionError(
                f"it changes too fast to be followed, at t = {now[0, 0]:.6g} s and later",
                expected=f"what {MOST:,} pieces of the motion can show",
            )
        pieces = np.concatenate([divided(now[differ], _PARTS), later])


def irregular_times(duration: float, pieces: int) -> Array:
    """The ends of pieces of unequal lengths, so that no oscillation keeps step with them."""
    k = np.arange(pieces + 1.0)
    k[1:-1] += 0.8 * ((k[1:-1] * _GOLDEN) % 1.0 - 0.5)
    return np.asarray(duration * (k / pieces))


def _spans(motion: Motion, t: Array) -> Array:
    """Return the range of each block of the state over some times, (18,)."""
    return np.maximum(_of_blocks(np.ptp(_state_and_rate(motion, t)[0], axis=0), _STATE), SMALL)


def _around(t: float, motion: Motion) -> Array:
    """Times ever nearer to a time: they show what is steep next to it, however short it is."""
    away = motion.duration * np.geomspace(SHORTEST, 1.0, PIECES)
    return np.clip(t + np.concatenate([-away, away]), 0.0, motion.duration)


def _excess(motion: Motion, pieces: Array, share: Array) -> Array:
    """Return the deviation of each piece's change of state from the integral of its rate, (n, 18).

    Less what may be: a share of its range, and the rounding of the state and of the time.
    """
    start, end = pieces[:, :1], pieces[:, 1:]
    nodes, weights = np.polynomial.legendre.leggauss(15)  # slow to import, and seldom needed
    inside = (start + end) / 2 + (end - start) / 2 * nodes
    rate = _state_and_rate(motion, inside)[1]
    state = _state_and_rate(motion, pieces)[0]
    missing = np.abs(state[:, 1] - state[:, 0] - (end - start) / 2 * (weights @ rate))
    fastest = np.maximum(rate.max(axis=1), -rate.min(axis=1))
    rounding = 64 * np.abs(state).max(axis=1) + 4 * motion.duration * fastest
    return np.asarray(missing - share - np.finfo(float).eps * rounding)


def _state_and_rate(motion: Motion, t: Array) -> tuple[Array, Array]:
    """Position, rotation matrix and twist (..., 18), and their time derivatives; all finite."""
    samples = motion(t)
    for name, values in zip(MotionSamples._fields, samples, strict=True):
        finite = np.isfinite(values).all(axis=-1)
        if not finite.all():
            problem = f"the {name} is not finite at t = {t[~finite].min():.6g} s"
            raise MotionError(problem, expected="numbers")
    return state_and_rate_kernel()(*samples)


@compiled
def state_and_rate_kernel() -> Kernel[tuple[Array, Array]]:
    """Position, rotation matrix and twist (18), and their rates, of samples of a motion."""

    def equation(pose: Value, twist: Value, acceleration: Value) -> tuple[Value, Value]:
        R = rotation(pose)
        R_1 = ca.skew(twist[3:6]) @ R
        state = ca.vertcat(position(pose), ca.vec(R), twist)
        return state, ca.vertcat(twist[0:3], ca.vec(R_1), acceleration)

    outputs = Argument("state", (18,)), Argument("rate", (18,))
    return Kernel.from_equation("state_and_rate", equation, SAMPLES, outputs)


def _check_jump(motion: Motion, piece: Array, share: Array) -> None:
    """Refuse what jumps in a piece, and say by how much from before it to after it."""
    excess = _excess(motion, piece[None], share)[0]
    if not (excess > 0.0).any():
        return
    around = np.clip(piece + (piece[1] - piece[0]) * np.array([-1, 1]), 0.0, motion.duration)
    before, after = _state_and_rate(motion, around)[0]
    k = int(np.repeat(np.arange(4), [3, 9, 3, 3])[np.argmax(excess > 0.0)])
    size = max(_sizes(excess)[k], _sizes(after - before)[k])
    problem = f"the {_STATE[k][0]} jumps at t = {piece[0]:.6g} s by {size:.3g} {_STATE[k][1]}"
    raise MotionError(problem, expected="expressions that join there")


def _sizes(change: Array) -> tuple[float, ...]:
    """Return the change of each block of a state; a rotation by φ changes R by √8 sin(φ/2)."""
    position, turn, v, omega = map(np.linalg.norm, np.split(change, [3, 12, 15]))
    return float(position), 2 * asin(min(float(turn) / sqrt(8), 1.0)), float(v), float(omega)


MISSED = 0.2  # fraction of the maximum value above which samples miss a peak: 4 per period do
LEAST_PROBES, MOST_PROBES = 1_000, 20_000
"""A motion is looked at in at least and at most so many places, if it has as many intervals."""
MOST_SAMPLES = 100_000  # rates that take more samples than this are not tried

_SAMPLES_AT_ONCE = 4096
_MOTION: _Blocks = _STATE + _ACCELERATIONS


class Missed(NamedTuple):
    """A change between two samples that they do not show."""

    after: float
    """The time [s] of the first of the two."""
    what: str
    size: float
    """Deviation from the values that the samples show."""
    unit: str
    rate: float | None = None
    """Sampling rate that would show it [Hz]; None if none is known."""


def missed_between(motion: Motion, samples: MotionSamples, t: Array) -> Missed | None:
    """Return the first change that samples of a motion at equally spaced times [s] miss, or None.

    Between two samples place, twist and acceleration must lie between their values at both, to
    within a fraction of the maximum. And from one to the next the place must change by the mean of
    the twists times the step, to within a fraction of the maximum change.
    """
    first, intervals = _first_missed(motion, samples, t), len(t) - 1
    while first and (intervals := 2 * intervals) < MOST_SAMPLES:
        finer = np.linspace(t[0], t[-1], intervals + 1)
        if _first_missed(motion, motion(finer), finer) is None:
            return first._replace(rate=float(intervals / (t[-1] - t[0])))
    return first


def missed_load(task: Task, motion: Motion, samples: MotionSamples, t: Array) -> Missed | None:
    """The first peak of a load that samples at equally spaced times [s] miss; None if none."""
    corners = np.unique([c for c in task.corners if t[0] < c < t[-1]])
    if not len(corners):
        return None
    k = _interval(t, corners)
    peaks = task.wrench(corners, motion(corners)).T
    ends = [task.wrench(t[i], _some(samples, i)).T for i in (k, k + 1)]
    largest = _of_blocks(np.abs([peaks, *ends]).max(axis=(0, 2)), _LOADS)
    first = _first(t[k], _outside(peaks, *ends), np.maximum(largest, JUMP), _LOADS)
    if first is None:
        return None
    shortest = np.diff(np.unique([t[0], *corners, t[-1]])).min()
    return first._replace(rate=float(1.0 / (MISSED * shortest)))


def _first_missed(motion: Motion, samples: MotionSamples, t: Array) -> Missed | None:
    moving = max(int(np.searchsorted(t, motion.duration * (1 + 1e-12))), 2)
    t, samples = t[:moving], _some(samples, slice(moving))  # afterwards it rests
    stretches = [slice(k, k + _SAMPLES_AT_ONCE + 1) for k in range(0, moving - 1, _SAMPLES_AT_ONCE)]
    extremes = (_extremes(_some(samples, some), t[some]) for some in stretches)
    low, high, change, unexplained = map(np.array, zip(*extremes, strict=True))

    probes = _probes(t, np.array(motion.corners))
    k = _interval(t, probes)
    at = (motion(probes), _some(samples, k), _some(samples, k + 1))
    between, *ends = (_values_and_rate(some)[0] for some in at)
    values = np.hstack([low.T, high.T, between])
    places, others = np.ptp(values[:12], axis=1), np.abs(values[12:]).max(axis=1)
    rounding = np.repeat([JUMP, SMALL], [18, 6])  # what is smaller counts as if it were as large
    scale = np.maximum(_of_blocks(np.append(places, others), _MOTION), rounding)
    found = [_first(t[k], _outside(between, *ends), scale, _MOTION)]

    scale = np.maximum(_of_blocks(change.max(axis=0), _STATE[:2]), JUMP)
    late = (unexplained > MISSED * scale).any(axis=1)
    if late.any():
        some = stretches[int(np.argmax(late))]
        _, there = _changes(*_values_and_rate(_some(samples, some)), t[some])
        found.append(_first(t[some][:-1], there, scale, _MOTION))
    return min((one for one in found if one), key=lambda one: one.after, default=None)


def _first(after: Array, size: Array, scale: Array, blocks: _Blocks) -> Missed | None:
    """The worst of the first sizes (m, n) above a share of the scales (m,), after times (n,)."""
    missed = size > MISSED * scale[:, None]
    if not missed.any():
        return None
    first = after[missed.any(axis=0)].min()
    share = np.where(after == first, size / scale[:, None], 0.0)
    row, column = np.unravel_index(np.argmax(share), share.shape)
    what, unit, _ = [block for block in blocks for _ in range(block[2])][row]
    return Missed(float(first), what, float(size[row, column]), unit)


def _probes(t: Array, corners: Array) -> Array:
    """Corners, and irregular times inside of intervals and of those that corners make of them."""
    count = len(t) - 1
    chosen = np.repeat(_chosen(np.arange(count)), max(LEAST_PROBES // count, 1))
    corners = _chosen(corners[(corners > t[0]) & (corners < t[-1])])
    k = _interval(t, corners)
    ends = np.unique(np.concatenate([corners, t[k], t[k + 1]]))
    starts = np.concatenate([t[chosen], ends[:-1]])
    lengths = np.concatenate([t[chosen + 1], ends[1:]]) - starts
    share = (_GOLDEN * np.arange(1, len(starts) + 1)) % 1.0
    return np.concatenate([starts + share * lengths, corners])


def _chosen(values: Any) -> Any:
    """All of some values or, of very many, some without any order."""
    if len(values) <= MOST_PROBES:
        return values
    return np.random.default_rng(0).choice(values, MOST_PROBES, replace=False)


def _extremes(samples: MotionSamples, t: Array) -> tuple[Array, Array, Array, Array]:
    """Minimum and maximum values (24,) of some samples, and maxima (12,) of both `_changes`."""
    values, place_rate = _values_and_rate(samples)
    change, unexplained = _changes(values, place_rate, t)
    return values.min(axis=1), values.max(axis=1), change.max(axis=1), unexplained.max(axis=1)


def _changes(values: Array, place_rate: Array, t: Array) -> tuple[Array, Array]:
    """Changes of places between samples (12, n), and less the mean of the twists times the step."""
    change = np.diff(values[:12], axis=1)
    mean = (place_rate[:, 1:] + place_rate[:, :-1]) / 2
    return np.abs(change), np.abs(change - np.diff(t) * mean)


def _values_and_rate(samples: MotionSamples) -> tuple[Array, Array]:
    """Position, rotation matrix, twist and acceleration, (24, n); rates of the first two."""
    state, rate = (both.T for both in state_and_rate_kernel()(*samples))
    return np.concatenate([state, rate[12:]]), np.ascontiguousarray(rate[:12])


def _outside(values: Array, one: Array, other: Array) -> Array:
    """Return the distance of values to the range between two others; zero inside it."""
    beyond = np.maximum(values - np.maximum(one, other), np.minimum(one, other) - values)
    return np.asarray(np.maximum(beyond, 0.0))


def _of_blocks(values: Array, blocks: _Blocks) -> Array:
    """Return for each value the maximum of its block."""
    sizes = [size for *_, size in blocks]
    return np.repeat(np.maximum.reduceat(values, np.cumsum([0, *sizes[:-1]])), sizes)


def _interval(t: Array, times: Array) -> Any:
    """Between which sample and the next each time is."""
    return np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)


def _some(samples: MotionSamples, which: Any) -> MotionSamples:
    return MotionSamples(*(values[which] for values in samples))
