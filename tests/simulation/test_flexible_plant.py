"""Simulations of machines with links that bend: energy, swinging, sagging, the rigid limit."""

import casadi as ca
import numpy as np
import pytest
from bending_arms import arm
from drawings import changed
from telescopes import telescope

import gough
from gough import simulation
from gough.equations.actuators.drive import Actuation
from gough.model.parameters import machine_of
from gough.motion import Payload, Quintic, carrying, line
from gough.robot.elastic import Beam, HingeBearing
from gough.simulation.plants.transmission import MachineState

TUBE = {"diameter": 0.02, "bore": 0.018, "modulus": 7e10}
LENGTH, MASS, RADIUS = 0.8, 1.3, 0.004
QUIET = {"drives": False, "joint_friction": False, "stops": False}


def rod(stiffer=1.0, gravity=(0, 0, 0), **options):
    """A uniform rod on a motor, of a material so many times stiffer."""
    drawn = arm((LENGTH,), (MASS,), radius=RADIUS, moves=("y",), gravity=gravity)
    beam = Beam(diameter=0.04, modulus=2e9 * stiffer, **options)
    return changed(drawn, bodies=(changed(drawn.bodies[0], beam=beam),))


def flexible(robot, **options):
    return simulation.real_plant(robot, links="flexible", **QUIET | options)


@pytest.fixture(scope="module")
def five_bar():
    """With one crank that bends."""
    return gough.load("five-bar").replace({"legs[0].links[0].beam": {**TUBE, "modes": 0}})


@pytest.fixture(scope="module")
def held(five_bar):
    """A run that goes aside and stops, under computed torque."""
    motion = line(five_bar.home, [0.04, 0.02, 0], Quintic(0.2))
    controller = simulation.computed_torque(kp=400, kd=40)
    return gough.simulate(
        gough.Scenario(
            five_bar,
            controller,
            motion,
            plant=flexible(five_bar),
            sampling=simulation.Sampling(1e-4, 8),
            duration=1.0,
        )
    )


@pytest.mark.parametrize("way", [-0.2, 0.35])
def test_a_telescope_keeps_its_balance_of_energy_until_its_parts_do_not_overlap(way):
    robot = telescope(modes=0)
    motion = line(robot.home, [way, 0.1 if way < 0 else 0, 0], Quintic(0.2))
    controller, sampling = simulation.computed_torque(kp=50, kd=5), simulation.Sampling(1e-4, 8)
    run = gough.simulate(gough.Scenario(robot, controller, motion, plant=flexible(robot),
                                        sampling=sampling, duration=0.2))  # fmt: skip
    work = np.sum(run["command"][:-1] * np.diff(run["actuator_position"], axis=0), axis=1)
    stored = run["stored_energy"].sum(axis=1)
    balance = stored - np.r_[0.0, np.cumsum(work)]
    assert np.abs(balance - balance[0]).max() < 1e-8 * np.ptp(stored)
    lost = [words for words in run.warnings if "a piston leaves its cylinder" in words]
    assert len(lost) == (way > 0)
    if lost:
        assert run["actuator_position"][-1, 1] == pytest.approx(1.5, abs=1e-3)


def test_a_machine_under_computed_torque_keeps_its_balance_of_energy(held):
    """Commands are held: the work of a sample is torque times the way of the motor, exactly."""
    work = np.sum(held["command"][:-1] * np.diff(held["actuator_position"], axis=0), axis=1)
    stored = held["stored_energy"].sum(axis=1)
    balance = stored - np.r_[0.0, np.cumsum(work)]
    assert np.abs(balance - balance[0]).max() < 1e-8 * np.ptp(stored)
    assert held["stored_energy"][:, 4].max() > 1e-5  # [J] in the crank


