"""Every kind of bad input: a RobotError that names the key, the leg, the value, the expectation."""

from __future__ import annotations

import contextlib
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_samples import REMOVED, edited, good_data

import gough
from gough.errors import GoughError, RobotError
from gough.robot import Robot, load

BODY = {"mass": 1.0, "center_of_mass": 0.1, "inertia": [1.0, 1.0, 1.0]}


def complaint(data: object) -> RobotError:
    with pytest.raises(RobotError) as caught:
        Robot.from_dict(data)
    assert isinstance(caught.value, GoughError)
    assert isinstance(caught.value, ValueError)
    assert len(str(caught.value).splitlines()) == 1 + len(caught.value.others)
    return caught.value


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("grvity", "gravity"),
        ("platform.mas", "mass"),
        ("platform.home.positoin", "position"),
        ("leg.max_forces", "max_force"),
        ("leg.cylinder.center_of_mas", "center_of_mass"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(path, nearest):
    error = complaint(edited(path, 1))
    assert error.key == path
    assert f'did you mean "{nearest}"?' in str(error)
    assert nearest in error.expected


def test_an_unknown_key_of_a_leg_is_named_with_its_leg():
    error = complaint(edited("legs.2.bsae", [0, 0, 0]))
    assert (error.key, error.leg) == ("legs[2].bsae", 3)
    assert 'legs[2].bsae (leg 3): unknown key (did you mean "base"?)' in str(error)


def test_an_unknown_key_like_no_other_lists_the_known_ones():
    error = complaint(edited("platform.colour", "red"))
    assert "did you mean" not in str(error)
    assert error.expected == "one of mass, center_of_mass, inertia, home, mesh"


def test_five_legs_are_too_few():
    error = complaint(edited("legs.5", REMOVED))
    assert (error.key, error.value, error.expected) == ("legs", 5, "exactly six")


def test_seven_legs_are_too_many():
    data = good_data()
    data["legs"].append({"base": [5, 5, 5], "platform": [1, 1, 1], "first_axis": [1, 0, 0]})
    error = complaint(data)
    assert (error.key, error.value, error.expected) == ("legs", 7, "exactly six")


def test_no_legs_at_all():
    error = complaint(edited("legs", REMOVED))
    assert str(error) == "legs: missing; expected six [[legs]] tables, or [symmetric]"


def test_a_unit_of_the_wrong_dimension():
    error = complaint(edited("legs.2.base", [1, "3 kg", 0]))
    assert (error.key, error.leg, error.value) == ("legs[2].base[1]", 3, "3 kg")
    assert '"3 kg" is a mass; expected a length, like 0.25 or "25 cm"' in str(error)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("platform.mass", "platform.mass"),
        ("gravity.2", "gravity[2]"),
        ("leg.cylinder.inertia.0", "leg.cylinder.inertia[0]"),
        ("legs.3.platform.0", "legs[3].platform[0]"),
        ("platform.home.quaternion.0", "platform.home.quaternion[0]"),
    ],
)
def test_numbers_that_are_not_finite(path, key, number):
    error = complaint(edited(path, number))
    assert error.key == key
    assert f"not finite, got {number}" in str(error)


@pytest.mark.parametrize("path", ["platform.mass", "leg.cylinder.mass", "leg.piston.mass"])
def test_a_negative_mass(path):
    error = complaint(edited(path, -0.5))
    assert (error.key, error.value) == (path, -0.5)
    assert str(error).endswith("expected a mass, at least 0 kg")


def test_a_negative_mass_in_one_leg():
    error = complaint(edited("legs.4.piston", {"mass": "-3 lb"}))
    assert (error.key, error.leg, error.value) == ("legs[4].piston.mass", 5, "-3 lb")


def test_an_inertia_that_is_not_symmetric():
    error = complaint(edited("platform.inertia", [[2, 0.1, 0], [0, 2, 0], [0, 0, 2]]))
    assert error.key == "platform.inertia"
    assert "inertia not symmetric" in str(error)
    assert error.expected == "I[i][j] == I[j][i]"


