"""Every number of every robot of the library has a kind of quantity."""

import pytest

import gough
from gough.robot.numbers import dimension_of

KINDS = {
    "gravity.z": "an acceleration",
    "platform.mass": "a mass",
    "platform.inertia.xy": "a moment of inertia",
    "home.x": "a length",
    "home.qw": "a number",
    "legs[2].base.x": "a length",
    "legs[2].stroke.longest": "a length",
    "legs[2].max_force": "a force",
    "legs[2].drive.gear_ratio": "a number",
    "legs[2].base_joint_limit": "an angle",
    "legs[2].length_offset": "a length",
}


@pytest.mark.parametrize("name", KINDS)
def test_numbers_of_a_hexapod(name):
    assert dimension_of(gough.load("demo-hexapod"), name).name == KINDS[name]


@pytest.mark.parametrize("name", gough.library_names())
def test_all_numbers_of_the_library_have_one(name):
    robot = gough.load(name)
    assert all(dimension_of(robot, number).name for number in robot.parameter_names)


def test_an_offset_is_as_its_joint_moves():
    delta = gough.load("delta")
    assert dimension_of(delta, f"{delta.actuators[0].key}.offset").name == "an angle"
