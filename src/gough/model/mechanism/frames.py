"""Link frames: z along the joint's axis, x to the next one (modified Denavit-Hartenberg).

Computed from the home configuration, with numbers that are meant to be 0 or 1 made so: 1e-17 in
place of 0 costs operations in every evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array, angle_of
from gough.model.mechanism.traced import ChangedKindError, drawn_values, snapped
from gough.model.mechanism.trees import GROUND, PARALLEL, LegTree, TreeJoint


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
        drawn = snapped(gap @ z, size)
        rotation, origin = before.axes.T @ frame.axes, before.axes.T @ (gap - drawn * z)
    else:
        normal = _normal(before.axes[:, 2], z, before.axes[:, 0])
        start = np.column_stack([normal, np.cross(z, normal), z])
        x = frame.axes[:, 0]
        drawn = snapped(angle_of(x @ start[:, 1], x @ start[:, 0]))
        rotation, origin = before.axes.T @ start, before.axes.T @ gap
    return Mounting(snapped(rotation), snapped(origin, size), drawn)


def _next_of(tree: LegTree, link: int) -> _Line | None:
    """Return the successor of a link: its first joint, or else its first tip."""
    for k, joint in enumerate(tree.joints):
        if joint.before == link:
            if joint.kind != "slide":
                return _Line(joint.at, joint.axis)
            return _Line(_end_of(tree, k), joint.axis)
    for tip in tree.tips:
        if link in (tip.link, tip.other):
            return _Line(tip.at if tip.link == link else tip.held)
    return None


def _end_of(tree: LegTree, slide: int) -> Array:
    """The point through which a slide's axis is laid: where the next thing is."""
    beyond = _next_of(tree, slide)
    return tree.joints[slide].at if beyond is None else beyond.point


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
    if d is not None and np.linalg.norm(np.cross(z, d)) > PARALLEL:
        n = np.cross(z, d)
        n2 = n @ n
        origin = at + z * (np.cross(gap, d) @ n) / n2
        across = n * (gap @ n) / n2
        return (across if apart(across, size) else n), origin
    origin = at + z * (gap @ z)
    across = beyond.point - origin
    return (across if np.linalg.norm(across) > PARALLEL * size else None), origin


def apart(way: Array, size: float) -> bool:
    """Whether two points are apart, in all traced configurations."""
    try:
        return bool(np.linalg.norm(way) > PARALLEL * size)
    except ChangedKindError:
        return False


def _normal(a: Array, b: Array, otherwise: Array) -> Array:
    """The unit vector across both axes; where they are parallel, what else is across them."""
    n = np.cross(a, b)
    if np.linalg.norm(n) > PARALLEL:
        n = n / np.linalg.norm(n)
        return n if n @ otherwise >= -PARALLEL else -n
    n = otherwise - b * (otherwise @ b)
    if np.linalg.norm(n) < 1e-3:
        n = np.eye(3)[int(np.argmin(np.abs(drawn_values(b))))]
        n = n - b * (n @ b)
    return n / np.linalg.norm(n)


def _axes(x: Sequence[float] | Array, z: Array) -> Array:
    x = np.asarray(x) - z * (np.asarray(x) @ z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
