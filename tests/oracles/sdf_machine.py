"""A reader of SDF of its own: links and joints of a file, as a tree of Pinocchio's with loops.

It reads what SDF 1.9 says of poses, frames and axes, and knows nothing of how the file was written.
Joints that reach a link first carry it; those of links that are carried already close loops.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from oracles.pinocchio_loops import Closure, PinocchioLoops

pin = pytest.importorskip("pinocchio")

KEPT_FIRST = {"fixed": 0, "prismatic": 1, "revolute": 1, "universal": 2, "ball": 3}


def read_sdf(text, gravity, motors, spins):
    """Return the machine of a file whose links' poses are those of the model frame."""
    model = ET.fromstring(text).find("model")
    links = {link.get("name"): _pose(link) for link in model.findall("link")}
    tree = pin.Model()
    tree.gravity.linear = np.array(gravity)
    carried = {"world": (0, pin.SE3.Identity())}
    rest = sorted(model.findall("joint"), key=lambda joint: KEPT_FIRST[joint.get("type")])
    rest.sort(key=lambda joint: joint.get("name") not in motors)
    kept = _spanning([*links, "world"], rest)
    _hang(tree, links, carried, kept, "world")
    for link in model.findall("link"):
        if link.find("inertial") is not None:
            joint, place = carried[link.get("name")]
            tree.appendBodyToJoint(joint, _inertia(link.find("inertial")), place)
    for name, (joint, place) in carried.items():
        tree.addFrame(pin.Frame(name, joint, 0, place, pin.OP_FRAME))
    loops = [joint for joint in rest if joint not in kept]
    closures = [closure for joint in loops for closure in _closures(links, carried, joint)]
    driven = [tree.joints[tree.getJointId(name)].idx_v for name in motors]
    return PinocchioLoops(tree, closures, driven, "platform", spins)


def _spanning(names, joints):
    groups = {name: {name} for name in names}
    kept = []
    for joint in joints:
        first, second = (groups[joint.find(end).text] for end in ("parent", "child"))
        if first is not second:
            first |= second
            for name in second:
                groups[name] = first
            kept.append(joint)
    return kept


def _hang(tree, links, carried, kept, body, above=None):
    """Hang what joints carry below a link, depth first; a link's frame is where its pose says."""
    for joint in kept:
        ends = [joint.find(end).text for end in ("parent", "child")]
        if joint is above or body not in ends:
            continue
        sign, child = (1, ends[1]) if ends[0] == body else (-1, ends[0])
        centre = pin.SE3(np.eye(3), _centre(links, joint))
        before, place = carried[body]
        world = links.get(body, pin.SE3.Identity())
        step = place * world.inverse() * centre
        for k, made in enumerate(_models(joint, sign)):
            name = joint.get("name") + ("" if k == 0 else f" {k}")
            before, step = tree.addJoint(before, made, step, name), pin.SE3.Identity()
        carried[child] = before, step * centre.inverse() * links[child]
        _hang(tree, links, carried, kept, child, joint)


def _models(joint, sign):
    kind = joint.get("type")
    axes = [sign * axis for axis in _axes(joint)][::sign]
    if kind == "ball":
        return [pin.JointModelSpherical()]
    if kind == "prismatic":
        return [pin.JointModelPrismaticUnaligned(axes[0])]
    return [pin.JointModelRevoluteUnaligned(axis) for axis in axes]


def _axes(joint):
    """Directions in the model frame, which is where this reader wants them expressed."""
    found = [joint.find(tag) for tag in ("axis", "axis2") if joint.find(tag) is not None]
    assert all(axis.find("xyz").get("expressed_in") == "__model__" for axis in found)
    return [np.array(axis.find("xyz").text.split(), dtype=float) for axis in found]


def _closures(links, carried, joint):
    kind, centre = joint.get("type"), _centre(links, joint)
    points = {"ball": [centre], "revolute": [centre, *(centre + axis for axis in _axes(joint))]}
    for point in points[kind]:
        ends = [joint.find(end).text for end in ("parent", "child")]
        world = pin.SE3(np.eye(3), point)
        places = [carried[end][1] * links[end].inverse() * world for end in ends]
        yield Closure(tuple(carried[end][0] for end in ends), tuple(places), False)


def _centre(links, joint):
    """A joint's place: its pose is in the frame of its child."""
    return (links[joint.find("child").text] * _pose(joint)).translation


def _pose(element):
    found = element.find("pose")
    if found is None:
        return pin.SE3.Identity()
    x, y, z, *turn = (float(number) for number in found.text.split())
    if found.get("rotation_format") == "quat_xyzw":
        rotation = pin.Quaternion(np.array(turn)).normalized().toRotationMatrix()
    else:
        rotation = pin.rpy.rpyToMatrix(*turn)
    return pin.SE3(rotation, np.array([x, y, z]))


def _inertia(inertial):
    I = {entry.tag: float(entry.text) for entry in inertial.find("inertia")}
    rows = [[I["ixx"], I["ixy"], I["ixz"]], [I["ixy"], I["iyy"], I["iyz"]]]
    matrix = np.array([*rows, [I["ixz"], I["iyz"], I["izz"]]])
    place = _pose(inertial)
    about = place.rotation @ matrix @ place.rotation.T
    return pin.Inertia(float(inertial.find("mass").text), place.translation, about)
