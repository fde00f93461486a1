"""Singular configurations on a motion: when actuators lose the platform, or a joint its leg.

Each kind has a measure, a number that is zero there: det J, the length of a leg, the sine of the
angle between a leg and the first axis of its universal joint. One search serves them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gough.analysis.extremes import reduced
from gough.analysis.results import SingularPoint
from gough.kinematics.singularity.crossings import TOUCHING
from gough.kinematics.singularity.singularity import condition_number, default_length
from gough.kinematics.singularity.singularity import determinant as determinant_kernel
from gough.model.kernels import Kernels
from gough.robot import Robot

Array = np.ndarray[Any, np.dtype[Any]]
Arrays = Mapping[str, Array]
OfTime = Callable[[float], float]

NEEDED = ("determinant", "leg_length", "universal_joint_sine")
"""The quantities whose zeros are looked for."""

_ROUNDING = 1e-14
"""|det| of the scaled J below this has no sign."""
_ILL = 100.0
"""A nearness above this is told."""
_UNBOUNDED = 1e3
"""A nearness above this, with a singular point in the midst of it, leaves no forces."""
_LARGEST = 31.0
"""|det| times condition number of the scaled J is never more: its squares add up to 12 at most."""


_HIGHER = 2.0
"""A size may reach zero between samples if it is less than so many times its rise to the next."""


class Measure(NamedTuple):
    """What is zero at the singular configurations of one kind."""

    kind: str
    """Of the points where it reaches zero without a change of sign."""
    leg: int | None
    """Counted from 1; None for what concerns all of them."""
    values: Array
    """(T,) at the samples."""
    value: Callable[[Array], Array]
    """At any poses (..., 7)."""
    nearness: Callable[[Array], Array]
    """How near poses are: infinite at a singular one, like the condition number of J."""
    scale: float
    """Nearness times value is never more than this."""
    floor: float
    """Values below it are zero."""


class Approach(NamedTuple):
    """Where a motion comes nearest to a singular configuration that it does not meet."""

    kind: str
    leg: int | None
    nearness: float
    time: float


class Encounters(NamedTuple):
    """The singular configurations of a motion, met and nearly met."""

    points: tuple[SingularPoint, ...] = ()
    approaches: tuple[Approach, ...] = ()
    lost: Array | None = None
    """(T,) whether a sample is so near to one that forces have no bound; None without points."""


def encounters(
    robot: Robot,
    parameters: Array,
    pose_at: Callable[[float], Array],
    time: Array,
    found: Arrays,
) -> Encounters:
    """What a motion meets, from its pose and what NEEDED lists at the times.

    Between samples the motion itself is asked, where a measure may reach zero judging by its
    neighbours; what changes faster than that is not seen.
    """
    measures = measures_of(robot, parameters, found)
    points, nearest = list[SingularPoint](), list[Approach]()
    for measure in measures:
        zeros = list(_zeros(measure, pose_at, time))
        met = [(t, kind) for t, kind in zeros if kind]
        points += [SingularPoint(t, _pose(pose_at(t)), kind, measure.leg) for t, kind in met]
        if not met:
            between = [(float(measure.nearness(pose_at(t))), t) for t, _ in zeros]
            nearest += _approach(measure, found["pose"], time, between)
    points.sort(key=lambda point: point.time)
    lost = _lost(measures, found["pose"], time, points) if points else None
    return Encounters(tuple(points), tuple(nearest), lost)


def approached(robot: Robot, parameters: Array, time: Array, found: Arrays) -> Encounters:
    """The same from samples alone: how near they come, and nothing between them."""
    measures = measures_of(robot, parameters, found)
    nearest = [one for measure in measures for one in _approach(measure, found["pose"], time)]
    return Encounters(approaches=tuple(nearest))


def measures_of(robot: Robot, parameters: Array, found: Arrays) -> list[Measure]:
    """The measures of all kinds of singular configurations that the motion may come near to."""
    model, size = Kernels(robot, parametric=True), default_length(robot)
    length = np.array(size)

    def determinant(pose: Array) -> Array:
        return np.asarray(determinant_kernel(model.machines)(parameters, pose))

    def condition(pose: Array) -> Array:
        return np.asarray(condition_number(model.machines)(parameters, pose, length))

    def lengths(pose: Array) -> Array:
        return np.asarray(model.inverse_kinematics(parameters, pose))

    def sines(pose: Array) -> Array:
        return np.asarray(model.universal_joint_sines(parameters, pose))

    made = []
    det, largest = found["determinant"], _LARGEST * size**3
    if _may_be_near(det[:, None], largest).any():
        floor = _ROUNDING * size**3
        made.append(Measure("touched", None, det, determinant, condition, largest, floor))
    made += _of_legs("no length", found["leg_length"], lengths, size)
    if "universal_joint_sine" in found:
        made += _of_legs("first axis", found["universal_joint_sine"], sines, 1.0)
    return made


def _approach(
    measure: Measure, pose: Array, time: Array, between: Iterable[tuple[float, float]] = ()
) -> list[Approach]:
    """Where a motion is nearest, if that is very near: at a sample, or (nearness, time) between."""
    candidates = list(between)
    near = _near(measure, _ILL)
    if near.size:
        nearness = np.nan_to_num(measure.nearness(_some(pose, near)), nan=0.0, posinf=np.inf)
        k = int(nearness.argmax())
        candidates.append((float(nearness[k]), float(time[near[k]])))
    nearest, t = max(candidates, default=(0.0, 0.0))
    return [Approach(measure.kind, measure.leg, nearest, t)] if nearest > _ILL else []


def _of_legs(
    kind: str, values: Array, value: Callable[[Array], Array], scale: float
) -> Iterator[Measure]:
    """Measures that are never negative, one for each leg that may come near zero of it."""
    for k in np.flatnonzero(_may_be_near(values, scale)).tolist():

        def one(pose: Array, k: int = k) -> Array:
            return value(pose)[..., k]

        def nearness(pose: Array, k: int = k) -> Array:
            with np.errstate(divide="ignore"):
                return np.asarray(scale / value(pose)[..., k])

        floor = scale / TOUCHING
        yield Measure(kind, k + 1, values[:, k], one, nearness, scale, floor)


def _may_be_near(values: Array, scale: float) -> Array:
    """(n,) whether columns come near zero, at a sample or, judging by their span, between two."""
    low, high = reduced(values, np.minimum), reduced(values, np.maximum)
    nearest = np.where(low * high > 0, np.fmin(np.abs(low), np.abs(high)), 0.0)
    known = np.isfinite(low)
    return np.asarray(known & (nearest < np.fmax(_HIGHER * (high - low), scale / _ILL)))


def _zeros(
    measure: Measure, pose_at: Callable[[float], Array], time: Array
) -> Iterator[tuple[float, str]]:
    """When a measure is zero, and how; "" where it has a minimum near zero instead."""
    values = measure.values

    def f(t: float) -> float:
        return float(measure.value(pose_at(t)))

    known = np.isfinite(values)
    size = np.where(known, np.abs(values), np.inf)
    signs = np.where(known & (size >= measure.floor), np.sign(values), 0.0)
    signed = np.flatnonzero(signs)
    last = np.flatnonzero(np.diff(signs[signed]))  # the last of one sign
    for i, j in zip(signed[last], signed[last + 1], strict=True):
        yield from _crossed(f, time[i], time[j])
    for k in _lone_zeros(signs, size):
        yield _nearest(f, time, size, k), measure.kind
    for i, j in _dips(signs, size):
        t = _least(f, signs[i], time[i], time[j])
        if f(t) * signs[i] < 0:
            yield from _crossed(f, time[i], t)
            yield from _crossed(f, t, time[j])
        else:
            touches = float(measure.nearness(pose_at(t))) > TOUCHING
            yield t, measure.kind if touches else ""


def _crossed(f: OfTime, low: float, high: float) -> Iterator[tuple[float, str]]:
    """The zero between two signs; none where f jumps, as det J does at a leg without length."""
    t, beside = _root(f, low, high), 1e-6 * (high - low)
    if max(abs(f(t - beside)), abs(f(t + beside))) < 1e-3 * max(abs(f(low)), abs(f(high))):
        yield t, "crossed"


def _lost(measures: list[Measure], pose: Array, time: Array, points: list[SingularPoint]) -> Array:
    """(T,) whether forces at a sample have no bound: it is near a singular point.

    That is the samples next to the point, and from there on for as long as any measure is low.
    """
    beside = np.zeros(len(time), dtype=bool)
    for point in points:
        after = int(np.searchsorted(time, point.time, side="right"))
        before = int(np.searchsorted(time, point.time, side="left")) - 1
        beside[max(before, 0) : after + 1] = True
    ill = beside.copy()
    for measure in measures:
        near = _near(measure, _UNBOUNDED)
        if near.size:
            ill[near] |= ~(measure.nearness(_some(pose, near)) < _UNBOUNDED)
    stretch = np.cumsum(np.diff(ill, prepend=ill[:1]))
    return np.asarray(ill & np.isin(stretch, stretch[beside]))


def _near(measure: Measure, nearness: float) -> Array:
    """The places of all samples that may have at least such a nearness."""
    return np.flatnonzero(~(np.abs(measure.values) > measure.scale / nearness))


def _some(pose: Array, places: Array) -> Array:
    return np.ascontiguousarray(pose[places])


def _pose(pose: Array) -> tuple[float, ...]:
    return tuple(map(float, pose))


def _lone_zeros(signs: Array, size: Array) -> list[int]:
    """The least of each run of samples without a sign, unless the sign changes across the run."""
    padded = np.pad(signs, 1)
    runs = np.split(np.arange(len(signs)), np.flatnonzero(np.diff(signs)) + 1)
    return [
        int(run[size[run].argmin()])
        for run in runs
        if signs[run[0]] == 0
        and np.isfinite(size[run]).any()
        and not padded[run[0]] * padded[run[-1] + 2] < 0
    ]


def _nearest(f: OfTime, time: Array, size: Array, k: int) -> float:
    """When |f| is least between the neighbours of sample k: there, unless it is less elsewhere."""
    low, high = time[max(k - 1, 0)], time[min(k + 1, len(time) - 1)]
    t = _least(lambda t: abs(f(t)), 1.0, low, high)
    return t if abs(f(t)) < size[k] else float(time[k])


def _dips(signs: Array, size: Array) -> list[tuple[int, int]]:
    """Neighbours of one sign between which the size may reach zero, as it is low and rises fast.

    They stand about the least of three, or are the first or last two, with the least at the end.
    """
    same = (signs[1:] == signs[:-1]) & (signs[1:] != 0)
    with np.errstate(invalid="ignore"):  # between two that are missing
        steps = np.diff(size)
    rise = np.maximum(-steps[:-1], steps[1:])
    least = (steps[:-1] <= 0) & (steps[1:] > 0) & same[:-1] & same[1:]
    inner = np.flatnonzero(least & (size[1:-1] < _HIGHER * rise))
    found = [(int(k), int(k) + 2) for k in inner]
    first, last = steps[:2], -steps[-2:]
    if same[0] and first[0] > 0 and size[0] < _HIGHER * first.max():
        found.append((0, 1))
    if same[-1] and last[-1] > 0 and size[-1] < _HIGHER * last.max():
        found.append((len(size) - 2, len(size) - 1))
    return found


def _root(f: OfTime, low: float, high: float) -> float:
    from scipy.optimize import brentq  # noqa: PLC0415  (slow to import)

    def known(t: float) -> float:
        return float(np.nan_to_num(f(t)))

    return float(brentq(known, low, high, xtol=1e-12 * (high - low), rtol=1e-15, maxiter=1000))


def _least(f: OfTime, sign: float, low: float, high: float) -> float:
    """When sign * f is least, counted from the middle: as exact at late times as at early ones."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415

    middle, half = (low + high) / 2, (high - low) / 2
    found = minimize_scalar(
        lambda away: sign * f(middle + away),
        bounds=(-half, half),
        method="bounded",
        options={"xatol": 2e-9 * half},
    )
    return float(middle + found.x)
