"""The machines of the library that are no hexapods: they move as they say, and hold themselves."""

from pathlib import Path

import numpy as np
import pytest
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.kinematics.freedoms.nearest_pose import possible_pose
from gough.robot import Mechanism, Robot, library_names, load

MACHINES = tuple(name for name in library_names() if isinstance(load(name), Mechanism))
MOVES = {
    "agile-eye": ("rx", "ry", "rz"),
    "ankle-2rsu": ("rx", "ry"),
    "ankle-2spu": ("rx", "ry"),
    "belt-scara": ("x", "y"),
    "delta": ("x", "y", "z"),
    "exechon": ("z", "rx", "ry"),
    "five-bar": ("x", "y"),
    "four-post": ("z", "rx", "ry"),
    "h4": ("x", "y", "z", "rz"),
    "hexa-6rus": ("x", "y", "z", "rx", "ry", "rz"),
    "hexaglide": ("x", "y", "z", "rx", "ry", "rz"),
    "knee": ("ry",),
    "kossel": ("x", "y", "z"),
    "octopod-8ups": ("x", "y", "z", "rx", "ry", "rz"),
    "orthoglide": ("x", "y", "z"),
    "paradex-6pus": ("x", "y", "z", "rx", "ry", "rz"),
    "planar-3rrr": ("x", "y", "rz"),
    "quattro": ("x", "y", "z", "rz"),
    "servo-hexapod-6rss": ("x", "y", "z", "rx", "ry", "rz"),
    "tricept": ("z", "rx", "ry"),
    "tripod-3prs": ("z", "rx", "ry"),
    "tripod-3rps": ("z", "rx", "ry"),
    "tsai-3upu": ("x", "y", "z"),
}
REDUNDANT = {"four-post": 1, "octopod-8ups": 2}
"""Motors more than degrees of freedom."""
STILL = np.zeros(6)


def loaded(name):
    robot = load(name)
    return robot, gough.Model(robot)


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_moves_as_it_says(name):
    robot, model = loaded(name)
    assert robot.platform.moves == MOVES[name]
    assert model.structure.mobility == len(MOVES[name])
    assert model.structure.actuators == len(MOVES[name]) + REDUNDANT.get(name, 0)


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_is_assembled_as_it_is_drawn(name):
    robot, model = loaded(name)
    drawn = [joint.position_at_home for joint in robot.driven]
    np.testing.assert_allclose(model.inverse_kinematics(robot.home), drawn, atol=1e-12)


@pytest.mark.parametrize("name", MACHINES)
def test_home_is_well_inside_the_limits_and_far_from_singular(name):
    """Home is in the middle third of every range, where motors move what they should."""
    robot, model = loaded(name)
    for joint in robot.driven:
        low, high = joint.range_of_travel
        assert abs(joint.home - (low + high) / 2) < (high - low) / 6
    A = np.array(model.actuation_matrix(robot.home))
    size = max(np.linalg.norm(np.subtract(j.at, robot.home[:3])) for j in robot.joints
               if "platform" in j.between)  # fmt: skip
    turns = robot.freedom_rows[:, 3:].any(axis=1)
    assert np.linalg.cond(np.where(turns, A / (size or 1.0), A)) < 4.0


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_moves_as_pinocchio_says_and_holds_its_weight(name):
    """At home it does so with a small part of its efforts."""
    robot, model = loaded(name)
    oracle, rng = PinocchioMechanism(robot), np.random.default_rng(0)
    state, wrench = oracle.random_state(rng, stray=0.05), rng.standard_normal(6)
    q, theirs = model.inverse_kinematics(state.pose), oracle.positions(state)
    np.testing.assert_allclose(q, theirs, atol=1e-9)
    efforts = model.inverse_dynamics(state.pose, state.twist, state.acceleration, wrench)
    theirs = oracle.efforts(state, wrench)
    assert np.abs(efforts - theirs).max() <= 1e-9 * np.abs(theirs).max()
    efforts = model.inverse_dynamics(robot.home, STILL, STILL, STILL)
    assert (np.abs(efforts) < 0.25 * np.array([a.max_force for a in robot.actuators])).all()


