"""The moves of a robot's platform in numbers: u of a twist, and twists of u."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.model.definition import POSE, TWIST
from gough.model.machines import Machines
from gough.robot import Robot


def moves_at(robot: Robot, pose: Array) -> Array:
    """T (6, n) of twist = T u, at a pose."""
    return np.asarray(_moves(Machines(robot))(pose))


def seen_moves(robot: Robot) -> Array:
    """S (n, 6) of u = S · twist."""
    return np.asarray(_along_moves(Machines(robot))(np.eye(TWIST.size))).T


@compiled
def _moves(machines: Machines) -> Kernel:
    T = Argument("T", (TWIST.size, len(machines.structure.freedoms)))
    return machines.kernel("moves_at", any_machine.moves, [POSE], [T])


@compiled
def _along_moves(machines: Machines) -> Kernel:
    u = Argument("u", (len(machines.structure.freedoms),))
    twist = Argument(TWIST.name, TWIST.shape)
    return machines.kernel("seen_moves", any_machine.along_moves, [twist], [u])
