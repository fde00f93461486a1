"""What robots are: hexapods, and machines of any kind. Frozen and hashable, in SI units."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import model_validator

from gough.arrays import Array
from gough.errors import InputError, RobotError
from gough.fields.changes import changed
from gough.fields.user_files import plain_data, with_places
from gough.robot.appearance import (
    MeshOfBody,
    meshes_of_bodies,
    meshes_of_ends,
    meshes_of_legs,
    without_meshes,
)
from gough.robot.card import hexapod_card, mechanism_card
from gough.robot.checks import check_machine
from gough.robot.elastic import FLEXIBILITY, Flexibility
from gough.robot.mechanism import BASE, PLATFORM, AnyJoint, Body, Driven, MovingPlatform
from gough.robot.reading import as_written, resolve, version_of
from gough.robot.records import (
    ALL_LEGS,
    VERSION,
    Actuator,
    Heading,
    Leg,
    Platform,
    SchemaVersion,
)
from gough.robot.writing import Written, plain_facts, written_form

_WRITTEN = "_written"
"""Where a robot remembers what it was made from: it does not matter when robots are compared."""


class Robot(Heading):
    """A parallel robot of any kind. Make one with `load` or `Robot.from_dict`."""

    platform: Platform

    def __repr__(self) -> str:
        return f"<gough {type(self).__name__.lower()} {self.name}>"

    __str__ = __repr__

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], *, file: Path | None = None, text: str = ""
    ) -> Robot:
        """Return the robot that data in the form of a robot file describe.

        Raises RobotError, which names the file if one is given; names of meshes count from its
        folder, or else from the current one. The robot remembers the data, and the text of the file
        if it is given, for `save` and `replace`.
        """
        try:
            robot = _described(with_places(data, file.parent if file else Path()))
        except InputError as error:
            raise as_written(error, data, file) from None
        with suppress(InputError):  # of records in place of tables
            robot.__dict__[_WRITTEN] = Written(plain_data(data), text, file)
        return robot

    @property
    def written(self) -> Written:
        """What it was made from, with units and [symmetric]; if it is no longer that, in full."""
        kept = self.__dict__.get(_WRITTEN)
        if isinstance(kept, Written) and _is_described(self, kept.in_full):
            return Written(plain_data(kept.data), kept.text, kept.file)  # a copy of the data
        return Written(self.to_dict())

    def replace(self, changes: Mapping[str, Any] | None = None, /, **top: Any) -> Robot:
        """Return a robot with other values at some places of what its file says.

        `robot.replace({"platform.mass": "12 kg", "legs[2].stroke": [0.8, 1.2]})` names places as
        the variations of studies do, without `robot.`; `robot.replace(name="heavier")` does so for
        keys at the top. A value takes the place of all that stood there; what is left stays as it
        is written. Raises RobotError.
        """
        try:
            data = self.written.in_full
            for path, value in _plain_changes(changes or {}, top).items():
                data = changed(data, path, value)
        except InputError as error:
            raise RobotError.of(error) from None
        return Robot.from_dict(data)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the robot as plain data in the form of a robot file, in SI units."""

    @property
    @abstractmethod
    def actuators(self) -> tuple[Actuator, ...]:
        """What moves it, in the order of positions q and forces."""

    @property
    @abstractmethod
    def meshes(self) -> tuple[MeshOfBody, ...]:
        """What its bodies look like in pages, of those that have a mesh."""

    @property
    def home(self) -> tuple[float, ...]:
        """The reference pose: x y z [m] qw qx qy qz."""
        return self.platform.home.position + self.platform.home.quaternion

    @property
    def parameters(self) -> Array:
        """All its numbers as one vector, which models with `parametric=True` take first."""
        from gough.robot.numbers import parameters_of  # noqa: PLC0415  (needed by few)

        return parameters_of(self).copy()

    @property
    def parameter_names(self) -> list[str]:
        """What each of the parameters is, such as `legs[2].cylinder.mass`."""
        from gough.robot.numbers import layout  # noqa: PLC0415

        return layout(self)

    def with_parameters(self, parameters: Any) -> Self:
        """The robot with other numbers, in the order of `parameter_names`; otherwise as it is.

        Raises RobotError if no robot can have them. Directions and the home's quaternion are
        brought to length one.
        """
        from gough.robot.numbers import with_parameters  # noqa: PLC0415

        return with_parameters(self, parameters)

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of all that affects numbers, which words and meshes do not."""
        facts = without_meshes(self.model_dump(exclude={"name", "reference", "notes"}))
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @property
    def identity(self) -> str:
        """Its name and the beginning of its fingerprint: what files say that are made of it."""
        return f"{self.name}, fingerprint {self.fingerprint[:16]}"


class Hexapod(Robot):
    """A Gough-Stewart platform with six extensible legs."""

    schema_version: SchemaVersion = "gough/1"
    flexibility: Flexibility | None = FLEXIBILITY
    legs: Annotated[tuple[Leg, ...], *ALL_LEGS]

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_machine(self)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the robot as plain data in the form of a robot file, in SI units."""
        return written_form(self)

    @property
    def elastic(self) -> bool:
        """Whether all legs yield, so that it has a stiffness."""
        return all(leg.yields for leg in self.legs)

    def _repr_html_(self) -> str:
        return hexapod_card(self)

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """The legs' slides."""
        return tuple(leg.actuator(k) for k, leg in enumerate(self.legs, 1))

    @property
    def meshes(self) -> tuple[MeshOfBody, ...]:
        """Those of base, platform, cylinders and pistons."""
        ends = meshes_of_ends(self.base_mesh, self.platform.mesh)
        return (*ends, *meshes_of_legs(self.legs))


