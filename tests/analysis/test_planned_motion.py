"""Motions planned round singularities and limits: checked at other times, by other means."""

import numpy as np
import pytest

import gough
from gough.analysis import plan_motion, planned_motion
from gough.errors import GoughError
from gough.kinematics import random_poses

TIMES = np.linspace(0.0, 2.0, 3001)


def blocked_pairs(model, count):
    """Pairs of poses between which the straight way leaves the limits."""
    space = planned_motion._Space(model, 0.0, planned_motion.ALL_LIMITS)
    poses = random_poses(model, 200, 1)
    poses = poses[space.has_margin(poses)]
    pairs = ((poses[i], poses[j]) for i in range(len(poses)) for j in range(i + 1, i + 8)
             if j < len(poses) and not space.is_free(poses[i], poses[j]))  # fmt: skip
    return [pair for pair, _ in zip(pairs, range(count), strict=False)]


@pytest.mark.parametrize("name", ["demo-hexapod", "planar-3rrr"])
def test_a_motion_goes_round_what_is_in_the_way(name):
    model = gough.Model(gough.load(name))
    side = np.sign(np.linalg.det(model.actuation_matrix(model.robot.home)))
    for start, end in blocked_pairs(model, 2):
        found = plan_motion(model, start, end, 2.0)
        samples = found.motion(TIMES)
        assert not found.is_straight
        assert gough.poses.distance(samples.pose[0], start) < 1e-9
        assert gough.poses.distance(samples.pose[-1], end) < 1e-9
        assert np.abs(samples.twist[[0, -1]]).max() < 1e-9
        q = model.inverse_kinematics(samples.pose)
        for k, actuator in enumerate(model.robot.actuators):
            low, high = actuator.travel or (-np.inf, np.inf)
            assert low <= q[:, k].min()
            assert q[:, k].max() <= high
        sides = np.linalg.det(model.actuation_matrix(samples.pose))
        assert (np.sign(sides) == side).all()
        assert (gough.kinematics.margins(model, samples.pose) > -1e-3).all()


def test_a_study_of_a_planned_motion_meets_no_singularity():
    model = gough.Model(gough.load("planar-3rrr"))
    start, end = blocked_pairs(model, 1)[0]
    found = plan_motion(model, start, end, 2.0)
    assert not gough.run(gough.Study(model.robot, found.motion, samples=401)).singularities


def test_a_free_way_is_straight():
    robot = gough.load("demo-hexapod")
    end = gough.pose([0.05, 0, 1.0], rpy=[0.1, 0, 0])
    found = plan_motion(robot, robot.home, end, 2.0)
    middle = gough.poses.interpolate(robot.home, end, 0.5)
    assert found.is_straight
    assert gough.poses.distance(found.motion(1.0).pose, middle) < 1e-12


def test_a_margin_is_kept_on_the_way():
    model = gough.Model(gough.load("demo-hexapod"))
    start, end = blocked_pairs(model, 1)[0]
    ends = gough.kinematics.margins(model, np.array([start, end])).min()
    wide = plan_motion(model, start, end, 2.0, margin=0.9 * ends)
    assert wide.margins.min() >= 0.9 * ends


def test_the_same_seed_gives_the_same_motion():
    model = gough.Model(gough.load("planar-3rrr"))
    start, end = blocked_pairs(model, 1)[0]
    one, other = (plan_motion(model, start, end, 2.0, rng=5) for _ in range(2))
    np.testing.assert_array_equal(one.waypoints, other.waypoints)


def test_ends_beyond_limits_and_blocked_ways_are_refused_with_the_reason(monkeypatch):
    robot = gough.load("demo-hexapod")
    with pytest.raises(GoughError, match=r"end: demo-hexapod has a margin of .* by its stroke"):
        plan_motion(robot, robot.home, gough.pose([0, 0, 2.0]), 2.0)
    with pytest.raises(GoughError, match="start has shape"):
        plan_motion(robot, [robot.home], robot.home, 2.0)
    with pytest.raises(GoughError, match="duration"):
        plan_motion(robot, robot.home, robot.home, 0.0)
    monkeypatch.setattr(planned_motion, "DRAWN", 1)
    start, end = blocked_pairs(gough.Model(robot), 1)[0]
    with pytest.raises(GoughError, match=r"no way found from start to end .* apart"):
        plan_motion(robot, start, end, 2.0)