@pytest.mark.parametrize("inertia", [[1, 1, -0.1], [[1, 2, 0], [2, 1, 0], [0, 0, 1]]])
def test_an_inertia_that_is_not_positive_semidefinite(inertia):
    error = complaint(edited("leg.piston.inertia", inertia))
    assert (error.key, error.value) == ("leg.piston.inertia", inertia)
    assert "inertia not positive semi-definite" in str(error)
    assert "no negative principal moment" in error.expected


@pytest.mark.parametrize("inertia", [[1, 1, 2.001], [[2, 1.5, 0], [1.5, 2, 0], [0, 0, 0.5]]])
def test_an_inertia_that_violates_the_triangle_inequality(inertia):
    error = complaint(edited("leg.cylinder.inertia", inertia))
    assert (error.key, error.value) == ("leg.cylinder.inertia", inertia)
    assert "inertia violates the triangle inequality" in str(error)


@pytest.mark.parametrize(
    "inertia", [1, [1, 2], "1 kg m^2", [[1, 2, 3], 4, 5], [[1, 0], [0, 1]], {}, [[1]] * 3]
)
def test_an_inertia_of_another_shape(inertia):
    assert complaint(edited("platform.inertia", inertia)).key.startswith("platform.inertia")


def test_a_first_axis_of_zero_length():
    error = complaint(edited("legs.1.first_axis", [0, 0, 0]))
    assert (error.key, error.leg) == ("legs[1].first_axis", 2)
    assert "zero vector" in str(error)


def test_a_universal_joint_without_a_first_axis():
    error = complaint(edited("legs.1.first_axis", REMOVED))
    assert (error.key, error.leg, error.others) == ("legs[1].first_axis", 2, ())
    assert "missing; expected the direction of the universal joint's axis" in str(error)


def test_a_first_axis_along_the_leg():
    leg = {"base": [0.5, 0, 0], "platform": [0.5, 0, 0], "first_axis": [0, 0, 1]}
    error = complaint(edited("legs.1", leg))
    assert (error.key, error.leg) == ("legs[1].first_axis", 2)
    assert "parallel to the leg at the home pose" in str(error)


def test_a_first_axis_on_a_spherical_leg():
    error = complaint(edited("legs.1.kind", "SPS"))
    assert (error.key, error.leg) == ("legs[1].first_axis", 2)
    assert "an SPS leg has no universal joint" in str(error)


@pytest.mark.parametrize("inertia", [[1, 1.1, 1], [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]]])
def test_a_spherical_leg_that_is_not_symmetric(inertia):
    data = edited("leg.piston", BODY | {"inertia": inertia}, load("dietmaier-1998").to_dict())
    error = complaint(data)
    assert error.key == "leg.piston.inertia"
    assert "an SPS leg must be symmetric about its axis" in str(error)
    assert "Ixx == Iyy" in error.expected


def test_two_legs_between_the_same_two_places():
    data = good_data()
    data["legs"][4] = data["legs"][1] | {"first_axis": [1, 0, 0]}
    error = complaint(data)
    assert (error.key, error.leg) == ("legs[4]", 5)
    assert "the same joint centres as leg 2, on both bodies" in str(error)


def test_two_legs_may_share_one_joint():
    Robot.from_dict(edited("legs.4.base", good_data()["legs"][3]["base"]))


@pytest.mark.parametrize("stroke", [[1.7, 0.6], [1.0, 1.0]])
def test_a_stroke_whose_minimum_is_not_below_its_maximum(stroke):
    error = complaint(edited("leg.stroke", stroke))
    assert error.key == "leg.stroke"
    assert "the minimum is not below the maximum" in str(error)
    assert error.expected == "[min, max]"


def test_a_negative_stroke():
    assert complaint(edited("leg.stroke", [-1, 2])).key == "leg.stroke[0]"


@pytest.mark.parametrize("stroke", [[0.1, 1.1], [1.2, 1.3]])
def test_a_home_pose_outside_the_stroke(stroke):
    error = complaint(edited("leg.stroke", stroke))
    assert (error.key, error.leg, error.value) == ("leg.stroke", 1, stroke)
    assert "the leg length at the home pose, 1.17642 m, is outside the stroke" in str(error)


