"""Redundant actuators: forces that do work tell numbers, internal forces nothing."""

import numpy as np
import pytest
from drawn_machines import MACHINES
from recordings import motor_torques, states

import gough
from gough.errors import GoughError
from gough.identification.measured import working_basis, working_part
from gough.motion import Payload

TIME = np.arange(0.0, 6.0, 2e-3)
DRIVE = {
    "torque_constant": 0.2, "gear_ratio": 20.0, "rotor_inertia": 1e-4, "rotor_damping": 2e-4,
    "rotor_friction": 0.01, "resistance": 0.5, "back_emf": 0.2,
}  # fmt: skip
SHARES = np.array([0.6, 1.3, 1.5, 0.8])
CARRIED = Payload(1.5, (0.02, -0.03, 0.0), (0.01, 0.01, 0.02))


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def four_legs(seed=1, **drive):
    """A planar machine with a motor more than its platform has degrees of freedom."""
    data = MACHINES["4-RRR, redundant"](seed).to_dict()
    for joint in data["joints"]:
        if joint.get("driven") and drive:
            joint["drive"] = drive
    return gough.Robot.from_dict(data)


def motion(robot, seed):
    """A Fourier series along x and y and about z."""
    rng, w = np.random.default_rng(seed), 2 * np.pi * np.arange(1, 5)[:, None] / 2.0
    a, b = rng.standard_normal((2, 4, 6)) * [0.012, 0.012, 0, 0, 0, 0.06]
    phase = np.outer(TIME, w)
    x, x_dot = (
        np.sin(phase) @ a + np.cos(phase) @ b,
        np.cos(phase) @ (a * w) - np.sin(phase) @ (b * w),
    )
    return states(robot.home, x, x_dot, -np.sin(phase) @ (a * w**2) - np.cos(phase) @ (b * w**2))


def recorded(robot, seed=3, *, internal=0.0, noise=0.0, measured="force", angles=0.0):
    """Columns of a recording, with antagonistic forces and noise of so many N m at the hinges."""
    model, moved, rng = gough.Model(robot), motion(robot, seed), np.random.default_rng(seed + 50)
    force, speed = np.asarray(model.inverse_dynamics(*moved)), model.joint_velocity(*moved[:2])
    J = np.asarray(model.actuation_matrix(moved[0]))
    idle = np.linalg.svd(J)[0][:, :, 3]  # does no work: J' · idle = 0
    idle *= np.sign(idle[:, :1])
    force = (
        force + internal * idle * (1 + np.sin(40 * TIME) + rng.standard_normal(len(TIME)))[:, None]
    )
    unit, effort = "N m", force + noise * rng.standard_normal(force.shape)
    if measured != "force":
        effort = motor_torques(robot, effort, speed, model.joint_acceleration(*moved))
    if measured == "motor_current":
        unit, effort = "A", effort / [joint.drive.torque_constant for joint in robot.driven]
    q, columns = model.inverse_kinematics(moved[0]), {"time [s]": TIME}
    q = q + angles * rng.standard_normal(q.shape)
    for k, joint in enumerate(robot.driven):
        columns[f"actuator_position_{joint.name} [rad]"] = q[:, k]
        columns[f"{measured}_{joint.name} [{unit}]"] = effort[:, k]
    return columns


def deviations(found, base):
    """Of base parameters from those of a machine, in standard deviations."""
    pairs = zip(base.names, base.values, strict=True)
    return np.array([(found[name].value - x) / found[name].sigma for name, x in pairs])


def late(columns):
    """The recording with efforts that come three samples, 6 ms, later."""
    return {
        k: x if k.startswith(("time", "actuator")) else np.roll(x, 3) for k, x in columns.items()
    }


def off(robot):
    """The machine as a file may have it: masses a fifth off."""
    data = robot.to_dict()
    for body in (data["platform"], *data["bodies"]):
        body["mass"] *= 1.2
    return gough.Robot.from_dict(data)


@pytest.fixture(scope="module")
def robot():
    return four_legs()


@pytest.fixture(scope="module")
def base(robot):
    return gough.base_parameters(robot)


def test_base_parameters_are_found_whatever_motors_do_against_each_other(robot, base):
    """Internal forces of 50 N m, fifty times those of the motion, change rounding only."""
    values = []
    for internal in (0.0, 50.0):
        found = gough.identify(off(robot), recorded(robot, internal=internal), lag=0.0)
        values.append([found[name].value for name in base.names])
        assert rms(found.residuals) < 1e-5
    size = np.abs(base.values).max()
    np.testing.assert_allclose(values[0], base.values, atol=2e-6 * size)  # filtered positions
    np.testing.assert_allclose(values[1], values[0], atol=1e-8 * size)
    assert found.residuals.shape[1] == 3
    assert found.rows == ["forces along x", "forces along y", "forces along rz"]


def test_with_noise_estimates_have_no_bias_and_honest_deviations(robot, base):
    z = [
        deviations(gough.identify(off(robot), recorded(robot, k, internal=5.0, noise=0.3)), base)
        for k in range(4)
    ]
    assert 0.7 < rms(z) < 1.3
    assert abs(np.mean(z)) < 3.0 / np.sqrt(np.size(z))


def test_encoders_that_contradict_each_other_are_fitted_best(robot, base):
    found = gough.identify(off(robot), recorded(robot, angles=1e-6, noise=0.1))
    assert rms(deviations(found, base)) < 2.0
    columns = recorded(robot)
    columns[f"actuator_position_{robot.driven[0].name} [rad]"] += 0.2
    with pytest.raises(GoughError, match="no pose has these positions of the actuators"):
        gough.identify(robot, columns)


