"""Symmetric machines: joints from radii and angles, or from two triangles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from robot_samples import edited

from gough.errors import RobotError
from gough.robot import Robot, load

CIRCLES = {
    "layout": "circles",
    "base_radius": "1 m",
    "base_angle": "20 deg",
    "platform_radius": 0.5,
    "platform_angle": "30 deg",
}
TRIANGLES = {
    "layout": "triangles",
    "base_side": 2.1,
    "base_side_point": 2.0,
    "platform_side": 1.25,
    "platform_side_point": 1.1,
}


def machine(symmetric: dict, **leg: object) -> Robot:
    home = {"position": [0, 0, 1]}
    return Robot.from_dict(
        {
            "schema": "gough/1",
            "name": "symmetric",
            "platform": {"mass": 1, "inertia": [1, 1, 1], "home": home},
            "leg": {"kind": "UPS", **leg},
            "symmetric": symmetric,
        }
    )


def joints(robot: Robot, body: str) -> np.ndarray:
    return np.array([getattr(leg, body) for leg in robot.legs])


def azimuths(robot: Robot, body: str) -> np.ndarray:
    """In degrees, from 0 up to 360."""
    x, y, _ = joints(robot, body).T
    return np.degrees(np.arctan2(y, x)) % 360.0


def test_circles_have_their_joints_in_pairs():
    robot = machine(CIRCLES)
    np.testing.assert_allclose(azimuths(robot, "base"), [350, 10, 110, 130, 230, 250])
    np.testing.assert_allclose(azimuths(robot, "platform"), [315, 45, 75, 165, 195, 285])
    np.testing.assert_allclose(np.linalg.norm(joints(robot, "base"), axis=1), 1.0)
    np.testing.assert_allclose(np.linalg.norm(joints(robot, "platform"), axis=1), 0.5)


def test_circles_reproduce_the_tables_of_bingul():
    """Tables 1 and 2, with half the "radii" of Table 3, to the four digits printed."""
    table = load("bingul-2012")
    angles = {
        body: 2.0 * math.atan2(*sorted(np.abs(joints(table, body)[row][:2])))
        for body, row in (("base", 0), ("platform", 3))
    }
    circles = {
        "layout": "circles",
        "base_radius": 0.29326616983 / 2,
        "base_angle": angles["base"],
        "platform_radius": 0.18867975191 / 2,
        "platform_angle": angles["platform"],
    }
    robot = machine(circles)
    for body in ("base", "platform"):
        np.testing.assert_allclose(joints(robot, body), joints(table, body), atol=1.1e-4)


def test_circles_can_be_turned_and_lifted():
    lifted = {"base_height": 0.1, "base_step": 0.05, "platform_height": "-5 cm"}
    robot = machine(CIRCLES | lifted | {"base_azimuth": "30 deg", "platform_turn": "5 deg"})
    np.testing.assert_allclose(azimuths(robot, "base"), [20, 40, 140, 160, 260, 280])
    np.testing.assert_allclose(azimuths(robot, "platform"), [350, 80, 110, 200, 230, 320])
    np.testing.assert_allclose(joints(robot, "base")[:, 2], [0.15, 0.1] * 3)
    np.testing.assert_allclose(joints(robot, "platform")[:, 2], -0.05)


def test_triangles_have_corners_and_points_on_sides():
    robot = machine(TRIANGLES)
    base, platform = joints(robot, "base"), joints(robot, "platform")
    np.testing.assert_allclose(azimuths(robot, "base")[1::2], [0, 120, 240])
    np.testing.assert_allclose(azimuths(robot, "platform")[0::2], [300, 60, 180])
    for points, corners, side, point in (
        (base[0::2], base[1::2], 2.1, 2.0),
        (platform[1::2], platform[0::2], 1.25, 1.1),
    ):
        for joint in points:
            distances = np.sort(np.linalg.norm(corners - joint, axis=1))
            np.testing.assert_allclose(distances[:2], [side - point, point])
            np.testing.assert_allclose(np.linalg.norm(corners[0] - corners[1]), side)


@pytest.mark.parametrize("symmetric", [CIRCLES, TRIANGLES])
def test_a_third_of_a_turn_brings_the_legs_to_the_next_but_one(symmetric):
    robot = machine(symmetric)
    c, s = math.cos(math.tau / 3), math.sin(math.tau / 3)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    for body in ("base", "platform", "first_axis"):
        vectors = joints(robot, body)
        np.testing.assert_allclose(vectors @ turn.T, np.roll(vectors, -2, axis=0), atol=1e-15)


@pytest.mark.parametrize("symmetric", [CIRCLES, TRIANGLES])
def test_first_axes_are_horizontal_and_across_the_azimuth(symmetric):
    robot = machine(symmetric)
    azimuth = np.radians(azimuths(robot, "base"))
    expected = np.stack([-np.sin(azimuth), np.cos(azimuth), 0 * azimuth], axis=1)
    np.testing.assert_allclose(joints(robot, "first_axis"), expected, atol=1e-15)


def test_a_given_first_axis_wins():
    robot = machine(CIRCLES, first_axis=[2, 0, 0])
    assert {leg.first_axis for leg in robot.legs} == {(1.0, 0.0, 0.0)}


def test_spherical_legs_have_no_first_axis():
    assert {leg.first_axis for leg in machine(CIRCLES, kind="SPS").legs} == {None}


def test_symmetric_legs_may_differ_in_other_things():
    data = load("demo-hexapod").to_dict()
    data["legs"] = [{}, {}, {"max_force": "1 kN"}, {}, {}, {}]
    del data["leg"]["stroke"]
    robot = Robot.from_dict(data | {"symmetric": CIRCLES})
    assert [leg.max_force for leg in robot.legs] == [2500, 2500, 1000, 2500, 2500, 2500]


@pytest.mark.parametrize("place", ["legs.3.base", "legs.3.platform", "leg.base"])
def test_coordinates_and_symmetry_exclude_each_other(place):
    data = load("kalani-2016").to_dict()
    data["legs"] = [{} for _ in range(6)]
    data = edited(place, [0, 0, 0], data | {"symmetric": CIRCLES})
    with pytest.raises(RobotError) as caught:
        Robot.from_dict(data)
    assert "joint coordinates given twice" in str(caught.value)
    assert caught.value.key == place.replace("legs.3", "legs[3]")
    assert caught.value.leg == (4 if "legs" in place else None)


@pytest.mark.parametrize(
    ("symmetric", "message"),
    [
        (7, "symmetric: not a table, got 7"),
        ({}, 'symmetric.layout: missing; expected "circles" or "triangles"'),
        ({"layout": "squares"}, "symmetric.layout: not known, got 'squares'"),
        (CIRCLES | {"base_radius": 0}, "symmetric.base_radius: out of range, got 0"),
        (CIRCLES | {"base_angle": "130 deg"}, "symmetric.base_angle: out of range"),
        (CIRCLES | {"base_angel": 1}, 'symmetric.base_angel: unknown key (did you mean "base_angl'),
        (CIRCLES | {"base_radius": "1 kg"}, 'symmetric.base_radius: "1 kg" is a mass'),
        (
            TRIANGLES | {"platform_side_point": 1.3},
            "symmetric.platform_side_point: beyond the end of the side, got 1.3",
        ),
    ],
)
def test_a_wrong_symmetric_table_is_refused(symmetric, message):
    with pytest.raises(RobotError) as caught:
        machine(symmetric)
    assert message in str(caught.value)


@pytest.mark.parametrize("angle", ["120 deg", "120.0 deg", 2 * math.pi / 3])
def test_pairs_of_120_degrees_meet_their_neighbours(angle):
    legs = machine(CIRCLES | {"platform_angle": angle}).legs
    for one, other in ((0, 1), (2, 3), (4, 5)):
        assert math.dist(legs[one].platform, legs[other].platform) < 1e-12


def test_pairs_of_more_than_120_degrees_are_refused():
    with pytest.raises(RobotError) as refused:
        machine(CIRCLES | {"base_angle": "120.001 deg"})
    assert (refused.value.key, refused.value.value) == ("symmetric.base_angle", "120.001 deg")
    assert "at most 2.0944 rad" in refused.value.expected
