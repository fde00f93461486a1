"""Masses of a leg's links in their frames, after each link has lent what it can to its neighbours.

Mass on a hinge's axis moves with both links, mass at a tip with the platform, and a slide turns with
the link before: efforts and motions are exactly those of the true masses, with fewer numbers in the
equations. Reactions in the joints are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.model.mechanism.drawing import NOTHING, Array, Mass
from gough.model.mechanism.frames import Frame, Mounting, snapped
from gough.model.mechanism.trees import GROUND, Tree, TreeJoint


@dataclass(frozen=True, eq=False)
class LentMasses:
    """A leg's masses: by link in its frame, and what platform and ground got, at home."""

    links: list[Mass]
    platform: Mass
    ground: Mass


def lent_masses(
    tree: Tree, frames: dict[int, Frame], mountings: list[Mounting], turning: bool
) -> LentMasses:
    """Lend masses from the tips to the base; `turning`: whether the platform turns at all."""
    links = [
        joint.mass.seen_in(frames[k].axes, frames[k].origin) for k, joint in enumerate(tree.joints)
    ]
    platform, ground = NOTHING, NOTHING
    for k in reversed(range(len(links))):
        joint = tree.joints[k]
        at_tip = _at_tip(tree, k, frames[k], links[k])
        links[k] -= at_tip
        platform += at_tip.seen_from(frames[k].axes, frames[k].origin)
        before = _before(tree, links, joint.before)
        lent, received = _lent(joint, links[k], before, mountings[k], frames, k)
        links[k] -= lent
        if joint.before == GROUND:
            ground += received
        else:
            links[joint.before] += received
    return LentMasses([_clean(link) for link in links], platform, ground)


def _at_tip(tree: Tree, link: int, frame: Frame, mass: Mass) -> Mass:
    """A point mass at the link's tip on the platform that leaves the link with fewer numbers."""
    tip = next((t for t in tree.tips if t.link == link and t.other is None), None)
    if tip is None or tip.type in ("rod", "weld"):
        return NOTHING
    point = frame.axes.T @ (tip.at - frame.origin)
    if tree.joints[link].kind == "slide":
        return Mass.of_point(mass.mass, point)
    return Mass.of_point(mass.ms[0] / point[0], point) if abs(point[0]) > 1e-9 else NOTHING


def _before(tree: Tree, links: list[Mass], before: int) -> Mass | None:
    """The link before, None for the ground."""
    return None if before == GROUND else tree.joints[before].mass


def _lent(
    joint: TreeJoint,
    mass: Mass,
    before: Mass | None,
    mounted: Mounting,
    frames: dict[int, Frame],
    link: int,
) -> tuple[Mass, Mass]:
    """What a link lends to the one before: in its own frame, and in that one's."""
    R, p = mounted.rotation, mounted.origin
    if joint.kind == "slide":
        spread = Mass(0.0, np.zeros(3), mass.sigma)
        return spread, Mass(0.0, np.zeros(3), R @ mass.sigma @ R.T)
    on_axis = Mass(mass.mass, mass.ms * [0, 0, 1], mass.sigma * np.diag([0, 0, 1]))
    if before is not None and before.is_nothing:  # the cross of a universal joint: stays massless
        on_axis = Mass(mass.mass, np.zeros(3), np.zeros((3, 3)))
        if np.linalg.norm(p) > 0.0:
            return NOTHING, NOTHING
    return on_axis, on_axis.seen_from(R, p)


def _clean(mass: Mass) -> Mass:
    scale = max(float(np.abs(mass.sigma).max()), 1e-300)
    return Mass(
        float(_without_noise(np.array(mass.mass), 1e-13)),
        _without_noise(mass.ms, 1e-13),
        _without_noise(mass.sigma, 1e-13 * min(1.0, scale)),
    )


def _without_noise(numbers: Array, limit: float) -> Array:
    return np.where(np.abs(numbers) < limit, 0.0, numbers)


__all__ = ["LentMasses", "lent_masses", "snapped"]
