"""Proofs that all poses of a box respect all requirements, by branch and bound.

A box is proved if bounds of all margins over it are at least zero. Else a pose is looked for that
violates one of them, in its middle and in the corner to which its slopes lead; else the box is
bisected where that narrows the bounds of failing margins most. Every bound is rounded outward:
see `gough.compiler.front.intervals`. Constants of the equations are doubles that were rounded to
nearest (those that CasADi folds, and directions at home), and count as exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array, numeric
from gough.checks import require_integer, require_positive
from gough.display import Rows
from gough.equations.dynamics import approximation_of
from gough.errors import GoughError, inside
from gough.executors import Executor, Here, Workers, in_chunks, opened
from gough.fields.units import to_si
from gough.kinematics.proof.answer import CounterExample, ProofAnswer, region_words, state_rows
from gough.kinematics.proof.bounding import Bounding
from gough.kinematics.proof.branches import Way, branch_of_home
from gough.kinematics.proof.implicit import Enclosing, Implicit
from gough.kinematics.proof.mean_value import Bounded, centres
from gough.kinematics.proof.requirements import STEPS, Required
from gough.kinematics.workspace.box import box_halves, pose_at
from gough.kinematics.workspace.charts import centre_of
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.model.kernels import Kernels, kernels_of
from gough.model.machines import Machines, machines_with
from gough.model.structure import structure_of
from gough.progress import progress_bar, shows_progress
from gough.robot import Robot, matching

_BATCH = 2**21
"""Bounds of slopes that are computed at a time: numbers."""
_SMALLEST = 2.0**-40
"""Side of a box, over that of the whole, below which it is not bisected."""
_BALLS = {0: 1.0, 1: 1.0, 2: np.pi / 4, 3: np.pi / 6}
"""Volume of a ball over that of the box around it, by the number of positions that vary."""
_TRIED = 16
"""Boxes in which a violating state is looked for along slopes at the first corner that is tried."""
_TOGETHER = 32
"""Boxes that a worker evaluates together."""


@dataclass(frozen=True)
class Boxes:
    """Boxes by their paths of bisections from the whole: a letter for each, its axis.

    "a" is the lower half of the first coordinate that varies, "A" the upper one, and so on.
    """

    whole: Array
    """(n, 2) bounds of all coordinates."""
    axes: tuple[int, ...]
    """The coordinates that are bisected."""

    @classmethod
    def around(cls, machines: Machines, within: Mapping[str, float], halves: Array) -> Boxes:
        """Return the box of numbers of robots within tolerances, rounded outward, and of states."""
        numbers = np.zeros((0, 2))
        if within:
            half = np.array([within.get(name, 0.0) for name in machines.names])
            ends = np.stack([machines.values - half, machines.values + half], -1)
            outward = np.nextafter(ends, np.array([-np.inf, np.inf]))
            numbers = np.where(half[:, None] > 0, outward, machines.values[:, None])
        axes = tuple(int(k) for k in len(numbers) + np.flatnonzero(halves > 0))
        return cls(np.concatenate([numbers, np.stack([-halves, halves], -1)]), axes)

    def bounds(self, paths: Sequence[str]) -> Array:
        """Return bounds (paths, n, 2)."""
        found = np.repeat(self.whole[None], len(paths), axis=0)
        for box, path in zip(found, paths, strict=True):
            for letter in path:
                axis = self.axes[ord(letter.lower()) - ord("a")]
                box[axis, int(letter.islower())] = (box[axis, 0] + box[axis, 1]) / 2
        return found


@dataclass(frozen=True)
class Proof(ProofAnswer):
    """Whether requirements hold in all poses of a box, for all robots within tolerances.

    >>> import gough
    >>> strokes = gough.kinematics.Limits(families=("stroke",))
    >>> proof = gough.prove(gough.load("demo-hexapod"), [0.3, 0.3, 0.3], limits=strokes)
    >>> proof.verdict, proof.counter_example.limit.family
    ('refuted', 'stroke')
    """

    robot: Robot
    required: Required
    centre: Array
    """(7) the pose in the middle of the box."""
    boxes: Boxes
    tolerances: Mapping[str, float]
    """Half of the range of numbers of the robot [SI], by name; others are exact."""
    proved: tuple[str, ...]
    """Paths of boxes in which all requirements hold."""
    outside: tuple[str, ...]
    """Paths of boxes in which some requirement holds nowhere."""
    undecided: tuple[str, ...]
    low: Array
    """(k) lower bound of each margin over all boxes that were proved."""
    counter_example: CounterExample | None = None
    faces: tuple[tuple[str, str], ...] = ()
    """Pairs of boxes of a robot that iterates whose solutions are the same where they touch."""
    from_home: tuple[tuple[str, Way], ...] = ()
    """Boxes, one of all that hang together by faces, with points (n, x) from home to each, along
    which home's solution is continued."""
    listed = "robot verdict centre halves share_undecided tolerances measure"
    parts = "boxes", "the box"
    nearest = None

    def __post_init__(self) -> None:
        paths = [*self.proved, *self.outside, *self.undecided]
        deepest = max(map(len, paths), default=0)
        if sum(1 << (deepest - len(path)) for path in paths) != 1 << deepest:
            raise GoughError("boxes of a proof do not fill the whole; expected all of its parts")

    @cached_property
    def machines(self) -> Machines:
        """The machines whose numbers may vary."""
        return machines_with(self.robot, [*self.tolerances])

    @property
    def share_undecided(self) -> float:
        """Share of the volume of the box that is neither proved nor refuted."""
        return _share(self.undecided)

    @property
    def measure(self) -> tuple[float, float]:
        """Lower and upper bound of the volume in which all requirements hold [m, rad, ...].

        The product of the sides of what is proved, and of all that is not outside; of a ball less
        what is beyond it. For all robots within the tolerances.
        """
        total = float(np.diff(self.boxes.whole[list(self.boxes.axes)]).prod())
        moves = int(np.count_nonzero(self.halves[:3]))
        ball = 1.0 if self.required.radius is None else _BALLS[moves]
        low, high = _share(self.proved) - (1 - ball), ball - _share(self.outside)
        return max(low - 1e-12, 0.0) * total, (high + 1e-12) * total

    @property
    def halves(self) -> Array:
        """(6) half of the sides of the box: x y z [m], roll pitch yaw [rad]."""
        return np.asarray(self.boxes.whole[self._first : self._first + 6, 1])

    @property
    def _first(self) -> int:
        """Number of coordinates before those of the pose."""
        return len(self.machines.names) if self.tolerances else 0

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and the verdict."""
        word = {"proved": "proved for all poses of", "refuted": "refuted for"}
        region = region_words(self.halves, self.required.radius)
        return self.robot.name, f"{word.get(self.verdict, 'undecided for')} {region}"

    def _facts(self) -> Rows:
        facts = state_rows(self.boxes.whole[self._first + 6 :, 1], dict(self.required.balls))
        if self.tolerances:
            facts.append(("numbers with tolerances", len(self.tolerances), ""))
        return facts

    def save(self, path: str | Path) -> None:
        """Write the certificate, a JSON file that `gough.kinematics.check_proof` verifies."""
        from gough.kinematics.proof.certificate import write  # noqa: PLC0415

        write(self, path)


@shows_progress
def prove(
    robot: Robot | Kernels,
    position: Sequence[float] | float = (0.0, 0.0, 0.0),
    rotation: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    pose: ArrayLike | None = None,
    limits: Limits = ALL_LIMITS,
    twist: Sequence[float] | float | None = None,
    acceleration: Sequence[float] | float | None = None,
    wrench: Sequence[float] | float | None = None,
    tolerances: Mapping[str, float | str] | None = None,
    volume: bool = False,
    at_most: int = 100_000,
    executor: Executor = None,
    progress: bool = False,
) -> Proof:
    """Prove that all poses of a box respect all limits of the robot file, or refute it.

    The box is ± `position` [m] with ± `rotation` [rad] of roll, pitch and yaw about base axes,
    around `pose` (7), by default home. A `position` of one number is the radius of a ball, of
    robots with legs in closed form. With a `twist` (6), speeds of actuators are required to be
    within their maximum for all twists up to ± these numbers; with an `acceleration` (6) or a
    `wrench` (6), their forces (`actuator_force`) as well; rates of coordinates that follow from
    others are those that follow. Each may be one number, the maximum of its translation or force in
    every direction, without rotation or moment. `tolerances` are half
    ranges of numbers of the robot by name or pattern, such as `{"legs[*].base": "50 um"}` or 50e-6
    [SI], later ones before earlier ones: the proof is for all robots within them. With `volume` it
    goes on where limits are violated, so that `measure` bounds the volume of the workspace in the
    box from both sides. `at_most` so many boxes are evaluated; an interrupt ends the work sooner,
    with what is known. Worker processes or a cluster share the boxes with an `executor`, see
    `gough.executors`; the answer is the same.

    >>> import gough
    >>> strokes = gough.kinematics.Limits(families=("stroke",))
    >>> robot = gough.load("demo-hexapod")
    >>> gough.prove(robot, [0.05, 0.05, 0.05], limits=strokes).verdict
    'proved'
    """
    model = kernels_of(robot)
    force = acceleration is not None or wrench is not None
    own = model.own_robot("prove", of_forces=force)
    if force:
        check_forces(model)
    given: dict[str, Any] = {"twist": twist, "acceleration": acceleration, "wrench": wrench}
    moving = [_six(name, x) for name, x in given.items()]
    balls = tuple((name, float(x)) for name, x in given.items() if not np.ndim(x) and x)
    position, radius = _ball(model, position)
    required = Required(limits, twist is not None, force, balls=balls, radius=radius)
    required.check_stated(own)
    within = _within_tolerances(own, tolerances or {})
    machines = machines_with(own, [*within])
    halves = box_halves(model, position, rotation)
    centre = centre_of(own, pose)
    states = np.concatenate([halves, *(moving if required.moving else [])])
    boxes = Boxes.around(machines, within, states)
    low = np.full(len(required.rows(own)), np.inf)
    begun = Proof(own, required, centre, boxes, within, (), (), ("",), low)
    return carried_on(begun, volume=volume, at_most=at_most, executor=executor)


@shows_progress
def carried_on(
    proof: Proof,
    *,
    volume: bool = False,
    at_most: int = 100_000,
    executor: Executor = None,
    progress: bool = False,
) -> Proof:
    """Go on with the undecided boxes of a proof."""
    require_integer("at_most", at_most, least=0)
    return searched(ProofSearch(proof, volume), at_most, executor)


def check_forces(model: Kernels) -> None:
    """Refuse forces that a motion does not determine, and those of approximate legs."""
    model.function("actuator_force")
    if about := approximation_of(model.formulation):
        problem = f"{model.robot.name}: {model.formulation} approximates: {about}"
        raise GoughError(f"{problem}; a proof is of exact legs; expected gough.Model(robot)")


def searched(search: ProofSearch, at_most: int, executor: Executor) -> Proof:
    """Return the proof that a search ends with."""
    try:
        with opened(executor) as search.workers, progress_bar("proving", 1) as done:
            shown = 0.0
            for share in search.rounds(at_most):
                done(share - shown)
                shown = share
    except KeyboardInterrupt:  # what is known by now is a proof with undecided boxes
        pass
    return _on_branch_of_home(search.found())


def _on_branch_of_home(proof: Proof) -> Proof:
    """Call boxes undecided that do not continue home's solution through others."""
    others = *proof.outside, *proof.undecided
    enclosing = Enclosing(proof.machines, proof.centre)
    branch = branch_of_home(enclosing, proof.boxes, proof.proved, others)
    left = {*proof.proved} - {*branch.paths}
    undecided = *proof.undecided, *(path for path in proof.proved if path in left)
    return replace(proof, proved=branch.paths, undecided=undecided, faces=branch.faces,
                   from_home=branch.from_home)  # fmt: skip


