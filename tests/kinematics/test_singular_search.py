"""The search for zeros along a motion, on functions whose zeros are known."""

import numpy as np
import pytest

from gough.kinematics.singularity.search import TOUCHING, least_about, zeros


def found(f, time, floor=1e-14):
    """What is found of f, whose nearness is one over its size."""
    with np.errstate(divide="ignore"):
        values = np.array([f(t) for t in time])
        return sorted(zeros(f, time, values, floor, lambda t: float(np.divide(1.0, abs(f(t))))))


@pytest.mark.parametrize("late", [0.0, 1e6])
def test_changes_of_sign_are_found_to_the_last_digits(late):
    time = late + np.linspace(0, 7, 50)
    crossed = found(lambda t: float(np.cos(t - late)), time)
    assert [zero.kind for zero in crossed] == ["crossed", "crossed"]
    expected = late + np.array([0.5, 1.5]) * np.pi
    np.testing.assert_allclose([zero.time for zero in crossed], expected, rtol=1e-15)


@pytest.mark.parametrize("late", [0.0, 1e6])
@pytest.mark.parametrize("when", [0.3123, 0.001, 0.999])
def test_a_zero_without_a_change_of_sign_is_found_between_samples(late, when):
    """Also next to an end, and as exactly at late times."""
    (touched,) = found(lambda t: (t - late - when) ** 2, late + np.linspace(0, 1, 21))
    assert touched.kind == "touched"
    assert touched.time == pytest.approx(late + when, abs=1e-5, rel=0)
    assert touched.since == touched.time


def test_two_zeros_between_two_samples_are_found():
    crossed = found(lambda t: (t - 0.51) ** 2 - 1e-6, np.linspace(0, 1, 11))
    assert [zero.kind for zero in crossed] == ["crossed", "crossed"]
    np.testing.assert_allclose([zero.time for zero in crossed], [0.509, 0.511], rtol=1e-12)


def test_a_minimum_above_zero_is_an_approach():
    (zero,) = found(lambda t: (t - 0.51) ** 2 + 2 / TOUCHING, np.linspace(0, 1, 11))
    assert zero.kind == "approached"
    assert zero.time == pytest.approx(0.51, abs=1e-4)


def test_a_jump_across_zero_is_no_crossing():
    assert found(lambda t: 1.0 if t > 0.512 else -1.0, np.linspace(0, 1, 11)) == []
    assert found(lambda t: float(np.divide(1.0, t - 0.512)), np.linspace(0, 1, 11)) == []


def test_samples_that_stay_zero_are_one_zero_that_lasts_since_the_first():
    (zero,) = found(lambda t: max(t - 0.5, 0.0), np.linspace(0, 1, 11))
    assert (zero.kind, zero.since) == ("touched", 0.0)


def test_samples_without_a_value_are_passed_over():
    def f(t):
        return np.nan if abs(t - 0.2) < 0.01 else 0.5 - t

    (zero,) = found(f, np.linspace(0, 1, 21))
    assert zero.kind == "crossed"
    assert zero.time == pytest.approx(0.5, rel=1e-12)


def test_the_least_value_is_looked_for_between_the_neighbours_of_a_sample():
    time = np.linspace(0, 1, 11)
    assert least_about(lambda t: (t - 0.33) ** 2, time, 3) == pytest.approx(0.33, abs=1e-7)
    assert least_about(lambda t: abs(t - time[3]), time, 3) == time[3]
    assert least_about(lambda t: t, time, 0) == 0.0