def test_a_home_pose_outside_the_stroke_of_one_leg():
    error = complaint(edited("legs.3.stroke", ["10 cm", "20 cm"]))
    assert (error.key, error.leg) == ("legs[3].stroke", 4)


def test_a_leg_of_no_length_at_home():
    data = edited("platform.home", {"position": [0.2241, -0.5777, 0]})
    error = complaint(data)
    assert (error.key, error.leg) == ("legs[0]", 1)
    assert "the leg has no length at the home pose" in str(error)


@pytest.mark.parametrize("version", ["gough/3", "gough", 1, None, ["gough/1"]])
def test_an_unknown_schema_version(version):
    error = complaint({"schema": version, "unknown": "key"})
    known = '"gough/1" or "gough/2"'
    assert (error.key, error.value, error.expected) == ("schema", version, known)


def test_a_missing_schema_version():
    expected = '"gough/1" of a hexapod, "gough/2" of any other machine'
    assert str(complaint(edited("schema", REMOVED))) == f"schema: missing; expected {expected}"


@pytest.mark.parametrize("path", ["name", "platform", "platform.mass", "platform.home.position"])
def test_a_missing_key(path):
    error = complaint(edited(path, REMOVED))
    assert str(error) == f"{path}: missing"


def test_a_missing_value_is_named_where_its_table_was_written():
    assert complaint(edited("leg.cylinder.inertia", REMOVED)).key == "leg.cylinder.inertia"
    error = complaint(edited("legs.1.cylinder", {"mass": 1}, edited("leg.cylinder", REMOVED)))
    assert (error.key, error.leg) == ("legs[1].cylinder.center_of_mass", 2)


def test_a_missing_joint_centre():
    error = complaint(edited("legs.3.platform", REMOVED))
    assert str(error) == "legs[3].platform (leg 4): missing"


def test_an_unknown_kind_of_leg():
    error = complaint(edited("leg.kind", "RUS"))
    assert (error.key, error.value, error.expected) == ("leg.kind", "RUS", '"UPS" or "SPS"')


def test_two_rotations_at_home():
    home = {"position": [0, 0, 1], "rpy": [0, 0, 0], "quaternion": [1, 0, 0, 0]}
    error = complaint(edited("platform.home", home))
    assert str(error) == ("platform.home: rotation given twice; expected either rpy or quaternion")


def test_a_quaternion_of_zero_length():
    error = complaint(edited("platform.home.quaternion", [0, 0, 0, 0]))
    assert error.key == "platform.home.quaternion"


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("platform.mass", True, "not a number, got True"),
        ("platform.mass", "heavy", '"heavy" is not a number with a unit'),
        ("platform.mass", {}, "not a number, got {}"),
        ("legs.0.first_axis", ["1", 0, 0], '"1" is text'),
        ("legs.0.base", [0, 1], "2 items, got [0, 1]; expected a list of 3"),
        ("legs.0.base", 7, "not a list, got 7; expected a list of 3"),
        ("legs.0.base", "1 m", "not a list"),
        ("platform", 7, "not a table, got 7; expected a table with mass"),
        ("leg.cylinder", [1, 2], "not a table, got [1, 2]"),
        ("leg", "UPS", "not a table, got 'UPS'"),
        ("legs", 7, "not a list, got 7; expected six tables"),
        ("legs.3", 7, "not a table, got 7"),
        ("name", 7, "not a text, got 7"),
        ("name", "", "empty"),
        ("leg.max_force", 0, "expected a force, above 0 N"),
        ("leg.base_joint_limit", "200 deg", "expected an angle, above 0 and at most 3.14159 rad"),
        ("leg.radius", -1, "expected a length, above 0 m"),
    ],
)
def test_values_of_the_wrong_kind(path, value, problem):
    error = complaint(edited(path, value))
    assert problem in str(error)
    assert error.key.replace("[", ".").replace("]", "").startswith(path)


@pytest.mark.parametrize("data", [None, 7, "robot", [], [1], {}])
def test_data_that_are_no_robot_at_all(data):
    complaint(data)


