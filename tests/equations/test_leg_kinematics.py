"""Velocities are the derivatives of positions, accelerations of velocities; joints are obeyed."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machines import random_machine, random_state, time_derivative

from gough.equations.legs import closure
from gough.equations.legs.closure import leg_position

POSE, TWIST, ACCELERATION = ca.SX.sym("pose", 7), ca.SX.sym("twist", 6), ca.SX.sym("acc", 6)
seeds = st.integers(0, 2**32 - 1)


def rate(expression):
    return time_derivative(expression, POSE, TWIST, ACCELERATION)


def largest(expression, seed):
    """The largest absolute value of an expression in a random state."""
    f = ca.Function("f", [POSE, TWIST, ACCELERATION], [expression])
    pose, twist, acceleration, _ = random_state(np.random.default_rng(seed))
    return float(np.abs(np.array(f(pose, twist, acceleration))).max())


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_rates_are_the_derivatives_of_lengths(seed):
    machine = random_machine(np.random.default_rng(seed))
    q = closure.inverse_kinematics(machine, POSE)
    q_dot = closure.joint_velocity(machine, POSE, TWIST)
    q_ddot = closure.joint_acceleration(machine, POSE, TWIST, ACCELERATION)
    assert largest(rate(q) - q_dot, seed) < 1e-10
    assert largest(rate(q_dot) - q_ddot, seed) < 1e-10
    assert largest(closure.jacobian(machine, POSE) @ TWIST - q_dot, seed) < 1e-12


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_angular_acceleration_is_the_derivative_of_angular_velocity(seed):
    machine = random_machine(np.random.default_rng(seed))
    omega = closure.leg_angular_velocity(machine, POSE, TWIST)
    alpha = closure.leg_angular_acceleration(machine, POSE, TWIST, ACCELERATION)
    assert largest(rate(omega) - alpha, seed) < 1e-10 * max(1, largest(alpha, seed))


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_the_axes_of_a_universal_joint_turn_with_the_leg(seed):
    machine = random_machine(np.random.default_rng(seed), kinds=["UPS"])
    omega = closure.leg_angular_velocity(machine, POSE, TWIST)
    for k, leg in enumerate(machine.legs):
        for axis in leg.base_joint.axes(leg_position(leg, POSE).s):
            assert largest(rate(axis) - ca.cross(omega[k, :].T, axis), seed) < 1e-10


@settings(max_examples=6, deadline=None)
@given(seeds)
def test_a_leg_between_spherical_joints_does_not_spin(seed):
    machine = random_machine(np.random.default_rng(seed), kinds=["SPS"])
    omega = closure.leg_angular_velocity(machine, POSE, TWIST)
    for k, leg in enumerate(machine.legs):
        s = leg_position(leg, POSE).s
        assert largest(ca.dot(omega[k, :].T, s), seed) < 1e-12
        assert largest(rate(s) - ca.cross(omega[k, :].T, s), seed) < 1e-10


def test_a_quaternion_of_any_length_gives_the_same_lengths():
    machine = random_machine(np.random.default_rng(0))
    f = ca.Function("f", [POSE], [closure.inverse_kinematics(machine, POSE)])
    pose, *_ = random_state(np.random.default_rng(1))
    scaled = np.concatenate([pose[:3], -3.7 * pose[3:]])
    np.testing.assert_allclose(np.array(f(pose)), np.array(f(scaled)), rtol=1e-14)


@pytest.mark.parametrize("direction", np.vstack([np.eye(3), -np.eye(3)]))
def test_a_leg_between_spherical_joints_has_axes_whatever_its_direction(direction):
    machine = random_machine(np.random.default_rng(0), kinds=["SPS"])
    leg = machine.legs[0]
    position = np.array(leg.base).ravel() - np.array(leg.platform).ravel() + direction
    axes = ca.Function("f", [POSE], [ca.horzcat(*leg.base_joint.axes(leg_position(leg, POSE).s))])
    frame = np.array(axes(np.concatenate([position, [1, 0, 0, 0]])))
    np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(frame), 1)
    np.testing.assert_allclose(frame[:, 2], direction, atol=1e-14)
