"""Motions and their loads over intervals of time: bounds of all that a robot feels of them.

A motion is an expression of time between each two of its corners (`Motion.law`). Twist,
acceleration and jerk are its derivatives, and bounds of all of them those of interval arithmetic,
rounded outward. Pieces whose expressions differ in their constants only are evaluated together.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
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
        self._next = NEXT * motion.duration  # corners are known to the rounding of the time
        self.ends: Array = ends[np.diff(ends, append=np.inf) > 4 * self._next]
        """Times [s] between which the motion and each load have one form."""
        self.ends[0] = 0.0  # also where a corner is next to it
        alike = dict[Any, tuple[ExpressionBounds, list[Array]]]()
        self._form, self._place = list[int](), list[int]()
        for at in (self.ends[1:] + self.ends[:-1]) / 2:
            bounds = _bounds(motion, tasks, float(at))
            form = tuple((o, tuple(s), tuple(t)) for o, s, t, _ in bounds.steps)
            _, constants = alike.setdefault(form, (bounds, []))
            self._form.append(list(alike).index(form))
            self._place.append(len(constants))
            constants.append(np.array([number for *_, number in bounds.steps]))
        self._alike = [(bounds, np.array(constants)) for bounds, constants in alike.values()]

    def __call__(self, pieces: AnyArray, intervals: Array) -> MotionBounds:
        """Bound all over intervals (n, 2) [s], each within one of the pieces between `ends`."""
        found = np.full((len(pieces), 37, 2), np.nan)
        form, place = (np.array(one)[pieces] for one in (self._form, self._place))
        for k, (bounds, constants) in enumerate(self._alike):
            if not (mine := form == k).any():
                continue
            t, own = intervals[mine].T, self.ends[pieces[mine] + np.array([[0], [1]])]
            if any(operation == ca.OP_IF_ELSE_ZERO for operation, *_ in bounds.steps):
                # the sides of a condition are known next to a corner, and not at it
                t = np.clip(t, own[0] + self._next, own[1] - self._next)
            found[mine] = np.stack(bounds(t, np.empty(0), constants[place[mine]]), axis=-1)
        return MotionBounds(*np.split(found, range(7, 37, 6), axis=1))


def _bounds(motion: Motion, tasks: Sequence[Task], at: float) -> ExpressionBounds:
    """Bounds of the piece of a motion and of its loads at a time."""
    t = ca.SX.sym("t")
    pose = ca.SX(motion.law(t, at))
    pose_1 = ca.jacobian(pose, t)
    twist, acceleration = twist_and_acceleration(pose, pose_1, ca.jacobian(pose_1, t))
    wrench = sum((task.law(t, at, pose) for task in tasks), ca.SX.zeros(6))
    rates = (ca.jacobian(x, t) for x in (acceleration, wrench))
    column = ca.vertcat(pose, twist, acceleration, wrench, *rates)
    return ExpressionBounds((t, ca.SX.sym("numbers", 0)), column, RATES)
