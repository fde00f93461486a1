"""The numbers that a robot file states, and how those of a hexapod follow from them.

A file says once what holds for all legs, and may give joints by a few lengths and angles, and
rotations as roll, pitch and yaw. What is written here holds for numbers and for symbols.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gough.fields.table import read
from gough.fields.units import Dimension
from gough.robot import mechanism_variables
from gough.robot.description import Hexapod, Mechanism, Robot
from gough.robot.dimensions import dimension_of
from gough.robot.mechanism_reading import WrittenMechanism
from gough.robot.numbers import as_stated, numbers_of, walk
from gough.robot.symmetric import Circles, Triangles, tangent
from gough.robot.written import WrittenRobot

Values = Mapping[str, Sequence[Any]]
_OF_LEGS = re.compile(r"legs\[(\d+)\]\.(.*)")
_HOME, _SYMMETRIC = "platform.home", "symmetric."


def stated_numbers(robot: Robot) -> dict[str, tuple[float, ...]]:
    """All numbers that the file states, in SI units, by their places there.

    Of machines of any kind those that leave them what they are: see `mechanism_variables`.
    """
    if isinstance(robot, Mechanism):
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
    """The kind of quantity that one of these numbers is."""
    if isinstance(robot, Hexapod):
        return dimension_of(read(WrittenRobot, robot.written.in_full), name)
    written = read(WrittenMechanism, robot.written.in_full)
    for place, motor in mechanism_variables.written_motors(written):
        if name.startswith(f"{place}."):
            return dimension_of(motor, name.removeprefix(f"{place}."))
    return dimension_of(written, name)


def with_stated(robot: Robot, stated: Values) -> Robot:
    """The robot whose file states these numbers, by their places; RobotError if there is none."""
    own = stated_numbers(robot)
    changed = {name: list(x) for name, x in stated.items() if tuple(x) != own[name]}
    return robot.replace({name: as_stated(name, x) for name, x in changed.items()})


def expanded(robot: Hexapod, stated: Values, of: Any) -> list[Any]:
    """All numbers of the robot, as its parameters have them, from those that its file states.

    `of` has cosine, sine and root of what is stated.
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


def _joints(robot: Hexapod, stated: Values, of: Any) -> Values:
    """What [symmetric] says of the legs; nothing, when it is not there."""
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


def _quaternion(stated: Values, of: Any) -> Sequence[Any]:
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
