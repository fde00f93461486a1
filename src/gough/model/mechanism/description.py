"""Where a description's bodies and joints are in the legs that were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.mechanism.description import (
    GROUND,
    Between,
    Carrier,
    Description,
    Line,
    Pair,
    Point,
    Spot,
    Tilt,
)
from gough.equations.mechanism.description import PLATFORM as HELD
from gough.model.mechanism.drawing import Drawing, DrawnJoint, Spinning
from gough.model.mechanism.frames import WORLD, Frame, snapped
from gough.model.mechanism.parts import Parts
from gough.model.mechanism.rods import SYMMETRIC, Rod, is_rod
from gough.model.mechanism.trees import PARALLEL, Tree
from gough.robot.mechanism import BASE, PLATFORM

SLIDING = ("P", "C")
"""Joints whose bodies slide along each other: each of them has a centre of its own."""
TILTING = ("U", "S")
TURNING = ("R", "C", "U", "S")


@dataclass(frozen=True)
class Center:
    """Which point a row of joint centres is: of which joint, and of which bodies."""

    joint: str
    bodies: tuple[str, ...]


def described_centers(drawing: Drawing) -> tuple[Center, ...]:
    """What the rows of joint centres are."""
    return tuple(
        Center(joint.name, bodies)
        for joint in drawing.described.joints
        for bodies in _sides(joint, (joint.first, joint.second))
    )


def described_tilts(drawing: Drawing) -> tuple[str, ...]:
    """Names of the joints of which there are tilts."""
    return tuple(joint.name for joint in _tilting(drawing))


def description_of(found: Carriers) -> Description:
    """All that is described, as the equations find it."""
    drawing = found.drawing
    return Description(
        tuple(
            found.spot(bodies, joint.at)
            for joint in drawing.described.joints
            for bodies in _sides(joint, found.wholes(joint))
        ),
        tuple(_tilt(found, joint) for joint in _tilting(drawing)),
        tuple(_pair(found, joint) for joint in drawing.described.joints),
    )


class Carriers:
    """What carries each body of a drawing: the ground, the platform, a link, or a rod's ends."""

    def __init__(
        self,
        drawing: Drawing,
        trees: Sequence[Tree],
        parts: Sequence[Parts],
        rods: Sequence[Rod],
        held: Frame,
        spinning: Sequence[Spinning],
    ) -> None:
        self.drawing = drawing
        self.spinning = {body.name: body.line for body in spinning}
        self._frames = {GROUND: WORLD, HELD: held}
        self._carriers = {BASE: GROUND, PLATFORM: HELD}
        self._joints: dict[str, Carrier] = {}
        for leg, (tree, part) in enumerate(zip(trees, parts, strict=True)):
            self._frames |= {Carrier(leg, link): frame for link, frame in part.frames.items()}
            links = {body: link for body, link in tree.links.items() if body != BASE}
            self._carriers |= {body: Carrier(leg, link) for body, link in links.items()}
            self._joints |= {joint.name: Carrier(leg, k) for k, joint in enumerate(tree.joints)}
        self.rods = {rod.name: rod for rod in rods}

    def wholes(self, joint: DrawnJoint) -> tuple[str, str]:
        """The bodies of the drawing that a joint of the description joins."""
        whole = self.drawing.described.whole
        return whole[joint.first], whole[joint.second]

    def carrier(self, body: str) -> Carrier:
        """What a body is that is not a rod."""
        return self._carriers[body]

    def point(self, carrier: Carrier, at: Array) -> Point:
        """A point of a carrier that is there at home."""
        frame = self._frames[carrier]
        local = snapped(frame.axes.T @ (at - frame.origin), self.drawing.size)
        return Point(carrier, ca.DM(local))

    def direction(self, carrier: Carrier, along: Array) -> Array:
        """A direction at home in a carrier's axes."""
        return snapped(self._frames[carrier].axes.T @ along, self.drawing.size)

    def line(self, rod: str) -> Line:
        """A rod, from its first ball joint to its second."""
        found = self.rods[rod]
        pairs = zip(found.ends, found.points, strict=True)
        return Line(*(self.point(self.carrier(end), at) for end, at in pairs))

    def spot(self, bodies: Sequence[str], at: Array) -> Spot:
        """A point that all of these bodies have, of the one that needs the fewest equations."""
        carriers = [self.carrier(body) for body in bodies if body not in self.rods]
        if carriers:
            return self.point(min(carriers), at)
        rod = self.rods[bodies[0]]
        return Between(self.line(rod.name), _share(rod, at))

    def slide(self, joint: DrawnJoint) -> Carrier | None:
        """The one of a leg's joints by which a joint slides."""
        return {"P": self._joints.get(joint.name), "C": self._joints.get(f"{joint.name}.2")}.get(
            joint.type
        )

    def is_line(self, body: str) -> bool:
        """Whether a body is a rod that is no link."""
        return body in self.rods


