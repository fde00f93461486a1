"""Poses put together, moved and compared: as matrices do it, and by identities that must hold."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

import gough
from gough.equations.spatial import pose as symbolic
from gough.poses import (
    compose,
    difference,
    displace,
    distance,
    interpolate,
    inverse,
    relative,
    transform,
)

BATCHES = [(), (5,), (2, 3)]
NOTHING = [0, 0, 0, 1, 0, 0, 0]
ANGLES = [0.0, 1e-300, 1e-20, 1e-9, 1e-4, 0.5, 2.0, np.pi - 1e-4, np.pi - 1e-9, np.pi]

numbers = st.floats(-3, 3)
poses = st.builds(
    lambda p, axis, angle, length: np.array([*p, *(length * _quaternion(axis, angle))]),
    st.tuples(numbers, numbers, numbers),
    st.tuples(numbers, numbers, numbers).filter(lambda axis: np.linalg.norm(axis) > 1e-3),
    st.sampled_from(ANGLES) | st.floats(-3, 3),
    st.sampled_from([-1.0, 1e-200, 0.3, 1e200]),
)


def _quaternion(axis, angle):
    direction = np.array(axis) / np.linalg.norm(axis)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * direction)])


def some(batch, seed):
    return np.random.default_rng(seed).normal(size=(*batch, 7))


def matrix(pose):
    """(..., 4, 4) the homogeneous matrix, by SciPy."""
    pose = np.asarray(pose, dtype=float)
    found = np.zeros((*pose.shape[:-1], 4, 4))
    found[..., :3, :3] = Rotation.from_quat(pose[..., 3:], scalar_first=True).as_matrix()
    found[..., :3, 3], found[..., 3, 3] = pose[..., :3], 1
    return found


def assert_same(a, b, tolerance=1e-14):
    assert np.shape(a) == np.shape(b)
    assert (distance(a, b) <= tolerance).all()


# Against homogeneous matrices


@pytest.mark.parametrize("batch", BATCHES)
def test_poses_are_composed_and_inverted_as_their_matrices_are(batch):
    a, b = some(batch, 1), some(batch, 2)
    A, B = matrix(a), matrix(b)
    np.testing.assert_allclose(matrix(compose(a, b)), A @ B, atol=1e-14)
    np.testing.assert_allclose(matrix(inverse(a)), np.linalg.inv(A), atol=1e-14)
    np.testing.assert_allclose(matrix(relative(a, b)), np.linalg.inv(A) @ B, atol=1e-14)


@pytest.mark.parametrize("batch", BATCHES)
def test_points_go_where_the_matrix_takes_them(batch):
    pose, points = some(batch, 1), np.random.default_rng(3).normal(size=(*batch, 4, 3))
    expected = points @ matrix(pose)[..., :3, :3].swapaxes(-1, -2) + pose[..., None, :3]
    found = transform(pose[..., None, :], points)
    np.testing.assert_allclose(found, expected, atol=1e-14)


@pytest.mark.parametrize("batch", BATCHES)
def test_a_step_is_a_way_and_a_turn_in_base_axes(batch):
    pose, step = some(batch, 1), np.random.default_rng(4).normal(size=(*batch, 6))
    moved = displace(pose, step)
    turn = Rotation.from_rotvec(step[..., 3:]) * gough.rotation(pose)
    np.testing.assert_allclose(gough.rotation(moved).as_matrix(), turn.as_matrix(), atol=1e-14)
    np.testing.assert_array_equal(moved[..., :3], pose[..., :3] + step[..., :3])


@pytest.mark.parametrize("batch", BATCHES)
def test_between_two_poses_the_origin_goes_straight_and_the_attitude_by_slerp(batch):
    a, b = some(batch, 1), some(batch, 2)
    for share in (0.0, 0.3, 1.0):
        found = interpolate(a, b, share)
        np.testing.assert_allclose(found[..., :3], (1 - share) * a[..., :3] + share * b[..., :3])
        flat = zip(*(x.reshape(-1, 7) for x in (a, b, found)), strict=True)
        for first, last, between in flat:
            turned = Slerp([0, 1], gough.rotation([first, last]))(share)
            assert (turned.inv() * gough.rotation(between)).magnitude() < 1e-14


# Identities


@settings(deadline=None)
@given(poses)
def test_a_pose_and_its_inverse_compose_to_nothing(a):
    assert_same(compose(a, inverse(a)), NOTHING)
    assert_same(compose(inverse(a), a), NOTHING)


@settings(deadline=None)
@given(poses, poses, poses)
def test_it_does_not_matter_which_two_of_three_are_composed_first(a, b, c):
    assert_same(compose(compose(a, b), c), compose(a, compose(b, c)), 1e-13)
    assert_same(compose(a, relative(a, b)), b, 1e-13)  # as many products of numbers as above


@settings(deadline=None)
@given(poses, poses)
def test_the_difference_leads_from_one_pose_to_the_other(a, b):
    step = difference(a, b)
    assert_same(displace(b, step), a)
    assert np.linalg.norm(step[3:]) <= np.pi + 1e-15


@settings(deadline=None)
@given(poses, poses, poses, st.floats(0.1, 10))
def test_the_distance_is_one(a, b, c, length):
    assert distance(a, a, length) == 0.0
    assert distance(a, b, length) == pytest.approx(distance(b, a, length), rel=1e-15)
    assert distance(a, c, length) <= distance(a, b, length) + distance(b, c, length) + 1e-14


@pytest.mark.parametrize("angle", ANGLES)
def test_turns_are_exact_from_the_smallest_to_the_half(angle):
    axis = np.array([2.0, -3.0, 6.0]) / 7
    moved = displace(NOTHING, [0, 0, 0, *(angle * axis)])
    np.testing.assert_allclose(moved[3:], _quaternion(axis, angle), rtol=1e-15, atol=1e-16)
    back = difference(moved, NOTHING)[3:]
    np.testing.assert_allclose(back, angle * axis, rtol=2e-15)
    assert distance(moved, NOTHING) == pytest.approx(angle, rel=1e-15)


def test_a_turn_far_beyond_a_revolution_is_a_turn():
    moved = displace(NOTHING, [0, 0, 0, 0, 0, 1e200])
    assert np.linalg.norm(moved[3:]) == pytest.approx(1)


def test_batches_are_broadcast():
    many, one = some((4, 1), 1), some((3,), 2)
    assert compose(many, one).shape == (4, 3, 7)
    assert difference(many, one).shape == (4, 3, 6)
    assert distance(many, one).shape == (4, 3)
    assert displace(one, np.zeros((4, 1, 6))).shape == (4, 3, 7)
    assert interpolate(one[0], one[1], np.linspace(0, 1, 11)).shape == (11, 7)
    assert transform(many, np.zeros((5, 3))).shape == (4, 5, 3)


# The same for symbols and for numbers


@settings(deadline=None)
@given(poses, poses, st.lists(numbers, min_size=6, max_size=6), st.floats(0.1, 10))
def test_symbols_and_numbers_agree(a, b, step, length):
    a, b = (displace(x, np.zeros(6)) for x in (a, b))  # quaternions of length one
    moved = np.array(symbolic.displace(ca.DM(a), ca.DM(step))).ravel()
    np.testing.assert_allclose(moved, displace(a, step), atol=1e-14)
    apart = float(symbolic.distance(ca.DM(a), ca.DM(b), length))
    assert apart == pytest.approx(float(distance(a, b, length)), rel=1e-13, abs=1e-15)


def test_a_nudge_is_a_displacement_up_to_the_third_order():
    pose, step = some((), 1), np.random.default_rng(2).normal(size=6)
    errors = []
    for h in (0.2, 0.1):
        nudged = np.array(symbolic.nudge(ca.DM(pose), ca.DM(h * step))).ravel()
        errors.append(distance(nudged, displace(pose, h * step)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3, abs=0.1)


# What is no pose


def test_no_pose_stays_none():
    found = np.full((3, 7), np.nan)
    found[1] = NOTHING
    assert np.isnan(distance(found, NOTHING)).tolist() == [True, False, True]
    moved = displace(found, difference(found, NOTHING))
    np.testing.assert_array_equal(moved, found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compose([0, 0, 1], NOTHING), r"a has shape \(3,\); expected \(\.\.\., 7\)"),
        (lambda: compose(NOTHING, np.zeros((2, 6))), r"b has shape \(2, 6\)"),
        (lambda: inverse(np.zeros(7)), "a quaternion is zero; expected any other"),
        (lambda: relative([np.nan, *NOTHING[1:]], NOTHING), "a has entries that are not finite"),
        (lambda: difference(NOTHING, [np.inf, *NOTHING[1:]]), "b has entries that are not finite"),
        (lambda: displace(NOTHING, [0, 0, 1]), r"step has shape \(3,\); expected \(\.\.\., 6\)"),
        (lambda: displace(NOTHING, "up"), "step is not an array of numbers: 'up'"),
        (lambda: transform(NOTHING, [1, 2]), r"points has shape \(2,\); expected \(\.\.\., 3\)"),
        (lambda: distance(NOTHING, NOTHING, 0), "length is 0; expected a number above 0"),
        (lambda: distance(NOTHING, NOTHING, "m"), "length is not an array of numbers: 'm'"),
        (lambda: interpolate(NOTHING, NOTHING, np.nan), "share has entries that are not finite"),
        (lambda: interpolate(NOTHING, NOTHING, [[1], [2, 3]]), "share is not an array of numbers"),
        (lambda: compose(some((5,), 1), some((4,), 1)), r"do not fit each other: a \(5,\), b \(4,"),
        (lambda: interpolate(some((5,), 1), NOTHING, [0, 1]), r"poses \(5,\), share \(2,\)"),
        (lambda: displace(some((5,), 1), np.zeros((4, 6))), r"pose \(5,\), step \(4,\)"),
    ],
)
def test_bad_poses_are_named(call, message):
    with pytest.raises(gough.GoughError, match=message):
        call()
