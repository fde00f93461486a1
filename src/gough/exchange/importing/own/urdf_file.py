"""A URDF file that Gough wrote, and the file of its loops."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree as Xml

from gough.exchange.importing.own.written import (
    Facts,
    Frame,
    Inertial,
    Step,
    WrittenFile,
    decimals,
    floats,
    position,
)
from gough.exchange.tree.decimals import ORIGIN, Point, difference
from gough.exchange.tree.urdf import JOINT_KINDS, UNLIMITED
from gough.robot.appearance import PARTS
from gough.robot.mechanism import PLATFORM
from gough.robot.records import LEGS, TRAVEL_KEYS


def written_urdf(root: Xml.Element, loops: dict[str, Any]) -> WrittenFile:
    """What stands in the files."""
    facts, frames, bodies = loops["gough"], _frames(root), _bodies(loops["gough"]["robot"])
    inertials = {
        str(link.get("name")): _inertial(link)
        for link in root.findall("link")
        if link.get("name") in bodies
    }
    closures = {
        first.removesuffix(f".{frames[first].parent}"): (first, second)
        for first, second in loops["closed_loop"]
    }
    file = WrittenFile(facts, frames, inertials, {}, closures)
    motors = set(loops["name_mot"])
    for joint in root.findall("joint"):
        file.steps[str(joint.get("name"))] = _step(joint, root, file, motors)
    return file


def _frames(root: Xml.Element) -> dict[str, Frame]:
    """All links but the base, in the frames of those that carry them."""
    frames = {}
    for joint in root.findall("joint"):
        origin = joint.find("origin")
        at = position(None if origin is None else origin.get("xyz"))
        turned = origin is not None and origin.get("rpy") is not None
        frames[_end(joint, "child")] = Frame(_end(joint, "parent"), at, turned)
    return frames


def _bodies(robot: Facts) -> set[str]:
    """Links that are bodies; others stand at joints, between hinges, and where loops are closed."""
    legs = {f"{part}-{k}" for part in PARTS for k in range(1, LEGS + 1)}
    halves = {f"{joint}.half" for joint in robot.get("joints", ())}
    return {PLATFORM, *halves, *robot.get("bodies", legs)}


def _end(joint: Xml.Element, tag: str) -> str:
    found = joint.find(tag)
    assert found is not None
    return str(found.get("link"))


def _inertial(link: Xml.Element) -> Inertial:
    element = link.find("inertial")
    if element is None:
        return Inertial(0.0, ORIGIN, (0.0,) * 6)
    origin, mass, inertia = (element.find(tag) for tag in ("origin", "mass", "inertia"))
    assert mass is not None
    assert inertia is not None
    moments = (float(inertia.attrib[f"i{key}"]) for key in ("xx", "yy", "zz", "xy", "xz", "yz"))
    center = position(None if origin is None else origin.get("xyz"))
    return Inertial(float(mass.attrib["value"]), center, tuple(moments))


def _step(joint: Xml.Element, root: Xml.Element, file: WrittenFile, motors: set[str]) -> Step:
    name, kind = str(joint.get("name")), JOINT_KINDS[str(joint.get("type"))]
    child = _end(joint, "child")
    below, place = _carried(child, root, file)
    axis = joint.find("axis")
    written = dict(_facts(joint, kind, file.facts.get(f"joint {name}", {})))
    if name in motors:
        written["driven"] = True
    else:
        for key in ("max_effort", "max_speed"):
            written.pop(key, None)
    return Step(
        kind,
        (file.body(_end(joint, "parent")), below),
        Frame(below, place),
        () if axis is None else tuple(floats(decimals(axis.get("xyz")))),
        written,
    )


def _carried(link: str, root: Xml.Element, file: WrittenFile) -> tuple[str, Point]:
    """The body beyond a link that stands at a joint, and where the joint is in it."""
    if link in file.inertials:
        return link, ORIGIN
    for joint in root.findall("joint"):
        if _end(joint, "parent") == link:
            body, place = _carried(_end(joint, "child"), root, file)
            return body, difference(place, file.frames[_end(joint, "child")].position)
    return link, ORIGIN


def _facts(joint: Xml.Element, kind: str, beside: Facts) -> Iterator[tuple[str, Any]]:
    limit, dynamics = joint.find("limit"), joint.find("dynamics")
    if dynamics is not None:
        yield "damping", float(dynamics.attrib["damping"])
        yield "friction", float(dynamics.attrib["friction"])
    if limit is None:
        return
    if "lower" in limit.attrib and abs(Decimal(limit.attrib["lower"])) != UNLIMITED:
        home = Decimal(repr(float(beside.get("position_at_home", 0.0))))
        ends = (Decimal(limit.attrib[key]) for key in ("lower", "upper"))
        yield TRAVEL_KEYS[kind], floats(end + home for end in ends)
    for key, name in (("effort", "max_effort"), ("velocity", "max_speed")):
        if Decimal(limit.attrib[key]) != UNLIMITED:
            yield name, float(limit.attrib[key])
