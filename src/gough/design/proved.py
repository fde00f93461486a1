"""Requirements of a design proved in all poses of its boxes, and at all times of its motions.

Limits, the condition number, and forces, speeds, powers and positions of actuators
have bounds over boxes, and so have the joints' radii and heights: see
`gough.kinematics.proof.requirements`. Other requirements are not proved. Designs that are to be
proved keep a reserve of their bounds: a margin that is zero all over a box has no proof.

The worst states between the lattice points of boxes are found by search.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.stats import qmc

from gough.analysis.proved_motion import MotionSearch, searched_motion
from gough.arrays import AnyArray, Array
from gough.design.demands import Demand, at_times, platform_pose
from gough.design.measures import LIMITS
from gough.design.problem import Problem
from gough.design.variables import REACH, followed
from gough.display import Brief, vector
from gough.errors import GoughError
from gough.executors import Executor
from gough.kinematics.proof.bounding import Bounding
from gough.kinematics.proof.implicit import Implicit
from gough.kinematics.proof.prove import Boxes, Proof, ProofSearch, searched
from gough.kinematics.proof.requirements import VALUES, Required
from gough.kinematics.workspace.box import lowest_apart, pattern_search
from gough.kinematics.workspace.reach import Limits
from gough.kinematics.workspace.stated_limits import ENDS, ends_of
from gough.model import Machines
from gough.studies import Study

SPREAD = 2 * qmc.Sobol(6, rng=0).random(256) - 1
"""Places in boxes, evenly spread, at which every side is evaluated before it is followed."""
NEAR = 0.2
"""Sides are followed from places with less slack than this share of their bound, or margin."""
OF_STATES = ("pose", "twist", "acceleration", "wrench")
WORSE = 1e-9  # a state joins those of a problem if it is worse by this share, or by this margin


def worst_between(problem: Problem, x: Array) -> list[Demand]:
    """Search the boxes of a design (d) for states that are worse than all states of the problem.

    Each side is followed to the worst nearby, from the worst of its states and of places that are
    spread over its box.
    """
    middle, half = problem.boxes
    in_boxes = np.flatnonzero(half.any(axis=1))
    if not len(in_boxes):
        return []
    known = _worst_first(problem.sizes(problem.at(x)))
    before = known.max(axis=0)
    bound, unit = before.copy(), np.abs(before)  # of extremes, their worst value is the bound
    of, required = problem.sides.of, problem.sides.of < len(problem.requirements)
    bound[required], unit[required] = problem.bounds[of[required]], problem.units[of[required]]
    worst = in_boxes[known[in_boxes].argmax(axis=0)]
    spread = {k: _sizes(problem, x, np.array([k]), SPREAD[None])[0] for k in np.unique(worst)}
    away = problem.states[1][in_boxes] - middle[in_boxes]
    own = np.divide(away, half[in_boxes], out=np.zeros_like(away), where=half[in_boxes] > 0)
    starts = []
    for k, at in enumerate(worst):
        states = np.append(in_boxes, np.full(len(SPREAD), at))
        shares = np.concatenate([own, SPREAD])
        slack = bound[k] - np.append(known[in_boxes, k], spread[at][:, k])
        starts += [(k, states[j], shares[j]) for j in lowest_apart(shares, slack, NEAR * unit[k])]
    if not starts:
        return []
    side, state, places = (np.array(column) for column in zip(*starts, strict=True))
    row = np.arange(len(side))

    def value(shares: Array) -> Array:
        return np.asarray(-_sizes(problem, x, state, shares)[row, :, side])

    reached, lowest, _ = pattern_search(value, places, half[state] > 0)
    worse = -lowest > before[side] + WORSE * unit[side]
    return joining(problem, state[worse], (middle[state] + half[state] * reached)[worse])


def _worst_first(sizes: Array) -> Array:
    """Sizes of sides, infinite where a machine cannot take a pose."""
    return np.where(np.isnan(sizes), np.inf, sizes)


def _sizes(problem: Problem, x: Array, states: AnyArray, shares: Array) -> Array:
    """Sizes (k, m, s) of all sides, of k states at other places (k, m, 6) of their boxes."""
    middle, half = (part[states, None] for part in problem.boxes)
    pose, _, *others = (part[states, None] for part in problem.states)
    placed = (pose, middle + half * shares, *others)
    return _worst_first(problem.sizes(problem.of_states(x, placed)))


def joining(problem: Problem, states: AnyArray, offset: Array) -> list[Demand]:
    """States at other offsets, as demands that take no time and count in no mean."""
    counts = [len(demand) for demand in problem.demands]
    owner = np.repeat(np.arange(len(counts)), counts)[states]
    first = np.cumsum([0, *counts])
    found = list[Demand]()
    for k, demand in enumerate(problem.demands):
        if (mine := owner == k).any():
            own = {key: getattr(demand, key)[states[mine] - first[k]] for key in OF_STATES}
            own |= {"offset": offset[mine], "seconds": np.zeros(int(mine.sum()))}
            found.append(replace(demand, **own, in_means=False))
    return found


RESERVE = 1e-3  # slack that is kept, so that a requirement can be proved
AT_MOST = 100_000  # boxes that are evaluated of a box of poses, or intervals of a motion
_TOGETHER = 4096
_OF_STATES = ("force", "speed", "power")


@dataclass(frozen=True, eq=False, repr=False)
class RequirementProof(Brief):
    """Whether a requirement holds everywhere."""

    verdict: Literal["proved", "refuted", "undecided", "not proved"]
    slack: float | None = None
    """Proved: no state has less. Refuted: that at the pose is at most this."""
    share: float = 0.0
    """Maximum undecided share of a box of poses, or of the time of a motion."""
    pose: Array | None = None
    """(7) where it is refuted."""

    def __str__(self) -> str:
        if self.pose is not None and self.slack is not None:
            at = f"x y z {vector(self.pose[:3])} m"
            by = f"by {-self.slack:.3g} at" if np.isfinite(self.slack) else "out of reach:"
            return f"refuted {by} {at}"
        if self.slack is not None:
            size = abs(self.slack)
            scale = 10.0 ** (2 - math.floor(math.log10(size))) if 0 < size < math.inf else 1.0
            return f"proved ≥ {math.floor(self.slack * scale) / scale:.3g}"
        return f"undecided ({100 * self.share:.2g} %)" if self.share else self.verdict

    def with_other(self, other: RequirementProof) -> RequirementProof:
        """Return what is known of both together."""
        order = ("refuted", "not proved", "undecided", "proved")
        first, last = sorted((self, other), key=lambda one: order.index(one.verdict))
        share = max(self.share, other.share)
        if first.verdict != last.verdict or first.slack is None or last.slack is None:
            return replace(first, share=share)
        return first if first.slack <= last.slack else last


def proofs(
    problem: Problem, x: Array, executor: Executor = None
) -> tuple[tuple[RequirementProof, ...], list[Demand]]:
    """Prove all requirements of a design (d); and states that refute some of them."""
    found: dict[int, RequirementProof] = {}
    states, motions = list[Demand](), [d for d in problem.demands if d.seconds.any()]
    of_pose = [k for k, one in enumerate(problem.requirements) if _family(one.measure)]
    moving = [k for k in of_pose if problem.requirements[k].measure in _OF_STATES]
    apart = [g for some in ([k for k in of_pose if k not in moving], moving)
             for g in _each_family_once(problem, some)]  # fmt: skip
    for members in apart:
        group = _Group(problem, x, members, executor)
        for motion in (None, *motions):
            for k, one in group.of_motion(motion) if motion else group.of_boxes():
                found[k] = one.with_other(found[k]) if k in found else one
        states += group.refuting
    every = range(len(problem.requirements))
    return tuple(found.get(k, RequirementProof("not proved")) for k in every), states


def _family(measure: str) -> str:
    """The limits, or what else has bounds, that a measure is about; empty for others."""
    head, _, family = measure.partition(".")
    if head == LIMITS:
        return family
    return measure if measure in VALUES or measure == "condition" else ""


def _each_family_once(problem: Problem, members: Sequence[int]) -> list[tuple[int, ...]]:
    """Groups in which no two requirements are about the same family, with other bounds."""
    groups = list[dict[str, int]]()
    for k in members:
        family = _family(problem.requirements[k].measure)
        own = next((group for group in groups if family not in group), None)
        if own is None:
            groups.append(own := {})
        own[family] = k
    return [tuple(group.values()) for group in groups]


class _Group:
    """Requirements that are proved together, of a pose or of a state."""

    def __init__(
        self, problem: Problem, x: Array, members: tuple[int, ...], executor: Executor
    ) -> None:
        self.problem, self.x, self.members, self.executor = problem, x, members, executor
        self.robot = problem.space.made(x)
        self.reach = dict(zip(problem.space.names, x.tolist(), strict=True)).get(REACH, 1.0)
        self.refuting = list[Demand]()
        implicit = Implicit(self.robot).count > 0
        self.machines = Machines(self.robot) if implicit else problem.space.machines
        own = np.array(followed(problem.space.full(x), problem.space.laws))
        self.numbers = own if self.machines.parametric else np.zeros(0)

    @cached_property
    def required(self) -> Required:
        """All limits and values that the members are about."""
        asked = {_family(self.problem.requirements[k].measure): k for k in self.members}
        own = asked.pop("condition", None)
        most = None if own is None else self.problem.requirements[own].bound
        families = tuple(family for family in ENDS if family in asked)
        return Required(Limits(families, most), values=tuple(v for v in VALUES if v in asked))

    @cached_property
    def rows(self) -> dict[int, AnyArray]:
        """The rows of each member: those of its limits, and of legs that cannot close."""
        words = dict(zip(ends_of(self.robot), ENDS, strict=True)) | {
            "condition number": "condition"
        }
        of = [words.get(row.family, row.family) for row in self.required.rows(self.robot)]
        asked = {k: _family(self.problem.requirements[k].measure) for k in self.members}
        return {k: np.flatnonzero([x == name for x in of]) for k, name in asked.items()}

    def _bound(self, k: int) -> tuple[float, float]:
        """Minimum of the rows of a member, and the unit of its slack."""
        requirement = self.problem.requirements[k]
        if requirement.measure == "condition":
            return 0.0, 1.0
        sign = 1.0 if requirement.measure.startswith(LIMITS) else -1.0
        return sign * requirement.bound, float(self.problem.units[k])

    @cached_property
    def least(self) -> Array:
        """Minimum of all rows: the narrowest of those of members."""
        found = np.zeros(len(self.required.rows(self.robot)))
        found[[k for rows in self.rows.values() for k in rows]] = -np.inf
        for k, rows in self.rows.items():
            found[rows] = np.maximum(found[rows], self._bound(k)[0])
        return found

    def of_boxes(self) -> Iterator[tuple[int, RequirementProof]]:
        """Yield what is known of members, box by box, and at single states."""
        if not self._has_bounds():
            yield from self._not_proved()
            return
        middle, half = self.problem.boxes
        pose, offset, weight = self.problem.states[:3]
        alone = ~half.any(axis=1, keepdims=True)  # of lattice points all offsets are one box
        at = [middle, half, pose, offset * alone, np.reshape(weight, (-1, 1))]
        states = np.concatenate([*at, *self._loads(slice(None))], axis=1)
        _, first = np.unique(states, axis=0, return_index=True)
        in_box = half[first].any(axis=1)
        for state in np.sort(first[in_box]):
            yield from self._of_box(int(state))
        for some in np.array_split(first[~in_box], -(-(~in_box).sum() // _TOGETHER) or 1):
            if len(some):
                yield from self._of_points(some)

    def _has_bounds(self, study: Study | None = None) -> bool:
        """Whether bounds of the members over boxes, or over the time of a study, are known."""
        try:
            if study is None:
                self.required.kernel(self.machines)
            else:
                self.required.kernel(Machines(self.robot))
                MotionSearch(self.robot, self.required, study.motion, study.tasks)
        except GoughError:
            return False
        return True

    def _not_proved(self) -> Iterator[tuple[int, RequirementProof]]:
        return ((k, RequirementProof("not proved")) for k in self.members)

    def of_motion(self, demand: Demand) -> Iterator[tuple[int, RequirementProof]]:
        """Yield what is known of members at all times of a study."""
        study, required = demand.study, self.required
        if study is None or not self._has_bounds(study):
            yield from self._not_proved()
            return
        least, left = self.least.copy(), dict(self.rows)
        while left:
            search = MotionSearch(self.robot, required, study.motion, study.tasks, least)
            found = searched_motion(search, AT_MOST)
            violated = found.counter_example
            if violated is None:
                shares = np.full(len(least), found.share_undecided)
                yield from self._verdicts(found.low, shares, left)
                return
            times = np.unique([0.0, float(violated.coordinates[0]), study.motion.duration])
            states = at_times(study, demand.name, times)
            self.refuting.append(replace(states, seconds=np.zeros(len(times)), in_means=False))
            yield from self._refuted(violated.number, violated.margin, violated.pose, left, least)

    def _refuted(
        self, row: int, margin: float, pose: Array, left: dict[int, AnyArray], least: Array
    ) -> Iterator[tuple[int, RequirementProof]]:
        """Yield members that a row refutes, and leave them out of what is left."""
        own = [k for k, rows in left.items() if row in rows]
        for k in own or list(left):  # legs that cannot close: no requirement holds
            slack = margin / self._bound(k)[1] if own else -np.inf
            yield k, RequirementProof("refuted", slack, pose=pose)
            least[left.pop(k)] = -np.inf

    def _loads(self, states: AnyArray | slice) -> list[Array]:
        """Twist, acceleration and wrench of states, where they count."""
        _, _, _, *loads = (part[states] for part in self.problem.states)
        return loads[:3] if self.required.moving else []

    def _of_box(self, state: int) -> Iterator[tuple[int, RequirementProof]]:
        middle, half = (part[state] * self.reach for part in self.problem.boxes)
        loads = np.concatenate([self.numbers[:0], *self._loads(np.array(state))])
        ends = (
            np.where(half > 0, np.nextafter(middle + s * half, s * np.inf), middle)
            for s in (-1.0, 1.0)
        )
        low, high = (np.concatenate([self.numbers, x, loads]) for x in ends)
        axes = tuple((len(self.numbers) + np.flatnonzero(half > 0)).tolist())
        boxes, least = Boxes(np.stack([low, high], -1), axes), self.least.copy()
        none = np.full(len(least), np.inf)
        begun = Proof(
            self.robot, self.required, np.array(self.robot.home), boxes, {}, (), (), ("",), none
        )
        left = dict(self.rows)
        while left:
            search = ProofSearch(begun, least=least, machines=self.machines)
            found = searched(search, AT_MOST, self.executor)
            example = found.counter_example
            if example is None:
                yield from self._known(search, found, left)
                return
            step = example.coordinates[len(self.numbers) :][:6] / self.reach
            self.refuting += joining(self.problem, np.array([state]), step[None])
            number, margin = example.number, example.margin
            yield from self._refuted(number, margin, example.pose, left, least)

    def _known(
        self, search: ProofSearch, found: Proof, rows: dict[int, AnyArray]
    ) -> Iterator[tuple[int, RequirementProof]]:
        out = sum((0.5 ** len(path) for path in found.outside), 0.0)
        low, shares = found.low, np.full(len(found.low), out)
        for k in range(0, len(found.undecided), _TOGETHER):
            paths = found.undecided[k : k + _TOGETHER]
            bounds = search.bounded(found.boxes.bounds(paths))
            low = np.minimum(low, bounds.low.min(axis=0))
            holds = search.holds(bounds)
            holds &= ~holds.all(axis=-1, keepdims=True)  # perhaps another branch than that of home
            shares += 0.5 ** np.array([len(path) for path in paths]) @ ~holds
        yield from self._verdicts(low, shares, rows)

    def _verdicts(
        self, low: Array, shares: Array, rows: dict[int, AnyArray]
    ) -> Iterator[tuple[int, RequirementProof]]:
        """Yield those of members, by lower bounds of their rows, and shares that are open."""
        closes = np.setdiff1d(np.arange(len(low)), np.concatenate([*self.rows.values()]))
        for k, own in rows.items():
            bound, unit = self._bound(k)
            share = float(np.concatenate([shares[own], shares[closes]]).max(initial=0.0))
            if share:
                yield k, RequirementProof("undecided", share=min(share, 1.0))
            else:
                yield k, RequirementProof("proved", float((low[own].min() - bound) / unit))

    def _of_points(self, states: AnyArray) -> Iterator[tuple[int, RequirementProof]]:
        home = np.array(self.robot.home)
        pose, offset, weight = (part[states] for part in self.problem.states[:3])
        given = zip(pose, offset, weight.tolist(), strict=True)
        poses = np.array([platform_pose(p, s, w, home, self.reach) for p, s, w in given])
        numbers = np.tile(self.numbers, (len(states), 1))
        x = np.concatenate([numbers, np.zeros((len(states), 6)), *self._loads(states)], axis=1)
        bounding = Bounding(self.required, self.machines, poses)
        low = bounding.over(np.stack([x, x], -1), np.array([len(self.numbers)])).low
        left, least, high = dict(self.rows), self.least.copy(), bounding.at(x)[..., 1]
        while left and (high < least).any():
            k, row = np.unravel_index((high - least).argmin(), high.shape)
            yield from self._refuted(int(row), high[k, row] - least[row], poses[k], left, least)
        yield from self._verdicts(low.min(axis=0), (low < least).mean(axis=0), left)
