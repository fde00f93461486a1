"""Descriptions of robots: hexapods and general mechanisms. Frozen and hashable, in SI units."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import InputError, RobotError
from gough.fields.changes import changed
from gough.fields.user_files import named_files, plain_data, with_places
from gough.poses import transform
from gough.robot import mechanism
from gough.robot.appearance import MeshOfBody, meshes_of, without_meshes
from gough.robot.card import robot_card
from gough.robot.checks import check_machine, given_twice, leg_spring_problems
from gough.robot.elastic import FLEXIBILITY, Flexibility
from gough.robot.home.configuration import HomeConfiguration, parts_at_home
from gough.robot.numbers import layout, parameters_of, with_parameters
from gough.robot.reading import as_written, resolve, version_of
from gough.robot.records import ALL_LEGS, VERSION, Actuator, Heading, Leg, Platform, SchemaVersion
from gough.robot.writing import WHERE_GIVEN, Written, written_form

_SINGLE = "joint with one degree of freedom"
_HASH, _WRITTEN, _UNCHANGED = "_hash", "_written", "_unchanged"
"""Attributes of a robot that do not count when robots are compared: its hash, its source, and
whether it certainly is what the source describes."""


class Robot(Heading):
    """A parallel robot. Make one with `load` or `Robot.from_dict`.

    >>> import gough
    >>> gough.load("kalani-2016").replace({"platform.mass": "3 kg"}).platform.mass
    3.0
    """

    platform: Platform
    has_extensible_legs: ClassVar[bool] = False
    """Whether each of its legs extends between a joint of the base and a ball of the platform."""

    def __repr__(self) -> str:
        branch = getattr(self, "branch", None)
        on = f", branch {list(branch)}" if branch else ""
        return f"<gough {type(self).__name__.lower()} {self.name}{on}>"

    __str__ = __repr__

    def __hash__(self) -> int:
        """Return a number that equal robots share: it is found once, and asked for very often."""
        if _HASH not in self.__dict__:
            values = tuple(getattr(self, name) for name in type(self).model_fields)
            self.__dict__[_HASH] = hash((type(self), values))
        return int(self.__dict__[_HASH])

    def __copy__(self) -> Self:
        copied = super().__copy__()
        for known in (_HASH, _UNCHANGED):  # it may be changed
            copied.__dict__.pop(known, None)
        return copied

    def __getstate__(self) -> PlainData:
        state = super().__getstate__()  # in another process it is another number
        return state | {"__dict__": {k: x for k, x in self.__dict__.items() if k != _HASH}}

    def _repr_html_(self) -> str:
        return robot_card(self)

    @classmethod
    def from_dict(cls, data: PlainMapping, *, file: Path | None = None, text: str = "") -> Robot:
        """Return the robot described by data in the form of a robot file.

        Raises RobotError, which names the file if one is given; paths of meshes are relative to its
        folder, or else to the current one. The robot keeps the data, and the text of the file if it
        is given, for `save` and `replace`.
        """
        try:
            robot = _described(with_places(data, file.parent if file else Path()))
        except InputError as error:
            raise as_written(error, data, file) from None
        with suppress(InputError):  # of records in place of tables
            robot.__dict__[_WRITTEN] = source = Written(plain_data(data), text, file)
            robot.__dict__[_UNCHANGED] = not named_files(source.data)
        return robot

    @property
    def written(self) -> Written:
        """Source of the robot, with units and [symmetric]; in full if it has changed since."""
        source = self.__dict__.get(_WRITTEN)
        sure = self.__dict__.get(_UNCHANGED, False)
        if isinstance(source, Written) and (sure or _is_described(self, source.in_full)):
            return Written(plain_data(source.data), source.text, source.file)  # a copy of the data
        return Written(self.to_dict())

    def replace(self, changes: PlainMapping | None = None, /, **top: object) -> Robot:
        """Return a robot with other values at some keys of its file.

        `robot.replace({"platform.mass": "12 kg", "legs[2].stroke": [0.8, 1.2]})` names keys as
        the variations of studies do, without `robot.`; `robot.replace(name="heavier")` does so for
        keys at the top. A value replaces everything at its key; the rest stays as it is written.
        Raises RobotError.
        """
        try:
            data = self.written.in_full
            for path, value in _plain_changes(changes or {}, top).items():
                data = changed(data, path, value)
        except InputError as error:
            raise RobotError.of(error) from None
        return Robot.from_dict(data)

    def to_dict(self) -> PlainData:
        """Return the robot as plain data in the form of a robot file, in SI units."""
        return written_form(self)

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """Actuators, in the order of positions q and forces: of legs, or driven joints."""
        legs = (leg.actuator(k) for k, leg in enumerate(self.extensible_legs, 1))
        joints = ((k, joint) for k, joint in enumerate(self.listed_joints) if joint.is_driven)
        driven = (j.actuator(f"joints[{k}]") for k, j in joints if isinstance(j, mechanism.Driven))
        return (*legs, *driven)

    @property
    def extensible_legs(self) -> tuple[Leg, ...]:
        """Legs that extend between two points each: those of a hexapod, else none."""
        return self._parts("legs")

    @property
    def has_compliant_links(self) -> bool:
        """Whether links, bearings or a platform with mass of its own are compliant."""
        legs = [part for leg in self.extensible_legs for part in (leg.cylinder, leg.piston)]
        parts = (("beam", (*self.listed_bodies, *legs)), ("bearing", self.listed_joints))
        frame = getattr(getattr(self, "flexibility", None), "platform_modes", None)
        found = (getattr(part, key, None) for key, each in parts for part in each)
        return frame is not None or any(part is not None for part in found)

    @property
    def drive_stiffness(self) -> tuple[float, ...]:
        """Stiffness of the drives of driven joints [N m/rad, N/m]; inf where they are rigid."""
        stated = (j.springs.get("stiffness", inf) for j in self.listed_joints if j.is_driven)
        return tuple(stated) or (inf,) * len(self.actuators)

    def drive_stiffness_at(self, pose: ArrayLike) -> tuple[float, ...]:
        """Return the stiffness of drives [N m/rad, N/m] at a pose (7); a leg's with its length."""
        return self.drive_stiffness

    @property
    def with_rigid_links(self) -> Robot:
        """The machine with rigid links and bearings; kernels of hexapods know no others."""
        return self

    @property
    def freedom_rows(self) -> Array:
        """Rows S (n, 6) of the independent velocities u = S · twist of the platform."""
        units = dict(zip(mechanism.MOVES, np.eye(len(mechanism.MOVES)), strict=True))
        moves = getattr(self.platform, "moves", mechanism.MOVES)
        return np.array([units[row] if isinstance(row, str) else row for row in moves])

    @property
    def bodies_and_joints(self) -> HomeConfiguration:
        """Its bodies and joints in the home configuration."""
        return HomeConfiguration(self, *parts_at_home(self))

    @property
    def meshes(self) -> tuple[MeshOfBody, ...]:
        """Meshes of its bodies in pages, of those that have one."""
        return tuple(meshes_of(self))

    @property
    def listed_bodies(self) -> tuple[mechanism.Body, ...]:
        """Bodies that its file lists beside the platform; none of hexapods."""
        return self._parts("bodies")

    @property
    def listed_joints(self) -> tuple[mechanism.AnyJoint, ...]:
        """Joints that its file lists; none of hexapods, whose legs have them."""
        return self._parts("joints")

    @property
    def listed_couplings(self) -> tuple[mechanism.Coupling, ...]:
        """Couplings between joints; none of hexapods."""
        return self._parts("couplings")

    def _parts(self, key: str) -> tuple[Any, ...]:
        return tuple(getattr(self, key, ()))

    @property
    def home(self) -> tuple[float, ...]:
        """The reference pose: x y z [m] qw qx qy qz."""
        return self.platform.home.position + self.platform.home.quaternion

    @property
    def parameters(self) -> Array:
        """All its numbers as one vector, which models with `parametric=True` take first."""
        return parameters_of(self).copy()

    @property
    def parameter_names(self) -> list[str]:
        """Names of the parameters, such as `legs[2].cylinder.mass`."""
        return layout(self)

    def with_parameters(self, parameters: ArrayLike) -> Self:
        """Return the robot with other numbers, in the order of `parameter_names`.

        Raises RobotError if no robot can have them. Directions and the home's quaternion are
        normalised.
        """
        return with_parameters(self, parameters)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything that affects numbers; texts and meshes do not."""
        return _fingerprint(self)

    @property
    def identity(self) -> str:
        """Its name and the beginning of its fingerprint, as written in files generated from it."""
        return f"{self.name}, fingerprint {self.fingerprint[:16]}"


@lru_cache(maxsize=256)
def _fingerprint(robot: Robot) -> str:
    facts = without_meshes(robot.model_dump(exclude={"name", "reference", "notes"}))
    facts = {key: x for key, x in facts.items() if x or key not in WHERE_GIVEN}
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class Hexapod(Robot):
    """A Gough-Stewart platform with six extensible legs.

    >>> import gough
    >>> robot = gough.load("kalani-2016")
    >>> isinstance(robot, gough.Hexapod), len(robot.legs)
    (True, 6)
    """

    has_extensible_legs: ClassVar[bool] = True
    schema_version: SchemaVersion = "gough/1"
    flexibility: Flexibility | None = FLEXIBILITY
    legs: Annotated[tuple[Leg, ...], *ALL_LEGS]

    def _check(self) -> None:
        check_machine(self)
        names = [*self.bodies_and_joints.bodies]
        found = [*_spring_problems(self, names), *leg_spring_problems(self)]
        if found:
            raise InputError.together(found)

    @property
    def elastic(self) -> bool:
        """Whether all legs are compliant, so that the robot has a stiffness."""
        return all(leg.is_compliant for leg in self.legs)

    def drive_stiffness_at(self, pose: ArrayLike) -> tuple[float, ...]:
        """Return the stiffness of the springs along each leg [N/m] at a pose (7)."""
        ends = zip(transform(pose, [leg.platform for leg in self.legs]), self.legs, strict=True)
        found = [leg.axial_compliance(float(np.linalg.norm(end - leg.base))) for end, leg in ends]
        return tuple(1 / c if c else inf for c in found)


class Mechanism(Robot):
    """A parallel mechanism: its platform, other bodies and joints in the home configuration.

    >>> import gough
    >>> robot = gough.load("delta")
    >>> isinstance(robot, gough.Mechanism), len(robot.joints)
    (True, 15)
    """

    schema_version: Annotated[Literal["gough/2"], VERSION] = "gough/2"
    platform: mechanism.MovingPlatform
    bodies: tuple[mechanism.Body, ...]
    joints: tuple[mechanism.AnyJoint, ...]
    branch: mechanism.Branch | None = mechanism.BRANCH
    couplings: tuple[mechanism.Coupling, ...] = ()

    def _check(self) -> None:
        """Check that names are unique, and that joints are between two different known bodies."""
        if not self.joints:
            expected = "[leg] or [[legs]], or [[bodies]] and [[joints]]"
            raise InputError("a machine without joints", key="joints", expected=expected)
        bodies = [body.name for body in self.bodies]
        found = [*given_twice("bodies", (mechanism.BASE, mechanism.PLATFORM, *bodies), reserved=2)]
        found += given_twice("joints", [joint.name for joint in self.joints])
        known = {mechanism.BASE, mechanism.PLATFORM, *bodies}
        for k, joint in enumerate(self.joints):
            found += _strangers(joint.between, f"joints[{k}].between", known)
        found += given_twice("couplings", [coupling.name for coupling in self.couplings])
        single = {joint.name for joint in self.joints if len(joint.kind.steps) == 1}
        for k, coupling in enumerate(self.couplings):
            found += _strangers(coupling.joints, f"couplings[{k}].joints", single, _SINGLE)
        found += _spring_problems(self, (mechanism.PLATFORM, *bodies))
        if found:
            raise InputError.together(found)
        parts = {body.name for body in self.bodies if body.beam and body.beam.length is not None}
        slides = [j for j in self.joints if j.type == "P" and parts.issuperset(j.between)]
        if alone := sorted(parts.difference(*(joint.between for joint in slides))):
            key = f"bodies[{bodies.index(alone[0])}].beam.length"
            expected = "a slide between two bodies whose beams have a length, or no length"
            raise InputError("a part of no telescoping leg", key=key, expected=expected)
        if soft := [joint for joint in slides if getattr(joint, "bearing", None) is not None]:
            key = f"joints[{self.joints.index(soft[0])}].bearing"
            expected = "none beside such beams"
            raise InputError("a bearing between telescoping beams", key=key, expected=expected)
        screws = [f"joints[{k}]" for k, joint in enumerate(self.joints) if joint.kind.is_screw]
        if screws and self.has_compliant_links:
            expected = "no beams and bearings in a machine with screw joints"
            raise InputError("compliant links", key=screws[0], value="H", expected=expected)

    @property
    def elastic(self) -> bool:
        """Whether all driven joints are compliant, so that it has a stiffness."""
        return all("stiffness" in joint.springs for joint in self.driven)

    @property
    def with_rigid_links(self) -> Mechanism:
        """The machine with rigid links and bearings."""
        bodies = tuple(_without(body, "beam") for body in self.bodies)
        return self.with_rigid_bearings.model_copy(update={"bodies": bodies})

    @property
    def with_rigid_bearings(self) -> Mechanism:
        """The machine with rigid bearings."""
        joints = tuple(_without(joint, "bearing") for joint in self.joints)
        return self.model_copy(update={"joints": joints})

    @property
    def stiffness_values(self) -> dict[str, float]:
        """Stiffness values of all compliant parts, by key; empty if it has no stiffness."""
        parts = {"bodies": self.bodies, "joints": self.joints}
        return {
            f"{name}[{k}].{key}": number
            for name, records in parts.items()
            for k, record in enumerate(records if self.elastic else ())
            for key, number in record.springs.items()
        }

    @property
    def driven(self) -> tuple[mechanism.Driven, ...]:
        """The driven joints, in the order in which positions and efforts are given."""
        return tuple(j for j in self.joints if isinstance(j, mechanism.Driven) and j.driven)


def _without(part: Any, key: str) -> Any:
    return part if getattr(part, key, None) is None else part.model_copy(update={key: None})


def _plain_changes(changes: object, top: PlainData) -> PlainData:
    """Values by key, as plain data."""
    if not isinstance(changes, Mapping):
        expected = 'values by key, like {"platform.mass": 12}'
        raise InputError("not a table", value=changes, expected=expected)
    plain: PlainData = plain_data({**changes, **top})
    return plain


def _is_described(robot: Robot, data: PlainMapping) -> bool:
    """Whether data still describe a robot: files that they name may have changed, or be gone."""
    with suppress(InputError):
        return _described(data) == robot
    return False


def _described(data: PlainMapping) -> Robot:
    if version_of(data) == "gough/2":
        from gough.robot.mechanism_reading import resolved_mechanism  # noqa: PLC0415  (slow)

        return Mechanism(**resolved_mechanism(data))
    return Hexapod(**resolve(data))


def _strangers(
    names: tuple[str, ...], key: str, known: set[str], kind: str = "body"
) -> Iterator[InputError]:
    for k, name in enumerate(names):
        if name not in known:
            expected = f"one of {', '.join(sorted(known))}"
            yield InputError(f"no such {kind}", key=f"{key}[{k}]", value=name, expected=expected)
    if names[0] == names[1]:
        expected = "two different bodies"
        yield InputError("the same body twice", key=key, value=names, expected=expected)


def _spring_problems(robot: Robot, moving: Sequence[str]) -> Iterator[InputError]:
    yield from given_twice("springs", [spring.name for spring in robot.springs])
    for k, spring in enumerate(robot.springs):
        yield from _strangers(spring.between, f"springs[{k}].between", {mechanism.BASE, *moving})


class ActuatorNames(NamedTuple):
    """Names of a machine's actuators: "leg 1" is "1" for short, under the word "leg"."""

    word: str  # word for one of them, as "leg"
    short: tuple[str, ...]  # name of each for use beside the word
    titles: tuple[str, ...]  # name of each for use by itself: "Leg 1", or the joint's own name


def actuator_names(robot: Robot) -> ActuatorNames:
    """Return the names of the actuators; names that differ in a number only share their word."""
    names = tuple(actuator.name for actuator in robot.actuators)
    parts = [name.rpartition(" ") for name in names]
    words = {word for word, _, _ in parts}
    if len(words) == 1 and all(number.isdigit() for *_, number in parts) and "" not in words:
        titles = tuple(name[:1].upper() + name[1:] for name in names)
        return ActuatorNames(words.pop(), tuple(number for *_, number in parts), titles)
    return ActuatorNames("actuator", names, names)
