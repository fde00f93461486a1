"""The moves of a robot's platform in numbers: u of a twist, and twists of u."""

from __future__ import annotations

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations import any_machine
from gough.model.parameters import machine_of
from gough.robot import Robot


def moves_at(robot: Robot, pose: Array) -> Array:
    """T (6, n) of twist = T u, at a pose."""
    return _numbers(any_machine.moves(machine_of(robot), ca.DM(pose)))


def seen_moves(robot: Robot) -> Array:
    """S (n, 6) of u = S · twist."""
    columns = ca.horzsplit(ca.DM.eye(6))
    return _numbers(
        ca.horzcat(*(any_machine.along_moves(machine_of(robot), ca.densify(c)) for c in columns))
    )


def _numbers(matrix: ca.SX | ca.DM) -> Array:
    return np.array(ca.evalf(matrix), dtype=float)
