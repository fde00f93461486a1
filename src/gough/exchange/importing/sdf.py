"""An SDF file as a machine, whose joints join any two links."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError, about_file, inside, joined
from gough.exchange.importing import elements as xml
from gough.exchange.importing.file_machine import (
    FileBody,
    FileCoupling,
    FileFreedom,
    FileJoint,
    FileMachine,
    Kind,
    outward,
)
from gough.exchange.importing.selection import driving
from gough.robot import FREE_FALL

_AXES: dict[str, tuple[Kind, ...]] = {
    "revolute": ("hinge",), "continuous": ("hinge",), "prismatic": ("slide",),
    "universal": ("hinge", "hinge"), "revolute2": ("hinge", "hinge"), "ball": ("ball",),
    "fixed": (),
}  # fmt: skip
_WORLD = "world"
_MODEL = "__model__"
_HARD = 1e8  # stiffness of an end stop that SDF takes where none is given
_UNLIMITED = 1e15
_WATCHES = re.compile("state.?publisher", re.IGNORECASE)
"""Plugins that name joints and do not drive them."""
_KNOWN = (
    "link", "joint", "frame", "pose", "plugin", "static", "self_collide", "allow_auto_disable",
)  # fmt: skip
_OF_WORLDS = ("model", "gravity", "physics", "scene", "light", "gui", "plugin")
_OF_LINKS = (
    "pose", "inertial", "visual", "collision", "gravity", "light", "self_collide", "kinematic",
    "must_be_base_link", "enable_wind",
)  # fmt: skip
_OF_AXES = ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame")


def sdf_machine(root: Xml.Element, path: Path) -> FileMachine:
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
        machine = _model(models[0])
        worlds = {f"the {_WORLD}": world for world in root.findall(_WORLD)}
        machine = machine.leaving_out(*xml.tags_left_out(worlds, _OF_WORLDS))
        if (gravity := root.find("world/gravity")) is None:
            return machine.assuming("Gravity is 9.81 m/s^2 against z, as the model says none.")
        return replace(machine, gravity=tuple(map(float, _numbers(gravity, 3))))


def _model(model: Xml.Element) -> FileMachine:
    links = xml.named(model.findall("link"))
    elements = xml.named(model.findall("joint"))
    first = model.get("canonical_link") or next(iter(links), _WORLD)
    fixed = {**elements, **xml.named(model.findall("frame"))}
    between = {
        name: (_link(xml.word(e, "parent"), fixed, first), _link(name, fixed, first))
        for name, e in elements.items()
    }
    for name, pair in between.items():
        for link in pair:
            xml.refuse_unknown("link", link, (*links, _WORLD), name, "a <link> or <frame>")
    base, assumed = _WORLD, list[str]()
    if not any(_WORLD in pair for pair in between.values()):
        base = first
        xml.refuse_unknown("link", base, (*links, _WORLD), "canonical_link", "a <link>")
        assumed.append(f"In the file {base} is not fixed to the world: here it is the base.")
    places = _places(model)
    joints = outward(
        (FileJoint(n, between[n], tuple(_freedoms(e, places))) for n, e in elements.items()), base
    )
    tied = dict.fromkeys([base, *(joint.second for joint in joints)])
    bodies = {name: _body(links.get(name)).moved(places[name]) for name in tied}
    frames = {name: (name, body.place) for name, body in bodies.items()}
    lost = tuple(_left_out(model, links, elements, bodies))
    machine = FileMachine(
        model.get("name") or "model", FREE_FALL, bodies, joints, frames, lost, tuple(assumed),
    )  # fmt: skip
    machine = replace(machine, couplings=tuple(_couplings(elements, machine)))
    moving = {name: links[name] for name in bodies if name not in machine.fixed}
    for tag, value in (("mass", "1 kg"), ("inertia", "1 kg m^2")):
        if bare := [n for n, link in moving.items() if link.find(f"inertial/{tag}") is None]:
            machine = machine.assuming(f"Without <{tag}>, SDF takes {value}: {', '.join(bare)}.")
    motors = [
        (joint.text or "").strip()
        for plugin in model.findall("plugin")
        if not _WATCHES.search(f"{plugin.get('filename')} {plugin.get('name')}")
        for joint in plugin.findall("joint_name")
    ]
    return driving(machine, [*dict.fromkeys(motors)]) if motors else machine


def _places(model: Xml.Element) -> dict[str, Array]:
    """Return the places of links, joints and frames in the world, which is the base frame."""
    own = model.find("pose")
    to = "" if own is None else own.get("relative_to", "")
    if model.get("placement_frame") or to not in ("", _WORLD):
        raise RobotError("placed by another frame", key="pose", expected="a pose in the world")
    parts = xml.named(e for tag in ("link", "joint", "frame") for e in model.findall(tag))
    found: dict[str, Array] = {_WORLD: np.eye(4), _MODEL: _pose(own), "": _pose(own)}
    for name in parts:
        at, chain = name, list[str]()
        while at not in found:
            if at not in parts or at in chain:
                expected = "a frame that others lead to"
                raise RobotError("no such frame", key="relative_to", value=at, expected=expected)
            chain.append(at)
            at = _near(parts[at])
        for part in reversed(chain):
            with inside(part):
                found[part] = found[at] @ _pose(parts[part].find("pose"))
            at = part
    return found


def _link(name: str, frames: Mapping[str, Xml.Element], first: str) -> str:
    """Return the link to which a frame or joint is fixed; the model's own is that of its first."""
    left = dict(frames)
    while name in left:  # one that is fixed to itself is no link
        at = left.pop(name)
        name = xml.word(at, "child") if at.tag == "joint" else at.get("attached_to", "")
    return first if name in ("", _MODEL) else name


