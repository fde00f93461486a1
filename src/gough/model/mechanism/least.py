"""The least of all reactions of a machine: what an overconstrained one leaves undetermined."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.model.kernels import Kernels
from gough.model.mechanism import statics
from gough.model.mechanism.reading import analysed
from gough.robot import Mechanism


class Reactions(NamedTuple):
    """What each joint's first body exerts on its second, in the joint's own axes."""

    force: Array
    """(..., joints, 3) [N]"""
    moment: Array
    """(..., joints, 3) [N m]"""


def least_reactions(
    model: Kernels, pose: Any, twist: Any, acceleration: Any, wrench: Any
) -> Reactions:
    """Of all solutions that with the least sum of squares, moments over the machine's size."""
    robot = model.own_robot("least_reactions")
    if not isinstance(robot, Mechanism):
        raise GoughError(
            f"{robot.name}: the reactions of a hexapod are all determined; expected reactions(…)"
        )
    found = analysed(robot)
    rest = [np.zeros(6) if x is None else x for x in (twist, acceleration, wrench)]
    return Reactions(
        *statics.least_reactions(
            found.machine.description.loads.bearings,
            found.size,
            model.all_reactions(pose, *rest),
            model.reaction_axes(pose),
        )
    )
