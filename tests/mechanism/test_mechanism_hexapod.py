"""A hexapod as a machine of any kind is the hexapod that Gough knows by its own derivations."""

import numpy as np
import pytest
from hexapod_drawing import drawn_hexapod
from mechanism_kernels import kernels

import gough

ROBOTS = ("demo-hexapod", "kalani-2016", "with balls")
SEEDS = range(3)


def robot_of(name):
    """Load a robot, or one whose legs have balls at both ends and spin as they like."""
    if name != "with balls":
        return gough.load(name)
    data = gough.load("kalani-2016").to_dict()
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
    ]  # fmt: skip
    for ours, theirs in pairs:
        assert np.abs(ours - theirs).max() <= 1e-10 * np.abs(theirs).max()
