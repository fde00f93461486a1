"""A machine as URDF: a tree of links, with a file beside it that says which frames close loops.

That file is the one of Gepetto's collection of parallel robots (example-parallel-robots): pairs of
frames, whether points ("3d") or frames ("6d") meet, and names of motors. Or else the loops are in
the URDF itself, as URDF+ [Chignoli 2024, arXiv:2411.19753] proposes it.

A link's frame is its body's; URDF has a joint at the origin of the link that it carries, so that
where the body's joint is elsewhere a massless link stands at the joint. A ball is three hinges
about x, y and z, with massless links between them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal
from xml.etree.ElementTree import Element

import numpy as np

from gough._version import __version__
from gough.disk.sources import MARK
from gough.exchange.tree.document import Export, element, exported, not_simulated, text
from gough.exchange.tree.machine_tree import (
    Closure,
    Freedom,
    MachineTree,
    closed,
    freedoms,
    tree_of,
)
from gough.exchange.tree.visuals import Visuals, rgba, visuals_of
from gough.poses.quaternions import rotation_matrix
from gough.robot import Robot
from gough.robot.home.configuration import (
    ORIGIN,
    UPRIGHT,
    Frame,
    HomeBody,
    HomeJoint,
    Point,
    Quaternion,
    between,
)
from gough.robot.mechanism import BASE

UNLIMITED = 1e9
"""Stands for a limit [SI units] where URDF wants one and there is none."""
JOINT_KINDS: dict[str, Literal["hinge", "slide", "fixed"]] = {
    "revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "fixed": "fixed",
}  # fmt: skip
"""Kinds of joints by URDF's types."""
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_UNREADABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufffe\uffff]")
"""Characters that JSON has as they are, and YAML does not have, or has as ends of lines."""


def urdf(robot: Robot, loops: bool = False, meshes: str = "") -> Export:
    """The machine as a URDF file, with one that closes its loops beside it, or with loops in it.

    `meshes` is what names of meshes begin with, such as `package://my_robot/meshes/`.
    """
    machine = tree_of(robot)
    tree, visuals = closed(machine, by_points=not loops), visuals_of(machine.home)
    shapes = partial(_visuals, visuals, meshes)
    inside = [element("link", shapes(BASE), name=BASE)]
    inside += [made for joint in tree.joints for made in _carried(tree, joint, shapes)]
    inside += [made for closure in tree.closures for made in _closing_frames(tree, closure)]
    inside += map(_loop, tree.closures) if loops else ()
    root = element("robot", inside, name=robot.name)
    beside = {} if loops else {"yaml": _closing_file(tree)}
    lost = {c.name for c in robot.listed_couplings} - {name for name, _ in _mimics(tree).values()}
    words = f"couplings {', '.join(sorted(lost))}" if lost else ""
    remarks = not_simulated(machine, couplings=words)
    return exported(robot, "urdf", root, remarks, visuals, **beside)


def _mimics(tree: MachineTree) -> dict[str, tuple[str, Element]]:
    """Names and elements of couplings of two joints, by the one that follows: without a motor."""
    motors, found = {joint.name for joint in tree.driven}, dict[str, tuple[str, Element]]()
    for coupling in (c for c in tree.robot.listed_couplings if len(c.joints) == 2):
        (first, second), ratio = coupling.joints, -coupling.weights[1]
        if first in motors and ratio:
            first, second, ratio = second, first, 1.0 / ratio
        follows = element("mimic", joint=second, multiplier=text(ratio))
        found.setdefault(first, (coupling.name, follows))
    return found


def urdf_text(robot: Robot, meshes: str = "") -> str:
    """The tree of a machine as the text of a URDF file; what closes its loops is not in it.

    `meshes` is what names of meshes begin with, such as `package://my_robot/meshes/`.
    """
    return urdf(robot, meshes=meshes).text


def _closing_frames(tree: MachineTree, closure: Closure) -> Iterator[Element]:
    for body, place in zip(closure.bodies, closure.places, strict=True):
        frame = f"{closure.name}.{body}"
        turn = UPRIGHT if closure.kind == "point" else tree.home.frame(body).base_axes
        yield element("link", name=frame)
        yield _joint(f"{frame}.fixed", "fixed", (body, frame), _origin(place, turn))


def _carried(
    tree: MachineTree, joint: HomeJoint, shapes: Callable[[str], list[Element]]
) -> Iterator[Element]:
    """A body with all that carries it."""
    above, name = joint.between
    body = tree.home.bodies[name]
    centre = joint.places[1]
    steps = hinges_and_slides(joint)
    last = name if centre == ORIGIN else f"{joint.name}.end"
    links = [above, *(f"{step.name}.link" for step in steps[:-1]), last]
    origin = _origin(joint.places[0], body.frame.within(tree.home.frame(above)).quaternion)
    if not steps:
        yield _joint(joint.name, "fixed", (above, last), origin)
    for k, step in enumerate(steps):
        place = origin if k == 0 else None
        moving = _moving(joint, step, (links[k], links[k + 1]), place, body.frame)
        if mimic := _mimics(tree).get(joint.name):
            moving.append(mimic[1])
        yield moving
    yield from (element("link", name=link) for link in links[1:] if link != name)
    if last != name:
        yield _joint(f"{name}.fixed", "fixed", (last, name), _origin(between(centre, ORIGIN)))
    yield element("link", [_inertial(body), *shapes(name)], name=name)


