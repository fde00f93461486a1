"""Limits one by one: each against what it says of joints, and all together against margins."""

import numpy as np
import pytest
from workspace_machines import margins_by_hand

import gough
from gough.compiler import Kernel
from gough.kinematics.workspace.reach import ALL_LIMITS, FAMILIES, Limits, margins, single_margins
from gough.kinematics.workspace.stated_limits import ends_of, single_limits

ROBOTS = ["demo-hexapod", "delta", "tricept", "tripod-3rps"]


def poses_around(robot, count, spread):
    rng = np.random.default_rng(2)
    return np.array(robot.home) + spread * rng.normal(size=(count, 7))


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_least_of_each_family_is_its_margin(robot):
    model = gough.Model(gough.load(robot))
    poses = poses_around(model.robot, 300, 0.03)
    each = Kernel(single_margins(model.robot, ALL_LIMITS))(poses)
    limits, together = single_limits(model.robot, FAMILIES), margins(model, poses)
    families = np.array([limit.family for limit in limits])
    assert each.shape == (300, len(limits))
    for k, family in enumerate(ends_of(model.robot)[: len(FAMILIES)]):
        mine = each[:, families == family]
        np.testing.assert_array_equal(mine.min(1, initial=np.inf), together[:, k], err_msg=family)


def test_how_far_inside_is_told_in_the_limits_own_unit():
    robot = gough.load("demo-hexapod")
    limits, kernel = single_limits(robot, FAMILIES), Kernel(single_margins(robot, ALL_LIMITS))
    for pose in poses_around(robot, 50, 0.1):
        inside = {family: [] for family in FAMILIES}
        for limit, margin in zip(limits, kernel(pose), strict=True):
            inside[limit.family].append(limit.inside(margin))
        found = [min(inside[family]) for family in FAMILIES[:4]]
        np.testing.assert_allclose(found, margins_by_hand(robot, pose), atol=1e-12)


def test_a_parametric_function_answers_for_the_parameters():
    robot = gough.load("demo-hexapod")
    of_stroke = Limits(("stroke",))
    model = gough.Model(robot, parametric=True)
    kernel = Kernel(single_margins(robot, of_stroke, parametric=True))
    parameters, home = model.parameters.copy(), np.array(robot.home)
    before = kernel(parameters, home)
    parameters[model.parameter_names.index("legs[0].base.z")] -= 0.01
    changed = kernel(parameters, home) - before
    assert changed[0] != 0
    np.testing.assert_array_equal(changed[1:], 0.0)


@pytest.mark.parametrize(("name", "word"), [("demo-hexapod", "stroke"), ("delta", "range")])
def test_the_word_for_the_travel_follows_the_motors(name, word):
    robot = gough.load(name)
    assert ends_of(robot)[0] == word
    assert {limit.family for limit in single_limits(robot, ("stroke",))} == {word}


def test_names_are_those_of_actuators_joints_and_pairs():
    limits = single_limits(gough.load("demo-hexapod"), FAMILIES)
    assert limits[0].of == ("leg 1",)
    assert ("leg 1", "leg 2") in {limit.of for limit in limits if limit.family == "clearance"}
    assert limits[-1].family == "singularity"
    delta = gough.load("delta")
    names = {name for limit in single_limits(delta, FAMILIES) for name in limit.of}
    known = {j.name for j in delta.joints} | {b.name for b in delta.bodies}
    assert names <= known | {a.name for a in delta.actuators}
