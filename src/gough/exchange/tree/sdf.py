"""A machine as SDF, which joins any two links: its loops are closed by their own joints.

Links stand in the model frame, which is the base frame, as they are at home, where all positions
are zero. SDF has no joint that slides and turns: that one is a slide and a hinge, with a link
between them that weighs next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from gough.exchange.tree.carried import carrying
from gough.exchange.tree.export import Export, file_name
from gough.exchange.tree.freedoms import Freedom, freedoms
from gough.exchange.tree.looks import Look, Looks, looks_of, rgba
from gough.exchange.tree.machine_tree import MachineTree, tree_of
from gough.exchange.tree.remarks import not_simulated
from gough.exchange.tree.surfaces import BodySurface
from gough.exchange.tree.xml import document, element, text
from gough.fields.inertia import Matrix
from gough.robot import Robot
from gough.robot.home.configuration import ORIGIN, UPRIGHT, Frame, HomeBody, HomeJoint, Point
from gough.robot.mechanism import BASE

_VERSION = "1.9"
_LEAST = 1e-12
"""Mass [kg] and inertia [kg m^2] of what has none: SDF takes only bodies that have some."""


def sdf(robot: Robot) -> Export:
    """The machine as an SDF file."""
    tree = tree_of(robot)
    looks = looks_of(tree.home)
    remarks = [
        f"not in a model of SDF: gravity, which is the world's; here {text(*robot.gravity)} m/s^2",
        *not_simulated(tree, closes=True),
        *_resisting_balls(tree),
        *_weightless(tree),
    ]
    inside = [
        element("link", _visuals(BASE, looks), name=BASE),
        *(_link(body, looks) for body in tree.home.bodies.values()),
        _joined(f"{BASE}.fixed", "fixed", ("world", BASE), ORIGIN),
        *(made for joint in (*tree.joints, *tree.cut) for made in _joint(tree, joint)),
    ]
    model = element("model", inside, name=robot.name)
    root = element("sdf", [model], version=_VERSION)
    machine = document(root, [robot.name, *remarks]) + carrying(robot)
    return Export({f"{file_name(robot)}.sdf": machine} | looks.texts, remarks)


def _resisting_balls(tree: MachineTree) -> list[str]:
    balls = [j.name for j in tree.home.joints if j.kind.is_ball and (j.damping or j.friction)]
    return [f"not simulated: friction of balls, {', '.join(balls)}"] if balls else []


def _weightless(tree: MachineTree) -> list[str]:
    thin = [body.name for body in tree.home.bodies.values() if _is_thin(body)]
    least = f"{_LEAST} kg and kg m^2"
    return [f"made heavier by {least}, as SDF takes no less: {', '.join(thin)}"] if thin else []


def _is_thin(body: HomeBody) -> bool:
    return body.mass <= 0.0 or body.least_moment <= _LEAST


def _link(body: HomeBody, looks: Looks) -> Element:
    return element(
        "link", [_pose(body.frame), _inertial(body), *_visuals(body.name, looks)], name=body.name
    )


def _pose(frame: Frame) -> Element | None:
    """A position, and a quaternion x y z w if it is turned."""
    w, x, y, z = frame.quaternion
    if frame.quaternion != UPRIGHT:
        return element("pose", text(*frame.position, x, y, z, w), rotation_format="quat_xyzw")
    return element("pose", text(*frame.position, 0.0, 0.0, 0.0)) if any(frame.position) else None


def _inertial(body: HomeBody) -> Element:
    mass, inertia = body.mass, body.inertia
    if _is_thin(body):
        mass, inertia = mass + _LEAST, _heavier(inertia)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    written = [element(key, text(value)) for key, value in moments.items()]
    parts = [_pose(Frame(body.center_of_mass)), element("mass", text(mass))]
    return element("inertial", [*parts, element("inertia", written)])


def _heavier(inertia: Matrix) -> Matrix:
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = inertia
    return (xx + _LEAST, xy, xz), (yx, yy + _LEAST, yz), (zx, zy, zz + _LEAST)


def _joint(tree: MachineTree, joint: HomeJoint) -> Iterator[Element]:
    if joint.kind.sdf is None:
        yield from _sliding_and_turning(tree, joint)
        return
    axes = [_axis(joint, step) for step in freedoms(joint) if step.axis is not None]
    named = [element(f"axis{'' if k == 1 else k}", axis) for k, axis in enumerate(axes, 1)]
    yield _joined(joint.name, joint.kind.sdf, joint.between, joint.places[1], *named)


def _sliding_and_turning(tree: MachineTree, joint: HomeJoint) -> Iterator[Element]:
    about, along = freedoms(joint)
    first, second = joint.between
    between = f"{joint.name}.link"
    frame = tree.home.frame(second)
    place = joint.places[1]
    link = HomeBody.massless(between, frame)
    yield element("link", [_pose(frame), _inertial(link)], name=between)
    slide, hinge = (element("axis", _axis(joint, step)) for step in (along, about))
    yield _joined(along.name, "prismatic", (first, between), place, slide)
    yield _joined(about.name, "revolute", (between, second), place, hinge)


def _axis(joint: HomeJoint, step: Freedom) -> list[Element | None]:
    """Direction, limits and friction of a hinge or a slide."""
    assert step.axis is not None
    limits: dict[str, str] = {}
    if travel := step.travel.from_home:
        limits = {"lower": text(travel[0]), "upper": text(travel[1])}
    if joint.max_effort is not None:
        limits["effort"] = text(joint.max_effort)
    if joint.max_speed is not None:
        limits["velocity"] = text(joint.max_speed)
    resisting = {"damping": joint.damping, "friction": joint.friction}
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


def _visuals(body: str, looks: Looks) -> list[Element]:
    shapes = [*map(_surface, looks.surfaces_of(body)), *map(_bar, looks.parts_of(body))]
    return [element("visual", shape, name=f"{body}.{k}") for k, shape in enumerate(shapes, 1)]


def _surface(surface: BodySurface) -> list[Element]:
    mesh = element("mesh", [element("uri", surface.file)])
    return [element("geometry", [mesh]), _material(surface.colour)]


def _bar(look: Look) -> list[Element]:
    middle, angles, length = look.as_cylinder
    size = [element("radius", text(look.radius)), element("length", text(length))]
    return [
        element("pose", text(*middle, *angles)),
        element("geometry", [element("cylinder" if look.flat else "capsule", size)]),
        _material(look.colour),
    ]


def _material(colour: str) -> Element:
    return element("material", [element("ambient", rgba(colour)), element("diffuse", rgba(colour))])
