"""Joints of several axes, of hinges and slides with nothing but massless bodies between them.

Two hinges whose axes cross are a universal joint, three a ball; a slide along a hinge's axis and
the hinge are a cylindrical joint. What a motor drives stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gough.arrays import Array
from gough.exchange.importing.drawing import SAME, ImportedDrawing, ImportedJoint
from gough.exchange.importing.tree import FileFreedom


def fused(drawing: ImportedDrawing) -> ImportedDrawing:
    """Return the configuration with the minimum number of joints and bodies."""
    while step := next(_steps(drawing), None):
        body, pair, joint = step
        bodies = {key: found for key, found in drawing.bodies.items() if key != body}
        where = drawing.joints.index(pair[0])
        joints = [other for other in drawing.joints if other not in pair]
        joints.insert(where - (drawing.joints.index(pair[1]) < where), joint)
        drawing = replace(drawing, bodies=bodies, joints=tuple(joints))
    return drawing


def _steps(
    drawing: ImportedDrawing,
) -> Iterator[tuple[str, tuple[ImportedJoint, ImportedJoint], ImportedJoint]]:
    """A massless body that is not needed, its two joints, and the one in their place."""
    for body, found in drawing.bodies.items():
        pair = drawing.joints_of(body)
        if body == drawing.base or not found.massless or len(pair) != 2:
            continue
        first, second = pair
        if first.motor is not None or second.motor is not None:
            continue
        to, away = _ending(first, body), _beginning(second, body)
        if to.between[0] != away.between[1] and (joint := _one(to, away, drawing.size)):
            yield body, (first, second), joint


def _one(first: ImportedJoint, second: ImportedJoint, size: float) -> ImportedJoint | None:
    """The joint that does what two in a row do, if there is one."""
    between = first.between[0], second.between[1]
    freedoms = (*first.freedoms, *second.freedoms)
    axes = (*first.axes, *second.axes)
    types = first.type + second.type
    name = first.name
    if types == "RR":
        at = _crossing(first, second, size) if _alike(freedoms) else None
        return None if at is None else ImportedJoint(name, "U", between, at, axes, freedoms)
    if types in ("UR", "RU"):
        center = first if first.type == "U" else second
        hinge = second if first.type == "U" else first
        across = abs(np.linalg.det(np.array(axes))) > SAME
        one = across and _on_line(center.at, hinge, size) and _alike(freedoms)
        return ImportedJoint(name, "S", between, center.at, (), freedoms) if one else None
    if types in ("PR", "RP"):
        hinge = second if first.type == "P" else first
        parallel = np.linalg.norm(np.cross(axes[0], axes[1])) < SAME
        return (
            ImportedJoint(name, "C", between, hinge.at, hinge.axes, freedoms) if parallel else None
        )
    return None


def _alike(freedoms: tuple[FileFreedom, ...]) -> bool:
    """Whether the friction of all is the same, as it is for the axes of one joint."""
    return len({(freedom.damping, freedom.friction) for freedom in freedoms}) <= 1


def _crossing(first: ImportedJoint, second: ImportedJoint, size: float) -> Array | None:
    """Where the axes of two hinges cross, if they do and are not parallel."""
    normal = np.cross(first.axes[0], second.axes[0])
    sine = float(np.linalg.norm(normal))
    apart = second.at - first.at
    if sine < SAME or abs(apart @ normal) > SAME * size * sine:
        return None
    along = np.cross(apart, second.axes[0]) @ normal / sine**2
    return np.asarray(first.at + along * first.axes[0])


def _on_line(point: Array, hinge: ImportedJoint, size: float) -> bool:
    return float(np.linalg.norm(np.cross(point - hinge.at, hinge.axes[0]))) <= SAME * size


def _ending(joint: ImportedJoint, body: str) -> ImportedJoint:
    return joint if joint.between[1] == body else _reversed(joint)


def _beginning(joint: ImportedJoint, body: str) -> ImportedJoint:
    return joint if joint.between[0] == body else _reversed(joint)


def _reversed(joint: ImportedJoint) -> ImportedJoint:
    """Return the joint as its other body sees it."""
    first, second = joint.between
    axes = tuple(-axis for axis in reversed(joint.axes))
    freedoms = tuple(
        replace(
            freedom,
            zero=-freedom.zero,
            travel=None if freedom.travel is None else (-freedom.travel[1], -freedom.travel[0]),
        )
        for freedom in reversed(joint.freedoms)
    )
    return replace(joint, between=(second, first), axes=axes, freedoms=freedoms)
