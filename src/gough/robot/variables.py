"""Numbers of a robot file, and those of a robot that follow from them.

The file of a hexapod gives shared values of legs once, and may give joints by a few lengths and
angles, and rotations as roll, pitch and yaw. Of mechanisms lengths, places, masses and limits may
be varied: all except directions and rotations, which determine the kind of machine, and the
approximate bends of legs. The functions take numbers, symbols, or objects with their arithmetic.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, TypeVar

from pydantic import BaseModel

from gough.arrays import AnyNumber
from gough.fields import Dimension, read
from gough.robot.description import Robot
from gough.robot.legs.expansion import drawn_bodies, drawn_joints, drawn_legs
from gough.robot.legs.tables import Leg, motor_table
from gough.robot.mechanism import GEOMETRY
from gough.robot.mechanism_reading import WrittenMechanism, body_facts, written_legs
from gough.robot.numbers import as_stated, dimension_of, idle_keys, numbers_of, walk
from gough.robot.reading import WrittenRobot, home_of
from gough.robot.symmetric import Circles, Triangles, tangent

Numbers = Sequence[AnyNumber]
Values = Mapping[str, Numbers]
Facts = dict[str, Any]
T = TypeVar("T", bound=BaseModel)

HELD = (
    "axis", "axes", "across", "about", "mirror", "zero", "elbow", "moves", "frame", "rpy",
    "quaternion", "position_at_home", "chains", "coefficients",
)  # fmt: skip
"""Keys that determine the kind of a mechanism: another value would make it another one."""
_NOT_NUMBERS = ("copies", "mesh", "modes", "elements")
_OF_NO_LEG = ("platform.", "gravity", "couplings", "springs[")
_HOME, _SYMMETRIC = "platform.home", "symmetric."
_POSITION = f"{_HOME}.position"
_OF_LEGS = re.compile(r"legs\[(\d+)\]\.(.*)")
_JOINT = re.compile(r"joints\[(\d+)\]\.(.*)")  # a joint with its own table in the file


def stated_numbers(robot: Robot) -> dict[str, tuple[float, ...]]:
    """Return all numbers of the file that may be varied, in SI units, by their keys."""
    if robot.has_extensible_legs:
        of_hexapod = read(WrittenRobot, robot.written.in_full)
        found, home = dict(walk(of_hexapod, absent={})), of_hexapod.platform.home
        del found["home"]
        key, turn = ("quaternion", home.quaternion) if home.rpy is None else ("rpy", home.rpy)
        return found | {_POSITION: home.position, f"{_HOME}.{key}": turn}
    written = read(WrittenMechanism, robot.written.in_full)
    found = dict(walk(written, absent={}, without=_held))
    found[_POSITION] = written.platform.home.position
    for place, motor in _written_motors(written):
        found |= walk(motor, place, absent={}, without=_held)
    return found


def stated_dimension(robot: Robot, name: str) -> Dimension:
    """Return the dimension of one of these numbers."""
    if robot.has_extensible_legs:
        return dimension_of(read(WrittenRobot, robot.written.in_full), name)
    written = read(WrittenMechanism, robot.written.in_full)
    for place, motor in _written_motors(written):
        if name.startswith(f"{place}."):
            return dimension_of(motor, name.removeprefix(f"{place}."))
    return dimension_of(written, name)


def with_stated(robot: Robot, stated: Values) -> Robot:
    """Return the robot whose file has these numbers, by key; RobotError if there is none."""
    own = stated_numbers(robot)
    changed = {name: list(x) for name, x in stated.items() if tuple(x) != own[name]}
    return robot.replace({name: as_stated(name, x) for name, x in changed.items()})


def expanded(robot: Robot, stated: Values, of: ModuleType) -> list[AnyNumber]:
    """Return all numbers of the robot, in the order of its parameters, from those of its file.

    `of` has cosine, sine and root of the numbers.
    """
    joints = _joints(robot, stated, of)

    def origin(name: str, own: Sequence[float]) -> Numbers:
        if name == "home":
            return [*stated[_POSITION], *_quaternion(stated, of)]
        if leg := _OF_LEGS.fullmatch(name):
            shared = stated.get(f"leg.{leg[2]}", joints.get(name, own))
            return stated.get(name, shared)
        return stated.get(name, own)

    return [x for name, own in numbers_of(robot).items() for x in origin(name, own)]


def _joints(robot: Robot, stated: Values, of: ModuleType) -> Values:
    """Values of the legs from [symmetric]; empty without it."""
    symmetric = ((name, x) for name, x in stated.items() if name.startswith(_SYMMETRIC))
    given = {name.removeprefix(_SYMMETRIC): x for name, (x, *_) in symmetric}
    if not given:
        return {}
    layout = Circles if "base_radius" in given else Triangles
    found: dict[str, Numbers] = {}
    for k, (base, platform) in enumerate(layout.model_construct(**given).joints(of)):
        at = f"legs[{k}]"
        found |= {f"{at}.base": base, f"{at}.platform": platform}
        found[f"{at}.first_axis"] = tangent(base, of)
    return found


def _quaternion(stated: Values, of: ModuleType) -> Numbers:
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


def drawn_numbers(robot: Robot, stated: Values) -> Facts:
    """Return the numbers of the robot's bodies and joints, by name, from those in its file.

    Those of its geometry are included: `joints[3].at`. Those without a value in the file are not.
    """
    written = read(WrittenMechanism, robot.written.in_full)
    own = written_legs(written)
    legs = {place: _leg(leg, place, stated) for place, leg in own.items()}
    position = stated.get(_POSITION, written.platform.home.position)
    home = [*position, *home_of(written.platform.home, "platform.home")["quaternion"]]
    drawn = drawn_legs(legs, written.pattern, home)
    named = ((k, _with(body, stated, f"bodies[{k}]")) for k, body in enumerate(written.bodies))
    others = [body_facts(body, k) for k, body in named]
    bodies = [*(facts for leg in drawn for facts in drawn_bodies(leg)), *others]
    found: Facts = {"home": home}
    for name, x in stated.items():
        if name.startswith(_OF_NO_LEG) and name != _POSITION:
            found[name] = as_stated(name, x)
    for k, facts in enumerate(bodies):
        found |= dict(_flat(f"bodies[{k}]", facts))
    joints = [joint for leg in drawn for joint in drawn_joints(leg)]
    for k, (joint, facts) in enumerate(joints):
        found |= {f"joints[{k}].{key}": facts[key] for key in GEOMETRY if key in facts}
        found |= _limits(robot, k, joint.written, stated)
    for name, x in stated.items():
        if by_itself := _JOINT.fullmatch(name):
            found[f"joints[{len(joints) + int(by_itself[1])}].{by_itself[2]}"] = x
    first = len(joints) + len(written.joints)
    for k, own_joint in enumerate(robot.listed_joints[first:], first):  # those of chains stay
        found[f"joints[{k}].at"] = own_joint.at
    return found


def _held(record: BaseModel) -> tuple[str, ...]:
    return (*HELD, *_NOT_NUMBERS, "home", *idle_keys(record))


def _written_motors(written: WrittenMechanism) -> Iterator[tuple[str, BaseModel]]:
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
    facts: Facts = {}
    for key in ("base", "platform"):
        if (point := _said(stated, place, key)) is not None:
            facts[key] = tuple(point)
    at = place if any(name.startswith(f"{place}.links[") for name in stated) else "leg"
    facts["links"] = tuple(_with(x, stated, f"{at}.links[{k}]") for k, x in enumerate(leg.links))
    return leg.model_copy(update=facts)


def _said(stated: Values, place: str, rest: str) -> Numbers | None:
    """A leg's own numbers, or those of all legs."""
    return stated.get(f"{place}.{rest}", stated.get(f"leg.{rest}"))


def _with(record: T, stated: Values, at: str) -> T:
    """A record with its numbers."""
    facts: Facts = {}
    for key in type(record).model_fields:
        value, name = getattr(record, key), f"{at}.{key}"
        if isinstance(value, BaseModel):
            facts[key] = _with(value, stated, name)
        elif name in stated and value is not None:
            facts[key] = as_stated(key, stated[name])
    return record.model_copy(update=facts)


def _flat(at: str, facts: Facts) -> Iterator[tuple[str, Any]]:
    """Numbers of facts, and of records within them, by name."""
    for key, value in facts.items():
        if isinstance(value, BaseModel):
            inner = {inner: getattr(value, inner) for inner in type(value).model_fields}
            yield from _flat(f"{at}.{key}", inner)
        elif key not in ("name", "mesh") and value is not None:
            yield f"{at}.{key}", value


def _limits(robot: Robot, k: int, said_at: Mapping[str, str], stated: Values) -> Facts:
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
