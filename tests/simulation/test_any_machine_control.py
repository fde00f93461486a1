"""Controllers of machines that are no hexapods: what is known of loops in closed form."""

import subprocess

import numpy as np
import pytest
from drawings import Joint, Mechanism, Platform, changed
from drawn_machines import MACHINES
from scipy.integrate import solve_ivp

import gough
from gough.compiler.native.kernel import Kernel
from gough.errors import GoughError
from gough.exchange.source import export_controller, first_sample
from gough.motion import Quintic, line
from gough.poses import difference, displace
from gough.robot import GearDrive
from gough.simulation import (
    Sampling,
    Scenario,
    Stepper,
    admittance,
    computed_torque,
    feed_forward,
    implicit_force,
    integrate,
    joint_pid,
    open_loop,
    pd_gravity,
    place_poles,
    real_plant,
    rigid_plant,
    simulate,
    tune,
)
from gough.simulation.closed_loop import ClosedLoop

OMEGA = 12.0
KP, KD = OMEGA**2, 2 * OMEGA
"""Of oscillators that are damped critically: e = (1 + ω t) exp(-ω t) e_0 from rest."""


def displaced(model, step):
    """A pose about home that the platform can take; `step` along its moves."""
    T = model.twist_basis(np.array(model.robot.home))
    return model.possible_pose(displace(np.array(model.robot.home), T @ step)).pose


def continuous(robot, controller, start, duration=0.6):
    """The path from a pose to home under a controller that acts at once and knows all."""
    plant, home = rigid_plant(robot), np.array(robot.home)
    law = Kernel(controller.function(robot, 0.0, (np.inf,) * plant.actuators))
    gains = controller.gain_values(plant.actuators, plant.dof)
    reference = np.concatenate([home, np.zeros(12)])

    def command(_, state):
        known = np.concatenate([state[:7] / 1.0, state[7:13]])
        return law(known, plant.measured_kernel(state, np.zeros(6)), reference, gains)[0]

    times = np.linspace(0, duration, 31)
    return integrate(plant, plant.start(start), times, command, feedback=True)


@pytest.mark.parametrize("name", ["delta", "tripod-3rps", "planar-3rrr"])
def test_errors_of_the_motors_under_computed_torque_are_oscillators(name):
    robot = gough.load(name)
    model, n = gough.Model(robot), len(robot.actuators)
    start = displaced(model, 0.02 * np.linspace(-1, 1, n + 1)[1:])
    path = continuous(robot, computed_torque(KP, KD), start)
    e = model.inverse_kinematics(np.array(robot.home)) - model.inverse_kinematics(path.pose)
    expected = (1 + OMEGA * path.time) * np.exp(-OMEGA * path.time)
    np.testing.assert_allclose(e, expected[:, None] * e[0], atol=1e-7 * np.abs(e[0]).max())


@pytest.mark.parametrize("name", ["delta", "planar-3rrr"])
def test_errors_of_the_platform_are_oscillators_of_their_own(name):
    """With gains of its own for each freedom."""
    robot = gough.load(name)
    model, n = gough.Model(robot), len(robot.platform.moves)
    omega = OMEGA * (1 + 0.5 * np.arange(n))
    start = displaced(model, 0.01 * np.linspace(-1, 1, n + 1)[1:])
    path = continuous(robot, computed_torque(omega**2, 2 * omega, space="task"), start)
    e = difference(np.array(robot.home), path.pose) @ robot.freedom_rows.T
    wt = omega * path.time[:, None]
    linear = [k for k, move in enumerate(robot.platform.moves) if move in "xyz"]
    expected = ((1 + wt) * np.exp(-wt) * e[0])[:, linear]
    np.testing.assert_allclose(e[:, linear], expected, atol=1e-8 * np.abs(e[0]).max())


@pytest.mark.parametrize("name", ["tripod-3rps", "tricept", "five-bar"])
def test_the_pose_is_known_from_the_motors_where_moves_change(name):
    """The estimate, of one step of Newton's method a sample, is where the platform is."""
    robot = gough.load(name)
    model, home = gough.Model(robot), np.array(robot.home)
    loop = ClosedLoop(rigid_plant(robot), computed_torque(400, 40), robot)
    start = displaced(model, 0.03 * np.linspace(-1, 1, len(robot.actuators) + 1)[1:])
    reference = np.broadcast_to(np.concatenate([home, np.zeros(12)]), (500, 19))
    memory = loop.run(loop.start(start), reference).memory[:, 0]
    of_plant, of_controller, _, _ = loop.parts
    true, known = memory[1:, of_plant], memory[1:, of_controller]  # as of the sample before
    off = np.abs(difference(known[1:, :7], true[:-1, :7])).max()
    assert np.ptp(true[:, :7], axis=0).max() > 0.005
    assert off < 1e-9
    np.testing.assert_allclose(true[-1, :7], home, atol=1e-3)


