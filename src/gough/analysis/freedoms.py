"""Whether a motion is one that a machine can do, and what it must do besides.

A machine may have fewer freedoms than six. Where its moves are the same everywhere, as a Delta's,
the rest stands still. Where they change with the pose the rest follows: a tripod that tilts moves
sideways and turns a little, and a motion says its height and its tilt only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.arrays import Array
from gough.kinematics import (
    Model,
    OffFreedoms,
    accelerations_off_freedoms,
    off_freedoms,
    possible_pose,
    twists_off_freedoms,
)
from gough.model.mechanism.reading import analysed
from gough.model.structure import structure_of
from gough.motion import Motion, MotionError, MotionSamples
from gough.poses import euler
from gough.poses.quaternions import conjugate, product, rotated, unit
from gough.robot import Mechanism, Robot
from gough.robot.mechanism import MOVES
from gough.shown.brief import brief

TOLERANCE = 1e-9
"""What counts as standing still, of the machine's size: more than rounding, less than a motion."""


@dataclass(frozen=True, eq=False)
class Completed(Motion):
    """A motion of a machine's moves, with what the machine must do besides.

    The pose is Q R for the attitude R of the given one, and ω = Q ω_given + ω_Q, where all of ω_Q
    is beside the moves: u = S · [v, Q ω_given].
    """

    robot: Robot
    given: Motion

    __repr__ = brief

    @property
    def duration(self) -> float:  # type: ignore[override]
        """That of the motion that was given [s]."""
        return self.given.duration

    @property
    def breaks(self) -> tuple[float, ...]:
        """Those of the motion that was given."""
        return self.given.breaks

    @property
    def corners(self) -> tuple[float, ...]:
        """Those of the motion that was given."""
        return self.given.corners

    @property
    def cautions(self) -> tuple[str, ...]:
        """Those of the motion that was given."""
        return self.given.cautions

    @cached_property
    def _model(self) -> Model:
        return Model(self.robot)

    def _at(self, t: Array) -> MotionSamples:
        given = self.given(t)
        pose = possible_pose(self._model, given.pose).pose
        Q = product(unit(pose[..., 3:]), conjugate(unit(given.pose[..., 3:])))
        omega = rotated(Q, given.twist[..., 3:])
        asked = np.concatenate([given.twist[..., :3], omega], axis=-1)
        twist = asked - twists_off_freedoms(self.robot, pose, asked).parts
        omega_1 = rotated(Q, given.acceleration[..., 3:])
        omega_1 = omega_1 + np.cross(twist[..., 3:] - omega, omega)
        asked = np.concatenate([given.acceleration[..., :3], omega_1], axis=-1)
        off = accelerations_off_freedoms(self.robot, pose, twist, asked)
        return MotionSamples(pose, twist, asked - off.parts)


def possible_motion(robot: Robot, motion: Motion, time: Array) -> Motion:
    """The motion, or what it becomes where the machine must do more than it says.

    A motion that asks for what the machine cannot do is a MotionError with time and component.
    """
    if len(structure_of(robot).freedoms) == len(MOVES):
        return motion
    samples = motion(time)
    if _leaves_the_rest_open(robot, samples):
        motion = Completed(robot, motion)
        samples = motion(time)
    _refuse(robot, time, off_freedoms(robot, samples.pose), "")
    _refuse(robot, time, twists_off_freedoms(robot, samples.pose, samples.twist), "a speed of ")
    return motion


def _leaves_the_rest_open(robot: Robot, samples: MotionSamples) -> bool:
    """Whether all coordinates stand still that are no moves, of a machine whose moves change."""
    if not isinstance(robot, Mechanism) or analysed(robot).constant_moves:
        return False
    if not all(isinstance(move, str) for move in robot.platform.moves):
        return False
    turns = np.unwrap(euler(samples.pose, "xyz"), axis=0)
    coordinates = np.concatenate([samples.pose[:, :3], turns], axis=-1)
    rest = [k for k, name in enumerate(MOVES) if name not in robot.platform.moves]
    return bool(np.ptp(coordinates[:, rest], axis=0).max() <= TOLERANCE)


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
