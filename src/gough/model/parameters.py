"""A robot's numbers as the equations take them: constants, or one vector of parameters.

The vector holds every number that the robot's file states, in the order of `layout`; see
`gough.robot.numbers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.robot import Robot
from gough.robot.numbers import layout, parameters_of, places_of

if TYPE_CHECKING:
    from gough.equations.machine import Machine
    from gough.equations.spatial.algebra import Value

__all__ = [
    "home_of_parameters",
    "layout",
    "machine_of",
    "machine_of_parameters",
    "machine_of_variables",
    "numbers_over",
    "parameters_of",
    "travel_of_parameters",
]


def machine_of(robot: Robot) -> Machine:
    """The machine with the robot's numbers as constants."""
    machine: Machine = _numbers(robot).machine_of(robot)
    return machine


def machine_of_parameters(robot: Robot, parameters: Value) -> Machine:
    """The machine of the robot's structure, its numbers taken from a vector."""
    machine: Machine = _numbers(robot).machine_of_parameters(robot, parameters)
    return machine


def machine_of_variables(robot: Robot, names: tuple[str, ...], chosen: Value) -> Machine:
    """The machine with some numbers of its file from a vector, all others as they are."""
    machine: Machine = _numbers(robot).machine_of_variables(robot, names, chosen)
    return machine


def numbers_over(stretches: list[tuple[slice, Robot]]) -> Array:
    """The numbers of a robot that changes on the way: a row for each sample, or one for all."""
    if len(stretches) == 1:
        return parameters_of(stretches[0][1])
    return np.concatenate(
        [
            np.broadcast_to(
                parameters_of(robot), (where.stop - where.start, len(parameters_of(robot)))
            )
            for where, robot in stretches
        ]
    )


def home_of_parameters(robot: Robot, parameters: Array) -> Array:
    """The home pose (..., 7) in vectors of parameters (..., n), or of all if it is none of them."""
    place = places_of(robot).get("home")
    return np.array(robot.home) if place is None else parameters[..., place]


def travel_of_parameters(robot: Robot, parameters: Array) -> tuple[Array, Array]:
    """Return minimum and maximum positions (..., n) [m, rad] of all actuators.

    From vectors of parameters (..., k); infinite without limits.
    """
    places = places_of(robot)
    low = [places[f"{a.key}.{a.travel_key}"].start for a in robot.actuators]
    return parameters[..., low], parameters[..., [k + 1 for k in low]]


def _numbers(robot: Robot) -> Any:
    """Return the module for the numbers of this kind of robot."""
    if robot.has_extensible_legs:
        from gough.model import hexapod_numbers  # noqa: PLC0415  (slow)

        return hexapod_numbers
    from gough.model.mechanism import numbers  # noqa: PLC0415  (slow)

    return numbers
