"""A machine as SDF, which joins any two links: its loops are closed by their own joints.

Links stand in the model frame, which is the base frame, as they are at home, where all positions
are zero. SDF has no joint that slides and turns: that one is a slide and a hinge, with a link
between them that weighs next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from gough.exchange.tree.document import Export, element, exported, not_simulated, text
from gough.exchange.tree.machine_tree import Freedom, MachineTree, freedoms, tree_of
from gough.exchange.tree.visuals import Visuals, rgba, visuals_of
from gough.robot import Robot
from gough.robot.home.configuration import ORIGIN, UPRIGHT, Frame, HomeBody, HomeJoint, Point
from gough.robot.mechanism import BASE

_VERSION = "1.9"
_LEAST = 1e-12
"""Mass [kg] and inertia [kg m^2] of what has none: SDF takes only bodies that have some."""


def sdf(robot: Robot) -> Export:
    """The machine as an SDF file."""
    tree = tree_of(robot)
    visuals = visuals_of(tree.home)
    remarks = [
        f"not in a model of SDF: gravity, which is the world's; here {text(*robot.gravity)} m/s^2",
        *not_simulated(tree, spring="", stop="restitution of end stops"),
    ]
    balls = [j.name for j in tree.home.joints if j.kind.is_ball and not j.is_bare]
    remarks += [f"not simulated: friction and springs of {', '.join(balls)}"] if balls else []
    if constant := [j.name for j in tree.home.joints if j.preload and not j.stiffness]:
        remarks.append(f"not simulated: springs without stiffness, {', '.join(constant)}")
    if thin := [body.name for body in tree.home.bodies.values() if _is_thin(body)]:
        least = f"{_LEAST} kg and kg m^2"
        remarks.append(f"made heavier by {least}, as SDF takes no less: {', '.join(thin)}")
    inside = [
        element("link", _visuals(BASE, visuals), name=BASE),
        *(_link(body, _visuals(body.name, visuals)) for body in tree.home.bodies.values()),
        _joined(f"{BASE}.fixed", "fixed", ("world", BASE), ORIGIN),
        *(made for joint in (*tree.joints, *tree.cut) for made in _joint(tree, joint)),
    ]
    root = element("sdf", [element("model", inside, name=robot.name)], version=_VERSION)
    return exported(robot, "sdf", root, remarks, visuals)


def _is_thin(body: HomeBody) -> bool:
    return body.mass <= 0.0 or body.least_moment <= _LEAST


def _link(body: HomeBody, visuals: list[Element]) -> Element:
    return element("link", [_pose(body.frame), _inertial(body), *visuals], name=body.name)


def _pose(frame: Frame) -> Element | None:
    """A position, and a quaternion x y z w if it is turned."""
    w, x, y, z = frame.quaternion
    if frame.quaternion != UPRIGHT:
        return element("pose", text(*frame.position, x, y, z, w), rotation_format="quat_xyzw")
    return element("pose", text(*frame.position, 0.0, 0.0, 0.0)) if any(frame.position) else None


def _inertial(body: HomeBody) -> Element:
    more = _LEAST if _is_thin(body) else 0.0
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    diagonal = {"ixx": xx + more, "iyy": yy + more, "izz": zz + more}
    moments = {**diagonal, "ixy": xy, "ixz": xz, "iyz": yz}
    written = [element(key, text(value)) for key, value in sorted(moments.items())]
    parts = [_pose(Frame(body.center_of_mass)), element("mass", text(body.mass + more))]
    return element("inertial", [*parts, element("inertia", written)])


def _joint(tree: MachineTree, joint: HomeJoint) -> Iterator[Element]:
    if joint.kind.sdf is None:
        yield from _sliding_and_turning(tree, joint)
        return
    axes = [_axis(tree, joint, step) for step in freedoms(joint) if step.axis is not None]
    named = [element(f"axis{'' if k == 1 else k}", axis) for k, axis in enumerate(axes, 1)]
    yield _joined(joint.name, joint.kind.sdf, joint.between, joint.places[1], *named)


def _sliding_and_turning(tree: MachineTree, joint: HomeJoint) -> Iterator[Element]:
    about, along = freedoms(joint)
    (first, second), place = joint.between, joint.places[1]
    between = f"{joint.name}.link"
    yield _link(HomeBody.massless(between, tree.home.frame(second)), [])
    slide, hinge = (element("axis", _axis(tree, joint, step)) for step in (along, about))
    yield _joined(along.name, "prismatic", (first, between), place, slide)
    yield _joined(about.name, "revolute", (between, second), place, hinge)


def _axis(tree: MachineTree, joint: HomeJoint, step: Freedom) -> list[Element | None]:
    """Direction, limits, friction and spring of a hinge or a slide; a spring's zero is at home."""
    assert step.axis is not None
    limits: dict[str, str] = {}
    if travel := step.travel.from_home:
        limits = {"lower": text(travel[0]), "upper": text(travel[1])}
    if joint.max_effort is not None:
        limits["effort"] = text(joint.max_effort)
    if joint.max_speed is not None:
        limits["velocity"] = text(joint.max_speed)
    if stop := tree.stops.get(joint.name):
        limits["stiffness"] = text(stop.stiffness)
    resisting = {
        "damping": joint.damping,
        "friction": joint.friction,
        "spring_reference": joint.preload / joint.stiffness if joint.stiffness else 0.0,
        "spring_stiffness": joint.stiffness,
    }
    losses = [element(key, text(value)) for key, value in resisting.items() if value]
    return [
        element("xyz", text(*step.axis), expressed_in="__model__"),
        element("limit", [element(*limit) for limit in limits.items()]) if limits else None,
        element("dynamics", losses) if losses else None,
    ]


def _joined(name: str, kind: str, links: tuple[str, str], place: Point, *axes: Element) -> Element:
    """A joint, whose place is in the frame of its second link."""
    ends = [element("parent", links[0]), element("child", links[1])]
    return element("joint", [_pose(Frame(place)), *ends, *axes], name=name, type=kind)


def _visuals(body: str, visuals: Visuals) -> list[Element]:
    shapes: list[tuple[Element | None, Element, str]] = []
    for surface in visuals.surfaces_of(body):
        mesh = element("mesh", [element("uri", surface.file)])
        shapes.append((None, mesh, surface.colour))
    for bar in visuals.parts_of(body):
        middle, angles, length = bar.as_cylinder
        size = [element("radius", text(bar.radius)), element("length", text(length))]
        shape = element("cylinder" if bar.flat else "capsule", size)
        shapes.append((element("pose", text(*middle, *angles)), shape, bar.colour))
    found = []
    for k, (place, shape, colour) in enumerate(shapes, 1):
        colours = [element(key, rgba(colour)) for key in ("ambient", "diffuse")]
        inside = [place, element("geometry", [shape]), element("material", colours)]
        found.append(element("visual", inside, name=f"{body}.{k}"))
    return found
