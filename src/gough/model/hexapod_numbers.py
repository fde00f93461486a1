"""A hexapod's numbers as the equations take them: constants, or one vector of parameters.

The vector holds every number that kinematics and dynamics depend on, in the order of `layout`.
Inertia tensors are given by six numbers: xx, yy, zz, xy, xz, yz. A leg without a stroke may have
any length, from -inf to inf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.legs.base_joint import Ball, BaseJoint, Universal
from gough.equations.machine import ANY_LENGTH, Leg, LegPart, Machine, Platform
from gough.model.leg_springs import springs_of
from gough.model.six_numbers import UPPER, tensor
from gough.model.structure import flexible_frames
from gough.robot import Hexapod
from gough.robot import Leg as WrittenLeg

Take = Callable[[str, Any], Any]


def machine_of(robot: Hexapod) -> Machine:
    """The machine with the robot's numbers as constants."""
    return _machine(robot, lambda _, value: ca.DM(np.asarray(value, dtype=float)))


def machine_of_parameters(robot: Hexapod, parameters: Any) -> Machine:
    """The machine of the robot's structure (kinds of legs), its numbers taken from a vector."""
    position = 0

    def take(_: str, value: Any) -> Any:
        nonlocal position
        shape = np.shape(value)
        count = 6 if shape == (3, 3) else max(int(np.prod(shape)), 1)
        part = parameters[position : position + count]
        position += count
        if shape == (3, 3):
            return tensor(part)
        return ca.reshape(part, *shape) if len(shape) == 2 else part

    return _machine(robot, take)


def numbers_of(robot: Hexapod) -> Iterator[tuple[str, Array]]:
    """All numbers, by the name of what they are: one, a vector, six of a tensor, a pose."""
    found: list[tuple[str, Array]] = []

    def take(name: str, value: Any) -> Any:
        array = np.asarray(value, dtype=float)
        found.append((name, array[UPPER] if array.shape == (3, 3) else array.reshape(-1)))
        return array

    _machine(robot, take)
    yield from found


def _machine(robot: Hexapod, take: Take) -> Machine:
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
        springs = springs_of(leg, at, take) if robot.elastic else None
        legs.append(Leg(joint, base, on_platform, cylinder, piston, stroke, springs))
    frames = {
        f"flexible_{end}": take(f"flexibility.{end}", C)
        for end, C in flexible_frames(robot).items()
    }
    return Machine(gravity, platform, tuple(legs), home, **frames)


def _base_joint(leg: WrittenLeg, at: str, take: Take) -> BaseJoint:
    """The joint of the first letter of a leg's kind."""
    return Ball() if leg.kind[0] == "S" else Universal(take(f"{at}.first_axis", leg.first_axis))
