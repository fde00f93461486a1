"""Passive joints and mass centres of hexapods: rates are derivatives, angles rebuild the leg."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from machines import as_machine, random_machine, random_state, time_derivative
from scipy.spatial.transform import Rotation

from gough.equations.legs.closure import leg_position, leg_spin
from gough.equations.motion import motions
from gough.equations.motion.kinematics import all_joints
from gough.equations.motion.motions import joint_tilts

POSE, TWIST, ACCELERATION = ca.SX.sym("pose", 7), ca.SX.sym("twist", 6), ca.SX.sym("acc", 6)
HOME = ca.DM([0, 0, 1.3, 1, 0, 0, 0])


def random_legs(seed, *kinds):
    return replace(random_machine(np.random.default_rng(seed), *kinds), home=HOME)


def evaluated(expression, seed):
    f = ca.Function("f", [POSE, TWIST, ACCELERATION], [expression])
    return np.array(f(*random_state(np.random.default_rng(seed))[:3]))


def angles_of(legs, pose=POSE):
    """γ, ψ and length of each leg."""
    none = ca.DM.zeros(6)
    return ca.reshape(all_joints(as_machine(legs), pose, none, none)[0], 3, -1).T


@pytest.mark.parametrize("seed", range(5))
def test_rates_of_joints_are_the_derivatives_of_their_positions(seed):
    machine = as_machine(random_legs(seed, ["UPS"]))
    position, velocity, acceleration = all_joints(machine, POSE, TWIST, ACCELERATION)
    for value, rate in ((position, velocity), (velocity, acceleration)):
        change = time_derivative(value, POSE, TWIST, ACCELERATION)
        assert np.abs(evaluated(change - rate, seed)).max() < 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_the_two_angles_turn_the_leg_from_home_to_where_it_is(seed):
    legs = random_legs(seed, ["UPS"])
    angles = evaluated(angles_of(legs), seed)
    for k, leg in enumerate(legs.legs):
        a = np.array(leg.base_joint.first_axis).ravel()
        home = np.array(leg_position(leg, HOME).s).ravel()
        across = home - a * (a @ home)
        upright = across / np.linalg.norm(across)  # ψ = 0: the leg at right angles to the axis
        gamma, psi, _ = angles[k]
        first = Rotation.from_rotvec(gamma * a)
        second_axis = first.apply(np.cross(a, upright))
        s = Rotation.from_rotvec(psi * second_axis).apply(first.apply(upright))
        np.testing.assert_allclose(
            s, evaluated(leg_position(leg, POSE).s, seed).ravel(), atol=1e-12
        )


def test_at_home_the_first_angle_and_the_tilts_are_zero():
    legs = random_legs(0, ["UPS"])
    np.testing.assert_allclose(np.array(ca.evalf(angles_of(legs, HOME)))[:, 0], 0, atol=1e-15)
    tilts = np.array(ca.evalf(joint_tilts(as_machine(legs), HOME)))
    np.testing.assert_allclose(tilts, 0, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_tilts_are_angles_in_base_and_platform(seed):
    legs = random_legs(seed)
    tilts = evaluated(joint_tilts(as_machine(legs), POSE), seed).reshape(-1, 2)
    pose = random_state(np.random.default_rng(seed))[0]
    R = Rotation.from_quat(pose[3:], scalar_first=True)
    for leg, (hip, wrist) in zip(legs.legs, tilts, strict=True):
        s = evaluated(leg_position(leg, POSE).s, seed).ravel()
        home = np.array(leg_position(leg, HOME).s).ravel()
        assert np.cos(hip) == pytest.approx(s @ home, abs=1e-12)
        assert np.cos(wrist) == pytest.approx(R.inv().apply(s) @ home, abs=1e-12)


def test_spin_is_the_angular_velocity_along_the_leg():
    legs = random_legs(1)
    spin = evaluated(leg_spin(legs, POSE, TWIST), 1).ravel()
    ups = np.array([leg.base_joint.spins for leg in legs.legs])
    np.testing.assert_array_equal(spin != 0, ups)
    position, velocity, _ = all_joints(as_machine(legs), POSE, TWIST, ACCELERATION)
    psi, gamma_rate = evaluated(position, 1).ravel()[1::3], evaluated(velocity, 1).ravel()[::3]
    np.testing.assert_allclose(spin[ups], (-gamma_rate * np.sin(psi))[ups], rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_mass_centres_move_as_their_rates_say(seed):
    machine = as_machine(random_legs(seed))
    position = motions.mass_center_position(machine, POSE)
    velocity = motions.mass_center_velocity(machine, POSE, TWIST)
    acceleration = motions.mass_center_acceleration(machine, POSE, TWIST, ACCELERATION)
    for value, rate in ((position, velocity), (velocity, acceleration)):
        change = time_derivative(ca.vec(value), POSE, TWIST, ACCELERATION)
        assert np.abs(evaluated(change - ca.vec(rate), seed)).max() < 1e-9


def test_mass_centres_lie_on_their_legs():
    legs = random_legs(2)
    centers = evaluated(motions.mass_center_position(as_machine(legs), POSE), 2)[1:]
    for leg, (cylinder, piston) in zip(legs.legs, centers.reshape(-1, 2, 3), strict=True):
        at = leg_position(leg, POSE)
        s, l = (evaluated(x, 2).ravel() for x in (at.s, at.l))
        base = np.array(leg.base).ravel()
        c1, c2 = float(leg.cylinder.center_of_mass), float(leg.piston.center_of_mass)
        np.testing.assert_allclose(cylinder, base + c1 * s, atol=1e-13)
        np.testing.assert_allclose(piston, base + (l - c2) * s, atol=1e-13)
