"""A machine as MJCF, for MuJoCo and for whatever else reads it, such as Pinocchio.

The base is a body that stands still, as Pinocchio reads one body of the world only; the others hang
on it as a tree, whose loops `connect`s close. Joints count as the robot's maker does (`ref`).
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from gough.exchange.tree.document import (
    ELECTRIC,
    Export,
    element,
    exported,
    not_simulated,
    text,
)
from gough.exchange.tree.machine_tree import (
    NO_ROTOR,
    Closure,
    Freedom,
    MachineTree,
    closed,
    freedoms,
    tree_of,
)
from gough.exchange.tree.visuals import Visuals, rgba, visuals_of
from gough.kinematics.model import Model
from gough.robot import Robot
from gough.robot.home.configuration import (
    ORIGIN,
    UPRIGHT,
    Frame,
    HomeBody,
    HomeJoint,
    Point,
    point,
)
from gough.robot.mechanism import BASE, PLATFORM, Coupling
from gough.robot.springs import Spring

_OPTIONS = {"timestep": "0.001", "integrator": "implicitfast"}
_SEEN = {"contype": "0", "conaffinity": "0", "mass": "0"}
"""Options of visual geometry: without contact and mass."""
_SKY = {
    "type": "skybox", "builtin": "gradient", "rgb1": "1 1 1", "rgb2": "0.75 0.82 0.9",
    "width": "64", "height": "384",
}  # fmt: skip
_SIGHT = {"azimuth": "120", "elevation": "-20"}
"""From where the machine is seen at first [deg]: all legs of a hexapod."""
_FAR = 2.0
"""Extent of the visible space around the machine, over its size."""
_STIFF = {"solref": "0.002 1", "solimp": "0.9999 0.9999 0.001 0.5 2"}
"""Maximum stiffness of MuJoCo's closures: settled in two steps, at maximum impedance."""
_TRIFLE = 1e-12
"""Minimum mass [kg] and moment of inertia [kg m^2]: every moving body must have some."""
_SAID = {
    **dict.fromkeys(("spring", "springs", "couplings", "armature"), ""),
    "drive": ELECTRIC,
    "max_speed": "maximum speeds",
}
"""Keys of robots that MJCF has a place for, and what it leaves out of them."""
_SHARE, _LEVER = 1e-5, 0.1
"""Share of the machine's mass for a body without mass, and its lever as a part of the size."""


def mjcf(robot: Robot) -> Export:
    """The machine as an MJCF file."""
    tree = closed(tree_of(robot), sharing_mass=True)
    visuals = visuals_of(tree.home)
    bounds, thin = _least(tree, visuals.reach)
    remarks = [
        *not_simulated(tree, **_SAID),
        *_shares(tree),
        *thin,
    ]
    lines = [spring for spring in robot.springs if _free_length(spring) >= 0.0]
    lost = [spring.name for spring in robot.springs if spring not in lines]
    lost += [joint.name for joint in tree.home.joints if joint.preload and not joint.stiffness]
    remarks += [f"not simulated: forces of {', '.join(lost)}, not those of linear springs"] * bool(
        lost
    )
    several = [coupling for coupling in robot.listed_couplings if len(coupling.joints) > 2]
    x, y, z = visuals.target
    light = {"pos": text(x, y, z + 3 * visuals.reach), "dir": "0 0 -1", "castshadow": "false"}
    meshes = [  # surfaces that need not enclose anything
        element("mesh", name=surface.file, file=surface.file, inertia="shell")
        for surface in visuals.surfaces
    ]
    usual = {"geom": _SEEN, "site": {"group": "3"}, "equality": _STIFF}
    inside = [
        element("compiler", (), angle="radian", autolimits="true", **bounds),
        element("option", (), gravity=text(*robot.gravity), **_OPTIONS),
        element("visual", [element("global", (), **_SIGHT)]),
        element("statistic", center=text(x, y, z), extent=text(_FAR * visuals.reach)),
        element("asset", [element("texture", (), **_SKY), *meshes]),
        element("default", [element(tag, (), **values) for tag, values in usual.items()]),
        element("worldbody", [element("light", (), **light), _base(tree, visuals)]),
        element("tendon", [*map(_spring, lines), *map(_geared, several)]),
        element(
            "equality", [*map(_closure, tree.closures), *map(_coupled, robot.listed_couplings)]
        ),
        element("actuator", [_motor(joint) for joint in tree.driven]),
        element("keyframe", [_home(tree)]),
    ]
    root = element("mujoco", inside, model=robot.name)
    return exported(robot, "xml", root, remarks, visuals)


