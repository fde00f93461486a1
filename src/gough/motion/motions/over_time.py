"""Motions and their loads over intervals of time: bounds of all that a robot feels of them.

A motion is an expression of time between each two of its corners (`Motion.law`). Twist,
acceleration and jerk are its derivatives, and bounds of all of them those of interval arithmetic,
rounded outward. Pieces whose expressions differ in their constants only are evaluated together.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import twist_and_acceleration
from gough.motion.motions.continuity import NEXT
from gough.motion.motions.intervals import RATES, ExpressionBounds
from gough.motion.samples import Motion
from gough.motion.tasks.task import Task


class MotionBounds(NamedTuple):
    """Bounds (n, size, 2) over n intervals of time; not finite where nothing is known."""

    pose: Array
    twist: Array
    acceleration: Array
    wrench: Array
    jerk: Array
    wrench_rate: Array


class OverTime:
    """A motion with the wrenches of tasks, as bounds over intervals of time."""

    def __init__(self, motion: Motion, tasks: Sequence[Task] = ()) -> None:
        inside = [*motion.breaks, *motion.corners, *(t for task in tasks for t in task.corners)]
        within = [float(t) for t in inside if 0 < t < motion.duration]
        ends = np.unique([0.0, *within, motion.duration])
        rounding = NEXT * motion.duration  # corners are known to the rounding of the time
        ends = ends[np.diff(ends, append=np.inf) > 4 * rounding]
        ends[0] = 0.0  # also where a corner is next to it
        corners = {t for task in tasks for t in (*task.corners, *task.jumps, *task.active)}
        jumps = {t for task in tasks for t in (*task.jumps, *task.active)} | corners - {*ends}
        for a, b in pairwise(sorted(corners | {*ends.tolist()})):
            if b - a <= 4 * rounding:  # between them other loads may act than in all pieces
                jumps |= {a, (a + b) / 2, b}
        instants = [(t, t) for t in jumps if 0 <= t <= motion.duration]
        self.pieces: Array = np.array(sorted([*pairwise(ends.tolist()), *instants]))
        """(n, 2) times [s] between which the motion and each load have one form.

        And instants at which loads begin or end: both act there, and some no longer than rounding.
        """
        self.laws = [motion_law(motion, tasks, float(at)) for at in self.pieces.mean(-1)]
        """Time, and a column of expressions, of each piece: those of `MotionBounds`."""
        alike = dict[Any, tuple[ExpressionBounds, list[Array]]]()
        self._form, self._place = list[int](), list[int]()
        for k, (t, column) in enumerate(self.laws):
            bounds = ExpressionBounds((t, ca.SX.sym("numbers", 0)), column, RATES)
            conditions = any(operation == ca.OP_IF_ELSE_ZERO for operation, *_ in bounds.steps)
            if conditions and self.pieces[k, 0] < self.pieces[k, 1]:
                # the sides of a condition are known next to a corner, and not at it
                self.pieces[k] += np.array([rounding, -rounding])
            form = tuple((o, tuple(s), tuple(t)) for o, s, t, _ in bounds.steps)
            _, constants = alike.setdefault(form, (bounds, []))
            self._form.append(list(alike).index(form))
            self._place.append(len(constants))
            constants.append(np.array([number for *_, number in bounds.steps]))
        self._alike = [(bounds, np.array(constants)) for bounds, constants in alike.values()]

    def __call__(self, pieces: AnyArray, intervals: Array) -> MotionBounds:
        """Bound all over intervals (n, 2) [s], each within one of the pieces."""
        found = np.full((len(pieces), 37, 2), np.nan)
        form, place = (np.array(one)[pieces] for one in (self._form, self._place))
        for k, (bounds, constants) in enumerate(self._alike):
            if (mine := form == k).any():
                own = bounds(intervals[mine].T, np.empty(0), constants[place[mine]])
                found[mine] = np.stack(own, axis=-1)
        return MotionBounds(*np.split(found, range(7, 37, 6), axis=1))

    def fingerprint(self) -> str:
        """Return a hash of all pieces and their expressions."""
        forms = [[step[:3] for step in bounds.steps] for bounds, _ in self._alike]
        numbers = [constants.tolist() for _, constants in self._alike]
        known = [self.pieces.tolist(), self._form, self._place, forms, numbers]
        return sha256(json.dumps(known).encode()).hexdigest()


def motion_law(motion: Motion, tasks: Sequence[Task], at: float) -> tuple[Value, Value]:
    """Return the time, and a motion with its loads as expressions of it: their form around `at`."""
    t = ca.SX.sym("t")
    pose = ca.SX(motion.law(t, at))
    pose_1 = ca.jacobian(pose, t)
    twist, acceleration = twist_and_acceleration(pose, pose_1, ca.jacobian(pose_1, t))
    wrench = sum((task.law(t, at, pose) for task in tasks), ca.SX.zeros(6))
    rates = (ca.jacobian(x, t) for x in (acceleration, wrench))
    return t, ca.vertcat(pose, twist, acceleration, wrench, *rates)
