"""Forward kinematics of machines of any kind: the pose that has these positions of the motors."""

import numpy as np
import pytest
from drawn_machines import FEW, MACHINES, delta, five_bar, planar, turned
from moved_machines import moved

import gough
from gough import GoughError, Status
from gough.poses import difference, displace


@pytest.mark.parametrize("name", [*FEW, "3-UPU", "3-RRRS", "motor at the platform"])
def test_the_pose_comes_back_from_the_positions_of_the_motors(name):
    model = gough.Model(MACHINES[name](1))
    poses = moved(model, 40, 2)
    assert len(poses) > 10
    found = model.forward_kinematics(model.inverse_kinematics(poses))
    assert found.converged.all()
    assert np.abs(difference(found.pose, poses)).max() < 1e-10
    assert found.residual.max() < 1e-12


@pytest.mark.parametrize("name", ["delta, ball-ended rods", "3-RRR", "five-bar", "tricept"])
def test_a_turned_machine_finds_its_poses_too(name):
    model = gough.Model(turned(MACHINES[name](3), 4))
    poses = moved(model, 20, 5)
    found = model.forward_kinematics(model.inverse_kinematics(poses))
    assert np.abs(difference(found.pose, poses)).max() < 1e-10


def test_a_path_is_followed_and_its_end_is_exact():
    model = gough.Model(MACHINES["6-RSS"](2))
    ends = moved(model, 8, 3, far=0.1)[:2]
    path = gough.poses.interpolate(ends[0], ends[1], np.linspace(0, 1, 50))
    found = model.forward_kinematics(model.inverse_kinematics(path), ends[0], along=True)
    assert found.converged.all()
    assert np.abs(difference(found.pose, path)).max() < 1e-10


def test_positions_that_no_pose_has_are_told_apart():
    model = gough.Model(planar(1, copies=4))
    q = model.inverse_kinematics(model.robot.home)
    assert model.forward_kinematics(q).status == Status.CONVERGED
    found = model.forward_kinematics(q + [0.05, 0, 0, 0])
    assert found.status == Status.IMPOSSIBLE_LENGTHS
    assert np.isnan(found.pose).all()
    assert found.residual > 1e-3


def test_arms_too_far_apart_for_their_rods_give_no_pose():
    model = gough.Model(five_bar(1))
    q = model.inverse_kinematics(model.robot.home)
    apart = model.forward_kinematics(q + [1.2, 1.2])
    assert np.isnan(apart.pose).all()
    assert apart.status in (Status.NO_CONVERGENCE, Status.SINGULAR)
    assert model.forward_kinematics(q * np.nan).status == Status.IMPOSSIBLE_LENGTHS


def test_a_delta_from_above_finds_the_assembly_mode_above():
    """From a guess on the other side of the elbows' plane; three spheres meet twice."""
    model = gough.Model(delta(2))
    q = model.inverse_kinematics(model.robot.home)
    above = model.forward_kinematics(q, [0, 0, 0.3, 1, 0, 0, 0])
    assert above.pose[2] > 0
    assert above.residual < 1e-12
    assert above.status == Status.OTHER_ASPECT  # the arms are bent as on no drawing


def test_what_the_machine_cannot_do_is_taken_out_of_the_guess():
    model = gough.Model(delta(2))
    q = model.inverse_kinematics(model.robot.home)
    guess = displace(np.array(model.robot.home), [0.01, 0, 0.02, 0.1, 0.2, 0.3])
    assert np.abs(model.forward_kinematics(q, guess).pose - model.robot.home).max() < 1e-12


def test_positions_outside_the_travel_are_said_to_be():
    robot = delta(1)
    joints = tuple(
        j.model_copy(update={"range": (-0.1, 0.1)}) if j.is_driven else j for j in robot.joints
    )
    model = gough.Model(robot.model_copy(update={"joints": joints}))
    lower = np.array(model.robot.home) + [0, 0, -0.05, 0, 0, 0, 0]
    found = model.forward_kinematics(model.inverse_kinematics(lower))
    assert found.status == Status.OUTSIDE_STROKE
    assert np.allclose(found.pose, lower, atol=1e-12)


def test_third_order_steps_are_refused_where_there_are_none():
    model = gough.Model(delta(1))
    with pytest.raises(GoughError, match="is for hexapods"):
        model.forward_kinematics(np.zeros(3), method="third-order")


@pytest.mark.parametrize(("way", "turn"), [(0.05, 0.1), (0.1, 0.2)])
def test_all_poses_of_an_h4_about_home_come_back(way, turn):
    model = gough.Model(gough.load("h4"))
    rng = np.random.default_rng(7)
    steps = rng.uniform(-1, 1, (2000, 4)) * [way, way, way, turn] @ model.robot.freedom_rows
    poses = displace(np.array(model.robot.home), steps)
    found = model.forward_kinematics(model.inverse_kinematics(poses))
    assert found.converged.all()
    assert np.abs(difference(found.pose, poses)).max() < 1e-9
