"""Masses of a leg's links in their frames, after each link has lent what it can to its neighbours.

Mass on a hinge's axis moves with both links, mass at a tip with the platform, and a slide turns
with the link before: efforts and motions are exactly those of the true masses, with fewer numbers
in the equations. Reactions in the joints are not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.equations.machine import Leg
from gough.equations.mechanism.joints import BASE, Prismatic
from gough.equations.mechanism.tips import RodTip, Tip
from gough.model.mechanism.frames import HomeFrame, Mounting
from gough.model.mechanism.mass import NOTHING, Mass
from gough.model.mechanism.traced import snapped
from gough.model.mechanism.trees import GROUND, LegTree

NEAR = 1e-9
"""A tip as near to its joint's axis, in machine sizes, can take no mass off it."""


@dataclass(frozen=True, eq=False)
class LentMasses:
    """A leg's masses: by link in its frame, and what platform and ground got, at home."""

    links: list[Mass]
    platform: Mass
    ground: Mass


def lent_masses(
    tree: LegTree, frames: dict[int, HomeFrame], mountings: list[Mounting], size: float
) -> LentMasses:
    """Lend masses from the tips to the base."""
    links = [
        joint.mass.seen_in(frames[k].axes, frames[k].origin) for k, joint in enumerate(tree.joints)
    ]
    platform, ground = NOTHING, NOTHING
    for k in reversed(range(len(links))):
        to_platform = _at_tip(tree, k, frames[k], links[k], size)
        links[k] -= to_platform
        platform += to_platform.seen_from(frames[k].axes, frames[k].origin)
        lent, received = _to_link_before(tree, k, links[k], mountings[k])
        links[k] -= lent
        before = tree.joints[k].before
        if before == GROUND:
            ground += received
        else:
            links[before] += received
    return LentMasses(links, platform, ground)


def _at_tip(tree: LegTree, link: int, frame: HomeFrame, mass: Mass, size: float) -> Mass:
    """A point mass at the link's tip on the platform that leaves the link with fewer numbers."""
    tip = next((t for t in tree.tips if t.link == link and t.other is None), None)
    if tip is None or tip.type in ("rod", "weld"):
        return NOTHING
    point = frame.axes.T @ (tip.at - frame.origin)
    if tree.joints[link].kind == "slide":
        return Mass.of_point(mass.mass, point)
    return (
        Mass.of_point(mass.ms[..., 0] / point[0], point) if abs(point[0]) > NEAR * size else NOTHING
    )


def _to_link_before(tree: LegTree, link: int, mass: Mass, mounted: Mounting) -> tuple[Mass, Mass]:
    """Return the mass that a link lends to the one before: in its own frame, and in that one's."""
    R, p = mounted.rotation, mounted.origin
    if tree.joints[link].kind == "slide":
        return replace(NOTHING, sigma=mass.sigma), replace(NOTHING, sigma=R @ mass.sigma @ R.T)
    if tree.joints[link].kind == "screw":  # nothing of it moves as the link before does
        return NOTHING, NOTHING
    if _is_cross(tree, tree.joints[link].before):
        if p.any():
            return NOTHING, NOTHING
        on_axis = replace(NOTHING, mass=mass.mass)
    else:
        on_axis = Mass(mass.mass, mass.ms * [0, 0, 1], mass.sigma * np.diag([0, 0, 1]))
    return on_axis, on_axis.seen_from(R, p)


def _is_cross(tree: LegTree, link: int) -> bool:
    """Whether a link is the cross of a universal joint, which can pass on a point but no more."""
    return link != GROUND and tree.joints[link].mass is NOTHING


def shared_together(leg: Leg, tree: LegTree) -> tuple[list[Any], Any]:
    """The shared masses of a leg's tips, those of rods that move alike in the first of them.

    Also ∫ r dm that this takes away, a constant [kg m]. The platform must not turn.
    """
    masses: list[Any] = [tip.shared_mass for tip in tree.tips]
    missing: Any = np.zeros(3)
    for k, tip in enumerate(leg.tips):
        first = next(i for i, other in enumerate(leg.tips) if i == k or _alike(leg, other, tip))
        if first != k:
            here, there = tree.tips[k], tree.tips[first]
            apart = here.at - there.at + here.held - there.held
            missing = missing + np.asarray(masses[k])[..., None] * apart
            masses[first], masses[k] = masses[first] + masses[k], 0.0
    return masses, missing


def _alike(leg: Leg, a: Tip, b: Tip) -> bool:
    """Whether both ends of two rods of the same arm move alike: a parallelogram."""
    rods = isinstance(a, RodTip) and isinstance(b, RodTip) and a.other is None and b.other is None
    if not rods or a.link != b.link or a.link == BASE or leg.joints[a.link].before != BASE:
        return False
    apart, size = np.array(a.point - b.point), float(np.linalg.norm(np.array(a.point)))
    return isinstance(leg.joints[a.link], Prismatic) or not snapped(apart[:2], size).any()
