"""Legs that cannot be: refused where the user wrote them, with the reason and the number."""

from pathlib import Path

import numpy as np
import pytest
from leg_files import a_delta, hexapod, orthoglide
from robot_samples import REMOVED, edited

import gough
from gough.errors import RobotError
from gough.model.structure import left_out
from gough.robot import Robot

U_P_U = [{"name": "tube"}, {"name": "piston"}]


def complaint(path, value, data=None):
    with pytest.raises(RobotError) as caught:
        Robot.from_dict(edited(path, value, data or a_delta()))
    return str(caught.value)


@pytest.mark.parametrize("change", [-0.001, 0.001])
def test_a_link_that_cannot_reach_is_refused_by_how_much(change):
    """The arm's circle is between 0.38 and 0.93 m from the wrist."""
    x, z = 0.2 - 0.07, 0.62
    near, far = np.hypot(x, z) - 0.3, np.hypot(x, z) + 0.3
    length = (near if change < 0 else far) + change
    bound, word = (near, "short") if change < 0 else (far, "long")
    least = "at least" if change < 0 else "at most"
    text = complaint("leg.links.1.length", length)
    assert text.startswith(f"leg.links[1].length: 0.001 m too {word} to ")
    assert text.endswith(f"; expected {least} {bound:.6g} m")


def test_a_rod_that_is_too_short_for_its_slide_is_refused():
    data = orthoglide()
    text = complaint("leg.links.2.length", 0.02, data)
    assert "leg.links[2].length: 0.01162 m too short to reach its next joint at home" in text


def test_a_length_that_is_not_that_of_the_drawing_is_refused():
    data = hexapod(gough.load("kalani-2016"))
    data["legs"][2]["links"][0]["length"] = 0.25
    text = complaint("name", "rods", data)
    assert "legs[2].links[0]" in text
    assert "end = [x, y, z]; or the lengths of two links around one bend" in text


def test_a_rod_between_known_places_has_their_distance():
    data = edited("leg.joints", ["S", "S"], a_delta())
    data["leg"] = {key: value for key, value in data["leg"].items() if key != "elbow"}
    rod = {"name": "rod", "length": 0.7, "mass": 0.1, "center_of_mass": 0.3}
    text = complaint("leg.links", [rod], data)
    distance = np.hypot(0.13, 0.62)
    assert text == (
        f"leg.links[0].length: its joints are {distance:.6g} m apart at home, "
        f"{0.7 - distance:.4g} m less, got 0.7; expected {distance:.6g} m, or another place of its "
        "joints"
    )


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("leg.axis", REMOVED, "leg.axis: missing, and the R of joints[0] has none"),
        ("leg.elbow", REMOVED, "leg.elbow: missing; expected roughly where the leg bends"),
        ("leg.elbow", [0.135, 0, -0.31], "leg.elbow: it is equally far from both possible bends"),
        ("leg.links.0.length", REMOVED, "leg.elbow: the leg does not bend"),
        ("leg.joints", ["R*", "Q", "S"], "leg.joints[1]: not known, got 'Q'; expected one of"),
        ("leg.joints", ["R*", "S"], "leg.links: 2 links between 2 joints; expected 1"),
        ("leg.joints", ["R*"], "leg.joints: too few joints, got 1; expected two or more"),
        ("leg.joints", ["R*", "Pa", "S"], "expected 3 (a Pa is two joints with a link between)"),
        ("leg.joints", ["R*", "S", "Pa"], "2 links between 4 joints"),
        ("leg.joints", "RSS", "leg.joints: not a list, got 'RSS'"),
        ("leg.joints.1", {"type": "S", "limt": 1}, 'leg.joints[1].limt: unknown key (did you'),
        ("leg.joints.1", {"type": "S", "name": "hip"}, "leg.joints[1].name: a name given twice"),
        ("leg.joints.0", {"type": "R", "max_torque": 5}, "leg.joints[0].max_torque: a joint that"),
        ("leg.joints.0", "S", "leg.links[1].across: missing, and there is no hinge before"),
        ("leg.joints.1", "R*", "leg.joints[1]: a motor at the end of a parallelogram"),
        ("leg.base", REMOVED, "leg.base: missing"),
        ("leg.base", ["3 kg", 0, 0], 'leg.base[0]: "3 kg" is a mass'),
        ("leg.to", "plate", "leg.to: no such body, got 'plate'; expected one of platform"),
        ("leg.motor", {"range": [0.1, 0.2]}, "leg.motor.range: its position at home, 0, is out"),
        ("leg.motor", {"stroke": [0, 1]}, "leg.motor.stroke: unknown key"),
        ("leg.motor", {"drive": {"resistance": 1}}, "leg.motor.drive.torque_constant: missing"),
        ("leg.motor", {"zero": [0, 1, 0]}, "leg.motor.zero: along the hinge's axis"),
        ("leg.motor", {"zero": [1, 0, 0], "position_at_home": 0.1},
         "leg.motor.position_at_home: the angle at home follows from zero already, got 0.1"),
        ("leg.motor", 5, "leg.motor: not a table, got 5"),
        ("leg.links.0.name", "rod", "leg.links[1].name: a name given twice, got 'rod'"),
        ("leg.links.0.end", [1, 0, 0], "leg.links[0].end: a length too"),
        ("leg.links.0.across", [1, 0, 0], "leg.links[0].across: the link is no parallelogram"),
        ("leg.links.0.center_of_mass", REMOVED, "leg.links[0].center_of_mass: missing"),
        ("leg.links.0.inertia", [1, 1, 3], "leg.links[0].inertia: inertia violates"),
        ("leg.links.0.parallelogram", 0.1, "leg.links[1].parallelogram: two parallelograms in a"),
        ("pattern.copies", 0, "pattern.copies: out of range, got 0"),
        ("leg", REMOVED, "pattern: nothing to repeat; expected [leg] or [[legs]]"),
    ],
)  # fmt: skip
def test_a_leg_says_all_that_is_needed(path, value, words):
    assert words in complaint(path, value)


