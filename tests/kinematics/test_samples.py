"""Random poses around home: within the strokes, on home's side, in the box that is stated."""

import numpy as np
import pytest
from forward_samples import at_the_end_of_its_strokes, leg_lengths

from gough.errors import GoughError
from gough.kinematics.model import Model
from gough.kinematics.samples import (
    moved_from_home,
    offset_box,
    offsets_from_home,
    random_poses,
)
from gough.kinematics.size import machine_size
from gough.robot import Robot, load


@pytest.mark.parametrize("name", ["demo-hexapod", "bingul-2012", "kalani-2016", "dietmaier-1998"])
def test_poses_are_within_the_strokes_and_on_homes_side(name):
    model = Model(load(name))
    poses = random_poses(model, 3000, np.random.default_rng(0))
    assert poses.shape == (3000, 7)
    lengths = leg_lengths(model.robot, poses)
    for k, leg in enumerate(model.robot.legs):
        if leg.stroke is not None:
            assert leg.stroke[0] <= lengths[:, k].min()
            assert lengths[:, k].max() <= leg.stroke[1]
    sides = np.linalg.det(model.jacobian(poses))
    assert (sides * np.linalg.det(model.jacobian(np.array(model.robot.home))) > 0).all()


def test_poses_fill_the_box_of_a_robot_without_strokes():
    model = Model(load("kalani-2016"))
    offsets = offsets_from_home(model.robot, random_poses(model, 20000, np.random.default_rng(1)))
    reach = np.repeat([0.25 * machine_size(model.robot), 0.15], 3)
    np.testing.assert_allclose(offsets.max(0), reach, rtol=2e-3)
    np.testing.assert_allclose(offsets.min(0), -reach, rtol=2e-3)
    np.testing.assert_allclose(offsets.var(0), reach**2 / 3, rtol=0.05)


def test_the_box_reaches_as_far_as_each_coordinate_can_go_alone():
    model = Model(load("bingul-2012"))
    low, high = offset_box(model)
    strokes = np.array([leg.stroke for leg in model.robot.legs])
    for sides in (low, high):
        for k in range(6):
            inside, outside = (f * sides * (np.arange(6) == k) for f in (0.999, 1.02))
            for offset, expected in ((inside, True), (outside, False)):
                q = leg_lengths(model.robot, moved_from_home(model.robot, offset))
                assert ((q >= strokes[:, 0]) & (q <= strokes[:, 1])).all() == expected


def test_offsets_and_poses_are_inverse_to_each_other():
    data = load("kalani-2016").to_dict()
    data["platform"]["home"] = {"position": [0.1, -0.2, 1.0], "rpy": [0.3, -0.5, 0.8]}
    robot = Robot.from_dict(data)
    offsets = np.random.default_rng(2).uniform(-0.5, 0.5, (3, 4, 6))
    poses = moved_from_home(robot, offsets)
    np.testing.assert_allclose(np.linalg.norm(poses[..., 3:], axis=-1), 1, rtol=1e-15)
    np.testing.assert_allclose(offsets_from_home(robot, poses), offsets, atol=1e-15)
    np.testing.assert_allclose(moved_from_home(robot, np.zeros(6)), robot.home, atol=1e-16)


def test_the_same_seed_gives_the_same_poses():
    model = Model(load("demo-hexapod"))
    one, other = (random_poses(model, 50, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_a_home_that_cannot_be_left_is_an_error():
    model = Model(at_the_end_of_its_strokes("kalani-2016"))
    with pytest.raises(GoughError, match="leave home along every axis"):
        random_poses(model, 10, np.random.default_rng(0))


def test_strokes_that_leave_almost_nothing_are_an_error():
    """At home within 1e-9 m: no random pose will ever be inside."""
    data = load("kalani-2016").to_dict()
    lengths = leg_lengths(load("kalani-2016"), load("kalani-2016").home)
    for leg, length in zip(data["legs"], lengths, strict=True):
        leg["stroke"] = [length - 1e-9, length + 1e-9]
    with pytest.raises(GoughError, match="expected a home pose"):
        random_poses(Model(Robot.from_dict(data)), 10, np.random.default_rng(0))
