"""Machines of many kinds swing, rub and bounce: power in is stored or lost, and none is made."""

import casadi as ca
import losses
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.actuators.drive import currents
from gough.equations.forces.passive_joints import friction_wrench
from gough.kinematics import pose_violation, twist_violation
from gough.kinematics.size import machine_size
from gough.model.actuators import drives_of, joint_frictions_of, stops_of
from gough.model.definition import WRENCH
from gough.model.parameters import machine_of
from gough.simulation import integrate, pd_gravity, real_plant, rigid_plant
from gough.simulation.closed_loop import ClosedLoop

PUSH = np.array([3.0, -2.0, 1.0, 0.2, -0.1, 0.3])
SWUNG = {
    "delta": 0.25,
    "five-bar": 0.25,
    "planar-3rrr": 0.4,
    "tripod-3rps": 0.4,
    "tricept": 0.4,
    "agile-eye": 0.3,
}
"""Machines, and for how long [s] they are let go: with constant and with changing moves."""


def lost_power(plant, machine, state, command, wrench):
    """What drives, joints and stops take [W]."""
    robot, (at, current) = plant.robot, plant.split(machine, state)
    pose, twist = at.pose, at.twist
    seen = plant.measured(machine, state, wrench)
    power = -ca.dot(friction_wrench(machine, joint_frictions_of(robot), pose, twist), twist)
    drives = drives_of(robot)
    i = currents(drives, current, command, seen.q_dot)
    force = plant.response(machine, state, command, wrench).force
    for k, (drive, stop) in enumerate(zip(drives, stops_of(robot), strict=True)):
        power += losses.in_drive(drive, i[k], seen.q_dot[k], force[k])
        if stop is not None:
            power += losses.in_stop(stop, seen.q[k], seen.q_dot[k])
    return power


@pytest.mark.parametrize(
    ("name", "duration"), [("delta", 0.4), ("tripod-3rps", 0.5), ("five-bar", 0.4)]
)
def test_what_motors_give_is_stored_or_lost_in_drives_joints_and_stops(name, duration):
    robot = gough.load(name)
    plant, home = real_plant(robot), np.array(robot.home)
    limits = np.array(plant.limit)
    command = plant.holding(home) + 0.6 * np.where(np.isfinite(limits), limits, 100.0)
    machine, start = machine_of(robot), plant.start(home)
    inputs = [plant.state, plant.command, WRENCH]

    def equation(state, command, wrench):
        return lost_power(plant, machine, state, command, wrench)

    lost = Kernel(Function.from_equation("lost", equation, inputs, [Argument("lost")]))
    n = len(start)

    def rates(_, z):
        at = (np.ascontiguousarray(z[:n]), command, PUSH)
        supplied = plant.output_kernel(*at)[5].sum() + PUSH @ z[7:13]
        return np.concatenate([plant.rate_kernel(*at), [supplied, lost(*at)]])

    z = np.concatenate([start, [0, 0]])
    path = solve_ivp(rates, (0, duration), z, method="LSODA", rtol=1e-10, atol=1e-12)
    assert path.success
    stored = plant.output_kernel(np.ascontiguousarray(path.y[:n].T), command, PUSH)[2]
    gain = stored.sum(axis=1) - stored[0].sum()
    supplied, gone = path.y[n:]
    np.testing.assert_allclose(gain + gone, supplied, atol=1e-6 * np.abs(supplied).max())
    kinetic, _, rotors, windings, _, stops, _ = stored.max(axis=0)
    assert min(kinetic, rotors, windings) > 1e-6
    assert stops > 1e-4  # at least one motor came to its stop


@pytest.mark.parametrize("name", SWUNG)
def test_a_machine_that_is_let_go_keeps_its_energy(name):
    robot = gough.load(name)
    plant, model = rigid_plant(robot), gough.Model(robot)
    start = plant.start(robot.home)
    held = plant.holding(start[:7])
    command = 0.5 * held + 0.02 * (1 + np.abs(held).max())
    path = integrate(plant, start, np.linspace(0, SWUNG[name], 101), command)
    assert not path.events
    kinetic, potential = model.energy(path.pose, path.twist).T
    work = np.concatenate([[0.0], _work(model, path, command)])
    total = kinetic + potential - work
    assert kinetic.max() > 2e-3
    np.testing.assert_allclose(total, total[0], atol=1e-9 * (kinetic.max() + np.abs(potential[0])))


def _work(model, path, command):
    """Of constant efforts: with the ways that their joints have made."""
    q = model.inverse_kinematics(path.pose)
    return (q[1:] - q[0]) @ command


@pytest.mark.parametrize("name", ["tripod-3rps", "tricept", "five-bar"])
def test_a_machine_whose_moves_change_stays_on_its_way(name):
    """Shaken for four seconds, by steps of RK4 and by steps that adapt."""
    robot = gough.load(name)
    plant, home, model = rigid_plant(robot), np.array(robot.home), gough.Model(robot)
    turning = robot.actuators[0].turns
    kp, kd = (30.0, 6.0) if turning else (3000.0, 600.0)
    held = plant.holding(home)
    shaken = 4 * (0.3 * np.abs(held).max() + (0.5 if turning else 5.0))
    phase, q_home = np.arange(plant.actuators), model.inverse_kinematics(home)

    def shaking(t):
        return shaken * np.sin(3 * np.pi * np.asarray(t)[..., None] + phase)

    loop = ClosedLoop(plant, pd_gravity(kp, kd), robot)
    time = 1e-3 * np.arange(4_001)
    reference = np.broadcast_to(np.concatenate([home, np.zeros(12)]), (len(time), 19))
    run = loop.run(loop.start(home), reference, disturbance=shaking(time)).memory[::100, 0, :13]

    def law(t, state):
        e, e_dot = q_home - model.inverse_kinematics(state[:7]), model.joint_velocity(*_at(state))
        return held + kp * e - kd * e_dot + shaking(t)

    path = integrate(plant, plant.start(home), np.linspace(0, 4, 41), law, feedback=True)
    for states in (run, path.state):
        assert np.ptp(states[:, :3], axis=0).max() > 0.02
        pose, twist = np.ascontiguousarray(states[:, :7]), np.ascontiguousarray(states[:, 7:13])
        assert pose_violation(robot, pose).size.max() < 1e-9 * machine_size(robot)
        assert twist_violation(robot, pose, twist).size.max() < 1e-8 * machine_size(robot)


def _at(state):
    return np.ascontiguousarray(state[:7]), np.ascontiguousarray(state[7:13])
