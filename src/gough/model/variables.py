"""The numbers that a robot file states, as variables: from them to the robot and its parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, compiled, kernel_of, remembered
from gough.compiler.native.argument_arrays import fitted
from gough.display.brief import Brief
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.fields import Dimension
from gough.fields.changes import parts
from gough.robot import Robot, matching, parameters_of
from gough.robot.numbers import layout, one_by_one
from gough.robot.variables import HELD, expanded, stated_dimension, stated_numbers, with_stated


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

    @property
    def parameters(self) -> Kernel:
        """The kernel from values (..., v) to parameters (..., p) of a hexapod."""
        self._refuse_given_geometry("parameters")
        return kernel_of(_function, self.robot, self.names)

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

    def jacobian(self, wrt: Sequence[str], values: ArrayLike | None = None) -> Array:
        """Derivatives (..., p, k) of a hexapod's parameters by the k variables named, exact.

        At values (..., v), by default those of the file; `wrt` are names and patterns.
        """
        self._refuse_given_geometry("jacobian")
        robot = self.robot
        chosen = tuple(map(self.names.index, self.matching(wrt)))
        at = fitted("variables", _argument(self.names), self.values if values is None else values)
        found = np.zeros((*at.shape[:-1], len(parameters_of(robot)), len(chosen)))
        changing = _changing(robot, self.names, chosen)
        if len(changing):
            found[..., changing, :] = _jacobian(robot, self.names, chosen)(at)
        return found

    def dimension(self, name: str) -> Dimension:
        """The kind of quantity that one of them is."""
        return stated_dimension(self.robot, name)

    def made(self, values: ArrayLike) -> Robot:
        """The robot of other values; RobotError if there cannot be one."""
        at = fitted("variables", _argument(self.names), values)
        return with_stated(self.robot, by_name(stated_numbers(self.robot), at.tolist()))

    def _refuse_given_geometry(self, what: str) -> None:
        if not self.robot.has_extensible_legs:
            raise GoughError(
                f"{self.robot.name}: the geometry of mechanisms is none of their "
                f"parameters, so these have no {what} by variables; expected Model(robot, "
                "parametric=[names]), whose kernels take the variables themselves"
            )


def variables(robot: Robot) -> Variables:
    """The numbers that the file of a robot states."""
    stated = stated_numbers(robot)
    return Variables(robot, tuple(one_by_one(stated)), np.concatenate([*stated.values()]))


def by_name(
    stated: Mapping[str, Sequence[float]], values: Sequence[object]
) -> dict[str, list[Any]]:
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


def parameters_of_variables(robot: Robot, names: Sequence[str], chosen: Value) -> Value:
    """All parameters of a hexapod from some numbers of its file, as symbols."""
    stated = with_chosen(robot, names, ca.vertsplit(chosen))
    return ca.vertcat(*expanded(robot, stated, ca))


@remembered
def _changing(robot: Robot, names: tuple[str, ...], chosen: tuple[int, ...]) -> list[int]:
    """The parameters that depend on these variables: the rows of a jacobian that are not zero."""
    function = _function(robot, names)
    (x,), (y,) = function.symbols, function.expressions
    touched = ca.jacobian_sparsity(y, x)
    pairs = zip(touched.row(), touched.get_col(), strict=True)
    return sorted({row for row, column in pairs if column in chosen})


@compiled
def _jacobian(robot: Robot, names: tuple[str, ...], chosen: tuple[int, ...]) -> Kernel:
    """The rows that are not zero: few of all parameters depend on any variable."""
    function, rows = _function(robot, names), _changing(robot, names, chosen)
    (x,), (y,) = function.symbols, function.expressions
    jacobian = ca.densify(ca.jacobian(y[rows], x[list(chosen)]))
    output = Argument("derivatives", (len(rows), len(chosen)), "SI", "of parameters by variables")

    def equation(values: Value) -> Value:
        return ca.substitute(jacobian, x, values)

    return Kernel.from_equation("variables_jacobian", equation, [_argument(names)], [output])


def _argument(names: tuple[str, ...]) -> Argument:
    return Argument("variables", (len(names),), "SI", "numbers of the robot file")


def _function(robot: Robot, names: tuple[str, ...]) -> Function:
    stated = stated_numbers(robot)

    def equation(values: Value) -> Value:
        return ca.vertcat(*expanded(robot, by_name(stated, ca.vertsplit(values)), ca))

    return Function.from_equation(
        "parameters",
        equation,
        [_argument(names)],
        [Argument("parameters", (len(layout(robot)),), "SI", "all numbers of the robot")],
        "A robot's parameters from the numbers of its file.",
    )
