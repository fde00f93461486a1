"""Numbers of a robot file, and those of a hexapod that follow from them.

A file gives shared values of legs once, and may give joints by a few lengths and angles, and
rotations as roll, pitch and yaw. The functions take numbers and symbols.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from gough.fields.table import read
from gough.fields.units import Dimension
from gough.robot import mechanism_variables
from gough.robot.description import Robot
from gough.robot.mechanism_reading import WrittenMechanism
from gough.robot.numbers import as_stated, dimension_of, numbers_of, walk
from gough.robot.reading import WrittenRobot
from gough.robot.symmetric import Circles, Triangles, tangent

Values = Mapping[str, Sequence[Any]]
_OF_LEGS = re.compile(r"legs\[(\d+)\]\.(.*)")
_HOME, _SYMMETRIC = "platform.home", "symmetric."


def stated_numbers(robot: Robot) -> dict[str, tuple[float, ...]]:
    """Return all numbers of the file, in SI units, by their keys.

    Of mechanisms only those that keep the kind of machine: see `mechanism_variables`.
    """
    if not robot.has_extensible_legs:
        return mechanism_variables.stated_numbers(robot)
    written = read(WrittenRobot, robot.written.in_full)
    found, home = dict(walk(written, absent={})), written.platform.home
    del found["home"]
    found[f"{_HOME}.position"] = home.position
    if home.rpy is None:
        found[f"{_HOME}.quaternion"] = home.quaternion
    else:
        found[f"{_HOME}.rpy"] = home.rpy
    return found


def stated_dimension(robot: Robot, name: str) -> Dimension:
    """Return the dimension of one of these numbers."""
    if robot.has_extensible_legs:
        return dimension_of(read(WrittenRobot, robot.written.in_full), name)
    written = read(WrittenMechanism, robot.written.in_full)
    for place, motor in mechanism_variables.written_motors(written):
        if name.startswith(f"{place}."):
            return dimension_of(motor, name.removeprefix(f"{place}."))
    return dimension_of(written, name)


def with_stated(robot: Robot, stated: Values) -> Robot:
    """Return the robot whose file has these numbers, by key; RobotError if there is none."""
    own = stated_numbers(robot)
    changed = {name: list(x) for name, x in stated.items() if tuple(x) != own[name]}
    return robot.replace({name: as_stated(name, x) for name, x in changed.items()})


def expanded(robot: Robot, stated: Values, of: ModuleType) -> list[Any]:
    """Return all numbers of the robot, in the order of its parameters, from those of its file.

    `of` has cosine, sine and root of the numbers.
    """
    joints = _joints(robot, stated, of)

    def origin(name: str, own: Sequence[float]) -> Sequence[Any]:
        if name == "home":
            return [*stated[f"{_HOME}.position"], *_quaternion(stated, of)]
        if leg := _OF_LEGS.fullmatch(name):
            shared = stated.get(f"leg.{leg[2]}", joints.get(name, own))
            return stated.get(name, shared)
        return stated.get(name, own)

    return [x for name, own in numbers_of(robot).items() for x in origin(name, own)]


def _joints(robot: Robot, stated: Values, of: ModuleType) -> Values:
    """Values of the legs from [symmetric]; empty without it."""
    given = {name.removeprefix(_SYMMETRIC): x for name, (x, *_) in stated.items() if _is_of(name)}
    if not given:
        return {}
    layout = Circles if "base_radius" in given else Triangles
    found: dict[str, Sequence[Any]] = {}
    for k, (base, platform) in enumerate(layout.model_construct(**given).joints(of)):
        at = f"legs[{k}]"
        found |= {f"{at}.base": base, f"{at}.platform": platform}
        found[f"{at}.first_axis"] = tangent(base, of)
    return found


def _is_of(name: str) -> bool:
    return name.startswith(_SYMMETRIC)


def _quaternion(stated: Values, of: ModuleType) -> Sequence[Any]:
    """The rotation at home: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    if f"{_HOME}.quaternion" in stated:
        return stated[f"{_HOME}.quaternion"]
    (a, x), (b, y), (c, z) = (
        (of.cos(angle / 2), of.sin(angle / 2)) for angle in stated[f"{_HOME}.rpy"]
    )
    return [
        a * b * c + x * y * z,
        x * b * c - a * y * z,
        a * y * c + x * b * z,
        a * b * z - x * y * c,
    ]
