"""A URDF file and the file of its loops as a tree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import RobotError, about_file, did_you_mean
from gough.exchange.importing.loop_file import Loops, read_loops
from gough.exchange.importing.tree import FileClosure, FileFreedom, FileLink, FileTree, placed
from gough.exchange.tree.urdf import AXES, JOINT_KINDS, UNLIMITED
from gough.poses import pose, rotation
from gough.robot.records import FREE_FALL

_ASSUMED = "Gravity is 9.81 m/s^2 against z, as URDF says nothing of it."


def urdf_tree(root: Xml.Element, path: Path, loops: Path) -> FileTree:
    """Return the machine of a URDF file, by its root element, and of the file of its loops."""
    beside = read_loops(loops)
    with about_file(path):
        bodies = _named(root, "link")
        joints = _named(root, "joint")
        order = _in_order(bodies, joints)
        numbers = {name: k for k, (name, _) in enumerate(order)}
        links = tuple(_link(bodies[name], joint, numbers, beside) for name, joint in order)
        left_out = tuple(_left_out(root, joints, beside))
    frames = {
        name: (numbers[_text(joint, "child", "link")], np.eye(4)) for name, joint in joints.items()
    }
    frames |= {name: (k, np.eye(4)) for name, k in numbers.items()}
    with about_file(loops):
        _refuse_unknown(beside, joints)
        closures = tuple(_closures(beside, frames))
    name = root.get("name") or path.stem
    return FileTree(name, FREE_FALL, links, closures, frames, left_out, (_ASSUMED,))


def _named(root: Xml.Element, tag: str) -> dict[str, Xml.Element]:
    found: dict[str, Xml.Element] = {}
    for element in root.findall(tag):
        name = element.get("name")
        if not name or name in found:
            problem = f"a <{tag}> with a name given twice" if name else f"a <{tag}> without a name"
            raise RobotError(problem, value=name, expected="a name of its own")
        found[name] = element
    return found


def _in_order(
    bodies: dict[str, Xml.Element], joints: dict[str, Xml.Element]
) -> list[tuple[str, Xml.Element | None]]:
    """The links, each behind its parent, with the joints that they hang by."""
    hung: dict[str, Xml.Element] = {}
    children: dict[str, list[str]] = {}
    for name, joint in joints.items():
        parent, child = (_text(joint, end, "link") for end in ("parent", "child"))
        for link in (parent, child):
            if link not in bodies:
                hint = did_you_mean(link, bodies)
                raise RobotError(f"no such link{hint}", key=name, value=link, expected="a <link>")
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
        name = waiting.pop(0)
        order.append((name, hung.get(name)))
        waiting = children.get(name, []) + waiting
    if len(order) != len(bodies):
        raise RobotError("links hang from one another in a ring", expected="one tree")
    return order


def _link(
    element: Xml.Element, joint: Xml.Element | None, numbers: dict[str, int], beside: Loops
) -> FileLink:
    inertial = element.find("inertial")
    facts: dict[str, Any] = {} if inertial is None else _inertial(inertial)
    name = str(element.get("name"))
    if joint is None:
        return FileLink(name, 0, np.eye(4), **facts)
    parent = numbers[_text(joint, "parent", "link")]
    return FileLink(name, parent, _origin(joint), tuple(_freedoms(joint, beside)), **facts)


def _inertial(element: Xml.Element) -> dict[str, Any]:
    place = _origin(element)
    mass = _number(element, "mass", "value", 0.0)
    entries = {
        key: _number(element, "inertia", key, 0.0)
        for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    }
    xx, xy, xz, yy, yz, zz = entries.values()
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = place[:3, :3]
    return {"mass": mass, "center": place[:3, 3], "inertia": R @ I @ R.T}


def _freedoms(joint: Xml.Element, beside: Loops) -> Iterator[FileFreedom]:
    name, type_ = str(joint.get("name")), joint.get("type", "")
    if joint.find("mimic") is not None:
        raise RobotError("<mimic>, a coupling of joints", key=name, expected="joints of their own")
    if type_ not in JOINT_KINDS:
        expected = ", ".join(JOINT_KINDS)
        raise RobotError("a joint of another type", key=name, value=type_, expected=expected)
    other = beside.kinds.get(name, "")
    kind = "fixed" if other == "FIXED" else JOINT_KINDS[type_]
    if name in beside.motors and (other or kind == "fixed"):
        problem = f"driven, and {other or kind}"
        raise RobotError(problem, key=name, expected="motors of hinges and slides")
    axis = _axis(joint, name)
    if other == "SPHERICAL":
        yield FileFreedom(name, "ball", np.zeros(3), axis, **_resistance(joint))
    elif other.startswith("UJOINT"):
        for letter in other[-2:]:
            axis = np.array(AXES[letter.lower()])
            yield FileFreedom(f"{name}_{letter}", "hinge", np.zeros(3), axis, **_resistance(joint))
    elif kind != "fixed":
        facts = _facts(joint, name, beside)
        yield FileFreedom(name, kind, np.zeros(3), axis, **_resistance(joint), **facts)


def _axis(joint: Xml.Element, name: str) -> Array:
    axis = _triple(joint.find("axis"), "xyz", (1.0, 0.0, 0.0), name)
    length = float(np.linalg.norm(axis))
    if not length and joint.get("type") != "fixed":
        raise RobotError("an axis without direction", key=name, expected="a direction")
    return axis / (length or 1.0)


def _resistance(joint: Xml.Element) -> dict[str, Any]:
    return {key: _number(joint, "dynamics", key, 0.0) for key in ("damping", "friction")}


def _facts(joint: Xml.Element, name: str, beside: Loops) -> PlainData:
    if name not in beside.motors:
        return {"travel": _travel(joint)}
    return {
        "travel": _travel(joint),
        "motor": beside.motors.index(name),
        "max_effort": _largest(joint, "effort"),
        "max_speed": _largest(joint, "velocity"),
    }


def _travel(joint: Xml.Element) -> tuple[float, float] | None:
    """Return the range of a joint; an end that is not given is zero, as URDF defines."""
    limit = joint.find("limit")
    said = limit is not None and {"lower", "upper"} & {*limit.keys()}
    if not said or joint.get("type") == "continuous":
        return None
    low, high = (_number(joint, "limit", key, 0.0) for key in ("lower", "upper"))
    return None if -low == high >= UNLIMITED else (low, high)


def _largest(joint: Xml.Element, key: str) -> float | None:
    """Return the value of a limit, unless it is a placeholder that URDF requires."""
    value = _number(joint, "limit", key, 0.0)
    return value if 0.0 < value < UNLIMITED else None


def _closures(beside: Loops, frames: dict[str, tuple[int, Array]]) -> Iterator[FileClosure]:
    for k, (first, second, holds) in enumerate(beside.closures):
        for name in (first, second):
            if name not in frames:
                hint = did_you_mean(name, frames)
                expected = "a link or joint of the URDF file"
                problem = f"no such frame{hint}"
                raise RobotError(problem, key=f"closed_loop[{k}]", value=name, expected=expected)
        (one, place), (other, meets) = frames[first], frames[second]
        yield FileClosure(first, holds, (one, other), (place, meets))


def _refuse_unknown(beside: Loops, joints: dict[str, Xml.Element]) -> None:
    for key, names in (("name_mot", beside.motors), ("joint_name", beside.kinds)):
        for name in names:
            if name not in joints:
                hint = did_you_mean(name, joints)
                expected = "a joint of the URDF file"
                raise RobotError(f"no such joint{hint}", key=key, value=name, expected=expected)


def _left_out(root: Xml.Element, joints: dict[str, Xml.Element], beside: Loops) -> Iterator[str]:
    shapes = len(root.findall("link/visual")) + len(root.findall("link/collision"))
    if shapes:
        yield f"geometry of {shapes} visuals and collisions"
    for tag in dict.fromkeys(child.tag for child in root):
        if tag not in ("link", "joint", "material"):
            yield f"<{tag}>"
    for tag in ("safety_controller", "calibration"):
        if names := [name for name, joint in joints.items() if joint.find(tag) is not None]:
            yield f"<{tag}> of {', '.join(names)}"
    for name, joint in joints.items():
        other = beside.kinds.get(name, "FIXED")
        if other != "FIXED" and _travel(joint):
            yield f"range of joint {name}, which is {other}"
    idle = [
        name
        for name, joint in joints.items()
        for limit in joint.findall("limit")
        if name not in beside.motors and {"effort", "velocity"} & {*limit.keys()}
    ]
    if idle:
        yield f"limits of effort and velocity of joints without a motor: {', '.join(idle)}"


def _text(element: Xml.Element, tag: str, key: str) -> str:
    found = element.find(tag)
    value = None if found is None else found.get(key)
    if not value:
        name = element.get("name", "")
        raise RobotError(f"no <{tag} {key}=…>", key=name, expected="the name of a link")
    return value


def _number(element: Xml.Element, tag: str, key: str, default: float) -> float:
    found = element.find(tag)
    text = None if found is None else found.get(key)
    return default if text is None else _parsed(text, f"<{tag} {key}>")


def _triple(element: Xml.Element | None, key: str, default: tuple[float, ...], where: str) -> Array:
    text = None if element is None else element.get(key)
    numbers = default if text is None else [_parsed(part, where) for part in text.split()]
    if len(numbers) != 3:
        raise RobotError("not three numbers", key=where, value=text, expected="three numbers")
    return np.array(numbers, float)


def _parsed(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise RobotError("not a finite number", key=where, value=text, expected="a number")
    return number


def _origin(element: Xml.Element) -> Array:
    origin, where = element.find("origin"), str(element.get("name", element.tag))
    position = _triple(origin, "xyz", (0.0, 0.0, 0.0), where)
    rpy = _triple(origin, "rpy", (0.0, 0.0, 0.0), where)
    return placed(position, rotation(pose([0, 0, 0], rpy=rpy)).as_matrix())
