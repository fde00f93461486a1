"""How far apart legs are: the shortest distance between the segments along their axes."""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.leg import leg_position
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, dot, norm


def leg_distance(machine: Machine, pose: Value, i: int, j: int) -> Value:
    """Shortest distance between the axes of two legs, from joint centre to joint centre [m].

    Cylinders with round ends, of radii r_i and r_j, touch where it is r_i + r_j.
    """
    first, second = machine.legs[i], machine.legs[j]
    at_first, at_second = leg_position(first, pose), leg_position(second, pose)
    return segment_distance(
        first.base, at_first.l * at_first.s, second.base, at_second.l * at_second.s
    )


def segment_distance(p: Value, u: Value, q: Value, v: Value) -> Value:
    """Shortest distance between the segments from p to p + u and from q to q + v.

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
    return norm(w + s * u - t * v)


def _within_segment(x: Value) -> Value:
    return ca.fmax(0, ca.fmin(1, x))
