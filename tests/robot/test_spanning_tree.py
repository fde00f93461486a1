"""One tree of bodies and joints for every use: which joints it keeps, and in which order."""

import pytest

import gough
from gough.robot import library_names
from gough.robot.home.spanning import kept_first, spanning_tree, welded, welds_kept_first
from gough.robot.mechanism import BASE, PLATFORM


@pytest.mark.parametrize("name", library_names())
@pytest.mark.parametrize("order", [kept_first, welds_kept_first])
def test_a_tree_reaches_every_body_once_from_one_that_it_has_reached(name, order):
    home = gough.load(name).bodies_and_joints
    reached = {BASE}
    for joint, carrier, body in spanning_tree(sorted(home.joints, key=order)):
        assert carrier in reached
        assert body not in reached
        assert {carrier, body} == {*joint.between}
        reached.add(body)
    assert reached == {BASE, *home.bodies}


@pytest.mark.parametrize("name", library_names())
def test_the_order_alone_decides_what_is_cut(name):
    """Kruskal's algorithm, which begins nowhere, keeps the same joints as Prim's."""
    home = gough.load(name).bodies_and_joints
    joints = sorted(home.joints, key=kept_first)
    group = {body: body for body in (BASE, *home.bodies)}
    kept = set()
    for joint in joints:
        first, second = (group[body] for body in joint.between)
        if first != second:
            kept.add(joint.name)
            group = {body: first if at == second else at for body, at in group.items()}
    assert {branch.joint.name for branch in spanning_tree(joints)} == kept


def test_no_motor_is_cut_and_balls_are():
    home = gough.load("delta").bodies_and_joints
    kept = {branch.joint.name for branch in spanning_tree(sorted(home.joints, key=kept_first))}
    cut = [joint for joint in home.joints if joint.name not in kept]
    assert {joint.type for joint in cut} == {"S"}
    assert not any(joint.driven for joint in cut)


def test_a_tree_stays_within_the_bodies_that_it_may_reach():
    joints = gough.load("delta").bodies_and_joints.joints
    assert {branch.body for branch in spanning_tree(joints, within={"arm-1", "rod-2a"})} == {
        "arm-1"
    }
    assert PLATFORM not in {branch.body for branch in spanning_tree(joints, PLATFORM)}


def test_bodies_that_are_fixed_to_each_other_are_called_by_one_name():
    robot = gough.load("delta")
    names = [body.name for body in robot.listed_bodies]
    assert welded(names, robot.listed_joints) == {x: x for x in (BASE, PLATFORM, *names)}
