"""Forward kinematics along paths: each sample starts where the last one was found."""

import numpy as np
import pytest
from forward_samples import leg_lengths
from scipy.spatial.transform import Rotation

from gough.kinematics.forward.forward import forward_kinematics
from gough.kinematics.forward.kernel import Status
from gough.kinematics.model import Model
from gough.kinematics.size import machine_size
from gough.poses import distance, pose, rotation
from gough.robot import load


@pytest.fixture(scope="module")
def kalani():
    return Model(load("kalani-2016"))


@pytest.fixture(scope="module")
def dietmaier():
    return Model(load("dietmaier-1998"))


def wave(samples, seed, paths=()):
    """Smooth random poses about (0, 0, 1): up to 0.4 m and 0.4 rad away."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 2 * np.pi, samples)[:, None]
    amplitudes, phases = rng.uniform(-0.4, 0.4, (*paths, 1, 6)), rng.uniform(0, 6, (*paths, 1, 6))
    values = amplitudes * np.sin(t + phases)
    return pose(values[..., :3] + [0, 0, 1], rpy=values[..., 3:])


def straight(model, samples, seed, paths, length):
    """Screw motions away from home, far enough to meet singularities."""
    rng = np.random.default_rng(seed)
    way = rng.normal(size=(paths, 1, 6))
    way *= length / np.linalg.norm(way, axis=-1, keepdims=True)
    offsets = way * np.linspace(0, 1, samples)[:, None]
    home = np.array(model.robot.home)
    turned = Rotation.from_rotvec(offsets[..., 3:]) * rotation(home)
    return pose(home[:3] + offsets[..., :3], rotation=turned)


@pytest.mark.parametrize("method", ["newton", "third-order"])
def test_a_path_is_followed(kalani, method):
    path = wave(400, 0)
    found = forward_kinematics(kalani, leg_lengths(kalani.robot, path), along=True, method=method)
    assert found.converged.all()
    assert distance(found.pose, path, machine_size(kalani.robot)).max() < 1e-13
    assert found.iterations[1:].max() <= 4


def test_many_paths_go_side_by_side_as_each_alone(kalani):
    paths = wave(60, 1, paths=(3, 4))
    q = leg_lengths(kalani.robot, paths)
    together = forward_kinematics(kalani, q, along=True)
    assert together.pose.shape == (3, 4, 60, 7)
    assert distance(together.pose, paths, machine_size(kalani.robot)).max() < 1e-13
    alone = forward_kinematics(kalani, q[2, 1], along=True)
    for name in ("pose", "residual", "iterations", "status"):
        np.testing.assert_array_equal(getattr(alone, name), getattr(together, name)[2, 1])


def test_along_is_the_same_as_a_loop_of_calls(kalani):
    q = leg_lengths(kalani.robot, wave(50, 2))
    found, guess = forward_kinematics(kalani, q, along=True), None
    for k in range(50):
        one = forward_kinematics(kalani, q[k], guess)
        np.testing.assert_array_equal(one.pose, found.pose[k])
        assert one.iterations == found.iterations[k]
        guess = one.pose


def test_each_path_may_have_its_own_start(kalani):
    """From below the base: the mirrored assembly mode, all the way."""
    path = wave(50, 3)
    q = leg_lengths(kalani.robot, np.stack([path, path]))
    starts = pose([[0, 0, 1], [0, 0, -1]])
    found = forward_kinematics(kalani, q, starts, along=True)
    assert found.converged.all()
    assert (found.pose[0, :, 2] > 0).all()
    assert (found.pose[1, :, 2] < 0).all()
    np.testing.assert_allclose(leg_lengths(kalani.robot, found.pose), q, atol=1e-14)


def test_following_reaches_poses_that_home_does_not(dietmaier):
    path = straight(dietmaier, 400, 0, paths=60, length=1.2)
    q = leg_lengths(dietmaier.robot, path)
    sides = np.sign(np.linalg.det(dietmaier.jacobian(path)))
    connected = np.logical_and.accumulate(sides == sides[:, :1], axis=1)[:, -1]
    assert connected.sum() > 10
    far = path[connected, -1]
    from_home = forward_kinematics(dietmaier, q[connected, -1])
    followed = forward_kinematics(dietmaier, q[connected], along=True)
    right_from_home = distance(from_home.pose, far, machine_size(dietmaier.robot)) < 1e-6
    right_followed = distance(followed.pose[:, -1], far, machine_size(dietmaier.robot)) < 1e-6
    assert right_followed.all()
    assert not right_from_home.all()


def test_a_bad_sample_does_not_harm_the_others(kalani):
    path = wave(100, 4)
    q = leg_lengths(kalani.robot, path)
    q[40:43, 2] = np.nan
    q[70] = -1.0
    found = forward_kinematics(kalani, q, along=True)
    bad = np.isin(np.arange(100), [40, 41, 42, 70])
    assert (found.status[bad] == Status.IMPOSSIBLE_LENGTHS).all()
    assert found.converged[~bad].all()
    assert distance(found.pose[~bad], path[~bad], machine_size(kalani.robot)).max() < 1e-13


@pytest.mark.parametrize("samples", [50, 300, 2000])
@pytest.mark.parametrize("name", ["kalani-2016", "dietmaier-1998"])
def test_no_wrong_pose_goes_without_a_flag_when_paths_meet_singularities(name, samples):
    """Most of these paths cross one; which assembly mode goes on is not in the leg lengths."""
    model = Model(load(name))
    path = straight(model, samples, 1, paths=150, length=2.0)
    found = forward_kinematics(model, leg_lengths(model.robot, path), along=True)
    sides = np.sign(np.linalg.det(model.jacobian(path)))
    before = np.logical_and.accumulate(sides == sides[:, :1], axis=1)
    assert (~before).any(1).mean() > 0.4
    wrong = found.converged & ~(distance(found.pose, path, machine_size(model.robot)) < 1e-6)
    assert not wrong.any()
    assert found.converged[before].mean() > 1 - 5 / samples


def test_doubt_is_kept_until_the_end(kalani):
    """To a singularity and back: the way back may be that of another mode."""
    there = np.linspace(0, 89.5, 200)
    yaw = np.concatenate([there, there[::-1]])
    path = pose(np.tile([0.05, 0.02, 1], (400, 1)), rpy=np.radians([[3, 5, y] for y in yaw]))
    found = forward_kinematics(kalani, leg_lengths(kalani.robot, path), along=True)
    first = np.flatnonzero(found.status == Status.UNCERTAIN)[0]
    assert 190 < first <= 200
    assert (found.status[first:] == Status.UNCERTAIN).all()
    assert found.converged[:first].all()


def test_a_leap_is_uncertain(kalani):
    path = np.stack([pose([0, 0, 1]), pose([0, 0, 1.01]), pose([0.3, 0.3, 1.3]), pose([0, 0, 1])])
    found = forward_kinematics(kalani, leg_lengths(kalani.robot, path), along=True)
    expected = [Status.CONVERGED, Status.CONVERGED, Status.UNCERTAIN, Status.UNCERTAIN]
    assert found.status.tolist() == expected


def test_poses_behind_a_singularity_stay_flagged(kalani):
    """A start on one side and a path on the other one: every sample says so."""
    start = pose([0, 0, 1], rpy=[0.05, 0.08, 0.0])
    yaw = np.radians(np.linspace(120, 130, 20))
    path = pose(np.tile([0.05, 0.02, 1], (20, 1)), rpy=[[0.05, 0.08, y] for y in yaw])
    q = leg_lengths(kalani.robot, path)
    near = forward_kinematics(kalani, q, path[0], along=True)
    assert near.converged.all()
    found = forward_kinematics(kalani, q, start, along=True)
    sides = np.linalg.det(kalani.jacobian(found.pose)) * np.linalg.det(kalani.jacobian(start))
    np.testing.assert_array_equal(sides < 0, found.status == Status.OTHER_ASPECT)


def test_empty_paths_are_empty(kalani):
    assert forward_kinematics(kalani, np.empty((0, 6)), along=True).pose.shape == (0, 7)
    assert forward_kinematics(kalani, np.empty((0, 9, 6)), along=True).pose.shape == (0, 9, 7)


def test_a_parametric_model_follows_paths_too(kalani):
    path = wave(30, 5)
    model = Model(kalani.robot, parametric=True)
    found = forward_kinematics(model, leg_lengths(kalani.robot, path), along=True)
    assert distance(found.pose, path, machine_size(kalani.robot)).max() < 1e-13
