"""The equation of motion in the platform's and in the motors' coordinates, along motions."""

import numpy as np
import pytest
from drawn_machines import MACHINES, turned
from mechanism_kernels import kernels
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.poses import displace

STEP = 1e-4
DETERMINED = (
    *("delta, ball-ended rods", "3-RPR", "five-bar", "3-RRRS", "tricept", "agile eye"),
    "orthoglide",
)
NAMES = (*DETERMINED, "4-RRR, redundant")
"""Two to six freedoms, in a plane, along axes, about axes and both; the legs of 3-RRRS iterate."""


def machine_and_state(name):
    mechanism = MACHINES[name](0)
    mechanism = turned(mechanism, 2) if name in ("3-RPR", "agile eye") else mechanism
    oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(3)
    return kernels(mechanism), oracle.random_state(rng), rng.standard_normal(6)


def rate(of_pose, state):
    """The time derivative by differences of fourth order along the motion."""
    ahead = [of_pose(displace(state.pose, k * STEP * state.twist)) for k in (-2, -1, 1, 2)]
    return (ahead[0] - 8 * ahead[1] + 8 * ahead[2] - ahead[3]) / (12 * STEP)


def assert_close(ours, theirs, tolerance=1e-8):
    assert np.abs(ours - theirs).max() <= tolerance * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("name", NAMES)
def test_coriolis_matrix_is_that_of_the_mass_matrix_rate(name):
    k, state, _ = machine_and_state(name)
    C = k.coriolis_matrix(state.pose, state.twist)
    assert_close(C + C.T, rate(k.mass_matrix, state))


@pytest.mark.parametrize("name", NAMES)
def test_coriolis_matrix_and_gravity_are_the_bias(name):
    k, state, _ = machine_and_state(name)
    u = k.mechanism.freedom_rows @ state.twist
    bias = k.coriolis_matrix(state.pose, state.twist) @ u + k.gravity(state.pose)
    assert_close(bias, k.bias(state.pose, state.twist), 1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_jacobian_rate_completes_the_joint_accelerations(name):
    k, state, _ = machine_and_state(name)
    J, J_dot = k.jacobian(state.pose), k.jacobian_rate(state.pose, state.twist)
    theirs = k.joint_acceleration(state.pose, state.twist, state.acceleration)
    assert_close(J @ state.acceleration + J_dot @ state.twist, theirs, 1e-10)
    assert_close(J_dot, rate(k.jacobian, state))


@pytest.mark.parametrize("name", DETERMINED)
def test_joint_coriolis_matrix_is_that_of_the_joint_mass_matrix_rate(name):
    k, state, _ = machine_and_state(name)
    C = k.joint_coriolis_matrix(state.pose, state.twist)
    assert_close(C + C.T, rate(k.joint_mass_matrix, state))


@pytest.mark.parametrize("name", DETERMINED)
def test_motors_feel_the_same_dynamics(name):
    k, state, wrench = machine_and_state(name)
    q_dot = k.joint_velocity(state.pose, state.twist)
    q_ddot = k.joint_acceleration(state.pose, state.twist, state.acceleration)
    M, C = k.joint_mass_matrix(state.pose), k.joint_coriolis_matrix(state.pose, state.twist)
    J_u, T = k.actuation_matrix(state.pose), k.twist_basis(state.pose)
    needed = M @ q_ddot + C @ q_dot + k.joint_gravity(state.pose)
    effort = needed - np.linalg.solve(J_u.T, T.T @ wrench)
    theirs = k.inverse_dynamics(state.pose, state.twist, state.acceleration, wrench)
    assert_close(effort, theirs, 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_power_of_the_motors_is_effort_times_rate(name):
    k, state, wrench = machine_and_state(name)
    motion = (state.pose, state.twist, state.acceleration, wrench)
    power = k.inverse_dynamics(*motion) * k.joint_velocity(state.pose, state.twist)
    assert_close(k.actuator_power(*motion), power, 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_the_efforts_are_the_whole(name):
    k, state, wrench = machine_and_state(name)
    motion = (state.pose, state.twist, state.acceleration, wrench)
    assert_close(sum(k.force_parts(*motion)), k.inverse_dynamics(*motion), 1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_the_efforts_are_those_of_the_equation_of_motion(name):
    k, state, wrench = machine_and_state(name)
    parts = k.force_parts(state.pose, state.twist, state.acceleration, wrench)
    S, J_u = k.mechanism.freedom_rows, k.actuation_matrix(state.pose)
    C = k.coriolis_matrix(state.pose, state.twist)
    needed = (
        k.gravity(state.pose),
        k.mass_matrix(state.pose) @ S @ state.acceleration,
        C @ S @ state.twist,
        -k.twist_basis(state.pose).T @ wrench,
    )
    for part, u_force in zip(parts, needed, strict=True):
        assert_close(J_u.T @ part, u_force, 1e-10)
        assert_close(part, np.linalg.lstsq(J_u.T, u_force, rcond=None)[0], 1e-9)


def test_a_platform_may_turn_about_the_line_along_which_it_slides():
    """A shaft that turns, and a sleeve on it: nothing is across the axis of both."""
    sleeve = {"mass": 3.0, "inertia": [0.005] * 3, "home": {"position": [0, 0, 0.5]}}
    shaft = {"name": "shaft", "mass": 1.0, "center_of_mass": [0, 0, 0.5], "inertia": [0.02] * 3}
    joints = [
        {"name": "turn", "type": "R", "between": ["base", "shaft"], "at": [0, 0, 0]},
        {"name": "slide", "type": "P", "between": ["shaft", "platform"], "at": [0, 0, 0.5]},
    ]
    joints = [joint | {"axis": [0, 0, 1], "driven": True} for joint in joints]
    parts = {"platform": sleeve | {"moves": ["z", "rz"]}, "bodies": [shaft], "joints": joints}
    model = gough.Model(gough.Robot.from_dict({"schema": "gough/2", "name": "sleeve", **parts}))
    pose = gough.pose([0, 0, 0.6], rpy=[0, 0, 0.3])
    np.testing.assert_allclose(model.inverse_kinematics(pose), [0.3, 0.1], atol=1e-12)
    acceleration = np.array([0, 0, 2.0, 0, 0, 5.0])
    efforts = model.inverse_dynamics(pose, np.zeros(6), acceleration, np.zeros(6))
    np.testing.assert_allclose(efforts, [0.025 * 5, 3 * (9.81 + 2)], rtol=1e-12)
