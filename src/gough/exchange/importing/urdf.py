"""A URDF file and the file of its loops, motors and kinds of joints beside it as a machine.

That is `robot.yaml` of [Gepetto, example-parallel-robots]: `closed_loop` has pairs of frames, links
or joints by name; `type` is "6d" or "3d" for each; `name_mot` has the driven joints; `joint_name`
and `joint_type` say which joints of the URDF are balls, universal joints or fixed. In its older
form `name_closedloop` begins the names of pairs of frames, of `closed_loop_number` or of all that
there are, and `name_mot` is in those of the motors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from xml.etree import ElementTree as Xml

import numpy as np
from pydantic import AfterValidator, BeforeValidator, model_validator

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import InputError, RobotError, about_file, needing
from gough.exchange.importing import elements as xml
from gough.exchange.importing.file_machine import (
    MOST_LINKS,
    FileBody,
    FileCoupling,
    FileFreedom,
    FileJoint,
    FileMachine,
    Holds,
)
from gough.exchange.tree.urdf import AXES, JOINT_KINDS, UNLIMITED
from gough.fields import FileTable, plain_data, read, read_text
from gough.fields.values import as_list, as_texts
from gough.robot import FREE_FALL

JointType = Literal[
    "SPHERICAL", "FIXED",
    "UJOINT_XY", "UJOINT_XZ", "UJOINT_YX", "UJOINT_YZ", "UJOINT_ZX", "UJOINT_ZY",
]  # fmt: skip
MOST_BYTES = 2**18  # maximum size of a file of loops
_COMMAND = "command_interface"
_READ = {
    "link": "inertial visual collision",
    "joint": "origin parent child axis limit dynamics mimic",
    "loop": "predecessor successor axis limit dynamics",
    "transmission/actuator": "mechanicalReduction hardwareInterface",
}
"""Contents of elements that have a place in a robot file, or that say nothing about the machine."""
_ASSUMED = "Gravity is 9.81 m/s^2 against z, as URDF says nothing of it."


def urdf_machine(root: Xml.Element, path: Path, loops: Path | None) -> FileMachine:
    """Return the machine of a URDF's root, with loops and motors of their file, or of its own."""
    stated = None if loops is None else read_loops(loops)
    with about_file(path):
        links, elements = (xml.named(root.findall(tag)) for tag in ("link", "joint"))
        beside = stated.named(links, elements) if stated else _in_itself(root, links, elements)
        bodies, joints = dict[str, FileBody](), list[FileJoint]()
        for name, element in _in_order(links, elements):
            place = np.eye(4)
            if element is not None:
                parent = xml.word(element, "parent@link")
                place = bodies[parent].place @ _origin(element)
                freedoms = (freedom.moved(place) for freedom in _freedoms(element, beside))
                joints.append(FileJoint(name, (parent, name), tuple(freedoms)))
            bodies[name] = _body(links[name]).moved(place)
        single = {f.name for joint in joints for f in joint.freedoms if f.is_single}
        couplings = {c.joints[0]: c for c in _couplings(elements) if {*c.joints} <= single}
        left_out = tuple(_left_out(root, elements, beside, couplings))
    owners = {name: xml.word(joint, "child@link") for name, joint in elements.items()}
    owners |= {name: name for name in bodies}
    frames = {name: (body, bodies[body].place) for name, body in owners.items()}
    with about_file(loops or path):
        for key, names in (("name_mot", beside.name_mot), ("joint_name", beside.joint_name)):
            for joint in names:
                xml.refuse_unknown("joint", joint, elements, key, "a joint of the URDF file")
        types = beside.type or ("6d",) * len(beside.closed_loop)
        for k, (pair, type_) in enumerate(zip(beside.closed_loop, types, strict=True)):
            for end in pair:
                expected = "a link or joint of the URDF file"
                xml.refuse_unknown("frame", end, frames, f"closed_loop[{k}]", expected)
            (one, place), (other, meets) = (frames[end] for end in pair)
            holds: Holds = "point" if type_.lower() == "3d" else "all"
            joints.append(FileJoint(pair[0], (one, other), (), (place, meets), holds))
    with about_file(path):
        joints += [_loop(loop, bodies) for loop in root.findall("loop")]
    return FileMachine(
        root.get("name") or path.stem, FREE_FALL, bodies, tuple(joints), frames, left_out,
        (_ASSUMED,), couplings=tuple(couplings.values()),
    )  # fmt: skip


