"""A machine as MJCF, for MuJoCo and for whatever else reads it, such as Pinocchio.

The base is a body that stands still, as Pinocchio reads one body of the world only; the others hang
on it as a tree, whose loops `connect`s close. Joints count as the robot's maker does (`ref`).
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from gough.disk.sources import rendered
from gough.exchange.tree.document import (
    ELECTRIC,
    Export,
    element,
    exported,
    in_attribute,
    not_simulated,
    parsed_element,
    text,
)
from gough.exchange.tree.machine_tree import (
    NO_ROTOR,
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
from gough.robot.mechanism import BASE, PLATFORM
from gough.robot.springs import Spring

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
    least, thin = _least(tree, visuals.reach)
    remarks = [*not_simulated(tree, **_SAID), *_shares(tree), *thin]
    lines = [spring for spring in robot.springs if _free_length(spring) >= 0.0]
    lost = [spring.name for spring in robot.springs if spring not in lines]
    lost += [joint.name for joint in tree.home.joints if joint.preload and not joint.stiffness]
    if lost:
        remarks.append(f"not simulated: forces of {', '.join(lost)}, not those of linear springs")
    facts = {
        "robot": robot,
        "tree": tree,
        "visuals": visuals,
        "least": least,
        "springs": [(spring, _free_length(spring)) for spring in lines],
        "text": text,
        "xml": in_attribute,
    }
    root = parsed_element(rendered(__name__, "mjcf.xml", facts | _home(tree)))
    root.findall("worldbody")[0].append(_base(tree, visuals))
    return exported(robot, "xml", root, remarks, visuals)


def _shares(tree: MachineTree) -> list[str]:
    """Remarks on bodies whose mass is that of several, welded together."""
    shares: dict[str, list[str]] = {}
    for half, body in (c.bodies for c in tree.closures if c.bodies[0].endswith(".half")):
        shares.setdefault(body, []).append(half)
    return [
        f"{body} shares its mass with {', '.join(h)}, welded to it" for body, h in shares.items()
    ]


def _least(tree: MachineTree, reach: float) -> tuple[tuple[float, ...], list[str]]:
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
        return (), []
    least = f"at least {mass:.3g} kg and {inertia:.3g} kg m^2"
    remark = f"of too little mass or inertia; MuJoCo takes {least}: {', '.join(thin)}"
    return (mass, inertia), [remark]


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


def _free_length(spring: Spring) -> float:
    """Free length [m] of a spring; negative if it has a characteristic that MuJoCo's have not."""
    if spring.length is not None:
        return spring.length
    if spring.stiffness:
        return spring.length_at_home - (spring.force or 0.0) / spring.stiffness
    linear = spring.table is None and not spring.force
    return spring.length_at_home if linear else -1.0


def _home(tree: MachineTree) -> dict[str, object]:
    """Positions at home, the efforts of motors there, and whether these hold the machine."""
    positions: list[float] = []
    for freedom in (freedom for joint in tree.joints for freedom in freedoms(joint)):
        positions += UPRIGHT if freedom.kind == "ball" else [freedom.travel.home]
    robot, still = tree.robot, np.zeros(6)
    loaded = robot.springs or any(joint.preload for joint in tree.home.joints)
    kernel = Model(robot).actuator_force if loaded else Model(robot).inverse_dynamics
    efforts = kernel(np.array(robot.home), still, still, still)
    holding = bool(np.isfinite(efforts).all())
    return {"positions": positions, "efforts": efforts, "holding": holding}
