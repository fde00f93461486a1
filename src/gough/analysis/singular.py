"""Singular configurations on a motion: when actuators lose the platform, or a joint its leg.

Each kind has a measure, a number that is zero there: det J; of a hexapod the length of a leg and
the sine of the angle between a leg and the first axis of its universal joint; of other machines the
pivots of a leg's actuators, of passive joints and of what the legs forbid. One search serves them
all, and other motions too: `gough.kinematics.singularity.search`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from gough.analysis.extremes import reduced
from gough.analysis.results import SingularPoint
from gough.arrays import AnyArray, Array
from gough.kinematics.singularity.search import HIGHER, ROUNDING, TOUCHING, Zero, zeros
from gough.kinematics.singularity.singularity import (
    condition_number,
    determinant,
    determinant_unit,
)
from gough.kinematics.size import default_length
from gough.model.kernels import Kernels
from gough.robot import Hexapod, Robot

Arrays = Mapping[str, Array]

_PIVOTS = {
    "serial": ("serial_pivot", "serial_pivots"),
    "passive": ("passive_pivot", "passive_pivots"),
    "constraint": ("constraint_pivot", "constraint_pivot"),
}
"""Kinds that machines other than hexapods have: their quantities and kernels."""
NEEDED = (
    *("determinant", "leg_length", "universal_joint_sine"),
    *(quantity for quantity, _ in _PIVOTS.values()),
)
"""The quantities whose zeros are looked for."""

_ILL = 100.0
"""A nearness above this is told."""
_UNBOUNDED = 1e3
"""A nearness above this, with a singular point in the midst of it, leaves no forces."""
_LARGEST = 31.0
"""|det| times condition number of the scaled J is never more: its squares add up to 12 at most."""


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
    split: Array | None = None
    """(T,) whether it is so near to any that shares of forces have none; None without points."""


def encounters(
    robot: Robot,
    parameters: Array,
    pose_at: Callable[[float], Array],
    time: Array,
    found: Arrays,
    judge: Callable[[SingularPoint], SingularPoint] = lambda point: point,
) -> Encounters:
    """What a motion meets, from its pose and what NEEDED lists at the times.

    `judge` says of each crossing whether the motion can pass it with forces that have a bound.

    Between samples the motion itself is asked, where a measure may reach zero judging by its
    neighbours; what changes faster than that is not seen.
    """
    measures = measures_of(robot, parameters, found)
    points, nearest = list[SingularPoint](), list[Approach]()
    for measure in measures:
        near = list(_zeros(measure, pose_at, time))
        met = [zero for zero in near if zero.kind != "approached"]
        for t, how, _ in met:
            kind = "crossed" if how == "crossed" else measure.kind
            point = SingularPoint(t, _pose(pose_at(t)), kind, measure.leg)
            points.append(judge(point) if kind == "crossed" else point)
        if not met:
            between = [(float(measure.nearness(pose_at(t))), t) for t, *_ in near]
            nearest += _approach(measure, found["pose"], time, between)
    points.sort(key=lambda point: point.time)
    unbounded = [point for point in points if not point.bounded]
    lost, split = (
        _lost(measures, found["pose"], time, some) if some else None for some in (unbounded, points)
    )
    return Encounters(tuple(points), tuple(nearest), lost, split)


def approached(robot: Robot, parameters: Array, time: Array, found: Arrays) -> Encounters:
    """The same from samples alone: how near they come, and nothing between them."""
    measures = measures_of(robot, parameters, found)
    nearest = [one for measure in measures for one in _approach(measure, found["pose"], time)]
    return Encounters(approaches=tuple(nearest))


def measures_of(robot: Robot, parameters: Array, found: Arrays) -> list[Measure]:
    """The measures of all kinds of singular configurations that the motion may come near to."""
    model, size = Kernels(robot, parametric=True), default_length(robot)
    length, hexapod = np.array(size), isinstance(robot, Hexapod)

    def det(pose: Array) -> Array:
        return np.asarray(determinant(model.machines)(parameters, pose))

    def condition(pose: Array) -> Array:
        return np.asarray(condition_number(model.machines)(parameters, pose, length))

    def by(kernel: str) -> Callable[[Array], Array]:
        return lambda pose: np.asarray(getattr(model, kernel)(parameters, pose))

    made, values = [], found["determinant"]
    largest = _LARGEST * size**3 if hexapod else _bound(values, condition(found["pose"]))
    if _may_be_near(values[:, None], largest).any():
        floor = ROUNDING * determinant_unit(robot, size)
        made.append(Measure("touched", None, values, det, condition, largest, floor))
    if hexapod:
        made += _of_legs("no length", found["leg_length"], by("inverse_kinematics"), size)
    if "universal_joint_sine" in found:
        sines = found["universal_joint_sine"]
        made += _of_legs("first axis", sines, by("universal_joint_sines"), 1.0)
    for kind, (quantity, kernel) in _PIVOTS.items():
        if quantity in found:
            made += _of_pivots(kind, found[quantity], by(kernel), np.array(robot.home))
    return made


def far_from_singular(sizes: Array, found: Arrays) -> AnyArray:
    """(N,) whether the motions of N hexapods of some sizes [m] come near to no such configuration.

    What NEEDED lists is given along (N, T).
    """
    near = [
        _may_be_near(found["determinant"][..., None], _LARGEST * sizes[:, None] ** 3),
        _may_be_near(found["leg_length"], sizes[:, None]),
    ]
    if "universal_joint_sine" in found:
        near.append(_may_be_near(found["universal_joint_sine"], 1.0))
    return np.asarray(~np.concatenate(near, axis=-1).any(axis=-1))


def _bound(determinants: Array, conditions: Array) -> float:
    """What |det J| times the condition number of J hardly exceeds on a motion."""
    return 2 * float(np.fmax.reduce(np.abs(determinants) * conditions, initial=0.0))


def _of_pivots(
    kind: str, values: Array, value: Callable[[Array], Array], home: Array
) -> Iterator[Measure]:
    """The measures of one pivot or of several, by the sizes that they have at home."""
    one, scale = values.ndim == 1, np.abs(value(home))

    def sizes(pose: Array) -> Array:
        return np.abs(value(pose))[..., None] if one else np.abs(value(pose))

    columns = np.abs(values).reshape(len(values), -1)
    for measure in _of_legs(kind, columns, sizes, scale):
        yield measure._replace(leg=None) if one else measure


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
    kind: str, values: Array, value: Callable[[Array], Array], scale: float | Array
) -> Iterator[Measure]:
    """Measures that are never negative, one for each leg that may come near zero of it."""
    scales = np.broadcast_to(scale, values.shape[1:])
    for k in np.flatnonzero(_may_be_near(values, scales)).tolist():
        own = float(scales[k])

        def one(pose: Array, k: int = k) -> Array:
            return value(pose)[..., k]

        def nearness(pose: Array, k: int = k, own: float = own) -> Array:
            with np.errstate(divide="ignore"):
                return np.asarray(own / value(pose)[..., k])

        yield Measure(kind, k + 1, values[:, k], one, nearness, own, own / TOUCHING)


def _may_be_near(values: Array, scale: float | Array) -> Array:
    """(..., n) whether columns come near zero, at a sample or, by their span, between two."""
    low, high = reduced(values, np.minimum), reduced(values, np.maximum)
    nearest = np.where(low * high > 0, np.fmin(np.abs(low), np.abs(high)), 0.0)
    known = np.isfinite(low)
    return np.asarray(known & (nearest < np.fmax(HIGHER * (high - low), scale / _ILL)))


def _zeros(measure: Measure, pose_at: Callable[[float], Array], time: Array) -> Iterator[Zero]:
    """When a measure is zero, or has a minimum near zero."""
    return zeros(
        lambda t: float(measure.value(pose_at(t))),
        time,
        measure.values,
        measure.floor,
        lambda t: float(measure.nearness(pose_at(t))),
    )


def _lost(
    measures: list[Measure], pose: Array, time: Array, points: list[SingularPoint]
) -> AnyArray:
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


def _near(measure: Measure, nearness: float) -> AnyArray:
    """The places of all samples that may have at least such a nearness."""
    return np.flatnonzero(~(np.abs(measure.values) > measure.scale / nearness))


def _some(pose: Array, places: Array) -> Array:
    return np.ascontiguousarray(pose[places])


def _pose(pose: Array) -> tuple[float, ...]:
    return tuple(map(float, pose))
