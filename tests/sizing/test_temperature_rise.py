"""Motors as one body that warms: steady states, steps and duty cycles in closed form."""

import numpy as np
import pytest

from gough.sizing import temperature_rise

TIME = np.linspace(0.0, 60.0, 601)


def at(current):
    return np.broadcast_to(current, (len(TIME), 1))


def test_the_current_that_is_borne_for_ever_warms_to_one():
    rise = temperature_rise(TIME, at(5.0), bearable=5.0, time_constant=300.0)
    np.testing.assert_allclose(rise, 1.0, rtol=1e-12)


def test_half_of_it_warms_to_a_quarter():
    rise = temperature_rise(TIME, at(2.5), bearable=5.0, time_constant=20.0)
    np.testing.assert_allclose(rise, 0.25, rtol=1e-12)


def test_a_constant_current_from_cold_warms_exponentially():
    rise = temperature_rise(TIME, at(10.0), bearable=5.0, time_constant=40.0, repeated=False)
    np.testing.assert_allclose(rise[:, 0], 4 * (1 - np.exp(-TIME / 40.0)), rtol=1e-12)


def test_a_repeated_duty_cycle_swings_between_the_two_values_of_its_closed_form():
    time = np.array([0.0, 10.0, 10.0, 40.0])  # on for 10 s, off for 30 s
    current = np.array([3.0, 3.0, 0.0, 0.0])[:, None]
    rise = temperature_rise(time, current, bearable=2.0, time_constant=25.0)
    on, off, steady = np.exp(-10 / 25), np.exp(-30 / 25), 2.25
    hottest = steady * (1 - on) / (1 - on * off)
    np.testing.assert_allclose(rise[:, 0], [hottest * off, hottest, hottest, hottest * off])


def test_a_slow_motor_feels_the_mean_square_alone():
    current = 4.0 * np.sin(2 * np.pi * TIME)[:, None]
    rise = temperature_rise(TIME, current, bearable=4.0, time_constant=1e6)
    np.testing.assert_allclose(rise, 0.5, rtol=1e-4)
    assert rise.max() == pytest.approx(rise.min(), rel=1e-4)
