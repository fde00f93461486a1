"""Whether a motion is one that a machine can do, and what it must do besides.

A machine may have fewer freedoms than six. Where its moves are the same everywhere, as a Delta's,
the rest stands still. Where they change with the pose the rest follows: a tripod that tilts moves
sideways and turns a little, and a motion says its height and its tilt only. Or it says some poses
whole, as waypoints do: between them the rest follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.kinematics import OffFreedoms, off_freedoms, twists_off_freedoms
from gough.kinematics.freedoms.following import completing
from gough.model.mechanism.reading import analysed
from gough.model.structure import structure_of
from gough.motion import Motion, MotionError, MotionSamples
from gough.motion.samples import Derived
from gough.poses import euler
from gough.robot import Mechanism, Robot
from gough.robot.mechanism import MOVES
from gough.shown.brief import brief

TOLERANCE = 1e-9
"""What counts as standing still, of the machine's size: more than rounding, less than a motion."""


@dataclass(frozen=True, eq=False)
class Completed(Derived):
    """A motion of a machine's moves, with what the machine must do besides."""

    robot: Robot
    given: Motion

    __repr__ = brief

    def _at(self, t: Array) -> MotionSamples:
        return MotionSamples(*completing(self.robot)(*self.given(t)))


def possible_motion(robot: Robot, motion: Motion, time: Array) -> Motion:
    """The motion, or what it becomes where the machine must do more than it says.

    A motion that asks for what the machine cannot do is a MotionError with time and component.
    """
    if len(structure_of(robot).freedoms) == len(MOVES):
        return motion
    samples = motion(time)
    if _leaves_the_rest_open(robot, motion, samples):
        motion = Completed(robot, motion)
        samples = motion(time)
    _refuse(robot, time, off_freedoms(robot, samples.pose), "")
    _refuse(robot, time, twists_off_freedoms(robot, samples.pose, samples.twist), "a speed of ")
    return motion


def _leaves_the_rest_open(robot: Robot, motion: Motion, samples: MotionSamples) -> bool:
    """Whether a machine whose moves change has to find by itself what it does besides."""
    if not isinstance(robot, Mechanism) or analysed(robot).constant_moves:
        return False
    return _moves_only(robot, samples) or _tells_possible_poses(robot, motion)


def _moves_only(robot: Mechanism, samples: MotionSamples) -> bool:
    """Whether all coordinates stand still that are no moves."""
    if not all(isinstance(move, str) for move in robot.platform.moves):
        return False
    turns = np.unwrap(euler(samples.pose, "xyz"), axis=0)
    coordinates = np.concatenate([samples.pose[:, :3], turns], axis=-1)
    rest = [k for k, name in enumerate(MOVES) if name not in robot.platform.moves]
    return bool(np.ptp(coordinates[:, rest], axis=0).max() <= TOLERANCE)


def _tells_possible_poses(robot: Robot, motion: Motion) -> bool:
    """Whether it is told at some times only, by poses that the machine can take."""
    if motion.told is None:
        return False
    off = off_freedoms(robot, motion(np.array(motion.told)).pose)
    return bool(off.size.max() <= TOLERANCE * off.length)


def _refuse(robot: Robot, time: Array, off: OffFreedoms, what: str) -> None:
    """Refuse what is off; where that is not known no leg reaches, of which a study warns."""
    worst = off.worst
    if not abs(worst.deviation) > TOLERANCE * off.length:
        return
    freedoms = " ".join(structure_of(robot).freedoms)
    raise MotionError(
        f"at t = {time[worst.where]:.6g} s the motion asks for {what}{worst.component} = "
        f"{worst.deviation:.4g} {worst.unit}, which {robot.name} ({freedoms}) cannot do",
        key="motion",
        expected="a motion within these freedoms",
    )