def _in_itself(root: Xml.Element, bodies: Collection[str], joints: dict[str, Xml.Element]) -> Loops:
    """Return the loops of frames closing_…_1 and closing_…_2, and motors of transmissions."""
    frames = [*bodies, *joints]
    firsts = [name for name in frames if re.fullmatch(r"closing_.+_1", name)]
    pairs = [(name, f"{name[:-1]}2") for name in firsts if f"{name[:-1]}2" in frames]
    tags = (*root.findall("transmission/joint"), *root.findall(f"ros2_control/joint[{_COMMAND}]"))
    driven = dict.fromkeys(str(joint.get("name")) for joint in tags)
    motors = tuple(name for name in driven if name in joints)
    if (
        not pairs
        and root.find("loop") is None
        and not any(j.find("mimic") is not None for j in joints.values())
    ):
        expected = (
            "a file of loops, too: robot.yaml beside it, or one with its name in .yaml, or another"
        )
        raise InputError("URDF has no loops of its own", expected=expected)
    return Loops(closed_loop=tuple(pairs), type=("3d",) * len(pairs), name_mot=motors)


def _loop(loop: Xml.Element, bodies: dict[str, FileBody]) -> FileJoint:
    """A loop of URDF+."""
    name, type_ = loop.get("name") or "loop", loop.get("type", "")
    tags = ("predecessor", "successor")
    first, second = (xml.word(loop, f"{tag}@link") for tag in tags)
    for link in (first, second):
        xml.refuse_unknown("link", link, bodies, name, "a <link>")
    places = (np.eye(4) if end is None else _origin(end) for end in map(loop.find, tags))
    one, other = (bodies[link].place @ p for link, p in zip((first, second), places, strict=True))
    if type_ in ("point", "ball", "spherical", "floating-point"):
        return FileJoint(name, (first, second), (), (one, other), "point")
    freedoms = tuple(freedom.moved(one) for freedom in _freedoms(loop, Loops(), ("point",)))
    return FileJoint(name, (first, second), freedoms, (one, other))


def _couplings(joints: dict[str, Xml.Element]) -> Iterator[FileCoupling]:
    """Yield what <mimic> couples."""
    for name, joint in joints.items():
        if joint.find("mimic") is not None:
            other = xml.word(joint, "mimic@joint")
            xml.refuse_unknown("joint", other, joints, name, "a joint")
            ratio = xml.number(joint, "mimic@multiplier", 1.0)
            at = xml.number(joint, "mimic@offset")
            yield FileCoupling(f"{name}.mimic", (name, other), (1.0, -ratio), at)


def _in_order(
    bodies: dict[str, Xml.Element], joints: dict[str, Xml.Element]
) -> list[tuple[str, Xml.Element | None]]:
    """The links, each behind its parent, with the joints that they hang by."""
    hung: dict[str, Xml.Element] = {}
    children: dict[str, list[str]] = {}
    for name, joint in joints.items():
        parent, child = (xml.word(joint, f"{end}@link") for end in ("parent", "child"))
        for link in (parent, child):
            xml.refuse_unknown("link", link, bodies, name, "a <link>")
        if child in hung:
            problem = f"{child} hangs by two joints, which URDF does not allow"
            raise RobotError(problem, key=name, expected="loops in the file of loops")
        hung[child] = joint
        children.setdefault(parent, []).append(child)
    roots = [name for name in bodies if name not in hung]
    if len(roots) != 1:
        listed = ", ".join(roots) or "none"
        raise RobotError("not one tree", value=listed, expected="one link that hangs from no other")
    order, waiting = [], roots
    while waiting:
        name, *rest = waiting
        order.append((name, hung.get(name)))
        waiting = children.get(name, []) + rest
    if len(order) != len(bodies):
        raise RobotError("links hang from one another in a ring", expected="one tree")
    return order


def _body(element: Xml.Element) -> FileBody:
    """A link in its own frame."""
    moments = (xml.number(element, f"inertial/inertia@{key}") for key in xml.MOMENTS)
    mass = xml.number(element, "inertial/mass@value")
    return xml.body_of(mass, _origin(element, "inertial/origin"), moments)


