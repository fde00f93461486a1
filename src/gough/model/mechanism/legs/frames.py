"""Legs as the equations want them: joints, cuts and bodies with numbers in link frames.

Frames have z along the joint's axis, x to the next one (modified Denavit-Hartenberg). They are
computed from the home configuration, with numbers that are meant to be 0 or 1 made so: 1e-17 in
place of 0 costs operations in every evaluation.

Each link lends what it can of its mass to its neighbours. Mass on a hinge's axis moves with both
links, mass at a cut with the platform, and a slide turns with the link before: efforts and motions
are exactly those of the true masses, with fewer numbers in the equations. Reactions in the joints
are not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array, across_axis, angle_of, direction_of, length_of, product_of
from gough.equations.closure import constraint_rows as loops
from gough.equations.closure.constraint_rows import CutBall, CutCoupling, CutHinge, CutJoint, CutRod
from gough.equations.machine import Leg
from gough.equations.tree.bodies import NO_MASS
from gough.equations.tree.joints import BASE, Helical, LinkJoint, Prismatic, Revolute
from gough.model.mechanism.home.drawing import Drawing
from gough.model.mechanism.legs.trees import GROUND, PARALLEL, LegTree, TreeCut, TreeJoint
from gough.model.mechanism.numbers import traced
from gough.model.mechanism.numbers.mass import NOTHING, Mass
from gough.model.mechanism.numbers.traced import as_number, as_value, drawn_values, snapped


@dataclass(frozen=True, eq=False)
class HomeFrame:
    """A link's frame at home: axes as columns and origin, in the home configuration's axes."""

    axes: Array
    origin: Array


@dataclass(frozen=True, eq=False)
class Mounting:
    """A joint on the link before: rotation and origin at position zero, and position at home."""

    rotation: Array
    origin: Array
    drawn: Any


WORLD = HomeFrame(np.eye(3), np.zeros(3))


@dataclass(frozen=True, eq=False)
class _Line:
    """The next axis, or the next point if it has no direction."""

    point: Array
    direction: Array | None = None


def frames_of(tree: LegTree, size: float) -> dict[int, HomeFrame]:
    """All frames of a leg, the ground's among them."""
    frames = {GROUND: WORLD}
    for k, joint in enumerate(tree.joints):
        frames[k] = _frame(joint, _next_of(tree, k), frames[joint.before], size)
    return frames


def mounting(joint: TreeJoint, frame: HomeFrame, before: HomeFrame, size: float) -> Mounting:
    """Return the mounting of a joint's frame on the one before: z about the common normal."""
    z, gap = joint.axis, frame.origin - before.origin
    if joint.kind == "slide":
        drawn = snapped(product_of(gap, z), size)
        rotation, gap = product_of(before.axes.T, frame.axes), gap - drawn * z
    else:
        normal = _normal(before.axes[:, 2], z, before.axes[:, 0])
        start = np.column_stack([normal, np.cross(z, normal), z])
        drawn = snapped(angle_of(*product_of(frame.axes[:, 0], start[:, 1::-1])))
        rotation = product_of(before.axes.T, start)
    origin = product_of(before.axes.T, gap)
    return Mounting(snapped(rotation), snapped(origin, size), drawn)


def _next_of(tree: LegTree, link: int) -> _Line | None:
    """Return the successor of a link: its first joint, or else its first cut."""
    for k, joint in enumerate(tree.joints):
        if joint.before == link:
            if joint.kind != "slide":
                return _Line(joint.at, joint.axis)
            beyond = _next_of(tree, k)  # a slide's axis is laid through what comes next
            return _Line(joint.at if beyond is None else beyond.point, joint.axis)
    for cut in tree.cuts:
        if link in (cut.link, cut.other):
            return _Line(cut.at if cut.link == link else cut.held)
    return None


def _frame(joint: TreeJoint, beyond: _Line | None, before: HomeFrame, size: float) -> HomeFrame:
    z = joint.axis
    at = joint.at if joint.kind != "slide" or beyond is None else beyond.point
    resting = _normal(before.axes[:, 2], z, before.axes[:, 0])
    if beyond is None:
        return HomeFrame(_axes(resting, z), at)
    x, origin = _towards(at, z, beyond, size)
    x = resting if x is None else x
    return HomeFrame(_axes(x, z), origin if joint.kind != "slide" else at)


def _towards(at: Array, z: Array, beyond: _Line, size: float) -> tuple[Array | None, Array]:
    """The direction from an axis to what comes next, if there is one, and where it begins."""
    gap, d = beyond.point - at, beyond.direction
    if d is not None and length_of(np.cross(z, d)) > PARALLEL:
        n = np.cross(z, d)
        n2, aside = product_of(n, n), product_of(gap, n)
        origin = at + z * product_of(np.cross(gap, d), n) / n2
        # across both, towards the other: in families it does not turn round where these meet
        return (-n if apart(n * aside / n2, size) and drawn_values(aside) < 0 else n), origin
    origin = at + z * product_of(gap, z)
    across = beyond.point - origin
    return (across if length_of(across) > PARALLEL * size else None), origin


