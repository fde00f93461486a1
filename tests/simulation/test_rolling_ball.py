"""A ball on a plate: textbook rolling, energy, free fall, and the machine under it."""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.equations.forces.rolling_ball import Ball, ball_energy, rolling
from gough.equations.spatial.pose import rate
from gough.errors import InputError
from gough.report import report_page
from gough.simulation import BallOnPlate, integrate, real_plant

G = np.array([0, 0, -9.81])
BALL = Ball(0.05, 0.02, 2 / 5, 0.01)
LEVEL = np.array([0, 0, 1, 1, 0, 0, 0.0])
STILL = np.zeros(6)


def tilted(angle):
    return np.array([0, 0, 1, np.cos(angle / 2), np.sin(angle / 2), 0, 0])


def rolled(state, pose, twist=STILL, acceleration=STILL, ball=BALL):
    given = map(ca.DM, (state, pose, twist, acceleration, G))
    return [np.array(x).ravel() for x in rolling(ball, *given)]


@pytest.mark.parametrize(("share", "factor"), [(2 / 5, 5 / 7), (2 / 3, 3 / 5)])
def test_a_ball_rolls_down_an_incline_as_textbooks_say(share, factor):
    ball = Ball(0.05, 0.02, share, 0.01)
    rates, wrench, normal = rolled(np.zeros(5), tilted(0.2), ball=ball)
    assert rates[3] == pytest.approx(-factor * 9.81 * np.sin(0.2), rel=1e-14)
    assert normal[0] == pytest.approx(0.05 * 9.81 * np.cos(0.2), rel=1e-14)
    # the plate carries the weight less the ball's acceleration, and friction is 2/7 of the slope's
    along = np.array([0, np.cos(0.2), np.sin(0.2)])
    np.testing.assert_allclose(-wrench[:3], 0.05 * (along * rates[3] - G), rtol=1e-13)


