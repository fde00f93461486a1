"""Bodies that move: their masses, motions, and the forces that move them.

Every vector is in the body's own axes. With second moments Σ = ∫ r rᵀ dm the moment of a body's
inertia is that of U Σ, where U = ω̇^ + ω^ω^.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.spatial.algebra import Value, vector

ZERO = ca.DM.zeros(3)
Z = ca.DM([0, 0, 1])


@dataclass(frozen=True)
class Body:
    """A body's mass, ∫ r dm and ∫ r rᵀ dm in its own frame [kg, kg m, kg m^2].

    Masses may be negative: a body can have lent some to its neighbour, which moves likewise.
    """

    mass: Value
    ms: Value
    sigma: Value

    @property
    def inertia(self) -> Value:
        """Moments of inertia about the frame's origin, 3x3 [kg m^2]."""
        return ca.trace(self.sigma) * ca.DM.eye(3) - self.sigma

    def turned(self, R: Value) -> Body:
        """Return this body in other axes."""
        return Body(self.mass, R @ self.ms, ca.tril2symm(ca.tril(R @ self.sigma @ R.T)))


NO_MASS = Body(ca.DM(0), ZERO, ca.DM.zeros(3, 3))


@dataclass(frozen=True)
class BodyMotion:
    """Motion of a body: ω, ω̇ [rad/s, rad/s^2], and its origin's acceleration less gravity."""

    omega: Value
    omega_dot: Value
    v_dot: Value
    standing: Value | None = None
    """That acceleration in the machine's axes, where the origin is fixed on the base."""
    in_base: BodyMotion | None = None
    """This motion in the machine's axes, over boxes: a turn there and back widens bounds."""

    @classmethod
    def seen(cls, in_base: BodyMotion, R: Value) -> BodyMotion:
        """From a motion in the machine's axes that of a link with axes R."""
        v_dot = R.T @ in_base.v_dot
        return cls(R.T @ in_base.omega, R.T @ in_base.omega_dot, v_dot, in_base=in_base)

    def of_point(self, R: Value, point: Value) -> Value:
        """Acceleration of a point of a body with axes R, less gravity, in the machine's axes."""
        if self.in_base is not None:
            return self.in_base.v_dot + self.in_base.U @ (R @ point)
        return R @ (self.v_dot + self.U @ point)

    @property
    def U(self) -> Value:
        """The matrix by which two points' accelerations differ, times their distance."""
        return lever_matrix(self.omega, self.omega_dot)


@dataclass(frozen=True)
class Twist:
    """The platform's velocity and angular velocity, or accelerations less gravity."""

    v: Value
    omega: Value

    @classmethod
    def of(cls, V: Value) -> Twist:
        """From one column of six."""
        return cls(V[0:3], V[3:6])


@dataclass(frozen=True)
class MovingBase:
    """A base that moves in the world: its pose there, and its motion in the machine's axes."""

    position: Value  # position of its origin, in world axes [m]
    rotation: Value  # from the machine's axes to those of the world
    twist: Twist
    acceleration: Twist  # acceleration of its origin, without gravity, and ω̇

    def carried(self, position: Value, twist: Twist, acceleration: Twist) -> tuple[Twist, Twist]:
        """Return the motion in the world of a body by that relative to the base, less gravity.

        v + v_b + ω_b x r, ω + ω_b; v̇ + U_b r + 2 ω_b x v, where v̇ has v̇_b already, and
        ω̇ + ω̇_b + ω_b x ω.
        """
        omega, omega_dot = self.twist.omega, self.acceleration.omega
        v = twist.v + self.twist.v + cross(omega, position)
        v_dot = acceleration.v + lever_matrix(omega, omega_dot) @ position
        turned = acceleration.omega + omega_dot + cross(omega, twist.omega)
        return Twist(v, twist.omega + omega), Twist(v_dot + 2 * cross(omega, twist.v), turned)


@dataclass(frozen=True)
class Force:
    """A force and a moment about the body's origin."""

    f: Value
    n: Value

    def __add__(self, other: Force) -> Force:
        return Force(self.f + other.f, self.n + other.n)

    def __neg__(self) -> Force:
        return Force(-self.f, -self.n)

    def turned(self, R: Value) -> Force:
        """Return the force in other axes."""
        return Force(R @ self.f, R @ self.n)

    def about(self, point: Value) -> Force:
        """Return the force, whose moment is about a point [m], about the origin."""
        return Force(self.f, self.n + cross(point, self.f))


def lever_matrix(omega: Value, omega_dot: Value) -> Value:
    """U = ω̇^ + ω^ω^."""
    x, y, z = ca.vertsplit(omega)
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    squares = ca.blockcat([[-(yy + zz), xy, xz], [xy, -(xx + zz), yz], [xz, yz, -(xx + yy)]])
    return skew(omega_dot) + squares


def inertial_force(body: Body, motion: BodyMotion) -> Force:
    """Return the force that moves a body, and its moment about the body's origin."""
    U = motion.U
    f = body.mass * motion.v_dot + U @ body.ms
    return Force(f, moment(U, body.sigma) + cross(body.ms, motion.v_dot))


def turned_inertial_force(body: Body, motion: BodyMotion, R: Value) -> Force:
    """Return the same in the machine's axes, of a body with axes R."""
    if motion.in_base is not None:
        return inertial_force(body.turned(R), motion.in_base)
    return inertial_force(body, motion).turned(R)


def moment(U: Value, sigma: Value) -> Value:
    """∫ r x (U r) dm, from Σ = ∫ r rᵀ dm."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = ([sigma[i, j] for j in range(3)] for i in range(3))
    return vector(
        U[2, 0] * xy - U[1, 0] * xz + U[2, 1] * yy - U[1, 2] * zz + (U[2, 2] - U[1, 1]) * yz,
        U[0, 1] * yz - U[2, 1] * xy + U[0, 2] * zz - U[2, 0] * xx + (U[0, 0] - U[2, 2]) * xz,
        U[1, 2] * xz - U[0, 2] * yz + U[1, 0] * xx - U[0, 1] * yy + (U[1, 1] - U[0, 0]) * xy,
    )


@dataclass(frozen=True)
class Rigid:
    """A body by its inertia about its origin: links that move as one, seen from any of them."""

    mass: Value
    ms: Value
    inertia: Value

    @classmethod
    def of(cls, body: Body) -> Rigid:
        """Return the rigid body with a body's mass, first moment and inertia."""
        return cls(body.mass, body.ms, body.inertia)

    def __add__(self, other: Rigid) -> Rigid:
        return Rigid(self.mass + other.mass, self.ms + other.ms, self.inertia + other.inertia)

    def shifted(self, turned_ms: Value, turned_inertia: Value, p: Value) -> Rigid:
        """Return this body about a point at -p, in axes in which moments and inertia are these."""
        ms = turned_ms + self.mass * p
        both = turned_ms + ms
        aside = (both @ p.T + p @ both.T) / 2  # p msᵀ + ms pᵀ + m p pᵀ
        return Rigid(self.mass, ms, turned_inertia + dot(p, both) * ca.DM.eye(3) - aside)
