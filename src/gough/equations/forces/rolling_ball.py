"""A ball that rolls without slipping on a plate, which moves with the platform in any way.

The plate is the plane z = h of the platform frame. The ball touches it in one point, with forces
alone: no rolling resistance, no friction about the normal.
"""

from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca
from casadi import cross, dot

from gough.equations.spatial.algebra import Value, angular, linear, position, rotation, wrench_at

SIZE = 5  # numbers of a ball's state: place x y [m] and its rates [m/s] on the plate, spin [rad/s]
_NORMAL = ca.DM([0, 0, 1])


@dataclass(frozen=True)
class Ball:
    """A ball of mass m [kg] and radius r [m] with the inertia β m r²."""

    mass: float
    radius: float
    inertia_share: float  # β: 2/5 of a solid ball, 2/3 of a thin shell
    height: float  # h of the plate above the platform's origin [m]


class Rolling(NamedTuple):
    """A ball's motion on a plate."""

    rates: Value  # time derivative of its state (5)
    wrench: Value  # wrench of the ball on the platform (6), about its origin, base axes [N, N m]
    normal_force: Value  # of the plate on the ball [N]; below zero the ball leaves the plate


def rolling(
    ball: Ball, state: Value, pose: Value, twist: Value, acceleration: Value, gravity: Value
) -> Rolling:
    """Return the motion of a ball; all is affine in the platform's acceleration.

    With A, the acceleration less gravity that the ball would have at rest on the plate but for
    its relative speed, Ω and α of the plate, and the ball's angular velocity σ relative to it, all
    on platform axes: the contact point is at rest on the plate, r σ × n = ṗ. The contact's force
    F = m (A + p̈) turns the ball, β m r² (α + σ̊ + Ω × σ) = -r n × F, so that along the plate
    p̈ = -(A + β r (α + Ω × σ) × n) / (1 + β), and the spin about n changes by -n · (α + Ω × σ).
    """
    R, n, beta = rotation(pose), _NORMAL, ball.inertia_share
    p, p_1, sigma = _place(ball, state)
    omega, alpha = R.T @ angular(twist), R.T @ angular(acceleration)
    A = R.T @ (linear(acceleration) - gravity) + cross(alpha, p)
    A += cross(omega, cross(omega, p)) + 2 * cross(omega, p_1)
    turn = alpha + cross(omega, sigma)
    p_2 = -(A + beta * ball.radius * cross(turn, n)) / (1 + beta)
    F = ball.mass * (A + ca.vertcat(p_2[0:2], 0))
    arm = R @ (p - ball.radius * n)
    return Rolling(ca.vertcat(p_1[0:2], p_2[0:2], -turn[2]), wrench_at(arm, -R @ F), F[2])


def ball_energy(ball: Ball, state: Value, pose: Value, twist: Value, gravity: Value) -> Value:
    """Return kinetic and potential energy of the ball [J]."""
    R = rotation(pose)
    p, p_1, sigma = _place(ball, state)
    v = linear(twist) + cross(angular(twist), R @ p) + R @ p_1
    omega = angular(twist) + R @ sigma
    inertia = ball.inertia_share * ball.mass * ball.radius**2
    kinetic = (ball.mass * dot(v, v) + inertia * dot(omega, omega)) / 2
    return ca.vertcat(kinetic, -ball.mass * dot(gravity, position(pose) + R @ p))


def _place(ball: Ball, state: Value) -> tuple[Value, Value, Value]:
    """Return the centre p [m], its rate and the angular velocity σ, relative to the plate."""
    p_1 = ca.vertcat(state[2:4], 0)
    sigma = cross(_NORMAL, p_1) / ball.radius + state[4] * _NORMAL
    return ca.vertcat(state[0:2], ball.height + ball.radius), p_1, sigma
