"""An SDF file as a tree: joints join any two links, and those that the tree leaves close loops.

All poses are taken in the frame of the model, as the file draws it. A joint that closes a loop
carries a link without mass, which is one with the joint's other link.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import RobotError, about_file
from gough.exchange.importing.selection import driving
from gough.exchange.importing.tree import (
    FileClosure,
    FileFreedom,
    FileLink,
    FileTree,
    Kind,
    placed,
)
from gough.poses import pose, rotation
from gough.robot.home.spanning import spanning_tree
from gough.robot.joint_kinds import BetweenBodies
from gough.robot.records import FREE_FALL

_AXES: dict[str, tuple[Kind, ...]] = {
    "revolute": ("hinge",), "continuous": ("hinge",), "prismatic": ("slide",),
    "universal": ("hinge", "hinge"), "revolute2": ("hinge", "hinge"), "ball": ("ball",),
    "fixed": (),
}  # fmt: skip
_WORLD = "world"
_UNLIMITED = 1e15


class _Joint(BetweenBodies):
    """A joint of the file, between two links by name."""

    def __init__(self, element: Xml.Element, between: tuple[str, str]) -> None:
        self.element, self.between = element, between
        self.name = str(element.get("name"))


def sdf_tree(root: Xml.Element, path: Path) -> FileTree:
    """Return the machine of an SDF file, by its root element: that of its only model."""
    with about_file(path):
        models = [*root.findall("model"), *root.findall("world/model")]
        nested = root.find(".//include") is not None or root.find(".//model/model") is not None
        if len(models) != 1 or nested:
            expected = "one model, without models or files in it"
            raise RobotError(f"{len(models)} models", key="model", expected=expected)
        tree, world = _model(models[0]), root.find("world/gravity")
        if world is None:
            return tree.assuming("Gravity is 9.81 m/s^2 against z, as the model says none.")
        return replace(tree, gravity=tuple(map(float, _numbers(world, 3))))


def _model(model: Xml.Element) -> FileTree:
    links = {str(link.get("name")): link for link in model.findall("link")}
    joints = [_Joint(e, (_word(e, "parent"), _word(e, "child"))) for e in model.findall("joint")]
    for joint in joints:
        for link in joint.between:
            if link not in links and link != _WORLD:
                raise RobotError("no such link", key=joint.name, value=link, expected="a <link>")
    root, assumed = _WORLD, list[str]()
    if not any(_WORLD in joint.between for joint in joints):
        root = model.get("canonical_link") or next(iter(links), "")
        assumed.append(f"In the file {root} is not fixed to the world: here it is the base.")
    places = _places(model)
    branches = spanning_tree(joints, root)
    order = [root, *(branch.body for branch in branches)]
    numbers = {name: k for k, name in enumerate(order)}
    found = [FileLink(root, 0, places[root], **_inertia(links.get(root)))]
    for joint, carrier, body in branches:
        place = np.linalg.inv(places[carrier]) @ places[body]
        freedoms = _freedoms(joint, places, body)
        parts = _inertia(links[body])
        found.append(FileLink(body, numbers[carrier], place, freedoms, **parts))
    closures = []
    for joint in joints:
        if joint in [branch.joint for branch in branches] or not {*joint.between} <= {*numbers}:
            continue
        first, second = joint.between
        place = np.linalg.inv(places[first]) @ places[second]
        freedoms = _freedoms(joint, places, second)
        found.append(FileLink(f"{joint.name}.link", numbers[first], place, freedoms))
        pair = len(found) - 1, numbers[second]
        closures.append(FileClosure(joint.name, "all", pair, (np.eye(4), np.eye(4))))
    lost = (f"link {name}, which no joint ties to it" for name in links if name not in numbers)
    frames = {name: (k, np.eye(4)) for name, k in numbers.items()}
    name, closed = model.get("name") or "model", tuple(closures)
    tree = FileTree(name, FREE_FALL, tuple(found), closed, frames, tuple(lost), tuple(assumed))
    motors = [(e.text or "").strip() for e in model.findall("plugin/joint_name")]
    return driving(tree, [*dict.fromkeys(motors)]) if motors else tree


def _places(model: Xml.Element) -> dict[str, Array]:
    """Return the places of links, joints and frames in the model frame."""
    parts = {
        str(e.get("name")): e for tag in ("link", "joint", "frame") for e in model.findall(tag)
    }
    found = {_WORLD: np.eye(4), "__model__": np.eye(4), "": np.eye(4)}

    def placed_at(name: str, seen: tuple[str, ...] = ()) -> Array:
        if name not in found:
            if name not in parts or name in seen:
                expected = "a frame that others lead to"
                raise RobotError("no such frame", key="relative_to", value=name, expected=expected)
            element = parts[name]
            own = element.find("pose")
            near = (
                _word(element, "child")
                if element.tag == "joint"
                else element.get("attached_to", "")
            )
            to = near if own is None else own.get("relative_to", near)
            found[name] = placed_at(to, (*seen, name)) @ _pose(own)
        return found[name]

    for name in parts:
        placed_at(name)
    return found


def _freedoms(joint: _Joint, places: dict[str, Array], body: str) -> tuple[FileFreedom, ...]:
    """Degrees of freedom by which a body hangs at a joint, in the body's frame."""
    element, kinds = joint.element, _AXES.get(joint.element.get("type", ""))
    if kinds is None:
        value, expected = element.get("type"), ", ".join(_AXES)
        raise RobotError("a joint of another type", key=joint.name, value=value, expected=expected)
    sign = 1.0 if body == joint.between[1] else -1.0  # the other link hangs, and turns back
    inside = np.linalg.inv(places[body])
    at = (inside @ places[joint.name])[:3, 3]
    found = []
    for kind, tag in zip(kinds, ("axis", "axis2"), strict=False):
        axis, name = element.find(tag), joint.name if len(kinds) == 1 else f"{joint.name}.{tag}"
        axis = Xml.Element(tag) if axis is None else axis
        xyz = axis.find("xyz")
        frame = joint.name if xyz is None else xyz.get("expressed_in", joint.name)
        if _said(axis, "use_parent_model_frame") in ("1", "true"):
            frame = "__model__"
        if frame not in places:
            raise RobotError(
                "no such frame", key=name, value=frame, expected="a frame of the model"
            )
        direction = np.array([0.0, 0.0, 1.0]) if xyz is None else _numbers(xyz, 3)
        line = (inside @ places[frame])[:3, :3] @ direction
        low, high = (
            _number(axis, f"limit/{end}", s * np.inf) for end, s in (("lower", -1), ("upper", 1))
        )
        effort = _number(axis, "limit/effort", -1.0)
        found.append(
            FileFreedom(
                name,
                kind,
                at,
                sign * line / (np.linalg.norm(line) or 1.0),
                travel=None if max(-low, high) > _UNLIMITED else (low, high),
                damping=_number(axis, "dynamics/damping", 0.0),
                friction=_number(axis, "dynamics/friction", 0.0),
                stiffness=_number(axis, "dynamics/spring_stiffness", 0.0),
                relaxed=_number(axis, "dynamics/spring_reference", 0.0),
                max_effort=effort if 0.0 < effort < _UNLIMITED else None,
            )
        )
    return tuple(found if sign > 0 else found[::-1])