def _share(rod: Rod, at: Array) -> float:
    """Where a point is between a rod's ends; NaN beside the line."""
    start, end = rod.points
    line, away = end - start, at - start
    length = float(np.linalg.norm(line))
    aside = float(np.linalg.norm(np.cross(line, away))) / length
    return float(line @ away) / length**2 if aside <= SYMMETRIC * length else np.nan


def _sides(joint: DrawnJoint, bodies: tuple[str, str]) -> list[tuple[str, ...]]:
    """The bodies that have a centre of a joint: of a slide each its own."""
    return [(body,) for body in bodies] if joint.type in SLIDING else [bodies]


def _tilting(drawing: Drawing) -> list[DrawnJoint]:
    return [joint for joint in drawing.described.joints if joint.type in TILTING]


def _tilt(found: Carriers, joint: DrawnJoint) -> Tilt:
    link, other = sorted(found.wholes(joint), key=lambda body: _linkness(found, body))
    beyond = found.carrier(other)
    if found.is_line(link):
        line, (start, end) = found.line(link), found.rods[link].points
    else:
        start, end = joint.at, joint.at + _way(found.drawing, link, joint)
        line = Line(*(found.point(found.carrier(link), at) for at in (start, end)))
    return Tilt(line, beyond, ca.DM(found.direction(beyond, end - start)))


def _pair(found: Carriers, joint: DrawnJoint) -> Pair:
    lines = _spinning_lines(found)
    first, second = (lines.get(body) or found.carrier(body) for body in found.wholes(joint))
    axes = tuple(
        ca.DM(found.direction(carrier, axis))
        for carrier, axis in zip((first, second), joint.axes, strict=False)
        if isinstance(carrier, Carrier)
    )
    turns = joint.type in TURNING
    return Pair(first, second, axes if turns else (), turns, found.slide(joint))


def _spinning_lines(found: Carriers) -> dict[str, Line]:
    """By body, the lines between two ball joints about which bodies spin unnoticed."""
    lines = {rod: found.line(rod) for rod in found.rods}
    for body, along in found.spinning.items():
        if body not in lines:
            ends = (found.point(found.carrier(body), at) for at in (np.zeros(3), along))
            lines[body] = Line(*ends)
    return lines


def _way(drawing: Drawing, link: str, joint: DrawnJoint) -> Array:
    """From a joint along its link: along its slide, or to its next joint elsewhere."""
    for other in drawing.joints:
        if other.joins(link) and other.name != joint.name:
            way = other.axes[0] * drawing.size if other.type in SLIDING else other.at - joint.at
            if np.linalg.norm(way) > PARALLEL * drawing.size:
                return way
    return np.array([0.0, 0.0, drawing.size])


def _linkness(found: Carriers, body: str) -> tuple[bool, bool, bool, int]:
    """The smaller, the more a body is a link: a rod first, then what is farther from the base."""
    far = 0 if found.is_line(body) else -found.carrier(body).link
    return body == BASE, body == PLATFORM, not is_rod(found.drawing, body), far