def test_several_problems_are_one_error_with_a_line_for_each():
    data = edited("leg.cylinder.mass", -1, edited("name", 7, edited("platform.mass", "1 m")))
    error = complaint(data)
    assert error.key == "name"
    assert [other.key for other in error.others] == ["platform.mass", "leg.cylinder.mass"]
    assert str(error).splitlines() == [
        "name: not a text, got 7; expected a text",
        '  platform.mass: "1 m" is a length; expected a mass, like 1.5 or "3 lb"',
        "  leg.cylinder.mass: out of range, got -1; expected a mass, at least 0 kg",
    ]


def test_unknown_keys_do_not_hide_what_else_is_wrong_in_their_table():
    data = edited("leg.maxforce", 1, edited("leg.colour", "red", edited("leg.max_force", "1 m")))
    error = complaint(data)
    assert {p.key for p in error.problems} == {"leg.maxforce", "leg.colour", "leg.max_force"}


def test_legs_that_do_not_fit_are_all_named():
    data = edited("legs.3.stroke", [0.1, 0.2], edited("legs.1.stroke", [3, 4]))
    assert [p.leg for p in complaint(data).problems] == [2, 4]


def test_many_problems_are_counted():
    data = good_data()
    for k, leg in enumerate(data["legs"]):
        leg |= {f"a{k}": 1, f"b{k}": 2}
    with pytest.raises(RobotError) as caught:
        Robot.from_dict(data)
    assert len(caught.value.problems) == 12
    lines = str(caught.value).splitlines()
    assert (len(lines), lines[-1]) == (9, "  and 4 more problems")


@pytest.mark.parametrize(
    ("path", "value", "hint"),
    [
        ("leg.base_joint_limit", 45, '"45 deg"?'),
        ("leg.stroke", [600, 1700], 'lengths are in metres: "1700 mm"?'),
        ("platform.home.position", [0, 0, 1000], 'lengths are in metres: "1000 mm"?'),
    ],
)
def test_numbers_in_the_wrong_unit_are_recognized(path, value, hint):
    assert hint in str(complaint(edited(path, value)))


def test_a_bound_may_be_reached_in_another_unit():
    data = edited("leg.base_joint_limit", "180 deg")
    assert Robot.from_dict(data).legs[0].base_joint_limit == math.pi


def test_numbers_near_the_limit_of_floats_are_refused_without_a_crash():
    for path in ("legs.0.base.0", "legs.0.first_axis.0", "platform.inertia.0", "gravity.0"):
        assert "too large" in str(complaint(edited(path, 1e308)))
    Robot.from_dict(edited("platform.inertia", [1e100, 1e100, 1e100]))


NONSENSE = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.randoms(use_true_random=False), NONSENSE)
@settings(max_examples=100, deadline=None)
def test_nonsense_anywhere_is_accepted_or_a_robot_error(rng: random.Random, nonsense):
    data = good_data()
    data["symmetric"] = {"layout": "circles", "base_radius": 1.0}
    if rng.random() < 0.7:
        del data["symmetric"]
    place = data
    while True:
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.2:
            break
        place = place[key]
    place[key] = nonsense
    with contextlib.suppress(RobotError):
        assert isinstance(Robot.from_dict(data), Robot)


@pytest.mark.parametrize(
    "name", ["a\nb", "a\rb", "a\tb", "a\x01", "\x1b[31m", "\u202eb", "a" * 201]
)
def test_a_name_that_is_more_than_a_line_is_refused(name):
    """It would end a comment of a component of LinuxCNC, or a line of YAML."""
    machine = gough.load("five-bar").to_dict()
    bodies, joints = machine["bodies"], machine["joints"]
    between = [name if end == bodies[0]["name"] else end for end in joints[0]["between"]]
    for data, key in (
        (gough.load("demo-hexapod").to_dict() | {"name": name}, "name"),
        (machine | {"name": name}, "name"),
        (machine | {"joints": [joints[0] | {"name": name}, *joints[1:]]}, "joints[0].name"),
        (
            machine
            | {"bodies": [bodies[0] | {"name": name}, *bodies[1:]]}
            | {"joints": [joints[0] | {"between": between}, *joints[1:]]},
            "bodies[0].name",
        ),
    ):
        error = complaint(data)
        assert (error.key, error.problem) == (key, "not a name")
