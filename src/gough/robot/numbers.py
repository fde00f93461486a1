"""All numbers of a robot as one vector, each with a name, and back.

All numbers of a file are in it. A limit that is not given is infinite, a radius or an offset zero,
a gain one. Inertia tensors are given by six numbers: xx, yy, zz, xy, xz, yz. The geometry of
mechanisms is not among them: few keep their degrees of freedom when a point moves; see `variables`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from gough.arrays import Array, numeric
from gough.disk.plain_data import PlainData
from gough.errors import GoughError, nearest
from gough.fields import Dimension, units
from gough.fields.changes import parts
from gough.robot.mechanism import GEOMETRY, OF_MOTORS, Coupling, Driven, Joint, MovingPlatform
from gough.robot.records import Home

if TYPE_CHECKING:
    from gough.robot.description import Robot


R = TypeVar("R", bound="Robot")
Numbers = Mapping[str, tuple[float, ...]]
Left = Callable[[BaseModel], tuple[str, ...]]  # from a record to its keys to leave out

UPPER = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])
"""Rows and columns of the six numbers of a tensor."""
NOT_STATED: Numbers = {
    **dict.fromkeys(("stroke", "range"), (-inf, inf)),
    **dict.fromkeys(("max_force", "max_torque", "max_speed", "max_power", "max_bandwidth"), (inf,)),
    **dict.fromkeys(("max_current", "max_voltage"), (inf,)),
    **dict.fromkeys(("base_joint_limit", "platform_joint_limit", "limit"), (inf,)),
    **dict.fromkeys(("radius", "length_offset", "offset"), (0.0,)),
    "gain": (1.0,),
}
"""Default values of numbers that a file does not give, by key."""

_HOME = "platform.home"
_ANY = 0.5  # a number that is the default of none
_APART = ("mesh", "base_mesh", "platform_modes", "branch")  # keys whose numbers are no parameters
_ENDS = {
    "stroke": (".shortest", ".longest"),
    "range": (".smallest", ".largest"),
    "rpy": (".roll", ".pitch", ".yaw"),
}
MATRICES = {rows**2: rows for rows in (6, 18)}  # rows of square matrices, by their numbers
_PARTS = {
    1: ("",),
    3: (".x", ".y", ".z"),
    4: (".qw", ".qx", ".qy", ".qz"),
    6: (".xx", ".yy", ".zz", ".xy", ".xz", ".yz"),
    7: (".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"),
    **{
        count: tuple(f"[{i}][{j}]" for i in range(rows) for j in range(rows))
        for count, rows in MATRICES.items()
    },
}
"""Suffixes of the numbers of a vector, quaternion, tensor, pose and matrix, by their count."""
_SUFFIXES = (x for some in (*_PARTS.values(), *_ENDS.values()) for x in some if x)
_PART = re.compile(rf"({'|'.join(map(re.escape, _SUFFIXES))})$")


def idle_keys(record: BaseModel) -> tuple[str, ...]:
    """Return the keys of a motor, for a joint without one."""
    return OF_MOTORS if isinstance(record, Driven) and not record.driven else ()


def _left_out(record: BaseModel) -> tuple[str, ...]:
    """Keys of a mechanism's geometry, and those of motors that do not exist."""
    if isinstance(record, MovingPlatform):
        return ("home", "moves")
    if isinstance(record, Coupling):
        return ("ratio", "coefficients")
    return (*GEOMETRY, *idle_keys(record)) if isinstance(record, Joint) else ()


@lru_cache(maxsize=256)
def numbers_of(robot: Robot) -> dict[str, tuple[float, ...]]:
    """Return all numbers by name: one, a vector, six of a tensor, a pose."""
    return dict(walk(robot))


def layout(robot: Robot) -> list[str]:
    """Return the name of each entry of the vector, such as `legs[2].cylinder.inertia.xy`."""
    return [*_layout(robot)]


@lru_cache(maxsize=256)
def _layout(robot: Robot) -> tuple[str, ...]:
    return tuple(one_by_one(numbers_of(robot)))