class _Known(NamedTuple):
    """State of a search: boxes by their paths, which fill the whole together."""

    proved: tuple[str, ...]
    outside: tuple[str, ...]
    open: tuple[str, ...]
    small: tuple[str, ...]
    """Those that are undecided, and not bisected any more."""
    low: Array
    example: CounterExample | None


class ProofSearch:
    """A proof in the making. Margins are at least zero, or at least so large each."""

    def __init__(
        self,
        proof: Proof,
        volume: bool = False,
        least: Array | None = None,
        machines: Machines | None = None,
    ) -> None:
        self.proof, self.volume = proof, volume
        self.machines = machines or proof.machines
        self.workers: Workers = Here()
        low, example = proof.low, proof.counter_example
        self.known = _Known(proof.proved, proof.outside, proof.undecided, (), low, example)
        rows = proof.required.rows(proof.robot)
        self.bounding = Bounding(proof.required, self.machines, proof.centre)
        self.least = np.zeros(len(rows)) if least is None else least
        self.strict = np.array([row.kind == "side" for row in rows]) & (self.least == 0)
        whole = proof.boxes.whole
        self.varied = np.flatnonzero(whole[:, 0] < whole[:, 1])
        self.bisected = np.isin(self.varied, proof.boxes.axes)
        axes = np.array(proof.boxes.axes)
        of_pose = axes < self.bounding.first + len(STEPS)
        round_ = np.isin(axes, np.array(self.bounding.balls, dtype=int))
        self.chosen = of_pose if of_pose.any() else ~round_  # axes that are bisected

    def found(self) -> Proof:
        """Return the proof as it is known by now."""
        proved, outside, open_, small, low, example = self.known
        undecided = (*small, *open_)
        return replace(self.proof, proved=proved, outside=outside, undecided=undecided, low=low,
                       counter_example=example)  # fmt: skip

    def rounds(self, at_most: int) -> Iterator[float]:
        """Decide boxes, a batch at a time, the deepest or, for a volume, the widest first.

        Gives the share that is decided.
        """
        each = max(16, _BATCH // (len(self.varied) * len(self.strict) * 2))
        while self.known.open and at_most > 0 and (self.known.example is None or self.volume):
            count = min(each, at_most, len(self.known.open))
            if self.volume:
                widest_last = tuple(sorted(self.known.open, key=len, reverse=True))
                self.known = self.known._replace(open=widest_last)
            self.known = self._decided(count)  # at once: an interrupt leaves no box out
            at_most -= count
            yield 1 - _share(self.known.open) - _share(self.known.small)

    def _decided(self, count: int) -> _Known:
        """Return the state after the last `count` boxes that are open were evaluated."""
        known, paths = self.known, self.known.open[-count:]
        boxes = self.proof.boxes.bounds(paths)
        found = self.bounded(boxes)
        holds = self.holds(found)
        proved, never = np.asarray(holds.all(-1)), np.asarray((found.high < self.least).any(-1))
        low = np.minimum(known.low, found.low[proved].min(axis=0, initial=np.inf))
        open_ = ~(proved | never)
        small = open_ & np.asarray((self._widths(boxes)[:, self.chosen] <= _SMALLEST).all(-1))
        axis = self._axes(boxes, found, holds)
        example = self._example(boxes[~proved], found, np.flatnonzero(~proved))
        new = dict[str, None]()
        for k in np.flatnonzero(open_ & ~small):
            letter = chr(ord("a") + axis[k])
            new |= dict.fromkeys((paths[k] + letter, paths[k] + letter.upper()))

        def chosen(which: AnyArray) -> tuple[str, ...]:
            return tuple(paths[k] for k in np.flatnonzero(which))

        return _Known(
            known.proved + chosen(proved),
            known.outside + chosen(never & ~proved),
            (*known.open[:-count], *new),
            known.small + chosen(small),
            low,
            example,
        )

    def holds(self, found: Bounded) -> AnyArray:
        """Whether each margin (n, k) is large enough."""
        return np.where(self.strict, found.low > 0, found.low >= self.least)

    def bounded(self, boxes: Array) -> Bounded:
        """Bounds of all margins over boxes, by all workers."""
        if self.workers.here:
            return self.bounding.over(boxes, self.varied)
        bundles = [boxes[k : k + _TOGETHER] for k in range(0, len(boxes), _TOGETHER)]
        proof = self.proof
        job = partial(_bounded, proof.required, self.machines, proof.centre, self.varied)
        found: dict[int, list[Bounded]] = {}
        for chunk in in_chunks(job, bundles, executor=self.workers):
            found[chunk.items.start] = chunk.result
        pieces = [piece for first in sorted(found) for piece in found[first]]
        return Bounded(*map(np.concatenate, zip(*pieces, strict=True)))

    def _widths(self, boxes: Array) -> Array:
        own = list(self.proof.boxes.axes)
        return np.asarray(np.diff(boxes[:, own]) / np.diff(self.proof.boxes.whole[own]))[..., 0]

    def _axes(self, boxes: Array, found: Bounded, holds: AnyArray) -> AnyArray:
        """The axis of each box whose bisection narrows bounds of failing margins most.

        One of the pose, if it varies: margins are almost linear in all else, and stay so. The width
        of a slope comes from all sides of a box, of the last axis most: so wide sides count, too.
        """
        width = np.diff(boxes[:, self.varied])[..., 0]
        with np.errstate(invalid="ignore", over="ignore"):
            wide = np.diff(found.slopes)[..., 0] * ~holds[:, None]  # (n, v, k)
            score = np.sqrt(wide.max(-1) * width)[:, self.bisected] * self._widths(boxes)
        unknown = ~np.isfinite(score).all(-1)
        score[unknown] = self._widths(boxes)[unknown]
        return np.asarray(np.where(self.chosen, score, -1.0).argmax(-1))

    def _corners(self, boxes: Array, slopes: Array) -> Array:
        """Points (n, x) of boxes, and of balls in them, to which slopes (n, v) descend."""
        points, ends = boxes.mean(-1), boxes[:, self.varied]
        points[:, self.varied] = np.where(slopes > 0, ends[..., 0], ends[..., 1])
        for ball in self.bounding.balls:
            against = -slopes[:, np.searchsorted(self.varied, ball)]
            against = np.where(against.any(-1, keepdims=True), against, 1.0)
            size = np.linalg.norm(against, axis=-1, keepdims=True) * (1 + 1e-12)
            points[:, ball] = boxes[:, ball, 1] * against / size
        if self.bounding.radius is not None:
            steps = points[:, self.bounding.first :][:, :3]
            distance = np.linalg.norm(steps, axis=-1, keepdims=True)
            steps *= np.fmin(1.0, self.bounding.radius * (1 - 1e-9) / np.fmax(distance, 1e-300))
        return np.asarray(points)

    def _example(self, boxes: Array, found: Bounded, rows: AnyArray) -> CounterExample | None:
        """Look for a state that violates a requirement, in boxes that are not proved."""
        if not len(boxes) or self.known.example is not None:
            return self.known.example
        asked = self.least > -np.inf
        worst = np.where(asked, found.low[rows] - np.where(asked, self.least, 0), np.inf).argmin(-1)
        slopes = found.slopes[rows, :, worst].mean(-1)  # (n, v)
        some, tried = found.low[rows, worst].argsort()[:_TRIED], [centres(boxes)]
        tried.append(self._corners(boxes, slopes))
        corner = tried[-1][some]
        for _ in range(2):  # and where slopes there lead
            there = self.bounding.slopes_at(corner, self.varied)
            corner = self._corners(boxes[some], there[np.arange(len(some)), :, worst[some]])
            tried.append(corner)
        points = np.concatenate(tried)
        high = self.bounding.at(points)[..., 1] - self.least
        if not (high < 0).any():
            return None
        k, number = np.unravel_index(high.argmin(), high.shape)
        point = points[k]
        limit = self.proof.required.rows(self.proof.robot)[number]
        pose = pose_at(self.proof.centre, point[self.bounding.first :][:6])
        return CounterExample(limit, point, pose, float(high[k, number]), int(number))


def _bounded(
    required: Required, machines: Machines, centre: Array, varied: AnyArray, bundles: list[Array]
) -> list[Bounded]:
    bounding = Bounding(required, machines, centre)
    return [bounding.over(boxes, varied) for boxes in bundles]


def _share(paths: Sequence[str]) -> float:
    return float(sum(0.5 ** len(path) for path in paths))


def _six(name: str, half: object) -> Array:
    """Half of the range of a twist, an acceleration or a wrench."""
    numbers = np.zeros(6) if half is None else np.asarray(numeric(half), dtype=float)
    if numbers.shape not in ((), (6,)) or not ((numbers >= 0) & (numbers < np.inf)).all():
        expected = "one or six finite numbers, 0 or more"
        raise GoughError(f"{name} is {half!r:.80}; expected {expected}")
    return numbers if numbers.shape else np.repeat([float(numbers), 0.0], 3)


def _ball(
    model: Kernels, position: Sequence[float] | float
) -> tuple[Sequence[float], float | None]:
    """Half sides of the box around positions, and the radius of a ball if it is one number."""
    if np.ndim(position):
        return cast("Sequence[float]", position), None
    radius = require_positive("position", position, "three numbers, or the radius of a ball")
    if Implicit(model.robot).count:
        raise GoughError(f"{model.robot.name}: balls are proved of robots with legs in closed form "
                         "only; expected a position of three numbers")  # fmt: skip
    return ball_halves(model.robot, radius), radius


def ball_halves(robot: Robot, radius: float) -> list[float]:
    """Half sides of the box around a ball, or a disc, of positions that a robot can take."""
    free = structure_of(robot).degrees_of_freedom
    return [radius * (axis in free) for axis in "xyz"]


def _within_tolerances(robot: Robot, given: Mapping[str, float | str]) -> dict[str, float]:
    """Half of the range of each number of a robot [SI], by name."""
    found: dict[str, float] = {}
    if not given:
        return found
    if not isinstance(given, Mapping):
        expected = "half ranges by name, such as {'legs[*].base': '50 um'}"
        raise GoughError(f"tolerances is {given!r:.40}; expected {expected}")
    machines = machines_with(robot, [*map(str, given)])
    stated = np.array(machines.names)[np.isfinite(machines.values)].tolist()  # such as a maximum
    for pattern, half in given.items():
        for name in matching(stated, [pattern]):
            with inside(f"tolerance of {name}"):
                size = to_si(half, machines.dimension(name)) if isinstance(half, str) else half
            found[name] = require_positive(f"tolerance of {name}", size)
    return found


@dataclass(frozen=True)
class MaximumBox:
    """The maximum box, or ball, of a shape that was proved, and the minimum one that was not."""

    proof: Proof
    scale: float
    """Factor of the given sides for which it is proved; 0 without any."""
    not_proved: float
    """Factor of the minimum box that was refuted or undecided; infinite without any."""


def maximum_box(
    robot: Robot | Kernels,
    position: Sequence[float] | float = (0.0, 0.0, 0.0),
    rotation: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    tolerance: float = 0.01,
    **options: Any,
) -> MaximumBox:
    """Find the maximum factor of a box, or ball, for which it is proved, to a relative `tolerance`.

    Options are those of `prove`. Factors up to 1 are tried: give a box that is too large.
    """
    if not 0 < tolerance < 1:
        raise GoughError(f"tolerance is {tolerance!r}; expected a number between 0 and 1")

    def tried(scale: float) -> Proof:
        sides = (np.multiply(scale, half).tolist() for half in (position, rotation))
        return prove(robot, *sides, **options)

    found = MaximumBox(prove(robot, position, rotation, **options), 1.0, np.inf)
    if found.proof.verdict == "proved":
        return found
    low, high, best = 0.0, 1.0, found.proof
    while high - low > tolerance * high and high > tolerance**2:
        middle = (low + high) / 2
        proof = tried(middle)
        if proof.verdict == "proved":
            low, best = middle, proof
        else:
            high = middle
    return MaximumBox(best, low, high)
