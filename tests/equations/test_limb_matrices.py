"""Mᵢ, Cᵢ and Gᵢ of a limb: together with the platform they are the machine's own dynamics."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough

ROBOTS = ("kalani-2016", "demo-hexapod")


def state(seed, model):
    rng = np.random.default_rng(seed)
    pose = np.array(model.robot.home) + np.r_[0.02 * rng.normal(size=3), 0.05 * rng.normal(size=4)]
    return pose, rng.normal(size=6), rng.normal(size=6)


def joints(robot, pose, twist, acceleration):
    """Offsets, velocities and accelerations (6, 3) of the platform joints."""
    R = Rotation.from_quat(pose[[4, 5, 6, 3]])
    b = R.apply([leg.platform for leg in robot.legs])
    omega, alpha = twist[3:], acceleration[3:]
    velocity = twist[:3] + np.cross(omega, b)
    swung = np.cross(alpha, b) + np.cross(omega, np.cross(omega, b))
    return b, velocity, acceleration[:3] + swung


def platform_wrench(robot, pose, twist, acceleration):
    R = Rotation.from_quat(pose[[4, 5, 6, 3]]).as_matrix()
    m, c = robot.platform.mass, R @ robot.platform.center_of_mass
    I = R @ np.array(robot.platform.inertia) @ R.T
    omega, alpha = twist[3:], acceleration[3:]
    a = acceleration[:3] + np.cross(alpha, c) + np.cross(omega, np.cross(omega, c))
    force = m * (a - robot.gravity)
    return np.r_[force, I @ alpha + np.cross(omega, I @ omega) + np.cross(c, force)]


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("seed", range(5))
def test_limbs_and_platform_need_what_inverse_dynamics_says(name, seed):
    model = gough.Model(gough.load(name))
    pose, twist, acceleration = state(seed, model)
    b, v, a = joints(model.robot, pose, twist, acceleration)
    M, C, G = model.limb_matrices(pose, twist)
    force = np.einsum("kij,kj->ki", M, a) + np.einsum("kij,kj->ki", C, v) + G
    wrench = platform_wrench(model.robot, pose, twist, acceleration)
    wrench += np.r_[force.sum(axis=0), np.cross(b, force).sum(axis=0)]
    expected = model.jacobian(pose).T @ model.inverse_dynamics(pose, twist, acceleration)
    np.testing.assert_allclose(wrench, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", ROBOTS)
def test_rates_of_limb_masses_less_twice_their_coriolis_matrices_are_skew(name):
    model = gough.Model(gough.load(name))
    pose, twist, _ = state(7, model)
    h = 1e-6

    def masses(t):
        turned = Rotation.from_rotvec(t * twist[3:]) * Rotation.from_quat(pose[[4, 5, 6, 3]])
        moved = np.r_[pose[:3] + t * twist[:3], turned.as_quat()[[3, 0, 1, 2]]]
        return model.limb_matrices(moved, twist).M

    rate = (masses(h) - masses(-h)) / (2 * h)
    skew = rate - 2 * model.limb_matrices(pose, twist).C
    assert np.abs(skew + skew.swapaxes(-1, -2)).max() < 1e-6 * np.abs(rate).max()
