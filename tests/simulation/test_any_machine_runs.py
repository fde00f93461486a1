"""Whole runs of machines that are no hexapods: results by joint, endings, batches, refusals."""

import re

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.motion import Quintic, line, washed_out
from gough.motion.motions import screws
from gough.simulation import (
    Scenario,
    computed_torque,
    force_commanded,
    joint_pid,
    real_plant,
    simulate,
    simulate_batch,
)
from gough.studies import Study


@pytest.fixture(scope="module")
def delta():
    return gough.load("delta")


def test_results_have_the_names_and_units_of_the_joints(delta):
    motion = line(delta.home, [0.1, 0.05, 0.08], Quintic(0.5))
    plant = force_commanded(real_plant(delta))
    results = simulate(
        Scenario(delta, computed_torque(8000, 180, drives=True), motion, plant=plant)
    )
    names = [actuator.name for actuator in delta.actuators]
    for name, unit in (("command", "N m"), ("force", "N m"), ("actuator_position_error", "rad")):
        quantity = results.quantity(name)
        assert quantity.labels == [f"{name}_{joint}" for joint in names]
        assert set(quantity.units) == {unit}
    assert results.quantity("motor_current").labels == [f"motor_current_{j}" for j in names]
    model = gough.Model(delta)
    reached = model.inverse_kinematics(np.ascontiguousarray(results["pose"]))
    np.testing.assert_allclose(results["actuator_position"], reached, atol=1e-12)
    error = model.inverse_kinematics(motion(results.time).pose) - reached
    np.testing.assert_allclose(results["actuator_position_error"], error, atol=1e-12)
    assert results.summary["peak_position_error"].value < 1e-3
    mean = results.summary["mean_actuator_error"]
    assert (mean.unit, "mean_leg_error" in results.summary) == ("rad", False)
    np.testing.assert_allclose(mean.value, np.abs(error).mean(), rtol=0.02)
    assert results.study["run"]["ended"] == {"kind": "completed"}
    units = results.study["run"]["controller"]["units"]
    assert units == {"kp": "1/s^2", "kd": "1/s"}


def test_gains_of_hinges_have_units_of_their_own(delta):
    results = simulate(
        Scenario(delta, joint_pid(4000, 80, 1), line(delta.home, [0, 0, 0.02], Quintic(0.2)))
    )
    units = results.study["run"]["controller"]["units"]
    assert units == {"kp": "N m/rad", "kd": "N m s/rad", "ki": "N m/(rad s)", "kv": "N m s/rad"}


def test_a_run_ends_where_a_motor_leaves_its_range(delta):
    motion = line(delta.home, [0, 0, 0.35], Quintic(1.0))
    results = simulate(Scenario(delta, computed_torque(900, 60), motion))
    assert results.study["run"]["ended"]["kind"] == "end stop"
    assert re.match(r"hip-\d hit the end of its range at t = 0\.", results.warnings[0])
    low = delta.actuators[0].travel[0]
    assert low <= results["actuator_position"][-1].min() < low + 0.02


def test_a_run_ends_where_the_motors_lose_control():
    """A five-bar whose motors pull its two last links into line."""
    robot = gough.load("five-bar")
    model, home = gough.Model(robot), np.array(robot.home)
    pulling = np.array([0.5, -0.5])
    results = simulate(Scenario(robot, lambda *_: pulling, screws.hold(home, 1.0)))
    ended = results.study["run"]["ended"]
    assert ended["kind"] == "singular"
    assert "a singular configuration was crossed at t = 0.1" in results.warnings[0]
    poses = np.ascontiguousarray(results["pose"])
    determinants = np.linalg.det(np.linalg.inv(model.actuation_matrix(poses)))
    assert (determinants * determinants[0] > 0).all()  # until then
    left, tip, right = (
        _center(model, poses[-1], name) for name in ("elbow-left", "tip-right", "elbow-right")
    )
    a, b = tip - left, right - tip
    assert np.linalg.norm(np.cross(a, b)) < 0.1 * np.linalg.norm(a) * np.linalg.norm(b)


