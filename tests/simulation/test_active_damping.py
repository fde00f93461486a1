"""Integral force feedback in simulations: the linear machine says what the simulated one does."""

import casadi as ca
import control
import numpy as np
import pytest

import gough
from gough.elastic import damped, elastic_state_space, frequency_response
from gough.equations.control.signals import Measurement
from gough.equations.spatial.pose import displace
from gough.model.parameters import machine_of
from gough.motion import Quintic, line
from gough.simulation import ClosedLoop, Sampling, Stepper, active_damping, real_plant

KP, KF, LEAK = 4e6, 60.0, 5.0
"""Of position control [N/m], of integral force feedback [1/s] and how it fades [1/s]."""
PERIOD, EVERY = 1e-5, 20
"""Between samples [s], so that they hardly delay the actuators; one of so many is looked at."""
TERMS = "leg.joint_stiffness leg.drive leg.stop leg.stiffness leg.screw leg.joint_friction"


def on_connectors(**connector):
    """The demonstration machine on nothing but the springs K_L of its connectors, weightless."""
    only = {"coupling": None, "decoupling": None, "damping": 6000.0, **connector}
    return gough.load("demo-hexapod").replace(
        {
            **dict.fromkeys(TERMS.split()),
            **{f"leg.connector.{key}": value for key, value in only.items()},
            "gravity": [0, 0, 0],
        }
    )


@pytest.fixture(scope="module")
def robot():
    return on_connectors()


@pytest.fixture(scope="module")
def plant(robot):
    return real_plant(robot, legs="simple", drives=False)


def linear(robot, kf):
    return damped(elastic_state_space(robot, actuators=KP), "integral push", kf, LEAK)


def simulated(robot, plant, kf, wrench):
    """Times and the way (T, 6) of the platform, under a wrench (T, 6) that goes by lines."""
    loop = ClosedLoop(plant, active_damping(KP, 0.0, kf, LEAK), robot, Sampling(PERIOD))
    home = np.array(robot.home)
    reference = np.broadcast_to(np.concatenate([home, np.zeros(12)]), (len(wrench), 19))
    after = np.concatenate([wrench[1:], wrench[-1:]])
    found = loop.run(loop.start(home), reference, wrench=(wrench, after), every=EVERY)
    states = found.memory[:, 0]
    way = np.concatenate([states[:, :3] - home[:3], 2 * states[:, 4:7]], axis=1)
    return EVERY * PERIOD * np.arange(len(way)), way