@pytest.mark.parametrize("delay", [0, 2])
def test_a_single_motor_follows_a_motion(delay):
    """A crank with a passive rocker, and as many commands that wait as samples of delay."""
    robot = MACHINES["four-bar"](0)
    motion = line(robot.home, [0.02, 0, 0], Quintic(0.3))
    results = simulate(Scenario(robot, feed_forward(20, 1), motion, sampling=Sampling(delay=delay)))
    assert results.simulation.ended.kind == "completed"
    assert np.ptp(results["actuator_position"]) > 0.03
    assert np.abs(results["actuator_position_error"]).max() < 2e-3


def pendulum(drive):
    """A platform on one motor: an arm that turns about y."""
    hub = Joint("hub", "R", ("base", "platform"), (0, 0, 0), ((0, 1, 0),), driven=True)
    platform = Platform(2.0, ((0.1, 0, 0), (0, 0.12, 0), (0, 0, 0.05)), (0.3, 0, 0), moves=("ry",))
    return Mechanism("pendulum", platform, (), (changed(hub, drive=drive, damping=0.4),))


@pytest.mark.parametrize("efficiency", [1.0, 0.8])
def test_a_rotary_drive_moves_an_arm_as_by_hand(efficiency):
    """(I + n² J) q̈ = n K_t i - weight - friction, L di/dt = V - R i - K_b n q̇."""
    n, J_m, J_g, K, R, L, b = 20.0, 2e-4, 5e-3, 0.3, 0.8, 4e-3, 1e-4
    drive = GearDrive(
        resistance=R, inductance=L, torque_constant=K, back_emf=K, rotor_inertia=J_m,
        rotor_damping=b, gear_ratio=n, gear_inertia=J_g, efficiency=efficiency,
    )  # fmt: skip
    plant = real_plant(pendulum(drive), stops=False)
    I, weight, volts = 0.12 + 2.0 * 0.09, 2.0 * 9.81 * 0.3, 24.0
    J = n * n * J_m + J_g

    def rates(_, z):
        q, w, i = z
        load = -weight * np.cos(q) + 0.4 * w  # what the arm asks for, but for its inertia
        free = n * K * i - n * n * b * w  # at the arm, before the load's friction
        alpha = 1.0
        for _ in range(2):
            q_ddot = (free - alpha * load) / (J + alpha * I)
            along = np.tanh(n * w) * np.sign(I * q_ddot + load)
            lost = 1 / efficiency - 1 if along > 0 else 1 - (2 - 1 / efficiency)
            alpha = 1 + along * lost if efficiency < 1 else 1.0
        q_ddot = (free - alpha * load) / (J + alpha * I)
        return [w, q_ddot, (volts - R * i - K * n * w) / L]

    start = plant.start(plant.robot.home)
    times = np.linspace(0, 0.4, 21)
    by_hand = solve_ivp(
        rates, (0, 0.4), [0, 0, start[13]], t_eval=times, rtol=1e-11, atol=1e-12, method="LSODA"
    ).y
    path = integrate(plant, start, times, np.array([volts]))
    seen = plant.measured_kernel(path.state, np.zeros(6))
    assert np.ptp(by_hand[0]) > 0.3
    np.testing.assert_allclose(seen[:, 0], by_hand[0], atol=1e-7)
    np.testing.assert_allclose(seen[:, 1], by_hand[1], atol=1e-6)
    np.testing.assert_allclose(path.state[:, 13], by_hand[2], atol=1e-5)


def test_controllers_of_more_motors_than_freedoms_share_the_work():
    """All hold a redundant planar machine; what they give is what inverse dynamics gives."""
    robot = MACHINES["4-RRR, redundant"](1)
    plant, home, model = rigid_plant(robot), np.array(robot.home), gough.Model(robot)
    turned = changed(robot, gravity=(0.0, -9.81, 0.0))
    assert np.abs(gough.Model(turned).inverse_dynamics(home)).max() > 0.1
    for controller in (pd_gravity(20, 4), computed_torque(100, 20), feed_forward(20, 4)):
        law = Kernel(controller.function(turned, 1e-3, (np.inf,) * 4))
        given = first_sample(controller, turned)
        np.testing.assert_allclose(
            law(*given.values())[0], gough.Model(turned).inverse_dynamics(home), rtol=1e-9
        )
    start = displaced(model, np.array([0.01, -0.02, 0.05]))
    loop = ClosedLoop(plant, computed_torque(400, 40), robot)
    reference = np.broadcast_to(np.concatenate([home, np.zeros(12)]), (1000, 19))
    end = loop.run(loop.start(start), reference).memory[-1, 0, :7]
    np.testing.assert_allclose(end, home, atol=1e-6)
    with pytest.raises(
        GoughError, match="4 actuators share 3 degrees of freedom, so poles do not determine"
    ):
        place_poles(model, "joint-pid", 20.0)


