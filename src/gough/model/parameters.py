"""A robot's numbers as the equations take them: constants, or one vector of parameters.

The vector holds every number that kinematics and dynamics depend on, in the order of `layout`.
Inertia tensors are given by six numbers: xx, yy, zz, xy, xz, yz. A leg without a stroke may have
any length, from -inf to inf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.legs.base_joint import Ball, BaseJoint, Universal
from gough.equations.machine import ANY_LENGTH, Leg, LegPart, Machine, Platform
from gough.robot import Leg as WrittenLeg
from gough.robot import Robot

_PARTS = {
    1: ("",),
    2: (".shortest", ".longest"),
    3: (".x", ".y", ".z"),
    6: (".xx", ".yy", ".zz", ".xy", ".xz", ".yz"),
    7: (".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"),
}
"""What the numbers of a stroke, a vector, a tensor and a pose are called, by their count."""
_UPPER = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])

Take = Callable[[str, Any], Any]


def machine_of(robot: Robot) -> Machine:
    """The machine with the robot's numbers as constants."""
    return _machine(robot, lambda _, value: ca.DM(np.asarray(value, dtype=float)))


def machine_of_parameters(robot: Robot, parameters: Any) -> Machine:
    """The machine of the robot's structure (kinds of legs), its numbers taken from a vector."""
    position = 0

    def take(_: str, value: Any) -> Any:
        nonlocal position
        shape = np.shape(value)
        count = 6 if shape == (3, 3) else max(int(np.prod(shape)), 1)
        part = parameters[position : position + count]
        position += count
        return _tensor(part) if shape == (3, 3) else part

    return _machine(robot, take)


@lru_cache(maxsize=256)
def parameters_of(robot: Robot) -> Array:
    """The robot's numbers as the vector that parametric kernels take first; read-only."""
    numbers = np.concatenate([numbers for _, numbers in _numbers(robot)])
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
    return [name + part for name, numbers in _numbers(robot) for part in _PARTS[len(numbers)]]


def home_of_parameters(robot: Robot, parameters: Any) -> Any:
    """The home pose (..., 7) in vectors of parameters (..., n)."""
    first = layout(robot).index("home.x")
    return parameters[..., first : first + 7]


def _numbers(robot: Robot) -> Iterator[tuple[str, Array]]:
    found: list[tuple[str, Array]] = []

    def take(name: str, value: Any) -> Any:
        array = np.asarray(value, dtype=float)
        found.append((name, array[_UPPER] if array.shape == (3, 3) else array.reshape(-1)))
        return array

    _machine(robot, take)
    yield from found


def _machine(robot: Robot, take: Take) -> Machine:
    """Walk through everything that the equations use, in one order for all purposes."""
    gravity = take("gravity", robot.gravity)
    platform = Platform(
        take("platform.mass", robot.platform.mass),
        take("platform.center_of_mass", robot.platform.center_of_mass),
        take("platform.inertia", robot.platform.inertia),
    )
    home = take("home", robot.home)
    legs = []
    for k, leg in enumerate(robot.legs):
        at = f"legs[{k}]"
        base, on_platform = take(f"{at}.base", leg.base), take(f"{at}.platform", leg.platform)
        joint = _base_joint(leg, at, take)
        stroke = take(f"{at}.stroke", leg.stroke or ANY_LENGTH)
        cylinder, piston = (
            LegPart(
                take(f"{at}.{name}.mass", part.mass),
                take(f"{at}.{name}.center_of_mass", part.center_of_mass),
                take(f"{at}.{name}.inertia", part.inertia),
            )
            for name, part in (("cylinder", leg.cylinder), ("piston", leg.piston))
        )
        legs.append(Leg(joint, base, on_platform, cylinder, piston, stroke))
    return Machine(gravity, platform, tuple(legs), home)


def _base_joint(leg: WrittenLeg, at: str, take: Take) -> BaseJoint:
    """The joint of the first letter of a leg's kind."""
    return Ball() if leg.kind[0] == "S" else Universal(take(f"{at}.first_axis", leg.first_axis))


def _tensor(six: Any) -> Any:
    xx, yy, zz, xy, xz, yz = ca.vertsplit(six)
    return ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))
