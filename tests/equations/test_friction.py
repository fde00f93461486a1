"""Friction in passive joints and end stops: power, direction, restitution."""

from __future__ import annotations

import casadi as ca
import losses
import numpy as np
import pytest
from machines import as_machine, random_machine, random_state
from scipy.integrate import solve_ivp

from gough.compiler import Argument, Function, Kernel
from gough.equations.forces.contact import StopLaw, stop_energy, stop_force
from gough.equations.forces.passive_joints import FrictionLaw, friction_wrench, resistance
from gough.equations.legs.closure import leg_position, leg_velocity
from gough.equations.motion.kinematics import all_joints
from gough.equations.solvers.linear import for_boxes


def numbers(value):
    return np.array(ca.evalf(ca.SX(value)), dtype=float).ravel()


def in_hips(damping=0.0, friction=0.0):
    """Friction of the joints at the base."""
    return [FrictionLaw(3 * k, ca.DM(damping), ca.DM(friction)) for k in range(6)]


def in_wrists(damping=0.0, friction=0.0):
    """Friction of the joints at the platform."""
    return [FrictionLaw(3 * k + 2, ca.DM(damping), ca.DM(friction)) for k in range(6)]


@pytest.mark.parametrize("seed", range(5))
def test_viscous_friction_of_universal_joints_loses_the_square_of_their_rates(seed):
    rng = np.random.default_rng(seed)
    machine = as_machine(random_machine(rng, ["UPS"]))
    pose, twist, _, _ = (ca.DM(x) for x in random_state(rng))
    (lost,) = numbers(losses.in_joints(machine, in_hips(damping=0.3), pose, twist))
    rates = numbers(all_joints(machine, pose, twist, ca.DM.zeros(6))[1]).reshape(-1, 3)[:, :2]
    assert lost == pytest.approx(0.3 * (rates**2).sum(), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_viscous_friction_of_spherical_joints_loses_the_square_of_their_turning(seed):
    rng = np.random.default_rng(seed)
    legs = random_machine(rng, ["UPS", "SPS"])
    pose, twist, _, _ = (ca.DM(x) for x in random_state(rng))
    (lost,) = numbers(losses.in_joints(as_machine(legs), in_wrists(damping=0.3), pose, twist))
    expected = 0
    for leg in legs.legs:
        turning = twist[3:6] - leg_velocity(leg, leg_position(leg, pose), twist).omega
        expected += 0.3 * float(ca.dot(turning, turning))
    assert lost == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("axes", [1, 3])
@pytest.mark.parametrize("middle", [0.0, 0.004, 0.5])
def test_bounds_of_friction_over_rates_are_its_range(axes, middle):
    law, rate = FrictionLaw(0, ca.DM(0.2), ca.DM(3.0)), Argument("rate", (axes,))

    def resisted(x):
        return resistance(law, x, slides=False)

    made = Kernel(Function.from_equation("resisted", resisted, [rate], [Argument("y", (axes,))]))
    with for_boxes():
        function = Function.from_equation("resisted", resisted, [rate], [Argument("y", (axes,))])
    low, high = middle - 0.003, middle + 0.002
    found, slopes = Kernel(function, boxes=["rate"])(
        np.tile([low, high], (axes, 1)), np.eye(axes)[0]
    )
    corners = np.stack(np.meshgrid(*[[low, high]] * axes), -1).reshape(-1, axes)
    across = np.concatenate([corners, corners * (np.arange(axes) == 0)])  # none across: the maximum
    values = made(across if low < 0 else corners)[:, 0]
    np.testing.assert_allclose(found[0], [values.min(), values.max()], rtol=1e-12)
    fade = 1e-2
    rates = np.linspace(low, high, 101)
    steep = 0.2 + 3.0 * fade**2 / (rates**2 + fade**2) ** 1.5
    if axes == 1:
        np.testing.assert_allclose(slopes[0], [steep.min(), steep.max()], rtol=1e-3)


@pytest.mark.parametrize("kinds", [["UPS"], ["SPS"]])
def test_dry_friction_hardly_depends_on_speed(kinds):
    rng = np.random.default_rng(1)
    machine = as_machine(random_machine(rng, kinds))
    pose, twist, _, _ = (ca.DM(x) for x in random_state(rng))
    dry = [*in_hips(friction=0.2), *in_wrists(friction=0.1)]
    fast = numbers(friction_wrench(machine, dry, pose, 100 * twist))
    faster = numbers(friction_wrench(machine, dry, pose, 1000 * twist))
    np.testing.assert_allclose(fast, faster, rtol=1e-4, atol=1e-4)
    still = numbers(friction_wrench(machine, dry, pose, ca.DM.zeros(6)))
    np.testing.assert_array_equal(still, 0)


@pytest.mark.parametrize("seed", range(5))
def test_friction_in_joints_always_loses_power(seed):
    rng = np.random.default_rng(seed)
    machine = as_machine(random_machine(rng))
    parts = [*in_hips(friction=0.2, damping=0.1), *in_wrists(friction=0.1)]
    for speed in (1e-4, 1e-2, 1.0):
        pose, twist, _, _ = (ca.DM(x) for x in random_state(rng, speed))
        assert numbers(losses.in_joints(machine, parts, pose, twist))[0] > 0


STOP = StopLaw(ca.DM(0.5), ca.DM(0.8), ca.DM(1e6), ca.DM(0.6))


def test_stops_push_back_into_the_stroke_and_not_inside_it():
    assert float(stop_force(STOP, 0.65, 1.0)) == 0
    assert float(stop_force(STOP, 0.499, -1.0)) == pytest.approx(1000)
    assert float(stop_force(STOP, 0.801, 1.0)) == pytest.approx(-1000)
    assert float(stop_force(STOP, 0.801, -1.0)) == pytest.approx(-1000 * 0.6**2)
    assert float(stop_force(STOP, 0.801, 0.0)) == pytest.approx(-1000 * (1 + 0.6**2) / 2)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize(("mass", "speed"), [(5.0, 0.5), (50.0, 2.0)])
def test_a_mass_leaves_the_stop_with_its_share_of_the_speed(restitution, mass, speed):
    end = StopLaw(ca.DM(0.5), ca.DM(0.8), ca.DM(1e6), ca.DM(restitution))
    l, v = ca.SX.sym("l"), ca.SX.sym("v")
    force = ca.Function("force", [l, v], [stop_force(end, l, v)])

    def rates(_, z):
        return [z[1], float(force(z[0], z[1])) / mass]

    path = solve_ivp(rates, (0, 0.1), [0.799, speed], rtol=1e-9, atol=1e-12, max_step=1e-3)
    assert -path.y[1, -1] == pytest.approx(restitution * speed, abs=0.02 * speed)


def test_energy_of_a_stop_is_stored_or_lost():
    l, v = ca.SX.sym("l"), ca.SX.sym("v")
    growth = ca.jtimes(stop_energy(STOP, l), l, v)
    balance = growth + losses.in_stop(STOP, l, v) + stop_force(STOP, l, v) * v
    f = ca.Function("f", [l, v], [balance, losses.in_stop(STOP, l, v)])
    rng = np.random.default_rng(0)
    for length, speed in zip(rng.uniform(0.45, 0.85, 50), rng.normal(size=50), strict=True):
        balance, lost = map(float, f(length, speed * 10 ** rng.uniform(-4, 0)))
        assert abs(balance) < 1e-10
        assert lost >= 0
