"""Assembly modes: published machines, counts, random machines, symmetries."""

import numpy as np
import pytest
from assembly_machines import (
    distance,
    hexagon,
    lengths,
    pose_of,
    published,
    random_case,
    robot_of,
)
from hypothesis import HealthCheck, assume, given, settings
from robot_samples import robots
from scipy.spatial.transform import Rotation

import gough
from gough.kinematics import SelfMotion, assembly_modes
from gough.kinematics.assembly import geometry as remembered
from gough.kinematics.model import Model

TILTED = Rotation.from_euler("xyz", [0.1, -0.2, 0.15])


def modes_of(robot, q):
    return assembly_modes(Model(robot), q)


def same_poses(found, expected, tolerance):
    """Whether two lists hold the same poses, in any order."""
    nearest = [distance(found, pose).argmin() for pose in expected]
    errors = [distance(found, pose).min() for pose in expected]
    return sorted(nearest) == list(range(len(found))) and max(errors) < tolerance


# -- published machines ----------------------------------------------------------------------------


def test_dietmaiers_machine_has_forty_real_modes():
    robot, q, poses = published("dietmaier1998")
    found = modes_of(robot, q)
    assert (len(found), found.n_complex, found.n_infinite, found.n_lost) == (40, 40, 0, 0)
    assert same_poses(found.poses, poses, 1e-9)
    assert found.certified.all()
    assert found.complete


def test_rusins_octahedron_has_four_real_of_sixteen():
    robot, q, poses = published("rusin1999_octahedral")
    found = modes_of(robot, q)
    assert (len(found), found.n_complex, found.n_infinite, found.n_lost) == (4, 16, 24, 0)
    assert same_poses(found.poses, poses, 1e-12)
    assert found.certified.all()
    assert not found.complete


def test_griffis_duffy_machine_is_reported_as_free_to_move():
    robot, q, _ = published("griffis_duffy_selfmotion")
    with pytest.raises(SelfMotion, match="test machine: architecturally singular"):
        modes_of(robot, q)


def test_a_base_on_a_line_is_reported_as_free_to_move():
    """All forty paths of such a machine end at infinity, whatever its lengths."""
    a, b = np.outer(np.linspace(-1, 1, 6), [1, 0, 0]), hexagon(0.6, 0.75)
    with pytest.raises(SelfMotion, match="architecturally singular"):
        modes_of(robot_of(a, b), lengths(a, b, [0.1, 0.0, 1.0], TILTED))


def test_similar_hexagons_are_reported_as_free_to_move():
    a, b = hexagon(1, 0.2), hexagon(0.6, 0.2)
    with pytest.raises(SelfMotion):
        modes_of(robot_of(a, b), lengths(a, b, [0.1, 0.0, 1.0], TILTED))


# -- how many --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "platform", "count"),
    [
        (hexagon(1, 0.2), hexagon(0.6, 0.75), 28),  # semi-regular
        (hexagon(1, 0.3), hexagon(0.5, 0.9), 28),
        (hexagon(1, 0.2), hexagon(0.6, np.pi / 3), 16),  # 6-3
        (hexagon(1, 0.0), hexagon(0.6, np.pi / 3), 16),  # 3-3
    ],
    ids=["semi-regular", "semi-regular too", "6-3", "3-3"],
)
def test_special_machines_have_fewer_finite_solutions(base, platform, count):
    q = lengths(base, platform, [0.1, 0.05, 1.1], TILTED)
    assert remembered.geometry_of(base, platform).start.sure  # ends at infinity are there
    found = modes_of(robot_of(base, platform), q)
    assert (found.n_complex, found.n_infinite, found.n_lost) == (count, 40 - count, 0)
    assert found.certified.all()
    assert distance(found.poses, pose_of([0.1, 0.05, 1.1], TILTED)).min() < 1e-12


