"""Plants with drives, compliant legs, friction and stops: at rest, energy, special cases."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.actuators import connectors_of, drives_of, joint_frictions_of, stops_of
from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.kernel import Kernel
from gough.equations import compliant_energy, drive, driven, friction, stop
from gough.equations.connector import MODES
from gough.errors import RobotError
from gough.parameters import machine_of
from gough.simulation.plant import rigid_plant
from gough.simulation.real_plant import real_plant
from gough.simulation.rk4 import largest_stable_step, plant_eigenvalues

ROBOT = gough.load("demo-hexapod")
HOME = np.array(ROBOT.home)
NO_WRENCH = np.zeros(6)


@pytest.mark.parametrize("drives", [False, True])
@pytest.mark.parametrize("legs", MODES)
def test_the_holding_command_holds(legs, drives):
    plant = real_plant(ROBOT, legs=legs, drives=drives)
    state = plant.start(HOME)
    rates = plant.rate_kernel(state, plant.holding(HOME), NO_WRENCH)
    np.testing.assert_allclose(rates, 0, atol=1e-8)


def test_without_any_extra_it_is_the_rigid_plant():
    rng = np.random.default_rng(0)
    data = ROBOT.to_dict()
    del data["leg"]["connector"]  # whose friction C_t stays when nothing yields
    robot = gough.Robot.from_dict(data)
    plain = real_plant(robot, drives=False, joint_friction=False, stops=False)
    rigid = rigid_plant(ROBOT)
    state = np.concatenate([HOME, 0.2 * rng.normal(size=6)])
    force, wrench = 100 * rng.normal(size=(2, 6))
    np.testing.assert_allclose(
        plain.rate_kernel(state, force, wrench), rigid.rate_kernel(state, force, wrench), rtol=1e-9
    )


def test_payloads_may_vary_from_run_to_run():
    plant = real_plant(ROBOT, varied=("platform.mass",))
    state = plant.start(HOME)
    command = plant.holding(HOME)
    heavier = np.array([[150.0], [200.0]])
    rates = plant.rate_kernel(state, command, NO_WRENCH, heavier)
    assert abs(rates[0, 9]) < 1e-8
    assert rates[1, 9] < -0.1


def test_a_robot_without_drives_says_so():
    with pytest.raises(RobotError, match="drive"):
        real_plant(gough.load("kalani-2016"))


@pytest.mark.parametrize("legs", MODES)
def test_one_millisecond_is_a_stable_step_for_the_demo(legs):
    plant = real_plant(ROBOT, legs=legs)
    state = plant.start(HOME)
    largest, _ = largest_stable_step(plant_eigenvalues(plant, state, plant.holding(HOME)))
    assert largest > 1e-3


@pytest.mark.parametrize("legs", ["rigid", "simple", "complete"])
def test_energy_over_a_run_into_the_stops_is_balanced(legs):
    """Stored in bodies, springs, rotors, windings and stops; lost in every kind of friction."""
    plant, machine = real_plant(ROBOT, legs=legs), machine_of(ROBOT)
    voltage = plant.holding(HOME) + 180.0
    parts = plant.rates.__self__
    drives, stops = drives_of(ROBOT), stops_of(ROBOT)
    frictions, connectors = joint_frictions_of(ROBOT), connectors_of(ROBOT, legs)

    def powers(state):
        at = (machine, connectors, state[0:7], state[7:13], parts.inner(state))
        exact = plant.measured(machine, state, ca.DM.zeros(6))
        length, speed = exact.q, exact.q_dot
        current = driven.currents(drives, parts.current(state), ca.DM(voltage), speed)
        force = parts.response(machine, state, ca.DM(voltage), ca.DM.zeros(6)).force
        stored = ca.sum1(compliant_energy.energy(*at))
        lost = compliant_energy.lost_power(*at)
        lost += friction.lost_power(machine, frictions, state[0:7], state[7:13])
        for k in range(6):
            stored += drive.stored_energy(drives[k], current[k], speed[k])
            stored += stop.stored_energy(stops[k], length[k])
            lost += drive.lost_power(drives[k], current[k], speed[k], force[k])
            lost += stop.lost_power(stops[k], length[k], speed[k])
        rate = driven.current_rates(drives, current, ca.DM(voltage), speed)
        at_terminals = ca.vertcat(*(
            drive.terminal_voltage(drives[k], current[k], rate[k], speed[k]) for k in range(6)
        ))  # fmt: skip
        return ca.vertcat(stored, lost, ca.dot(at_terminals, current), length[0])

    result = Argument("powers", (4,))
    kernel = Kernel(Function.from_equation("powers", powers, [plant.state], [result]))
    start = plant.start(HOME)
    n = len(start)

    def rates(_, z):
        _, lost, supplied, _ = kernel(z[:n])
        return np.concatenate([plant.rate_kernel(z[:n], voltage, NO_WRENCH), [lost, supplied]])

    z = np.concatenate([start, [0, 0]])
    path = solve_ivp(rates, (0, 0.7), z, method="DOP853", rtol=1e-10, atol=1e-12)
    assert path.success
    end = path.y[:, -1]
    lengths = kernel(path.y[:n].T)[:, 3]
    assert lengths.max() > ROBOT.legs[0].stroke[1]  # it did reach the stops
    gain = kernel(end[:n])[0] - kernel(start)[0]
    lost, supplied = end[n:]
    assert abs(gain + lost - supplied) < 1e-8 * abs(supplied)