def _freedoms(
    joint: Xml.Element, beside: Loops, others: tuple[str, ...] = ()
) -> Iterator[FileFreedom]:
    name, type_ = joint.get("name") or joint.tag, joint.get("type", "")
    if type_ not in JOINT_KINDS:
        problem, expected = f"a {joint.tag} of another type", ", ".join((*others, *JOINT_KINDS))
        raise RobotError(problem, key=name, value=type_, expected=expected)
    other = beside.kinds.get(name, "")
    kind = "fixed" if other == "FIXED" else JOINT_KINDS[type_]
    if name in beside.name_mot and (other or kind == "fixed"):
        problem = f"driven, and {other or kind}"
        raise RobotError(problem, key=name, expected="motors of hinges and slides")
    axis, at = _triple(joint, "axis@xyz", "1 0 0"), np.zeros(3)
    length = float(np.linalg.norm(axis))
    if not length and type_ != "fixed":
        raise RobotError("an axis without direction", key=name, expected="a direction")
    losses: PlainData = {k: xml.number(joint, f"dynamics@{k}") for k in ("damping", "friction")}
    direction = axis / (length or 1.0)
    if other == "SPHERICAL":
        yield FileFreedom(name, "ball", at, np.eye(3), **losses)
    elif other.startswith("UJOINT"):
        for letter in other[-2:]:
            across = np.array(AXES[letter.lower()])
            yield FileFreedom(f"{name}_{letter}", "hinge", at, across, **losses)
    elif kind != "fixed":
        yield FileFreedom(name, kind, at, direction, **losses, **_facts(joint, name, beside))


def _facts(joint: Xml.Element, name: str, beside: Loops) -> PlainData:
    effort, speed = (xml.number(joint, f"limit@{key}") for key in ("effort", "velocity"))
    return {  # unless a limit is a placeholder that URDF requires
        "travel": _travel(joint),
        "motor": beside.name_mot.index(name) if name in beside.name_mot else None,
        "max_effort": effort if 0.0 < effort < UNLIMITED else None,
        "max_speed": speed if 0.0 < speed < UNLIMITED else None,
    }


def _travel(joint: Xml.Element) -> tuple[float, float] | None:
    """Return the range of a joint; an end that is not given is zero, as URDF defines."""
    limit = joint.find("limit")
    given = limit is not None and {"lower", "upper"} & {*limit.keys()}
    if not given or joint.get("type") == "continuous":
        return None
    low, high = (xml.number(joint, f"limit@{key}") for key in ("lower", "upper"))
    return None if -low == high >= UNLIMITED else (low, high)


def _left_out(
    root: Xml.Element, joints: dict[str, Xml.Element], beside: Loops, coupled: Collection[str]
) -> Iterator[str]:
    known = ("link", "joint", "material", "loop", "transmission", "ros2_control")
    yield from xml.contents_left_out(root, known)
    for path, tags in _READ.items():
        found = {e.get("name") or e.tag: e for e in root.findall(path)}
        yield from xml.tags_left_out(found, tags.split())
    limits = ("limit@effort", "limit@velocity")
    negative = [n for n, joint in joints.items() if any(xml.number(joint, x) < 0.0 for x in limits)]
    yield from xml.of_names("limits of effort or velocity below zero", negative)
    gears, controlled = root.findall("transmission"), root.findall("ros2_control/joint")
    mimics = (joint for name, joint in joints.items() if name not in coupled)
    for words, elements, path in (
        ("<mimic>", mimics, "mimic"),
        ("reductions", gears, ".//mechanicalReduction"),
        ("limits of commands", controlled, f"{_COMMAND}/param"),
    ):
        there = (str(e.get("name")) for e in elements if e.find(path) is not None)
        yield from xml.of_names(words, there)
    for name, joint in joints.items():
        other = beside.kinds.get(name, "FIXED")
        if other != "FIXED" and _travel(joint):
            yield f"range of joint {name}, which is {other}"


def _triple(element: Xml.Element, path: str, default: str = "0 0 0") -> Array:
    text = xml.said(element, path)
    return xml.numbers(default if text is None else text, 3, element.get("name", element.tag))


def _origin(element: Xml.Element, path: str = "origin") -> Array:
    at = _triple(element, f"{path}@xyz")
    if (turn := xml.said(element, f"{path}@quat_xyzw")) is not None:  # since version 1.2
        x, y, z, w = xml.numbers(turn, 4, element.get("name", element.tag))
        return xml.place_of(at, quaternion=[w, x, y, z])
    return xml.place_of(at, rpy=_triple(element, f"{path}@rpy"))


def _given(names: object) -> object:
    """A list as it is written; a text that YAML reads as null is an empty one."""
    return () if names in ("", "~", "null") else names


def _listed(names: object) -> object:
    """A list as it is written, or one text as a list."""
    return (names,) if isinstance(names, str) and _given(names) else _given(names)


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError("given twice", value=name, expected="each joint once")
    return names


