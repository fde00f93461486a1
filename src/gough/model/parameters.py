"""A robot's numbers as the equations take them: constants, or one vector of parameters.

The vector holds every number of a hexapod that kinematics and dynamics depend on, in the order of
`layout`; of other machines gravity, all masses, mass centres and inertias, and the springs of an
elastic one. Inertia tensors are given by six numbers: xx, yy, zz, xy, xz, yz.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.robot import Hexapod, Robot

if TYPE_CHECKING:
    from gough.equations.any_machine import AnyMachine


def _entries(size: int) -> tuple[str, ...]:
    return tuple(f"[{i}][{j}]" for i in range(size) for j in range(size))


_PARTS = {
    1: ("",),
    2: (".shortest", ".longest"),
    3: (".x", ".y", ".z"),
    6: (".xx", ".yy", ".zz", ".xy", ".xz", ".yz"),
    36: _entries(6),
    324: _entries(18),
    7: (".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"),
}
"""What the numbers of a stroke, vector, tensor, pose and matrix are called, by their count."""


def machine_of(robot: Robot) -> AnyMachine:
    """The machine with the robot's numbers as constants."""
    machine: AnyMachine = _numbers(robot).machine_of(robot)
    return machine


def machine_of_parameters(robot: Robot, parameters: Any) -> AnyMachine:
    """The machine of the robot's structure, its numbers taken from a vector."""
    machine: AnyMachine = _numbers(robot).machine_of_parameters(robot, parameters)
    return machine


@lru_cache(maxsize=256)
def parameters_of(robot: Robot) -> Array:
    """The robot's numbers as the vector that parametric kernels take first; read-only."""
    numbers = np.concatenate([numbers for _, numbers in _numbers(robot).numbers_of(robot)])
    numbers.setflags(write=False)
    return numbers


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


def layout(robot: Robot) -> list[str]:
    """The name of each entry of the vector, such as `legs[2].cylinder.inertia.xy`."""
    found = _numbers(robot).numbers_of(robot)
    return [name + part for name, numbers in found for part in _PARTS[len(numbers)]]


def home_of_parameters(robot: Robot, parameters: Any) -> Any:
    """The home pose (..., 7) in vectors of parameters (..., n), or of all if it is none of them."""
    names = layout(robot)
    if "home.x" not in names:
        return np.array(robot.home)
    first = names.index("home.x")
    return parameters[..., first : first + 7]


def travel_of_parameters(robot: Robot, parameters: Any) -> tuple[Any, Any]:
    """Smallest and largest positions (..., n) [m, rad] of all actuators; infinite without limits.

    From vectors of parameters (..., k), or of the robot if these are none of them.
    """
    names, actuators = layout(robot), robot.actuators
    if f"{actuators[0].key}.stroke.shortest" in names:
        ends = [f"{a.key}.stroke" for a in actuators]
        low, high = ([names.index(e + part) for e in ends] for part in _PARTS[2])
        return parameters[..., low], parameters[..., high]
    low, high = np.array([a.travel or (-np.inf, np.inf) for a in actuators]).T
    return low, high


def _numbers(robot: Robot) -> Any:
    """What knows the numbers of this kind of robot."""
    if isinstance(robot, Hexapod):
        from gough.model import hexapod_numbers  # noqa: PLC0415  (slow)

        return hexapod_numbers
    from gough.model.mechanism import numbers  # noqa: PLC0415  (slow)

    return numbers