def test_a_universal_joint_has_an_axis_across_its_link():
    data = edited("leg.joints", ["U", "P*", "U"], a_delta())
    data["leg"] = {key: value for key, value in data["leg"].items() if key != "elbow"}
    data["leg"] |= {"links": U_P_U, "axis": [0.13, 0, 0.62]}
    text = complaint("name", "upu", data)
    assert "leg.joints[0]: its axis is parallel to its link at home" in text


def test_a_complaint_names_the_table_where_the_value_stands():
    """Once in the shared table, and once in the leg's own."""
    data = a_delta()
    data["legs"] = [{}, {"name": "other", "elbow": REMOVED}]
    data["legs"][1] = {"name": "other", "axis": [0, 1, 0]}
    with pytest.raises(RobotError) as refused:
        Robot.from_dict(edited("leg.links.1.length", 2.0, data), file=Path("my.toml"))
    assert (refused.value.key, refused.value.leg, refused.value.file) == (
        "leg.links[1].length",
        1,
        Path("my.toml"),
    )
    with pytest.raises(RobotError) as refused:
        Robot.from_dict(edited("legs.1.base", ["2 s", 0, 0], data))
    assert (refused.value.key, refused.value.leg, refused.value.value) == (
        "legs[1].base[0]",
        2,
        "2 s",
    )
    assert refused.value.expected.startswith("a length")


def test_lengths_and_places_that_something_else_decides_are_refused():
    text = complaint("leg.links.0.length", 0.2, orthoglide())
    assert text.startswith("leg.links[0].length: the link is behind a slide")
    data = edited("leg.links.1.length", REMOVED, a_delta())
    text = complaint("leg.links.1.end", [0, 0, 0], data)
    assert text.startswith("leg.links[1].end: the leg's last joint is at its place")


def test_an_elbow_after_a_ball_is_beside_the_line():
    data = edited("leg.joints", ["S", "R", "S"], a_delta())
    data["leg"]["links"][1].pop("parallelogram")
    text = complaint("leg.elbow", [0.135, 0, -0.31], data)
    assert text.startswith("leg.elbow: on the line between the joints before and behind it")


def test_a_link_without_length_points_along_the_next_axis():
    data = edited("leg.joints", ["R*", "S", "S"], a_delta())
    data["leg"] = {key: value for key, value in data["leg"].items() if key != "elbow"}
    links = [{"name": "arm"}, {"name": "rod"}]
    text = complaint("leg.links", links, data)
    assert text.startswith("leg.links[0]: it has no direction: its joints are at one place")


def test_two_bends_want_a_place():
    data = edited("leg.joints", ["R*", "R", "R", "S"], a_delta())
    links = data["leg"]["links"]
    links[1].pop("parallelogram")
    links.append(links[1] | {"name": "third"})
    text = complaint("leg.links", links, data)
    assert text.startswith("leg.links[0]: where its second joint is at home does not follow")


def test_a_bend_on_the_hinges_axis_is_anywhere():
    data = edited("leg.base", [0.07, -0.2, -0.62], a_delta())
    text = complaint("leg.links.1.length", np.hypot(0.2, 0.3), data)
    assert "the next joint is on the hinge's axis: every bend is possible" in text


def test_rods_with_two_balls_are_lines_of_mass():
    robot = Robot.from_dict(edited("leg.links.1.center_of_mass", [0.01, 0, 0.35], a_delta()))
    assert left_out(robot)[0].startswith("rod-1a: its mass centre is 0.01 m off the line")


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        (["x", "y"], "3 degrees of freedom and 2 moves"),
        (["x", "y", "rz"], "do not determine the platform's motion"),
    ],
)
def test_moves_are_those_of_the_machine(moves, words):
    robot = Robot.from_dict(edited("platform.moves", moves, a_delta()))
    with pytest.raises(RobotError) as refused:
        _ = gough.Model(robot).structure
    assert refused.value.key == "platform.moves"
    assert words in refused.value.problem
    assert refused.value.expected.endswith("such as x, y, z")


def test_fewer_motors_than_freedoms_are_refused():
    robot = Robot.from_dict(edited("leg.joints", ["R", "S", "S"], a_delta()))
    with pytest.raises(
        RobotError, match="0 driven joints for 3 degrees of freedom; expected at least 3"
    ):
        _ = gough.Model(robot).structure


def test_a_machine_has_joints():
    data = {key: value for key, value in a_delta().items() if key not in ("leg", "pattern")}
    assert "joints: a machine without joints" in complaint("name", "nothing", data)
