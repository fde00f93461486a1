"""Motions of a tool in a work frame: the platform carries the tool along them, exactly."""

import numpy as np
import pytest

import gough
from gough.motion import (
    MotionError,
    MotionWarning,
    Quintic,
    in_frames,
    line,
    rotation,
    trapezoidal,
    waypoints,
)
from gough.poses import compose, difference, inverse

FRAMES = gough.Frames(
    work=gough.pose([0.1, -0.2, 0.3], rpy=[0.2, -0.4, 0.9]),
    tool=gough.pose([0.05, 0.02, 0.2], rpy=[0.3, 0.1, -0.5]),
)
START = FRAMES.tool_pose(gough.pose([0, 0, 1]))
TURN = rotation(START, [1, 2, 3], START[:3], 0.8, Quintic(2.0))
WAY = waypoints(
    [0, 1, 2.5], [START, gough.pose([0.2, 0.3, 1], rpy=[0.4, 0, 1]), gough.pose([0, 0.1, 0.8])]
)


@pytest.mark.parametrize("motion", [TURN, WAY])
def test_the_tool_goes_where_the_motion_says(motion):
    t = np.linspace(0, motion.duration, 20)
    platform = in_frames(motion, FRAMES)(t)
    tool = compose(compose(inverse(FRAMES.work), platform.pose), FRAMES.tool)
    np.testing.assert_allclose(difference(tool, motion(t).pose), 0, atol=1e-13)


@pytest.mark.parametrize("motion", [TURN, WAY])
def test_twist_and_acceleration_are_the_derivatives(motion):
    platform, h = in_frames(motion, FRAMES), 1e-4
    t = np.linspace(0.1, motion.duration - 0.1, 9)
    found, before, after = platform(t), platform(t - h), platform(t + h)
    twist = difference(after.pose, before.pose) / (2 * h)
    np.testing.assert_allclose(found.twist, twist, atol=1e-7)
    change = (after.twist - before.twist) / (2 * h)
    np.testing.assert_allclose(found.acceleration, change, atol=1e-5)


def test_a_turn_about_the_tool_leaves_the_tools_origin_where_it_is():
    poses = in_frames(TURN, FRAMES)(np.linspace(0, 2, 9)).pose
    pivots = gough.poses.transform(poses, FRAMES.tool[:3])
    np.testing.assert_allclose(pivots, np.broadcast_to(pivots[0], pivots.shape), atol=1e-14)
    assert np.ptp(poses[:, :3], axis=0).max() > 0.05


def test_times_and_jumps_are_those_of_the_motion():
    with pytest.warns(MotionWarning):
        given = line(START, [0.1, 0, 0], trapezoidal(2.0, 0.25))
    with pytest.warns(MotionWarning, match="acceleration jumps"):
        made = in_frames(given, FRAMES)
    assert given.breaks
    assert (made.duration, made.breaks) == (given.duration, given.breaks)
    assert (made.corners, made.cautions) == (given.corners, given.cautions)


def test_the_platform_rests_before_and_after():
    rest = in_frames(WAY, FRAMES)([-1.0, 99.0])
    assert not rest.twist.any()
    assert not rest.acceleration.any()


def test_what_is_no_motion_and_what_are_no_frames_is_refused():
    for key, given in (("motion", (1.0, FRAMES)), ("frames", (TURN, (1, 2)))):
        with pytest.raises(MotionError) as caught:
            in_frames(*given)
        assert caught.value.key == key
