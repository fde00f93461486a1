"""What a loaded robot holds: merged legs, rotations, directions, fingerprints."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from robot_samples import REMOVED, edited, good_data, robots

from gough.errors import GoughError, RobotError
from gough.robot import Body, Hexapod, Home, Leg, Platform, Robot, load


def test_a_leg_overrides_one_value_of_a_shared_table():
    robot = Robot.from_dict(edited("legs.2.cylinder", {"mass": "2 kg"}))
    assert robot.legs[2].cylinder.mass == 2.0
    assert robot.legs[2].cylinder.center_of_mass == robot.legs[1].cylinder.center_of_mass == 0.5
    assert [leg.cylinder.mass for leg in robot.legs].count(0.1) == 5


def test_a_leg_without_bodies_is_massless():
    robot = Robot.from_dict(edited("leg", {"kind": "UPS"}))
    assert robot.legs[0].cylinder.mass == robot.legs[0].piston.mass == 0.0


def test_principal_moments_become_a_matrix():
    robot = Robot.from_dict(edited("platform.inertia", [1, "2 kg m^2", 3]))
    assert robot.platform.inertia == ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0))


def test_an_inertia_symmetric_but_for_rounding_is_made_symmetric():
    rounded = [[2.0, 0.1, 0.0], [0.1 * (1 + 1e-12), 2.0, 0.0], [0.0, 0.0, 2.0]]
    inertia = np.array(Robot.from_dict(edited("platform.inertia", rounded)).platform.inertia)
    assert (inertia == inertia.T).all()


@pytest.mark.parametrize("limit", [[1.0, 1.0, 2.0], [0.1, 0.2, 0.1 + 0.2], [1.0, 1.0, 0.0]])
def test_thin_discs_and_rods_are_bodies(limit):
    Robot.from_dict(edited("platform.inertia", limit))


def test_a_thin_rod_in_any_direction_is_a_body():
    direction = np.array([1.0, 2.0, 3.0]) / math.sqrt(14.0)
    Robot.from_dict(edited("platform.inertia", np.eye(3) - np.outer(direction, direction)))


def test_arrays_are_accepted_and_stored_as_tuples():
    robot = Robot.from_dict(edited("legs.0.base", np.array([0.7071, -0.7071, 0.0])))
    assert robot == Robot.from_dict(good_data())
    assert type(robot.legs[0].base) is tuple
    assert type(robot.legs[0].base[0]) is float


def test_the_first_axis_has_length_one():
    robot = Robot.from_dict(edited("legs.0.first_axis", [3e-5, 4e-5, 0]))
    assert robot.legs[0].first_axis == (pytest.approx(0.6), pytest.approx(0.8), 0.0)


def test_a_shared_first_axis_is_not_for_spherical_legs():
    data = edited("leg.first_axis", [1, 0, 0])
    del data["legs"][2]["first_axis"]
    data["legs"][2]["kind"] = "SPS"
    assert Robot.from_dict(data).legs[2].first_axis is None


def test_home_is_position_then_quaternion():
    assert Robot.from_dict(good_data()).home == (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)


@given(st.tuples(*[st.floats(-4, 4)] * 3))
@settings(max_examples=50, deadline=None)
def test_roll_pitch_yaw_turn_about_fixed_axes_in_that_order(rpy):
    home = {"position": [0, 0, 1], "rpy": list(rpy)}
    data = edited("platform.home", home)
    data["leg"].pop("stroke")
    w, x, y, z = Robot.from_dict(data).platform.home.quaternion
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in rpy)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    np.testing.assert_allclose(rotation, about_z @ about_y @ about_x, atol=1e-14)


def test_a_quaternion_is_scaled_to_length_one():
    home = {"position": [0, 0, 1], "quaternion": [2, 0, 0, 0]}
    assert Robot.from_dict(edited("platform.home", home)).home[3:] == (1.0, 0.0, 0.0, 0.0)


def test_gravity_points_down_unless_given():
    assert Robot.from_dict(edited("gravity", REMOVED)).gravity == (0.0, 0.0, -9.81)


def test_robots_are_frozen_and_hashable():
    robot = Robot.from_dict(good_data())
    assert len({robot, Robot.from_dict(good_data())}) == 1
    with pytest.raises(ValidationError):
        robot.name = "other"


def test_the_schema_version_is_kept():
    assert Robot.from_dict(good_data()).schema_version == "gough/1"


def test_words_do_not_change_the_fingerprint():
    data = good_data()
    renamed = data | {"name": "other", "reference": "nowhere", "notes": "none"}
    assert Robot.from_dict(data).fingerprint == Robot.from_dict(renamed).fingerprint
    assert len(Robot.from_dict(data).fingerprint) == 64


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("gravity", [0, 0, -9.80665]),
        ("platform.mass", 1.5000000000000002),
        ("platform.home", {"position": [0, 0, 1.1]}),
        ("legs.5.base", [0.2588, -0.9659, 1e-12]),
        ("legs.5.kind", "SPS"),
        ("leg.max_force", 101),
    ],
)
def test_every_number_changes_the_fingerprint(path, value):
    data = edited(path, value)
    if value == "SPS":
        del data["legs"][5]["first_axis"]
    assert Robot.from_dict(data).fingerprint != Robot.from_dict(good_data()).fingerprint


def test_the_way_of_writing_does_not_change_the_fingerprint():
    other = edited("platform.mass", "1500 g")
    assert Robot.from_dict(other).fingerprint == Robot.from_dict(good_data()).fingerprint


def test_plain_data_share_what_the_legs_share():
    data = load("demo-hexapod").to_dict()
    assert set(data["leg"]) >= {"kind", "cylinder", "piston", "stroke", "radius"}
    assert all(set(leg) == {"base", "platform", "first_axis"} for leg in data["legs"])


@given(robots())
@settings(max_examples=20, deadline=None)
def test_plain_data_make_an_equal_robot(robot):
    data = robot.to_dict()
    assert Robot.from_dict(data) == robot
    assert Robot.from_dict(json.loads(json.dumps(data))).fingerprint == robot.fingerprint


def test_records_made_directly_complain_in_the_same_way():
    with pytest.raises(GoughError, match=r"mass: out of range, got -1"):
        Body(mass=-1, center_of_mass=0, inertia=[0, 0, 0])
    with pytest.raises(RobotError) as refused:
        Body(mas=1)
    assert refused.value.key == "mas"
    assert 'did you mean "mass"' in refused.value.problem
    with pytest.raises(RobotError) as refused:
        Leg(
            kind="SPS",
            base=[0, 0, 0],
            platform=[0, 0, 0],
            cylinder={"mass": math.inf, "center_of_mass": 0, "inertia": [0, 0, 0]},
        )
    assert (refused.value.key, refused.value.value, refused.value.problem) == (
        "cylinder.mass",
        math.inf,
        "not finite",
    )
    platform = Platform(mass=1, inertia=[1, 1, 1], home=Home(position=(0, 0, 1)))
    with pytest.raises(RobotError) as refused:
        Hexapod(name="no legs", platform=platform, legs=())
    assert (refused.value.key, refused.value.value, refused.value.expected) == (
        "legs",
        0,
        "exactly six",
    )


def test_a_robot_can_be_put_together_from_its_parts():
    robot = Robot.from_dict(good_data())
    again = Hexapod(name=robot.name, platform=robot.platform, legs=robot.legs)
    assert again.fingerprint == robot.fingerprint


@pytest.mark.parametrize(
    ("name", "words"),
    [("demo-hexapod", "<gough hexapod demo-hexapod>"), ("delta", "<gough mechanism delta>")],
)
def test_robots_show_themselves_in_a_few_words(name, words):
    assert f"{load(name)!r} {load(name)}" == f"{words} {words}"


def test_robots_can_be_sent_to_other_processes():
    robot = load("demo-hexapod")
    assert pickle.loads(pickle.dumps(robot)) == robot


def test_reading_leaves_the_data_as_they_are():
    data = good_data()
    Robot.from_dict(data)
    assert data == good_data()
