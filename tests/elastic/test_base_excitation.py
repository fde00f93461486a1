"""A base that goes along and turns about its axes: closed forms, gravity, points, all machines."""

import numpy as np
import pytest

import gough
from gough.elastic import damped, elastic_state_space, frequency_response
from gough.model.actuators import joint_frictions_of
from tests.samples.cubic import cubic
from tests.samples.yielding import yielding

A, K, MASS, INERTIA, ZETA = 0.2, 1e6, 1.0, 0.01, 0.03
HERTZ = np.array([5.0, 120.0, 260.0, 900.0])


def shaken(robot, hertz=HERTZ, **options):
    system = elastic_state_space(robot, **options)
    return frequency_response(system, hertz, "acceleration", "base")


def lever(arm):
    """v + ω × arm, written out."""
    x, y, z = arm
    found = np.eye(6)
    found[:3, 3:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return found


def test_a_cube_follows_in_six_ways_of_one_freedom_each():
    stiffness = K * np.array([2, 2, 2, A**2 / 2, A**2 / 2, 2 * A**2])
    omega, s = np.sqrt(stiffness / ([MASS] * 3 + [INERTIA] * 3)), 2j * np.pi * HERTZ[:, None]
    follow = (2 * ZETA * omega * s + omega**2) / (s**2 + 2 * ZETA * omega * s + omega**2)
    found = shaken(cubic(A), damping_ratio=ZETA)
    np.testing.assert_allclose(found.values, follow[..., None] * np.eye(6), atol=1e-9)
    turns = np.sqrt(np.mean(np.abs(follow[:, 3:]) ** 2, axis=1))
    np.testing.assert_allclose(found.rotational_transmissibility, turns, rtol=1e-9)
    assert found.input_units == found.output_units == ("m/s^2",) * 3 + ("rad/s^2",) * 3


def test_points_of_platform_and_base_are_those_of_rigid_bodies():
    """A tool on the platform moves with it, and a pivot beside the base's origin moves that."""
    robot, tool, pivot = cubic(A), np.array([0.1, -0.2, 0.3]), np.array([0.3, 0.5, -0.1])
    found = shaken(robot, damping_ratio=ZETA, tool=tool, pivot=pivot).values
    expected = lever(tool) @ shaken(robot, damping_ratio=ZETA).values @ lever(-pivot)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    system = elastic_state_space(robot, tool=tool)
    C = frequency_response(system, [0.0], "displacement", "wrench").values[0]
    at_origin = np.diag(1 / (K * np.array([2, 2, 2, A**2 / 2, A**2 / 2, 2 * A**2])))
    np.testing.assert_allclose(C, lever(tool) @ at_origin @ lever(tool).T, atol=1e-15)


def test_slowly_a_platform_goes_where_its_base_takes_it_and_quickly_nowhere():
    changes = {"leg.connector": None, "gravity": [0, 0, 0]}
    robot = gough.load("demo-hexapod").replace(changes)
    tool, pivot = np.array([0.2, 0.1, 0.3]), np.array([-0.4, 0.2, 0.1])
    arm = np.array(robot.home)[:3] + tool - pivot
    slow = shaken(robot, [0.05], tool=tool, pivot=pivot).values[0]
    np.testing.assert_allclose(slow, lever(arm), atol=1e-5)
    light = cubic(A, offset=0.05)
    centre = np.array(light.platform.center_of_mass)
    quick = shaken(light, [1e7], tool=centre).values[0]
    assert np.abs(quick).max() < 1e-8


def test_a_base_that_tilts_turns_gravity():
    """The static answer is what the machine yields when its gravity is given another direction."""
    g, turn = np.array([3.0, -4.0, -8.0]), 1e-6 * np.array([2.0, -1.0, 3.0])
    robot = gough.load("demo-hexapod").replace({"leg.connector": None})
    before, after = (
        gough.Model(robot.replace({"gravity": list(now)})) for now in (g, g - np.cross(turn, g))
    )
    pose = np.array(robot.home) + 0.03
    system = elastic_state_space(before, pose)
    tilts = [system.input_labels.index(f"{axis}_tilt") for axis in ("rx", "ry", "rz")]
    found = system(0.0)[:6][:, tilts].real @ turn
    pushed = -(after.gravity(pose) - before.gravity(pose))
    expected = before.compliance(pose, before.joint_gravity(pose)) @ pushed
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())
    base = frequency_response(system, [0.0, 1.0], "displacement", "base")
    assert np.isinf(base.gain[0, 0, 4])
    s = 2j * np.pi
    turning = system(s)[:6][:, tilts] / s**2 + system(s)[:6][:, [n - 3 for n in tilts]]
    np.testing.assert_allclose(base.values[1][:, 3:], turning, rtol=1e-12)


