"""What a motion takes on yielding legs: the forces found, fed to the forward model, must do it."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline
from simulation.motions import screw_motion

import gough
from gough.equations.connector import MODES
from gough.motion import Constant
from gough.simulation.adaptive import Adaptive, integrate
from gough.simulation.compliant_inverse import compliant_inverse
from gough.simulation.outcome import pose_errors
from gough.simulation.real_plant import real_plant

PUSH = (60.0, -40.0, 90.0)


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.mark.parametrize("legs", MODES)
def test_the_forward_model_follows_the_motion_under_the_forces_found(robot, legs):
    motion, push = screw_motion(robot, duration=0.4, travel=0.03), Constant(PUSH)
    demand = compliant_inverse(robot, motion, legs=legs, tasks=[push], samples=801)
    plant = real_plant(robot, legs=legs, drives=False, joint_friction=False, stops=False)
    start = plant.start(motion(0.0).pose)
    if legs != "rigid":
        # the plant's own start knows no push; these states do
        free = [leg.piston.center_of_mass for leg in robot.legs]
        start[13:19] = demand.actuator_length[0] - free
        start[19:25] = demand.coupling_deflection[0]
        start[31:37] = demand.actuator_speed[0]
    times = np.linspace(0.0, 0.4, 101)
    found = integrate(
        plant,
        start,
        times,
        make_interp_spline(demand.time, demand.force, k=5),
        wrench=lambda t: push.wrench(t, motion(t)),
        integrator=Adaptive("LSODA", 1e-9, 1e-12),
    )
    wanted = motion(times)
    assert np.abs(pose_errors(wanted.pose, found.pose)).max() < 2e-7
    assert np.abs(wanted.twist - found.twist).max() < 1e-5


def test_rigid_legs_need_what_the_rigid_model_says_besides_friction(robot):
    motion = screw_motion(robot, duration=0.4)
    demand = compliant_inverse(robot, motion, legs="rigid", samples=101)
    samples = motion(demand.time)
    model = gough.Model(robot)
    rubbing = 150.0 * model.joint_velocity(samples.pose, samples.twist)
    np.testing.assert_allclose(demand.force, model.inverse_dynamics(*samples) + rubbing, rtol=1e-9)


def test_springs_that_are_too_soft_for_the_motion_are_refused(robot):
    data = robot.to_dict()
    data["leg"]["connector"]["stiffness"] = 500.0
    soft = gough.Robot.from_dict(data)
    with pytest.raises(gough.GoughError, match="the actuators' motion is not found"):
        compliant_inverse(soft, screw_motion(robot, duration=0.1), legs="simple", samples=101)