def _near(element: Xml.Element) -> str:
    """The frame in which an element is placed."""
    own, joint = element.find("pose"), element.tag == "joint"
    near = xml.word(element, "child") if joint else element.get("attached_to", "")
    return near if own is None else own.get("relative_to") or near


def _couplings(joints: dict[str, Xml.Element], machine: FileMachine) -> Iterator[FileCoupling]:
    """Yield what <mimic> couples: q = multiplier (q of the other - reference) + offset."""
    freedoms = [f.name for f in machine.freedoms]
    for name, joint in joints.items():
        for tag in ("axis", "axis2"):
            if (mimic := joint.find(f"{tag}/mimic")) is None:
                continue
            pairs = (name, tag), (mimic.get("joint", ""), mimic.get("axis", "axis"))
            own, other = (j if j in freedoms else f"{j}.{axis}" for j, axis in pairs)
            for joint_name in (own, other):
                xml.refuse_unknown("joint", joint_name, freedoms, name, "a joint that can move")
            ratio, offset, reference = (
                xml.number(mimic, key, 0.0) for key in ("multiplier", "offset", "reference")
            )
            constant = offset - ratio * reference
            yield FileCoupling(f"{name}.mimic", (own, other), (1.0, -ratio), constant)


def _left_out(
    model: Xml.Element, links: dict[str, Xml.Element], joints: dict[str, Xml.Element],
    tied: Collection[str],
) -> Iterator[str]:  # fmt: skip
    yield from xml.contents_left_out(model, _KNOWN)
    for name in links:
        if name not in tied:
            yield f"link {name}, which no joint ties to it"
    if light := [name for name in links if xml.said(links[name], "gravity") in ("0", "false")]:
        yield f"that gravity does not act on {', '.join(light)}"
    axes = {name: [*e.findall("axis"), *e.findall("axis2")] for name, e in joints.items()}
    soft = (n for n, of in axes.items() if any(_limit(x, "stiffness", _HARD) < _HARD for x in of))
    yield from xml.of_names("stiffness of end stops", soft)
    if xml.said(model, "static") in ("1", "true"):
        yield "that the model is static, and nothing of it moves"
    still = (n for n, e in links.items() if xml.said(e, "kinematic") in ("1", "true"))
    yield from xml.of_names("<kinematic>", still)
    idle = (p for p in model.findall("plugin") if p.find("joint_name") is None)
    yield from (f"plugin {plugin.get('name')}" for plugin in idle)
    masses = {name: e.find("inertial") for name, e in links.items()}
    inertials = {name: e for name, e in masses.items() if e is not None}
    yield from xml.tags_left_out(inertials, ("pose", "mass", "inertia"))
    yield from xml.tags_left_out(
        {f"{n}.{x.tag}": x for n, of in axes.items() for x in of}, _OF_AXES
    )
    yield from xml.tags_left_out(links, _OF_LINKS)
    yield from xml.tags_left_out(joints, ("pose", "parent", "child", "axis", "axis2"))


