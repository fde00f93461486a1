"""The numbers that the file of a machine of any kind states, and what is drawn from them.

Lengths, places, masses, limits: all but directions and turns, which say what kind of machine it is,
and where legs bend roughly. What is written here holds for numbers and for objects that reckon as
these do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel

from gough.fields.table import read
from gough.robot.description import Mechanism
from gough.robot.legs.expansion import drawn_bodies, drawn_joints, drawn_legs
from gough.robot.legs.tables import Leg, motor_table
from gough.robot.mechanism_reading import WrittenMechanism, body_facts, written_legs
from gough.robot.numbers import idle_keys, numbers_of, walk
from gough.robot.reading import home_of

Values = Mapping[str, Sequence[Any]]
_JOINT = re.compile(r"joints\[(\d+)\]\.(.*)")
"""A joint that stands in the file by itself."""
T = TypeVar("T", bound=BaseModel)

HELD = (
    "axis", "axes", "across", "about", "mirror", "zero", "elbow", "moves", "frame", "rpy",
    "quaternion", "position_at_home",
)  # fmt: skip
"""Keys of what a machine is made for: another value makes another kind of machine of it."""
_NOT_NUMBERS = ("copies", "mesh", "modes", "elements")
_HOME = "platform.home.position"
_OF_NO_LEG = ("platform.", "gravity")
_DRAWN = ("at", "axis", "axes", "position_at_home")


def stated_numbers(robot: Mechanism) -> dict[str, tuple[float, ...]]:
    """All numbers that the file states and that may have others, in SI units, by their places."""
    written = read(WrittenMechanism, robot.written.in_full)
    found = {name: x for name, x in walk(written, absent={}, without=_held) if x}
    found[_HOME] = written.platform.home.position
    return found | dict(_of_motors(written))


def drawn_numbers(robot: Mechanism, stated: Values) -> dict[str, Any]:
    """The numbers of the robot's bodies and joints, by name, from those that its file states.

    With those of its geometry: `joints[3].at`. Those that nothing is stated of are not among them.
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
    """What the file says of motors; those of all legs are of one kind if they are stated once."""
    legs = written_legs(written)
    tables = {"leg": written.leg} | {f"legs[{k}]": x for k, x in enumerate(written.legs or ())}
    for place, table in tables.items():
        motor = getattr(table, "motor", None)
        leg = legs.get(place) or next(iter(legs.values()), None)
        driven = [joint for joint in leg.joints if joint.type.endswith("*")] if leg else []
        if motor and driven:
            yield f"{place}.motor", read(motor_table(driven[0]), motor)


def _leg(leg: Leg, place: str, stated: Values) -> Leg:
    """A leg with the numbers that are stated of it: in its own table, or in that of all legs."""
    facts: dict[str, Any] = {}
    for key in ("base", "platform"):
        if (point := _said(stated, place, key)) is not None:
            facts[key] = tuple(point)
    own = any(name.startswith(f"{place}.links[") for name in stated)
    at = place if own else "leg"
    facts["links"] = tuple(_with(x, stated, f"{at}.links[{k}]") for k, x in enumerate(leg.links))
    return leg.model_copy(update=facts)


def _said(stated: Values, place: str, rest: str) -> Sequence[Any] | None:
    """A leg's own numbers, or what all legs share."""
    return stated.get(f"{place}.{rest}", stated.get(f"leg.{rest}"))


def _with(record: T, stated: Values, at: str) -> T:
    """A record with the numbers that are stated of it."""
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


def _limits(robot: Mechanism, k: int, said_at: Mapping[str, str], stated: Values) -> dict[str, Any]:
    """Limits, friction and drive of a leg's joint, from where the file says them."""
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