def _pair(names: object) -> object:
    if len(as_texts(as_list(names))) != 2:
        raise InputError("not a pair", value=names, expected="the names of two frames")
    return names


Names = Annotated[tuple[str, ...], BeforeValidator(_given)]


class Loops(FileTable):
    """Contents of the file of loops beside a URDF file."""

    closed_loop: Annotated[
        tuple[Annotated[tuple[str, str], BeforeValidator(_pair)], ...], BeforeValidator(_given)
    ] = ()
    """Pairs of frames that meet."""
    type: Annotated[tuple[Literal["6d", "3d", "6D", "3D"], ...], BeforeValidator(_listed)] = ()
    name_mot: Annotated[Names, BeforeValidator(_listed), AfterValidator(_once)] = ()
    joint_name: Annotated[Names, AfterValidator(_once)] = ()
    joint_type: Annotated[tuple[JointType, ...], BeforeValidator(_given)] = ()
    """Types of joints that differ from their URDF types."""
    name_closedloop: str = ""
    closed_loop_number: int = -1
    """Older form: the pairs are NAME1_A and NAME1_B, and so on, -1 for all."""

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        pairs, joints, named = len(self.closed_loop), len(self.joint_name), self.name_closedloop
        if (named and pairs) or (self.closed_loop_number >= 0 and not named):
            expected = "closed_loop, or name_closedloop with or without closed_loop_number"
            raise InputError("two forms, or half of one", key="closed_loop", expected=expected)
        pairs = 1 if named else pairs
        for key, count, of, wanted in (
            ("type", len(self.type) or pairs, "name_closedloop" if named else "closed_loop", pairs),
            ("joint_type", len(self.joint_type), "joint_name", joints),
        ):
            if count != wanted:
                expected = f"{wanted}, one for each {of}"
                raise InputError("too few or too many", key=key, value=count, expected=expected)
        return self

    def named(self, bodies: Collection[str], joints: dict[str, Xml.Element]) -> Self:
        """Return the form with pairs and motors by name, if this is the older one."""
        if not self.name_closedloop:
            return self
        frames, motors = {*bodies, *joints}, self.name_mot or ("mot",)
        moving = [name for name, joint in joints.items() if joint.get("type") != "fixed"]
        for joint in moving:
            if "to_rotule" in joint and joint not in self.joint_name:
                expected = "its type in joint_type"
                raise InputError("a ball by its name alone", key=joint, expected=expected)
        name, count = self.name_closedloop, min(self.closed_loop_number, MOST_LINKS)
        pairs = ((f"{name}{k}_A", f"{name}{k}_B") for k in range(1, MOST_LINKS + 1))
        found = takewhile(lambda pair: frames & {*pair}, pairs)
        wanted = tuple(found if count < 0 else islice(pairs, count))
        changes = {
            "closed_loop": wanted,
            "type": (self.type or ("6d",)) * len(wanted),
            "name_mot": tuple(n for n in moving if any(motor in n for motor in motors)),
        }
        return self.model_copy(update=changes)

    @property
    def kinds(self) -> dict[str, str]:
        """Types by the names of joints."""
        return dict(zip(self.joint_name, self.joint_type, strict=True))


def read_loop_text(path: Path) -> str:
    """The text of a file of loops."""
    return read_text(path, "a file of loops (.yaml)", MOST_BYTES)


def read_loops(path: Path) -> Loops:
    """Return the contents of a file of loops: lists and texts as they are written.

    YAML may take a name like 2024-01-01, 012 or on for a date, another number or a truth.
    """
    with needing("pyyaml", "exchange", "files of loops"):
        import yaml  # noqa: PLC0415  (not everybody has it)

    class Plain(yaml.BaseLoader):  # type: ignore[misc]
        def compose_node(self, *place: object) -> Any:
            if self.check_event(yaml.AliasEvent):  # by which a small text swells
                raise InputError("an alias", expected="YAML in which everything is written out")
            return super().compose_node(*place)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            for key, count in Counter(str(key.value) for key, _ in node.value).items():
                if count > 1:
                    raise InputError("given twice", key=key, expected="each key once")
            return super().construct_mapping(node, deep)

    text = read_loop_text(path)
    with about_file(path):
        try:
            return read(Loops, plain_data(yaml.load(text, Plain)))
        except InputError:
            raise
        except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
            raise InputError(f"not valid YAML: {error}") from None
