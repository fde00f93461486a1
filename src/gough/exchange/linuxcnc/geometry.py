"""Which lengths of a machine its component takes from pins."""

from __future__ import annotations

import re

import casadi as ca

from gough.errors import GoughError
from gough.kinematics.freedoms.possible import has_constant_moves
from gough.model.machines import Machines
from gough.model.variables import variables
from gough.robot import Hexapod, Robot

_LENGTHS = (
    re.compile(
        r"legs?(\[\d+\])?\.(base|platform|elbow|links\[\d+\]\.length)\b|joints\[\d+\]\.at\b"
    ),
    re.compile(r"legs?(\[\d+\])?\.links\[\d+\]\.length$"),
)
"""Joint centres and lengths of bars, and the latter alone."""


def adjustable(robot: Robot) -> Machines:
    """The machines of a robot's kind with other lengths: as many of these as can be others.

    Of a hexapod the joint centres of each leg, as genhexkins has them. Of other machines what
    their file states: joint centres and lengths of bars; or only the latter, or none, where the
    machine would be another one at others. None, too, where a platform's moves follow its pose.
    """
    if isinstance(robot, Hexapod):
        by_legs = robot.with_parameters(robot.parameters)
        return Machines(by_legs, parametric=["legs[*].base", "legs[*].platform"])
    for pattern in _LENGTHS if has_constant_moves(robot) else ():
        names = [name for name in variables(robot).names if pattern.match(name)]
        if names and _can_be_others(machines := Machines(robot, parametric=names)):
            return machines
    return Machines(robot)


def _can_be_others(machines: Machines) -> bool:
    """Whether it is a machine of the same kind at other numbers."""
    try:
        machines.machine(*(ca.SX.sym(a.name, a.size) for a in machines.numbers))
    except GoughError:
        return False
    return True
