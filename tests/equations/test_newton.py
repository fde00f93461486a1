"""Steps towards given leg lengths: where they lead, and how fast they converge."""

import casadi as ca
import numpy as np
import pytest
from machines import random_machine, random_state

from gough.equations.legs.closure import (
    inverse_kinematics,
    jacobian,
    lengths_possible,
    newton_step,
    third_order_step,
)
from gough.equations.spatial.pose import normalised, nudge


def compiled(machine, step):
    pose, q = ca.SX.sym("pose", 7), ca.SX.sym("q", 6)
    return ca.Function("step", [pose, q], [normalised(nudge(pose, step(machine, pose, q)[0]))])


def lengths(machine, pose):
    return np.array(ca.DM(inverse_kinematics(machine, ca.DM(pose)))).ravel()


def error(a, b):
    """Distance of positions and quaternions, whatever the quaternions' lengths and signs."""
    a, b = np.array(a, dtype=float).ravel(), np.array(b, dtype=float).ravel()
    p, r = a[3:] / np.linalg.norm(a[3:]), b[3:] / np.linalg.norm(b[3:])
    turn = min(np.linalg.norm(p - r), np.linalg.norm(p + r))
    return float(np.linalg.norm(a[:3] - b[:3]) + turn)


@pytest.mark.parametrize(("step", "order"), [(newton_step, 2), (third_order_step, 3)])
def test_each_method_converges_with_its_order(step, order):
    """Half the error before a step leaves a quarter of it, or an eighth, behind the step."""
    orders = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        machine, (pose, *_) = random_machine(rng), random_state(rng)
        q, one, away = lengths(machine, pose), compiled(machine, step), rng.normal(size=7)
        far, near = (error(one(pose + h * away, q), pose) for h in (4e-3, 2e-3))
        orders.append(np.log2(far / near))
    assert np.median(orders) == pytest.approx(order, abs=0.05)


def test_a_step_solves_the_linear_equations():
    rng = np.random.default_rng(1)
    machine, (pose, *_) = random_machine(rng), random_state(rng)
    q = lengths(machine, pose) + 0.01 * rng.normal(size=6)
    step, factors = newton_step(machine, ca.DM(pose), ca.DM(q))
    J = np.array(jacobian(machine, ca.DM(pose)))
    missing = q - lengths(machine, pose)
    np.testing.assert_allclose(J @ np.array(step).ravel(), missing, atol=1e-14)
    assert float(factors.determinant) == pytest.approx(np.linalg.det(J), rel=1e-11)


def test_a_small_motion_is_the_motion_of_a_twist():
    """The change of a platform point is the twist's velocity of it, to first order."""
    rng = np.random.default_rng(2)
    machine, (pose, *_) = random_machine(rng), random_state(rng)
    motion = 1e-6 * rng.normal(size=6)
    change = lengths(machine, np.array(nudge(ca.DM(pose), ca.DM(motion))).ravel()) - lengths(
        machine, pose
    )
    expected = np.array(jacobian(machine, ca.DM(pose))) @ motion
    np.testing.assert_allclose(change, expected, atol=1e-11)


def test_motions_keep_the_quaternions_length_at_one():
    pose = ca.DM([0, 0, 1, 3, 1, -2, 5])
    new = np.array(normalised(nudge(pose, ca.DM([1, 2, 3, 0.5, -1, 2])))).ravel()
    assert np.linalg.norm(new[3:]) == pytest.approx(1, abs=1e-15)


def test_lengths_of_any_pose_are_possible():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        machine = random_machine(rng)
        pose = rng.normal(size=7) * 10.0 ** rng.uniform(-2, 1)
        assert lengths_possible(machine, ca.DM(lengths(machine, pose)), 1e-12).is_one()


@pytest.mark.parametrize("leg", range(6))
def test_lengths_that_cannot_close_are_found(leg):
    rng = np.random.default_rng(leg)
    machine, (pose, *_) = random_machine(rng), random_state(rng)
    for wrong in (-1e-3, np.nan, 50.0):
        q = lengths(machine, pose)
        q[leg] = wrong
        assert not lengths_possible(machine, ca.DM(q), 1e-9).is_one()
