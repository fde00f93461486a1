"""Files in which each leg has its own table: the same machine, and numbers of each leg."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.robot.legs.listed import with_listed_legs
from gough.robot.numbers import walk

MECHANISMS = [name for name in gough.library_names() if not gough.load(name).has_extensible_legs]


def numbers(robot):
    """All numbers with their names, geometry too."""
    return dict(walk(robot, without=lambda record: ()))


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_machine_of_the_library_is_the_same_with_listed_legs(name):
    robot = gough.load(name)
    listed = with_listed_legs(robot)
    data = listed.written.data
    assert not {"leg", "pattern"} & data.keys()
    own, its = numbers(robot), numbers(listed)
    assert own.keys() == its.keys()
    for key, values in own.items():
        np.testing.assert_allclose(its[key], values, rtol=1e-12, atol=1e-12, err_msg=key)
    assert gough.Model(listed).structure.legs == gough.Model(robot).structure.legs


def test_a_longer_arm_is_that_of_one_leg_alone():
    listed = with_listed_legs(gough.load("delta"))
    longer = listed.replace({"legs[1].links[0].length": 0.53})
    places = {joint.name: np.array(joint.at) for joint in longer.joints}
    arms = [
        np.linalg.norm((places[f"elbow-{k}a"] + places[f"elbow-{k}b"]) / 2 - places[f"hip-{k}"])
        for k in (1, 2, 3)
    ]
    assert arms == pytest.approx([0.524, 0.53, 0.524], abs=1e-12)


def test_encoders_that_the_file_leaves_out_have_numbers_too():
    listed = with_listed_legs(gough.load("delta"))
    moved = listed.replace({"legs[2].motor.offset": "0.5 deg"})
    assert [a.offset for a in moved.actuators][:2] == [0.0, 0.0]
    assert moved.actuators[2].offset == pytest.approx(np.radians(0.5))


def test_mirrored_links_that_are_not_symmetric_are_refused():
    data = gough.load("hexa-6rus").written.in_full
    inertia = [[0.02, 0.001, 0], [0.001, 0.02, 0.001], [0, 0.001, 0.02]]
    data["leg"]["links"][0]["inertia"] = inertia
    with pytest.raises(GoughError, match="link of a mirrored leg is not symmetric"):
        with_listed_legs(gough.Robot.from_dict(data))
