"""Tolerances of lengths and places of mechanisms, against robots that are made one by one."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.identification.calibration.found import workspace_poses
from gough.poses import difference
from gough.tolerance.linear import displacements
from gough.tolerance.monte_carlo import taken
from gough.tolerance.stated import stated_tolerances

CASES = {
    "delta": {"legs[*].base": "50 um", "legs[*].links[*].length": "50 um",
              "legs[*].motor.offset": "±0.01 deg"},
    "planar-3rrr": {"legs[*].links[*].length": "20 um", "legs[*].platform": "20 um"},
    "hexa-6rus": {"legs[*].links[*].length": "20 um", "legs[*].base": "20 um"},
    "h4": {"legs[*].links[0].length": "20 um"},
}  # fmt: skip

AWAY = {
    "tripod-3prs": {"legs[*].links[*].length": 1e-6, "legs[*].platform": 1e-6},
    "tricept": {"legs[*].base": 1e-6, "legs[*].platform": 1e-6},
    "planar-3rrr": {"legs[*].links[*].length": 1e-6, "legs[*].base": 1e-6},
}


@pytest.mark.parametrize("name", CASES)
def test_poses_that_samples_take_are_those_of_robots_with_these_lengths(name):
    robot = gough.load(name)
    stated = stated_tolerances(robot, CASES[name])
    errors = stated.errors(4, 1)
    _, poses = taken(stated, errors, np.array(robot.home))
    readings = gough.Model(robot).readings(robot.home)
    for error, pose in zip(errors, poses, strict=True):
        made = gough.Model(stated.machines.made(stated.machines.values + error))
        found = made.forward_kinematics(made.positions(readings), robot.home)
        assert np.abs(found.pose - pose).max() < 1e-9


@pytest.mark.parametrize("name", AWAY)
def test_displacements_by_lengths_are_those_of_robots_that_are_made(name):
    """Away from home, where other lengths of a tripod move it along constrained directions too."""
    robot = gough.load(name)
    stated = stated_tolerances(robot, AWAY[name])
    poses = workspace_poses(robot, 3, 1)
    moved = displacements(stated.machines, stated.changes, stated.machines.values, poses)
    for error in stated.errors(2, 1):
        made = gough.Model(stated.machines.made(stated.machines.values + error))
        found = made.forward_kinematics(made.positions(gough.Model(robot).readings(poses)), poses)
        exact = difference(found.pose, poses)
        size = np.abs(exact).max()
        assert size > 1e-6
        np.testing.assert_allclose(moved @ (error / stated.deviation), exact, atol=1e-4 * size)


def test_margins_vary_where_a_leg_is_at_the_origin_of_the_platform():
    """As the centre leg of a tricept, whose place has no part in the characteristic length."""
    robot = gough.load("tricept")
    found = gough.tolerances(robot, workspace_poses(robot, 2, 1), {"legs[*].platform": 1e-6})
    sampled = gough.tolerances(
        robot, found.pose[1], {"legs[*].platform": 1e-6}, samples=5000
    ).monte_carlo
    np.testing.assert_allclose(found.margin_deviation[1], sampled.margin_deviation, 0.05, 1e-12)


@pytest.mark.parametrize("name", ["delta", "planar-3rrr", "hexa-6rus"])
def test_deviations_are_those_of_samples(name):
    found = gough.tolerances(gough.load(name), None, CASES[name], samples=20_000)
    moves = found.pose_deviation > 1e-12
    ratio = found.monte_carlo.pose_deviation[moves] / found.pose_deviation[moves]
    np.testing.assert_allclose(ratio, 1.0, atol=0.02)
    assert sum(found.shares(by="joint").values()) == pytest.approx(1.0)
    assert "legs[0].links[1].length" in found.shares(by="joint")


def test_equal_rods_of_a_delta_raise_it_as_the_formula_says():
    """At home of a Delta all rods are alike steep: δz = L δL / (z of a rod), if all are longer."""
    robot = gough.load("delta")
    stated = stated_tolerances(robot, {"legs[*].links[1].length": 1e-4})
    (_, elbow), wrist = robot.joints[:2], robot.joints[3]
    rod = np.array(wrist.at) - np.array(elbow.at)
    displacement, _ = taken(stated, np.full((1, 3), 1e-6), np.array(robot.home))
    np.testing.assert_allclose(displacement[0, 2], 1e-6 * 1.244 / rod[2], rtol=1e-5)
    np.testing.assert_allclose(displacement[0, [0, 1, 3, 4, 5]], 0, atol=1e-12)


def test_a_study_has_tolerances_of_lengths_along_its_motion_and_payloads():
    study = {
        "schema": "gough-study/1",
        "name": "carried",
        "robot": "delta",
        "motion": {"kind": "line", "displacement": [0.1, 0, 0.05], "duration": 0.5},
        "rate": 20,
        "tasks": [{"kind": "payload", "mass": 2.0, "active": [0.25, 0.5]}],
        "tolerances": CASES["delta"],
        "outputs": {"quantities": ["tolerances", "motion"]},
    }
    results = gough.run(study)
    delta = gough.load("delta")
    for k, mass in ((0, 0.9), (-2, 2.9)):  # the load ends before the last sample
        state = {name: results[name][k] for name in ("twist", "acceleration")}
        loaded = delta.replace(
            {"platform.mass": mass, "platform.center_of_mass": [0, 0, -0.03 * 0.9 / mass]}
        )
        alone = gough.tolerances(loaded, results["pose"][k], CASES["delta"], **state)
        np.testing.assert_allclose(results["pose_deviation"][k], alone.pose_deviation, atol=1e-12)
        np.testing.assert_allclose(results["force_deviation"][k], alone.force_deviation, rtol=1e-9)


def test_a_body_is_not_another_one_beside_legs():
    """`bodies[0]` is the first of all bodies, a link; the first in h4's file is a traverse."""
    h4, mass = gough.load("h4"), {"bodies[0].mass": "1 %"}
    assert stated_tolerances(h4, mass).deviation == pytest.approx(0.01 * h4.bodies[0].mass)
    with pytest.raises(GoughError, match="a file does not count as the robot does"):
        stated_tolerances(h4, mass | {"legs[*].links[0].length": "10 um"})


def test_lengths_that_cannot_vary_are_refused_in_words():
    with pytest.raises(GoughError, match="no machine of the same kind"):
        gough.tolerances(gough.load("agile-eye"), None, {"legs[*].base": "10 um"})
    with pytest.raises(GoughError, match="no parameter is called"):
        gough.tolerances(gough.load("delta"), None, {"legs[*].axis": "10 um"})
