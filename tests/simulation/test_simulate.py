"""Whole simulations: results, failures that are told, Python controllers, steps by hand."""

import numpy as np
import pytest
from simulated_motions import KalaniCase2, screw_motion

import gough
from gough.errors import GoughError
from gough.fields.display_units import SI, DisplayUnits
from gough.motion import Constant, During, Motion, MotionSamples, Payload
from gough.motion.motions import screws
from gough.motion.profiles import Quintic
from gough.simulation import (
    Sensors,
    computed_torque,
    feed_forward,
    joint_pid,
    open_loop,
    rigid_plant,
)
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.integrators import Adaptive
from gough.simulation.paths import Stepper
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate, simulate_all


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def kalani():
    return gough.load("kalani-2016")


def ended(results):
    return results.study["run"]["ended"]


def test_results_hold_the_run_with_units(robot):
    results = simulate(Scenario(robot, computed_torque(3600, 120), screw_motion(robot)))
    assert results.time[-1] == pytest.approx(1.0)
    for name in ("pose", "twist", "force", "leg_length", "power", "energy", "stroke_margin"):
        assert name in results
    assert results.quantity("leg_length_error").unit == "m"
    assert results.quantity("pose_error").unit == "m, rad"
    assert results.summary
    table = results.to_pandas()
    assert len(table) == 1001
    assert "command_3 [N]" in table.columns


def test_forces_are_those_that_the_motion_needs(robot):
    """The inverse model finds from the motion what the controller had commanded."""
    results = simulate(Scenario(robot, computed_torque(3600, 120), screw_motion(robot)))
    motion = [results[name] for name in ("pose", "twist", "acceleration")]
    needed = gough.Model(robot).inverse_dynamics(*motion)
    np.testing.assert_allclose(needed, results["command"], rtol=1e-9, atol=1e-7)
    np.testing.assert_array_equal(results["force"], results["command"])


def test_results_can_be_saved_and_read(robot, tmp_path):
    results = simulate(
        Scenario(robot, computed_torque(3600, 120), screw_motion(robot, duration=0.1))
    )
    results.save(tmp_path / "run")
    read = gough_results().load(tmp_path / "run")
    np.testing.assert_array_equal(read["pose_error"], results["pose_error"])


def gough_results():
    from gough.analysis.results import Results

    return Results


def test_energy_supplied_by_the_held_forces_is_stored(robot):
    """Commands are constant within a period: the work of each is force times the leg's way."""
    results = simulate(
        Scenario(
            robot, feed_forward(4e5, 8e3), screw_motion(robot), sampling=Sampling(1e-3, substeps=4)
        )
    )
    work = (results["command"][:-1] * np.diff(results["leg_length"], axis=0)).sum()
    stored = results["energy"].sum(axis=1)
    assert stored[-1] - stored[0] == pytest.approx(work, rel=1e-8)
    assert abs(work) > 1.0


def test_unstable_gains_are_reported_with_the_time_and_the_run_is_kept(kalani):
    motion = screws.line(kalani.home, [0, 0, 0.05], Quintic(1.0))
    results = simulate(Scenario(kalani, joint_pid(1e6, 1e4), motion, start=kalani.home))
    assert ended(results)["kind"] in ("diverged", "singular")
    when = ended(results)["time"]
    assert results.time[-1] < when < 1.0
    assert f"t = {when:.6g} s" in results.warnings[0]
    assert any("gains are not stable at this sampling" in text for text in results.warnings)
    assert np.isfinite(results["pose"]).all()


def test_divergence_is_seen_where_nothing_else_ends_the_run(kalani):
    """No law at all holds a platform that is pulled away."""
    rest = screws.hold(kalani.home, 30.0)
    results = simulate(
        Scenario(
            kalani,
            lambda t, measurement, reference: np.full(6, 100.0),
            rest,
            sampling=Sampling(1e-2),
        )
    )
    assert ended(results)["kind"] == "diverged"
    assert "left the machine" in results.warnings[0]


def test_driving_through_a_singularity_ends_the_run_there(kalani):
    down = screws.line(kalani.home, [0, 0, -1.4], Quintic(4.0))
    results = simulate(Scenario(kalani, feed_forward(500, 50), down))
    assert ended(results)["kind"] == "singular"
    assert "singular configuration was crossed at t =" in results.warnings[0]
    assert results["pose"][-1, 2] > -0.05
    assert 0 < len(results) < 4001


def test_hitting_the_stroke_ends_the_run_and_names_the_leg(robot):
    up = screws.line(robot.home, [0.1, 0.25, 0.3], Quintic(1.0))
    results = simulate(Scenario(robot, computed_torque(3600, 120), up))
    assert ended(results)["kind"] == "end stop"
    leg = int(results.warnings[0].split()[1])
    margin = results["stroke_margin"]
    assert (margin >= 0).all()
    assert margin[-1].argmin() == leg - 1


