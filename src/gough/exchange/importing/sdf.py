"""An SDF file as a tree: joints join any two links, and those that the tree leaves close loops.

All poses are taken in the frame of the model, as the file draws it. A joint that closes a loop
carries a link without mass, which is one with the joint's other link.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import RobotError, about_file
from gough.exchange.importing import elements as xml_elements
from gough.exchange.importing.selection import driving
from gough.exchange.importing.tree import FileCoupling, FileFreedom, FileLink, FileTree, Kind
from gough.robot import FREE_FALL, BetweenBodies, spanning_tree

_AXES: dict[str, tuple[Kind, ...]] = {
    "revolute": ("hinge",), "continuous": ("hinge",), "prismatic": ("slide",),
    "universal": ("hinge", "hinge"), "revolute2": ("hinge", "hinge"), "ball": ("ball",),
    "fixed": (),
}  # fmt: skip
_WORLD = "world"
_MODEL = "__model__"
_HARD = 1e8
"""Stiffness of an end stop that SDF takes where none is given."""
_UNLIMITED = 1e15
_WATCHES = re.compile("state.?publisher", re.IGNORECASE)
"""Plugins that name joints and do not drive them."""
_KNOWN = (
    "link", "joint", "frame", "pose", "plugin", "static", "self_collide", "allow_auto_disable",
)  # fmt: skip
_OF_LINKS = (
    "pose", "inertial", "visual", "collision", "gravity", "light", "self_collide", "kinematic",
    "must_be_base_link", "enable_wind",
)  # fmt: skip


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
            problem = "models or files in a model" if nested else f"{len(models)} models"
            expected = "one model, without models or files in it"
            raise RobotError(problem, key="model", expected=expected)
        if [int(part) for part in re.findall(r"\d+", root.get("version", ""))] < [1, 5]:
            for axis in models[0].findall("joint/axis/xyz") + models[0].findall("joint/axis2/xyz"):
                axis.set("expressed_in", _MODEL)  # as it was before version 1.5
        tree, world = _model(models[0]), root.find("world/gravity")
        if world is None:
            return tree.assuming("Gravity is 9.81 m/s^2 against z, as the model says none.")
        return replace(tree, gravity=tuple(map(float, _numbers(world, 3))))


def _model(model: Xml.Element) -> FileTree:
    links = xml_elements.named(model.findall("link"))
    elements = xml_elements.named(model.findall("joint"))
    joints = [_Joint(e, (_word(e, "parent"), _word(e, "child"))) for e in elements.values()]
    for joint in joints:
        for link in joint.between:
            xml_elements.refuse_unknown("link", link, (*links, _WORLD), joint.name, "a <link>")
    root, assumed = _WORLD, list[str]()
    if not any(_WORLD in joint.between for joint in joints):
        root = model.get("canonical_link") or next(iter(links), "")
        assumed.append(f"In the file {root} is not fixed to the world: here it is the base.")
    places = _places(model)
    branches = spanning_tree(joints, root)
    order = {name: k for k, name in enumerate([root, *(branch.body for branch in branches)])}
    inside = np.linalg.inv(places[_WORLD]) @ places[root]
    found = [FileLink(root, 0, inside, **_inertia(links.get(root)))]
    for joint, carrier, body in branches:
        place = np.linalg.inv(places[carrier]) @ places[body]
        freedoms = _freedoms(joint, places, body)
        parts = _inertia(links[body])
        found.append(FileLink(body, order[carrier], place, freedoms, **parts))
    if bare := [x.name for x in found if x.freedoms and links[x.name].find("inertial") is None]:
        assumed.append(f"Without <inertial>, SDF takes 1 kg and 1 kg m^2: {', '.join(bare)}.")
    closures = []
    for joint in joints:
        if joint in [branch.joint for branch in branches] or not {*joint.between} <= {*order}:
            continue
        first, second = joint.between
        place = np.linalg.inv(places[first]) @ places[second]
        freedoms, ends = _freedoms(joint, places, second), (order[first], order[second])
        closures.append(
            xml_elements.closed_by(joint.name, found, ends, (place, np.eye(4)), freedoms)
        )
    frames = {name: (k, np.eye(4)) for name, k in order.items()}
    name, closed = model.get("name") or "model", tuple(closures)
    lost = tuple(_left_out(model, links, elements, order))
    tree = FileTree(name, FREE_FALL, tuple(found), closed, frames, lost, tuple(assumed))
    tree = replace(tree, couplings=tuple(_couplings(elements, tree))).with_freedoms(tree.freedoms)
    motors = [
        (joint.text or "").strip()
        for plugin in model.findall("plugin")
        if not _WATCHES.search(f"{plugin.get('filename')} {plugin.get('name')}")
        for joint in plugin.findall("joint_name")
    ]
    return driving(tree, [*dict.fromkeys(motors)]) if motors else tree


def _places(model: Xml.Element) -> dict[str, Array]:
    """Return the places of links, joints and frames in the model frame."""
    own = model.find("pose")
    to = "" if own is None else own.get("relative_to", "")
    if model.get("placement_frame") or to not in ("", _WORLD):
        raise RobotError("placed by another frame", key="pose", expected="a pose in the world")
    parts = xml_elements.named(e for tag in ("link", "joint", "frame") for e in model.findall(tag))
    found: dict[str, Array] = {_MODEL: np.eye(4), "": np.eye(4)}
    found[_WORLD] = np.asarray(np.linalg.inv(_pose(own)))
    for name in parts:
        at, chain = name, list[str]()
        while at not in found:
            if at not in parts or at in chain:
                expected = "a frame that others lead to"
                raise RobotError("no such frame", key="relative_to", value=at, expected=expected)
            chain.append(at)
            at = _near(parts[at])
        for part in reversed(chain):
            found[part] = found[at] @ _pose(parts[part].find("pose"))
            at = part
    return found


def _near(element: Xml.Element) -> str:
    """The frame in which an element is placed."""
    own, joint = element.find("pose"), element.tag == "joint"
    near = _word(element, "child") if joint else element.get("attached_to", "")
    return near if own is None else own.get("relative_to", near)


def _couplings(joints: dict[str, Xml.Element], tree: FileTree) -> Iterator[FileCoupling]:
    """Yield what <mimic> couples: q = multiplier (q of the other - reference) + offset."""
    freedoms = [f.name for f in tree.freedoms.values()]
    for name, joint in joints.items():
        for tag in ("axis", "axis2"):
            if (mimic := joint.find(f"{tag}/mimic")) is None:
                continue
            pairs = (name, tag), (mimic.get("joint", ""), mimic.get("axis", "axis"))
            own, other = (j if j in freedoms else f"{j}.{axis}" for j, axis in pairs)
            for joint_name in (own, other):
                xml_elements.refuse_unknown(
                    "joint", joint_name, freedoms, name, "a joint that can move"
                )
            ratio, offset, reference = (
                _number(mimic, key, 0.0) for key in ("multiplier", "offset", "reference")
            )
            constant = offset - ratio * reference
            yield FileCoupling(f"{name}.mimic", (own, other), (1.0, -ratio), constant)


def _left_out(
    model: Xml.Element, links: dict[str, Xml.Element], joints: dict[str, Xml.Element],
    tied: Collection[str],
) -> Iterator[str]:  # fmt: skip
    if shapes := len(model.findall("link/visual") + model.findall("link/collision")):
        yield f"geometry of {shapes} visuals and collisions"
    for tag in dict.fromkeys(child.tag for child in model):
        if tag not in _KNOWN:
            yield f"<{tag}>"
    for name in links:
        if name not in tied:
            yield f"link {name}, which no joint ties to it"
    if light := [name for name in links if _said(links[name], "gravity") in ("0", "false")]:
        yield f"that gravity does not act on {', '.join(light)}"
    axes = {name: [*e.findall("axis"), *e.findall("axis2")] for name, e in joints.items()}
    if stops := [
        n for n, of in axes.items() if any(_limit(x, "stiffness", _HARD) < _HARD for x in of)
    ]:
        yield f"stiffness of end stops of {', '.join(stops)}"
    yield from xml_elements.tags_left_out(links, _OF_LINKS)
    yield from xml_elements.tags_left_out(joints, ("pose", "parent", "child", "axis", "axis2"))


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
            frame = _MODEL
        xml_elements.refuse_unknown("frame", frame, places, name, "a frame of the model")
        direction = np.array([0.0, 0.0, 1.0]) if xyz is None else _numbers(xyz, 3)
        line = (inside @ places[frame])[:3, :3] @ direction
        low, high = _limit(axis, "lower", -np.inf), _limit(axis, "upper", np.inf)
        effort, speed = (_limit(axis, key, -1.0) for key in ("effort", "velocity"))
        found.append(
            FileFreedom(
                name,
                kind,
                at,
                sign * line / (np.linalg.norm(line) or 1.0),
                travel=None if -low == high == np.inf else (low, high),
                damping=_number(axis, "dynamics/damping", 0.0),
                friction=_number(axis, "dynamics/friction", 0.0),
                stiffness=_number(axis, "dynamics/spring_stiffness", 0.0),
                relaxed=_number(axis, "dynamics/spring_reference", 0.0),
                max_effort=effort if effort > 0.0 else None,
                max_speed=speed if speed > 0.0 else None,
            )
        )
    return tuple(found if sign > 0 else found[::-1])


def _inertia(link: Xml.Element | None) -> PlainData:
    """Mass properties of a link; SDF takes 1 kg and 1 kg m^2 where there are none."""
    if link is None:
        return {}
    inertial = link.find("inertial")
    if inertial is not None and inertial.get("auto") in ("1", "true"):
        problem, name = "its mass is that of its shapes", str(link.get("name"))
        raise RobotError(problem, key=name, expected="<mass> and <inertia>")
    at = "inertial/inertia/"
    moments = [_number(link, at + key, float(key[1] == key[2])) for key in xml_elements.MOMENTS]
    return xml_elements.mass_properties(
        _number(link, "inertial/mass", 1.0), _pose(link.find("inertial/pose")), moments
    )


def _pose(element: Xml.Element | None) -> Array:
    """A place of position and roll, pitch, yaw [rad, or degrees], or quaternion x y z w."""
    if element is None or not (element.text or "").strip():
        return np.eye(4)
    if element.get("rotation_format") == "quat_xyzw":
        found = _numbers(element, 7)
        return xml_elements.place_of(found[:3], quaternion=found[[6, 3, 4, 5]])
    found = _numbers(element, 6)
    degrees = element.get("degrees") in ("1", "true")
    return xml_elements.place_of(found[:3], rpy=np.radians(found[3:]) if degrees else found[3:])


def _said(element: Xml.Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _word(element: Xml.Element, tag: str) -> str:
    if not (word := _said(element, tag)):
        name = element.get("name", "")
        raise RobotError(f"no <{tag}>", key=name, expected="the name of a link")
    return word


def _number(element: Xml.Element, path: str, default: float) -> float:
    said = _said(element, path)
    return float(xml_elements.numbers(said, 1, f"<{path}>")[0]) if said else default


def _limit(axis: Xml.Element, key: str, none: float) -> float:
    """A limit of an axis; one that is not given, or so large that it is none."""
    said = _said(axis, f"limit/{key}")
    found = float(xml_elements.numbers(said, 1, f"<{key}>", endless=True)[0]) if said else none
    return found if abs(found) < _UNLIMITED else none


def _numbers(element: Xml.Element, count: int) -> Array:
    return xml_elements.numbers(element.text or "", count, f"<{element.tag}>")
