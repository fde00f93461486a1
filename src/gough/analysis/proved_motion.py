"""Proofs that a motion respects all limits at every time, also between samples.

Over an interval of time the pose is a step from that in its middle, whose bounds follow from those
of the twist, and so are twist, acceleration and wrench: see `gough.motion.motions.over_time`.
Margins over the interval are bounded as over a box, and by their rates of change; intervals in
which these bounds do not decide are bisected.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gough.analysis.freedoms import possible_motion
from gough.analysis.limits import limits_of
from gough.arrays import AnyArray, Array
from gough.checks import require_instance, require_integer
from gough.display import Rows
from gough.errors import GoughError
from gough.kinematics.freedoms import nearest_pose
from gough.kinematics.proof.answer import CounterExample, ProofAnswer
from gough.kinematics.proof.bounding import Bounding, Curves
from gough.kinematics.proof.branches import continues_home
from gough.kinematics.proof.implicit import Implicit
from gough.kinematics.proof.prove import check_forces
from gough.kinematics.proof.requirements import Required
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.kinematics.workspace.stated_limits import FAMILIES, ends_of, known_limits
from gough.model.kernels import Kernels, kernels_of
from gough.model.machines import Machines
from gough.motion import Motion, MotionError, Task, carrying
from gough.motion.motions.over_time import MotionBounds, OverTime
from gough.motion.tasks.task import checked_tasks
from gough.progress import progress_bar, shows_progress
from gough.robot import Robot

_FIRST = 64
"""Intervals into which a motion is divided first, at least."""
_AT_ONCE = 512
_SMALLEST = 2.0**-40
"""Share of the duration below which an interval is not bisected."""
_WIDEST = 0.5
"""Angle of a step [rad] up to which its rates are known, within 1.25 |ω| times the angle."""


@dataclass(frozen=True)
class MotionProof(ProofAnswer):
    """Whether a motion respects requirements at every time: all that are stated, but `left_out`.

    >>> import gough
    >>> from gough.motion import Quintic, line
    >>> robot = gough.load("demo-hexapod")
    >>> strokes = gough.kinematics.Limits(families=("stroke",))
    >>> motion = line(robot.home, [0.1, 0, 0], Quintic(1.0))
    >>> gough.prove_motion(robot, motion, limits=strokes).verdict
    'proved'
    """

    robot: Robot
    motion: Motion
    tasks: tuple[Task, ...]
    required: Required
    proved: Array
    """(n, 2) intervals of time [s] in which all requirements hold."""
    undecided: Array
    """(n, 2) intervals that are neither proved nor refuted."""
    low: Array
    """(k) lower bound of each margin over all that is proved."""
    nearest: Array
    """(k) time [s] near which each margin has its lower bound."""
    bisections: tuple[Mapping[str, str], ...]
    """Signs of intervals by paths of bisections, piece by piece of the motion: "+" is proved."""
    counter_example: CounterExample | None = None
    piece: int = 0
    """Number of the piece of the motion with the counter-example."""
    listed = "robot duration verdict share_undecided undecided left_out"
    parts = "intervals", "time"
    outside = ()

    @property
    def duration(self) -> float:
        """Duration of the motion [s]."""
        return self.motion.duration

    @property
    def share_undecided(self) -> float:
        """Share of the duration that is neither proved nor refuted."""
        return float(np.diff(self.undecided).sum() / self.motion.duration)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Limits that the robot file states, and that are not proved."""
        return limits_left_out(self.robot, self.required)

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and the verdict."""
        times = "for all times of" if self.verdict == "proved" else "for"
        return self.robot.name, f"{self.verdict} {times} a motion of {self.motion.duration:g} s"

    def _facts(self) -> Rows:
        facts: Rows = []
        if (found := self.counter_example) is not None:
            facts.append(("at time", float(found.coordinates[0]), "s"))
        elif len(self.undecided):
            facts.append(("first undecided time", float(self.undecided.min()), "s"))
        if self.left_out:
            facts.append(("stated, but left out", ", ".join(self.left_out), ""))
        return facts

    def save(self, path: str | Path) -> None:
        """Write the certificate, a JSON file that `gough.analysis.check_motion_proof` verifies."""
        from gough.analysis.motion_certificate import write  # noqa: PLC0415

        write(self, path)


def limits_left_out(robot: Robot, required: Required) -> tuple[str, ...]:
    """Return the names of limits that a robot file states, and that are not proved."""
    words = dict(zip(FAMILIES, ends_of(robot), strict=False))
    asked = {"travel": True, "max_speed": required.speed, "max_force": required.force}
    families = {*known_limits(robot, FAMILIES)}.difference(required.limits.families)
    found = [words[family] for family in FAMILIES if family in families]
    found += [limit.name for limit in limits_of(robot) if limit.holder in ("actuator", "drive")
              and not asked.get(limit.field) and limit.stated(robot).any()]  # fmt: skip
    return tuple(dict.fromkeys(found))


@shows_progress
def prove_motion(
    robot: Robot | Kernels,
    motion: Motion,
    tasks: Sequence[Task] = (),
    *,
    limits: Limits = ALL_LIMITS,
    at_most: int = 100_000,
    progress: bool = False,
) -> MotionProof:
    """Prove that a motion respects limits at every time, or find a time at which it does not.

    The limits are those of `gough.prove`, along the motion; maximum speeds of actuators, and
    maximum forces under its accelerations and `tasks` (payloads, and loads that time determines),
    where they are stated. Others that the robot file states, such as a maximum power, are not
    proved: `left_out` of the proof has their names. `at_most` so many intervals of time are
    evaluated; an interrupt ends the work sooner, with what is known.

    Refused for robots and motions that have no bounds (GoughError).

    >>> import gough
    >>> from gough.motion import Quintic, line
    >>> robot = gough.load("demo-hexapod")
    >>> found = gough.prove_motion(robot, line(robot.home, [0.4, 0, 0], Quintic(1.0)))
    >>> found.verdict, found.counter_example.limit.family
    ('refuted', 'stroke')
    """
    require_integer("at_most", at_most, least=0)
    model = kernels_of(robot)
    own = model.own_robot("prove_motion", of_forces=True)
    check_provable(own, motion)
    stated = {key: any(getattr(a, key) is not None for a in own.actuators)
              for key in ("max_speed", "max_force")}  # fmt: skip
    required = Required(limits, speed=stated["max_speed"], force=stated["max_force"])
    if required.force:
        check_forces(model)
    return searched_motion(MotionSearch(own, required, motion, tasks), at_most)


def check_provable(robot: Robot, motion: Motion) -> None:
    """Refuse a motion that the robot cannot do, and robots whose motions have no bounds."""
    require_instance("motion", motion, Motion)
    possible_motion(robot, motion, np.linspace(0, motion.duration, 101))
    if not nearest_pose.has_constant_basis(robot):
        raise GoughError(
            f"{robot.name}: coordinates of the platform that the motion leaves open have no bounds "
            "over time; expected a robot whose degrees of freedom do not depend on its pose"
        )


def searched_motion(search: MotionSearch, at_most: int) -> MotionProof:
    """Return the proof that a search ends with."""
    try:
        with progress_bar("proving", 1) as done:
            shown = 0.0
            while len(search.open) and at_most > 0 and search.violated is None:
                at_most -= search.decide(min(_AT_ONCE, at_most))
                share = 1 - search.share_open()
                done(share - shown)
                shown = share
    except KeyboardInterrupt:  # what is known by now is a proof with undecided intervals
        pass
    return search.found()


class _Intervals(NamedTuple):
    """Intervals by the pieces of the motion that they are in, and by numbers of bisections.

    1 is all of a piece, 2 n and 2 n + 1 are the halves of n.
    """

    pieces: AnyArray
    nodes: AnyArray

    def __len__(self) -> int:
        return len(self.pieces)

    def some(self, which: AnyArray | slice) -> _Intervals:
        return _Intervals(self.pieces[which], self.nodes[which])

    def times(self, over_time: OverTime) -> Array:
        """Their ends (n, 2) [s]: halves have the same one between them."""
        a, b = over_time.pieces[self.pieces].T[..., None]
        parts = 2.0 ** (np.frexp(self.nodes)[1] - 1)[:, None]
        k = self.nodes[:, None] - parts + np.array([0.0, 1.0])
        return np.asarray(np.where(k == parts, b, a + (b - a) * (k / parts)))


class MotionSearch:
    """A proof in the making. Margins are at least zero, or at least so large each."""

    def __init__(
        self,
        robot: Robot,
        required: Required,
        motion: Motion,
        tasks: Sequence[Task],
        least: Array | None = None,
    ) -> None:
        self.robot, self.required, self.motion = robot, required, motion
        self.tasks = tasks = checked_tasks(tasks)
        self.over_time = OverTime(motion, tasks if required.efforts else ())
        ends = self.over_time.pieces
        self.loaded, numbers = list[Robot](), list[int]()
        for t in ends.mean(-1):
            one = carrying(robot, tasks, float(t)) if required.efforts else robot
            self.loaded += [] if one in self.loaded else [one]
            numbers.append(self.loaded.index(one))
        self.robots = np.array(numbers)
        shares = np.diff(ends)[:, 0] / motion.duration
        first = [1 << int(np.ceil(np.log2(max(_FIRST * share, 1)))) for share in shares]
        pieces = np.repeat(np.arange(len(ends)), first)
        self.open = _Intervals(pieces, np.concatenate([np.arange(n, 2 * n) for n in first]))
        self.small, self.proved = list[_Intervals](), list[_Intervals]()
        # in every pose
        self.impossible = nearest_pose.twist_violation(robot, robot.home, np.eye(6))
        length = self.impossible.length
        most = nearest_pose.TOLERANCE * length / np.repeat([1.0, length], 3)
        self.within_one: Array = self.impossible.parts.T / most[:, None]
        """(6, 6) matrix whose products with possible twists are within ± 1."""
        self.rows = required.rows(robot)
        self.least = np.zeros(len(self.rows)) if least is None else least
        sides = np.array([row.kind == "side" for row in self.rows], bool)
        self.strict = sides & (self.least == 0)
        self.low = np.full(len(self.rows), np.inf)
        self.nearest = np.zeros(len(self.rows))
        self.violated: CounterExample | None = None
        self.piece = 0

    def fingerprint(self) -> str:
        """Return a hash of the motion, its loads, and robots with payloads."""
        robots = [Machines(robot).fingerprint for robot in self.loaded]
        own = [self.over_time.fingerprint(), robots, self.robots.tolist()]
        return sha256(json.dumps(own).encode()).hexdigest()

    def share_open(self) -> float:
        """Return the share of the duration that is not decided."""
        return float(np.diff(self.open.times(self.over_time)).sum() / self.motion.duration)

    def found(self) -> MotionProof:
        """Return the proof as it is known by now."""
        paths = [dict[str, str]() for _ in self.over_time.pieces]

        def joined(*parts: _Intervals) -> _Intervals:
            none = self.open.some(slice(0))
            return _Intervals(*map(np.concatenate, zip(none, *parts, strict=True)))

        def listed(sign: str, *parts: _Intervals) -> Array:
            some = joined(*parts)
            for piece, node in zip(some.pieces.tolist(), some.nodes.tolist(), strict=True):
                paths[piece][f"{node:b}"[1:].replace("0", "a").replace("1", "A")] = sign
            times = some.times(self.over_time)
            return times[np.argsort(times[:, 0])]

        held, other = self._on_branch(joined(*self.proved))
        proved, undecided = listed("+", held), listed("?", other, *self.small, self.open)
        given = self.robot, self.motion, self.tasks, self.required, proved, undecided
        known = self.low, self.nearest, tuple(paths), self.violated, self.piece
        return MotionProof(*given, *known)

    def _on_branch(self, proved: _Intervals) -> tuple[_Intervals, _Intervals]:
        """Divide intervals into those that continue the solution of home, and others."""
        if not Implicit(self.robot).count or not len(proved):
            return proved, proved.some(slice(0))
        proved = proved.some(np.argsort(proved.times(self.over_time)[:, 0]))
        times = proved.times(self.over_time)
        at, over, half = self._over(proved.pieces, times)
        boxes = _coordinates(at, over, half)[1][:, :6]
        starts = self.over_time(proved.pieces, times[:, [0, 0]]).pose
        after = np.append(False, times[1:, 0] <= times[:-1, 1])
        held = continues_home(Machines(self.robot), at.pose.mean(-1), boxes, starts, after)
        return proved.some(held), proved.some(~held)

    def decide(self, count: int) -> int:
        """Evaluate some intervals of one robot, the last ones first; gives how many."""
        robots = self.robots[self.open.pieces]
        mine = np.flatnonzero(robots == robots[-1])[-count:]
        now = self.open.some(mine)
        times = now.times(self.over_time)
        bounds, at = self._bounded(self.loaded[int(robots[-1])], now.pieces, times)
        holds = np.asarray(np.where(self.strict, bounds > 0, bounds >= self.least).all(-1))
        violated = self._violated(now, times, at)
        small = ~holds & (np.diff(times)[:, 0] <= _SMALLEST * self.motion.duration)
        low = np.where(holds[:, None], bounds, np.inf)
        middle = times.mean(-1)
        self.nearest = np.where(low.min(0) < self.low, middle[low.argmin(0)], self.nearest)
        self.low = np.minimum(self.low, low.min(0))
        halves = now.some(~holds & ~small)
        left = self.open.some(np.setdiff1d(np.arange(len(self.open)), mine))
        nodes = np.stack([2 * halves.nodes, 2 * halves.nodes + 1], -1).ravel()
        self.proved.append(now.some(holds))  # before they are left out: see KeyboardInterrupt
        self.small.append(now.some(small))
        pieces = np.concatenate([left.pieces, np.repeat(halves.pieces, 2)])
        self.open, self.violated = _Intervals(pieces, np.concatenate([left.nodes, nodes])), violated
        return len(mine)

    def _violated(self, now: _Intervals, times: Array, at: Array) -> CounterExample | None:
        """The worst violation in the middles of intervals, by upper bounds of margins there."""
        at = at - self.least
        if not (at < 0).any():
            return None
        k, number = np.unravel_index(at.argmin(), at.shape)
        time, self.piece = times[k].mean(), int(now.pieces[k])
        pose, margin = self.motion(time).pose, float(at[k, number])
        return CounterExample(self.rows[number], time[None], pose, margin, int(number))

    def _possible(self, twist: Array) -> tuple[AnyArray, AnyArray]:
        """Whether twists within bounds (n, 6, 2) are all possible, and whether none of them is."""
        with np.errstate(invalid="ignore"):
            ends = self.within_one[..., None] * twist[:, None]
        low, high = ends.min(-1).sum(-1), ends.max(-1).sum(-1)
        return ((low >= -1) & (high <= 1)).all(-1), ((low > 1) | (high < -1)).any(-1)

    def _over(self, pieces: AnyArray, times: Array) -> tuple[MotionBounds, MotionBounds, Array]:
        """Bounds of the motion in the middles of intervals and over them; half of each [s]."""
        middle = times.mean(-1)
        half = np.maximum(times[:, 1] - middle, middle - times[:, 0]) * (1 + 1e-12) + 1e-300
        at = self.over_time(pieces, np.stack([middle, middle], -1))
        return at, self.over_time(pieces, times), half

    def _bounded(self, robot: Robot, pieces: AnyArray, times: Array) -> tuple[Array, Array]:
        """Lower bounds of all margins over intervals, and upper ones in their middles."""
        at, over, half = self._over(pieces, times)
        known, never = self._possible(over.twist)[0], self._possible(at.twist)[1]
        if never.any():
            parts = at.twist[never][:1].mean(-1) @ self.impossible.parts
            worst = replace(self.impossible, parts=parts).worst
            words, t = nearest_pose.what_it_cannot(self.robot, worst), times[never][0].mean()
            problem = f"at t = {t:.6g} s the motion asks for a speed of {words}"
            raise MotionError(problem, key="motion", expected="one within its degrees of freedom")
        for field in (*at, *over):
            known &= np.isfinite(field).all((1, 2))
        with np.errstate(invalid="ignore", over="ignore"):
            points, boxes, rates = _coordinates(at, over, half)
            known &= (np.abs(boxes[:, 3:6]) <= _WIDEST).all((1, 2))
        if not self.required.moving:
            points, boxes, rates = points[:, :6], boxes[:, :6], rates[:, :6]
        if not known.any():
            shape = len(times), len(self.rows)
            return np.full(shape, -np.inf), np.full(shape, np.inf)
        places = np.where(known[:, None], at.pose.mean(-1), self.robot.home)
        each = points, boxes, rates
        points, boxes, rates = (np.where(known[:, None, None], x, 0.0) for x in each)
        bounding = Bounding(self.required, Machines(robot), places)
        varied = np.flatnonzero((boxes[..., 0] < boxes[..., 1]).any(0))
        found, high = bounding.along(boxes, varied, Curves(points, rates, half))
        low = np.where(known[:, None], found.low, -np.inf)
        return low, np.where(known[:, None], high, np.inf)


def _coordinates(at: MotionBounds, over: MotionBounds, half: Array) -> tuple[Array, Array, Array]:
    """Bounds of coordinates of the requirements: in the middle of time, over it, of their rates.

    Angles are those of a step from the pose in the middle, rounded: up to half a radian their rates
    are ω within 1.25 |ω| times the angle, and at most 1.55 |ω|.
    """
    sides = np.array([-1.0, 1.0])
    place = np.abs(at.pose - at.pose.mean(-1, keepdims=True)).max((1, 2)) * 8 + 1e-15
    omega = over.twist[:, 3:]
    speed = np.sqrt((np.abs(omega).max(-1) ** 2).sum(-1)) * (1 + 1e-12)
    angle = 1.55 * speed * half + place
    fastest = np.stack([*np.abs(over.twist[:, :3]).max(-1).T, *[1.55 * speed] * 3], -1)
    steps = fastest * half[:, None]
    turning = omega + (1.25 * speed * angle)[:, None, None] * sides
    point = (place[:, None] * np.ones(6))[..., None] * sides
    states = zip(at[1:4], over[1:4], (over.acceleration, over.jerk, over.wrench_rate), strict=True)
    points, boxes = [point], [(steps + place[:, None])[..., None] * sides]
    rates = [np.concatenate([over.twist[:, :3], turning], axis=1)]
    for thin, wide, rate in states:
        away = (np.abs(rate).max(-1) * half[:, None] * (1 + 1e-12))[..., None] * sides
        near = thin + away
        low, high = np.maximum(near[..., 0], wide[..., 0]), np.minimum(near[..., 1], wide[..., 1])
        low, high = np.minimum(low, thin[..., 0]), np.maximum(high, thin[..., 1])
        points.append(thin)
        boxes.append(np.stack([low, high], -1))
        rates.append(rate)
    return (np.concatenate(points, 1), np.concatenate(boxes, 1), np.concatenate(rates, 1))