def test_saturated_actuators_are_named(robot):
    motion = screw_motion(robot, duration=0.12, travel=0.1, angle=0.3)
    results = simulate(Scenario(robot, computed_torque(3600, 120), motion))
    assert np.abs(results["command"]).max() == 2500.0
    assert any("at the limit for" in text and "first at t =" in text for text in results.warnings)
    free = simulate(Scenario(robot, computed_torque(3600, 120), motion, saturated=False))
    assert np.abs(free["command"]).max() > 2500.0
    assert np.abs(free["pose_error"]).max() < np.abs(results["pose_error"]).max()


def test_a_payload_is_carried_by_the_plant_and_unknown_to_the_controller(robot):
    rest, load = screws.hold(robot.home, 0.5), Payload(45.0)
    results = simulate(Scenario(robot, computed_torque(900, 60), rest, tasks=[load]))
    assert results.robot.platform.mass == pytest.approx(195.0)
    assert results["pose_error"][-1, 2] > 1e-3  # it sags
    informed, plant = load.carried_by(robot), rigid_plant(robot)
    known = simulate(Scenario(informed, computed_torque(900, 60), rest, plant=plant, tasks=[load]))
    assert np.abs(known["pose_error"]).max() < 1e-9


class Lift(Motion):
    """A lift from a pose with a constant jerk [m/s^3], which may be changed."""

    duration = 0.02

    def __init__(self, pose, jerk):
        self.pose, self.jerk = np.array(pose), jerk

    __repr__ = object.__repr__

    def _at(self, t):
        along = np.array([0, 0, self.jerk, 0, 0, 0])
        place, speed, rate = (x[..., None] * along for x in (t**3 / 6, t**2 / 2, t))
        return MotionSamples(self.pose + np.append(place, 0 * t[..., None], -1), speed, rate)


def test_a_motion_that_was_changed_is_followed_as_it_is(kalani):
    changed, controller = Lift(kalani.home, 1.0), computed_torque(900, 60)
    simulate(Scenario(kalani, controller, changed))
    changed.jerk = 500.0
    found, expected = (
        simulate(Scenario(kalani, controller, motion))
        for motion in (changed, Lift(kalani.home, 500.0))
    )
    np.testing.assert_array_equal(found["pose"], expected["pose"])


def test_warnings_of_runs_together_have_the_units_of_each(kalani):
    motion, controller = KalaniCase2(0.05, 1e-4, 1500.0), computed_torque(900, 60)
    units = SI, DisplayUnits(length="mm")
    scenarios = [Scenario(kalani, controller, motion, units=own) for own in units]
    found = dict(simulate_all(scenarios))
    for k, word in enumerate((" m/s ", " mm/s ")):
        (warning,) = found[k].results.warnings
        assert word in warning


def test_a_python_function_controls_as_the_compiled_law_does(robot):
    model, motion = gough.Model(robot), screw_motion(robot, duration=0.2)
    kp, kd = 4e5, 8e3

    def law(t, measurement, reference):
        pose, twist, acceleration = np.split(reference, [7, 13])
        e = model.inverse_kinematics(pose) - measurement[:6]
        e_dot = model.joint_velocity(pose, twist) - measurement[6:12]
        return model.inverse_dynamics(pose, twist, acceleration) + kp * e + kd * e_dot

    sampling, sensors = Sampling(1e-3, delay=1), Sensors(1e-6, 1e-6, 2e-3)
    by_python = simulate(Scenario(robot, law, motion, sampling=sampling, sensors=sensors))
    compiled = simulate(
        Scenario(robot, feed_forward(kp, kd), motion, sampling=sampling, sensors=sensors)
    )
    np.testing.assert_allclose(by_python["pose"], compiled["pose"], atol=1e-9)


def test_steps_by_hand_are_the_same_machine(robot):
    plant = rigid_plant(robot)
    results = simulate(
        Scenario(robot, computed_torque(3600, 120), screw_motion(robot, duration=0.1))
    )
    stepper = Stepper(plant)
    stepper.reset(results["pose"][0])
    for command, pose in zip(results["command"], results["pose"], strict=True):
        np.testing.assert_allclose(stepper.state[:7], pose, atol=1e-12)
        stepper.step(command)
    assert stepper.time == pytest.approx(0.101)
    stepper.reset()
    assert stepper.time == 0
    np.testing.assert_array_equal(stepper.state[:7], robot.home)


def test_fewer_samples_can_be_kept(robot):
    motion, controller = screw_motion(robot, duration=0.1), computed_torque(3600, 120)
    whole, some = (simulate(Scenario(robot, controller, motion, every=n)) for n in (1, 7))
    np.testing.assert_array_equal(some.time, whole.time[::7])
    np.testing.assert_array_equal(some["pose"], whole["pose"][::7])


def test_a_run_with_fewer_samples_says_that_peaks_between_them_are_not_seen(robot):
    motion, controller = screw_motion(robot, duration=0.1), computed_torque(3600, 120)
    whole, some = (simulate(Scenario(robot, controller, motion, every=n)) for n in (1, 7))
    words = "one of every 7 samples is kept: peaks, margins and limits between them are not seen"
    assert words in some.warnings
    assert not any("is kept" in text for text in whole.warnings)