def test_a_ball_on_a_plate_in_free_fall_has_no_weight():
    state = np.array([0.03, -0.02, 0.1, 0.2, 3.0])
    rates, wrench, normal = rolled(state, tilted(0.3), [0.1, 0.2, -2, 0, 0, 0], [*G, 0, 0, 0])
    np.testing.assert_allclose(rates, [0.1, 0.2, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose([*wrench, *normal], 0, atol=1e-15)


def test_a_ball_on_a_turntable_goes_round_at_two_sevenths_of_its_speed():
    """Its path in the world is a circle, whatever its start [Weltner 1979]."""
    Omega, twist = 2.0, np.array([0, 0, 0, 0, 0, 2.0])

    s, pose = ca.SX.sym("s", 5), ca.SX.sym("pose", 7)
    of_pose = rolling(BALL, s, pose, ca.DM(twist), ca.DM(STILL), ca.DM(G)).rates
    compiled = ca.Function("rates", [s, pose], [of_pose])

    def rates(t, s):
        turned = [0, 0, 1, np.cos(Omega * t / 2), 0, 0, np.sin(Omega * t / 2)]
        return np.array(compiled(ca.DM(s), ca.DM(turned))).ravel()

    times = np.linspace(0, 2 * np.pi / (2 / 7 * Omega), 25)
    options = {"t_eval": times, "method": "DOP853", "rtol": 1e-11, "atol": 1e-13}
    found = solve_ivp(rates, times[[0, -1]], [0.1, 0, 0.05, -0.1, 1.0], **options)
    turn = np.exp(1j * Omega * times) * (found.y[0] + 1j * found.y[1])
    assert turn[-1] == pytest.approx(turn[0], abs=1e-7)
    centre = turn[:-1].mean()
    np.testing.assert_allclose(abs(turn - centre), abs(turn[0] - centre), rtol=1e-7)


def test_power_of_the_contact_is_the_change_of_energy():
    """Of any motion of the plate: what the plate gives, the ball has."""
    rng = np.random.default_rng(3)
    state, twist, acceleration = rng.normal(size=5) * 0.1, rng.normal(size=6), rng.normal(size=6)
    pose = np.array([0.1, 0.2, 0.9, *(v := rng.normal(size=4)) / np.linalg.norm(v)])
    moving = rolled(state, pose, twist, acceleration)
    s, p, t = (ca.SX.sym(name, n) for name, n in (("s", 5), ("p", 7), ("t", 6)))
    energy = ca.sum1(ball_energy(BALL, s, p, t, ca.DM(G)))
    change = ca.jtimes(
        energy, ca.vertcat(s, p, t), ca.vertcat(moving[0], rate(p, t), ca.DM(acceleration))
    )
    power = ca.Function("power", [s, p, t], [change])(state, pose, twist)
    assert float(power) == pytest.approx(-moving[1] @ twist, rel=1e-12)


@pytest.fixture(scope="module")
def plant():
    ball = BallOnPlate(mass="0.3 kg", radius=0.03, height=0.02, position=[0.05, -0.02])
    return real_plant(
        gough.load("kalani-2016"), drives=False, joint_friction=False, stops=False, ball=ball
    )


def test_machine_and_ball_keep_their_energy(plant):
    """Under forces that are constant for the legs: their work is the change of energy."""
    start = plant.start(plant.robot.home, [0.05, 0, 0, 0.2, -0.1, 0.1])
    force = plant.holding(np.array(plant.robot.home))
    still = plant.rate_kernel(plant.start(plant.robot.home), force, STILL)
    np.testing.assert_allclose(still, 0, atol=1e-10)  # with the ball on it
    force *= 1.02
    times = np.linspace(0, 0.1, 11)
    run = integrate(plant, start, times, force)
    found = plant.output_kernel(run.state, force, STILL)
    lengths = plant.measured_kernel(run.state, STILL)[:, :6]
    stored = found.stored_energy.sum(axis=-1)
    np.testing.assert_allclose(stored - stored[0], (lengths - lengths[0]) @ force, atol=1e-7)
    assert abs(found.ball_position[-1] - found.ball_position[0]).max() > 1e-4
    assert found.ball_force[0] == pytest.approx(0.3 * 9.81, rel=0.2)


def test_what_does_not_go_with_a_ball_is_refused(plant):
    with pytest.raises(InputError, match=r"plant.ball: not of such a plant"):
        real_plant(plant.robot, links="flexible", ball=plant.transmission.table)
    with pytest.raises(InputError, match=r"plant.ball: of a base at rest alone"):
        plant.on_moving_base()
    with pytest.raises(InputError, match=r"radius"):
        BallOnPlate(mass=1, radius=0)


def test_a_study_reports_its_ball():
    """Down the platform that is tilted at first and held: 5/7 g sin(alpha), once it is there."""
    data = {
        "schema": "gough-study/1", "name": "ball", "robot": "kalani-2016",
        "motion": {"kind": "hold", "start": {"roll": 0.1}, "duration": 0.05},
        "controller": {"kind": "computed-torque", "frequency": "20 Hz"},
        "plant": {"ball": {"mass": 0.01, "radius": "2 cm"}},
        "outputs": {"quantities": ["base_wrench", "motion"]},
    }  # fmt: skip
    results = gough.run(data)
    assert not results.warnings  # also not of the ball's own poles
    machine = gough.Model(results.robot).base_wrench(
        *(results[name] for name in ("pose", "twist", "acceleration"))
    )
    carried = results["base_wrench"][:, :3] - machine[:, :3]
    np.testing.assert_allclose(carried, results["ball_wrench"][:, :3], atol=1e-12)
    np.testing.assert_allclose(
        carried[-1, 2], -0.01 * 9.81 * (1 - 5 / 7 * np.sin(0.1) ** 2), rtol=5e-3
    )
    fall = results["ball_velocity"][-1] / 0.05
    np.testing.assert_allclose(fall, [0, -5 / 7 * 9.81 * np.sin(0.1)], atol=1e-3)
    np.testing.assert_allclose(results["ball_force"][-1], 0.01 * 9.81 * np.cos(0.1), rtol=1e-3)
    assert "Ball" in report_page(results)
    motion = {"kind": "line", "displacement": [0, 0, -0.03], "duration": 0.05}
    assert any(
        "the ball flies off at t = " in x for x in gough.run(data | {"motion": motion}).warnings
    )
