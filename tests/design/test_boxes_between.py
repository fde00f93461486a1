"""Boxes of designs between their lattice points, against poses drawn at random."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.design import Design, Objective, Requirement, Variable, demands
from gough.errors import GoughError
from gough.kinematics import margins

WIDE = {"x": 0.1, "y": 0.1, "z": 0.1, "roll": 0.2, "pitch": 0.2, "yaw": 0.3}
SIZES = (
    Variable("symmetric.base_radius", 0.3, 1.0),
    Variable("symmetric.platform_radius", 0.15, 0.8),
    Variable("platform.home.position.z", 0.5, 1.5),
)


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def found(robot):
    box = demands.box(WIDE, points=2)
    return Design(robot, SIZES, [box], [Requirement("limits")], [Objective("force")]).optimise(
        starts=2
    )


def poses_in(robot, ranges, count=20_000):
    half = np.array([ranges.get(axis, 0.0) for axis in demands.AXES])
    offset = np.clip(np.random.default_rng(0).uniform(-1.5, 1.5, (count, 6)), -1, 1) * half
    return gough.pose(np.array(robot.home)[:3] + offset[:, :3], rpy=offset[:, 3:])


def test_no_pose_of_the_box_passes_a_limit_or_needs_more_force(found):
    poses = poses_in(found.robot, WIDE)
    model = gough.Model(found.robot)
    assert margins(model, poses).min() >= -1e-7
    assert np.abs(model.inverse_dynamics(poses)).max() <= found.objectives["force"] * (1 + 1e-6)


def test_travel_of_a_design_is_that_of_the_whole_box_and_not_of_its_corners(robot):
    twisted = {"x": 0.025, "roll": 0.12, "yaw": 0.55}
    box = demands.box(twisted, points=2)
    angles = [Variable(f"symmetric.{name}_angle", 0.02, 2.0) for name in ("base", "platform")]
    asked = [Requirement("condition", 5.0)], [Objective("travel")]
    told = []
    for demand in (box, replace(box, middle=None, half=None)):
        best = Design(robot, angles, [demand], *asked).optimise(starts=4)
        lengths = gough.Model(best.robot).inverse_kinematics(poses_in(best.robot, twisted))
        told.append(best.objectives["travel"] / np.ptp(lengths))
    of_box, of_corners = told
    assert 1 - 1e-6 <= of_box < 1.002
    assert of_corners < 0.995


def test_a_box_that_is_not_about_home_is_searched_as_it_lies(robot):
    box = demands.box({"x": (0.02, 0.12), "yaw": (-0.1, 0.5)}, points=2)
    best = Design(robot, SIZES, [box], [Requirement("limits")], [Objective("force")])
    machine = best.optimise(starts=1).robot
    rng = np.random.default_rng(1)
    x, yaw = rng.uniform(0.02, 0.12, 5000), rng.uniform(-0.1, 0.5, 5000)
    place = np.array(machine.home)[:3] + np.outer(x, [1, 0, 0])
    poses = gough.pose(place, rpy=np.outer(yaw, [0, 0, 1]))
    assert margins(gough.Model(machine), poses).min() >= -1e-7


def test_a_box_of_almost_a_whole_turn_each_way_is_refused():
    with pytest.raises(GoughError, match=r"yaw is .*359.* deg; expected at most half a turn"):
        demands.box({"yaw": np.radians(359)})


def test_wide_angles_have_more_points_than_their_ends_and_middle():
    offset = demands.box({"yaw": np.radians(170)}, points=2).offset[:, 5]
    assert np.diff(np.unique(offset)).max() <= np.radians(30) + 1e-12


def test_a_reach_that_turns_a_box_beyond_half_a_turn_is_refused(robot):
    design = Design(
        robot,
        [Variable("reach", 0.1, 4.0)],
        [demands.box({"yaw": 1.0})],
        objectives=[Objective("reach", maximise=True)],
    )
    with pytest.raises(GoughError, match=r"a reach of 4 turns it by 229.2 deg"):
        _ = design.problem
