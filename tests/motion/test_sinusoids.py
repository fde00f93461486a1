"""Sinusoids: their rates, the amplitudes between the fades, and that they begin and end at rest."""

import numpy as np
import pytest

import gough
from gough.motion import MotionError, motion_from_dict, sequence, sinusoid

HOME = gough.load("demo-hexapod").home
WAVES = {"x": (0.02, 0.5), "z": (0.03, 0.8, 0.7), "about_x": (0.1, 0.4, -0.3), "about_z": (0.2, 1)}


@pytest.fixture
def motion():
    return sinusoid(HOME, 10.0, fade_in=2.0, fade_out=3.0, **WAVES)


def test_rates_are_those_of_the_place(motion):
    t, h = np.linspace(0.01, 9.99, 333), 1e-5
    before, now, after = motion(t - h), motion(t), motion(t + h)
    rate = (after.pose - before.pose)[:, :3] / (2 * h)
    np.testing.assert_allclose(rate, now.twist[:, :3], atol=1e-8)
    np.testing.assert_allclose((after.twist - before.twist) / (2 * h), now.acceleration, atol=1e-6)


def test_it_begins_and_ends_at_rest_at_its_start(motion):
    ends = motion(np.array([0.0, 10.0]))
    np.testing.assert_allclose(ends.pose, [HOME, HOME], atol=1e-15)
    np.testing.assert_allclose(ends.twist, 0.0, atol=1e-15)
    np.testing.assert_allclose(ends.acceleration, 0.0, atol=1e-15)
    assert motion.breaks == ()
    assert sequence(motion, motion).breaks == ()


def test_between_the_fades_it_is_the_sinusoid_of_each_axis():
    t = np.linspace(2.0, 7.0, 501)
    motion = sinusoid(HOME, 10.0, fade_in=2.0, fade_out=3.0, x=(0.02, 0.5, 0.4), about_z=(0.2, 1))
    samples = motion(t)
    x = 0.02 * np.sin(2 * np.pi * 0.5 * t + 0.4)
    np.testing.assert_allclose(samples.pose[:, 0] - HOME[0], x, atol=1e-15)
    half = 0.1 * np.sin(2 * np.pi * t)
    np.testing.assert_allclose(samples.pose[:, 6], np.sin(half), atol=1e-15)


def test_the_amplitudes_of_speed_and_acceleration_are_those_of_the_formula():
    heave = sinusoid(HOME, 12.0, fade_in=2.0, fade_out=2.0, z=(0.05, 0.5))
    samples = heave(np.linspace(2.0, 10.0, 16001))  # multiples of a quarter period among them
    w = 2 * np.pi * 0.5
    assert np.abs(samples.twist[:, 2]).max() == pytest.approx(w * 0.05, rel=1e-12)
    assert np.abs(samples.acceleration[:, 2]).max() == pytest.approx(w * w * 0.05, rel=1e-12)


def test_fades_left_out_take_a_period_of_the_slowest_axis():
    motion = sinusoid(HOME, 10.0, x=(0.01, 2.0), z=(0.01, 0.5))
    assert (motion.fade_in, motion.fade_out) == (2.0, 2.0)
    assert motion.corners == (2.0, 8.0)


def test_a_study_reads_what_a_motion_writes(motion):
    assert motion_from_dict(motion.table, gough.load("demo-hexapod")) == motion


def test_units_count_in_files():
    table = {
        "kind": "sinusoid",
        "duration": 4,
        "fade_in": "500 ms",
        "fade_out": 1,
        "about_y": {"amplitude": "5 deg", "frequency": "2 Hz", "phase": "90 deg"},
    }
    read = motion_from_dict(table, gough.load("demo-hexapod"))
    waves = {"about_y": (np.radians(5), 2.0, np.radians(90))}
    assert read == sinusoid(HOME, 4.0, fade_in=0.5, fade_out=1.0, **waves)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({}, "waves"),
        ({"w": (1, 1)}, "w"),
        ({"x": (1,)}, "x"),
        ({"x": 0.1}, "x"),
        ({"x": (0.1, 0.0)}, "x.frequency"),
        ({"x": (0.1, 1.0, "a")}, "x"),
        ({"x": (0.1, 0.1)}, "duration"),
        ({"x": (0.1, 1.0), "fade_in": 0.0}, "fade_in"),
        ({"x": (0.1, 1.0), "fade_in": 1.5, "fade_out": 1.0}, "duration"),
    ],
)
def test_oscillations_that_are_none_are_refused(given, key):
    with pytest.raises(MotionError) as refused:
        sinusoid(HOME, 2.0, **given)
    assert refused.value.key == key