def test_a_platform_yields_along_its_moves_as_it_was_told():
    """At rest k x = wrench: a Delta pushed by 12 N against 600 N/m."""
    robot = gough.load("delta")
    home, push = np.array(robot.home), np.array([12.0, 0, -12.0, 5, 0, 0])
    controller = admittance(4.0, 200.0, [600.0, 700.0, 600.0], 900.0, 60.0)
    loop = ClosedLoop(rigid_plant(robot), controller, robot)
    reference = np.broadcast_to(np.concatenate([home, np.zeros(12)]), (4000, 19))
    end = loop.run(loop.start(home), reference, wrench=(push, push)).memory[-1, 0, :7]
    np.testing.assert_allclose(end[:3] - home[:3], [0.02, 0, -0.02], atol=1e-5)


@pytest.mark.parametrize("name", ["delta", "tripod-3rps"])
@pytest.mark.parametrize(
    "controller",
    [joint_pid(40, 4, 10), computed_torque(900, 60, drives=True), pd_gravity(40, 4), open_loop()],
    ids=lambda controller: controller.name,
)
def test_controllers_in_c_hold_a_machine_as_in_python(name, controller, tmp_path):
    robot = gough.load(name)
    export_controller(controller, tmp_path, robot=robot, period=1e-3)
    sources = ["controller.c", "controller_example.c"]
    subprocess.run(
        ["gcc", "-std=c99", "-O1", *sources, "-lm", "-o", "run"], cwd=tmp_path, check=True
    )
    printed = subprocess.run(["./run"], cwd=tmp_path, check=True, capture_output=True, text=True)
    shown = np.array([float(line.split("=")[1]) for line in printed.stdout.splitlines()])
    given = first_sample(controller, robot)
    kernel = Kernel(controller.function(robot, 1e-3, rigid_plant(robot).limit))
    np.testing.assert_allclose(
        shown, np.concatenate(kernel(*given.values())), rtol=1e-11, atol=1e-11
    )
    holding = gough.Model(robot).inverse_dynamics(np.array(robot.home))
    np.testing.assert_allclose(shown[: len(holding)], holding, rtol=1e-8)


@pytest.mark.parametrize(("name", "drives"), [("delta", True), ("tricept", False)])
def test_poles_of_a_tuned_loop_are_where_they_were_put(name, drives):
    robot, period = gough.load(name), 1e-4
    found = tune(robot, "pd-gravity", 15.0 / (2 * np.pi), sampling=Sampling(period), drives=drives)
    assert found.quality.stable
    slow = np.sort(np.abs(np.log(found.quality.poles.astype(complex)))) / period
    pairs = slow[: 2 * len(robot.actuators)]  # double poles, which sampling drives apart
    assert np.exp(np.log(pairs).mean()) == pytest.approx(15.0, rel=0.01)
    np.testing.assert_allclose(pairs, 15.0, rtol=0.12)
    assert found.steps.axes == tuple(robot.platform.moves)
    assert found.steps.overshoot.max() < 0.02


def test_a_stepper_steps_a_delta_and_stays_between_its_stops():
    robot = gough.load("delta")
    stepper = Stepper(real_plant(robot, drives=False), 1e-3, substeps=10)
    high = np.array([a.travel[1] for a in robot.actuators])
    for _ in range(400):
        stepper.step(np.array([30.0, 30.0, 30.0]))
    q = stepper.measurement[:3]
    assert (q > high).all()
    assert (q < high + 0.05).all()


def test_what_only_hexapods_have_is_refused_by_name(tmp_path):
    robot = gough.load("delta")
    with pytest.raises(
        GoughError, match="delta: legs are 'complete'; only extensible legs of hexap"
    ):
        real_plant(robot, legs="complete")
    with pytest.raises(GoughError, match="only extensible legs of hexapods"):
        export_controller(implicit_force(0, 1, 1e5, 1, 1), tmp_path, robot=robot, period=1e-3)
    with pytest.raises(GoughError, match=r"gain kp has shape \(6,\); expected a number or an array "
                       r"\(3,\), because the machine has 3 degrees"):  # fmt: skip
        ClosedLoop(rigid_plant(robot), computed_torque(np.ones(6), 1, space="task"), robot)
    tilted = displace(np.array(robot.home), [0, 0, 0, 0.1, 0, 0])
    with pytest.raises(
        GoughError, match=r"delta: the platform cannot be at .*; expected a pose that"
    ):
        rigid_plant(robot).start(tilted)
