"""A robot's numbers as the equations take them: constants, or one vector of parameters.

The vector holds every number that the robot's file states, in the order of `layout`; see
`gough.robot.numbers`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.robot import Hexapod, Mechanism, Robot, parameters_of

if TYPE_CHECKING:
    from gough.equations.machine import Machine
    from gough.equations.spatial.algebra import Value


def machine_of(
    robot: Robot, vector: Value | None = None, *, names: tuple[str, ...] = ()
) -> Machine:
    """The machine with the robot's numbers as constants, or with those in a vector.

    The vector holds all its parameters; with `names` it holds these numbers of the robot's file,
    and all others are as they are there.
    """
    if isinstance(robot, Hexapod):
        from gough.model.hexapod_machine import machine_of_hexapod  # noqa: PLC0415  (slow)

        return machine_of_hexapod(robot, vector, names)
    from gough.model.mechanism.numbers.families import machine_of_mechanism  # noqa: PLC0415  (slow)

    assert isinstance(robot, Mechanism)
    return machine_of_mechanism(robot, vector, names)


def in_branch(robot: Robot, machine: Machine, branch: Value) -> Machine:
    """The machine of a robot on a branch that is an input."""
    from gough.model.mechanism.reading import change_points  # noqa: PLC0415  (slow)

    assert isinstance(robot, Mechanism)
    found = machine.in_branch(branch)
    return replace(found, freedom=replace(found.freedom, on_branch=change_points(robot, branch)))


def numbers_over(
    stretches: list[tuple[slice, Robot]], numbers: Callable[[Robot], Array] = parameters_of
) -> Array:
    """The numbers of a robot that changes on the way: a row for each sample, or one for all."""
    if len(stretches) == 1:
        return numbers(stretches[0][1])
    pairs = ((numbers(robot), where.stop - where.start) for where, robot in stretches)
    return np.concatenate([np.tile(own, (count, 1)) for own, count in pairs])
