"""Drives: the paper's equations, the inverse, energy, limits, and what the platform feels."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import casadi as ca
import losses
import numpy as np
import pytest
from connectors import compliant_machine, moved, random_inner
from drives import random_drive
from machines import as_machine, random_machine, random_state
from scipy.integrate import solve_ivp

from gough.equations.actuators import compliant, drive
from gough.equations.actuators.compliant import energy as compliant_energy
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.drive import DriveLaw, current_rates, currents, driven_dynamics
from gough.equations.dynamics import default
from gough.equations.forces.dynamics import energy
from gough.equations.legs import closure
from gough.equations.legs.extensible import RIGID
from gough.equations.spatial.attitude import quaternion_rate


def numbers(value):
    return np.array(value, dtype=float).ravel()


def leg_force(d, current, speed, acceleration):
    """F [N] on a leg that moves in a given way: α F + m_r q̈ = force, solved for F."""
    surplus = drive.driving_force(d, current, speed) - drive.reflected_mass(d) * acceleration
    return surplus / drive.load_factor(d, speed, ca.sign(surplus))


def on_rigid_legs(machine, drives, pose, twist, current, wrench, beside=None):
    """The motion of a machine on rigid legs under currents."""
    legs = len(machine.legs)
    beside = ca.DM.zeros(legs) if beside is None else beside
    at = (machine, [RIGID] * legs, pose, twist, Inner.none(legs))
    return on_compliant_legs(at, drives, current, wrench, beside)


def on_compliant_legs(at, drives, current, wrench, beside):
    """The motion of a machine on connectors under currents."""
    speed = compliant.inner_motion(*at).E_dot
    return driven_dynamics(lambda laws: moved(*at, laws, wrench), drives, speed, current, beside)


def bingul():
    """Table 4, in SI units."""
    table = {
        "resistance": 7.10,
        "inductance": 265e-6,
        "torque_constant": 26.10e-3,
        "back_emf": 2.730e-3 * 60 / (2 * pi),
        "rotor_inertia": 0.58e-6,
        "rotor_damping": 0.0016430e-3,
        "gear_ratio": 1.0,
        "screw_lead": 1e-3,
        "screw_inertia": 0.002091e-3,
        "screw_damping": 0.11796e-3,
        "rotor_friction": 0.0,
        "screw_friction": 0.0,
    }
    return DriveLaw(**{key: ca.DM(value) for key, value in table.items()})


def test_motor_torque_is_bingul_52():
    """τ_m = M_a L̈ + N_a L̇ + K_a F with (53)-(55), by hand for a gear of 3."""
    d = replace(bingul(), gear_ratio=ca.DM(3.0))
    speed, acceleration, force = 0.02, 1.5, 40.0
    n, p = 3.0, 1e-3
    M_a = 2 * pi / (n * p) * (0.002091e-3 + n**2 * 0.58e-6)
    N_a = 2 * pi / (n * p) * (0.11796e-3 + n**2 * 0.0016430e-3)
    K_a = p / (n * 2 * pi)
    asked = drive.demand(d, speed, acceleration, force)
    assert float(asked.motor_torque) == pytest.approx(
        M_a * acceleration + N_a * speed + K_a * force, rel=1e-12
    )
    assert float(asked.motor_speed) == pytest.approx(2 * pi * n / p * speed)  # (58)


def test_the_reflected_mass_of_bingul_is_that_of_its_spinning_parts():
    """2.671e-6 kg m² behind a lead of 1 mm: 105.4 kg, nearly a hundred times its platform."""
    assert float(drive.reflected_mass(bingul())) == pytest.approx(105.446, rel=1e-5)


@pytest.mark.parametrize("seed", range(10))
def test_the_inverse_gives_back_current_and_voltage(seed):
    rng = np.random.default_rng(seed)
    d = random_drive(rng)
    speed, acceleration, current, voltage = rng.normal(size=4) * [0.2, 2, 20, 100]
    rate = drive.current_rate(d, current, voltage, speed)
    force = leg_force(d, current, speed, acceleration)
    asked = drive.demand(d, speed, acceleration, force, rate)
    assert float(asked.current) == pytest.approx(current, rel=1e-12)
    assert float(asked.voltage) == pytest.approx(voltage, rel=1e-12)


def test_a_torque_offset_is_asked_of_the_motor_whatever_it_does():
    """Beside friction, and not through the screw: the load's friction does not change it."""
    rng = np.random.default_rng(4)
    d, offset = random_drive(rng), 0.07
    other = replace(d, torque_offset=ca.DM(offset))
    for speed, acceleration, force in rng.normal(size=(6, 3)) * [0.2, 2, 500]:
        asked = [drive.demand(each, speed, acceleration, force) for each in (d, other)]
        more = float(asked[1].motor_torque - asked[0].motor_torque)
        assert more == pytest.approx(offset, rel=1e-9)
        again = leg_force(other, asked[1].current, speed, acceleration)
        assert float(again) == pytest.approx(force, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_inverse_gives_back_the_voltage_without_inductance(seed):
    rng = np.random.default_rng(seed)
    d = random_drive(rng, inductance=None)
    speed, acceleration, voltage = rng.normal(size=3) * [0.2, 2, 100]
    current = drive.steady_current(d, voltage, speed)
    force = leg_force(d, current, speed, acceleration)
    asked = drive.demand(d, speed, acceleration, force, current_rate=1e6)
    assert float(asked.voltage) == pytest.approx(voltage, rel=1e-12)


def test_a_small_inductance_tends_to_none():
    """The current settles to that of the drive without inductance, with the time constant L/R."""
    d = random_drive(np.random.default_rng(0), inductance=1e-5)
    rest = float(drive.steady_current(replace(d, inductance=None), 12.0, 0.05))
    constant = float(d.inductance / d.resistance)
    path = solve_ivp(
        lambda _, i: [float(drive.current_rate(d, i[0], 12.0, 0.05))],
        (0, 3 * constant), [0.0], rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    assert path.y[0, -1] == pytest.approx(rest * (1 - np.exp(-3)), rel=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_electrical_power_is_stored_lost_or_reaches_the_leg(seed):
    rng = np.random.default_rng(seed)
    d = random_drive(rng)
    i, v = ca.SX.sym("i"), ca.SX.sym("v")
    current, speed, acceleration, voltage = rng.normal(size=4) * [20, 0.2, 2, 100]
    rate = drive.current_rate(d, i, voltage, v)
    force = leg_force(d, i, v, acceleration)
    stored = drive.winding_energy(d, i) + drive.rotor_energy(d, v)
    growth = ca.jtimes(stored, i, rate) + ca.jtimes(stored, v, acceleration)
    lost = losses.in_drive(d, i, v, force)
    f = ca.Function("f", [i, v], [growth, lost, force * v, voltage * i])
    growth, lost, delivered, supplied = map(float, f(current, speed))
    size = abs(growth) + abs(lost) + abs(delivered) + abs(supplied)
    assert abs(growth + lost + delivered - supplied) < 1e-12 * size


@pytest.mark.parametrize("seed", range(10))
def test_friction_never_gives_power(seed):
    rng = np.random.default_rng(seed)
    d = replace(random_drive(rng), back_efficiency=ca.DM(rng.uniform(-0.5, 0.9)))
    d = replace(d, back_emf=d.torque_constant)
    for speed in np.geomspace(1e-7, 1, 15):
        for sign in (-1, 1):
            assert float(losses.in_drive(d, 0.0, sign * speed, rng.normal())) >= 0


def test_a_fast_leg_gets_the_efficiency_and_gives_the_back_efficiency():
    d = random_drive(np.random.default_rng(1), efficiency=0.9, rotor_friction=0, screw_friction=0)
    d = replace(d, rotor_damping=ca.DM(0), screw_damping=ca.DM(0))
    N = float(drive.reduction(d))
    lifting = float(drive.demand(d, 0.1, 0, 500).motor_torque)
    lowering = float(drive.demand(d, -0.1, 0, 500).motor_torque)
    assert lifting == pytest.approx(500 / N / 0.9)
    assert lowering == pytest.approx(500 / N * (2 - 1 / 0.9))
    locking = replace(d, back_efficiency=ca.DM(-0.2))
    assert float(drive.demand(locking, -0.1, 0, 500).motor_torque) == pytest.approx(-0.2 * 500 / N)


def settled_speed(d, weight=500.0, mass=20.0):
    """Speed [m/s] of a mass on a drive without current, after half a second, and its fall [m]."""

    def rates(_, state):
        speed = state[1]
        f = float(drive.driving_force(d, 0.0, speed))
        m_r = float(drive.reflected_mass(d))
        alpha = float(drive.load_factor(d, speed, 1.0))  # F stays positive here
        # α F + m_r q̈ = f and F = mass q̈ + weight
        return [speed, (f - alpha * weight) / (m_r + alpha * mass)]

    path = solve_ivp(rates, (0, 0.5), [0.0, 0.0], method="LSODA", rtol=1e-8, atol=1e-10)
    return path.y[1, -1], path.y[0, -1]


def test_a_leg_without_current_sinks_only_if_it_can_drive_its_motor():
    d = random_drive(np.random.default_rng(2), rotor_friction=0, screw_friction=0, efficiency=0.9)
    speed, fall = settled_speed(d)
    assert fall < -0.01
    locked = replace(d, efficiency=ca.DM(0.4))  # back efficiency 2 - 1/0.4 = -0.5
    speed, fall = settled_speed(locked)
    fade = float(d.fade_speed / drive.reduction(d))
    assert abs(speed) < fade
    assert abs(fall) < 0.5 * fade


@pytest.mark.parametrize(("efficiency", "sinks"), [(0.9, True), (0.4, False)])
def test_a_machine_without_current_sinks_only_if_it_can_drive_its_motors(efficiency, sinks):
    rng = np.random.default_rng(8)
    machine = replace(random_machine(rng), gravity=ca.DM([0, 0, -9.81]))
    frictionless = {"rotor_friction": 0, "screw_friction": 0}
    drives = [random_drive(rng, efficiency=efficiency, **frictionless) for _ in range(6)]
    x, v, none = ca.SX.sym("x", 7), ca.SX.sym("v", 6), ca.DM.zeros(6)
    motion = on_rigid_legs(machine, drives, x, v, none, none)
    x_dot = ca.vertcat(v[0:3], quaternion_rate(x[3:7], v[3:6]))
    rates = ca.Function("rates", [ca.vertcat(x, v)], [ca.vertcat(x_dot, motion.acceleration)])
    start = np.array([0, 0, 1.3, 1, 0, 0, 0] + [0] * 6, dtype=float)
    path = solve_ivp(
        lambda _, y: numbers(rates(y)), (0, 1), start, method="LSODA", rtol=1e-6, atol=1e-9
    )
    speed = ca.Function("speed", [x, v], [closure.joint_velocity(machine, x, v)])
    end = numbers(speed(path.y[:7, -1], path.y[7:, -1]))
    fade = max(float(d.fade_speed / drive.reduction(d)) for d in drives)
    fastest = np.abs(end).max()
    assert fastest > 10 * fade if sinks else fastest < fade


def test_limits_hold_voltage_and_current():
    d = random_drive(np.random.default_rng(3))
    d = replace(d, max_voltage=ca.DM(48.0), max_current=ca.DM(10.0))
    assert float(drive.current_rate(d, 1.0, 1e3, 0.0)) == pytest.approx(
        float(drive.current_rate(d, 1.0, 48.0, 0.0))
    )
    assert float(drive.current_rate(d, 10.0, 48.0, 0.0)) == pytest.approx(0, abs=1e-9)
    assert float(drive.current_rate(d, -10.0, -48.0, 0.01)) == pytest.approx(0, abs=1e-9)
    assert float(drive.current_rate(d, 10.0, -48.0, 0.0)) < 0
    quick = replace(d, inductance=None)
    assert float(drive.applied_voltage(quick, 40.0, 0.0, 0.0)) == min(40, 10 * float(d.resistance))
    assert float(drive.steady_current(quick, 1e3, 0.0)) == pytest.approx(10)
    assert float(drive.steady_current(quick, -1e3, 0.0)) == pytest.approx(-10)


def test_a_limit_of_the_current_leaves_the_voltage_alone_while_the_current_is_far_from_it():
    """13 V at 0.9 A of 15 A, through 0.8 ohm, of which 15 A need 12 V: the current grows freely."""
    limits = {"max_current": 15.0, "max_voltage": 325.0}
    d = random_drive(np.random.default_rng(0), resistance=0.8, inductance=5e-3, **limits)
    assert float(drive.applied_voltage(d, 13.0, 0.9, 0.0)) == 13.0
    assert float(drive.current_rate(d, 0.9, 13.0, 0.0)) == pytest.approx((13 - 0.8 * 0.9) / 5e-3)


@pytest.mark.parametrize("inductance", [5e-3, 1e-4])
def test_a_current_under_a_high_voltage_comes_to_its_limit_and_stays(inductance):
    limits = {"max_current": 15.0, "max_voltage": 325.0}
    d = random_drive(np.random.default_rng(0), resistance=0.8, inductance=inductance, **limits)
    path = solve_ivp(
        lambda _, i: [float(drive.current_rate(d, i[0], 300.0, 0.01))],
        (0, 0.02), [-15.0], rtol=1e-9, atol=1e-9, max_step=1e-4,
    )  # fmt: skip
    assert path.y[0].max() <= 15 + 1e-7
    assert path.y[0, -1] == pytest.approx(15, rel=1e-6)


def state(seed):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng)
    pose, twist, acceleration, wrench = random_state(rng)
    pose[3:] /= np.linalg.norm(pose[3:])
    return rng, machine, pose, 0.3 * twist, acceleration, wrench


@pytest.mark.parametrize("efficiency", [None, 0.8])
@pytest.mark.parametrize("seed", range(5))
def test_the_machine_follows_the_motion_whose_currents_it_gets(seed, efficiency):
    rng, machine, pose, twist, acceleration, wrench = state(seed)
    drives = [random_drive(rng, efficiency=efficiency) for _ in range(6)]
    at = (machine, ca.DM(pose), ca.DM(twist))
    forces = default.inverse_dynamics(*at, ca.DM(acceleration), ca.DM(wrench))
    speed = closure.joint_velocity(*at)
    q_ddot = closure.joint_acceleration(*at, ca.DM(acceleration))
    legs = zip(drives, *map(ca.vertsplit, (speed, q_ddot, forces)), strict=True)
    currents = ca.vertcat(*(drive.demand(*leg).current for leg in legs))
    motion = on_rigid_legs(machine, drives, ca.DM(pose), ca.DM(twist), currents, ca.DM(wrench))
    np.testing.assert_allclose(numbers(motion.acceleration), acceleration, rtol=1e-8)
    np.testing.assert_allclose(numbers(motion.force), numbers(forces), rtol=1e-8)


def test_the_platform_feels_the_drives_as_kinetic_energy():
    """twistᵀ M twist / 2 is the energy of all bodies and all rotors."""
    rng, machine, pose, twist, _, _ = state(3)
    drives = [random_drive(rng) for _ in range(6)]
    masses = ca.vertcat(*(drive.reflected_mass(d) for d in drives))
    M = np.array(drive.mass_matrix(as_machine(machine), ca.DM(pose), masses))
    speeds = numbers(closure.joint_velocity(machine, ca.DM(pose), ca.DM(twist)))
    rotors = sum(
        float(d.rotor_inertia) * (2 * pi * float(d.gear_ratio / d.screw_lead) * v) ** 2 / 2
        + float(d.screw_inertia) * (2 * pi / float(d.screw_lead) * v) ** 2 / 2
        for d, v in zip(drives, speeds, strict=True)
    )
    bodies = float(ca.evalf(energy(as_machine(machine), ca.DM(pose), ca.DM(twist)))[0])
    assert twist @ M @ twist / 2 == pytest.approx(bodies + rotors, rel=1e-12)
    np.testing.assert_array_equal(M, M.T)


@pytest.mark.parametrize("compliant", [False, True], ids=["rigid", "compliant"])
@pytest.mark.parametrize("efficiency", [None, 0.8])
def test_power_of_the_whole_machine_is_balanced(compliant, efficiency):
    """Voltages and the wrench supply what is stored or lost.

    It is stored in bodies, springs, rotors and windings, lost in resistances, dampers and friction.
    """
    rng, _, pose, twist, _, wrench = state(6)
    machine, connectors, _ = compliant_machine(rng, ["complete", "simple", "rigid"])
    drives = [random_drive(rng, efficiency=efficiency) for _ in range(6)]
    x, v, i, y = (ca.SX.sym(name, n) for name, n in zip("xviy", (7, 6, 6, 30), strict=True))
    voltage, w = ca.DM(30 * rng.normal(size=6)), ca.DM(wrench)
    beside = ca.DM(100 * rng.normal(size=6))  # forces that bypass the screws
    inner = Inner.of(y)
    if compliant:
        motion = on_compliant_legs((machine, connectors, x, v, inner), drives, i, w, beside)
        speed = motion.inner_rate.E
        stored = ca.sum1(compliant_energy(machine, connectors, x, v, inner))
        lost = losses.in_legs(machine, connectors, x, v, inner)
        y_dot = motion.inner_rate.column()
    else:
        motion = on_rigid_legs(machine, drives, x, v, i, w, beside)
        speed = closure.joint_velocity(machine, x, v)
        stored = ca.sum1(energy(as_machine(machine), x, v))
        lost, y_dot = 0, ca.DM.zeros(30)
    i_dot = current_rates(drives, i, voltage, speed)
    for k, d in enumerate(drives):
        stored += drive.winding_energy(d, i[k]) + drive.rotor_energy(d, speed[k])
        lost += losses.in_drive(d, i[k], speed[k], motion.force[k])
    x_dot = ca.vertcat(v[0:3], quaternion_rate(x[3:7], v[3:6]))
    growth = ca.jtimes(stored, ca.vertcat(x, v, i, y), ca.vertcat(
        x_dot, motion.acceleration, i_dot, y_dot
    ))  # fmt: skip
    supplied = ca.dot(voltage, i) + ca.dot(w, v) + ca.dot(beside, speed)
    f = ca.Function("f", [x, v, i, y], [growth, lost, supplied])
    lengths = numbers(closure.inverse_kinematics(machine, ca.DM(pose)))
    at = random_inner(rng, lengths, machine).column()
    growth, lost, supplied = map(float, f(pose, twist, 10 * rng.normal(size=6), at))
    assert abs(growth + lost - supplied) < 1e-12 * (abs(growth) + abs(lost) + abs(supplied))


def test_currents_follow_voltages_at_once_where_there_is_no_inductance():
    rng = np.random.default_rng(5)
    drives = [random_drive(rng, inductance=None if k % 2 else 1e-3) for k in range(6)]
    state_i, voltage, speed = ca.DM(rng.normal(size=6)), ca.DM(rng.normal(size=6)), ca.DM.zeros(6)
    i = numbers(currents(drives, state_i, voltage, speed))
    rate = numbers(current_rates(drives, state_i, voltage, speed))
    for k, d in enumerate(drives):
        expected = float(voltage[k] / d.resistance) if k % 2 else float(state_i[k])
        assert i[k] == pytest.approx(expected)
        assert (rate[k] == 0) == bool(k % 2)
