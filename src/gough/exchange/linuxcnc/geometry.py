"""Which numbers of a machine are pins of its component, and their names there."""

from __future__ import annotations

import re

from gough.errors import GoughError
from gough.fields.units import LENGTH
from gough.kinematics.forward.kernel import forward_function
from gough.kinematics.freedoms.possible import has_constant_moves
from gough.model.machines import Machines
from gough.model.variables import variables
from gough.robot import Hexapod, Robot
from gough.robot.variables import stated_dimension

_JOINTS_OF_LEGS = ("legs[*].base", "legs[*].platform")
_PLACES = re.compile(
    r"(legs?(\[\d+\])?\.(base|platform|elbow|links\[\d+\]\.length)|joints.*\.at)\b"
)
_BARS = re.compile(r"legs?(\[\d+\])?\.links\[\d+\]\.length$")


def adjustable(robot: Robot, method: str, at_most: int) -> Machines:
    """The machines of a robot's kind with other lengths: as many of these as can be others.

    Of a hexapod the joint centres of each leg, as genhexkins has them. Of other machines what
    their file states: joint centres and lengths of bars; or only the latter, or none, where the
    machine would be another one at others. None, too, where a platform's moves follow its pose.
    """
    if isinstance(robot, Hexapod):
        by_legs = robot.with_parameters(robot.parameters)
        return Machines(by_legs, parametric=_JOINTS_OF_LEGS)
    lengths = [n for n in variables(robot).names if stated_dimension(robot, n) is LENGTH]
    for pattern in (_PLACES, _BARS) if has_constant_moves(robot) else ():
        names = [name for name in lengths if pattern.match(name)]
        if not names:
            continue
        machines = Machines(robot, parametric=names)
        try:
            forward_function(machines, method, at_most)
        except GoughError:
            continue
        return machines
    return Machines(robot)


def pin_name(name: str) -> str:
    """What a number of a robot file is called as a pin: `legs[2].base.x` is `base.2.x`."""
    of_leg = re.fullmatch(r"legs\[(\d+)\]\.(base|platform)\.([xyz])", name)
    if of_leg:
        leg, end, axis = of_leg.groups()
        return f"{end}.{leg}.{axis}"
    return re.sub(r"\[(\d+)\]", r".\1", name).replace("_", "-")
