"""All numbers of a robot as one vector, by name, and back."""

import numpy as np
import pytest
from hypothesis import given, settings
from robot_samples import robots

import gough

HEXAPOD, DELTA = gough.load("demo-hexapod"), gough.load("delta")


@pytest.mark.parametrize("name", gough.library_names())
def test_every_library_robot_is_what_its_numbers_say(name):
    robot = gough.load(name)
    assert len(set(robot.parameter_names)) == len(robot.parameter_names) == len(robot.parameters)
    assert robot.with_parameters(robot.parameters) == robot


@settings(max_examples=20, deadline=None)
@given(robots())
def test_any_hexapod_is_what_its_numbers_say(robot):
    again = robot.with_parameters(robot.parameters)
    assert again == robot
    np.testing.assert_array_equal(again.parameters, robot.parameters)


def test_numbers_are_those_of_the_file():
    known = dict(zip(HEXAPOD.parameter_names, HEXAPOD.parameters, strict=True))
    leg = HEXAPOD.legs[4]
    assert known["legs[4].drive.screw_lead"] == leg.drive.screw_lead
    assert known["legs[4].joint_friction.base_damping"] == leg.joint_friction.base_damping
    assert known["legs[4].stroke.longest"] == leg.stroke[1]
    assert known["legs[4].cylinder.inertia.zz"] == leg.cylinder.inertia[2][2]
    assert (known["legs[4].length_offset"], known["legs[4].gain"]) == (0.0, 1.0)


def test_other_numbers_make_the_robot_that_a_file_with_them_makes():
    for robot, name, path in (
        (HEXAPOD, "legs[1].base.y", "legs[1].base"),
        (HEXAPOD, "platform.mass", "platform.mass"),
        (DELTA, "bodies[0].mass", "bodies[0].mass"),
        (DELTA, "joints[0].drive.rotor_inertia", "joints[0].drive.rotor_inertia"),
    ):
        place, numbers = robot.parameter_names.index(name), robot.parameters
        numbers[place] *= 1.25
        value = numbers[place]
        if name.endswith(".y"):
            x, _, z = robot.legs[1].base
            value = [x, numbers[place], z]
        written = gough.Robot.from_dict(robot.to_dict())
        assert robot.with_parameters(numbers) == written.replace({path: value})


def test_a_limit_comes_and_goes():
    """Infinite numbers stand for limits that are not stated."""
    plain = gough.load("kalani-2016")
    assert plain.legs[0].max_force is None
    place, numbers = plain.parameter_names.index("legs[0].max_force"), plain.parameters
    assert numbers[place] == np.inf
    numbers[place] = 250.0
    limited = plain.with_parameters(numbers)
    assert limited.legs[0].max_force == 250.0
    numbers[place] = np.inf
    assert limited.with_parameters(numbers) == plain


def test_numbers_that_no_robot_can_have_are_refused():
    numbers = HEXAPOD.parameters
    numbers[HEXAPOD.parameter_names.index("platform.mass")] = -1.0
    with pytest.raises(gough.RobotError) as refused:
        HEXAPOD.with_parameters(numbers)
    assert (refused.value.key, refused.value.value) == ("platform.mass", -1.0)
    with pytest.raises(gough.GoughError, match=r"expected \(\d+,\)"):
        HEXAPOD.with_parameters(numbers[:-1])
