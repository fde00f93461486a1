"""Where legs touch one another while the platform goes straight on, in closed form.

Two legs are the segments from p to p + u + d t and from q to q + v + d t. They are r apart where
the nearest points are inside both of them and the lines are r apart, or one of these points is an
end of its segment, or both are. The cross products that tell these distances are linear in t, as d
is in both segments: each is r where a quadratic is zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import nan

import casadi as ca

from gough.equations.spatial.algebra import Value, cross, dot

_SLACK = 1e-6
"""By how much of a segment a nearest point may be beyond its end: more than rounding does."""


def ways_to_touch(p: Value, u: Value, q: Value, v: Value, r: Value, d: Value) -> Value:
    """(14) all t at which two segments begin or end to be nearer than r; NaN where there is none.

    Some are not such: there, a segment is r from a point of the other that is not the nearest.
    """
    ways = [*_of_lines(p - q, u, v, r, d)]
    for between, own, other in ((p - q, u, v), (q - p, v, u)):
        ways += _of_end(between, 0, other, r, d)
        ways += _of_end(between + own, 1, other, r, d)
        ways += _of_ends(between + own, r, d)
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
        on_first = _within(uv * vw - uw * vv, crossing, slack)
        on_second = _within(uu * vw - uv * uw, crossing, slack)
        yield ca.if_else(ca.logic_and(on_first, on_second), t, nan)


def _of_end(e: Value, moves: int, v: Value, r: Value, d: Value) -> Iterator[Value]:
    """Where an end at e, from the other segment's start, is r from that segment.

    (e × v)² = r² v² with v + d t and, if it moves, e + d t in place of v and e.
    """
    m, m_dot = cross(e, v), cross(e - moves * v, d)
    a = dot(m_dot, m_dot) - r**2 * dot(d, d)
    b = dot(m, m_dot) - r**2 * dot(v, d)
    c = dot(m, m) - r**2 * dot(v, v)
    for t in _zeros(a, b, c):
        along = v + d * t
        length = dot(along, along)
        beside = _within(dot(e + moves * d * t, along), length, _SLACK * length)
        yield ca.if_else(beside, t, nan)


def _of_ends(e: Value, r: Value, d: Value) -> tuple[Value, Value]:
    """Where |e + d t| = r, with e from the end that stays of one segment to the other's that goes.

    (Ends that stay, and ends that go, are always as far from one another.)
    """
    return _zeros(dot(d, d), dot(e, d), dot(e, e) - r**2)


def _within(x: Value, end: Value, slack: Value) -> Value:
    return ca.logic_and(x >= -slack, x <= end + slack)


def _zeros(a: Value, b: Value, c: Value) -> tuple[Value, Value]:
    """The t of a t² + 2 b t + c = 0, without cancellation; NaN where there is none."""
    q = -(b + ca.copysign(ca.sqrt(b * b - a * c), b))
    return q / a, c / q
