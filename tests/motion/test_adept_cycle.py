"""The pick-and-place cycle goes where it should, as fast as it may, without a jump."""

import numpy as np
import pytest

import gough
from gough.motion import MotionError, adept_cycle, motion_from_dict

START = np.array([-0.15, 0.02, -0.6, 1.0, 0.0, 0.0, 0.0])


def way(motion, count=20001):
    t = np.linspace(0.0, motion.duration, count)
    return t, motion(t)


@pytest.mark.parametrize("blend", [0.0, 0.3, 0.5, 1.0])
def test_speed_and_acceleration_are_the_derivatives_of_the_place(blend):
    t, (pose, twist, acceleration) = way(adept_cycle(START, 0.5, blend=blend))
    for value, rate in ((pose[:, :3], twist[:, :3]), (twist[:, :3], acceleration[:, :3])):
        steps = np.cumsum((rate[1:] + rate[:-1]) / 2 * np.diff(t)[:, None], axis=0)
        np.testing.assert_allclose(value[1:] - value[0], steps, atol=3e-6 * np.ptp(value))
    jumps = np.abs(np.diff(acceleration, axis=0)).max()
    assert jumps < 1e-2 * np.abs(acceleration).max()


def test_it_goes_up_across_and_down_and_the_same_way_back():
    motion = adept_cycle(START, 0.4, height=0.025, width=0.305)
    t, (pose, twist, _) = way(motion)
    moved = pose[:, :3] - START[:3]
    np.testing.assert_allclose(moved[[0, -1]], 0.0, atol=1e-15)
    np.testing.assert_allclose(moved[len(t) // 2], [0.305, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(moved, moved[::-1], atol=1e-15)
    assert moved[:, 2].max() == pytest.approx(0.025, abs=1e-15)
    assert (moved[:, 2] >= -1e-15).all()
    middle = np.abs(moved[:, 0] - 0.1525) < 0.07
    np.testing.assert_allclose(moved[middle, 2], 0.025, atol=1e-12)
    np.testing.assert_allclose(twist[[0, len(t) // 2, -1]], 0.0, atol=1e-12)
    assert (pose[:, 3:] == START[3:]).all()


def test_without_a_blend_its_corners_are_square():
    _, (pose, _, _) = way(adept_cycle(START, 1.0, blend=0.0))
    across, up = pose[:, 0] - START[0], pose[:, 2] - START[2]
    inside = (across > 1e-12) & (across < 0.305 - 1e-12)
    np.testing.assert_allclose(up[inside], 0.025, atol=1e-12)


@pytest.mark.parametrize(
    ("limits", "reached"),
    [
        ({"max_speed": 2.0}, "speed"),
        ({"max_acceleration": 80.0}, "acceleration"),
        ({"max_speed": 2.0, "max_acceleration": 80.0}, "speed"),
        ({"max_speed": 9.0, "max_acceleration": 80.0}, "acceleration"),
    ],
)
def test_it_is_as_fast_as_its_limits_allow(limits, reached):
    _, (_, twist, acceleration) = way(adept_cycle(START, **limits))
    largest = {
        "speed": np.linalg.norm(twist, axis=1).max() / limits.get("max_speed", np.inf),
        "acceleration": np.linalg.norm(acceleration, axis=1).max()
        / limits.get("max_acceleration", np.inf),
    }
    assert max(largest.values()) <= 1 + 1e-12
    assert largest[reached] == pytest.approx(1.0, abs=1e-6)


def test_lift_and_way_across_have_the_same_largest_acceleration():
    _, (_, _, acceleration) = way(adept_cycle(START, 1.0, blend=0.2))
    x, z = np.abs(acceleration[:, [0, 2]]).max(axis=0)
    assert x == pytest.approx(z, rel=1e-6)


def test_a_study_s_table_says_the_same():
    robot = gough.load("delta")
    table = {"kind": "adept-cycle", "start": {"x": "-150 mm"}, "width": "0.3 m", "duration": 0.5}
    motion = motion_from_dict(table, robot)
    start = np.array(robot.home)
    start[0] = -0.15
    np.testing.assert_allclose(motion(0.1).pose, adept_cycle(start, 0.5, width=0.3)(0.1).pose)
    upright = motion_from_dict({**table, "direction": [0, 1, 0], "up": [0, 0, -1]}, robot)
    np.testing.assert_allclose(upright(0.25).pose[:3] - start[:3], [0, 0.3, 0], atol=1e-15)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({}, "duration"),
        ({"duration": 1.0, "max_speed": 1.0}, "duration"),
        ({"duration": 1.0, "across": [1, 0, 1]}, "direction"),
        ({"duration": 1.0, "height": 0.0}, "height"),
        ({"duration": 1.0, "blend": 1.2}, "blend"),
        ({"duration": 1.0, "blend": 0.6, "height": 0.3}, "blend"),
        ({"max_acceleration": -1.0}, "max_acceleration"),
    ],
)
def test_what_makes_no_cycle_is_refused(given, key):
    with pytest.raises(MotionError) as caught:
        adept_cycle(START, **given)
    assert caught.value.key == key


@pytest.mark.parametrize(
    "start",
    [{"position": [0, 0, 1], "x": 0.1}, {"rpy": [0, 0, 0], "yaw": 0.1}],
)
def test_a_coordinate_is_not_given_twice(start):
    with pytest.raises(MotionError) as refused:
        motion_from_dict(
            {"kind": "hold", "duration": 1, "start": start}, gough.load("demo-hexapod")
        )
    assert refused.value.key == f"motion.start.{next(iter(start))}"
    assert "given twice" in refused.value.problem


def test_single_coordinates_are_those_of_the_whole_pose():
    robot = gough.load("demo-hexapod")
    alone = {"y": 0.05, "pitch": "5 deg"}
    whole = {"position": [0, 0.05, robot.home[2]], "rpy": [0, "5 deg", 0]}
    one, other = (
        motion_from_dict({"kind": "hold", "duration": 1, "start": start}, robot)(0.5).pose
        for start in (alone, whole)
    )
    np.testing.assert_allclose(one, other, atol=1e-15)
