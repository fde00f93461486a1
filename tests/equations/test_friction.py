"""Friction in passive joints and end stops: power, direction, restitution."""

from __future__ import annotations

import casadi as ca
import losses
import numpy as np
import pytest
from machines import random_machine, random_state
from scipy.integrate import solve_ivp

from gough.equations.actuators import friction, stop
from gough.equations.actuators.friction import JointFriction
from gough.equations.actuators.stop import Stop
from gough.equations.legs import passive
from gough.equations.legs.leg import leg_position, leg_velocity


def numbers(value):
    return np.array(value, dtype=float).ravel()


def only(**part):
    keys = ("base_damping", "base_friction", "platform_damping", "platform_friction")
    return JointFriction(*(ca.DM(part.get(key, 0.0)) for key in keys))


@pytest.mark.parametrize("seed", range(5))
def test_viscous_friction_of_universal_joints_loses_the_square_of_their_rates(seed):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, ["UPS"])
    pose, twist, _, _ = (ca.DM(x) for x in random_state(rng))
    lost = losses.in_joints(machine, [only(base_damping=0.3)] * 6, pose, twist)
    rates = numbers(passive.universal_joint_velocity(machine, pose, twist))
    assert float(lost) == pytest.approx(0.3 * (rates**2).sum(), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_viscous_friction_of_spherical_joints_loses_the_square_of_their_turning(seed):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, ["UPS", "SPS"])
    pose, twist, _, _ = (ca.DM(x) for x in random_state(rng))
    lost = losses.in_joints(machine, [only(platform_damping=0.3)] * 6, pose, twist)
    expected = 0
    for leg in machine.legs:
        turning = twist[3:6] - leg_velocity(leg, leg_position(leg, pose), twist).omega
        expected += 0.3 * float(ca.dot(turning, turning))
    assert float(lost) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kinds", [["UPS"], ["SPS"]])
def test_dry_friction_hardly_depends_on_speed(kinds):
    rng = np.random.default_rng(1)
    machine = random_machine(rng, kinds)
    pose, twist, _, _ = (ca.DM(x) for x in random_state(rng))
    dry = [only(base_friction=0.2, platform_friction=0.1)] * 6
    fast = numbers(friction.friction_wrench(machine, dry, pose, 100 * twist))
    faster = numbers(friction.friction_wrench(machine, dry, pose, 1000 * twist))
    np.testing.assert_allclose(fast, faster, rtol=1e-4, atol=1e-4)
    still = numbers(friction.friction_wrench(machine, dry, pose, ca.DM.zeros(6)))
    np.testing.assert_array_equal(still, 0)


@pytest.mark.parametrize("seed", range(5))
def test_friction_in_joints_always_loses_power(seed):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng)
    parts = [only(base_friction=0.2, base_damping=0.1, platform_friction=0.1)] * 6
    for speed in (1e-4, 1e-2, 1.0):
        pose, twist, _, _ = (ca.DM(x) for x in random_state(rng, speed))
        assert float(losses.in_joints(machine, parts, pose, twist)) > 0


STOP = Stop(ca.DM(0.5), ca.DM(0.8), ca.DM(1e6), ca.DM(0.6))


def test_stops_push_back_into_the_stroke_and_not_inside_it():
    assert float(stop.stop_force(STOP, 0.65, 1.0)) == 0
    assert float(stop.stop_force(STOP, 0.499, -1.0)) == pytest.approx(1000)
    assert float(stop.stop_force(STOP, 0.801, 1.0)) == pytest.approx(-1000)
    assert float(stop.stop_force(STOP, 0.801, -1.0)) == pytest.approx(-1000 * 0.6**2)
    assert float(stop.stop_force(STOP, 0.801, 0.0)) == pytest.approx(-1000 * (1 + 0.6**2) / 2)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize(("mass", "speed"), [(5.0, 0.5), (50.0, 2.0)])
def test_a_mass_leaves_the_stop_with_its_share_of_the_speed(restitution, mass, speed):
    end = Stop(ca.DM(0.5), ca.DM(0.8), ca.DM(1e6), ca.DM(restitution))
    l, v = ca.SX.sym("l"), ca.SX.sym("v")
    force = ca.Function("force", [l, v], [stop.stop_force(end, l, v)])

    def rates(_, z):
        return [z[1], float(force(z[0], z[1])) / mass]

    path = solve_ivp(rates, (0, 0.1), [0.799, speed], rtol=1e-9, atol=1e-12, max_step=1e-3)
    assert -path.y[1, -1] == pytest.approx(restitution * speed, abs=0.02 * speed)


def test_energy_of_a_stop_is_stored_or_lost():
    l, v = ca.SX.sym("l"), ca.SX.sym("v")
    growth = ca.jtimes(stop.stored_energy(STOP, l), l, v)
    balance = growth + losses.in_stop(STOP, l, v) + stop.stop_force(STOP, l, v) * v
    f = ca.Function("f", [l, v], [balance, losses.in_stop(STOP, l, v)])
    rng = np.random.default_rng(0)
    for length, speed in zip(rng.uniform(0.45, 0.85, 50), rng.normal(size=50), strict=True):
        balance, lost = map(float, f(length, speed * 10 ** rng.uniform(-4, 0)))
        assert abs(balance) < 1e-10
        assert lost >= 0
