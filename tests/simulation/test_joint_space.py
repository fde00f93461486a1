"""Direct dynamics in joint space, with forward kinematics in the loop: the motion is the same."""

import numpy as np
import pytest
from drawn_machines import MACHINES

import gough
from gough.errors import GoughError, InputError
from gough.kinematics import pose_violation
from gough.report import report_page
from gough.simulation import Adaptive, Sampling, Stepper, rigid_plant

STEP = 2e-3


def moved(robot, joint_space, steps=40, substeps=1):
    """States under the forces that hold home, from a twist."""
    model, plant = gough.Model(robot), rigid_plant(robot)
    twist = np.array([0.2, -0.1, 0.15, 0.3, 0.2, -0.4])
    if "admissible" in dir(model):
        twist = model.admissible(np.array(robot.home), twist)
    stepper = Stepper(plant, STEP, substeps, joint_space=joint_space)
    stepper.reset(robot.home, twist)
    force = model.inverse_dynamics(robot.home)
    return np.array([stepper.step(force) for _ in range(steps)])


def test_both_coordinates_give_one_motion_of_fourth_order():
    """Their errors are of fourth order each: with half the step the gap is 16 times as small."""
    robot, gaps = gough.load("kalani-2016"), []
    for substeps in (1, 2):
        one, other = (moved(robot, c, substeps=substeps) for c in (False, True))
        gaps.append(np.abs(one - other).max())
    assert 1e-13 < gaps[1] < gaps[0] / 12 < 1e-6


@pytest.mark.parametrize("name", ["tricept"])
def test_mechanisms_move_alike_and_keep_their_constraints(name):
    """Also one whose twist basis turns."""
    robot = gough.load(name)
    one, other = (moved(robot, c) for c in (False, True))
    np.testing.assert_allclose(other, one, atol=1e-5)
    assert max(pose_violation(robot, pose).size for pose in other[:, :7]) < 1e-9


def test_the_platform_stays_where_its_actuators_hold_it():
    """q follows from the pose to rounding, and energy grows by the work of the forces."""
    robot = gough.load("kalani-2016")
    model, states = gough.Model(robot), moved(robot, True)
    pose, twist = states[:, :7], states[:, 7:13]
    found = model.forward_kinematics(model.inverse_kinematics(pose), pose)
    np.testing.assert_allclose(found.pose, pose, atol=1e-9)
    force = model.inverse_dynamics(robot.home)
    length = model.inverse_kinematics(pose)
    energy = model.energy(pose, twist).sum(axis=-1) - length @ force
    np.testing.assert_allclose(energy, energy[0], atol=1e-6 * np.abs(energy).max())


def test_a_study_states_its_space(tmp_path):
    study = {
        "schema": "gough-study/1",
        "name": "joints",
        "robot": "kalani-2016",
        "motion": {"kind": "line", "displacement": [0.0, 0.0, 0.02], "duration": 0.1},
        "controller": {"kind": "computed-torque", "gains": {"kp": 900.0, "kd": 60.0}},
        "simulation": {"period": 2e-3, "substeps": 2},
    }
    usual = gough.run(gough.Study.from_dict(study))
    study["simulation"]["integrator"] = "RK4-joint-space"
    joints = gough.run(gough.Study.from_dict(study))
    np.testing.assert_allclose(joints["pose"], usual["pose"], atol=1e-9)
    assert not np.array_equal(joints["pose"], usual["pose"])
    joints.save(tmp_path / "run")
    assert gough.Results.load(tmp_path / "run").simulation.sampling.joint_space
    assert "RK4 steps of 1 ms a sample in joint space" in report_page(joints)
    study["simulation"]["tolerance"] = 1e-6
    with pytest.raises(InputError, match="RK4-joint-space has none"):
        gough.Study.from_dict(study)


def test_where_joints_do_not_determine_the_pose_joint_space_is_refused():
    robot = MACHINES["4-RRR, redundant"](1)
    with pytest.raises(GoughError, match=r"RK4 in joint space needs .* expected RK4 in the pose"):
        Stepper(rigid_plant(robot), STEP, joint_space=True)
    own = gough.load("kalani-2016")
    with pytest.raises(GoughError, match=r"DOP853 integrates the pose, .* the usual sampling"):
        gough.Scenario(
            own,
            gough.simulation.computed_torque(900, 60),
            gough.motion.hold(own.home, 0.1),
            sampling=Sampling(joint_space=True),
            integrator=Adaptive(),
        )
