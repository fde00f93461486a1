"""Singular configurations on a motion: when actuators lose the platform, or a joint its leg.

Each kind has a measure, a number that is zero there: det J; of a hexapod the length of a leg and
the sine of the angle between a leg and the first axis of its universal joint; of other machines the
pivots of a leg's actuators, of passive joints and of what the legs forbid. One search serves them
all, and other motions too: `gough.kinematics.singularity.search`.

A motion can cross a parallel singularity where forces beside the pose lead to a limit
(`crossing_forces` is that limit by itself). They come from a matrix that is nearly singular there,
with ever fewer digits: very near the pose they lie on straight lines between two times, equally far
before it and behind it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple, Self

import numpy as np

from gough.analysis.evaluation import Arrays, Numbers, evaluate
from gough.analysis.reductions import extremes
from gough.analysis.results import SingularPoint
from gough.arrays import AnyArray, Array
from gough.kinematics.singularity.search import HIGHER, ROUNDING, TOUCHING, zeros
from gough.kinematics.singularity.singularity import condition_number, determinant, determinant_unit
from gough.kinematics.size import default_length
from gough.model.kernels import Kernels
from gough.motion import MotionSamples
from gough.robot import Robot

_PIVOTS = {
    "serial": ("serial_pivot", "serial_pivots"),
    "passive": ("passive_pivot", "passive_pivots"),
    "constraint": ("constraint_pivot", "constraint_pivot"),
}
"""Kinds that machines other than hexapods have: their quantities and kernels."""
_OF_PIVOTS = (quantity for quantity, _ in _PIVOTS.values())
NEEDED = ("determinant", "leg_length", "universal_joint_sine", *_OF_PIVOTS)
"""The quantities whose zeros are looked for."""

_ILL = 100.0
"""Nearness above which a warning is given."""
_UNBOUNDED = 1e3
"""A nearness above this, with a singular point in the midst of it, leaves no forces."""
_LARGEST = 31.0
"""|det| times condition number of the scaled J is never more: its squares add up to 12 at most."""
CROSSABLE = 1e-6
"""Maximum missing fraction of the needed wrench: less is rounding of the motion."""
_FEW_DIGITS = 1e5
"""The condition number of J above which forces have too few digits."""
_NEAR = 1e-6
"""Distance from a crossing, as a fraction of the duration, where conditioning is first tested."""


@dataclass(frozen=True, eq=False)
class SingularityMeasure:
    """Measure that is zero at the singular configurations of one kind, of one motion or many."""

    kind: str
    """Kind of the points where it reaches zero without a change of sign."""
    values: Array
    """(..., T, n) at the samples; of one leg (T,)."""
    scale: Array
    """(..., n), or (..., 1) of all alike: nearness times value is never more; of one leg ()."""
    value: Callable[[Array], Array]
    """At any poses (..., 7) of one machine: (..., n); of one leg (...)."""
    condition: Callable[[Array], Array] | None = None
    """Nearness of poses for all legs together; else it is scale over value."""
    floor: float = 0.0
    """Values below it are zero."""
    of_each: bool = True
    """Whether there is one for each leg."""
    leg: int | None = None
    """Counted from 1; None for what concerns all of them."""

    @property
    def is_near(self) -> AnyArray:
        """(..., n) whether columns come near zero, at a sample or, by their span, between two."""
        low, high = extremes(self.values)
        nearest = np.where(low * high > 0, np.fmin(np.abs(low), np.abs(high)), 0.0)
        near = nearest < np.fmax(HIGHER * (high - low), self.scale / _ILL)
        return np.asarray(np.isfinite(low) & near)

    def each(self) -> Iterator[Self]:
        """Yield those of the legs in one motion that may come near zero."""
        scales = np.broadcast_to(self.scale, self.values.shape[1:])
        for k in np.flatnonzero(self.is_near).tolist():
            floor, leg = self.floor or float(scales[k]) / TOUCHING, k + 1 if self.of_each else None
            own = {"values": self.values[:, k], "scale": scales[k], "value": partial(self._one, k)}
            yield replace(self, floor=floor, leg=leg, **own)

    def _one(self, k: int, pose: Array) -> Array:
        return self.value(pose)[..., k]

    def condition_number(self, pose: Array) -> Array:
        """Return the condition number of J at poses, or a like ratio: infinite at singular ones."""
        if self.condition is not None:
            return self.condition(pose)
        with np.errstate(divide="ignore"):
            return np.asarray(self.scale / self.value(pose))

    def ill_conditioned(self, minimum: float) -> AnyArray:
        """Return the indices of all samples that may have at least this condition number."""
        return np.flatnonzero(~(np.abs(self.values) > self.scale / minimum))


class Approach(NamedTuple):
    """Where a motion comes nearest to a singular configuration that it does not meet."""

    kind: str
    leg: int | None
    condition_number: float
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
    check: Callable[[SingularPoint], SingularPoint] = lambda point: point,
) -> Encounters:
    """Return the singular configurations of a motion, from its pose and the NEEDED quantities.

    `check` decides for each crossing whether the motion can pass it with bounded forces.

    Between samples the motion itself is evaluated, where a measure may reach zero according to its
    neighbours; faster changes are not detected.
    """
    measures = measures_of(robot, parameters, found)
    points, nearest = list[SingularPoint](), list[Approach]()
    for measure in measures:
        value = partial(_at, measure.value, pose_at)
        condition = partial(_at, measure.condition_number, pose_at)
        near = list(zeros(value, time, measure.values, measure.floor, condition))
        met = [zero for zero in near if zero.kind != "approached"]
        for t, how, _ in met:
            kind = "crossed" if how == "crossed" else measure.kind
            point = SingularPoint(t, tuple(map(float, pose_at(t))), kind, measure.leg)
            points.append(check(point) if kind == "crossed" else point)
        if not met:
            between = ((condition(t), t) for t, *_ in near)
            nearest += _approach(measure, found["pose"], time, between)
    points.sort(key=lambda point: point.time)
    unbounded = [point for point in points if not point.bounded]
    lost, split = (
        _lost(measures, found["pose"], time, some) if some else None for some in (unbounded, points)
    )
    return Encounters(tuple(points), tuple(nearest), lost, split)


def _at(of: Callable[[Array], Array], pose_at: Callable[[float], Array], t: float) -> float:
    return float(of(pose_at(t)))


def approached(robot: Robot, parameters: Array, time: Array, found: Arrays) -> Encounters:
    """Return singular configurations from samples alone: their nearness, and none between them."""
    measures = measures_of(robot, parameters, found)
    nearest = [one for measure in measures for one in _approach(measure, found["pose"], time)]
    return Encounters(approaches=tuple(nearest))


def measures_of(robot: Robot, parameters: Array, found: Arrays) -> list[SingularityMeasure]:
    """Return the measures of all kinds of singular configurations that a motion may come near."""
    kinds = _kinds(robot, parameters, np.array(default_length(robot)), found)
    return [measure for kind in kinds for measure in kind.each()]


def far_from_singular(robot: Robot, parameters: Array, lengths: Array, found: Arrays) -> AnyArray:
    """Return whether each of N motions comes near no singular configuration.

    The machines are built as the robot, with parameters (N, p) and `default_length`s (N,) [m].
    What NEEDED lists is given along (N, T).
    """
    kinds = _kinds(robot, parameters, lengths, found)
    return np.asarray(~np.any([kind.is_near.any(axis=-1) for kind in kinds], axis=0))


def _kinds(
    robot: Robot, parameters: Array, length: Array, found: Arrays
) -> Iterator[SingularityMeasure]:
    """Yield the measure of each kind of singular configuration of a machine."""
    model = Kernels(robot, parametric=True)
    conditions, extensible = condition_number(model.machines), robot.has_extensible_legs

    def condition(pose: Array) -> Array:
        return np.asarray(conditions(parameters, pose, length))

    def sizes(pose: Array, kernel: str, column: bool = False) -> Array:
        size = np.abs(getattr(model, kernel)(parameters, pose))
        return np.asarray(size[..., None] if column else size)

    def det(pose: Array) -> Array:
        return np.asarray(determinant(model.machines)(parameters, pose))[..., None]

    values, pose = found["determinant"], found["pose"]
    if extensible:
        largest = _LARGEST * length**3
    else:  # what |det J| times the condition number of J hardly exceeds on a motion
        by = np.abs(values) * conditions(parameters[..., None, :], pose, length[..., None])
        largest = 2 * np.fmax.reduce(by, axis=-1, initial=0.0)
    floor = ROUNDING * determinant_unit(robot, default_length(robot))
    measure = SingularityMeasure
    columns = values[..., None]
    yield measure("touched", columns, largest[..., None], det, condition, floor, of_each=False)
    if extensible:
        lengths = partial(sizes, kernel="inverse_kinematics")
        yield measure("no length", found["leg_length"], length[..., None], lengths)
    if "universal_joint_sine" in found:
        sines = partial(sizes, kernel="universal_joint_sines")
        yield measure("first axis", found["universal_joint_sine"], np.ones(1), sines)
    for name, (quantity, kernel) in _PIVOTS.items():
        if quantity in found:
            one = found[quantity].ndim == values.ndim
            pivots, at = np.abs(found[quantity]), partial(sizes, kernel=kernel, column=one)
            columns, at_home = pivots[..., None] if one else pivots, at(np.array(robot.home))
            yield measure(name, columns, at_home, at, of_each=not one)


def _approach(
    measure: SingularityMeasure, pose: Array, time: Array, pairs: Iterable[tuple[float, float]] = ()
) -> list[Approach]:
    """Where a motion is nearest, if very near: at a sample, or (condition, time) between."""
    candidates = list(pairs)
    near = measure.ill_conditioned(_ILL)
    if near.size:
        condition = np.nan_to_num(measure.condition_number(pose[near]), nan=0.0, posinf=np.inf)
        k = int(condition.argmax())
        candidates.append((float(condition[k]), float(time[near[k]])))
    nearest, t = max(candidates, default=(0.0, 0.0))
    return [Approach(measure.kind, measure.leg, nearest, t)] if nearest > _ILL else []


def _lost(
    measures: list[SingularityMeasure], pose: Array, time: Array, points: list[SingularPoint]
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
        near = measure.ill_conditioned(_UNBOUNDED)
        if near.size:
            ill[near] |= ~(measure.condition_number(pose[near]) < _UNBOUNDED)
    stretch = np.cumsum(np.diff(ill, prepend=ill[:1]))
    return np.asarray(ill & np.isin(stretch, stretch[beside]))


class StatesAtTimes(NamedTuple):
    """A machine at some times of a study: its numbers (k, n), its motion, and wrenches (k, 6)."""

    parameters: Array
    samples: MotionSamples
    wrench: Array
    base: MotionSamples | None = None
    """Motion of the base, if it moves."""


@dataclass(frozen=True)
class CrossingCheck:
    """Check of a study's crossings of parallel singularities, and the forces there."""

    robot: Robot
    formulation: str | None
    at: Callable[[Array], StatesAtTimes]
    """Times (k) [s] -> what the machine does then."""
    duration: float
    moving_base: bool = False

    @cached_property
    def _model(self) -> Kernels:
        how, moves = self.formulation, self.moving_base
        return Kernels(self.robot, formulation=how, parametric=True, moving_base=moves)

    def checked(self, point: SingularPoint) -> SingularPoint:
        """A crossing with what the motion lacks there, and whether it can pass."""
        parameters, samples, wrench, base = self.at(np.array([point.time]))
        state = (parameters, *(base or ()), *samples, wrench)
        residual, share = self._model.crossing_residual(*state), self._model.crossing_share(*state)
        passes = bool(samples.twist.any() and share[0] < CROSSABLE)
        return replace(point, residual=float(residual[0]), share=float(share[0]), bounded=passes)

    def bridged(
        self, points: Iterable[SingularPoint], time: Array, found: dict[str, Array]
    ) -> dict[str, Array]:
        """Quantities of forces along times (T), with limits where these are very near crossings."""
        middles = [point.time for point in points if point.bounded]
        result = {name: values.copy() for name, values in found.items()} if middles else found
        for middle in middles:
            half = self._half_window(middle)
            inside = np.flatnonzero(np.abs(time - middle) <= half)
            if inside.size:
                at = self.at(middle + half * np.array([-1.0, 1.0]))
                given = (Numbers.of(self.robot, at.parameters), at.samples, at.wrench)
                names, how = frozenset(found), self.formulation
                ends = evaluate(self.robot, *given, names, formulation=how, base=at.base)
                share = (time[inside] - middle + half) / (2 * half)
                for name, (before, behind) in ends.items():
                    result[name][inside] = before + np.multiply.outer(share, behind - before)
        return result

    def _half_window(self, middle: float) -> float:
        """Half-width of the time with ill-conditioned J [s]: its condition falls as 1 / t."""
        beside = _NEAR * self.duration
        parameters, samples, *_ = self.at(np.array([middle + beside]))
        kernel = condition_number(self._model.machines)
        condition = kernel(parameters, samples.pose, np.array(default_length(self.robot)))
        return beside * float(condition[0]) / _FEW_DIGITS
