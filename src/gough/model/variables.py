"""The numbers that a robot file states, as variables: from them to the robot and its parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument
from gough.compiler.native.argument_arrays import fitted
from gough.display.brief import Brief
from gough.errors import GoughError
from gough.fields import Dimension
from gough.fields.changes import parts
from gough.robot import Robot, matching
from gough.robot.numbers import layout, one_by_one
from gough.robot.variables import HELD, stated_dimension, stated_numbers, with_stated


@dataclass(frozen=True, repr=False)
class Variables(Brief):
    """Numbers that a robot file states, in SI units, which determine the robot.

    With `[symmetric]` and `[pattern]` these are a few lengths and angles in place of coordinates,
    and a value in `[leg]` is one number for all legs. Directions and rotations of mechanisms are
    not among them: these determine the kind of machine.
    """

    robot: Robot
    names: tuple[str, ...]
    """Their places in the file, such as `symmetric.base_radius` or `leg.links[0].length`."""
    values: Array
    """(v) what the file says."""

    def matching(self, patterns: Sequence[str]) -> list[str]:
        """The names that patterns mean, as those of `Model.matching_parameters`."""
        for pattern in [] if self.robot.has_extensible_legs else map(str, patterns):
            if {*HELD}.intersection(parts(pattern)):
                raise GoughError(
                    f"{self.robot.name}: {pattern} is no variable: directions, turns and where "
                    "legs bend say what kind of machine it is; expected lengths, places, masses or "
                    "limits"
                )
        return matching(self.names, patterns)

    def dimension(self, name: str) -> Dimension:
        """The kind of quantity that one of them is."""
        return stated_dimension(self.robot, name)

    def made(self, values: ArrayLike) -> Robot:
        """The robot of other values; RobotError if there cannot be one."""
        own = Argument("variables", (len(self.names),), "SI", "numbers of the robot file")
        at = fitted("variables", own, values)
        return with_stated(self.robot, by_name(stated_numbers(self.robot), at.tolist()))


def variables(robot: Robot) -> Variables:
    """The numbers that the file of a robot states."""
    stated = stated_numbers(robot)
    return Variables(robot, tuple(one_by_one(stated)), np.concatenate([*stated.values()]))


def counted_otherwise(robot: Robot) -> list[str]:
    """Names of parameters that mean others in a file with legs: it counts bodies beside these."""
    if robot.has_extensible_legs or {"leg", "legs"}.isdisjoint(robot.written.in_full):
        return []
    return [name for name in layout(robot) if name.startswith(("bodies", "joints"))]


def by_name(stated: Mapping[str, Sequence[float]], values: Sequence[Any]) -> dict[str, list[Any]]:
    """Values one by one as those of what is stated."""
    ends = pairwise(accumulate(map(len, stated.values()), initial=0))
    return {name: list(values[a:b]) for name, (a, b) in zip(stated, ends, strict=True)}


def with_chosen(robot: Robot, names: Sequence[str], chosen: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the file's data with others in place of the numbers that are named; also symbols."""
    stated = stated_numbers(robot)
    known, values = one_by_one(stated), [x for some in stated.values() for x in some]
    for name, x in zip(names, chosen, strict=True):
        values[known.index(name)] = x
    return by_name(stated, values)