def test_motors_are_where_they_should_be_and_the_tip_hangs_as_loads_bend_it(five_bar, held):
    settled = slice(len(held.time) // 2, None)
    motors = held["actuator_position"][settled].mean(axis=0)
    rigid = gough.Model(five_bar).forward_kinematics(motors, guess=held["pose"][-1]).pose
    sag = held["pose"][settled].mean(axis=0)[:3] - rigid[:3]
    bent = gough.FlexibleMachine(five_bar).deflected(rigid).pose[:3] - rigid[:3]
    assert sag[:2] == pytest.approx(bent[:2], rel=1e-2)
    crank = 0.2  # [m]: what the motors lack is little beside what the link gives way
    assert crank * np.abs(held["actuator_position_error"][-1]).max() < 0.2 * np.linalg.norm(sag)


def test_results_show_how_links_bend(five_bar, held):
    assert held.quantities["link_deflection"].columns[0] == "link_deflection_crank-left_x [m]"
    assert "link_mode" not in held.quantities
    end = held["link_deflection"][:, 0]
    largest = held.summary["peak_link_deflection"]
    assert largest.value == pytest.approx(np.linalg.norm(end, axis=1).max())
    assert largest.place == "crank-left"


def test_a_rod_swings_as_the_tables_of_beams_say():
    """Pinned at a motor without torque, free at the other end: β L = 3.9266."""
    robot = rod(modes=4)
    plant, machine = flexible(robot), gough.FlexibleMachine(robot)
    EI = 2e9 * np.pi * 0.04**4 / 64
    slender = 3.9266023120479**2 * np.sqrt(EI * LENGTH / MASS) / LENGTH**2 / (2 * np.pi)
    modes = gough.natural_modes(machine, actuators="free")
    frequencies, shapes = modes.frequencies, modes.shapes.T
    first = int(np.argmin(np.abs(frequencies - slender)))
    state = plant.start(robot.home)
    state[13 : 13 + len(shapes)] += 1e-4 * shapes[:, first]
    times = np.linspace(0, 10 / frequencies[first], 2001)
    found = simulation.integrate(plant, state, times, [0.0])
    end = found.state[:, 13 + list(machine.coordinates).index("link-1.rz")]
    seen = _frequency(times, end)
    assert seen == pytest.approx(frequencies[first], rel=1e-4)
    assert seen == pytest.approx(slender, rel=1e-3)


def test_a_link_swings_on_its_bearing_with_the_frequencies_of_modes():
    """Two motions of a rigid link that its motor, which is free, does not feel."""
    drawn = arm((LENGTH,), (MASS,), radius=0.05, tip=2.0, moves=("y",))
    bearing = HingeBearing(axial=4e4, radial=3e4, tilting=2e3)
    hip, hand = drawn.joints
    robot = changed(drawn, joints=(changed(hip, bearing=bearing, stiffness=1e3), hand))
    plant, machine = flexible(robot), gough.FlexibleMachine(robot)
    shapes = gough.natural_modes(machine, actuators="free").shapes.T
    for k, expected in enumerate(gough.natural_modes(robot).frequencies[1:3], 1):
        state = plant.start(robot.home)
        state[13 : 13 + len(shapes)] += 1e-4 * shapes[:, k]
        times = np.linspace(0, 10 / expected, 2001)
        found = simulation.integrate(plant, state, times, [0.0]).state[:, 13:]
        seen = _frequency(times, found[:, int(np.argmax(np.abs(shapes[:, k])))])
        assert seen == pytest.approx(expected, rel=1e-4)


def _frequency(times, values):
    """Of a sine, by where it comes up through zero."""
    k = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0))
    at = times[k] - values[k] * np.diff(times)[k] / (values[k + 1] - values[k])
    return (len(at) - 1) / (at[-1] - at[0])


def test_a_stiff_rod_moves_as_a_rigid_one_at_first_order():
    reached = []
    for stiffer in (10.0, 100.0):
        robot = rod(stiffer, (0, -9.81, 0), modes=0, damping=0.02)
        motion = line(robot.home, [0, 0.1, 0], Quintic(0.5))
        controller = simulation.joint_pid(kp=400, kd=30, ki=100)
        sampling = simulation.Sampling(1e-4, 4)
        runs = [
            gough.simulate(
                gough.Scenario(robot, controller, motion, plant=plant, sampling=sampling)
            )
            for plant in (None, flexible(robot))
        ]
        reached.append(runs[1]["pose"][:, 1] - runs[0]["pose"][:, 1])
    soft, stiff = (np.abs(away).max() for away in reached)
    assert soft / stiff == pytest.approx(10.0, rel=0.05)


def test_a_rod_decays_with_the_damping_of_its_file():
    """Its motor is locked: these are the modes to which the ratio belongs."""
    machine = gough.FlexibleMachine(rod(modes=2, damping=0.03))
    at, n = machine.at(), len(machine.coordinates)
    steps = 1e-6 * np.eye(n)
    elastic = np.setdiff1d(np.arange(n), machine.motors)

    def swinging(z, rate):
        return machine.inverse_dynamics(z, rate, [0.0])[1][:, elastic].T / 1e-6

    still = np.zeros((n, n))
    A = np.zeros((2 * len(elastic),) * 2)
    A[: len(elastic), len(elastic) :] = np.eye(len(elastic))
    A[len(elastic) :] = np.hstack(
        [swinging(at + steps, still)[:, elastic], swinging(at + still, steps)[:, elastic]]
    )
    roots = np.linalg.eigvals(A)
    assert -roots.real / np.abs(roots) == pytest.approx(np.full(len(roots), 0.03), rel=1e-4)
    undamped = np.sort(np.abs(roots))[::2] / (2 * np.pi)
    assert undamped == pytest.approx(gough.natural_modes(machine).frequencies, rel=1e-5)


