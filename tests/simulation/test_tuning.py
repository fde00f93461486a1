"""Gains by pole placement, margins and step responses."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.simulation import Sensors, rigid_plant
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.tuning.margins import at_rest, linear_loop, quality, step_response
from gough.simulation.tuning.tune import TUNABLE, place_poles, smooth_loop

FREQUENCY, DAMPING = 30.0, 0.8
"""Of the poles [rad/s], and their damping."""


@pytest.fixture(scope="module")
def model():
    return gough.Model(gough.load("demo-hexapod"))


def loop_of(model, kind, period=1e-4, delay=0, sensors=Sensors(), **how):
    how |= {"damping": DAMPING, "joint_friction": False}
    controller = place_poles(model, kind, FREQUENCY / (2 * np.pi), **how)
    plant = rigid_plant(model.robot)
    sampling = Sampling(period, delay=delay)
    return ClosedLoop(plant, controller, model.robot, sampling, sensors)


@pytest.mark.parametrize("kind", TUNABLE)
def test_the_loop_has_the_poles_that_were_asked(model, kind):
    """Fast sampling: s = ln(z) / period comes near the poles of continuous control."""
    loop = loop_of(model, kind)
    home = np.array(model.robot.home)
    reference = np.concatenate([home, np.zeros(12)])
    z = linear_loop(loop, loop.start(home), reference).poles
    s = np.log(z[np.abs(z) > 0.5].astype(complex)) / 1e-4
    assert (s.real < 0).all()  # numbers that nothing changes are no poles
    wanted = FREQUENCY * (-DAMPING + 1j * np.sqrt(1 - DAMPING**2))
    near = s[s.imag > 0]
    assert len(near) == 6
    np.testing.assert_allclose(near, wanted, rtol=1e-2)


@pytest.mark.parametrize("kind", ["joint-pid", "pd-gravity", "feed-forward"])
def test_damping_and_springs_of_joints_leave_the_poles_where_they_were_asked(kind):
    data = gough.load("demo-hexapod").to_dict()
    data["leg"]["joint_friction"] = {"base_damping": 60.0, "platform_damping": 40.0}
    data["leg"]["joint_stiffness"] = {"base_bending": 2e3, "platform_bending": 1e3}
    robot = gough.Robot.from_dict(data)
    hertz = FREQUENCY / (2 * np.pi)
    controller = place_poles(gough.Model(robot), kind, hertz, damping=DAMPING)
    loop, home = smooth_loop(robot, controller, Sampling(1e-4)), np.array(robot.home)
    z = linear_loop(loop, loop.start(home), np.concatenate([home, np.zeros(12)])).poles
    s = np.log(z[np.abs(z) > 0.5].astype(complex)) / 1e-4
    wanted = FREQUENCY * (-DAMPING + 1j * np.sqrt(1 - DAMPING**2))
    np.testing.assert_allclose(s[s.imag > 0], [wanted] * 6, rtol=1e-2)


def test_a_pid_has_its_integral_pole_as_well(model):
    loop = loop_of(model, "joint-pid", integral_rate=5.0)
    home = np.array(model.robot.home)
    z = linear_loop(loop, loop.start(home), np.concatenate([home, np.zeros(12)])).poles
    s = np.log(z[np.abs(z) > 0.5].astype(complex)) / 1e-4
    slow = s[(s.real < -1) & (np.abs(s.imag) < 1e-3)]
    np.testing.assert_allclose(slow, -5.0, rtol=1e-2)
    assert len(slow) == 6


def test_step_responses_are_those_of_the_poles(model):
    loop = loop_of(model, "computed-torque-task", period=2e-4)
    found = step_response(loop, duration=0.4)
    w, d = FREQUENCY * np.sqrt(1 - DAMPING**2), FREQUENCY * DAMPING
    t = found.time
    expected = 1 - np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))
    np.testing.assert_allclose(found.response, np.stack([expected] * 6, -1), atol=0.02)
    overshoot = np.exp(-np.pi * DAMPING / np.sqrt(1 - DAMPING**2))
    np.testing.assert_allclose(found.overshoot, overshoot, atol=5e-3)
    assert (found.rise_time < found.settling_time).all()
    assert (found.settling_time < 0.3).all()


def test_without_integral_action_weights_keep_a_step_from_its_end(model):
    """kp is for ω² beside the weights' own stiffness A: at rest x = r + A r / ω²."""
    found = step_response(loop_of(model, "joint-pid", period=1e-3), duration=1.0)
    home = np.array(model.robot.home)
    A, _ = model.linearize(home, np.zeros(6), model.inverse_dynamics(home), np.zeros(6))
    expected = 1 + np.diag(A[6:, :6]) / FREQUENCY**2
    assert np.abs(expected - 1).max() > 1e-3
    np.testing.assert_allclose(found.final - 1, expected - 1, rtol=1e-3)  # a step of finite size


def test_margins_say_where_the_loop_becomes_unstable(model):
    loop = loop_of(model, "computed-torque", period=1e-3)
    found = quality(loop)
    assert found.stable
    least = min(found.legs, key=lambda m: m.delay)
    assert 0 < least.phase < np.pi
    assert least.phase == pytest.approx(np.radians(68), abs=0.05)  # of (2ζω s + ω²)/s², sampled
    assert least.gain == pytest.approx(2 / (2 * DAMPING * FREQUENCY * 1e-3), rel=0.05)
    assert 2 * np.pi * least.bandwidth > FREQUENCY / 2
    # the delay that the weakest leg can take alone bounds what all of them can take together
    samples = int(least.delay / 1e-3) + 2
    for delay, stable in ((samples, False), (1, True)):
        poles = at_rest(loop_of(model, "computed-torque", period=1e-3, delay=delay)).poles
        assert (np.abs(poles).max() < 1) == stable


def test_bad_requests_are_refused(model):
    with pytest.raises(GoughError, match="cannot tune 'lqr'"):
        place_poles(model, "lqr", 10)
    with pytest.raises(GoughError, match="frequency is -1"):
        place_poles(model, "joint-pid", -1)
    with pytest.raises(GoughError, match="damping is 0"):
        place_poles(model, "joint-pid", 1, damping=0)
    with pytest.raises(GoughError, match="integral rate is -2"):
        place_poles(model, "joint-pid", 1, integral_rate=-2)
    with pytest.raises(GoughError, match="no derivative"):
        quality(loop_of(model, "joint-pid", sensors=Sensors(resolution=1e-6)))
