"""A robot's numbers by name, as the equations take them: constants, or parts of a vector."""

from collections.abc import Callable

import casadi as ca

from gough.equations.spatial.algebra import Value, tensor, without_rounding
from gough.robot import Robot, numbers_of, places_of
from gough.robot.numbers import MATRICES

Numbers = Callable[[str], Value]  # from a name to what it is: a column, or the matrix of a tensor


def constants(robot: Robot) -> Numbers:
    """The robot's own numbers; rounding beside others of its vector is 0, not compiled."""
    known = numbers_of(robot)
    return lambda name: shaped(without_rounding(ca.DM(known[name])))


def taken_from(robot: Robot, vector: Value) -> Numbers:
    """The numbers in a vector of a robot of this structure."""
    places = places_of(robot)
    return lambda name: shaped(vector[places[name]])


def shaped(column: Value) -> Value:
    """Numbers in a column as the equations take them: those of a tensor or matrix in rows."""
    count = column.shape[0]
    if count == 6:
        return tensor(column)
    rows = MATRICES.get(count)
    return column if rows is None else ca.reshape(column, rows, rows)
