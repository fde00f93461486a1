"""Motions of waves: what they say in a file, their rates, and that they go on as they began."""

import numpy as np
import pytest

import gough
from gough.motion import MotionError, fourier, motion_from_dict, sequence

WAVES = {
    "x": [[0.02, 0.01], [-0.005, -0.005]],
    "about_z": [[0.1, 0.0]],
    "about_x": [[0.0, 0.2], [0.0, -0.1]],
}


@pytest.fixture
def motion():
    return fourier(gough.load("demo-hexapod").home, 2.0, **WAVES)


def test_ways_and_turns_are_the_sums_of_their_waves():
    t, w = np.linspace(0, 2, 41), np.pi
    motion = fourier(gough.load("demo-hexapod").home, 2.0, x=WAVES["x"], about_z=WAVES["about_z"])
    pose = motion(t).pose
    x = 0.02 * (np.cos(w * t) - 1) + 0.01 * np.sin(w * t)
    x += -0.005 * (np.cos(2 * w * t) - 1) - 0.005 * np.sin(2 * w * t)
    np.testing.assert_allclose(pose[:, 0], x, atol=1e-15)
    np.testing.assert_allclose(pose[:, 6], np.sin(0.05 * (np.cos(w * t) - 1)), atol=1e-15)
    np.testing.assert_array_equal(pose[:, 2], 0.99)


def test_rates_are_those_of_the_place(motion):
    t, h = np.linspace(0.1, 1.9, 19), 1e-5
    before, now, after = motion(t - h), motion(t), motion(t + h)
    np.testing.assert_allclose((after.pose - before.pose)[:, :3] / (2 * h), now.twist[:, :3],
                               atol=1e-8)  # fmt: skip
    np.testing.assert_allclose((after.twist - before.twist) / (2 * h), now.acceleration, atol=1e-6)


def test_it_rests_where_its_waves_say_so_and_goes_on_without_a_jump(motion):
    ends = motion(np.array([0.0, 2.0]))
    np.testing.assert_allclose(ends.twist, 0.0, atol=1e-14)
    assert sequence(motion, motion).breaks == ()


def test_a_study_states_what_a_motion_says_of_itself(motion):
    read = motion_from_dict(motion.table, gough.load("demo-hexapod"))
    assert read == motion


@pytest.mark.parametrize(
    ("given", "key"), [({}, "waves"), ({"x": [[1, 2, 3]]}, "x"), ({"w": [[0, 1]]}, "w")]
)
def test_waves_that_are_none_are_refused(given, key):
    with pytest.raises(MotionError) as caught:
        fourier(gough.load("demo-hexapod").home, 2.0, **given)
    assert caught.value.key == key
