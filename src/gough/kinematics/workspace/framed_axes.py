"""Axes of a work frame along which a machine moves its tool, and about which it turns it there.

A hexapod has all six. A Delta goes along the axes of any work frame; a planar machine along those
that lie in its plane, and it turns about an axis across that, wherever the tool is.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.freedoms.possible import has_constant_moves
from gough.kinematics.samples import rows_of_freedoms
from gough.model.structure import structure_of
from gough.poses import Frames
from gough.poses.quaternions import rotated, unit
from gough.robot import Robot
from gough.robot.mechanism import MOVES

Axes = tuple[tuple[str, ...], Array]
"""Names of d axes; (d, 6) the way of the pivot and the turn for one unit of each, base axes."""

_SAME = 1e-9
"""A part of an axis that is smaller is nothing."""


def axes_in(robot: Robot, centre: Array, frames: Frames) -> list[Axes]:
    """Those along which the machine can go from a centre, and those about which it can turn."""
    if any(frames.tool[:3]) and not has_constant_moves(robot):
        raise GoughError(
            f"{robot.name}: what it can do changes with its pose, so a tool beside the platform's "
            f"origin does not stay on an axis; got a tool at {list(frames.tool[:3])} m, expected "
            "one at [0, 0, 0]"
        )
    turn = rotated(np.array(frames.work[3:]), np.eye(3))
    steps = np.asarray(np.kron(np.eye(2), turn), dtype=float)
    possible = [k for k in range(len(MOVES)) if _can_do(robot, centre, frames, steps[k])]
    if not possible:
        free = ", ".join(structure_of(robot).freedoms)
        raise GoughError(
            f"{robot.name} moves in {free}: along no axis of this work frame, and about none "
            "through this tool; expected axes that lie as its own do, or a tool at the platform's "
            "origin"
        )
    groups = ([k for k in possible if k < 3], [k for k in possible if k >= 3])
    return [(tuple(MOVES[k] for k in group), steps[group]) for group in groups if group]


def _can_do(robot: Robot, centre: Array, frames: Frames, step: Array) -> bool:
    """Whether a small step of the tool is made of the machine's freedoms alone."""
    arm = rotated(unit(centre[3:]), np.array(frames.tool[:3]))
    of_origin = np.concatenate([step[:3] - np.cross(step[3:], arm), step[3:]])
    return bool(np.abs(impossible_part(robot) @ of_origin).max() < _SAME)


def impossible_part(robot: Robot) -> Array:
    """(6, 6) from a small step of the platform's origin to what the machine cannot do of it."""
    rows = rows_of_freedoms(robot)
    return np.asarray(np.eye(len(MOVES)) - np.linalg.pinv(rows) @ rows)