def one_by_one(numbers: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the name of each of the numbers."""
    return [
        name + part
        for name, some in numbers.items()
        for part in _ENDS.get(name.rpartition(".")[2], _PARTS.get(len(some), ()))
    ]


def vector_of(name: str) -> str:
    """Return the name of the vector, tensor or range that one of its numbers belongs to."""
    return _PART.sub("", name)


def matching(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the names that match patterns, pattern by pattern, each once.

    A star stands for anything between two brackets or dots; a name matches everything below it.
    """
    if isinstance(patterns, str) or not isinstance(patterns, Iterable):
        raise GoughError(f"patterns are {patterns!r:.80}; expected a list of names or patterns")
    found: dict[str, None] = {}
    for pattern in patterns:
        meant = meant_by(names, pattern)
        if not meant:
            near = nearest(str(pattern), names)
            hint = f"did you mean {near}?" if near else f"expected names such as {names[0]}"
            raise GoughError(f"no parameter is called {pattern!r}; {hint}")
        found |= dict.fromkeys(meant)
    return list(found)


def meant_by(names: Sequence[str], pattern: object) -> list[str]:
    """Return the names that match a pattern."""
    wanted = re.compile(re.escape(str(pattern)).replace(r"\*", r"[^.\[\]]*") + r"(?=$|[.\[])")
    return [name for name in names if wanted.match(name)]


@lru_cache(maxsize=256)
def places_of(robot: Robot) -> dict[str, slice]:
    """Return the places of `numbers_of` in the vector."""
    ends = np.cumsum([0, *map(len, numbers_of(robot).values())]).tolist()
    return {name: slice(*ends[k : k + 2]) for k, name in enumerate(numbers_of(robot))}


@lru_cache(maxsize=256)
def parameters_of(robot: Robot) -> Array:
    """Return all numbers of the robot, (n); read-only."""
    vector = np.array([*chain.from_iterable(numbers_of(robot).values())])
    vector.setflags(write=False)
    return vector


def with_parameters(robot: R, vector: ArrayLike) -> R:
    """Return the robot with other numbers; RobotError, with the key, if no robot can have them."""
    given, own = numeric(vector), parameters_of(robot)
    if given is None or given.shape != own.shape:
        shape = "no numbers" if given is None else f"shape {given.shape}"
        raise GoughError(f"parameters of {robot.name}: {shape}; expected ({len(own)},)")
    return type(robot)(**_data_with(robot, given.astype(float)))


def differ_in_numbers_alone(robot: Robot, other: Robot) -> bool:
    """Whether a robot has the same as another one beside its numbers, and of these as many."""
    return type(robot) is type(other) and _beside_numbers(robot) == _beside_numbers(other)


@lru_cache(maxsize=64)
def _beside_numbers(robot: Robot) -> tuple[tuple[str, ...], str]:
    """Return the names of a robot's numbers, and as text the robot with others in their places."""
    names = _layout(robot)
    return names, repr(_data_with(robot, np.full(len(names), _ANY)))


def _data_with(robot: Robot, numbers: Array) -> PlainData:
    data = robot.model_dump(by_alias=True)
    for name, place in places_of(robot).items():
        _put(data, name, numbers[place].tolist())
    return data


def walk(
    record: BaseModel, at: str = "", absent: Numbers = NOT_STATED, without: Left = _left_out
) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield the numbers of a record and of those within it, in the order of its keys.

    Meshes are left out, and the keys of `without`: by default the geometry of mechanisms.
    """
    left_out = without(record)
    for key in _keys(type(record)):
        value, name = getattr(record, key), f"{at}.{key}" if at else key
        if key in left_out or value == ():
            continue
        numbers = absent.get(key) if value is None else _floats(value)
        if numbers is not None:
            yield name, numbers
        elif isinstance(value, Home):
            yield "home", (*value.position, *value.quaternion)
        elif isinstance(value, BaseModel):
            yield from walk(value, name, absent, without)
        elif isinstance(value, list | tuple) and value and isinstance(value[0], BaseModel):
            for k, item in enumerate(value):
                yield from walk(item, f"{name}[{k}]", absent, without)
        elif (numbers := _flat(value)) is not None:
            yield name, numbers


@cache
def _keys(record: type[BaseModel]) -> tuple[str, ...]:
    """The keys of a record except those of meshes and of reduced matrices."""
    return tuple(key for key in record.model_fields if key not in _APART)


def _floats(value: object) -> tuple[float, ...] | None:
    """One number, or several in a tuple, as most values are; None for anything else."""
    if value.__class__ is float:
        return (value,)
    if value and value.__class__ is tuple and all(x.__class__ is float for x in value):
        return tuple(value)
    return None


def _flat(value: object) -> tuple[float, ...] | None:
    """The numbers of a value; None if it has none."""
    if value in (None, ()) or isinstance(value, bool | str) or (array := numeric(value)) is None:
        return None
    entries = array[UPPER] if array.shape == (3, 3) else array.ravel()
    return tuple(entries.astype(float).tolist())


def _put(data: PlainData, name: str, numbers: list[float]) -> None:
    """Set numbers at a name in plain data."""
    way = parts(_HOME if name == "home" else name)
    place: Any = data
    for part in way[:-1]:
        place = place[part]
    key = way[-1]
    if tuple(numbers) == NOT_STATED.get(str(key)) and (place[key] is None or inf in numbers):
        place[key] = None
    else:
        place[key] = as_stated(str(key), numbers)


def as_stated(name: str, numbers: Sequence[Any]) -> Any:
    """Return numbers in the form of a file or record at a key."""
    key = name.rpartition(".")[2]
    if key == "home":
        return {"position": numbers[:3], "quaternion": numbers[3:]}
    if key == "inertia":
        xx, yy, zz, xy, xz, yz = numbers
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    if (rows := MATRICES.get(len(numbers))) is not None:
        return np.reshape(numbers, (rows, rows)).tolist()
    return list(numbers) if len(numbers) > 1 else numbers[0]


def dimension_of(robot: BaseModel, name: str) -> Dimension:
    """Return the dimension of a number of a robot or its file: of `legs[2].base.x` a length."""
    if name.startswith("home."):
        return units.NUMBER if name.rpartition(".")[2].startswith("q") else units.LENGTH
    record: Any = robot
    for part in parts(name):
        if isinstance(part, int):
            record = record[part]
            continue
        if (found := _stated(type(record).model_fields[part])) is not None:
            return found
        record = getattr(record, part)
    raise AssertionError(name)  # what leads to no quantity is not among the parameters


def _stated(field: FieldInfo) -> Dimension | None:
    """Dimension of a field by its type; None for a table, or a list of them."""
    options = (option for option in get_args(field.annotation) if hasattr(option, "__metadata__"))
    types = [*field.metadata, *(kind for option in options for kind in option.__metadata__)]
    return next((kind.dimension for kind in types if hasattr(kind, "dimension")), None)