def _center(model, pose, joint):
    """Where a joint is."""
    place = [center.joint for center in model.structure.centers].index(joint)
    return model.joint_centers(pose)[place]


def test_a_batch_of_platforms_is_each_by_itself(delta):
    motion = line(delta.home, [0.1, 0.05, 0.08], Quintic(0.3))
    masses, controller = [0.9, 1.4, 2.0], computed_torque(900, 60)
    found = simulate_batch(Scenario(delta, controller, motion, every=10), {"platform.mass": masses})
    assert found.endings == (None,) * 3
    heavier = delta.model_copy(
        update={"platform": delta.platform.model_copy(update={"mass": masses[2]})}
    )
    plant = gough.simulation.rigid_plant(heavier)
    alone = simulate(Scenario(delta, controller, motion, plant=plant, every=10))
    np.testing.assert_allclose(found.pose[:, 2], alone["pose"], atol=1e-12)
    assert np.abs(found.pose_error[:, 0]).max() < np.abs(found.pose_error[:, 2]).max()


def test_a_motion_that_the_machine_cannot_do_is_refused():
    robot = gough.load("planar-3rrr")
    motion, controller = line(robot.home, [0.01, 0, 0.05], Quintic(0.2)), computed_torque(900, 60)
    words = r"motion: at t = 0.2 s the motion asks for z = 0.05 m, which planar-3rrr \(x y rz\)"
    with pytest.raises(GoughError, match=words):
        simulate(Scenario(robot, controller, motion))
    with pytest.raises(GoughError, match=words):
        simulate_batch(Scenario(robot, controller, motion, every=10), {"platform.mass": [1.0, 2.0]})


def test_a_motion_leaves_open_what_the_platform_must_do_besides():
    """A 3-RPS that tilts goes sideways and turns: it follows, and that is no error."""
    robot = gough.load("tripod-3rps")
    motion = screws.rotation(robot.home, [1, 0, 0], robot.home[:3], 0.2, Quintic(0.5))
    results = simulate(Scenario(robot, computed_torque(900, 60), motion))
    sideways = (results["pose"][-1] - motion(0.5).pose)[:2]
    assert np.abs(sideways).max() > 1e-3
    assert np.abs(results["pose_error"][:, :2]).max() < 1e-5


def test_a_start_beyond_a_range_is_refused(delta):
    high = np.array(delta.home) + [0, 0, 0.35, 0, 0, 0, 0]
    words = (
        r"start: hip-\d is at -0\.905646; expected a position within its range, -0\.785398 to "
        r"1\.39626 rad"
    )
    with pytest.raises(GoughError, match=words):
        simulate(Scenario(delta, computed_torque(900, 60), line(high, [0, 0, -0.1], Quintic(0.2))))


def test_a_vehicle_cannot_be_shown_by_a_platform_that_does_not_turn(delta):
    times = np.linspace(0, 1, 11)
    felt = np.tile([0.0, 0.0, 9.81], (11, 1))
    with pytest.raises(GoughError, match="washout: delta can only move along x y z; expected"):
        washed_out(delta, times, felt, np.zeros((11, 3)))


def study(**simulation):
    return {
        "schema": "gough-study/1",
        "name": "hinges",
        "robot": "delta",
        "motion": {"kind": "line", "displacement": [0, 0, 0.05], "duration": 0.2},
        "controller": {"kind": "computed-torque", "frequency": 10},
        "plant": {"drives": True, "joint_friction": True, "stops": True},
        "simulation": simulation,
    }


def test_encoders_of_hinges_read_angles():
    made = Study.from_dict(study(angle_resolution="0.01 deg", speed_filter="1 ms"))
    results = gough.run(made)
    assert results.study["run"]["sensors"]["resolution"] == pytest.approx(1.745e-4, rel=1e-3)
    assert 1e-5 < results.summary["peak_position_error"].value < 5e-3
    with pytest.raises(GoughError, match=r"simulation.resolution: the actuators of delta turn; exp"
                       r"ected angle_resolution and angle_noise"):  # fmt: skip
        Study.from_dict(study(resolution="1 um"))