def hinges_and_slides(joint: HomeJoint) -> list[Freedom]:
    """Return the hinges and slides of a joint; the axes of a ball's three hinges are the link's."""
    if not joint.kind.is_ball:
        return freedoms(joint)
    return [Freedom(f"{joint.name}.{letter}", "hinge", axis) for letter, axis in AXES.items()]


def _moving(
    joint: HomeJoint, step: Freedom, links: tuple[str, str], origin: Element | None, frame: Frame
) -> Element:
    assert step.axis is not None
    axis = step.axis if joint.kind.is_ball else frame.seen_direction(step.axis)
    kind = "prismatic" if step.kind == "slide" else "revolute"
    if kind == "revolute" and step.travel.range is None:
        kind = "continuous"
    friction = None
    if joint.damping or joint.friction:
        friction = element("dynamics", damping=text(joint.damping), friction=text(joint.friction))
    line, limit = element("axis", xyz=text(*axis)), _limit(joint, step)
    return _joint(step.name, kind, links, origin, line, limit, friction)


def _limit(joint: HomeJoint, step: Freedom) -> Element:
    """From home, where all positions are zero; a joint without a motor has no effort."""
    effort = (UNLIMITED if joint.max_effort is None else joint.max_effort) if joint.driven else 0.0
    speed = UNLIMITED if joint.max_speed is None else joint.max_speed
    limits: dict[str, str | None] = {"effort": text(effort), "velocity": text(speed)}
    travel = step.travel.from_home
    if travel is None and step.kind == "slide":
        travel = (-UNLIMITED, UNLIMITED)
    if travel:
        limits = {"lower": text(travel[0]), "upper": text(travel[1]), **limits}
    return element("limit", (), **limits)


def _joint(name: str, kind: str, links: tuple[str, str], *inside: Element | None) -> Element:
    ends = [element("parent", link=links[0]), element("child", link=links[1])]
    return element("joint", [*ends, *inside], name=name, type=kind)


def _origin(place: Point, turn: Quaternion = UPRIGHT) -> Element | None:
    turned = turn != UPRIGHT
    if place == ORIGIN and not turned:
        return None
    return element("origin", xyz=text(*place), rpy=text(*_rpy(turn)) if turned else None)


def _rpy(turn: Quaternion) -> tuple[float, float, float]:
    """Roll, pitch and yaw [rad] that are exact near a pitch of 90°, too: what is left of a turn."""
    R = rotation_matrix(np.array(turn))
    roll = np.arctan2(R[2, 1], R[2, 2])
    c, s = np.cos(roll), np.sin(roll)
    pitch = np.arctan2(-R[2, 0], s * R[2, 1] + c * R[2, 2])
    yaw = np.arctan2(s * R[0, 2] - c * R[0, 1], c * R[1, 1] - s * R[1, 2])
    return float(roll), float(pitch), float(yaw)


def _inertial(body: HomeBody) -> Element | None:
    """None of a body without mass."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    if not body.mass and not any(moments.values()):
        return None
    inertia = element("inertia", (), **{key: text(value) for key, value in moments.items()})
    mass = element("mass", value=text(body.mass))
    return element("inertial", [_origin(body.center_of_mass), mass, inertia])


def _visuals(visuals: Visuals, folder: str, body: str) -> list[Element]:
    """Visual elements of a link; a cylinder is along z, around the middle of its origin."""
    shapes: list[tuple[Element | None, Element, str]] = []
    for surface in visuals.surfaces_of(body):
        shapes.append((None, element("mesh", filename=folder + surface.file), surface.colour))
    for bar in visuals.parts_of(body):
        middle, angles, length = bar.as_cylinder
        origin = element("origin", xyz=text(*middle), rpy=text(*angles))
        cylinder = element("cylinder", radius=text(bar.radius), length=text(length))
        shapes.append((origin, cylinder, bar.colour))
    found = []
    for place, shape, colour in shapes:
        material = element("material", [element("color", rgba=rgba(colour))], name=colour)
        found.append(element("visual", [place, element("geometry", [shape]), material]))
    return found


def _loop(closure: Closure) -> Element:
    """A loop of URDF+ between the frames of a closure."""
    first, second = (f"{closure.name}.{body}" for body in closure.bodies)
    axis = None if closure.axis is None else element("axis", xyz=text(*closure.axis))
    ends = [element("predecessor", link=first), element("successor", link=second)]
    return element("loop", [*ends, axis], name=closure.name, type=closure.kind)


def _closing_file(tree: MachineTree) -> str:
    """Pairs of frames that meet, and the motors, as Gepetto's loader takes them."""
    keys = {
        "closed_loop": [[f"{c.name}.{body}" for body in c.bodies] for c in tree.closures],
        "type": ["3d" if c.kind == "point" else "6d" for c in tree.closures],
        "name_mot": [joint.name for joint in tree.driven],
        "joint_name": [],
        "joint_type": [],
    }
    said = f"# {MARK} {__version__}; what closes the loops of {tree.robot.identity}"
    lines = [f"{key}: {json.dumps(names, ensure_ascii=False)}" for key, names in keys.items()]
    readable = (_UNREADABLE.sub(lambda c: f"\\u{ord(c[0]):04x}", line) for line in lines)
    return "\n".join([said, *readable, ""])
