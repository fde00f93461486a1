"""Numbers in the file of a mechanism, and the numbers of bodies and joints that follow from them.

Lengths, places, masses, limits: all except directions and rotations, which determine the kind of
machine, and the approximate bends of legs. The functions take numbers, and objects with the same
arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel

from gough.fields.table import read
from gough.robot.description import Robot
from gough.robot.legs.expansion import drawn_bodies, drawn_joints, drawn_legs
from gough.robot.legs.tables import Leg, motor_table
from gough.robot.mechanism_reading import WrittenMechanism, body_facts, written_legs
from gough.robot.numbers import idle_keys, numbers_of, walk
from gough.robot.reading import home_of

Values = Mapping[str, Sequence[Any]]
_JOINT = re.compile(r"joints\[(\d+)\]\.(.*)")
"""A joint with its own table in the file."""
T = TypeVar("T", bound=BaseModel)

HELD = (
    "axis", "axes", "across", "about", "mirror", "zero", "elbow", "moves", "frame", "rpy",
    "quaternion", "position_at_home",
)  # fmt: skip
"""Keys that determine the kind of machine: another value would make it another one."""
_NOT_NUMBERS = ("copies", "mesh", "modes", "elements")
_HOME = "platform.home.position"
_OF_NO_LEG = ("platform.", "gravity")
_DRAWN = ("at", "axis", "axes", "position_at_home", "pitch")


def stated_numbers(robot: Robot) -> dict[str, tuple[float, ...]]:
    """Return all numbers of the file that may be varied, in SI units, by their keys."""
    written = read(WrittenMechanism, robot.written.in_full)
    found = {name: x for name, x in walk(written, absent={}, without=_held) if x}
    found[_HOME] = written.platform.home.position
    return found | dict(_of_motors(written))


def drawn_numbers(robot: Robot, stated: Values) -> dict[str, Any]:
    """Return the numbers of the robot's bodies and joints, by name, from those in its file.

    Those of its geometry are included: `joints[3].at`. Those without a value in the file are not.
    """
    written = read(WrittenMechanism, robot.written.in_full)
    own = written_legs(written)
    legs = {place: _leg(leg, place, stated) for place, leg in own.items()}
    position = stated.get(_HOME, written.platform.home.position)
    home = [*position, *home_of(written.platform.home, "platform.home")["quaternion"]]
    drawn = drawn_legs(legs, written.pattern, home)
    others = [
        body_facts(_with(body, stated, f"bodies[{k}]"), k) for k, body in enumerate(written.bodies)
    ]
    bodies = [*(facts for leg in drawn for facts in drawn_bodies(leg)), *others]
    found: dict[str, Any] = {"home": home}
    for name, x in stated.items():
        if name.startswith(_OF_NO_LEG) and name != _HOME:
            found[name] = _shaped(name.rpartition(".")[2], x)
    for k, facts in enumerate(bodies):
        found |= dict(_flat(f"bodies[{k}]", facts))
    joints = [joint for leg in drawn for joint in drawn_joints(leg)]
    for k, (joint, facts) in enumerate(joints):
        found |= {f"joints[{k}].{key}": facts[key] for key in _DRAWN if key in facts}
        found |= _limits(robot, k, joint.written, stated)
    for name, x in stated.items():
        if by_itself := _JOINT.fullmatch(name):
            found[f"joints[{len(joints) + int(by_itself[1])}].{by_itself[2]}"] = x
    return found


def _held(record: BaseModel) -> tuple[str, ...]:
    return (*HELD, *_NOT_NUMBERS, "home", *idle_keys(record))


def _of_motors(written: WrittenMechanism) -> Iterator[tuple[str, tuple[float, ...]]]:
    for place, motor in written_motors(written):
        yield from walk(motor, place, absent={}, without=_held)


def written_motors(written: WrittenMechanism) -> Iterator[tuple[str, BaseModel]]:
    """Yield the motor tables of the file; motors of all legs are of one kind if given once."""
    legs = written_legs(written)
    tables = {"leg": written.leg} | {f"legs[{k}]": x for k, x in enumerate(written.legs or ())}
    for place, table in tables.items():
        motor = getattr(table, "motor", None)
        leg = legs.get(place) or next(iter(legs.values()), None)
        driven = [joint for joint in leg.joints if joint.type.endswith("*")] if leg else []
        if motor and driven:
            yield f"{place}.motor", read(motor_table(driven[0]), motor)


def _leg(leg: Leg, place: str, stated: Values) -> Leg:
    """A leg with its numbers: of its own table, or of that of all legs."""
    facts: dict[str, Any] = {}
    for key in ("base", "platform"):
        if (point := _said(stated, place, key)) is not None:
            facts[key] = tuple(point)
    own = any(name.startswith(f"{place}.links[") for name in stated)
    at = place if own else "leg"
    facts["links"] = tuple(_with(x, stated, f"{at}.links[{k}]") for k, x in enumerate(leg.links))
    return leg.model_copy(update=facts)


def _said(stated: Values, place: str, rest: str) -> Sequence[Any] | None:
    """A leg's own numbers, or those of all legs."""
    return stated.get(f"{place}.{rest}", stated.get(f"leg.{rest}"))


def _with(record: T, stated: Values, at: str) -> T:
    """A record with its numbers."""
    facts: dict[str, Any] = {}
    for key in type(record).model_fields:
        value, name = getattr(record, key), f"{at}.{key}"
        if isinstance(value, BaseModel):
            facts[key] = _with(value, stated, name)
        elif name in stated and value is not None:
            facts[key] = _shaped(key, stated[name])
    return record.model_copy(update=facts)


def _shaped(key: str, numbers: Sequence[Any]) -> Any:
    if key == "inertia":
        xx, yy, zz, xy, xz, yz = numbers
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return tuple(numbers) if len(numbers) > 1 else numbers[0]


def _flat(at: str, facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Numbers of facts, and of records within them, by name."""
    for key, value in facts.items():
        if isinstance(value, BaseModel):
            inner = {inner: getattr(value, inner) for inner in type(value).model_fields}
            yield from _flat(f"{at}.{key}", inner)
        elif key not in ("name", "mesh") and value is not None:
            yield f"{at}.{key}", value


def _limits(robot: Robot, k: int, said_at: Mapping[str, str], stated: Values) -> dict[str, Any]:
    """Limits, friction and drive of a leg's joint, from their keys in the file."""
    found, own = {}, f"joints[{k}]."
    for name in numbers_of(robot):
        rest = name.removeprefix(own)
        fact = rest.partition(".")[0]
        if name.startswith(own) and fact in said_at:
            place, _, table = said_at[fact].partition(".")
            numbers = _said(stated, place, f"{table}.{rest}")
            if numbers is not None:
                found[name] = numbers
    return found
