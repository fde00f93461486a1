"""Whether a motion is one that a machine can do: it may have fewer freedoms than six."""

from __future__ import annotations

from gough.arrays import Array
from gough.kinematics import OffFreedoms, off_freedoms, twists_off_freedoms
from gough.model.structure import structure_of
from gough.motion import MotionError, MotionSamples
from gough.robot import Robot
from gough.robot.mechanism import MOVES

TOLERANCE = 1e-9
"""What counts as standing still, of the machine's size: more than rounding, less than a motion."""


def check_freedoms(robot: Robot, time: Array, samples: MotionSamples) -> None:
    """Refuse a motion that asks for what a machine cannot do, with the time and the component."""
    if len(structure_of(robot).freedoms) == len(MOVES):
        return
    _refuse(robot, time, off_freedoms(robot, samples.pose), "")
    _refuse(robot, time, twists_off_freedoms(robot, samples.pose, samples.twist), "a speed of ")


def _refuse(robot: Robot, time: Array, off: OffFreedoms, what: str) -> None:
    """Refuse what is off; where that is not known no leg reaches, which forces tell."""
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