def test_computed_torque_follows_kalani_case_2(kalani):
    results = simulate(Scenario(kalani, computed_torque(2500, 100), KalaniCase2(duration=2.0)))
    assert np.abs(results["pose_error"]).max() < 1e-6


def test_bad_requests_are_refused(robot):
    motion, controller = screw_motion(robot), computed_torque(3600, 120)
    with pytest.raises(GoughError, match="sampling period is 0"):
        Sampling(0)
    with pytest.raises(GoughError, match=r"substeps is 1\.5"):
        Sampling(1e-3, 1.5)
    with pytest.raises(GoughError, match="delay is -1"):
        Sampling(1e-3, delay=-1)
    with pytest.raises(GoughError, match="joint_space is 'no'; expected True or False"):
        Sampling(joint_space="no")
    with pytest.raises(GoughError, match="resolution is -1"):
        Sensors(-1)
    with pytest.raises(GoughError, match="start pose"):
        simulate(Scenario(robot, controller, motion, start=[0, 0, 1]))
    with pytest.raises(GoughError, match="duration is -1"):
        simulate(Scenario(robot, controller, motion, duration=-1))
    with pytest.raises(GoughError, match=r"returned shape \(3,\) at t = 0 s; expected \(6,\)"):
        simulate(Scenario(robot, lambda t, m, r: np.zeros(3), motion))
    with pytest.raises(GoughError, match=r"command has shape \(2,\)"):
        Stepper(rigid_plant(robot)).step([1, 2])


@pytest.mark.parametrize("period", [1e-3, 1e-2])
def test_a_push_has_its_impulse_whatever_the_sampling(kalani, period):
    """50 N from 0.1 s to 0.15 s on a machine whose weights are held: M Δv = 2.5 N s."""
    floating = gough.Robot.from_dict({**kalani.to_dict(), "gravity": [0, 0, 0]})
    push = During(Constant((0.0, 0.0, 50.0)), 0.1, 0.15)
    rest = screws.hold(floating.home, 0.17)
    results = simulate(
        Scenario(
            floating, open_loop(), rest, tasks=[push], sampling=Sampling(period), saturated=False
        )
    )
    model = gough.Model(floating)
    pose, twist = results["pose"], results["twist"]
    momentum = np.einsum("tij,tj->ti", model.mass_matrix(pose), twist)[:, 2]
    assert np.abs(momentum[results.time < 0.1]).max() == 0
    assert momentum[-1] == pytest.approx(2.5, rel=0.02)


def test_without_limits_every_way_to_run_lets_commands_through(robot):
    """An adaptive integrator goes sample by sample; it must not cut commands off either."""
    motion = screw_motion(robot, duration=0.03, travel=0.02, angle=0.02)
    fixed, adaptive = (
        simulate(
            Scenario(
                robot, computed_torque(9e4, 600), motion, saturated=False, integrator=integrator
            )
        )
        for integrator in (None, Adaptive("RK45", 1e-9, 1e-12))
    )
    assert np.abs(fixed["command"]).max() > 2500
    np.testing.assert_allclose(adaptive["pose"], fixed["pose"], atol=1e-7)


def test_encoder_steps_do_not_hide_unstable_gains(robot):
    rest = screws.hold(robot.home, 0.01)
    results = simulate(
        Scenario(robot, computed_torque(4e6, 3000), rest, sensors=Sensors(resolution=1e-6))
    )
    assert any("not stable at this sampling" in words for words in results.warnings)


def test_a_reference_that_stops_while_it_moves_is_named(kalani):
    motion = KalaniCase2(duration=0.05)
    results = simulate(Scenario(kalani, computed_torque(2500, 100), motion, duration=0.1))
    assert "the motion ends at 0.05 s while it moves" in results.warnings[0]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"every": 0}, "every is 0; expected a whole number, 1 or more"),
        ({"every": 1.5}, "every is 1.5"),
        ({"every": 5000}, "expected less than the 101 samples"),
        ({"duration": "long"}, "duration is 'long'"),
    ],
)
def test_bad_numbers_are_refused(robot, how, words):
    motion = screw_motion(robot, duration=0.1)
    with pytest.raises(GoughError, match=words):
        simulate(Scenario(robot, computed_torque(900, 60), motion, **how))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sampling("fast"),
        lambda: Sampling(substeps=0),
        lambda: Sampling(delay=101),
        lambda: Sensors(noise="much"),
        lambda: Sensors(resolution=-1.0),
    ],
)
def test_bad_sampling_and_sensors_are_refused(make):
    with pytest.raises(GoughError, match="expected"):
        make()


def test_an_open_loop_that_is_not_sampled_has_no_delay(robot):
    motion = screw_motion(robot, duration=0.1)
    with pytest.raises(GoughError, match="delay: an open loop that is not sampled"):
        simulate(
            Scenario(robot, open_loop(), motion, sampling=Sampling(delay=2), integrator=Adaptive())
        )
