"""Zeros of a measure along a motion: the search for singular configurations in time.

A measure is a number that is zero at singular configurations of one kind: det J, the length of a
leg, the sine of a universal joint's angle. Its samples show where it changes its sign, and where it
is low and rises so fast that it may reach zero in between; there the motion itself is evaluated.
Changes faster than the samples are missed.

Expressions of time have a search that misses no zero (`motion.motions.intervals`), and rays of
poses one in closed form (`workspace.ray_crossings`).

Times of crossings are exact to the last digits. A minimum is flat, so that its time is known to
about half of the digits; its size decides whether it is zero.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from gough.arrays import AnyArray, Array

OfTime = Callable[[float], float]

TOUCHING = 1e6
"""Nearness (such as the condition number of J) above which a minimum is singular."""
ROUNDING = 1e-14
"""|det| of the scaled J below which it has no sign: it is at most 8, and rounds to about 1e-16."""

HIGHER = 2.0
"""Ratio of a size to its rise to the next sample below which it may be zero in between."""
_FINEST = 1e-9
"""Tolerance of the times of minima, relative to the time between samples."""
_BESIDE, _CONTINUOUS = 1e-6, 1e-3
"""Relative distance from a zero, and maximum size there, of a measure that does not jump."""


class Zero(NamedTuple):
    """A time at which a measure is zero, or nearly so."""

    time: float
    kind: Literal["crossed", "touched", "approached"]
    """Whether the sign changes, or does not, or the measure only has a minimum near zero."""
    since: float
    """The first sample of those without a sign, for a motion that stays singular; else the time."""


def zeros(f: OfTime, time: Array, values: Array, floor: float, condition: OfTime) -> Iterator[Zero]:
    """Yield the zeros of a measure f of time, from its values (T,) at times (T,), perhaps NaN.

    Values below the floor have no sign. The condition at a minimum, large where f is small, decides
    whether it counts as zero.
    """
    known = np.isfinite(values)
    size = np.where(known, np.abs(values), np.inf)
    signs = np.where(known & (size >= floor), np.sign(values), 0.0)
    signed = np.flatnonzero(signs)
    last = np.flatnonzero(np.diff(signs[signed]))  # the last of one sign
    for i, j in zip(signed[last], signed[last + 1], strict=True):
        yield from _crossed(f, time[i], time[j])
    for run in _runs_without_sign(signs, size):
        k = int(run[size[run].argmin()])
        yield Zero(least_about(lambda t: abs(f(t)), time, k), "touched", float(time[run[0]]))
    for i, j in _dips(signs, size):
        t = _least(f, time[i], time[j], signs[i])
        if f(t) * signs[i] < 0:
            yield from _crossed(f, time[i], t)
            yield from _crossed(f, t, time[j])
        else:
            yield Zero(t, "touched" if condition(t) > TOUCHING else "approached", t)


def least_about(f: OfTime, time: Array, k: int) -> float:
    """Return the time of the minimum of f between the neighbours of sample k."""
    at = float(time[k])
    t = _least(f, time[max(k - 1, 0)], time[min(k + 1, len(time) - 1)])
    return t if f(t) < f(at) else at


def _crossed(f: OfTime, low: float, high: float) -> Iterator[Zero]:
    """The zero between two signs; none where f jumps, as det J does at a leg without length."""
    t, beside = _root(f, low, high), _BESIDE * (high - low)
    largest = max(abs(f(low)), abs(f(high)))
    if max(abs(f(t - beside)), abs(f(t + beside))) < _CONTINUOUS * largest:
        yield Zero(t, "crossed", t)


def _runs_without_sign(signs: Array, size: Array) -> Iterator[AnyArray]:
    """Neighbouring samples without a sign, unless the sign changes across them."""
    padded = np.pad(signs, 1)
    for run in np.split(np.arange(len(signs)), np.flatnonzero(np.diff(signs)) + 1):
        changes = padded[run[0]] * padded[run[-1] + 2] < 0
        if signs[run[0]] == 0 and np.isfinite(size[run]).any() and not changes:
            yield run


def _dips(signs: Array, size: Array) -> list[tuple[int, int]]:
    """Neighbours of one sign between which the size may reach zero: it is low and rises fast.

    They enclose the minimum of three, or are the first or last two, with the minimum at the end.
    """
    same = (signs[1:] == signs[:-1]) & (signs[1:] != 0)
    with np.errstate(invalid="ignore"):  # between two that are missing
        steps = np.diff(size)
    rise = np.maximum(-steps[:-1], steps[1:])
    least = (steps[:-1] <= 0) & (steps[1:] > 0) & same[:-1] & same[1:]
    found = [(int(k), int(k) + 2) for k in np.flatnonzero(least & (size[1:-1] < HIGHER * rise))]
    first, last = steps[:2], -steps[-2:]
    if same[0] and first[0] > 0 and size[0] < HIGHER * first.max():
        found.append((0, 1))
    if same[-1] and last[-1] > 0 and size[-1] < HIGHER * last.max():
        found.append((len(size) - 2, len(size) - 1))
    return found


def _root(f: OfTime, low: float, high: float) -> float:
    from scipy.optimize import brentq  # noqa: PLC0415  (slow to import)

    def known(t: float) -> float:
        return float(np.nan_to_num(f(t)))

    finest = 4e-16 * max(abs(low), abs(high))
    return float(brentq(known, low, high, xtol=finest, rtol=1e-15, maxiter=1000))


def _least(f: OfTime, low: float, high: float, sign: float = 1.0) -> float:
    """Time of the minimum of sign * f, relative to the middle: equally exact at late times."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415

    middle, half = (low + high) / 2, (high - low) / 2
    found = minimize_scalar(
        lambda away: sign * f(middle + away),
        bounds=(-half, half),
        method="bounded",
        options={"xatol": 2 * _FINEST * half},
    )
    return float(middle + found.x)
