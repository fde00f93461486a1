"""Margins of one pose to all kinds of limits.

A margin is at least zero where the limit is respected, and scaled: 1 in the middle of a range, for
a ball in its home direction and for det J at home. A range whose ends are exchanged, as may happen
in design optimisation, has margins below zero.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan

import casadi as ca
from casadi import cross, dot

from gough.equations.closure.assembled import platform_at, posture_at
from gough.equations.closure.closing import all_positions
from gough.equations.closure.constraint_rows import CutHinge
from gough.equations.machine import Machine
from gough.equations.motion.kinematics import inverse_kinematics
from gough.equations.motion.motions import LinkFrames, frames_at, frames_of, joint_centers
from gough.equations.spatial.algebra import Value, norm, unit
from gough.equations.spatial.attitude import angle_about
from gough.equations.tree.description import PLATFORM, LinkRef

_SLACK = 1e-6
"""By how much of a segment a nearest point may be beyond its end: more than rounding does."""


@dataclass(frozen=True)
class Range:
    """A motor, a joint, or a tilt, by its number; where its range or limit is stated."""

    number: int
    place: str


@dataclass(frozen=True)
class HingeRange:
    """Range of a hinge that holds a leg; `sign` is 1 if it counts from leg to holder, else -1."""

    leg: int
    cut: int
    sign: int
    at_home: float
    place: str
    joint: str  # name of the joint


@dataclass(frozen=True)
class Gap:
    """Two segments, by their bodies and the joint centres at their ends; where radii are stated."""

    bodies: tuple[str, str]
    first: tuple[int, int]
    second: tuple[int, int]
    places: tuple[str, str]


@dataclass(frozen=True)
class JointLimits:
    """Limits of passive joints."""

    ranges: tuple[Range, ...] = ()
    hinges: tuple[HingeRange, ...] = ()
    tilts: tuple[Range, ...] = ()


def travel_margins(machine: Machine, limits: Sequence[Range], pose: Value) -> list[Value]:
    """Return the motors' distances from the ends of their travel, over half of it."""
    return _within(machine, limits, inverse_kinematics(machine, pose)) if limits else []


def joint_margins(machine: Machine, limits: JointLimits, home: Value, pose: Value) -> list[Value]:
    """Return the joints' margins to the ends of their ranges and to their maximum tilts."""
    margins = []
    if limits.ranges:
        margins += _within(machine, limits.ranges, all_positions(machine, pose))
    if limits.hinges:
        frames, start = frames_at(machine, pose), platform_at(machine, home)
        drawn = [ca.vertcat(*(joint.at_home for joint in leg.joints)) for leg in machine.legs]
        pairs = zip(machine.legs, drawn, strict=True)
        legs = [posture_at(leg, q, start.position, start.rotation) for leg, q in pairs]
        at_home = frames_of(start, legs)
        angles = [_angle(machine, hinge, frames, at_home) for hinge in limits.hinges]
        ranges = [machine.limit(hinge.place) for hinge in limits.hinges]
        margins += [_inside(x, ends) for x, ends in zip(angles, ranges, strict=True)]
    if limits.tilts:
        frames = frames_at(machine, pose)
        margins += [_tilt_margin(machine, limit, frames) for limit in limits.tilts]
    return margins


def clearance_margins(machine: Machine, gaps: Sequence[Gap], pose: Value) -> list[Value]:
    """The gaps between bodies, over the sum of their radii."""
    if not gaps:
        return []
    centers = [row.T for row in ca.vertsplit(joint_centers(machine, pose))]
    margins = []
    for gap in gaps:
        (p, p_end), (q, q_end) = ([centers[k] for k in ends] for ends in (gap.first, gap.second))
        radii = sum(map(machine.limit, gap.places))
        margins.append(segment_distance(p, p_end - p, q, q_end - q) / radii - 1)
    return margins


def _tilt_margin(machine: Machine, limit: Range, frames: LinkFrames) -> Value:
    """1 at no angle, 0 at the limit, by the chord 2 sin(angle / 2): exact for small angles."""
    tilt = machine.description.tilts[limit.number]
    chord = unit(frames.direction(tilt.link)) - frames.axes(tilt.beyond) @ tilt.at_home
    return 1 - dot(chord, chord) / (4 * ca.sin(machine.limit(limit.place) / 2) ** 2)


def _within(machine: Machine, limits: Sequence[Range], positions: Value) -> list[Value]:
    return [_inside(positions[limit.number], machine.limit(limit.place)) for limit in limits]


def _inside(x: Value, ends: Value) -> Value:
    low, high = ca.vertsplit(ends)
    return ca.fmin(x - low, high - x) * (2 / ca.fabs(high - low))  # below zero if high < low