def _inertia(link: Xml.Element | None) -> PlainData:
    """Mass properties of a link; SDF takes 1 kg and 1 kg m^2 where there are none."""
    if link is None:
        return {}
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    at = "inertial/inertia/"
    xx, xy, xz, yy, yz, zz = (_number(link, at + key, float(key[1] == key[2])) for key in keys)
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    place = _pose(link.find("inertial/pose"))
    R, mass = place[:3, :3], _number(link, "inertial/mass", 1.0)
    return {"mass": mass, "center": place[:3, 3], "inertia": R @ I @ R.T}


def _pose(element: Xml.Element | None) -> Array:
    """A place of position and roll, pitch, yaw [rad, or degrees], or quaternion x y z w."""
    if element is None or not (element.text or "").strip():
        return np.eye(4)
    if element.get("rotation_format") == "quat_xyzw":
        x, y, z, *xyzw = _numbers(element, 7)
        return placed(np.array([x, y, z]), _matrix(quaternion=[xyzw[3], *xyzw[:3]]))
    numbers = _numbers(element, 6)
    angles = np.radians(numbers[3:]) if element.get("degrees") in ("1", "true") else numbers[3:]
    return placed(numbers[:3], _matrix(rpy=angles))


def _matrix(**turn: object) -> Array:
    return np.asarray(rotation(pose([0, 0, 0], **turn)).as_matrix())  # type: ignore[arg-type]


def _said(element: Xml.Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _word(element: Xml.Element, tag: str) -> str:
    if not (word := _said(element, tag)):
        name = element.get("name", "")
        raise RobotError(f"no <{tag}>", key=name, expected="the name of a link")
    return word


def _number(element: Xml.Element, path: str, default: float) -> float:
    found = element.find(path)
    if found is None or not (found.text or "").strip():
        return default
    return float(_numbers(found, 1)[0])


def _numbers(element: Xml.Element, count: int) -> Array:
    words = (element.text or "").split()
    try:
        numbers = np.array([float(word) for word in words])
    except ValueError:
        numbers = np.array([np.nan])
    if len(numbers) != count or np.isnan(numbers).any():
        problem, expected = "not numbers", f"{count} of them"
        raise RobotError(problem, key=f"<{element.tag}>", value=element.text, expected=expected)
    return numbers
