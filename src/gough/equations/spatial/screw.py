"""A twist as a screw: the axis about which a body turns and along which it slides."""

from __future__ import annotations

import casadi as ca

from gough.equations.spatial.algebra import Value, angular, cross, dot, linear, norm

TRANSLATION = 1e-9
"""A twist whose |ω| times a length is below this share of |v| is a pure translation."""


def screw_of_twist(
    twist: Value, origin: Value, length: Value | float
) -> tuple[Value, Value, Value]:
    """Axis (unit vector), the axis' point nearest to the origin [m], and pitch [m/rad].

    `origin` is the point whose velocity the twist gives; `length` [m] makes rotations comparable
    with translations. A pure translation has an infinite pitch; its axis is put through the
    origin. A screw has no sign: the component of maximum magnitude of the axis is made positive.
    """
    v, omega = linear(twist), angular(twist)
    slides = length * norm(omega) <= TRANSLATION * norm(v)
    along = ca.if_else(slides, v, omega)
    axis = along / norm(along)
    squared = ca.if_else(slides, 1, dot(omega, omega))
    point = origin + ca.if_else(slides, 0, 1) * cross(omega, v) / squared
    pitch = ca.if_else(slides, ca.inf, dot(omega, v) / squared)
    return axis * sign_of_largest(axis), point, pitch


def sign_of_largest(a: Value) -> Value:
    """Return the sign of the component of maximum magnitude."""
    largest = a[0]
    for k in range(1, a.numel()):
        largest = ca.if_else(ca.fabs(a[k]) > ca.fabs(largest), a[k], largest)
    return ca.if_else(largest < 0, -1, 1)
