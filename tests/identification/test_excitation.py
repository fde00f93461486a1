"""Exciting motions: within all limits, at rest at their ends, and far better than random ones."""

import dataclasses

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.identification.excitation import ExcitationSearch, Information
from gough.kinematics.workspace.reach import margins


@pytest.fixture(scope="module")
def robot():
    """The demo with spherical joints at both ends, whose legs' columns are fewer: quick."""
    data = gough.load("demo-hexapod").to_dict()
    data["leg"] |= {"kind": "SPS"}
    data["leg"]["cylinder"] |= {"inertia": [0.32, 0.32, 0.021]}
    data["legs"] = [{k: v for k, v in leg.items() if k != "first_axis"} for leg in data["legs"]]
    return gough.Robot.from_dict(data)


@pytest.fixture(scope="module")
def found(robot):
    return gough.excitation(robot, harmonics=5, starts=1)


@pytest.fixture(scope="module")
def way(found):
    return found(np.linspace(0.0, found.duration, 7919))


def test_all_limits_hold_all_along(robot, way):
    """With three in a hundred of each range to spare, at times that no step of the search saw."""
    model, leg = gough.Model(robot), robot.legs[0]
    assert margins(model, way.pose).min() > 0.03 - 2e-3
    length, spare = model.inverse_kinematics(way.pose), 0.03 * np.ptp(leg.stroke) / 2
    assert length.min() > leg.stroke[0] + spare - 2e-4
    assert length.max() < leg.stroke[1] - spare + 2e-4
    assert np.abs(model.joint_velocity(*way[:2])).max() < 0.97 * leg.max_speed * 1.001
    assert np.abs(model.inverse_dynamics(*way)).max() < 0.97 * leg.max_force * 1.001


def test_it_uses_what_limits_leave(robot, way, found):
    speed = np.abs(gough.Model(robot).joint_velocity(*way[:2])).max()
    assert speed > 0.92 * robot.legs[0].max_speed
    assert 0.03 <= found.margin < 0.04


def test_it_begins_and_ends_at_rest_at_home(robot, found):
    ends = found(np.array([0.0, found.duration]))
    np.testing.assert_allclose(ends.pose, [robot.home] * 2, atol=1e-12)
    np.testing.assert_allclose(ends.twist, 0.0, atol=1e-12)
    np.testing.assert_allclose(ends.acceleration, 0.0, atol=1e-11)


def test_it_tells_much_more_than_random_motions(robot, found, way):
    """Standard deviations at equal noise are four times smaller, of every parameter."""
    base = gough.base_parameters(robot, motion=way)
    assert base.condition == pytest.approx(found.condition, rel=0.02)
    assert found.condition < 145
    search = ExcitationSearch.of(robot, 10.0, 5, "independent", 0.03)
    starts = np.random.default_rng(1).standard_normal((3, 48))
    drawn = [search.made(search.within(start)) for start in starts]
    t = np.linspace(0.0, found.duration, 500)
    columns = [gough.Model(robot).regressor(*m(t))[..., base.pivots] for m in (found, *drawn)]
    best, *others = (
        np.sqrt(np.diag(np.linalg.inv(np.einsum("tnj,tnk->jk", Y, Y)))) for Y in columns
    )
    for motion, sigma in zip(drawn, others, strict=True):
        assert motion.condition > 4 * found.condition
        assert np.exp(np.mean(np.log(sigma / best))) > 4


def test_the_same_seed_gives_the_same_motion(robot):
    first, again, other = (
        gough.excitation(robot, legs="identical", harmonics=2, starts=1, rng=seed)
        for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


def test_processes_find_the_same_motion_to_the_last_bit():
    options = {"duration": 2.0, "harmonics": 3, "starts": 3}
    here, there = (gough.excitation(gough.load("delta"), **options, executor=n) for n in (None, 2))
    assert here == there


def test_derivatives_of_the_information_are_those_of_differences(robot):
    model, rng = gough.Model(robot), np.random.default_rng(0)
    information = Information(model, gough.base_parameters(robot), robot.home[3:])
    places = [scale * rng.standard_normal((30, 6)) for scale in (0.03, 0.3, 3.0)]
    places[0][:, 2] += robot.home[2]
    value, slope = information(tuple(places))
    along = [rng.standard_normal((30, 6)) for _ in places]
    h = 1e-6
    ahead, back = (
        information(tuple(p + s * h * d for p, d in zip(places, along, strict=True)))[0]
        for s in (1, -1)
    )
    assert np.sum(slope * np.concatenate(along, -1)) == pytest.approx(
        (ahead - back) / (2 * h), rel=1e-5
    )
    assert np.isfinite(value)


def test_it_is_a_motion_that_a_study_states(robot, found):
    read = gough.motion.motion_from_dict(found.table, robot)
    assert read == found.given
    assert dataclasses.replace(found, margin=0.0).duration == found.duration


def test_robots_without_limits_and_senseless_wishes_are_refused(robot):
    data = robot.to_dict()
    del data["leg"]["stroke"]
    with pytest.raises(GoughError, match="states no travel"):
        gough.excitation(gough.Robot.from_dict(data))
    with pytest.raises(
        GoughError, match="harmonics is 1; expected a whole number, 2 or more, at most 100"
    ):
        gough.excitation(robot, harmonics=1)
    with pytest.raises(GoughError, match="starts is 0"):
        gough.excitation(robot, starts=0)
    with pytest.raises(GoughError, match=r"margin=1\.5; expected a share of ranges"):
        gough.excitation(robot, margin=1.5)
    with pytest.raises(GoughError, match="is not kept with 90 % of its range to spare"):
        gough.excitation(robot, margin=0.9)
