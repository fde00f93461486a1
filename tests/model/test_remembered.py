"""What is compiled is shared by all who ask for the same, and kept within bounds."""

import gc
import weakref

import numpy as np

import gough
from gough.compiler.memo import KEPT, forget, remembered
from gough.kinematics.singularity.singularity import determinant
from gough.model.machines import Machines


def test_models_of_equal_robots_share_their_kernels():
    one, other = (gough.Model(gough.load("demo-hexapod")) for _ in range(2))
    assert one.inverse_kinematics is other.inverse_kinematics
    assert one.derivative("jacobian", "pose") is other.derivative("jacobian", "pose")
    assert determinant(one.machines) is determinant(other.machines)


def test_robots_of_one_structure_share_what_takes_their_numbers():
    """The numbers are those of the robot that is asked, not of the one that was compiled for."""
    undriven = gough.load("bingul-2012").to_dict()
    del undriven["leg"]["drive"]
    robots = [gough.Robot.from_dict(undriven), gough.load("kalani-2016")]
    models = [gough.Model(robot, parametric=True) for robot in robots]
    assert Machines(robots[0], parametric=True) == Machines(robots[1], parametric=True)
    assert models[0].jacobian is models[1].jacobian
    for robot, model in zip(robots, models, strict=True):
        expected = np.linalg.det(gough.Model(robot).jacobian(robot.home))
        found = determinant(model.machines)(model.parameters, robot.home)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_robot_is_not_taken_for_all_of_its_structure():
    robot = gough.load("demo-hexapod")
    assert Machines(robot) != Machines(robot, parametric=True)
    assert gough.Model(robot).jacobian is not gough.Model(robot, parametric=True).jacobian


def test_those_used_last_are_kept_and_others_are_not():
    class Thing:
        pass

    made = weakref.WeakSet()

    @remembered
    def thing(number):
        found = Thing()
        made.add(found)
        return found

    first = thing(0)
    for number in range(1, 2 * KEPT):
        thing(number)
        assert thing(0) is first
    gc.collect()
    assert len(made) <= KEPT
    forget()
    assert thing(0) is not first
