"""The explicit equations of motion in coordinates X of the platform: places, then angles.

    M(X) Ẍ + C(X, Ẋ) Ẋ + G(X) = J(X)ᵀ force + T(X)ᵀ wrench

Of a platform with six degrees of freedom X = [x y z, three Euler angles] this is the form of
Oftadeh 2010 (1) and Bingul 2012 (41), for any of the 24 Euler sequences: the papers' own angles are
one choice each. Other machines have those of x, y and z that their platform can do, and three Euler
angles, one angle about the axis of their only rotation, or none. It comes from the equations in the
independent velocities u by u = U Ẋ with U = diag(1, E), and keeps Ṁ - 2C skew. Near attitudes where
E is singular its mass matrix is too: simulate in twist coordinates instead.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import casadi as ca

from gough.equations.forces import dynamics
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial import algebra, attitude
from gough.equations.spatial.algebra import Value, derivative, position, quaternion, rotation


@dataclass(frozen=True)
class PlatformCoordinates:
    """Coordinates of a platform: places along some of the base axes, then angles."""

    translations: tuple[int, ...]  # which of x, y and z they are
    rotations: tuple[int, ...]  # about which base axes the platform turns: all, one, or none
    order: tuple[int, ...]  # place among the coordinates of each of the independent velocities u
    sequence: str  # Euler sequence of the angles, where it turns about all
    home: Value
    """The pose whose other coordinates the platform keeps; a single angle counts from there."""

    def pose(self, X: Value) -> Value:
        """The pose (7) of coordinates."""
        p, angles = position(self.home), X[len(self.translations) :]
        for k, axis in enumerate(self.translations):
            p = ca.vertcat(p[:axis], X[k], p[axis + 1 :])
        if len(self.rotations) == 3:
            return ca.vertcat(p, attitude.euler_quaternion(self.sequence, angles))
        q = quaternion(self.home)
        for axis in self.rotations:
            turn = attitude.quaternion_of_rotation_vector(angles * ca.DM.eye(3)[:, axis])
            q = attitude.quaternion_product(turn, q)
        return ca.vertcat(p, q)

    def rates(self, X: Value) -> Value:
        """U (n, n) of u = U Ẋ."""
        n, E = len(self.translations), ca.DM.eye(len(self.rotations))
        if len(self.rotations) == 3:
            E = attitude.euler_rate_matrix(self.sequence, X[n:])
        return ca.diagcat(ca.DM.eye(n), E)[list(self.order), :]


def pose(machine: Machine, of: PlatformCoordinates, X: Value) -> Value:
    """The pose, 7x1, of coordinates."""
    return of.pose(X)


def twist_matrix(machine: Machine, of: PlatformCoordinates, X: Value) -> Value:
    """T of twist = T Ẋ, 6xn."""
    return kinematics.twist_basis(machine, of.pose(X)) @ of.rates(X)


def mass_matrix(machine: Machine, of: PlatformCoordinates, X: Value) -> Value:
    """M(X), nxn [Oftadeh 2010 (79), Bingul 2012 (42)]."""
    U = of.rates(X)
    return U.T @ dynamics.mass_matrix(machine, of.pose(X)) @ U


def coriolis_matrix(machine: Machine, of: PlatformCoordinates, X: Value, X_dot: Value) -> Value:
    """C(X, Ẋ), nxn, with Ṁ - 2C skew [Oftadeh 2010 (80), Bingul 2012 (43)]."""
    at, U = of.pose(X), of.rates(X)
    M = dynamics.mass_matrix(machine, at)
    C = dynamics.coriolis_matrix(machine, at, twist_matrix(machine, of, X) @ X_dot)
    return U.T @ (M @ _rate(of.rates, X, X_dot) + C @ U)


def gravity(machine: Machine, of: PlatformCoordinates, X: Value) -> Value:
    """G(X), nx1: the gradient of the potential energy [Oftadeh 2010 (81), Bingul 2012 (44)]."""
    return of.rates(X).T @ dynamics.gravity(machine, of.pose(X))


def jacobian(machine: Machine, of: PlatformCoordinates, X: Value) -> Value:
    """J(X) of q̇ = J Ẋ, mxn [Bingul 2012 (16)]; its J_A and J_B agree once corrected."""
    return kinematics.actuation_matrix(machine, of.pose(X)) @ of.rates(X)


def joint_matrices(machine: Machine, of: PlatformCoordinates, X: Value) -> Value:
    """J_i(X), 3xn each below the other: platform joint i moves with J_i Ẋ [Oftadeh 2010 (69)]."""
    R, T = rotation(of.pose(X)), twist_matrix(machine, of, X)
    return ca.vertcat(
        *(algebra.point_jacobian(R @ leg.platform) @ T for leg in machine.hexapod.legs)
    )


def joint_matrix_rates(machine: Machine, of: PlatformCoordinates, X: Value, X_dot: Value) -> Value:
    """d/dt J_i, 3xn each below the other [Oftadeh 2010 (71)]."""
    return _rate(partial(joint_matrices, machine, of), X, X_dot)


def _rate(of: Callable[[Value], Value], X: Value, X_dot: Value) -> Value:
    return ca.reshape(derivative(lambda x: ca.vec(of(x)), X, X_dot), -1, X.shape[0])
