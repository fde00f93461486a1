"""Maps between joints of humanoids and their motors: identities of kinematics, power and energy."""

import numpy as np
import pytest
from compiled_c import shown_by_example

import gough
from gough.errors import GoughError
from gough.exchange import export_joint_maps, joint_maps

JOINTS = ("ankle-2rsu", "ankle-2spu", "knee")


def states(n, count=20):
    rng = np.random.default_rng(n)
    return rng.uniform(-0.25, 0.25, (count, n)), rng.normal(size=(count, n))


@pytest.mark.parametrize("name", JOINTS)
def test_maps_go_there_and_back_and_keep_power(name):
    robot = gough.load(name)
    maps = joint_maps(robot)
    n = len(robot.actuators)
    q, q_dot = states(n)
    theta = maps.motor_position(q)
    np.testing.assert_allclose(maps.joint_position(theta, np.zeros(n)), q, atol=1e-11)
    h = 1e-6
    slope = (maps.motor_position(q + h * q_dot) - maps.motor_position(q - h * q_dot)) / (2 * h)
    theta_dot = maps.motor_velocity(q, q_dot)
    np.testing.assert_allclose(theta_dot, slope, atol=1e-8)
    f = np.random.default_rng(0).normal(size=q.shape)
    tau = maps.joint_torque(q, f)
    np.testing.assert_allclose((tau * q_dot).sum(-1), (f * theta_dot).sum(-1), atol=1e-12)
    np.testing.assert_allclose(maps.motor_torque(q, tau), f, atol=1e-10)
    rotors = np.array([_rotor(actuator) for actuator in robot.actuators])
    kinetic = np.einsum("ki,kij,kj->k", q_dot, maps.reflected_inertia(q), q_dot)
    np.testing.assert_allclose(kinetic, theta_dot**2 @ rotors, rtol=1e-12)


def _rotor(actuator):
    drive = actuator.drive
    if actuator.turns:
        return drive.rotor_inertia * drive.gear_ratio**2
    return (drive.rotor_inertia + drive.screw_inertia) * (2 * np.pi / drive.screw_lead) ** 2


def test_home_is_zero_and_pitch_moves_both_motors_alike():
    robot = gough.load("ankle-2rsu")
    maps, model = joint_maps(robot), gough.Model(robot)
    np.testing.assert_allclose(
        maps.motor_position([0, 0]), model.inverse_kinematics(robot.home), atol=1e-15
    )
    pitch, roll = np.swapaxes(maps.motor_velocity([0, 0], np.eye(2)), 0, 1).T
    assert pitch[0] == pytest.approx(pitch[1])
    assert roll[0] == pytest.approx(-roll[1])
    pose = model.possible_pose(gough.pose([0, 0, 0], rpy=[0.1, -0.2, 0])).pose
    turn = gough.rotation(
        pose
    ).as_matrix()  # first about y, then about the x axis that turned with it
    q = [np.arctan2(turn[0, 2], turn[2, 2]), np.arcsin(-turn[1, 2])]
    np.testing.assert_allclose(maps.motor_position(q), model.inverse_kinematics(pose), atol=1e-9)


def test_where_no_joint_position_exists_it_is_nan():
    maps = joint_maps(gough.load("knee"))
    assert np.isnan(maps.joint_position([1.0], [0.0])).all()


def test_exported_c_computes_the_same(tmp_path):
    robot, name = gough.load("ankle-2rsu"), "ankle_2rsu_joint"
    paths = export_joint_maps(robot, tmp_path / "c")
    assert {path.name for path in paths} == {f"{name}.c", f"{name}.h", f"{name}_example.c"}
    shown, maps = shown_by_example(tmp_path / "c", name), joint_maps(robot)
    both = [0.05, 0.05]
    theta = maps.motor_position(both)
    expected = {
        "motor_position.theta": theta,
        "motor_velocity.theta_dot": maps.motor_velocity(both, both),
        "joint_position.q": both,
        "joint_torque.tau": maps.joint_torque(both, both),
        "motor_torque.f": maps.motor_torque(both, both),
        "reflected_inertia.inertia": maps.reflected_inertia(both).ravel(),
    }
    assert shown.keys() == expected.keys()
    for name, numbers in expected.items():
        np.testing.assert_allclose(shown[name], numbers, rtol=1e-12)
    cuda = export_joint_maps(robot, tmp_path / "cuda", language="cuda")
    assert len(cuda) == 12


def test_other_machines_and_languages_are_refused(tmp_path):
    with pytest.raises(GoughError, match=r"delta: no hinge or universal joint"):
        joint_maps(gough.load("delta"))
    with pytest.raises(GoughError, match=r"cannot export maps of joints to 'fortran'"):
        export_joint_maps(gough.load("knee"), tmp_path, language="fortran")


def test_maps_have_derivatives_also_where_they_search():
    """As PyTorch and JAX use them: those by θ are of the inverse of J."""
    maps = joint_maps(gough.load("knee"))
    q = np.array([[0.1], [0.2]])
    found = maps.joint_position.adjoint(maps.motor_position(q), [0.0], [1.0])
    np.testing.assert_allclose(found.d_theta, 1 / maps.motor_velocity(q, [1.0]), rtol=1e-9)
