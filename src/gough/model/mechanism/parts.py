"""Legs as the equations want them: joints, tips and bodies with numbers in link frames."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.machine import Leg
from gough.equations.mechanism.bodies import Body
from gough.equations.mechanism.joints import Helical, LinkJoint, Prismatic, Revolute
from gough.equations.mechanism.tips import BallTip, HingedTip, RodTip, Tip, UniversalTip, Weld
from gough.model.mechanism.drawing import Drawing
from gough.model.mechanism.frames import HomeFrame, Mounting, frames_of, mounting
from gough.model.mechanism.mass import Mass
from gough.model.mechanism.masses import lent_masses
from gough.model.mechanism.traced import as_number, as_value, drawn_values, snapped
from gough.model.mechanism.trees import LegTree, TreeJoint, TreeTip

MASSLESS = Body(ca.DM(0), ca.DM.zeros(3), ca.DM.zeros(3, 3))


@dataclass(frozen=True, eq=False)
class Parts:
    """A leg without its plan and masses; masses of its links, and what it lent to others."""

    leg: Leg
    links: list[Mass]
    """In their own frames."""
    frames: dict[int, HomeFrame]
    """Frames of its links, the ground among them, at home."""
    platform: Mass
    ground: Mass


def parts_of(drawing: Drawing, tree: LegTree, held: HomeFrame) -> Parts:
    """Numbers of a leg; `held` is the frame in which the platform's points are given."""
    frames = frames_of(tree, drawing.size)
    mountings = [
        mounting(joint, frames[k], frames[joint.before], drawing.size)
        for k, joint in enumerate(tree.joints)
    ]
    lent = lent_masses(tree, frames, mountings, drawing.size)
    joints = tuple(map(_joint, tree.joints, mountings))
    tips = tuple(_tip(tree, tip, frames, held, drawing.size) for tip in tree.tips)
    return Parts(Leg(joints, tips), lent.links, frames, lent.platform, lent.ground)


def _joint(joint: TreeJoint, mounted: Mounting) -> LinkJoint:
    rotation, origin = as_value(mounted.rotation), as_value(mounted.origin)
    drawn, at_home = as_number(mounted.drawn), as_number(joint.at_home)
    facts = joint.before, rotation, origin, drawn, at_home, MASSLESS
    if joint.kind == "screw":
        return Helical(*facts, as_number(joint.lead))
    return (Revolute if joint.kind == "hinge" else Prismatic)(*facts)


def _tip(
    tree: LegTree, tip: TreeTip, frames: dict[int, HomeFrame], held: HomeFrame, size: float
) -> Tip:
    link = frames[tip.link]
    holder = held if tip.other is None else frames[tip.other]
    point = snapped(link.axes.T @ (tip.at - link.origin), size)
    held_point = snapped(holder.axes.T @ (tip.held - holder.origin), size)
    place = (tip.link, as_value(point), as_value(held_point), tip.other)
    if tip.type == "rod":
        return RodTip(*place, as_number(np.linalg.norm(tip.held - tip.at)), 0.0)
    directions = as_value(_directions(tree, tip, frames, point, size))
    if tip.type == "weld":
        return Weld(*place, directions, as_value(snapped(holder.axes.T @ link.axes)))
    if tip.axis is None or tip.held_axis is None:
        return BallTip(*place, directions)
    axis, held_axis = snapped(link.axes.T @ tip.axis), snapped(holder.axes.T @ tip.held_axis)
    axes = as_value(axis), as_value(held_axis)
    if tip.type == "R":
        return HingedTip(*place, directions, as_value(across(axis)), *axes)
    cosine = as_number(snapped(tip.axis @ tip.held_axis))
    return UniversalTip(*place, directions, *axes, cosine)


def _directions(
    tree: LegTree, tip: TreeTip, frames: dict[int, HomeFrame], point: Array, size: float
) -> Array:
    """Directions of a point's rows: the first along the link where that frees it of joints.

    Two hinges that meet at the link's origin cannot move the tip towards it.
    """
    joint = tree.joints[tip.link] if tip.link >= 0 else None
    if joint is None or joint.kind == "slide" or joint.before < 0 or not point[2] or not point[0]:
        return np.eye(3)
    if snapped(frames[tip.link].origin - frames[joint.before].origin, size).any():
        return np.eye(3)
    along = point / np.linalg.norm(point)
    y = np.array([0.0, 1.0, 0.0])
    return snapped(np.column_stack([along, y, np.cross(along, y)]))


def across(axis: Array) -> Array:
    """Two directions across an axis, coordinate axes where possible."""
    k = int(np.argmax(np.abs(drawn_values(axis))))
    first = np.eye(3)[(k + 1) % 3]
    first = first - axis * (first @ axis)
    first = first / np.linalg.norm(first)
    return snapped(np.column_stack([first, np.cross(axis, first)]))
