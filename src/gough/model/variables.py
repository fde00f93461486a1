"""From the numbers that a robot file states to the robot's parameters, with exact derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.fitting import fitted
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.compiler.remembered import remembered
from gough.errors import GoughError
from gough.fields.units import Dimension
from gough.robot import Hexapod, Robot
from gough.robot.dimensions import dimension_of
from gough.robot.numbers import layout, matching, one_by_one
from gough.robot.variables import expanded, stated_numbers, written_robot
from gough.shown.brief import brief


@dataclass(frozen=True)
class Variables:
    """The numbers that a hexapod's file states, in SI units: of which its parameters are made.

    With `[symmetric]` these are a few lengths and angles in place of 36 coordinates, and what
    stands in `[leg]` is one number for all legs.
    """

    robot: Hexapod
    names: tuple[str, ...]
    """Their places in the file, such as `symmetric.base_radius` or `leg.piston.mass`."""
    values: Array
    """(v) what the file says."""

    __repr__ = brief

    @property
    def parameters(self) -> Kernel:
        """The kernel from values (..., v) to parameters (..., p) of the robot."""
        return _parameters(self.robot, self.names)

    def matching(self, patterns: Sequence[str]) -> list[str]:
        """The names that patterns mean, as those of `Model.matching_parameters`."""
        return matching(self.names, patterns)

    def jacobian(self, wrt: Sequence[str], values: Any = None) -> Array:
        """Derivatives (p, k) of the parameters by the k variables that are named, exact.

        At values (v), by default those of the file; `wrt` are names and patterns.
        """
        chosen = tuple(map(self.names.index, self.matching(wrt)))
        at = fitted("variables", _argument(self.names), self.values if values is None else values)
        return np.array(_jacobian(self.robot, self.names, chosen)(at))

    def dimension(self, name: str) -> Dimension:
        """The kind of quantity that one of them is."""
        return dimension_of(written_robot(self.robot), name)

    def expression(self, values: Any) -> Any:
        """The parameters (p) of symbols (v)."""
        return _equation(self.robot)(values)

    def made(self, values: Any) -> Robot:
        """The robot of other values; RobotError if there cannot be one."""
        return self.robot.with_parameters(self.parameters(values))


def variables(robot: Robot) -> Variables:
    """The numbers that the file of a robot states."""
    if not isinstance(robot, Hexapod):
        raise GoughError(
            f"{robot.name}: variables are of hexapods (gough/1); the geometry of machines of any "
            "kind is no parameter"
        )
    stated = stated_numbers(robot)
    return Variables(robot, tuple(one_by_one(stated)), np.concatenate([*stated.values()]))


@compiled
def _parameters(robot: Hexapod, names: tuple[str, ...]) -> Kernel:
    return Kernel(_function(robot, names))


@remembered
def _jacobian(robot: Hexapod, names: tuple[str, ...], chosen: tuple[int, ...]) -> Any:
    """Interpreted: nearly all of it is zero, which machine code would write out."""
    function = _function(robot, names)
    (x,), (y,) = function.symbols, function.expressions
    return ca.Function("jacobian", [x], [ca.jacobian(y, x[list(chosen)])])


def _argument(names: tuple[str, ...]) -> Argument:
    return Argument("variables", (len(names),), "SI", "numbers of the robot file")


def _equation(robot: Hexapod) -> Callable[[Any], Any]:
    stated = stated_numbers(robot)

    def equation(values: Any) -> Any:
        ends = pairwise(accumulate(map(len, stated.values()), initial=0))
        parts = {name: ca.vertsplit(values[a:b]) for name, (a, b) in zip(stated, ends, strict=True)}
        return ca.vertcat(*expanded(robot, parts, ca))

    return equation


def _function(robot: Hexapod, names: tuple[str, ...]) -> Function:
    return Function.from_equation(
        "parameters",
        _equation(robot),
        [_argument(names)],
        [Argument("parameters", (len(layout(robot)),), "SI", "all numbers of the robot")],
        "A robot's parameters from the numbers of its file.",
    )