def _shares(tree: MachineTree) -> list[str]:
    """Remarks on bodies whose mass is that of several, welded together."""
    shares: dict[str, list[str]] = {}
    for half, body in (c.bodies for c in tree.closures if c.bodies[0].endswith(".half")):
        shares.setdefault(body, []).append(half)
    return [
        f"{body} shares its mass with {', '.join(h)}, welded to it" for body, h in shares.items()
    ]


def _least(tree: MachineTree, reach: float) -> tuple[dict[str, str], list[str]]:
    """Return minimum mass [kg] and inertia [kg m^2] for the compiler, and remarks on who has less.

    They are small for thin bodies, and larger if there are some without mass: the error of MuJoCo's
    closures is proportional to the inverse mass of their bodies.
    """
    bodies = tree.home.bodies.values()
    total = sum(body.mass for body in bodies)
    mass = inertia = _TRIFLE
    if total and not all(body.mass for body in bodies):
        mass, inertia = _SHARE * total, _SHARE * total * (_LEVER * reach) ** 2
    thin = [body.name for body in bodies if body.mass < mass or body.least_moment < inertia]
    if not thin:
        return {}, []
    least = f"at least {mass:.3g} kg and {inertia:.3g} kg m^2"
    remark = f"of too little mass or inertia; MuJoCo takes {least}: {', '.join(thin)}"
    return {"boundmass": text(mass), "boundinertia": text(inertia)}, [remark]


def _base(tree: MachineTree, visuals: Visuals) -> Element:
    sites = _sites(tree, BASE)
    inside = [
        *_geoms(visuals, BASE),
        element("site", (), name="home", **_placed(tree.home.frame(PLATFORM))),
        # where loops close at the base: in another body, as Pinocchio skips sites of the first
        element("body", sites, name=f"{BASE}.loops") if sites else None,
        *(_body(tree, visuals, joint) for joint in tree.carried(BASE)),
    ]
    return element("body", inside, name=BASE)


def _body(tree: MachineTree, visuals: Visuals, joint: HomeJoint) -> Element:
    above, name = joint.between
    body = tree.home.bodies[name]
    inside = [
        *(_freedom(tree, joint, freedom) for freedom in freedoms(joint)),
        _inertial(body),
        *_geoms(visuals, name),
        *_sites(tree, name),
        *(_body(tree, visuals, beyond) for beyond in tree.carried(name)),
    ]
    return element("body", inside, name=name, **_placed(body.frame.within(tree.home.frame(above))))


def _placed(frame: Frame) -> dict[str, str | None]:
    turned = frame.quaternion != UPRIGHT
    return {"pos": _place(frame.position), "quat": text(*frame.quaternion) if turned else None}


def _place(place: Point) -> str | None:
    return text(*place) if place != ORIGIN else None


def _freedom(tree: MachineTree, joint: HomeJoint, freedom: Freedom) -> Element:
    frame = tree.home.frame(joint.second)
    axis = None if freedom.axis is None else text(*frame.seen_direction(freedom.axis))
    home, travel = freedom.travel.home, freedom.travel.range
    rotor = tree.rotors.get(joint.name, NO_ROTOR)
    numbers = {
        "ref": home,
        "springref": home + joint.preload / joint.stiffness if joint.stiffness else 0.0,
        "stiffness": joint.stiffness,
        "armature": rotor.inertia + (joint.armature or 0.0),
        "damping": joint.damping + rotor.damping,
        "frictionloss": joint.friction + rotor.friction,
    }
    return element(
        "joint",
        name=freedom.name,
        type=freedom.kind,
        pos=_place(joint.places[1]),
        axis=axis,
        range=text(*travel) if travel else None,
        **{key: text(number) for key, number in numbers.items() if number},
    )


def _inertial(body: HomeBody) -> Element:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    skew = any((xy, xz, yz))
    key = "fullinertia" if skew else "diaginertia"
    moments = text(xx, yy, zz, *((xy, xz, yz) if skew else ()))
    place = text(*body.center_of_mass)
    return element("inertial", pos=place, mass=text(body.mass), **{key: moments})


