"""Files in which each leg has its own table: the same machine, and numbers of each leg."""

import numpy as np
import pytest

import gough
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


SLIDING = {
    "schema": "gough/2",
    "name": "sliding",
    "platform": {
        "mass": 5.0,
        "inertia": [0.1, 0.1, 0.1],
        "home": {"position": [0, 0, 1]},
        "moves": ["x", "y", "z", "rx", "ry", "rz"],
    },
    "leg": {
        "base": [0.5, 0.25, 0],
        "platform": [0.15, 0.3, 0],
        "links": [{"name": "tube"}, {"name": "rod"}],
    },
    "pattern": {"copies": 3, "mirror": [0, 1, 0]},
}


@pytest.mark.parametrize(
    "leg",
    [
        {"joints": ["R*", "U", "S"], "axis": [0, 1, 0], "elbow": [0.8, 0.25, 0],
         "links": [{"name": "arm", "length": 0.3}, {"name": "rod", "length": 1.2}]},
        {"joints": ["S", "P*", "S"]},
        {"joints": ["S", "P*", "S"], "axis": [1, 0, 0]},
        {"joints": ["U", "C*", "S"], "axis": [0, 1, 0]},
        {"joints": [{"type": "C*", "axis": [0, 0, 1]}, "U", "S"], "axis": [0, 1, 0],
         "elbow": [0.5, 0.25, 0.15], "platform": [0.4, 0.2, 0],
         "links": [{"name": "tube"}, {"name": "rod", "length": 0.9}]},
    ],
    ids=["RUS", "SPS", "SPS with an axis", "UCS", "CUS"],
)  # fmt: skip
def test_bodies_of_mirrored_legs_are_where_they_were(leg):
    """Their frames are right-handed now: numbers and meshes in them are mirrored."""
    uneven = {
        "mass": 1.0,
        "center_of_mass": [0.01, 0.02, 0.03],
        "inertia": [[0.02, 0.001, 0.002], [0.001, 0.02, 0.003], [0.002, 0.003, 0.02]],
        "mesh": {"file": "a.glb", "position": [0.01, 0.02, 0.03], "rpy": [0.1, 0.2, 0.3]},
    }
    leg = SLIDING["leg"] | leg
    data = SLIDING | {"leg": leg | {"links": [link | uneven for link in leg["links"]]}}
    robot = gough.Robot.from_dict(data)
    listed = with_listed_legs(robot)
    for key, values in numbers(robot).items():
        np.testing.assert_allclose(numbers(listed)[key], values, atol=1e-12, err_msg=key)
    meshes = ([body.mesh for body in one.bodies if body.mesh] for one in (robot, listed))
    for own, its in zip(*meshes, strict=True):
        assert its.mirrored == own.mirrored
        np.testing.assert_allclose(its.position, own.position, atol=1e-12)
        np.testing.assert_allclose(its.rpy, own.rpy, atol=1e-12)
