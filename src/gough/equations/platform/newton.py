"""Newton's method for the pose at given leg lengths: one step, and how a step moves a pose.

A step is a small motion (translation [m]; rotation vector [rad], base axes), as a twist times a
unit of time. It lives in the tangent space at the present pose, so no attitude is special.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.closure import inverse_kinematics, jacobian_row
from gough.equations.legs.leg import leg_position
from gough.equations.machine import Machine
from gough.equations.solvers.elimination import Factors, factorise, solve
from gough.equations.spatial.algebra import Value, angular, linear, position, quaternion, unit
from gough.equations.spatial.attitude import quaternion_product


def newton_step(machine: Machine, pose: Value, q: Value) -> tuple[Value, Factors]:
    """The step J⁻¹ (q - l) towards leg lengths q, and the factors of J [Kalani 2016 (67)-(69)]."""
    l, factors = _linearised(machine, pose)
    return solve(factors, q - l), factors


def third_order_step(machine: Machine, pose: Value, q: Value) -> tuple[Value, Factors]:
    """A step that uses J twice, for convergence of third order, and the factors of J.

    Darvishi and Barati's method, as in [Kalani 2016 (71)-(73)], in coordinates about the pose.
    """
    l, factors = _linearised(machine, pose)
    newton = solve(factors, q - l)
    l_new = inverse_kinematics(machine, moved(pose, newton))  # at X* of Kalani (72)
    return newton + solve(factors, q - l_new), factors  # Kalani (71)


def moved(pose: Value, step: Value) -> Value:
    """The pose after a step; the quaternion's length is one."""
    return normalised(displaced(pose, step))


def displaced(pose: Value, step: Value) -> Value:
    """The pose after a step, its quaternion of some length.

    The rotation is by 2 atan(|θ|/2) about θ, which is |θ| up to its third order, and needs no sine.
    """
    half = ca.vertcat(1, angular(step) / 2)
    return ca.vertcat(position(pose) + linear(step), quaternion_product(half, quaternion(pose)))


def normalised(pose: Value) -> Value:
    """The same pose, its quaternion of length one."""
    return ca.vertcat(position(pose), unit(quaternion(pose)))


def _linearised(machine: Machine, pose: Value) -> tuple[Value, Factors]:
    legs = [leg_position(leg, pose) for leg in machine.legs]
    J = ca.vertcat(*(jacobian_row(at) for at in legs))
    return ca.vertcat(*(at.l for at in legs)), factorise(J)
