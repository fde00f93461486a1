"""A hexapod as a machine of any kind is the hexapod that Gough knows by its own derivations."""

import numpy as np
import pytest
from hexapod_drawing import drawn_hexapod
from mechanism_kernels import kernels

import gough

ROBOTS = ("demo-hexapod", "kalani-2016", "with balls")
SEEDS = range(3)


def robot_of(name):
    """Load a robot without joint friction, or one whose legs have balls at both ends and spin."""
    data = gough.load("kalani-2016" if name == "with balls" else name).to_dict()
    for leg in (*data["legs"], data.get("leg", {})):
        for key in ("joint_friction", "connector"):
            leg.pop(key, None)
    if name != "with balls":
        return gough.Robot.from_dict(data)
    for leg in data["legs"]:
        leg.pop("first_axis", None)
        leg["kind"] = "SPS"
    data["leg"] = data.get("leg", {}) | {"kind": "SPS"}
    return gough.Robot.from_dict(data)


def near_home(robot, seed):
    rng = np.random.default_rng(seed)
    home = np.array(robot.home)
    turn = np.array([1.0, *(0.1 * rng.standard_normal(3))])
    pose = np.concatenate([home[:3] * (1 + 0.05 * rng.standard_normal(3)), turn])
    return pose, *rng.standard_normal((3, 6))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ROBOTS)
def test_efforts_accelerations_and_matrices_are_the_hexapods(name, seed):
    robot = robot_of(name)
    model, k = gough.Model(robot), kernels(drawn_hexapod(robot))
    pose, twist, acceleration, wrench = near_home(robot, seed)
    pairs = [
        (k.inverse_kinematics(pose), model.inverse_kinematics(pose)),
        (k.jacobian(pose), model.jacobian(pose)),
        (k.joint_acceleration(pose, twist, acceleration),
         model.joint_acceleration(pose, twist, acceleration)),
        (k.inverse_dynamics(pose, twist, acceleration, wrench),
         model.inverse_dynamics(pose, twist, acceleration, wrench)),
        (k.forward_dynamics(pose, twist, 10 * wrench, wrench),
         model.forward_dynamics(pose, twist, 10 * wrench, wrench)),
        (k.mass_matrix(pose), model.mass_matrix(pose)),
        (k.bias(pose, twist), model.bias(pose, twist)),
        (k.gravity(pose), model.gravity(pose)),
        (k.energy(pose, twist), model.energy(pose, twist)),
        (k.momentum(pose, twist), model.momentum(pose, twist)),
    ]  # fmt: skip
    for ours, theirs in pairs:
        assert np.abs(ours - theirs).max() <= 1e-10 * np.abs(theirs).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_centers_are_the_hexapods(name):
    robot = robot_of(name)
    model, k = gough.Model(robot), kernels(drawn_hexapod(robot))
    pose, twist, acceleration, _ = near_home(robot, 4)
    pairs = [
        (k.mass_center_position(pose), model.mass_center_position(pose)),
        (k.mass_center_velocity(pose, twist), model.mass_center_velocity(pose, twist)),
        (k.mass_center_acceleration(pose, twist, acceleration),
         model.mass_center_acceleration(pose, twist, acceleration)),
    ]  # fmt: skip
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("name", ROBOTS)
def test_reactions_are_the_hexapods(name):
    robot = robot_of(name)
    model, k = gough.Model(robot), kernels(drawn_hexapod(robot))
    motion = near_home(robot, 5)
    (ours, moments), (theirs, their_moments) = (
        [
            np.einsum("kij,ki->kj", of.reaction_axes(motion[0]).axes, half)
            for half in of.reactions(*motion)
        ]
        for of in (k, model)
    )
    size = 1e-10 * np.abs(ours).max()
    np.testing.assert_allclose(ours, theirs, atol=size)
    at = np.arange(len(ours)) % 3 != 1  # slides have their centres elsewhere
    np.testing.assert_allclose(moments[at], their_moments[at], atol=size)