def _freedoms(element: Xml.Element, places: dict[str, Array]) -> Iterator[FileFreedom]:
    """Degrees of freedom of a joint from its parent on."""
    joint, kinds = str(element.get("name")), _AXES.get(element.get("type", ""))
    child = xml.word(element, "child")
    if kinds is None:
        value, expected = element.get("type"), ", ".join(_AXES)
        raise RobotError("a joint of another type", key=joint, value=value, expected=expected)
    for kind, tag in zip(kinds, ("axis", "axis2"), strict=False):
        axis, name = element.find(tag), joint if len(kinds) == 1 else f"{joint}.{tag}"
        axis = Xml.Element(tag) if axis is None else axis
        axis.set("name", name)  # that complaints are about
        xyz = axis.find("xyz")
        frame = joint if xyz is None else xyz.get("expressed_in") or joint
        if xml.said(axis, "use_parent_model_frame") in ("1", "true"):
            frame = _MODEL
        xml.refuse_unknown("frame", frame, places, name, "a frame of the model")
        direction = np.array([0.0, 0.0, 1.0]) if xyz is None else _numbers(xyz, 3, name)
        line = places[frame][:3, :3] @ direction
        ends = _limit(axis, "lower", -np.inf), _limit(axis, "upper", np.inf)
        endless = element.get("type") == "continuous" or -ends[0] == ends[1] == np.inf
        effort, speed = (_limit(axis, key, -1.0) for key in ("effort", "velocity"))
        yield FileFreedom(
            name,
            kind,
            places[joint][:3, 3],
            line / (np.linalg.norm(line) or 1.0) if kind != "ball" else places[child][:3, :3],
            travel=None if endless else ends,
            damping=xml.number(axis, "dynamics/damping", 0.0),
            friction=xml.number(axis, "dynamics/friction", 0.0),
            stiffness=xml.number(axis, "dynamics/spring_stiffness", 0.0),
            relaxed=xml.number(axis, "dynamics/spring_reference", 0.0),
            max_effort=effort if effort > 0.0 else None,
            max_speed=speed if speed > 0.0 else None,
        )


def _body(link: Xml.Element | None) -> FileBody:
    """A link in its own frame; SDF takes 1 kg and 1 kg m^2 where it has no mass properties."""
    if link is None:
        return FileBody()
    inertial = link.find("inertial")
    if inertial is not None and inertial.get("auto") in ("1", "true"):
        problem, name = "its mass is that of its shapes", str(link.get("name"))
        raise RobotError(problem, key=name, expected="<mass> and <inertia>")
    at = "inertial/inertia/"
    moments = [xml.number(link, at + key, float(key[1] == key[2])) for key in xml.MOMENTS]
    with inside(str(link.get("name"))):
        place = _pose(link.find("inertial/pose"))
    return xml.body_of(xml.number(link, "inertial/mass", 1.0), place, moments)


def _pose(element: Xml.Element | None) -> Array:
    """A place of position and roll, pitch, yaw [rad, or degrees], or quaternion x y z w."""
    if element is None or not (element.text or "").strip():
        return np.eye(4)
    if element.get("rotation_format") == "quat_xyzw":
        found = _numbers(element, 7)
        return xml.place_of(found[:3], quaternion=found[[6, 3, 4, 5]])
    found = _numbers(element, 6)
    degrees = element.get("degrees") in ("1", "true")
    return xml.place_of(found[:3], rpy=np.radians(found[3:]) if degrees else found[3:])


def _limit(axis: Xml.Element, key: str, none: float) -> float:
    """A limit of an axis; one that is not given, or so large that it is none."""
    found = xml.number(axis, f"limit/{key}", none, endless=True)
    return found if abs(found) < _UNLIMITED else none


def _numbers(element: Xml.Element, count: int, of: str = "") -> Array:
    return xml.numbers(element.text or "", count, joined(of, f"<{element.tag}>"))