def test_flat_machines_have_mirrored_modes():
    """If all joints of each body lie in a plane, a pose reflected at the base is a mode as well."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 6, 3)) * [1, 1, 0]
    found = modes_of(robot_of(a, b), lengths(a, b, [0.1, 0.05, 1.1], TILTED))
    assert found.n_complex == 40
    x, y, z, w, i, j, k = found.poses.T
    mirrored = np.stack([x, y, -z, w, -i, -j, k], 1)
    assert same_poses(found.poses, mirrored, 1e-9)


def test_general_machines_have_forty_solutions_and_the_pose_that_made_the_lengths():
    rng = np.random.default_rng(11)
    for _ in range(100):
        robot, pose, q = random_case(rng)
        found = modes_of(robot, q)
        assert (found.n_complex, found.n_infinite, found.n_lost) == (40, 0, 0)
        assert distance(found.poses, pose).min() < 1e-8
        assert found.residual.max() < 1e-12 * q.max()
        assert found.certified.all()
        assert found.complete
        assert len(found) % 2 == 0
        assert not found.self_motion.any()
        remembered._geometry.cache_clear()


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(robots())
def test_any_robots_home_is_a_mode_of_its_lengths(robot):
    model = Model(robot)
    home = np.array(robot.home)
    J = model.jacobian(home)
    assume(np.linalg.cond(J) < 1e4)
    found = assembly_modes(model, model.inverse_kinematics(home))
    if found.n_lost:  # beside solutions at infinity, of special machines: and it is told
        assert found.n_infinite
        assert not found.complete
    assert distance(found.poses[:1], home).min() < 1e-8
    assert found.certified[0]
    again = model.inverse_kinematics(found.poses)
    np.testing.assert_allclose(again, np.broadcast_to(found.q, again.shape), rtol=1e-11)


def test_lengths_that_no_pose_has_give_no_modes():
    """Consistent in pairs, but not together."""
    robot, _, _ = random_case(np.random.default_rng(2))
    q = np.array([0.8, 0.5, 0.9, 1.4, 0.6, 0.4])
    found = modes_of(robot, q)
    assert len(found) == 0
    assert found.poses.shape == (0, 7)
    assert found.n_complex == 40
    assert found.complete
    assert found.within_limits.shape == (0,)


# -- the same machine, said otherwise ------------------------------------------------------------


def test_frames_and_units_do_not_matter():
    rng = np.random.default_rng(5)
    base, platform = rng.uniform(-1, 1, (2, 6, 3))
    q = lengths(base, platform, [0.3, 0.1, 1.0], TILTED)
    plain = modes_of(robot_of(base, platform), q)
    turn, shift, unit = Rotation.random(random_state=3), np.array([40.0, -3.0, 7.0]), 1e-3
    other = modes_of(robot_of(unit * (turn.apply(base) + shift), unit * platform), unit * q)
    assert (other.n_complex, len(other)) == (40, len(plain))
    R = turn * Rotation.from_quat(plain.poses[:, 3:], scalar_first=True)
    expected = np.hstack([turn.apply(plain.poses[:, :3]) + shift, R.as_quat(scalar_first=True)])
    found = np.hstack([other.poses[:, :3] / unit, other.poses[:, 3:]])
    assert same_poses(found, expected, 1e-9)


def test_a_remembered_geometry_gives_the_same_modes():
    robot, _, q = random_case(np.random.default_rng(8))
    first, second = modes_of(robot, q), modes_of(robot, q)
    remembered._geometry.cache_clear()
    third = modes_of(robot, q)
    np.testing.assert_array_equal(first.poses, second.poses)
    np.testing.assert_array_equal(first.poses, third.poses)


def test_modes_come_in_the_order_of_their_distance_from_home():
    robot = gough.load("kalani-2016")
    model = Model(robot)
    found = assembly_modes(model, model.inverse_kinematics(np.array(robot.home)))
    assert distance(found.poses[:1], np.array(robot.home)) < 1e-12
    assert len(found) == 8


def test_poses_respect_strokes_and_joint_limits_or_do_not():
    robot = gough.load("demo-hexapod")
    model = Model(robot)
    q = model.inverse_kinematics(np.array(robot.home))
    found = assembly_modes(model, q)
    np.testing.assert_array_equal(found.within_limits, np.arange(len(found)) == 0)
    too_long = [max(leg.stroke) + 0.01 for leg in robot.legs]
    assert not assembly_modes(model, too_long).within_limits.any()
    at_the_end = [max(leg.stroke) for leg in robot.legs]
    assert assembly_modes(model, at_the_end).within_limits[0]


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ([1, 1, 1, 1, 1], r"shape \(5,\); expected \(6,\)"),
        (np.ones((2, 6)), r"shape \(2, 6\); expected \(6,\)"),
        ([1, 1, -1, 1, 1, 1], "leg 3 has length -1; expected a positive number"),
        ([1, 1, 1, 1, 1, 0], "leg 6 has length 0"),
        ([1, np.nan, 1, 1, 1, 1], "leg 2 has length nan"),
        ([1, 1, 1, np.inf, 1, 1], "leg 4 has length inf"),
        (["long"] * 6, "is not an array of numbers"),
        ([1, 9, 1, 1, 1, 1], "legs 2 and 3 cannot have lengths 9 and 1 at once.*differ by at most"),
        (np.full(6, 0.01), "cannot have lengths 0.01 and 0.01 at once.*sum of at least"),
    ],
)
def test_bad_lengths_are_named(q, message):
    with pytest.raises(gough.GoughError, match=message):
        modes_of(gough.load("kalani-2016"), q)
