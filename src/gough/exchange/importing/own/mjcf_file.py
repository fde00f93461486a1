"""An MJCF file that Gough wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
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
from gough.robot.mechanism import BASE
from gough.robot.records import TRAVEL_KEYS


def written_mjcf(root: Xml.Element) -> WrittenFile:
    """What stands in the file."""
    facts = {str(text.get("name")): json.loads(str(text.get("data"))) for text in root.iter("text")}
    efforts = {
        str(motor.get("joint")): decimals(motor.get("ctrlrange")) for motor in root.iter("motor")
    }
    (base,) = root.findall("worldbody/body")
    (option,) = root.findall("option")
    frames: dict[str, Frame] = {}
    inertials: dict[str, Inertial] = {}
    steps: dict[str, Step] = {}
    for above, body in _bodies(base, BASE):
        name = str(body.get("name"))
        turned = body.get("quat") is not None
        frames[name] = Frame(above, position(body.get("pos")), turned)
        if (felt := body.find("inertial")) is not None:
            inertials[name] = _inertial(felt)
        steps |= dict(_steps(body, above, efforts))
    axes = {}
    for body in (base, *(body for _, body in _bodies(base, BASE))):
        for site in body.findall("site"):
            at = Frame(str(body.get("name")), position(site.get("pos")))
            frames[str(site.get("name"))] = at
            axes[str(site.get("name"))] = floats(decimals(site.get("zaxis")))
    closures = {
        str(pair.get("name")): (str(pair.get("site1")), str(pair.get("site2")))
        for pair in root.findall("equality/*")
    }
    gravity = floats(decimals(option.get("gravity")))
    home = next(site for site in base.findall("site") if site.get("name") == "home")
    pose: Facts = {"position": floats(position(home.get("pos")))}
    if home.get("quat"):
        pose["quaternion"] = floats(decimals(home.get("quat")))
    return WrittenFile(facts, frames, inertials, steps, closures, axes, gravity, pose)


def _bodies(body: Xml.Element, name: str) -> Iterator[tuple[str, Xml.Element]]:
    """All bodies beyond one, each with the name of the one that carries it."""
    for child in body.findall("body"):
        yield name, child
        yield from _bodies(child, str(child.get("name")))


def _inertial(element: Xml.Element) -> Inertial:
    full, straight = element.get("fullinertia"), element.get("diaginertia")
    moments = floats(decimals(full or f"{straight} 0 0 0"))
    mass = float(str(element.get("mass")))
    return Inertial(mass, position(element.get("pos")), tuple(moments))


def _steps(
    body: Xml.Element, above: str, efforts: dict[str, tuple[Decimal, ...]]
) -> Iterator[tuple[str, Step]]:
    name = str(body.get("name"))
    for joint in body.findall("joint"):
        step, kind = str(joint.get("name")), str(joint.get("type"))
        place = Frame(name, position(joint.get("pos")))
        axis = tuple(floats(decimals(joint.get("axis"))))
        facts = dict(_facts(joint, kind))
        if step in efforts:
            facts["driven"] = True
            if most := efforts[step]:
                facts["max_effort"] = float(most[1])
        yield step, Step(kind, (above, name), place, axis, facts)


def _facts(joint: Xml.Element, kind: str) -> Iterator[tuple[str, object]]:
    if joint.get("range"):
        yield TRAVEL_KEYS[kind], floats(decimals(joint.get("range")))
    for key, name in (
        ("ref", "position_at_home"), ("damping", "damping"), ("frictionloss", "friction"),
    ):  # fmt: skip
        if joint.get(key):
            yield name, float(str(joint.get(key)))