class Mechanism(Robot):
    """A machine of any kind: its platform, its other bodies and its joints, drawn at home."""

    schema_version: Annotated[Literal["gough/2"], VERSION] = "gough/2"
    platform: MovingPlatform
    bodies: tuple[Body, ...]
    joints: tuple[AnyJoint, ...]

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_connections(self)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the robot as plain data in the form of a robot file, in SI units."""
        return plain_facts(self)

    def _repr_html_(self) -> str:
        return mechanism_card(self)

    @property
    def elastic(self) -> bool:
        """Whether all driven joints yield, so that it has a stiffness."""
        return all("stiffness" in joint.springs for joint in self.driven)

    @property
    def links_yield(self) -> bool:
        """Whether links bend or bearings give way, so that bodies leave their freedoms."""
        parts = (("beam", self.bodies), ("bearing", self.joints))
        return any(getattr(part, key, None) is not None for key, each in parts for part in each)

    @property
    def with_rigid_links(self) -> Mechanism:
        """The machine without beams and bearings that give way."""
        bodies = tuple(_without(body, "beam") for body in self.bodies)
        return self.with_rigid_bearings.model_copy(update={"bodies": bodies})

    @property
    def with_rigid_bearings(self) -> Mechanism:
        """The machine without bearings that give way."""
        joints = tuple(_without(joint, "bearing") for joint in self.joints)
        return self.model_copy(update={"joints": joints})

    @property
    def springs(self) -> dict[str, float]:
        """The numbers of all that yields in it, by place: none if it has no stiffness."""
        parts = {"bodies": self.bodies, "joints": self.joints}
        return {
            f"{name}[{k}].{key}": number
            for name, records in parts.items()
            for k, record in enumerate(records if self.elastic else ())
            for key, number in record.springs.items()
        }

    @property
    def driven(self) -> tuple[Driven, ...]:
        """The driven joints, in the order in which positions and efforts are given."""
        return tuple(j for j in self.joints if isinstance(j, Driven) and j.driven)

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """The driven joints."""
        places = {joint.name: f"joints[{k}]" for k, joint in enumerate(self.joints)}
        return tuple(joint.actuator(places[joint.name]) for joint in self.driven)

    @property
    def meshes(self) -> tuple[MeshOfBody, ...]:
        """Those of base, platform and all other bodies."""
        ends = meshes_of_ends(self.base_mesh, self.platform.mesh)
        return (*ends, *meshes_of_bodies((body.name, body) for body in self.bodies))


def _without(part: Any, key: str) -> Any:
    """A body or joint without something of it."""
    return part if getattr(part, key, None) is None else part.model_copy(update={key: None})


def _plain_changes(changes: Any, top: dict[str, Any]) -> dict[str, Any]:
    """Values by place, as plain data."""
    if not isinstance(changes, Mapping):
        expected = 'values by place, like {"platform.mass": 12}'
        raise InputError("not a table", value=changes, expected=expected)
    plain: dict[str, Any] = plain_data({**changes, **top})
    return plain


def _is_described(robot: Robot, data: Mapping[str, Any]) -> bool:
    """Whether data still say what a robot is: files that they name may have changed, or be gone."""
    try:
        return _described(data) == robot
    except InputError:
        return False


def _described(data: Mapping[str, Any]) -> Robot:
    version = version_of(data)
    if version != "gough/1":
        from gough.robot.mechanism_reading import (  # noqa: PLC0415  (slow)
            key_of_mechanisms,
            resolved_mechanism,
        )

        if version is None and (key := key_of_mechanisms(data)):
            expected = f'"gough/2", as {key} is a key of machines of any kind'
            raise InputError("missing", key="schema", expected=expected)
        if version == "gough/2":
            return Mechanism(**resolved_mechanism(data))
    return Hexapod(**resolve(data))


def check_connections(mechanism: Mechanism) -> None:
    """Check that names are unique, and that joints join two different bodies that there are."""
    if not mechanism.joints:
        expected = "[leg] or [[legs]], or [[bodies]] and [[joints]]"
        raise InputError("a machine without joints", key="joints", expected=expected)
    bodies = [body.name for body in mechanism.bodies]
    found = [*_twice("bodies", (BASE, PLATFORM, *bodies), reserved=2)]
    found += _twice("joints", [joint.name for joint in mechanism.joints])
    for k, joint in enumerate(mechanism.joints):
        found += _strangers(joint.between, f"joints[{k}].between", {BASE, PLATFORM, *bodies})
    if found:
        raise InputError.together(found)


def _twice(key: str, names: Sequence[str], reserved: int = 0) -> Iterator[InputError]:
    for k, name in enumerate(names):
        if name in names[:k]:
            place = f"{key}[{k - reserved}].name"
            yield InputError("a name given twice", key=place, value=name, expected="another one")


def _strangers(pair: tuple[str, str], key: str, known: set[str]) -> Iterator[InputError]:
    for k, name in enumerate(pair):
        if name not in known:
            expected = f"one of {', '.join(sorted(known))}"
            yield InputError("no such body", key=f"{key}[{k}]", value=name, expected=expected)
    if pair[0] == pair[1]:
        expected = "two different bodies"
        yield InputError("a joint of a body with itself", key=key, value=pair, expected=expected)
