"""Shapes of surfaces of contact: signed distance of a point, and the unit normal there.

Points and normals are in base axes; the distance [m] is positive out of the material, as the normal
points. A shape has a `point` [m] of its own with the `normal` there: of a mirror its vertex.
"""

from dataclasses import dataclass

import casadi as ca
from casadi import cross, dot

from gough.equations.spatial.algebra import Value, norm
from gough.equations.spatial.attitude import shortest_turn


@dataclass(frozen=True)
class Plane:
    """A plane through a point."""

    point: Value
    normal: Value

    def side(self, x: Value) -> tuple[Value, Value]:
        """Return the distance of a point x (3) [m], and the normal."""
        return dot(x - self.point, self.normal), self.normal


@dataclass(frozen=True)
class RoundSurface:
    """A sphere or, with an axis, a cylinder through a point, at which its normal is known."""

    point: Value
    normal: Value
    radius: Value  # radius of curvature [m]: above zero the surface is convex, below zero concave
    axis: Value | None = None  # unit vector along a cylinder, across the normal; None: a sphere

    def side(self, x: Value) -> tuple[Value, Value]:
        """Return the distance of a point x (3) [m], and the normal next to it."""
        r = x - (self.point - self.radius * self.normal)
        r = r if self.axis is None else r - dot(r, self.axis) * self.axis
        side = ca.sign(self.radius)
        r = ca.if_else(dot(r, r) > 0, r, 1e-18 * side * self.normal)  # all are next to the centre
        length = norm(r)
        return side * length - self.radius, side * r / length


@dataclass(frozen=True)
class HeightMap:
    """Heights along the normal over a rectangle about the point: a bicubic spline.

    h(x, y) = Σ c_ij B(x / Δx - i) B(y / Δy - j), B a cubic B-spline on integers. The distance
    is that of the tangent plane: exact on the surface, else of first order; NaN beyond the heights.
    """

    point: Value
    normal: Value
    step: Value  # Δx and Δy [m] between heights
    coefficients: Value  # c (n + 2, m + 2) [m], of n by m heights

    def side(self, x: Value) -> tuple[Value, Value]:
        """Return the distance of a point x (3) [m], and the normal above or below it."""
        n = self.normal
        axes = [across(n), cross(n, across(n))]
        last = [count - 3 for count in self.coefficients.shape]
        at = [dot(x - self.point, axes[k]) / self.step[k] + last[k] / 2 for k in (0, 1)]
        (X, dX), (Y, dY) = map(_basis, at, last)
        h, h_x = dot(X, self.coefficients @ Y), dot(dX, self.coefficients @ Y) / self.step[0]
        h_y = dot(X, self.coefficients @ dY) / self.step[1]
        slope = ca.sqrt(1 + h_x**2 + h_y**2)
        beyond = ca.logic_or(*(ca.fabs(2 * at[k] - last[k]) > last[k] for k in (0, 1)))
        distance = ca.if_else(beyond, ca.DM.nan(1), (dot(x - self.point, n) - h) / slope)
        return distance, (n - h_x * axes[0] - h_y * axes[1]) / slope


def _basis(u: Value, last: int) -> tuple[Value, Value]:
    """Return B(u - i) and its derivatives for i = -1 … last + 1; u stays within 0 and last."""
    away = ca.fmin(ca.fmax(u, 0), last) - ca.DM(range(-1, last + 2))
    far, near = ca.fmax(2 - ca.fabs(away), 0), ca.fmax(1 - ca.fabs(away), 0)
    return (far**3 - 4 * near**3) / 6, ca.sign(away) * (4 * near**2 - far**2) / 2


SurfaceShape = Plane | RoundSurface | HeightMap


def across(normal: Value) -> Value:
    """Return base x, or y where x is nearly along a known normal, projected across the normal."""
    axis = int(abs(float(normal[0])) > 0.9)
    x = ca.DM.eye(3)[:, axis] - normal[axis] * normal
    return x / norm(x)


def surface_axes(shape: SurfaceShape, normal: Value) -> Value:
    """Return axes (3x3) at a normal of a surface, z into it, turned there from those at its point.

    The turn is the smallest, without spin; it is not known where normals are opposite.
    """
    a, x = -shape.normal, across(shape.normal)
    return shortest_turn(a, -normal) @ ca.horzcat(x, cross(a, x), a)
