"""Balancing the weight of the legs [Baiges 1996, section 8.3]."""

import numpy as np
import pytest
from study_samples import LINE, data

import gough
from gough.analysis.balance import balanced, balancing_distances
from gough.studies.run import run


@pytest.fixture(scope="module")
def robot():
    return gough.load("baiges-1996")


def test_the_distance_is_that_of_the_thesis(robot):
    """U = (M_e E + M_d D + M_b b) / m, with M_b and M_d in the cylinder."""
    lb, ft = 0.45359237, 0.3048
    length = 2.5 * ft
    E = length - 1.25 * ft
    by_hand = (7.5 * E + 15 * 1.25 * ft + 7.5 * 0.5 * ft) / 30
    assert balancing_distances(robot, 30 * lb, length) == pytest.approx([by_hand] * 6)


def test_a_balanced_leg_has_its_mass_centre_at_the_base_joint(robot):
    pose = np.array(robot.home)
    lengths = gough.Model(robot).inverse_kinematics(pose)
    found = balanced(robot, 10.0, balancing_distances(robot, 10.0, lengths))
    for leg, l in zip(found.legs, lengths, strict=True):
        piston, cylinder = leg.piston, leg.cylinder
        moment = cylinder.mass * cylinder.center_of_mass + piston.mass * (l - piston.center_of_mass)
        assert moment == pytest.approx(0.0, abs=1e-12)


def test_balancing_takes_the_legs_weight_from_the_platform(robot):
    """What remains of the legs' weight is carried by the base; the actuators carry the pistons."""
    pose, rest = np.array(robot.home), np.zeros(6)
    lengths = gough.Model(robot).inverse_kinematics(pose)
    found = balanced(robot, 10.0, balancing_distances(robot, 10.0, lengths))
    before, after = (
        gough.Model(machine).reactions(pose, rest, rest, rest).force[2::3]  # in base axes, at home
        for machine in (robot, found)
    )
    s = np.array(gough.Model(robot).jacobian(pose))[:, :3]
    across = after - np.sum(after * s, axis=1)[:, None] * s
    assert np.abs(across).max() < 1e-9
    assert np.abs(before - after).max() > 10


def test_joining_a_mass_keeps_the_moments(robot):
    found = balanced(robot, 3.0, 0.4)
    old, new = robot.legs[0].cylinder, found.legs[0].cylinder
    assert new.mass == old.mass + 3
    first = old.mass * old.center_of_mass - 3 * 0.4
    assert new.mass * new.center_of_mass == pytest.approx(first)
    second = old.inertia[0][0] + old.mass * old.center_of_mass**2 + 3 * 0.4**2
    assert new.inertia[0][0] + new.mass * new.center_of_mass**2 == pytest.approx(second)
    assert new.inertia[2][2] == old.inertia[2][2]


def test_in_a_study_balancing_lessens_gravity_and_adds_inertia():
    masses = {"parameter": "balance.mass", "values": [0, 20]}
    found = run(
        data(robot="baiges-1996", motion=LINE, tasks=[], balance={"mass": 1}, variations=[masses])
    )
    assert found["peak_leg_gravity_share"][1] < 0.8 * found["peak_leg_gravity_share"][0]
    assert found["peak_tangential_share"][1] > 1.2 * found["peak_tangential_share"][0]
    fixed = run(data(robot="baiges-1996", motion=LINE, balance={"mass": 20, "distance": 0.3}))
    assert fixed.robot.legs[0].cylinder.mass == pytest.approx(22.5 * 0.45359237 + 20)


def test_bad_balancing_masses_are_refused(robot):
    with pytest.raises(gough.GoughError, match="0 kg; expected one above 0 kg"):
        balancing_distances(robot, 0.0, 1.0)
    with pytest.raises(gough.GoughError, match="-1 kg; expected one of at least 0 kg"):
        balanced(robot, -1.0, 0.1)
