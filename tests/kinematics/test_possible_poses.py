"""Poses that a machine can take, and how far others leave its freedoms."""

import numpy as np
import pytest
from drawn_machines import FEW, MACHINES, delta, five_bar, passive_leg, planar, turned
from moved_machines import moved

import gough
from gough.kinematics import (
    acceleration_violation,
    pose_violation,
    twist_violation,
)
from gough.poses import displace, pose, transform


def test_a_five_bar_turns_as_it_must():
    """The platform's hinge to the left crank is as far from its hip as the crank is long."""
    model = gough.Model(five_bar(0))
    at = pose([[0.03, 0.5, 0.0], [-0.05, 0.6, 0.0]], rpy=[0, 0, 0.1])
    found = model.possible_pose(at)
    assert np.allclose(found.pose[:, :3], at[:, :3], atol=1e-15)
    elbow = transform(found.pose, np.array([-0.35, 0.3, 0.0]) - [0, 0.55, 0])
    crank = np.linalg.norm(elbow - [-0.2, 0, 0], axis=-1)
    assert np.allclose(crank, np.hypot(0.15, 0.3), atol=1e-12)
    assert (model.gap(at) > 1e-3).all()
    assert (model.gap(found.pose) < 1e-12).all()


def test_a_tricept_does_not_leave_its_passive_leg():
    """Its plunger goes through the origin, without turning about itself."""
    model = gough.Model(passive_leg(0))
    found = model.possible_pose(
        displace(np.array(model.robot.home), [0.05, 0, 0.02, 0.1, 0.2, 0.3])
    )
    x, y, z, *_ = found.pose
    R = gough.poses.rotation(found.pose).as_matrix()
    assert np.allclose(np.cross([x, y, z], R[:, 2]), 0, atol=1e-12)
    assert R[0] @ R[:, 1] < 1  # a rotation
    assert abs((R.T @ [1, 0, 0])[1]) < 1e-9  # the first axis stays across the second


@pytest.mark.parametrize("turn", [None, 3])
def test_a_delta_ignores_how_it_is_turned_and_says_so(turn):
    robot = delta(1) if turn is None else turned(delta(1), turn)
    home = np.array(robot.home)
    off = pose_violation(robot, displace(home, [[0.02, 0.01, 0, 0, 0, 0], [0, 0, 0, 0, 0.1, 0]]))
    assert off.size[0] < 1e-12
    assert off.worst.component == "ry"
    assert off.worst.unit == "rad"
    assert off.worst.deviation == pytest.approx(0.1)
    assert off.worst.where == (1,)


def test_a_planar_machine_stays_in_its_plane():
    robot = planar(2)
    away = displace(np.array(robot.home), [0.02, 0.01, 0.003, 0, 0, 0.4])
    worst = pose_violation(robot, away).worst
    assert (worst.component, worst.unit) == ("z", "m")
    assert worst.deviation == pytest.approx(0.003)
    assert gough.Model(robot).possible_pose(away).pose[:2] == pytest.approx(away[:2])


@pytest.mark.parametrize("name", FEW)
def test_steps_along_the_moves_stay_possible_to_first_order(name):
    """A small way along twist = T u leaves the possible poses by its square only."""
    model = gough.Model(MACHINES[name](2))
    poses = moved(model, 5, 1)
    T = model.twist_basis(poses)
    u = np.random.default_rng(0).uniform(-1, 1, (len(poses), T.shape[-1]))
    twists = np.einsum("nij,nj->ni", T, u)
    off = [
        pose_violation(model.robot, displace(poses, h * twists)).size.max() for h in (1e-3, 1e-4)
    ]
    assert off[1] < 0.02 * off[0] + 1e-12
    assert twist_violation(model.robot, poses, twists).size.max() < 1e-10


@pytest.mark.parametrize(
    "name", ["five-bar", "tricept", "3-RSS and fixed rods", "delta, universal joints"]
)
def test_forces_make_accelerations_that_the_machine_can_do(name):
    model = gough.Model(MACHINES[name](2))
    poses = moved(model, 5, 1)
    rng = np.random.default_rng(0)
    T = model.twist_basis(poses)
    twists = np.einsum("nij,nj->ni", T, rng.uniform(-1, 1, (len(poses), T.shape[-1])))
    forces = rng.uniform(-1, 1, (len(poses), model.structure.actuators))
    accelerations = model.forward_dynamics(poses, twists, forces, np.zeros(6))
    off = acceleration_violation(model.robot, poses, twists, accelerations)
    assert off.size.max() < 1e-8
    other = acceleration_violation(model.robot, poses, twists, accelerations + 1.0)
    assert other.size.min() > 1e-2


def test_every_pose_of_a_hexapod_is_possible():
    robot = gough.load("demo-hexapod")
    away = displace(np.array(robot.home), [0.02, 0.01, 0.003, 0.1, 0.2, 0.4])
    assert pose_violation(robot, away).size == 0
    assert gough.Model(robot).gap(away) == 0
