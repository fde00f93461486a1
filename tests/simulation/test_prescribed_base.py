"""Simulations on a base whose motion in the world is prescribed, as that of a ship or a vehicle."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import gough
from gough.equations.forces.contact import ContactSurface
from gough.equations.forces.surfaces import Plane
from gough.exchange.fmu.plant import PlantModel
from gough.motion import carried_motion, expression
from gough.simulation import (
    Adaptive,
    BaseBody,
    Imu,
    Sampling,
    computed_torque,
    joint_pid,
    real_plant,
)

PLAIN = {"drives": False, "joint_friction": False, "stops": False}
SEA = expression(
    0.4, x="0.3*sin(4*t)", z="0.2*sin(6*t)", rpy=["0.3*sin(5*t)", 0, "0.4*t+0.2*sin(3*t)"]
)


@pytest.fixture(scope="module")
def robot():
    return gough.load("five-bar")


def scenario(robot, **more):
    motion = gough.motion.hold(robot.home, more.pop("duration", 0.4))
    controller = more.pop("controller", joint_pid(40.0, 4.0, 0.0))
    usual = {"base": SEA, "quantities": ("motion", "legs", "forces", "base_wrench")}
    return gough.Scenario(robot, controller, motion, **usual | more)


def test_rates_are_the_kernels_of_a_moving_base_in_all_coordinates(robot):
    model, rng = gough.Model(robot, moving_base=True), np.random.default_rng(1)
    base = SEA(0.17)
    pose = robot.home
    twist = gough.Model(robot).admissible(pose, rng.standard_normal(6))
    effort, wrench = rng.standard_normal(2), rng.standard_normal(6)
    loads = np.concatenate([wrench, *base])
    exact = model.forward_dynamics(*base, pose, twist, effort, wrench)
    energy = model.energy(*base, pose, twist)
    for coordinates in ("pose", "joints"):
        plant = real_plant(robot, coordinates=coordinates, **PLAIN).on_moving_base()
        state = plant.start(pose, twist)
        rates = plant.rate_kernel(state, effort, loads)
        np.testing.assert_allclose(rates[7:13], exact, atol=1e-9 * np.abs(exact).max())
        stored = plant.output_kernel(state, effort, loads).stored_energy
        np.testing.assert_allclose(stored[:2], energy, rtol=1e-9)


def test_a_hexapod_on_a_base_at_rest_is_itself_with_the_friction_of_its_transmissions():
    robot = gough.load("demo-hexapod")
    assert robot.extensible_legs[0].connector.damping
    plant, effort = real_plant(robot, **PLAIN), np.linspace(-40, 90, 6)
    state = plant.start(robot.home, [0.3, -0.2, 0.1, 0.5, 0.2, -0.4])
    carried = plant.on_moving_base()
    ours = carried.rate_kernel(state, effort, carried.no_load)
    theirs = plant.rate_kernel(state, effort, np.zeros(6))
    np.testing.assert_allclose(ours, theirs, atol=1e-9 * np.abs(theirs).max())


def loaded(robot):
    """The plant with drives, friction, a payload, an end stop that is pressed, and a wall."""
    wall = Plane(ca.DM(robot.home[:3]) - [1e-3, 0, 0], ca.DM([-1, 0, 0]))
    surface = ContactSurface(ca.DM.zeros(3), wall, *map(ca.DM, (1e4, 0.3, 0.2)))
    plant = real_plant(robot, surface=surface)
    position = gough.Model(robot).inverse_kinematics(robot.home)[0]
    pressed = replace(plant.stops[0], shortest=ca.DM(position + 0.01))
    heavier = robot.replace({"platform.mass": robot.platform.mass + 2.0})
    return replace(plant, stops={0: pressed}).carrying(heavier)


def bending(robot):
    beam = {"diameter": 0.02, "bore": 0.018, "modulus": 7e10, "modes": 0}
    links = robot.replace({"legs[0].links[0].beam": beam})
    return real_plant(links, links="flexible", **PLAIN)


@pytest.mark.parametrize(
    ("name", "plant_of"),
    [
        ("five-bar", loaded),
        ("five-bar", bending),
        ("knee", lambda robot: real_plant(robot, **PLAIN)),  # its plane is not that of x and y
    ],
)
def test_a_base_that_leans_and_accelerates_is_another_gravity(name, plant_of):
    robot, acceleration = gough.load(name), np.array([1.5, -2.0, 0.7, 0, 0, 0])
    base = gough.pose([0.3, 0.1, 2.0], rpy=[0.4, -0.3, 0.8])
    felt = gough.rotation(base).inv().apply(np.array(robot.gravity) - acceleration[:3])
    plant, leaning = (
        plant_of(robot.replace({"gravity": list(g)})) for g in (robot.gravity, felt.tolist())
    )
    home = np.array(robot.home)
    state = plant.state_at(home, gough.Model(robot).admissible(home, [0.2, 0.1, 0.3, 0, 0.4, 0.5]))
    command, wrench = np.linspace(1, 2, plant.actuators), np.arange(6.0)
    loads = np.concatenate([wrench, base, np.zeros(6), acceleration])
    carried = plant.on_moving_base().rate_kernel(state, command, loads)
    held = leaning.rate_kernel(state, command, wrench)
    np.testing.assert_allclose(carried, held, atol=1e-9 * np.abs(held).max())
    upright = plant.rate_kernel(state, command, wrench)
    assert np.abs(held - upright).max() > 1e-3 * np.abs(held).max()


def test_energy_comes_from_the_actuators_and_the_base(robot):
    found = gough.simulate(scenario(robot, sampling=Sampling(1e-3, 2)))
    assert not found.warnings
    np.testing.assert_allclose(found["base_pose"], SEA(found.time).pose)
    stored = found["stored_energy"].sum(axis=1)
    turn = gough.rotation(found["base_pose"])
    on_base = np.hstack([turn.apply(part) for part in np.split(found["base_wrench"], 2, axis=1)])
    power = found["power"].sum(axis=1) - (on_base * found["base_twist"]).sum(axis=1)
    work = np.sum((power[1:] + power[:-1]) / 2) * 1e-3
    assert np.ptp(stored) > 0.3
    assert abs(stored[-1] - stored[0] - work) < 1e-3 * np.ptp(stored)
    assert np.abs(found["pose_error"][:, :3]).max() > 1e-4  # the controller is disturbed


def test_an_accelerated_base_is_another_gravity_and_adaptive_steps_agree(robot):
    lifted = expression(0.1, z="1.5*t**2", y="-0.5*t**2")
    heavier = robot.replace({"gravity": (np.array(robot.gravity) - [0, -1, 3]).tolist()})
    short = {"duration": 0.1, "controller": computed_torque(900, 60)}  # remembers no forces
    moved = gough.simulate(scenario(robot, base=lifted, **short))
    other = scenario(robot, base=None, plant=real_plant(heavier, **PLAIN), **short)
    weighed = gough.simulate(other)
    np.testing.assert_allclose(moved["pose"], weighed["pose"], atol=1e-12)
    adaptive = gough.simulate(scenario(robot, integrator=Adaptive(), base=SEA, **short))
    plain = gough.simulate(scenario(robot, **short))
    np.testing.assert_allclose(adaptive["pose"], plain["pose"], atol=1e-9)


def test_inertial_sensors_feel_the_base(robot):
    run = gough.simulate(scenario(robot, imu=Imu()))
    relative = gough.motion.MotionSamples(run["pose"], run["twist"], run["acceleration"])
    world = carried_motion(SEA(run.time), relative)
    h = run.time[1]
    slope = np.gradient(world.pose[:, :3], h, axis=0)
    np.testing.assert_allclose(world.twist[20:-1, :3], slope[20:-1], atol=2e-5)
    second = np.gradient(world.twist, h, axis=0)
    np.testing.assert_allclose(world.acceleration[20:-1], second[20:-1], atol=0.02)
    force = gough.rotation(world.pose).inv().apply(world.acceleration[:, :3] - robot.gravity)
    np.testing.assert_allclose(run["measured_acceleration"], force, atol=1e-9)


def test_what_a_moving_base_does_not_have_is_refused(robot):
    body = BaseBody(mass=3.0, inertia=[0.2, 0.3, 0.4])
    floating = real_plant(robot, floating_base=body, **PLAIN)
    with pytest.raises(gough.GoughError, match="both are given"):
        gough.simulate(scenario(robot, plant=floating))
    with pytest.raises(gough.GoughError, match="base stops too soon"):
        gough.simulate(scenario(robot, duration=0.5))
    with pytest.raises(gough.GoughError, match="base"):
        scenario(robot, base=3)
    with pytest.raises(gough.GoughError, match="expected its motion in base"):
        gough.simulate(scenario(robot, plant=real_plant(robot).on_moving_base(), base=None))
    hexapod = gough.load("demo-hexapod")
    compliant = real_plant(hexapod, legs="complete", **PLAIN)
    with pytest.raises(gough.GoughError, match="legs: of a base at rest alone"):
        compliant.on_moving_base()
    with pytest.raises(gough.GoughError, match="its base moves"):
        PlantModel.of(real_plant(robot, **PLAIN).on_moving_base())
    with pytest.raises(gough.GoughError, match="base is"):
        gough.simulation.simulate_batch(scenario(robot), {})
