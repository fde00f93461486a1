"""Whether demands are within the freedoms of a machine that has fewer than six."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.design.demands import Demand, each_way, platform_pose
from gough.errors import GoughError
from gough.kinematics.freedoms.off import (
    OffFreedoms,
    accelerations_off_freedoms,
    off_freedoms,
    twists_off_freedoms,
)
from gough.model.structure import structure_of
from gough.robot import Robot
from gough.robot.mechanism import MOVES

TOLERANCE = 1e-9
"""Of the machine's size: what leaves its freedoms by less is rounding."""


def check_freedoms(robot: Robot, demand: Demand) -> None:
    """GoughError if a demand asks for moves that a machine has not, as a roll of a Delta.

    Looked at where the robot can be as its file has it: elsewhere its legs do not reach.
    """
    if len(structure_of(robot).freedoms) == len(MOVES):
        return
    home, weight = np.array(robot.home), float(demand.from_home)
    states = zip(demand.pose, demand.offset, strict=True)
    poses = np.array([platform_pose(pose, offset, weight, home, 1.0) for pose, offset in states])
    twist, acceleration = demand.twist, demand.acceleration
    _refuse(robot, demand, off_freedoms(robot, poses))
    _refuse(robot, demand, twists_off_freedoms(robot, poses, twist))
    _refuse(robot, demand, accelerations_off_freedoms(robot, poses, twist, acceleration))


def each_way_of(robot: Robot, linear: float, angular: float) -> list[Array]:
    """Six-vectors of these sizes along and against each axis of the machine's freedoms."""
    freedoms = structure_of(robot).freedoms
    if not set(freedoms) <= set(MOVES):
        freedoms = MOVES
    moves = np.array([move in freedoms for move in MOVES])
    for size, does, mine in ((linear, "go", moves[:3]), (angular, "turn", moves[3:])):
        if size and not mine.any():
            words = " ".join(freedoms)
            raise GoughError(f"{robot.name} ({words}) does not {does}; expected no such demand")
    return [way for way in each_way(linear, angular) if way[moves].any()]


def _refuse(robot: Robot, demand: Demand, off: OffFreedoms) -> None:
    known = OffFreedoms(np.nan_to_num(off.parts), off.units, off.length)
    worst = known.worst
    if abs(worst.deviation) > TOLERANCE * off.length:
        freedoms = " ".join(structure_of(robot).freedoms)
        raise GoughError(
            f"{demand.name}: {worst.component} = {worst.deviation:.4g} {worst.unit}, which "
            f"{robot.name} ({freedoms}) cannot do; expected a demand within these freedoms"
        )
