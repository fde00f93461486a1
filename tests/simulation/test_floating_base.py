"""Machines on a base that floats: Pinocchio's tree with a free base, and what is conserved."""

import numpy as np
import pinocchio as pin
import pytest
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.exchange.fmu.plant import PlantModel
from gough.poses import transform
from gough.robot.as_mechanism import as_mechanism
from gough.simulation import BaseBody, Imu, real_plant

BODY = BaseBody(mass=3.0, inertia=[0.2, 0.3, 0.4], center_of_mass=[0.1, -0.2, 0.05])
PLAIN = {"drives": False, "joint_friction": False, "stops": False}
ROBOTS = {
    "rods": lambda: MACHINES["delta, ball-ended rods"](0),
    "hexapod": lambda: gough.load("kalani-2016"),
}


def floating(robot, body=BODY):
    return real_plant(robot, floating_base=body, **PLAIN)


@pytest.mark.parametrize("name", ROBOTS)
def test_accelerations_of_machine_and_base_are_pinocchios(name):
    robot, rng = ROBOTS[name](), np.random.default_rng(5)
    oracle = PinocchioMechanism(as_mechanism(robot), floating=True)
    center, inertia = np.array(BODY.center_of_mass), np.array(BODY.inertia)
    oracle.model.appendBodyToJoint(1, pin.Inertia(3.0, center, inertia), pin.SE3.Identity())
    oracle.data = oracle.model.createData()
    state, plant = oracle.random_state(rng), floating(robot)
    effort, wrench = 5 * rng.standard_normal(plant.actuators), rng.standard_normal(6)
    turned = gough.rotation(oracle.relative(state)[0][0])
    pushed = np.concatenate([turned.apply(wrench[:3]), turned.apply(wrench[3:])])
    base, own = oracle.relative(oracle.moved(state, effort, pushed))
    given = np.concatenate([*own[:2], *base[:2]])
    found = plant.rate_kernel(given, effort, wrench)
    np.testing.assert_allclose(found[7:13], own[2], atol=1e-9 * np.abs(own[2]).max())
    np.testing.assert_allclose(found[20:26], base[2], atol=1e-9 * np.abs(base[2]).max())


@pytest.fixture(scope="module")
def satellite():
    return gough.load("five-bar").replace({"gravity": [0, 0, 0]})


def momentum(robot, found):
    """Of machine and base, about the world's origin."""
    model, base = gough.Model(robot, moving_base=True), (found["base_pose"], found["base_twist"])
    none = np.zeros_like(base[1])
    own = model.momentum(*base, none, found["pose"], found["twist"])
    turn = gough.rotation(base[0])
    lever, omega = turn.apply(np.array(BODY.center_of_mass)), base[1][:, 3:]
    p = BODY.mass * (base[1][:, :3] + np.cross(omega, lever))
    spin = turn.apply(turn.inv().apply(omega) @ np.array(BODY.inertia))
    return own + np.hstack([p, np.cross(base[0][:, :3] + lever, p) + spin])


def test_momentum_is_conserved(satellite):
    motion = gough.motion.hold(satellite.home, 0.25)
    drifting = BODY.model_copy(update={"velocity": (0.1, 0.2, 0), "angular_velocity": (0, 0.3, 1)})
    scenario = gough.Scenario(
        satellite,
        gough.simulation.joint_pid(4.0, 0.4, 0.0),
        motion,
        plant=floating(satellite, drifting),
        sampling=gough.simulation.Sampling(1e-3, 2),
        start=(
            satellite.home,
            gough.Model(satellite).admissible(satellite.home, [0.3, 0.2, 0, 0, 0, 0]),
        ),
        quantities=("motion", "legs", "forces"),
        imu=Imu(),
    )
    found = gough.simulation.simulate(scenario)
    assert not found.warnings
    place = transform(found["base_pose"], found["pose"][:, :3])  # there is no gravity
    second = np.diff(place, 2, axis=0) / 1e-3**2
    axes = gough.rotation(found["base_pose"]) * gough.rotation(found["pose"])
    feels = axes.apply(found["measured_acceleration"])[1:-1]
    np.testing.assert_allclose(feels[5:], second[5:], atol=0.02 * np.abs(second).max())
    assert found.quantities["force"].meaning.endswith("on the moving base")
    total = momentum(satellite, {name: found[name] for name in (*MOVING, "pose", "twist")})
    assert np.ptp(found["base_pose"], axis=0).max() > 0.01
    np.testing.assert_allclose(total, np.broadcast_to(total[0], total.shape), atol=1e-10)
    travel = np.diff(found["actuator_position"], axis=0)  # at forces that are held
    work = np.sum(found["force"][:-1] * travel)
    stored = found["stored_energy"].sum(axis=1)
    assert abs(stored[-1] - stored[0] - work) < 1e-9 * np.ptp(stored)


MOVING = ("base_pose", "base_twist")


def test_a_heavy_base_rests_and_a_free_one_falls():
    robot = gough.load("five-bar")
    heavy = BaseBody(mass=1e9, inertia=[1e9, 1e9, 1e9])
    state, effort = floating(robot).start(robot.home), np.array([0.3, -0.1])
    held = real_plant(robot, **PLAIN).rate_kernel(state[:13], effort, np.zeros(6))
    weightless = robot.replace({"gravity": [0, 0, 0]})
    fixed = real_plant(weightless, **PLAIN).rate_kernel(state[:13], effort, np.zeros(6))
    found = floating(weightless, heavy).rate_kernel(state, effort, np.zeros(6))
    np.testing.assert_allclose(found[7:13], fixed[7:13], atol=1e-7)
    assert np.abs(held[7:13] - fixed[7:13]).max() > 1
    falling = floating(robot).rate_kernel(state, np.zeros(2), np.zeros(6))
    np.testing.assert_allclose(falling[20:23], robot.gravity, atol=1e-12)
    np.testing.assert_allclose(falling[7:13], 0, atol=1e-11)


def test_the_poles_on_a_heavy_base_are_those_of_a_held_one(satellite):
    heavy = BaseBody(mass=1e9, inertia=[1e9, 1e9, 1e9])
    controller, sampling = gough.simulation.joint_pid(4.0, 0.4, 0.0), gough.simulation.Sampling()
    held, found = (
        gough.simulation.quality(
            gough.simulation.ClosedLoop(plant, controller, satellite, sampling)
        )
        for plant in (real_plant(satellite, **PLAIN), floating(satellite, heavy))
    )
    assert found.stable
    np.testing.assert_allclose(np.sort(found.poles), np.sort(held.poles), atol=1e-7)


def test_what_floats_cannot_be_otherwise(satellite):
    with pytest.raises(
        gough.GoughError, match="floating_base: not of such a plant; expected rigid"
    ):
        real_plant(satellite, floating_base=BODY, coordinates="joints")
    with pytest.raises(gough.GoughError, match="its base floats; expected one plant of rigid"):
        PlantModel.of(floating(satellite))
    with pytest.raises(gough.GoughError, match="mass"):
        BaseBody(mass=0, inertia=[1, 1, 1])