def _geoms(visuals: Visuals, body: str) -> Iterator[Element]:
    for surface in visuals.surfaces_of(body):
        yield element("geom", type="mesh", mesh=surface.file, rgba=rgba(surface.colour))
    for bar in visuals.parts_of(body):
        kind, ends = "cylinder" if bar.flat else "capsule", text(*bar.start, *bar.end)
        size = text(bar.radius)
        yield element("geom", type=kind, fromto=ends, size=size, rgba=rgba(bar.colour))


def _sites(tree: MachineTree, body: str) -> list[Element]:
    """The places of a body where loops close: on base axes at home, unless only points meet.

    And the ends of its springs.
    """
    frame = tree.home.frame(body)
    ends = [
        element("site", (), name=f"{spring.name}.{end}", **_placed(Frame(frame.seen(point(at)))))
        for spring in tree.robot.springs
        for end, at in (("start", spring.start), ("end", spring.end))
        if spring.between[end == "end"] == body
    ]
    return ends + [
        element(
            "site",
            (),
            name=f"{closure.name}.{body}",
            **_placed(Frame(place) if closure.kind == "point" else Frame(place, frame.base_axes)),
        )
        for closure in tree.closures
        for end, place in zip(closure.bodies, closure.places, strict=True)
        if end == body
    ]


def _closure(closure: Closure) -> Element:
    first, second = (f"{closure.name}.{body}" for body in closure.bodies)
    kind = "connect" if closure.kind == "point" else "weld"
    return element(kind, name=closure.name, site1=first, site2=second)


def _free_length(spring: Spring) -> float:
    """Free length [m] of a spring; negative if it has a characteristic that MuJoCo's have not."""
    if spring.length is not None:
        return spring.length
    if spring.stiffness:
        return spring.length_at_home - (spring.force or 0.0) / spring.stiffness
    linear = spring.table is None and not spring.force
    return spring.length_at_home if linear else -1.0


def _spring(spring: Spring) -> Element:
    ends = [element("site", site=f"{spring.name}.{end}") for end in ("start", "end")]
    numbers = {
        "springlength": _free_length(spring),
        "stiffness": spring.stiffness or 0.0,
        "damping": spring.damping or 0.0,
    }
    given = {key: text(number) for key, number in numbers.items()}
    return element("spatial", ends, name=spring.name, **given)


def _geared(coupling: Coupling) -> Element:
    """A length that is the weighted sum of joint positions."""
    parts = zip(coupling.joints, coupling.weights, strict=True)
    joints = [element("joint", joint=joint, coef=text(weight)) for joint, weight in parts]
    return element("fixed", joints, name=coupling.name)


def _coupled(coupling: Coupling) -> Element:
    """A relation of displacements from home, where `ref` is."""
    if len(coupling.joints) > 2:
        return element("tendon", name=coupling.name, tendon1=coupling.name, polycoef="0 0 0 0 0")
    (first, second), ratio = coupling.joints, -coupling.weights[1]
    polynomial = text(0.0, ratio, 0.0, 0.0, 0.0)
    return element("joint", name=coupling.name, joint1=first, joint2=second, polycoef=polynomial)


def _motor(joint: HomeJoint) -> Element:
    most = joint.max_effort
    limits = None if most is None else text(-most, most)
    return element("motor", name=joint.name, joint=joint.name, ctrlrange=limits)


def _home(tree: MachineTree) -> Element:
    """The home pose, with the efforts that hold the machine there."""
    positions: list[float] = []
    for freedom in (freedom for joint in tree.joints for freedom in freedoms(joint)):
        positions += UPRIGHT if freedom.kind == "ball" else [freedom.travel.home]
    robot, still = tree.robot, np.zeros(6)
    loaded = robot.springs or any(joint.preload for joint in tree.home.joints)
    kernel = Model(robot).actuator_force if loaded else Model(robot).inverse_dynamics
    efforts = kernel(np.array(robot.home), still, still, still)
    holding = text(*efforts) if np.isfinite(efforts).all() else None
    return element("key", name="home", qpos=text(*positions), ctrl=holding)
