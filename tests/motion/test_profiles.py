"""Profiles: their ends, their derivatives, and their limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from motion_checks import difference

from gough.motion import (
    Cosine,
    Cycloidal,
    MotionError,
    Paced,
    Quintic,
    Ramped,
    Sine,
    s_curve,
    s_curve_within,
    trapezoidal,
    trapezoidal_within,
)

REST_TO_REST = [
    Cosine(2.5),
    Cycloidal(2.5),
    Quintic(2.5),
    Paced(2.5, (1.0, 9.0, 0.2, 0.01, 3.0, 7.0, 2.0)),
    trapezoidal(2.5),
    trapezoidal(2.5, 0.5),
    s_curve(2.5),
    s_curve(2.5, 0.5, 0.5),
    s_curve(2.5, 0.2, 0.1),
]
positive = st.floats(1e-3, 1e3)


@pytest.mark.parametrize("profile", REST_TO_REST, ids=repr)
def test_it_goes_from_rest_at_zero_to_rest_at_one(profile):
    s, speed, _ = profile(np.array([0.0, profile.duration]))
    assert s == pytest.approx([0, 1], abs=1e-14)
    assert speed == pytest.approx([0, 0], abs=1e-14)


@pytest.mark.parametrize("profile", [*REST_TO_REST, Sine(2.5, 3, 0.4)], ids=repr)
def test_speed_and_acceleration_are_the_derivatives_of_the_way(profile):
    step = profile.duration / 1000
    corners = np.array([0.0, *profile.corners, profile.duration])
    t = np.random.default_rng(1).uniform(0, profile.duration, 100)
    t = t[np.abs(t[:, None] - corners).min(-1) > 5 * step]
    _, speed, acceleration = profile(t)
    assert difference(lambda x: profile(x).s, t, step) == pytest.approx(speed, abs=1e-10)
    found = difference(lambda x: profile(x).speed, t, step)
    assert found == pytest.approx(acceleration, abs=1e-9)


def test_the_cosine_is_that_of_baiges():
    T = 30.0
    t = np.array([0.0, 7.5, 15.0, 30.0])
    s, speed, acceleration = Cosine(T)(t)
    assert s == pytest.approx((1 - np.cos(np.pi * t / T)) / 2)
    assert speed == pytest.approx(np.pi / (2 * T) * np.sin(np.pi * t / T), abs=1e-16)
    assert acceleration == pytest.approx(np.pi**2 / (2 * T**2) * np.cos(np.pi * t / T), abs=1e-16)


@pytest.mark.parametrize("profile", REST_TO_REST, ids=repr)
def test_the_acceleration_jumps_at_the_breaks_and_only_there(profile):
    edge = 1e-9
    t = np.linspace(0, profile.duration, 20001)
    before, after = t - edge, t + edge

    def acceleration(times):
        inside = (times >= 0) & (times <= profile.duration)
        return np.where(inside, profile(np.clip(times, 0, profile.duration)).acceleration, 0)

    jumps = np.abs(acceleration(after) - acceleration(before)) > 1e-3
    for k in np.flatnonzero(jumps):
        assert np.abs(t[k] - np.array(profile.breaks)).min() < 2e-9
    for at in profile.breaks:
        gap = acceleration(np.array(at + edge)) - acceleration(np.array(at - edge))
        assert abs(gap) > 1e-3


def test_the_least_jerk_profile_has_the_textbook_peak_speed():
    _, speed, _ = Quintic(4.0)(np.array(2.0))
    assert speed == pytest.approx(15 / 8 / 4)


def test_a_trapezoid_within_limits_reaches_them():
    profile = trapezoidal_within(distance=2.0, speed=0.5, acceleration=1.0)
    assert profile.duration == pytest.approx(2 / 0.5 + 0.5 / 1.0)
    t = np.linspace(0, profile.duration, 10001)
    assert 2 * profile(t).speed.max() == pytest.approx(0.5)
    assert 2 * np.abs(profile(t).acceleration).max() == pytest.approx(1.0)


def test_a_short_way_makes_a_triangle():
    profile = trapezoidal_within(distance=0.01, speed=0.5, acceleration=1.0)
    assert profile.duration == pytest.approx(2 * np.sqrt(0.01 / 1.0))
    assert profile.ramp == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("limits", "duration"),
    [
        # all limits reached: D/v + v/a + a/j
        ((10.0, 1.0, 2.0, 8.0), 10 / 1 + 1 / 2 + 2 / 8),
        # the acceleration is not reached: D/v + 2 sqrt(v/j)
        ((10.0, 1.0, 100.0, 4.0), 10 / 1 + 2 * np.sqrt(1 / 4)),
        # neither speed nor acceleration: four jerks of (D/(2 j))^(1/3) each
        ((1.0, 100.0, 100.0, 4.0), 4 * (1 / (2 * 4.0)) ** (1 / 3)),
    ],
)
def test_an_s_curve_within_limits_takes_the_known_time(limits, duration):
    assert s_curve_within(*limits).duration == pytest.approx(duration)


@given(positive, positive, positive, positive)
def test_an_s_curve_never_exceeds_its_limits(distance, speed, acceleration, jerk):
    profile = s_curve_within(distance, speed, acceleration, jerk)
    t = np.linspace(0, profile.duration, 2001)
    s, v, a = profile(t)
    j = np.diff(a) / np.diff(t)
    tolerance = 1 + 1e-9
    assert s[-1] == pytest.approx(1)
    assert distance * v.max() <= speed * tolerance
    assert distance * np.abs(a).max() <= acceleration * tolerance
    assert distance * np.abs(j).max() <= jerk * (1 + 1e-6)


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: Cosine(-1.0), "duration"),
        (lambda: Cycloidal(0.0), "duration"),
        (lambda: Quintic(float("nan")), "duration"),
        (lambda: Quintic("soon"), "duration"),
        (lambda: Sine(1.0, cycles=0), "cycles"),
        (lambda: Ramped(1.0, ramp=0.0), "ramp"),
        (lambda: Ramped(1.0, ramp=0.6), "ramp"),
        (lambda: Ramped(1.0, rounding=0.7), "rounding"),
        (lambda: s_curve(1.0, rounding=0.0), "rounding"),
        (lambda: trapezoidal_within(0.0, 1.0, 1.0), "distance"),
        (lambda: trapezoidal_within(1.0, -1.0, 1.0), "speed"),
        (lambda: s_curve_within(1.0, 1.0, 1.0, 0.0), "jerk"),
    ],
)
def test_a_wrong_profile_is_refused_with_its_key(make, key):
    with pytest.raises(MotionError) as caught:
        make()
    assert caught.value.key == key
