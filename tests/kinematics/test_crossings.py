"""Singularities along motions: crossings, touches, the nearest approach."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.kinematics.singularity.crossings import crossings
from gough.motion import Quintic, rotation

FOOT = 0.3048


@pytest.fixture(scope="module")
def hexapod():
    return gough.Model(gough.load("demo-hexapod"))


def yaw(model, angle):
    """Home, turned about z by an angle [deg] that depends on time: singular at 90 deg."""
    return lambda t: gough.pose(model.robot.home[:3], rpy=[0, 0, angle(t)], degrees=True)


@pytest.mark.parametrize(("height", "angle"), [(2, 64), (3, 73), (4, 78)])
def test_the_curvilinear_motion_of_baiges_crosses_two_singularities(height, angle):
    """Section 7.3.2: half a turn about an axis along X, half a foot above the platform."""
    model = gough.Model(gough.load("baiges-1996"))

    def motion(t):
        a = np.radians(t)
        y, z = 0.5 * np.sin(a), height + 0.5 - 0.5 * np.cos(a)
        return gough.pose([0, y * FOOT, z * FOOT], rpy=[a, 0, 0])

    found = crossings(model, motion, (-90, 90))
    np.testing.assert_allclose(found.crossing_times, [-angle, angle], atol=0.5)
    np.testing.assert_allclose(*np.abs(found.crossing_times), rtol=1e-12)
    assert found.touching_times.size == 0
    before, after = (
        np.linalg.det([model.jacobian(motion(t + d)) for t in found.crossing_times])
        for d in (-1e-9, 1e-9)
    )
    assert (before * after < 0).all()
    assert abs(found.nearest_time) == pytest.approx(found.crossing_times[1])
    assert found.nearest.parallel < 1e-15


def test_crossings_lie_where_the_determinant_vanishes(hexapod):
    found = crossings(hexapod, yaw(hexapod, lambda t: 100 * np.sin(7 * t)), (0, 1))
    t, half = np.arcsin(0.9) / 7, np.pi / 7
    expected = [t, half - t, half + t, 2 * half - t]
    np.testing.assert_allclose(found.crossing_times, expected, rtol=1e-13)
    np.testing.assert_allclose(np.linalg.det(hexapod.jacobian(found.crossing_poses)), 0, atol=1e-14)


def test_two_crossings_between_two_looks_are_found(hexapod):
    motion = yaw(hexapod, lambda t: 90 + 1e-9 - (t - 0.3123) ** 2)
    found = crossings(hexapod, motion, (0, 1), samples=101)
    root = np.sqrt(1e-9)
    np.testing.assert_allclose(found.crossing_times, [0.3123 - root, 0.3123 + root], atol=1e-8)
    assert found.touching_times.size == 0


def test_touching_is_no_crossing(hexapod):
    found = crossings(hexapod, yaw(hexapod, lambda t: 90 - 50 * (t - 0.3123) ** 2), (0, 1))
    assert found.crossing_times.size == 0
    np.testing.assert_allclose(found.touching_times, 0.3123, atol=1e-6)
    assert found.touching_poses.shape == (1, 7)


def test_a_near_miss_is_neither_but_is_the_nearest_approach(hexapod):
    found = crossings(hexapod, yaw(hexapod, lambda t: 89 - 50 * (t - 0.3123) ** 2), (0, 1))
    assert found.crossing_times.size == found.touching_times.size == 0
    assert found.nearest_time == pytest.approx(0.3123, abs=1e-6)
    way = found.nearest.characteristic_length * np.radians(1)
    assert found.nearest.distance == pytest.approx(way, rel=0.03)
    assert (found.along.parallel >= found.nearest.parallel * (1 - 1e-12)).all()


def test_a_crossing_on_a_look_is_found_once(hexapod):
    found = crossings(hexapod, yaw(hexapod, lambda t: 90 * t), (0, 2), samples=5)
    np.testing.assert_allclose(found.crossing_times, [1], rtol=1e-13)
    assert found.touching_times.size == 0


@pytest.mark.parametrize("span", [(0, 1), (1, 3)])
def test_a_motion_that_stays_singular_is_given_by_its_beginning(hexapod, span):
    """Also one that only ends, or begins, there."""
    x, y, _ = hexapod.robot.home[:3]
    found = crossings(hexapod, lambda t: gough.pose([x, y, t], rpy=[0, 0, np.pi / 2]), (0.9, 1.1))
    assert found.crossing_times.size == 0
    np.testing.assert_array_equal(found.touching_times, [0.9])
    begins = crossings(hexapod, yaw(hexapod, lambda t: 90 - 10 * (t - span[0])), span)
    np.testing.assert_array_equal(begins.touching_times, [span[0]])
    ends = crossings(hexapod, yaw(hexapod, lambda t: 90 - 10 * (span[1] - t)), span)
    np.testing.assert_array_equal(ends.touching_times, [span[1]])


def test_samples_are_joined_by_straight_lines_and_shortest_turns(hexapod):
    """Two samples on either side of the singularity; quaternions of either sign."""
    home = hexapod.robot.home[:3]
    poses = gough.pose([home] * 3, rpy=[[0, 0, 0], [0, 0, 80], [0, 0, 100]], degrees=True)
    poses[2, 3:] *= -2
    found = crossings(hexapod, poses, [0, 1, 3])
    np.testing.assert_allclose(found.crossing_times, [2], rtol=1e-12)
    np.testing.assert_allclose(
        gough.euler(found.crossing_poses, "xyz", degrees=True), [[0, 0, 90]], atol=1e-11
    )


def test_samples_of_a_smooth_motion_give_nearly_its_own_crossing(hexapod):
    motion = yaw(hexapod, lambda t: 100 * np.sin(t))
    times = np.linspace(0, 1.5, 301)
    found = crossings(hexapod, [motion(t) for t in times], times)
    np.testing.assert_allclose(found.crossing_times, np.arcsin(0.9), atol=(1.5 / 300) ** 2)


def test_a_motion_of_the_library_is_taken_as_it_is(hexapod):
    """Half a turn about z in two seconds, half of it in the first: singular at a quarter."""
    home = hexapod.robot.home
    turning = rotation(home, [0, 0, 1], home[:3], np.pi, Quintic(2.0))
    found = crossings(hexapod, turning, (0, turning.duration))
    np.testing.assert_allclose(found.crossing_times, [1.0], rtol=1e-12)
    np.testing.assert_allclose(found.crossing_poses, turning(np.array([1.0])).pose, atol=1e-12)


@pytest.mark.parametrize(
    ("motion", "times", "message"),
    [
        (lambda _: np.zeros(6), (0, 1), "shape"),
        (lambda _: np.zeros(7), (0, 1), "no Jacobian at time 0"),
        (lambda _: np.ones(7), (0, 1, 2), "start and end"),
        (lambda _: np.ones(7), (1, 0), "increasing"),
        (lambda _: np.ones(7), (0, np.nan), "increasing"),
        (np.ones((3, 7)), (0, 1), "expected"),
        (np.full((2, 7), np.nan), (0, 1), "not finite"),
        (np.ones((2, 6)), (0, 1), "expected"),
    ],
)
def test_what_is_no_motion_is_refused(hexapod, motion, times, message):
    with pytest.raises(GoughError, match=message):
        crossings(hexapod, motion, times)
