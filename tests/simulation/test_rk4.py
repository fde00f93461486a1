"""Fixed steps: the order of the method, what it keeps, and how large a step may be."""

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

import gough
from gough.equations.solvers.runge_kutta import STEPS
from gough.simulation import Plant, Sampling, rigid_plant
from gough.simulation.integrators import (
    Adaptive,
    StepTooLarge,
    check_step,
    integrate,
    largest_stable_step,
    plant_eigenvalues,
)
from gough.simulation.paths import Stepper
from gough.simulation.plants.actuators import IdealActuators
from gough.simulation.scenario import Run

DURATION = 0.32


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


def swung(plant, steps, substeps=1):
    """The state after a swing under constant forces, a wrench and a start twist."""
    stepper = Stepper(plant, DURATION / steps, substeps)
    stepper.reset(plant.robot.home, [0.2, -0.1, 0.1, 0.5, -0.8, 1.2])
    force = plant.holding(np.array(plant.robot.home))
    for _ in range(steps):
        stepper.step(force, [100.0, 0, 0, 0, 50.0, 0])
    return stepper.state


def test_the_error_falls_with_the_fourth_power_of_the_step(robot):
    plant = rigid_plant(robot)
    exact = swung(plant, 640)
    errors = [np.abs(swung(plant, n) - exact).max() for n in (5, 10, 20, 40)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[-1] > 1e-13  # above rounding, or the order means nothing
    np.testing.assert_allclose(orders, 4.0, atol=0.25)


def test_fixed_and_adaptive_steps_agree(robot):
    plant = rigid_plant(robot)
    start = plant.start(robot.home, [0.2, -0.1, 0.1, 0.5, -0.8, 1.2])
    force = plant.holding(start[:7])
    found = integrate(
        plant,
        start,
        [0, DURATION],
        force,
        wrench=lambda t: [100.0, 0, 0, 0, 50.0, 0],
        integrator=Adaptive(rtol=1e-12),
    )
    np.testing.assert_allclose(swung(plant, 320), found.state[-1], atol=1e-10)


def test_substeps_are_shorter_steps(robot):
    plant = rigid_plant(robot)
    np.testing.assert_allclose(swung(plant, 10, substeps=8), swung(plant, 80), atol=1e-14)


def test_quaternions_keep_their_length(robot):
    plant = rigid_plant(robot)
    stepper = Stepper(plant, 0.02)
    stepper.reset(robot.home, [0, 0, 0, 3.0, -2.0, 4.0])
    for _ in range(15):
        state = stepper.step(plant.holding(np.array(robot.home)))
        assert abs(np.linalg.norm(state[3:7]) - 1) < 1e-15


def test_the_largest_stable_step_is_where_a_mode_stops_to_decay():
    for eigenvalue in (-50.0, -20 + 60j, 200j, -1000 - 5j):
        matrix = np.array([[eigenvalue.real, -eigenvalue.imag], [eigenvalue.imag, eigenvalue.real]])
        largest, of = largest_stable_step(np.linalg.eigvals(matrix).astype(complex))
        assert abs(abs(of) - abs(eigenvalue)) < 1e-9

        def growth(h, A=matrix):
            k = h * A
            return np.abs(
                np.linalg.eigvals(np.eye(2) + k + k @ k / 2 + k @ k @ k / 6 + k @ k @ k @ k / 24)
            ).max()

        assert growth(0.99 * largest) <= 1.0
        assert growth(1.01 * largest) > 1.0
        assert np.abs(np.linalg.eigvals(expm(largest * matrix))).max() <= 1.0 + 1e-12


def test_real_modes_allow_a_step_of_2_785_time_constants():
    largest, _ = largest_stable_step(np.array([-100.0 + 0j]))
    assert largest == pytest.approx(2.785e-2, rel=1e-3)


class InHoney(Plant):
    """A plant with one fast mode, as drives and connectors have."""

    def derivative(self, machine, state, force, wrench):
        held = ca.vertcat(state[7:10], ca.DM.zeros(3))
        return super().derivative(machine, state, force, wrench - 3e5 * held)


OSCILLATING = {4: (2.829, 2.849), 6: (0.448, 1.575)}
"""Longest steps of a mode at 1 rad/s without damping, and with a damping ratio of 1 %."""


@pytest.mark.parametrize("order", STEPS)
def test_errors_fall_with_the_order_of_the_method(order):
    """dx/dt = -2 t x² has the solution 1 / (1 + t²)."""

    def off(steps):
        x, h = np.array([1.0]), 1.0 / steps
        for k in range(steps):
            x = STEPS[order](lambda share, y, k=k: -2 * (k + share) * h * y**2, x, h)
        return abs(x[0] - 0.5)

    coarse, fine = off(10), off(20)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.5)
    largest, _ = largest_stable_step(np.array([-1.0 + 0j]), order)
    assert 2.7 < largest < 4.0
    undamped, damped = (largest_stable_step(np.array([x]), order)[0] for x in (1j, -0.01 + 1j))
    assert (undamped, damped) == pytest.approx(OSCILLATING[order], abs=2e-3)
    with pytest.raises(gough.GoughError, match="order is 5"):
        Sampling(order=5)


def test_the_settings_of_a_run_name_its_method(robot):
    law, motion = gough.simulation.computed_torque(900, 60), gough.motion.hold(robot.home, 0.1)
    for order, method in ((4, "RK4"), (6, "RK6")):
        run = Run.of(gough.Scenario(robot, law, motion, sampling=Sampling(order=order)))
        assert run.described()["integrator"] == {"method": method}


def test_a_step_that_is_too_large_for_the_stiffest_mode_is_refused(robot):
    damped = InHoney(robot=robot, actuation=IdealActuators.of(robot))
    state = damped.start(robot.home)
    command = damped.holding(state[:7])
    fastest = np.abs(plant_eigenvalues(damped, state, command)).max()
    assert fastest > 1000
    with pytest.raises(StepTooLarge, match=r"expected at most .* s") as caught:
        check_step(Sampling(1e-2), plant_eigenvalues(damped, state, command))
    largest = caught.value.largest
    assert largest == pytest.approx(2.785 / fastest, rel=1e-2)
    check_step(Sampling(0.99 * largest), plant_eigenvalues(damped, state, command))