def test_late_efforts_in_a_recording_with_a_gap_are_moved(robot, base):
    """Three samples late: each effort belongs to the pose of its own time."""
    columns = late(recorded(robot, internal=5.0, noise=0.05))
    kept = np.r_[10:1400, 1500:2990]
    found = gough.identify(off(robot), {k: x[kept] for k, x in columns.items()})
    assert found.lag.value == pytest.approx(6e-3, abs=4 * found.lag.sigma)
    assert rms(deviations(found, base)) < 1.5
    assert "2 parts" in found.notes[1]


def test_projected_equations_are_those_of_the_platform(robot):
    """Q spans what does work: Jᵀ τ = Jᵀ Q Qᵀ τ; of the efforts of a motion nothing is lost."""
    model, moved = gough.Model(robot), motion(robot, 1)
    Q, J = working_basis(model, moved[0]), np.asarray(model.actuation_matrix(moved[0]))
    np.testing.assert_allclose(
        np.swapaxes(Q, 1, 2) @ Q, np.broadcast_to(np.eye(3), (len(TIME), 3, 3)), atol=1e-12
    )
    effort = np.random.default_rng(0).standard_normal((len(TIME), 4))
    kept = np.einsum("tnd,td->tn", Q, working_part(Q, effort))
    np.testing.assert_allclose(
        np.einsum("tnd,tn->td", J, kept), np.einsum("tnd,tn->td", J, effort), atol=1e-12
    )
    determined = gough.Model(gough.load("planar-3rrr"))
    assert working_basis(determined, np.array(determined.robot.home)[None]) is None


def test_rotors_and_friction_of_redundant_motors_are_found(robot):
    robot = four_legs(**DRIVE)
    columns = recorded(robot, internal=4.0, noise=0.05, measured="motor_torque")
    other = off(four_legs(**DRIVE | {"rotor_damping": 1e-4, "rotor_friction": 0.02}))
    found = gough.identify(other, columns, drives="independent")
    for key, truth in (("damping", 2e-4 * 400), ("friction", 0.01 * 20)):
        for k, joint in enumerate(robot.joints):
            if joint.is_driven:
                number = found[f"joints[{k}].drive.{key}"]
                assert abs(number.value - truth) < 4 * number.sigma < 0.3 * truth
    assert not found.warnings


def test_torque_constants_of_redundant_motors_are_found_with_a_payload_and_a_lag():
    by_file = four_legs(**DRIVE | {"rotor_damping": 0.0, "rotor_friction": 0.0})
    data = by_file.to_dict()
    for joint, share in zip((j for j in data["joints"] if j.get("driven")), SHARES, strict=True):
        joint["drive"] = joint["drive"] | {"torque_constant": DRIVE["torque_constant"] * share}
    truth = gough.Robot.from_dict(data)
    options = {"measured": "motor_current", "noise": 0.1, "internal": 3.0}
    found = gough.identify(
        off(by_file),
        late(recorded(truth, 1, **options)),
        loaded=late(recorded(CARRIED.carried_by(truth), 2, **options)),
        payload=CARRIED,
        friction=(),
    )
    for k, share in enumerate(SHARES):
        constant = found[f"actuators[{k}].torque_constant"]
        assert abs(constant.value / DRIVE["torque_constant"] - share) < 0.01
        assert abs(constant.value - share * DRIVE["torque_constant"]) < 4 * constant.sigma
    assert found.lag.value == pytest.approx(6e-3, abs=3 * found.lag.sigma)


def test_what_a_redundant_machine_carries_is_found(robot):
    carried = gough.identify_payload(
        robot, recorded(CARRIED.carried_by(robot), internal=20.0, noise=0.1)
    )
    assert carried.mass == pytest.approx(1.5, abs=4 * carried.mass_sigma)
    assert carried.mass_sigma < 0.05


def test_information_of_an_excitation_trajectory_is_that_of_forces_that_do_work(robot):
    limits = {"range": [-1.0, 1.0], "max_speed": 5.0, "max_torque": 20.0}
    data = robot.to_dict()
    data["joints"] = [x | limits if x.get("driven") else x for x in data["joints"]]
    model = gough.Model(gough.Robot.from_dict(data))
    found, base = (
        gough.excitation(model.robot, duration=2.0, harmonics=2, starts=1),
        gough.base_parameters(model.robot),
    )
    moved = found(np.linspace(0.0, 2.0, 200, endpoint=False))
    states = moved.pose, moved.twist, moved.acceleration
    Y = working_part(working_basis(model, moved.pose), model.regressor(*states))[..., base.pivots]
    _, own = np.linalg.slogdet(np.einsum("tdk,tdl->kl", Y, Y) / len(Y))
    assert found.information == pytest.approx(own, abs=0.05)
    assert found.margin >= 0.03 - 1e-6


def test_friction_of_a_load_that_no_motion_determines_is_refused():
    robot = four_legs(**DRIVE, efficiency=0.9)
    columns = recorded(robot, noise=0.05, measured="motor_torque")
    with pytest.raises(GoughError, match="does not determine the load of redundant actuators"):
        gough.identify(robot, columns, friction=("viscous", "load"))
    assert "is left out of the estimate" in gough.identify(robot, columns).warnings[0]