def apart(way: Array, size: float) -> bool:
    """Whether two points are apart, in all traced configurations."""
    try:
        return bool(length_of(way) > PARALLEL * size)
    except traced.ChangedKindError:
        return False


def _normal(a: Array, b: Array, otherwise: Array) -> Array:
    """The unit vector across both axes; where they are parallel, what else is across them."""
    n = np.cross(a, b)
    if length_of(n) > PARALLEL:
        n = direction_of(n)
        return n if product_of(n, otherwise) >= -PARALLEL else -n
    n = across_axis(otherwise, b)
    if length_of(n) < 1e-3:
        n = np.eye(3)[int(np.argmin(np.abs(drawn_values(b))))]
        n = across_axis(n, b)
    return direction_of(n)


def _axes(x: Sequence[float] | Array, z: Array) -> Array:
    x = direction_of(across_axis(np.asarray(x), z))
    return np.column_stack([x, np.cross(z, x), z])


@dataclass(frozen=True, eq=False)
class Parts:
    """A leg without its plan and masses; masses of its links, and what it lent to others."""

    leg: Leg
    frames: dict[int, HomeFrame]  # frames of its links, the ground among them, at home
    links: list[Mass]  # in their own frames
    platform: Mass
    ground: Mass


def parts_of(drawing: Drawing, tree: LegTree, held: HomeFrame) -> Parts:
    """Numbers of a leg; `held` is the frame in which the platform's points are given."""
    frames = frames_of(tree, drawing.size)
    mountings = [
        mounting(joint, frames[k], frames[joint.before], drawing.size)
        for k, joint in enumerate(tree.joints)
    ]
    masses = _lent_masses(tree, frames, mountings, drawing.size)
    joints = tuple(map(_joint, tree.joints, mountings))
    cuts = tuple(_cut(tree, cut, frames, held, drawing.size) for cut in tree.cuts)
    couplings = tuple(_coupling(tree, weights) for weights in tree.couplings.values())
    return Parts(Leg(joints, cuts, couplings=couplings), frames, *masses)


def _coupling(tree: LegTree, weights: Mapping[str, object]) -> CutCoupling:
    names = [joint.name for joint in tree.joints]
    joints, coefficients = tuple(map(names.index, weights)), as_value(np.array([*weights.values()]))
    slides = tree.joints[joints[0]].kind == "slide"
    return CutCoupling(BASE, ca.DM.zeros(3), ca.DM.zeros(3), BASE, joints, coefficients, slides)


def _joint(joint: TreeJoint, mounted: Mounting) -> LinkJoint:
    rotation, origin = as_value(mounted.rotation), as_value(mounted.origin)
    drawn, at_home = as_number(mounted.drawn), as_number(joint.at_home)
    facts = joint.before, rotation, origin, drawn, at_home, NO_MASS
    if joint.kind == "screw" or (joint.coupled and joint.kind == "hinge"):  # they count whole turns
        return Helical(*facts, as_number(joint.lead))
    return (Revolute if joint.kind == "hinge" else Prismatic)(*facts)


def _cut(
    tree: LegTree, cut: TreeCut, frames: dict[int, HomeFrame], held: HomeFrame, size: float
) -> CutJoint:
    link = frames[cut.link]
    holder = held if cut.other is None else frames[cut.other]
    point = snapped(product_of(link.axes.T, cut.at - link.origin), size)
    held_point = snapped(product_of(holder.axes.T, cut.held - holder.origin), size)
    place = (cut.link, as_value(point), as_value(held_point), cut.other)
    if cut.type == "rod":
        return CutRod(*place, as_number(length_of(cut.held - cut.at)), 0.0)
    directions = as_value(_directions(tree, cut, frames, point, size))
    if cut.type == "weld":
        return loops.CutWeld(
            *place, directions, as_value(snapped(product_of(holder.axes.T, link.axes)))
        )
    if cut.axis is None or cut.held_axis is None:
        return CutBall(*place, directions)
    axis = snapped(product_of(link.axes.T, cut.axis))
    held_axis = snapped(product_of(holder.axes.T, cut.held_axis))
    axes = as_value(axis), as_value(held_axis)
    if cut.type == "R":
        return CutHinge(*place, directions, as_value(across(axis)), *axes)
    cosine = as_number(snapped(product_of(cut.axis, cut.held_axis)))
    return loops.CutUniversal(*place, directions, *axes, cosine)