@pytest.mark.parametrize("name", ["belt-scara", "delta", "octopod-8ups", "tricept"])
def test_forward_dynamics_and_weight_are_those_of_the_efforts(name):
    """What motors do along any motion at rest is what the weight gains."""
    robot, model = loaded(name)
    state = PinocchioMechanism(robot).random_state(np.random.default_rng(0), stray=0.05)
    efforts = model.inverse_dynamics(state.pose, state.twist, state.acceleration, STILL)
    back = model.forward_dynamics(state.pose, state.twist, efforts, STILL)
    assert np.abs(back - state.acceleration).max() <= 1e-9 * np.abs(state.acceleration).max()
    efforts = model.inverse_dynamics(robot.home, STILL, STILL, STILL)
    for twist in np.array(model.twist_basis(robot.home)).T:
        power = efforts @ model.joint_velocity(robot.home, twist)
        assert power == pytest.approx(_weight_gained(robot, model, twist), rel=1e-5, abs=1e-5)


def _weight_gained(robot, model, twist, step=1e-5):
    """The rate of the potential energy along a motion [W]: by a difference of the energy."""
    ends = [gough.poses.displace(robot.home, side * step * twist) for side in (-1, 1)]
    low, high = (model.energy(pose, STILL)[1] for pose in ends)
    return (high - low) / (2 * step)


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_is_saved_as_an_equal_one(name, tmp_path):
    robot = load(name)
    for suffix in ("toml", "json"):
        gough.save(robot, tmp_path / f"robot.{suffix}")
        assert load(tmp_path / f"robot.{suffix}") == robot
    assert Robot.from_dict(robot.to_dict()).fingerprint == robot.fingerprint


@pytest.mark.parametrize("name", MACHINES)
def test_every_motor_has_limits_and_a_drive_that_can_reach_them(name):
    """A drive's largest voltage gives the largest speed, and its largest current the effort."""
    for actuator in load(name).actuators:
        assert None not in (actuator.travel, actuator.max_force, actuator.max_speed, actuator.stop)
        drive = actuator.drive
        if drive is None:
            assert name == "hexaglide"  # driven by linear motors
            continue
        turns = 1.0 if actuator.turns else 2 * np.pi / drive.screw_lead
        ratio = drive.gear_ratio * turns
        assert drive.back_emf * ratio * actuator.max_speed <= drive.max_voltage
        reached = drive.torque_constant * drive.max_current * ratio * drive.efficiency
        assert reached >= 0.99 * actuator.max_force


def test_the_pages_on_machines_list_them_all():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "robots" / "index.md").read_text(
        "utf-8"
    )
    assert [name for name in MACHINES if f"`{name}`" not in page] == []


def test_the_servos_are_those_of_the_data_sheet():
    """Stall torque 11 kgf cm, 0.14 s for 60 degrees, 2.5 A at 6 V."""
    (servo, *_) = load("servo-hexapod-6rss").actuators
    assert servo.max_force == pytest.approx(11 * 9.80665 * 0.01, rel=1e-3)
    assert servo.max_speed == pytest.approx(np.pi / 3 / 0.14, rel=1e-3)
    drive = servo.drive
    assert drive.max_voltage / drive.resistance == pytest.approx(2.5)
    stall = drive.torque_constant * drive.efficiency * drive.max_current
    assert stall == pytest.approx(servo.max_force, rel=1e-2)


def test_the_delta_has_the_lengths_that_williams_prints():
    robot = load("delta")
    hip, elbow, other, wrist = (np.array(robot.joints[k].at) for k in (0, 1, 2, 3))
    middle = (elbow + other) / 2
    assert np.linalg.norm(middle - hip) == pytest.approx(0.524)
    assert np.linalg.norm(wrist - elbow) == pytest.approx(1.244)
    assert hip[0] == 0.164
    assert wrist[0] == pytest.approx(0.044)


def test_a_motor_of_the_orthoglide_moves_its_own_axis_alone():
    robot, model = loaded("orthoglide")
    np.testing.assert_allclose(model.jacobian(robot.home)[:, :3], np.eye(3), atol=1e-12)


def test_the_scara_with_belts_draws_a_circle():
    """On the way from home to it not all loops close: the platform turns as it must."""
    robot, model = loaded("belt-scara")
    at = np.linspace(0, 2 * np.pi, 25)
    places = np.array(robot.home[:2]) + 0.04 * np.column_stack([np.cos(at), np.sin(at)])
    found = [possible_pose(model, gough.pose([*place, 0.0])).pose for place in places]
    np.testing.assert_allclose([pose[:2] for pose in found], places, atol=1e-9)
    assert np.isfinite(model.inverse_kinematics(np.array(found))).all()


def test_the_halves_of_the_h4_do_not_tilt():
    robot, model = loaded("h4")
    pose = gough.poses.displace(robot.home, [0.05, 0.03, 0.04, 0, 0, 0.4])
    for at in (robot.home, pose):
        T = np.array(model.twist_basis(at))
        np.testing.assert_allclose(T[3:5], 0.0, atol=1e-9)
