"""What a robot cannot do at a pose, in words."""

import numpy as np
import pytest
from workspace_machines import bare, ring

import gough
from gough.kinematics.singularity.singularity import problems_at_home, singular_words
from gough.robot import Mechanism

SOUND = (
    *(name for name in gough.library_names() if not isinstance(gough.load(name), Mechanism)),
    *("agile-eye", "ankle-2spu", "delta", "five-bar", "knee", "octopod-8ups", "tricept"),
    "tripod-3prs",
)
"""All hexapods, and others of different kinds."""


def sound(size=1.0):
    """An ordinary machine: pairs of joints, near each other where the other body's are not."""
    base, platform = (
        np.array([[np.cos(a), np.sin(a), 0] for a in np.radians(angles)])
        for angles in ([10, 110, 130, 230, 250, 350], [50, 70, 170, 190, 290, 310])
    )
    return bare(size * base, 0.5 * size * platform, (0, 0, size))


@pytest.mark.parametrize("name", SOUND)
def test_the_library_is_sound(name):
    robot = gough.load(name)
    problems = problems_at_home(robot)
    if robot.platform.mass:
        assert problems == []
    else:  # a geometry by itself
        assert "the mass matrix is singular" in problems[0]


def test_similar_hexagons_are_singular_at_home():
    robot = bare(ring(1.0), ring(0.5), (0, 0, 1)).robot
    (problem,) = problems_at_home(robot)
    assert problem.startswith("at home singular: condition number of J ")


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_sound_machine_is_sound_at_any_size(size):
    model = sound(size)
    assert problems_at_home(model.robot) == []
    assert not model.is_singular(np.array(model.robot.home))


def test_a_platform_without_inertia_is_said_to_be_none():
    data = sound().robot.to_dict()
    data["platform"]["inertia"] = [0.0, 0.0, 0.0]
    (problem,) = problems_at_home(gough.Robot.from_dict(data))
    assert problem.startswith("the mass matrix is singular")


def test_each_leg_is_named_with_what_is_wrong_with_it():
    robot = gough.load("kalani-2016")
    for leg in (0, 3):
        at = robot.legs[leg]
        place = np.array(at.base) - np.array(at.platform)
        (words,) = singular_words(robot, gough.pose(place))
        assert words == f"singular: leg {leg + 1} has no length, hence no direction"
        (words,) = singular_words(robot, gough.pose(place + at.first_axis))
        assert words.startswith(f"singular: leg {leg + 1} stands along the first axis")


def test_a_leg_near_its_axis_is_worth_a_word():
    robot = gough.load("kalani-2016")
    leg, angle = robot.legs[2], np.radians(2)
    axis, up = np.array(leg.first_axis), np.array([0, 0, 1.0])
    along = np.cos(angle) * axis + np.sin(angle) * up
    turned = [0.3, -0.4, 0.2]
    carried = gough.poses.rotation(gough.pose([0, 0, 0], rotation_vector=turned)).apply(
        leg.platform
    )
    pose = gough.pose(np.array(leg.base) + along - carried, rotation_vector=turned)
    (words,) = singular_words(robot, pose)
    moved = 1 / np.sin(angle)
    expected = f"hip-3 moves {moved:.3g} times as much as the platform"
    assert words == f"near a singular configuration: {expected}"