def _directions(
    tree: LegTree, cut: TreeCut, frames: dict[int, HomeFrame], point: Array, size: float
) -> Array:
    """Directions of a point's rows: the first along the link where that frees it of joints.

    Two hinges that meet at the link's origin cannot move the cut towards it.
    """
    joint = tree.joints[cut.link] if cut.link >= 0 else None
    if joint is None or joint.kind == "slide" or joint.before < 0 or not point[2] or not point[0]:
        return np.eye(3)
    if snapped(frames[cut.link].origin - frames[joint.before].origin, size).any():
        return np.eye(3)
    along = direction_of(point)
    y = np.array([0.0, 1.0, 0.0])
    return snapped(np.column_stack([along, y, np.cross(along, y)]))


def across(axis: Array) -> Array:
    """Two directions across an axis, coordinate axes where possible."""
    k = int(np.argmax(np.abs(drawn_values(axis))))
    first = direction_of(across_axis(np.eye(3)[(k + 1) % 3], axis))
    return snapped(np.column_stack([first, np.cross(axis, first)]))


NEAR = 1e-9  # a cut as near to its joint's axis, in machine sizes, can take no mass off it


def _lent_masses(
    tree: LegTree, frames: dict[int, HomeFrame], mountings: list[Mounting], size: float
) -> tuple[list[Mass], Mass, Mass]:
    """Masses lent from cuts to base: of links, and what platform and ground got, at home."""
    links = [
        joint.mass.seen_in(frames[k].axes, frames[k].origin) for k, joint in enumerate(tree.joints)
    ]
    platform, ground = NOTHING, NOTHING
    for k in reversed(range(len(links))):
        to_platform = _at_cut(tree, k, frames[k], links[k], size)
        links[k] -= to_platform
        platform += to_platform.seen_from(frames[k].axes, frames[k].origin)
        lent, received = _to_link_before(tree, k, links[k], mountings[k])
        links[k] -= lent
        before = tree.joints[k].before
        if before == GROUND:
            ground += received
        else:
            links[before] += received
    return links, platform, ground


def _at_cut(tree: LegTree, link: int, frame: HomeFrame, mass: Mass, size: float) -> Mass:
    """A point mass at the link's cut on the platform that leaves the link with fewer numbers."""
    cut = next((t for t in tree.cuts if t.link == link and t.other is None), None)
    if cut is None or cut.type in ("rod", "weld"):
        return NOTHING
    point = product_of(frame.axes.T, cut.at - frame.origin)
    if tree.joints[link].kind == "slide":
        return Mass.of_point(mass.mass, point)
    return (
        Mass.of_point(mass.ms[..., 0] / point[0], point) if abs(point[0]) > NEAR * size else NOTHING
    )


def _to_link_before(tree: LegTree, link: int, mass: Mass, mounted: Mounting) -> tuple[Mass, Mass]:
    """Return the mass that a link lends to the one before: in its own frame, and in that one's."""
    R, p, joint = mounted.rotation, mounted.origin, tree.joints[link]
    if joint.kind == "slide":
        lent, received = mass.sigma, product_of(R, mass.sigma, R.T)
        return replace(NOTHING, sigma=lent), replace(NOTHING, sigma=received)
    # the cross of a universal joint can pass on a point but no more
    on_cross = joint.before != GROUND and tree.joints[joint.before].mass is NOTHING
    if joint.kind == "screw" or (on_cross and p.any()):  # nothing moves as the link before does
        return NOTHING, NOTHING
    on_axis = replace(NOTHING, mass=mass.mass)
    if not on_cross:
        on_axis = Mass(mass.mass, mass.ms * [0, 0, 1], mass.sigma * np.diag([0, 0, 1]))
    return on_axis, on_axis.seen_from(R, p)


def shared_together(leg: Leg, tree: LegTree) -> tuple[list[Any], Any]:
    """The shared masses of a leg's cuts, those of rods that move alike in the first of them.

    Also ∫ r dm that this takes away, a constant [kg m]. The platform must not turn.
    """
    masses: list[Any] = [cut.shared_mass for cut in tree.cuts]
    missing: Any = np.zeros(3)
    for k, cut in enumerate(leg.cuts):
        first = next(i for i, other in enumerate(leg.cuts) if i == k or _alike(leg, other, cut))
        if first != k:
            here, there = tree.cuts[k], tree.cuts[first]
            apart = here.at - there.at + here.held - there.held
            missing = missing + np.asarray(masses[k])[..., None] * apart
            masses[first], masses[k] = masses[first] + masses[k], 0.0
    return masses, missing


def _alike(leg: Leg, a: CutJoint, b: CutJoint) -> bool:
    """Whether both ends of two rods of the same arm move alike: a parallelogram."""
    rods = isinstance(a, CutRod) and isinstance(b, CutRod) and a.other is None and b.other is None
    if not rods or a.link != b.link or a.link == BASE or leg.joints[a.link].before != BASE:
        return False
    apart, size = np.array(a.point - b.point), float(ca.norm_2(a.point))
    return isinstance(leg.joints[a.link], Prismatic) or not snapped(apart[:2], size).any()