def _angle(machine: Machine, hinge: HingeRange, frames: LinkFrames, at_home: LinkFrames) -> Value:
    """The angle of a hinge at which a leg is held, from how it has turned since home."""
    cut = machine.legs[hinge.leg].cuts[hinge.cut]
    assert isinstance(cut, CutHinge)
    link = LinkRef(hinge.leg, cut.link)
    holder = PLATFORM if cut.other is None else LinkRef(hinge.leg, cut.other)
    now, then = (f.axes(link).T @ f.axes(holder) for f in (frames, at_home))
    return hinge.at_home + hinge.sign * angle_about(cut.axis, then, now)


def segment_distance(p: Value, u: Value, q: Value, v: Value) -> Value:
    """Shortest distance between the segments from p to p + u and from q to q + v."""
    return norm(between_segments(p, u, q, v))


def between_segments(p: Value, u: Value, q: Value, v: Value) -> Value:
    """Return the vector between the nearest points of two segments, from the second to the first.

    The nearest points of the two lines, each put back onto its segment in turn [Ericson 2005,
    section 5.1.9]. Putting back the first point once more is only needed where the second one was
    moved, and does no harm elsewhere; parallel segments start from any point.
    """
    w = p - q
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    uw, vw = dot(u, w), dot(v, w)
    crossing = uu * vv - uv * uv
    start = (uv * vw - uw * vv) / ca.if_else(crossing > 0, crossing, 1)
    t = _within_segment((uv * _within_segment(start) + vw) / vv)
    s = _within_segment((uv * t - uw) / uu)
    return w + s * u - t * v


def _within_segment(x: Value) -> Value:
    return ca.fmax(0, ca.fmin(1, x))


# Where legs touch one another while the platform goes straight on, in closed form. Two legs are
# segments from p to p + u + d t and from q to q + v + d t. They are r apart where the nearest
# points are inside both of them and the lines are r apart, or one of these points is an end of its
# segment, or both are. The cross products that tell these distances are linear in t, as d is in
# both segments: each is r where a quadratic is zero.


def ways_to_touch(p: Value, u: Value, q: Value, v: Value, r: Value, d: Value) -> Value:
    """(14) all t at which two segments begin or end to be nearer than r; NaN where there is none.

    Some are not such: there, a segment is r from a point of the other that is not the nearest.
    """
    ways = [*_of_lines(p - q, u, v, r, d)]
    for between, own, other in ((p - q, u, v), (q - p, v, u)):
        e = between + own  # from the end that stays of a segment to the other's that goes
        ways += _of_end(between, 0, other, r, d)
        ways += _of_end(e, 1, other, r, d)
        ways += _zeros(dot(d, d), dot(e, d), dot(e, e) - r**2)  # where |e + d t| = r
    return ca.vertcat(*ways)


def _of_lines(w: Value, u: Value, v: Value, r: Value, d: Value) -> Iterator[Value]:
    """Where (w · n)² = r² n² with n = (u + d t) × (v + d t), at points of both segments."""
    n, n_dot = cross(u, v), cross(u - v, d)
    h, h_dot = dot(w, n), dot(w, n_dot)
    a = h_dot**2 - r**2 * dot(n_dot, n_dot)
    b = h * h_dot - r**2 * dot(n, n_dot)
    c = h**2 - r**2 * dot(n, n)
    for t in _zeros(a, b, c):
        first, second = u + d * t, v + d * t
        uu, vv, uv = dot(first, first), dot(second, second), dot(first, second)
        uw, vw = dot(first, w), dot(second, w)
        crossing, slack = uu * vv - uv * uv, _SLACK * uu * vv
        on_first = _on_segment(uv * vw - uw * vv, crossing, slack)
        on_second = _on_segment(uu * vw - uv * uw, crossing, slack)
        yield ca.if_else(ca.logic_and(on_first, on_second), t, nan)


def _of_end(e: Value, moves: int, v: Value, r: Value, d: Value) -> Iterator[Value]:
    """Where (e × v)² = r² v²: an end e, which may move by d t, is r from the other segment."""
    m, m_dot = cross(e, v), cross(e - moves * v, d)
    a = dot(m_dot, m_dot) - r**2 * dot(d, d)
    b = dot(m, m_dot) - r**2 * dot(v, d)
    c = dot(m, m) - r**2 * dot(v, v)
    for t in _zeros(a, b, c):
        along = v + d * t
        length = dot(along, along)
        beside = _on_segment(dot(e + moves * d * t, along), length, _SLACK * length)
        yield ca.if_else(beside, t, nan)


def _on_segment(x: Value, end: Value, slack: Value) -> Value:
    return ca.logic_and(x >= -slack, x <= end + slack)


def _zeros(a: Value, b: Value, c: Value) -> tuple[Value, Value]:
    """The t of a t² + 2 b t + c = 0, without cancellation; NaN where there is none."""
    q = -(b + ca.copysign(ca.sqrt(b * b - a * c), b))
    return q / a, c / q
