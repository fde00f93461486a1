"""A tool in a work frame: against homogeneous matrices, by power, by motion, and by round trips."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import gough
from gough.equations.spatial.pose import twist_and_acceleration
from gough.poses import distance

NOTHING = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
BATCHES = [(), (4,), (2, 3)]
seeds = st.integers(0, 2**32 - 1)


def some_frames(rng):
    return gough.Frames(work=rng.normal(size=7), tool=rng.normal(size=7))


def matrix(pose):
    found = np.eye(4)
    found[:3, :3] = Rotation.from_quat(pose[3:], scalar_first=True).as_matrix()
    found[:3, 3] = pose[:3]
    return found


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_the_tool_is_where_matrices_put_it(seed):
    rng = np.random.default_rng(seed)
    frames, pose = some_frames(rng), rng.normal(size=7)
    expected = np.linalg.inv(matrix(np.array(frames.work))) @ matrix(pose)
    expected = expected @ matrix(np.array(frames.tool))
    np.testing.assert_allclose(matrix(frames.tool_pose(pose)), expected, atol=1e-12)


@given(seeds, st.sampled_from(BATCHES))
@settings(max_examples=50, deadline=None)
def test_there_and_back_is_where_it_was(seed, batch):
    rng = np.random.default_rng(seed)
    frames = some_frames(rng)
    pose = gough.pose(rng.normal(size=(*batch, 3)), quaternion=rng.normal(size=(*batch, 4)))
    twist, acceleration, wrench = rng.normal(size=(3, *batch, 6))
    tool = frames.tool_pose(pose)
    speed = frames.tool_twist(pose, twist)
    change = frames.tool_acceleration(pose, twist, acceleration)
    assert (distance(frames.platform_pose(tool), pose) < 1e-12).all()
    np.testing.assert_allclose(frames.platform_twist(tool, speed), twist, atol=1e-12)
    back = frames.platform_acceleration(tool, speed, change)
    np.testing.assert_allclose(back, acceleration, atol=1e-10)
    again = frames.platform_wrench(tool, frames.tool_wrench(pose, wrench))
    np.testing.assert_allclose(again, wrench, atol=1e-12)


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_a_wrench_does_the_same_work_in_all_frames(seed):
    rng = np.random.default_rng(seed)
    frames, pose = some_frames(rng), rng.normal(size=(5, 7))
    twist, wrench = rng.normal(size=(2, 5, 6))
    seen = frames.tool_wrench(pose, wrench) * frames.tool_twist(pose, twist)
    np.testing.assert_allclose(seen.sum(-1), (wrench * twist).sum(-1), atol=1e-11)


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_speeds_and_accelerations_are_the_derivatives_of_the_tools_pose(seed):
    rng = np.random.default_rng(seed)
    frames, coefficients = some_frames(rng), rng.normal(size=(4, 7))
    step = 1e-3

    def pose(t):
        return np.polynomial.polynomial.polyval(t, coefficients)

    rates = [np.polynomial.polynomial.polyder(coefficients, k)[0] for k in (1, 2)]
    twist, acceleration = (
        np.array(ca.DM(x)).ravel()
        for x in twist_and_acceleration(*(ca.DM(x) for x in (coefficients[0], *rates)))
    )
    times = step * np.array([-2, -1, 0, 1, 2])
    seen = np.array([frames.tool_pose(pose(t)) for t in times])
    seen[:, 3:] *= np.sign(seen[:, 3:] @ seen[2, 3:])[:, None]
    first = np.array([1, -8, 0, 8, -1]) @ seen / (12 * step)
    second = np.array([-1, 16, -30, 16, -1]) @ seen / (12 * step**2)
    expected = twist_and_acceleration(ca.DM(seen[2]), ca.DM(first), ca.DM(second))
    own = pose(0.0)
    found = frames.tool_twist(own, twist), frames.tool_acceleration(own, twist, acceleration)
    for ours, theirs in zip(found, expected, strict=True):
        scale = 1 + np.abs(ours).max() ** 3
        np.testing.assert_allclose(ours, np.array(theirs).ravel(), atol=1e-6 * scale)


def test_a_turn_about_the_pivot_leaves_the_tool_where_it_is():
    frames = gough.Frames(tool=[0.1, 0, 0.2, 1, 0, 0, 0])
    for angle in (0.1, 1.0, -2.0):
        tool = gough.pose([0.3, 0.2, 1.0], rpy=[0, angle, 0])
        platform = frames.platform_pose(tool)
        np.testing.assert_allclose(gough.poses.transform(platform, [0.1, 0, 0.2]), tool[:3])


def test_without_frames_everything_stays_as_it_is():
    rng = np.random.default_rng(0)
    pose, twist = gough.pose(rng.normal(size=3), rotation_vector=[1, 2, 0]), rng.normal(size=6)
    assert gough.Frames() == gough.Frames(NOTHING, NOTHING)
    np.testing.assert_allclose(gough.Frames().tool_pose(pose), pose, atol=1e-15)
    np.testing.assert_allclose(gough.Frames().tool_twist(pose, twist), twist, atol=1e-15)


def test_frames_are_plain_numbers_that_can_be_compared_and_hashed():
    made = gough.Frames(work=gough.pose([1, 2, 3], rpy=[0, 0, 0.5]), tool=[0, 0, 1, -2, 0, 0, 0])
    assert made.tool == (0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0)
    assert len({made, gough.Frames(made.work, made.tool)}) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"work": [1, 2, 3]}, r"work has shape \(3,\); expected \(\.\.\., 7\)"),
        ({"tool": [[0, 0, 0, 1, 0, 0, 0]]}, r"tool has shape \(1, 7\); expected one pose"),
        ({"tool": [0, 0, np.inf, 1, 0, 0, 0]}, "tool has entries that are not finite"),
        ({"tool": [np.nan] * 7}, "tool .* expected one pose of 7 finite numbers"),
        ({"work": [0, 0, 0, 0, 0, 0, 0]}, "a quaternion is zero"),
        ({"work": "here"}, "work is not an array of numbers: 'here'"),
    ],
)
def test_what_is_no_frame_is_refused(given, words):
    with pytest.raises(gough.GoughError, match=words):
        gough.Frames(**given)


def test_batches_that_do_not_fit_are_refused():
    with pytest.raises(
        gough.GoughError, match=r"batches do not fit each other: pose \(2,\), twist"
    ):
        gough.Frames().tool_twist(np.ones((2, 7)), np.ones((3, 6)))
