"""The parts of the actuator forces are the wrenches of Baiges 1996, 6.(24), and 6.(29)."""

import numpy as np
import pytest

import gough
from gough.poses import displace, transform

ROBOT = gough.load("baiges-1996")
MODEL = gough.Model(ROBOT)
CYLINDER, PISTON = ROBOT.legs[0].cylinder, ROBOT.legs[0].piston
M_E = PISTON.mass
GRAVITY = np.array(ROBOT.gravity)


def dots(a, b):
    return (a * b).sum(-1)


@pytest.fixture(scope="module")
def thesis():
    """W_gr, W_tan, W_cor, W_cent with their errata; what 6.(29) adds along each leg; J; parts."""
    draw = np.random.default_rng(4)
    pose = displace(ROBOT.home, draw.uniform(-0.1, 0.1, (50, 6)))
    twist, acceleration = draw.normal(size=(2, 50, 6))
    J = MODEL.jacobian(pose)
    s3 = J[..., :3]
    s1 = np.broadcast_to([1.0, 0.0, 0.0], s3.shape)
    s2 = np.cross(s1, s3)
    k1 = np.linalg.norm(s2, axis=-1)
    s2 /= k1[..., None]
    s23 = np.cross(s2, s3)
    omega = MODEL.leg_angular_velocity(pose, twist)
    alpha = MODEL.leg_angular_acceleration(pose, twist, acceleration)
    w1, w2 = dots(omega, s23) / -k1, dots(omega, s2)
    a1 = dots(alpha - (w1 * w2)[..., None] * np.cross(s1, s2), s23) / -k1  # 6.(21)
    a2 = dots(alpha, s2)
    L, L_dot = MODEL.inverse_kinematics(pose), MODEL.joint_velocity(pose, twist)
    E = L - PISTON.center_of_mass
    first = M_E * E + CYLINDER.mass * CYLINDER.center_of_mass
    second = M_E * E**2 + CYLINDER.mass * CYLINDER.center_of_mass**2
    inertia = np.diag(np.array(CYLINDER.inertia) + np.array(PISTON.inertia))
    Ixx, Izz = inertia[0], inertia[2]
    s3x, s23x = s3[..., 0], -k1
    coriolis = 2 * M_E * L_dot * E / L
    across = {  # on S2 and S23
        "leg_gravity": (-first / L * (s2 @ GRAVITY), -first / L * (s23 @ GRAVITY)),  # (24.b)
        "tangential": (  # (24.d)
            (second * k1 + (Ixx * s23x**2 + Izz * s3x**2) / k1) / L * a1,
            (second + Ixx) / L * a2,
        ),
        "coriolis": (coriolis * k1 * w1, coriolis * w2),  # (24.e)
        "centrifugal": (  # (24.f)
            2 * s3x / L * (second + s23x / k1 * (Izz - Ixx)) * w1 * w2,
            s3x * s23x / L * (second + Ixx - Izz) * w1**2,
        ),
    }
    arm = transform(pose[:, None], [leg.platform for leg in ROBOT.legs]) - pose[:, None, :3]
    wrenches = {
        name: sum(
            (f[..., None] * np.concatenate([s, np.cross(arm, s)], -1)).sum(1)
            for f, s in zip(forces, (s2, s23), strict=True)
        )
        for name, forces in across.items()
    }
    L_ddot = MODEL.joint_acceleration(pose, twist, acceleration)
    along = {
        "leg_gravity": -M_E * (s3 @ GRAVITY),
        "tangential": M_E * L_ddot,
        "coriolis": np.zeros_like(L),
        "centrifugal": -M_E * E * (w1**2 * (1 - s3x**2) + w2**2),
    }
    return wrenches, along, J, MODEL.wrench_decomposition(pose, twist, acceleration)


@pytest.mark.parametrize("part", ["leg_gravity", "tangential", "coriolis", "centrifugal"])
def test_a_part_is_the_wrench_of_the_thesis(thesis, part):
    wrenches, _, _, parts = thesis
    scale = np.abs(wrenches[part]).max()
    np.testing.assert_allclose(getattr(parts, part), wrenches[part], atol=1e-12 * scale)


def test_two_parts_are_what_actuators_need_for_their_own_pistons(thesis):
    _, along, J, parts = thesis
    moving = along["tangential"] + along["coriolis"] + along["centrifugal"]
    both = (parts.piston_gravity, along["leg_gravity"]), (parts.piston_inertia, moving)
    for part, forces in both:
        expected = np.einsum("nij,ni->nj", J, forces)
        np.testing.assert_allclose(part, expected, atol=1e-12 * np.abs(expected).max())


def test_forces_of_pistons_act_on_their_own_actuators_alone(thesis):
    _, along, _, _ = thesis
    draw = np.random.default_rng(4)
    pose = displace(ROBOT.home, draw.uniform(-0.1, 0.1, (50, 6)))
    twist, acceleration = draw.normal(size=(2, 50, 6))
    parts = MODEL.force_decomposition(pose, twist, acceleration)
    np.testing.assert_allclose(parts.piston_gravity, along["leg_gravity"], rtol=1e-9)
    assert np.abs(sum(parts) - MODEL.inverse_dynamics(pose, twist, acceleration)).max() < 1e-9
