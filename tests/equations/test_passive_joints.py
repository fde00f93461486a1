"""Passive joints and mass centres: rates are derivatives, angles rebuild the leg."""

import casadi as ca
import numpy as np
import pytest
from machines import random_machine, random_state, time_derivative
from scipy.spatial.transform import Rotation

from gough.equations.legs import parts, passive
from gough.equations.legs.leg import leg_position

POSE, TWIST, ACCELERATION = ca.SX.sym("pose", 7), ca.SX.sym("twist", 6), ca.SX.sym("acc", 6)
HOME = ca.DM([0, 0, 1.3, 1, 0, 0, 0])


def evaluated(expression, seed):
    f = ca.Function("f", [POSE, TWIST, ACCELERATION], [expression])
    return np.array(f(*random_state(np.random.default_rng(seed))[:3]))


@pytest.mark.parametrize("seed", range(10))
def test_universal_joint_rates_are_the_derivatives_of_its_angles(seed):
    machine = random_machine(np.random.default_rng(seed), ["UPS"])
    angles = passive.universal_joint_angles(machine, POSE, HOME)
    rates = passive.universal_joint_velocity(machine, POSE, TWIST)
    change = time_derivative(ca.vec(angles), POSE, TWIST, ACCELERATION)
    assert np.abs(evaluated(change - ca.vec(rates), seed)).max() < 1e-10


@pytest.mark.parametrize("seed", range(10))
def test_the_two_angles_turn_the_leg_from_home_to_where_it_is(seed):
    machine = random_machine(np.random.default_rng(seed), ["UPS"])
    angles = evaluated(passive.universal_joint_angles(machine, POSE, HOME), seed)
    for k, leg in enumerate(machine.legs):
        a = np.array(leg.base_joint.first_axis).ravel()
        home = np.array(leg_position(leg, HOME).s).ravel()
        across = home - a * (a @ home)
        upright = across / np.linalg.norm(across)  # ψ = 0: the leg at right angles to the axis
        gamma, psi = angles[k]
        first = Rotation.from_rotvec(gamma * a)
        second_axis = first.apply(np.cross(a, upright))
        s = Rotation.from_rotvec(psi * second_axis).apply(first.apply(upright))
        np.testing.assert_allclose(
            s, evaluated(leg_position(leg, POSE).s, seed).ravel(), atol=1e-12
        )


def test_at_home_the_first_angle_and_the_tilt_are_zero():
    machine = random_machine(np.random.default_rng(0), ["UPS"])
    angles = np.array(passive.universal_joint_angles(machine, HOME, HOME))
    np.testing.assert_allclose(angles[:, 0], 0, atol=1e-15)
    tilt = np.array(passive.spherical_joint_tilt(machine, HOME, HOME))
    np.testing.assert_allclose(tilt, 0, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_tilt_is_the_angle_in_the_platform(seed):
    machine = random_machine(np.random.default_rng(seed))
    tilts = evaluated(passive.spherical_joint_tilt(machine, POSE, HOME), seed).ravel()
    pose = random_state(np.random.default_rng(seed))[0]
    R = Rotation.from_quat(pose[3:], scalar_first=True)
    for leg, tilt in zip(machine.legs, tilts, strict=True):
        now = R.inv().apply(evaluated(leg_position(leg, POSE).s, seed).ravel())
        home = np.array(leg_position(leg, HOME).s).ravel()
        assert np.cos(tilt) == pytest.approx(now @ home, abs=1e-12)


def test_spin_is_the_angular_velocity_along_the_leg():
    machine = random_machine(np.random.default_rng(1))
    spin = evaluated(passive.leg_spin(machine, POSE, TWIST), 1).ravel()
    ups = np.array([leg.base_joint.spins for leg in machine.legs])
    np.testing.assert_array_equal(spin != 0, ups)
    angles = evaluated(passive.universal_joint_angles(machine, POSE, HOME), 1)
    rates = evaluated(passive.universal_joint_velocity(machine, POSE, TWIST), 1)
    np.testing.assert_allclose(spin[ups], (-rates[:, 0] * np.sin(angles[:, 1]))[ups], rtol=1e-12)
    assert np.isnan(angles[~ups]).all()


@pytest.mark.parametrize("seed", range(5))
def test_mass_centres_move_as_their_rates_say(seed):
    machine = random_machine(np.random.default_rng(seed))
    position = ca.vertcat(*parts.mass_center_position(machine, POSE))
    velocity = ca.vertcat(*parts.mass_center_velocity(machine, POSE, TWIST))
    acceleration = ca.vertcat(*parts.mass_center_acceleration(machine, POSE, TWIST, ACCELERATION))
    for value, rate in ((position, velocity), (velocity, acceleration)):
        change = time_derivative(ca.vec(value), POSE, TWIST, ACCELERATION)
        assert np.abs(evaluated(change - ca.vec(rate), seed)).max() < 1e-10


def test_mass_centres_lie_on_their_legs():
    machine = random_machine(np.random.default_rng(2))
    cylinders, pistons = parts.mass_center_position(machine, POSE)
    for k, leg in enumerate(machine.legs):
        at = leg_position(leg, POSE)
        along = (leg.base_joint.axes(at.s)[2].T, at.l)
        s, l = (evaluated(x, 2) for x in along)
        base = np.array(leg.base).T
        c1, c2 = float(leg.cylinder.center_of_mass), float(leg.piston.center_of_mass)
        np.testing.assert_allclose(evaluated(cylinders[k, :], 2), base + c1 * s, rtol=1e-13)
        np.testing.assert_allclose(evaluated(pistons[k, :], 2), base + (l - c2) * s, rtol=1e-13)
