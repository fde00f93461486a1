"""Rating life: constant loads, loads in blocks, and the way that counts."""

import numpy as np
import pytest

from gough.sizing import mean_load, rating_life

TIME = np.linspace(0.0, 2.0, 2001)


def both(force, speed):
    return np.broadcast_to(force, (len(TIME), 1)), np.broadcast_to(speed, (len(TIME), 1))


def test_a_constant_load_is_its_own_mean_and_lives_by_the_formula():
    force, speed = both(-2000.0, 0.25)
    life = rating_life(TIME, force, speed, lead=0.01, rating=20e3)
    assert life.load[0] == pytest.approx(2000.0)
    assert life.turns[0] == pytest.approx(1e6 * 10**3)
    assert life.distance[0] == pytest.approx(1e9 * 0.01)
    assert life.time[0] == pytest.approx(1e9 * 0.01 / 0.25)


def test_under_the_rating_itself_it_is_a_million_turns():
    force, speed = both(5e3, 0.1)
    assert rating_life(TIME, force, speed, lead=0.005, rating=5e3).turns[0] == pytest.approx(1e6)


def test_a_sine_of_a_load_at_constant_speed_has_the_cubic_mean_of_the_sine():
    force = 1000.0 * np.sin(np.pi * TIME)[:, None]
    speed = np.ones_like(force)
    assert mean_load(TIME, force, speed)[0] == pytest.approx(1000 * (4 / (3 * np.pi)) ** (1 / 3))


def test_loads_count_by_the_way_under_them():
    slow = np.where(TIME < 1.0, 0.1, 0.3)[:, None]
    force = np.where(TIME < 1.0, 3000.0, 1000.0)[:, None]
    expected = ((0.1 * 3000**3 + 0.3 * 1000**3) / 0.4) ** (1 / 3)
    assert mean_load(TIME, force, slow)[0] == pytest.approx(expected, rel=2e-3)


def test_loads_while_nothing_moves_do_not_wear():
    force, speed = both(4000.0, 0.0)
    assert mean_load(TIME, force, speed)[0] == 0
    life = rating_life(TIME, force, speed, lead=0.01, rating=1e4)
    assert np.isinf(life.turns[0])


def test_roller_bearings_have_the_exponent_of_iso_281():
    force, speed = both(1000.0, 0.2)
    life = rating_life(TIME, force, speed, lead=0.01, rating=8e3, exponent=10 / 3, factor=2.0)
    assert life.turns[0] == pytest.approx(1e6 * 4 ** (10 / 3))
