"""Demands on motors and the Cartesian model with actuators, against the formulas by hand."""

from math import pi

import numpy as np
import pytest

import gough
from gough.compiler import Kernel


def random_state(robot, seed=0):
    rng = np.random.default_rng(seed)
    model = gough.Model(robot)
    twist, acceleration = (model.admissible(robot.home, x) for x in rng.normal(size=(2, 6)))
    return model, np.array(robot.home), 0.2 * twist, acceleration, 20 * rng.normal(size=6)


@pytest.mark.parametrize("name", ["demo-hexapod", "delta", "tricept", "five-bar"])
def test_motors_give_what_actuators_rotors_and_losses_need(name):
    robot = gough.load(name)
    model, *state = random_state(robot)
    found = model.motor_demand(*state)
    speed, second = model.joint_velocity(*state[:2]), model.joint_acceleration(*state[:3])
    force = model.actuator_force(*state)
    for k, actuator in enumerate(robot.actuators):
        d = actuator.drive
        part = "gear" if actuator.turns else "screw"
        ratio = d.gear_ratio * (1 if actuator.turns else 2 * pi / d.screw_lead)
        turning = np.tanh(ratio * speed[k] / 1.0)
        inertia = d.rotor_inertia + getattr(d, f"{part}_inertia") / d.gear_ratio**2
        viscous = d.rotor_damping + getattr(d, f"{part}_damping") / d.gear_ratio**2
        dry = d.rotor_friction + getattr(d, f"{part}_friction") / d.gear_ratio
        lost = turning * np.sign(force[k]) * (1 / d.efficiency - 1)  # as much either way
        torque = (
            inertia * ratio * second[k]
            + viscous * ratio * speed[k]
            + dry * turning
            + (1 + lost) * force[k] / ratio
        )
        current = torque / d.torque_constant
        voltage = d.resistance * current + d.back_emf * ratio * speed[k]
        assert found.motor_speed[k] == pytest.approx(ratio * speed[k])
        assert found.motor_torque[k] == pytest.approx(torque)
        assert found.current[k] == pytest.approx(current)
        assert found.voltage[k] == pytest.approx(voltage)


def test_the_cartesian_model_gives_the_motor_torques_of_linear_drives():
    robot = gough.load("bingul-2012")  # whose drives have neither dry friction nor losses
    model, pose, twist, acceleration, _ = random_state(robot)
    M, N, G = model.motor_matrices(pose, twist)
    expected = model.motor_demand(pose, twist, acceleration).motor_torque
    np.testing.assert_allclose(M @ acceleration + N @ twist + G, expected, rtol=1e-9)


def test_motors_of_a_machine_with_fewer_degrees_of_freedom_follow_its_own_velocities():
    data = gough.load("delta").to_dict()
    for joint in data["joints"]:
        joint.get("drive", {}).update(efficiency=1.0, rotor_friction=0.0)
        joint.pop("friction", None)
        joint.pop("damping", None)
    robot = gough.Robot.from_dict(data)
    model, pose, twist, acceleration, _ = random_state(robot, 3)
    M, N, G = model.motor_matrices(pose, twist)
    expected = model.motor_demand(pose, twist, acceleration).motor_torque
    found = M @ acceleration[:3] + N @ twist[:3] + G
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_derivatives_of_motor_torques_are_exact():
    model, *state = random_state(gough.load("bingul-2012"), 5)
    torque = model.function("motor_demand").jacobian("motor_torque", "acceleration")
    M = model.motor_matrices(*state[:2]).M_c
    np.testing.assert_allclose(Kernel(torque)(*state), M, rtol=1e-9, atol=1e-12)


def test_machines_without_drives_have_no_such_kernels():
    model = gough.Model(gough.load("kalani-2016"))
    with pytest.raises(AttributeError):
        _ = model.motor_demand
