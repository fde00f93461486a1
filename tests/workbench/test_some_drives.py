"""Machines of which only some actuators have a drive: the page has what is known of these."""

import numpy as np
from drawings import changed
from drawn_machines import MACHINES

import gough
from gough.analysis.evaluation import OF_MOTORS, demands_function
from gough.compiler.native.kernel import Kernel
from gough.model.machines import Machines
from gough.plots.shapes import shape_of
from gough.robot import parameters_of
from gough.workbench.writing import functions


def test_motors_without_a_drive_have_no_torque_and_the_others_have_theirs():
    drive = gough.load("five-bar").driven[0].drive
    drawn = MACHINES["five-bar"](1)
    first, second = drawn.driven
    joints = {second.name: changed(second, drive=drive)}
    robot = changed(drawn, joints=tuple(joints.get(j.name, j) for j in drawn.joints))
    both = {j.name: changed(j, drive=drive) for j in (first, second)}
    whole = changed(drawn, joints=tuple(both.get(j.name, j) for j in drawn.joints))
    given = np.array([0.5, -0.7]), np.array([3.0, 4.0]), np.array([1.0, -2.0])
    found, every = (
        Kernel(demands_function(Machines(x, parametric=True)))(parameters_of(x), *given)
        for x in (robot, whole)
    )
    for name in OF_MOTORS:
        ours = getattr(found, name)
        assert np.isnan(ours[0])
        assert ours[1] == getattr(every, name)[1]
    names = [function.name for function in functions(robot, shape_of(robot, robot.home))]
    assert "motor_demands" in names
