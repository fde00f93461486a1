"""Plants with drives, yielding legs, friction and end stops, in the same loop."""

import numpy as np
import pytest
from simulated_motions import screw_motion

import gough
from gough.equations.actuators.drive import CURRENT_BANDWIDTH
from gough.errors import GoughError
from gough.motion import Quintic
from gough.motion.motions import screws
from gough.simulation import computed_torque, force_commanded, joint_pid, real_plant, rigid_plant
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.integrators import (
    Adaptive,
    StepTooLarge,
    integrate,
    largest_stable_step,
    plant_eigenvalues,
)
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate

MODES = ("simple", "low-frequency", "high-frequency", "complete")


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def driven(robot):
    """Motors and screws, their amplifiers told forces."""
    return force_commanded(real_plant(robot))


def test_amplifiers_hold_the_machine(driven, robot):
    state = driven.start(robot.home)
    rates = driven.rate_kernel(state, driven.holding(state[:7]), np.zeros(6))
    assert np.abs(rates).max() < 1e-8


def test_currents_follow_their_forces_at_the_amplifiers_bandwidth(driven, robot):
    state = driven.start(robot.home)
    modes = plant_eigenvalues(driven, state, driven.holding(state[:7]))
    assert (np.abs(modes + CURRENT_BANDWIDTH) < 1e-3 * CURRENT_BANDWIDTH).sum() == 6


def held_voltage(robot, volts, duration, inductance="5 mH"):
    data = robot.to_dict()
    data["leg"]["drive"]["inductance"] = inductance
    robot = gough.Robot.from_dict(data)
    plant = real_plant(robot)
    held = plant.holding(np.array(robot.home)) + volts
    rest = screws.hold(robot.home, duration)
    return simulate(
        Scenario(robot, lambda t, m, r: held, rest, plant=plant, sampling=Sampling(1e-4))
    )


def test_voltages_are_not_cut_off_far_below_the_largest_current(robot):
    """13 V would be 16 A in the end, and 15 A are allowed; for 2 ms it is 5 A."""
    results = held_voltage(robot, 13.0, 2e-3)
    np.testing.assert_array_equal(results["voltage_cut_off"], 0)
    np.testing.assert_allclose(results["motor_voltage"], results["command"])
    assert 4 < results["motor_current"].max() < 6
    assert not any("motor current" in words for words in results.warnings)


@pytest.mark.parametrize("inductance", ["5 mH", 0])
def test_voltages_that_an_amplifier_cuts_off_are_told(robot, inductance):
    results = held_voltage(robot, 100.0, 0.02, inductance)
    told = results["motor_voltage"] + results["voltage_cut_off"]
    np.testing.assert_allclose(told, results["command"])
    assert results["motor_current"].max() <= 15 + 1e-9
    assert results["voltage_cut_off"].max() > 50
    words = [words for words in results.warnings if words.startswith("motor currents")]
    assert len(words) == 1
    assert "of legs 1, 2, 3, 4, 5, 6 at the limit for" in words[0]


def test_drives_slow_a_loop_that_does_not_know_them(robot, driven):
    motion, controller = screw_motion(robot), computed_torque(900, 60)
    errors = [
        np.abs(simulate(Scenario(robot, controller, motion, plant=plant))["pose_error"]).max()
        for plant in (rigid_plant(robot), driven)
    ]
    assert errors[0] < 1e-4 < errors[1] < 0.05


def test_integral_action_overcomes_the_friction_of_drives(robot, driven):
    there = screws.line(robot.home, [0.0, 0.02, 0.02], Quintic(0.5))
    results = simulate(Scenario(robot, joint_pid(4e5, 2e4, 2e6), there, plant=driven, duration=2.5))
    assert np.abs(results["leg_length_error"][-1]).max() < 2e-5


def test_the_legs_feel_less_than_the_motors_give(robot, driven):
    """Force on the legs: the command without the share of inertia and friction of the drives."""
    results = simulate(Scenario(robot, computed_torque(900, 60), screw_motion(robot), plant=driven))
    motion = [results[name] for name in ("pose", "twist", "acceleration")]
    frictionless = gough.Model(robot).inverse_dynamics(*motion)
    rubbing = np.abs(results["force"] - frictionless).max()
    assert rubbing < 30  # N, of the passive joints and of the slides
    assert np.abs(results["force"] - results["command"]).max() > 50


def test_held_motors_carry_the_machine_by_their_voltage(robot):
    plant = real_plant(robot)
    start = plant.start(robot.home)
    found = integrate(
        plant, start, [0, 0.2], plant.holding(start[:7]), integrator=Adaptive("Radau", 1e-8)
    )
    np.testing.assert_allclose(found.pose[-1], robot.home, atol=1e-8)


@pytest.mark.parametrize("mode", ["simple", "complete"])
def test_too_large_a_step_for_yielding_legs_is_refused(robot, mode):
    plant = real_plant(robot, legs=mode, drives=False)
    state = plant.start(robot.home)
    modes = plant_eigenvalues(plant, state, plant.holding(state[:7]))
    largest, _ = largest_stable_step(modes)
    assert 5e-4 < largest < 2e-3
    motion, controller = screw_motion(robot, duration=0.02), computed_torque(100, 20)
    with pytest.raises(StepTooLarge, match="substeps"):
        simulate(Scenario(robot, controller, motion, plant=plant, sampling=Sampling(2e-3)))
    simulate(Scenario(robot, controller, motion, plant=plant, sampling=Sampling(2e-3, substeps=8)))


def test_a_gentle_loop_drives_yielding_legs(robot):
    plant = real_plant(robot, legs="simple", drives=False)
    results = simulate(
        Scenario(
            robot,
            computed_torque(100, 20),
            screw_motion(robot),
            plant=plant,
            sampling=Sampling(2e-4),
        )
    )
    assert len(results) == 5001
    assert np.abs(results["pose_error"]).max() < 1e-2


def test_only_plants_told_voltages_have_amplifiers(robot):
    with pytest.raises(GoughError, match="command is a force; expected voltages"):
        force_commanded(rigid_plant(robot))


def test_a_machine_with_end_stops_bounces_and_goes_on(robot):
    plant = real_plant(robot, drives=False)
    rest = screws.hold(robot.home, 1.0)
    results = simulate(
        Scenario(robot, lambda t, measurement, reference: np.zeros(6), rest, plant=plant)
    )
    assert results.study["run"]["ended"] == {"kind": "completed"}
    q = results["leg_length"]
    assert 0.755 < q.min() < 0.763  # some millimetres into the stop
    assert results["leg_speed"].max() > 0.05  # and back
    assert q[-1].max() < 0.79  # it lies on its stops


def test_without_stops_the_same_fall_ends_at_the_stroke(robot):
    rest = screws.hold(robot.home, 1.0)
    results = simulate(
        Scenario(
            robot,
            lambda t, measurement, reference: np.zeros(6),
            rest,
            plant=real_plant(robot, drives=False, stops=False),
        )
    )
    assert results.study["run"]["ended"]["kind"] == "end stop"