def test_rotors_and_friction_of_drives_act_at_the_motors(five_bar):
    """F = (f - m q̈) / α: with these efforts the machine alone moves as with its drives."""
    links, machine = flexible(five_bar).transmission, gough.FlexibleMachine(five_bar)
    rng = np.random.default_rng(3)
    z, rate = machine.steady_motion(
        five_bar.home, gough.Model(five_bar).admissible(five_bar.home, [0.3] * 6)
    )
    z[machine.motors[0] :][-6:] += 1e-4 * rng.normal(size=6)
    f, m, alpha = (ca.DM(x) for x in ([1.0, -0.4], [2e-3, 5e-3], [1.1, 0.9]))
    at = MachineState(machine_of(five_bar), None, None, links.inner(ca.DM(np.r_[z, rate])))
    moved = links.forward_dynamics(at, Actuation(f, m, alpha), ca.DM.zeros(6))
    second, force = (
        np.array(ca.evalf(ca.SX(x))).ravel() for x in (moved.inner_rates[0], moved.force)
    )
    second = second[len(z) :]
    expected = (np.array(f).ravel() - np.array(m).ravel() * second[machine.motors]) / [1.1, 0.9]
    assert force == pytest.approx(expected)
    closed = machine.forward_dynamics(z, rate, force)
    assert second == pytest.approx(closed, rel=1e-6, abs=1e-3 * np.abs(closed).max())


def test_a_payload_bends_a_rod_further():
    """Of its own weight it sags by m g L³ / 8 E I, of one at its end by m g L³ / 3 E I."""
    robot, g, load = rod(20.0, (0, -9.81, 0), modes=0), 9.81, 0.5
    plant = flexible(robot)
    loaded = plant.carrying(carrying(robot, (Payload(mass=load),)))
    EI = 20 * 2e9 * np.pi * 0.04**4 / 64
    for found, weight in ((plant, MASS / 8), (loaded, MASS / 8 + load / 3)):
        assert found.start(robot.home)[1] == pytest.approx(-weight * g * LENGTH**3 / EI, rel=1e-4)
    assert loaded.holding(robot.home) == pytest.approx([(MASS / 2 + load) * g * LENGTH], rel=1e-4)


def test_what_cannot_be_simulated_is_refused(five_bar):
    with pytest.raises(gough.GoughError, match="no body of it is a beam"):
        simulation.real_plant(gough.load("five-bar"), links="flexible", **QUIET)
    with pytest.raises(gough.GoughError, match="demo-hexapod: no body of it is a beam"):
        simulation.real_plant(gough.load("demo-hexapod"), links="flexible", **QUIET)
    with pytest.raises(gough.GoughError, match="links are 'soft'; expected one of rigid, flexible"):
        simulation.real_plant(five_bar, links="soft")
    with pytest.raises(gough.GoughError, match=r"platform\.mass is to differ from run to run"):
        flexible(five_bar, varied=("platform.mass",))
    tip = {"type": "R", "name": "tip", "friction": 0.1}
    rubbing = five_bar.replace({"legs[1].joints[2]": tip})
    with pytest.raises(gough.GoughError, match="tip-right has friction, and closes a loop"):
        _ = flexible(rubbing, joint_friction=True).rate_function
    motion = line(five_bar.home, [0.01, 0, 0], Quintic(0.2))
    with pytest.raises(gough.GoughError, match=r"step of 0\.001 s is too large for RK4"):
        gough.simulate(
            gough.Scenario(
                five_bar, simulation.computed_torque(100, 20), motion, plant=flexible(five_bar)
            )
        )


def test_a_link_that_bends_too_far_is_told():
    robot = rod(0.02, (0, -9.81, 0), modes=0)
    motion = line(robot.home, [0, 0.01, 0], Quintic(0.1))
    run = gough.simulate(
        gough.Scenario(robot, simulation.open_loop(), motion, plant=flexible(robot), duration=0.05)
    )
    assert any("small deformation, below 0.1 rad" in words for words in run.warnings)


def test_a_study_says_that_links_bend(five_bar):
    study = {
        "schema": "gough-study/1",
        "name": "swing",
        "robot": five_bar.to_dict(),
        "motion": {"kind": "hold", "duration": 0.1},
        "controller": {"kind": "joint-pid", "gains": {"kp": 10, "kd": 1}},
        "plant": {"links": "flexible"},
    }
    plant = gough.Study.from_dict(study).plant
    assert plant.state.size == flexible(five_bar).state.size
    study["plant"]["links"] = "soft"
    with pytest.raises(gough.GoughError, match=r"plant\.links"):
        gough.Study.from_dict(study)