@pytest.mark.parametrize("name", ["delta", "planar-3rrr", "tripod-3rps"])
def test_other_machines_answer_in_their_freedoms(name):
    """At rest as their compliance says, in motion with the frequencies of their modes."""
    robot = yielding(gough.load(name))
    model, home = gough.Model(robot), np.array(robot.home)
    system = elastic_state_space(model)
    n = model.structure.dof
    slow = frequency_response(system, [0.0], "displacement", "wrench").values[0]
    expected = model.compliance(home, model.joint_gravity(home), np.zeros(n))
    np.testing.assert_allclose(slow, expected, atol=1e-9 * np.abs(expected).max())
    poles = system.poles()
    hertz = np.sort(np.abs(poles[poles.imag > 0])) / (2 * np.pi)
    np.testing.assert_allclose(hertz, gough.natural_modes(robot).frequencies, rtol=1e-2)
    follows = shaken(robot, [0.1]).values[0]
    np.testing.assert_allclose(follows, lever(home[:3]), atol=1e-2)


def test_a_motor_that_turns_moves_its_machine_as_its_rates_say():
    robot = yielding(gough.load("delta"))
    model, home = gough.Model(robot), np.array(robot.home)
    locked = frequency_response(elastic_state_space(model), [0.0], "angle", "turn")
    assert locked.input_units == locked.output_units == ("rad",) * 3
    J = model.jacobian(home) @ model.twist_basis(home)
    k = np.array([j.stiffness for j in robot.joints if getattr(j, "driven", False)])
    held = model.stiffness(home, model.joint_gravity(home), np.zeros(3))
    np.testing.assert_allclose(locked.values[0], J @ np.linalg.solve(held, J.T * k), rtol=1e-9)
    controlled = elastic_state_space(model, actuators=100.0)
    calm = damped(controlled, "velocity", 1.0).poles()
    assert calm.real.max() < controlled.poles().real.max() < 0


def test_viscous_joints_calm_a_machine_by_their_power():
    """ẋᵀ D ẋ is what the damping of all joints of the file takes at their rates."""
    robot = yielding(gough.load("planar-3rrr"))
    model, home = gough.Model(robot), np.array(robot.home)
    assert joint_frictions_of(robot)
    system = elastic_state_space(model)
    n = model.structure.dof
    M = model.mass_matrix(home)
    D = -M @ system.A[n:, n:]
    rates = np.array([0.3, -0.2, 0.5])
    twist = model.twist_basis(home) @ rates
    q_dot = model.joint_velocity(home, twist)
    b = np.array([j.damping for j in robot.joints if getattr(j, "driven", False)])
    assert rates @ D @ rates == pytest.approx(np.sum(b * q_dot**2), rel=1e-9)


def test_dots_in_names_of_joints_are_none_in_signals():
    robot = yielding(gough.load("delta")).to_dict()
    robot["joints"] = [
        {**joint, "name": "hip.1"} if joint["name"] == "hip-1" else joint
        for joint in robot["joints"]
    ]
    system = elastic_state_space(gough.Robot.from_dict(robot))
    assert system.input_labels[:2] == ["hip_1_turn", "hip-2_turn"]


def test_bad_points_are_refused():
    with pytest.raises(gough.GoughError, match=r"tool has shape \(2,\)"):
        elastic_state_space(cubic(A), tool=[0, 1])
    with pytest.raises(gough.GoughError, match="one point"):
        elastic_state_space(cubic(A), pivot=[[0, 1, 2]])
    system = elastic_state_space(cubic(A))
    with pytest.raises(gough.GoughError, match="no outputs 'push'"):
        damped(system, "integral push", 1.0)
