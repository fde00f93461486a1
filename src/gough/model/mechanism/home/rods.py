"""Rods with ball joints at both ends: lines of mass that spin about themselves unnoticed.

With x from 0 at one end to 1 at the other, ∫ (1-x)² dm belongs to the one body, ∫ x² dm to the
other, and ∫ x (1-x) dm is shared: exactly so, if the rod is symmetric about the line.
"""

from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np

from gough.arrays import Array, direction_of, length_of, product_of
from gough.errors import RobotError
from gough.model.mechanism.home.drawing import Drawing, DrawnJoint, Spinning
from gough.model.mechanism.numbers.mass import NOTHING, Mass
from gough.model.mechanism.numbers.traced import drawn_values
from gough.robot import BASE, PLATFORM, spanning_tree

HOLDERS = (BASE, PLATFORM)
SYMMETRIC = 1e-9  # tolerance of a rod's symmetry, as a share of its inertia or length


def holds(body: str) -> int:
    """Return the rank of a body as a support: 0 for a leg's link, the highest for the platform."""
    return HOLDERS.index(body) + 1 if body in HOLDERS else 0


@dataclass(frozen=True, eq=False)
class Rod:
    """A rod between two points of two bodies, of which the one that holds the other comes last."""

    name: str
    ends: tuple[str, str]
    points: tuple[Array, Array]
    masses: dict[str, Any]  # masses of both ends, near and far, and what they share [kg]
    body: Spinning


def with_rods_apart(drawing: Drawing) -> tuple[Drawing, tuple[Rod, ...]]:
    """Return the home configuration with its rods' masses at their ends, and the rods.

    A rod that is the only support of a body remains a body, with a universal joint at one end: for
    a line of mass this makes no difference.
    """
    names = [name for name in drawing.bodies if is_rod(drawing, name)]
    drawing, carriers = _with_carriers(drawing, names)
    bodies, rods, ground = dict(drawing.bodies), [], drawing.ground
    for name in (name for name in names if name not in carriers):
        rod, parts = _rod(name, drawing.bodies[name], _joints(drawing, name))
        for end, part in zip(rod.ends, parts, strict=True):
            if end == BASE:
                ground = ground + part
            else:
                bodies[end] = bodies[end] + part
        bodies[name] = NOTHING
        rods.append(rod)
    spinning = (*drawing.spinning, *(rod.body for rod in rods))
    return replace(drawing, bodies=bodies, ground=ground, spinning=spinning), tuple(rods)


def is_rod(drawing: Drawing, name: str) -> bool:
    """Whether a body has two ball joints and nothing else."""
    return name != PLATFORM and [joint.type for joint in _joints(drawing, name)] == ["S", "S"]


def _joints(drawing: Drawing, name: str) -> list[DrawnJoint]:
    return [joint for joint in drawing.joints if joint.joins(name)]


def _with_carriers(drawing: Drawing, rods: list[str]) -> tuple[Drawing, set[str]]:
    """Return the configuration with rods as links where they are a body's only support."""
    carriers: set[str] = set()
    while True:
        others = drawing.bodies.keys() - {PLATFORM, *rods} | carriers
        standing = {BASE, *(branch.body for branch in spanning_tree(drawing.joints, within=others))}
        hanging = drawing.bodies.keys() - standing - {PLATFORM, *rods}
        found = [
            (near, name)
            for name in rods
            for near, far in permutations(_joints(drawing, name))
            if near.beyond(name) in standing and far.beyond(name) in hanging
        ]
        if not found:
            return drawing, carriers
        joint, name = found[0]
        carriers.add(name)
        drawing = _as_link(drawing, name, joint)


def _as_link(drawing: Drawing, name: str, joint: DrawnJoint) -> Drawing:
    """Return the configuration with a rod as a line of mass with a universal joint at one end."""
    first, second = _joints(drawing, name)
    rod, (near, far) = _rod(name, drawing.bodies[name], [first, second])
    shared = rod.masses["shared"]
    middle = Mass.of_point(4 * shared, (first.at + second.at) / 2)
    ends = Mass.of_point(-shared, first.at) + Mass.of_point(-shared, second.at)
    universal = replace(joint, type="U", axes=universal_axes(second.at - first.at))
    joints = tuple(universal if j is joint else j for j in drawing.joints)
    bodies = drawing.bodies | {name: near + far + middle + ends}
    return replace(drawing, bodies=bodies, joints=joints, spinning=(*drawing.spinning, rod.body))


def universal_axes(along: Array) -> tuple[Array, Array]:
    """Two axes across a link and each other, for a universal joint in place of a ball."""
    across = np.cross(along, np.eye(3)[int(np.argmin(np.abs(drawn_values(along))))])
    return direction_of(across), direction_of(np.cross(along, across))


def _rod(name: str, mass: Mass, joints: list[DrawnJoint]) -> tuple[Rod, tuple[Mass, Mass]]:
    first, second = sorted(joints, key=lambda joint: holds(joint.beyond(name)))
    line = second.at - first.at
    length = length_of(line)
    if not length:
        raise RobotError("a rod without length", key=name)
    seen = mass.seen_in(np.eye(3), first.at)
    beyond = product_of(seen.ms, line) / length**2
    squared = inertia_across(seen, line / length) / length**2
    near, far, shared = mass.mass - 2 * beyond + squared, squared, beyond - squared
    masses = {"near": near, "far": far, "shared": shared}
    ends = first.beyond(name), second.beyond(name)
    parts = Mass.of_point(near, first.at), Mass.of_point(far, second.at)
    return Rod(name, ends, (first.at, second.at), masses, Spinning(name, seen, line)), parts


def inertia_across(mass: Mass, direction: Array) -> Any:
    """The moment of inertia across the line, as if all mass were on it."""
    trace = np.trace(mass.sigma, axis1=-2, axis2=-1)
    return (trace + product_of(direction, mass.sigma, direction)) / 2


def asymmetry(body: Spinning, numbers: Array) -> str | None:
    """Return how a body with these numbers is not symmetric about the line it spins about."""
    mass, length = body.mass.weighed(numbers), float(np.linalg.norm(body.line))
    direction = body.line / length
    aside = float(np.linalg.norm(mass.ms - direction * (mass.ms @ direction)))
    P = np.eye(3) - np.outer(direction, direction)
    across = P @ mass.sigma @ P
    deviator = across - np.trace(across) / 2 * P
    uneven = np.linalg.norm(deviator) + 2 * np.linalg.norm(P @ mass.sigma @ direction)
    scale = inertia_across(mass, direction)
    if aside > SYMMETRIC * mass.mass * length:
        return f"its mass centre is {aside / mass.mass:.3g} m off"
    if uneven > SYMMETRIC * scale:
        return f"its inertia is off symmetry by {uneven / scale:.3g} of itself about"
    return None