def seen_poles(signal, step):
    """Those [rad/s] of which a signal is made, by the shifts of its Hankel matrix."""
    rows = np.lib.stride_tricks.sliding_window_view(signal, len(signal) // 2)
    U, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    U = U[:, sizes > 1e-5 * sizes[0]]
    return np.log(np.linalg.eigvals(np.linalg.pinv(U[:-1]) @ U[1:]).astype(complex)) / step


def test_the_law_on_the_plant_is_the_linear_closed_loop(robot, plant):
    """All states, number by number: the simulated equations by CasADi's derivatives."""
    controller = active_damping(KP, 0.0, KF, LEAK)
    home, n = np.array(robot.home), plant.actuators
    rest = plant.start(home)
    z, rate, y = ca.SX.sym("z", 12), ca.SX.sym("rate", 12), ca.SX.sym("y", n)
    state = ca.SX(ca.DM(rest))
    state[:7], state[7:13] = displace(ca.DM(home), z[:6]), rate[:6]
    state[13 : 13 + n] = rest[13 : 13 + n] + z[6:]
    state[13 + 3 * n : 13 + 4 * n] = rate[6:]
    machine, wanted = machine_of(robot), ca.DM(np.concatenate([home, np.zeros(12)]))
    seen = plant.measured(machine, state, ca.DM.zeros(6)).column()
    gains = ca.DM(controller.gain_values(n))
    at_once, sampled = (controller.function(robot, h, [np.inf] * n) for h in (0.0, 1e-3))
    command, _ = at_once(y, seen, wanted, gains)
    _, later = sampled(y, seen, wanted, gains)
    moved = plant.derivative(machine, state, command, ca.DM.zeros(6))
    E_ddot = moved[13 + 3 * n : 13 + 4 * n]
    rates = ca.vertcat(rate, moved[7:13], E_ddot, (later - y) / 1e-3)
    all_states = ca.vertcat(z, rate, y)
    slope = ca.Function("A", [all_states], [ca.jacobian(rates, all_states)])
    found = np.array(slope(np.zeros(30)))
    expected = linear(robot, KF).A.copy()
    expected[24:, :24] *= -KF  # the controller keeps -kf ∫ F
    expected[:24, 24:] /= -KF
    scale = np.abs(expected).max(0)
    np.testing.assert_allclose(found / scale, expected / scale, atol=1e-9)


@pytest.mark.parametrize("kf", [0.0, KF])
def test_a_sweep_is_answered_as_the_linear_machine_does(robot, plant, kf):
    """A force along x and a moment about y swing at 4 to 80 Hz."""
    time = PERIOD * np.arange(50001)
    swing = np.sin(2 * np.pi * (4 + 38 * time / time[-1]) * time)
    wrench = 5 * swing[:, None] * np.array([1.0, 0, 0, 0, 0.3, 0])
    seen, found = simulated(robot, plant, kf, wrench)
    system = linear(robot, kf)
    names = [name for name in system.input_labels if name.endswith("_wrench")]
    one = system[list("xyz"), names]
    answer = control.forced_response(one, seen, wrench[::EVERY].T).outputs.T
    np.testing.assert_allclose(found[:, :3], answer, atol=5e-3 * np.abs(answer).max())


@pytest.mark.parametrize("kf", [0.0, KF])
def test_a_steady_swing_has_the_amplitude_of_the_frequency_response(robot, plant, kf):
    hertz = 16.0
    swing = 2 * np.pi * hertz * PERIOD * np.arange(90000)
    seen, found = simulated(robot, plant, kf, np.sin(swing)[:, None] * [5.0, 0, 0, 0, 0, 0])
    late = seen > seen[-1] - 4 / hertz
    at = 2 * np.pi * hertz * seen[late]
    parts = np.stack([np.sin(at), np.cos(at), np.ones_like(at)], axis=1)
    sine, cosine, _ = np.linalg.lstsq(parts, found[late, 0], rcond=None)[0]
    H = frequency_response(linear(robot, kf), [hertz], "displacement", "wrench").values[0, 0, 0]
    assert abs(sine + 1j * cosine - 5 * H) < 5e-3 * abs(5 * H)


@pytest.mark.parametrize("kf", [0.0, KF])
def test_after_a_step_the_first_mode_dies_away_as_its_pole_says(robot, plant, kf):
    seen, way = simulated(robot, plant, kf, np.broadcast_to([5.0, 0, 0, 0, 0, 0], (30000, 6)))
    found = seen_poles(way[::5, 0], 5 * seen[1])
    poles = linear(robot, kf).poles()
    first = min(poles[poles.imag > 1], key=abs)
    nearest = found[np.argmin(np.abs(found - first))]
    ratio = -nearest.real / abs(nearest)
    assert ratio == pytest.approx(-first.real / abs(first), rel=1e-2)
    assert abs(nearest) == pytest.approx(abs(first), rel=1e-2)
    assert (ratio > 0.25) == (kf > 0)


def test_actuators_that_give_way_take_energy_and_held_ones_none(robot, plant):
    """What they do beyond the springs that hold them, after the platform was pushed."""
    home, taken = np.array(robot.home), {}
    for kf in (0.0, KF):
        loop = ClosedLoop(plant, active_damping(KP, 0.0, kf), robot, Sampling(PERIOD))
        reference = np.broadcast_to(np.concatenate([home, np.zeros(12)]), (10000, 19))
        start = loop.start(home)
        start[7] = 0.01  # m/s along x
        found = loop.run(start, reference)
        states = found.memory[:, 0, loop.parts[0]]
        force, speed, stored, *_ = plant.output_kernel(states, found.command[:, 0], np.zeros(6))
        held = KP * np.sum((states[-1, 13:19] - states[0, 13:19]) ** 2) / 2
        taken[kf] = (-PERIOD * np.sum(force * speed) - held) / stored[0].sum()
    assert taken[KF] > 0.4
    assert abs(taken[0.0]) < 1e-2


def test_sensors_feel_the_springs_and_not_the_pistons():
    """At rest the actuators bear the weights of the pistons along the legs besides."""
    robot = gough.load("demo-hexapod")
    plant = real_plant(robot, legs="complete", drives=False)
    seen = Measurement.of(ca.DM(Stepper(plant).measurement))
    home = np.array(robot.home)
    ways = gough.Model(robot).jacobian(home)[:, :3]  # along the legs
    pistons = np.array([leg.piston.mass for leg in robot.legs]) * (ways @ robot.gravity)
    felt = plant.holding(home) + pistons
    np.testing.assert_allclose(np.array(seen.push).ravel(), felt, rtol=1e-9)


def test_a_leak_keeps_stiffness_against_a_lasting_load(robot, plant):
    """At rest u = kp e - kf/leak F with F = u: kp is softer by 1 + kf/leak."""
    load = np.broadcast_to([4.0, 0, 0, 0, 0, 0], (110000, 6))
    _, way = simulated(robot, plant, 5 * LEAK, load)
    yielding = np.full(6, (1 + 5) / KP)
    expected = gough.Model(robot).compliance(robot.home, np.zeros(6), yielding)[:, 0] * 4.0
    np.testing.assert_allclose(way[-1], expected, atol=1e-2 * np.abs(expected).max())


def test_other_machines_and_rigid_legs_have_no_such_sensors(robot):
    law, motion = active_damping(KP, 0.0, KF), line(robot.home, [0, 0, 1e-3], Quintic(0.1))
    with pytest.raises(gough.GoughError, match=r'forces in the connectors .* legs "simple", '):
        gough.simulate(gough.Scenario(robot, law, motion))
    with pytest.raises(gough.GoughError, match="feels forces in connectors; only extensible"):
        law.function(gough.load("delta"), 1e-3, [np.inf] * 3)
    with pytest.raises(gough.GoughError, match=r"kf is -1\.0; expected at least 0 1/s"):
        active_damping(KP, 0.0, -1.0)
