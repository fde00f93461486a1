"""Adaptive integration: the round trip of Kalani 2016, energy, stiff methods, events."""

import gc
import weakref

import numpy as np
import pytest
from simulated_motions import KalaniCase2

import gough
from gough.errors import GoughError
from gough.simulation import rigid_plant
from gough.simulation.events import command_limit, end_stop, singularity
from gough.simulation.integrators import Adaptive, integrate, plant_eigenvalues

TIGHT = Adaptive("DOP853", 1e-10, 1e-10)
STIFF = Adaptive("Radau", 1e-6, 1e-9)


@pytest.fixture(scope="module")
def kalani():
    return gough.load("kalani-2016")


def inverse_forces(robot, motion):
    model = gough.Model(robot)

    def force(t):
        return model.inverse_dynamics(*motion(np.asarray(t)))

    return force


def round_trip(robot, until):
    """Largest errors of poses and twists when the inverse model's forces drive the direct one."""
    motion, plant = KalaniCase2(), rigid_plant(robot)
    times = np.linspace(0, until, 401)
    first = motion(0.0)
    start = plant.start(first.pose, first.twist)
    found = integrate(
        plant,
        start,
        times,
        inverse_forces(robot, motion),
        integrator=TIGHT,
    )
    wanted = motion(times)
    errors = np.abs(gough.poses.difference(wanted.pose, found.pose)).max()
    return errors, np.abs(wanted.twist - found.twist).max()


def test_inverse_forces_fed_to_the_direct_model_reproduce_kalani_case_2(kalani):
    """Gravity along +z, as in the paper's Eq. (56) and figures: the platform hangs."""
    hanging = gough.Robot.from_dict({**kalani.to_dict(), "gravity": [0, 0, 9.81]})
    pose, twist = round_trip(hanging, 4 * np.pi)
    assert pose <= 1e-7
    assert twist <= 1e-7


def test_standing_on_its_legs_kalani_case_2_is_reproduced_until_its_instability_shows(kalani):
    """Under constant forces an upright platform topples: errors grow by e^(6.6 t)."""
    plant = rigid_plant(kalani)
    start = plant.start(kalani.home)
    growth = plant_eigenvalues(plant, start, plant.holding(start[:7])).real.max()
    assert growth == pytest.approx(6.6, abs=0.1)
    pose, _ = round_trip(kalani, 1.0)
    assert pose <= 1e-7
    later, _ = round_trip(kalani, 3.0)
    assert pose < later < pose * np.exp(2 * growth * 1.2)


def test_energy_that_is_supplied_is_stored(kalani):
    motion, plant, model = KalaniCase2(), rigid_plant(kalani), gough.Model(kalani)
    times = np.linspace(0, 2.0, 2001)
    first = motion(0.0)
    pushed = np.array([1.0, -2.0, 0.5, 0.1, 0.0, -0.1])
    force = inverse_forces(kalani, motion)
    start = plant.start(first.pose, first.twist)
    found = integrate(plant, start, times, force, wrench=lambda t: pushed * np.sin(3 * t))
    stored = model.energy(found.pose, found.twist).sum(axis=-1)
    by_actuators = (force(times) * model.joint_velocity(found.pose, found.twist)).sum(axis=-1)
    by_world = (pushed * np.sin(3 * times)[:, None] * found.twist).sum(axis=-1)
    power = by_actuators + by_world
    h = times[1] - times[0]
    supplied = h / 3 * (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum() + power[-1])
    assert abs(stored[-1] - stored[0]) > 0.01
    assert supplied == pytest.approx(stored[-1] - stored[0], rel=1e-8)


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_stiff_methods_with_compiled_derivatives_agree(kalani, method):
    plant = rigid_plant(kalani)
    start = plant.start(kalani.home, [0.1, 0, -0.2, 0.3, 0.5, -0.2])
    force = plant.holding(start[:7])
    times = np.linspace(0, 0.5, 6)
    exact = integrate(plant, start, times, force, integrator=Adaptive(rtol=1e-12))
    found = integrate(plant, start, times, force, integrator=Adaptive(method, 1e-7, 1e-9))
    np.testing.assert_allclose(found.state, exact.state, atol=1e-5)


def test_jumps_of_the_command_are_not_integrated_over(kalani):
    plant = rigid_plant(kalani)
    start = plant.start(kalani.home)
    holding = plant.holding(start[:7])

    def stepped(t):
        return holding * (1.0 if t < 0.1 else 1.2)

    times = np.linspace(0, 0.3, 7)
    whole = integrate(plant, start, times, stepped, breaks=(0.1,))
    second = integrate(plant, whole.state[2], times[2:], 1.2 * holding)
    np.testing.assert_allclose(whole.time, times)
    np.testing.assert_allclose(whole.state[2:], second.state, atol=1e-10)


def test_falling_machines_end_at_their_end_stops():
    robot = gough.load("demo-hexapod")
    plant, model = rigid_plant(robot), gough.Model(robot)
    start = plant.start(robot.home)
    found = integrate(plant, start, np.linspace(0, 1, 101), np.zeros(6), events=[end_stop(plant)])
    ((name, when),) = found.events
    assert name == "end stop"
    assert found.time[-1] < when < found.time[-1] + 0.01
    before = integrate(plant, start, [0, when], np.zeros(6))
    assert model.inverse_kinematics(before.pose[-1]).min() == pytest.approx(0.763, abs=1e-9)


def test_a_singularity_on_the_way_is_an_event(kalani):
    plant = rigid_plant(kalani)
    start = plant.start(kalani.home)
    found = integrate(
        plant, start, np.linspace(0, 2, 101), np.zeros(6), events=[singularity(plant)]
    )
    assert found.events[0][0] == "singular"  # all legs in the plane of the base
    assert found.time[-1] < found.events[0][1] < 2
    assert np.isfinite(found.state).all()


def only_at_the_start(t):
    return np.zeros(6) if t == 0 else np.full(6, np.nan)


@pytest.mark.parametrize("force", [np.full(6, 1e300), np.full(6, np.nan), only_at_the_start])
@pytest.mark.parametrize("method", ["DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"])
def test_runs_that_never_get_going_are_lost_at_their_start(kalani, method, force):
    plant = rigid_plant(kalani)
    flat = plant.start([0, 0, 0, 1, 0, 0, 0])
    found = integrate(plant, flat, [0, 0.5, 1], force, integrator=Adaptive(method))
    assert found.events == (("lost", 0.0),)
    np.testing.assert_array_equal(found.time, [0.0])
    np.testing.assert_array_equal(found.state, flat[None])


@pytest.mark.parametrize("method", ["DOP853", "Radau", "BDF", "LSODA"])
def test_runs_end_before_states_that_are_no_numbers(kalani, method):
    plant = rigid_plant(kalani)
    start = plant.start(kalani.home)
    holding = plant.holding(start[:7])

    def broken(t):
        return holding if t < 0.5 else np.full(6, np.nan)

    found = integrate(plant, start, [0, 0.2, 0.4, 0.6], broken, integrator=Adaptive(method))
    assert found.events == (("lost", found.time[-1]),)
    assert found.time[-1] < 0.5
    np.testing.assert_allclose(found.pose, [kalani.home] * len(found.time), atol=1e-9)


def test_runs_that_are_lost_at_a_jump_keep_what_came_before(kalani):
    plant = rigid_plant(kalani)
    start = plant.start(kalani.home)
    holding = plant.holding(start[:7])

    def broken(t):
        return holding if t <= 0.1 else np.full(6, np.nan)

    found = integrate(plant, start, [0, 0.05, 0.1, 0.2], broken, breaks=(0.1,))
    assert found.events == (("lost", 0.1),)
    np.testing.assert_array_equal(found.time, [0, 0.05, 0.1])
    np.testing.assert_allclose(found.pose, [kalani.home] * 3, atol=1e-9)


def test_an_event_before_the_first_time_wanted_leaves_the_start():
    robot = gough.load("demo-hexapod")
    plant = rigid_plant(robot)
    start = plant.start(robot.home)
    found = integrate(plant, start, [0, 5], np.zeros(6), events=[end_stop(plant)])
    ((name, when),) = found.events
    assert name == "end stop"
    assert 0 < when < 5
    np.testing.assert_array_equal(found.state, start[None])


def test_plants_are_not_kept_for_ever(kalani):
    def used_plant():
        plant = rigid_plant(kalani)
        integrate(plant, plant.start(kalani.home), [0, 1e-3], np.zeros(6), integrator=STIFF)
        return weakref.ref(plant)

    first = used_plant()
    for _ in range(4):
        used_plant()
    gc.collect()
    assert first() is None


def test_limits_are_noted_and_passed():
    robot = gough.load("demo-hexapod")
    plant = rigid_plant(robot)
    start = plant.start(robot.home)
    holding = plant.holding(start[:7])
    found = integrate(
        plant,
        start,
        np.linspace(0, 0.1, 11),
        lambda t: holding + 40_000 * t,
        events=[command_limit(plant)],
    )
    names = [name for name, _ in found.events]
    assert "limit" in names
    assert found.time[-1] == pytest.approx(0.1)
    when = dict(reversed(found.events))["limit"]
    assert when == pytest.approx((2500 - holding.max()) / 40_000, abs=1e-8)


def test_bad_requests_are_refused(kalani):
    plant = rigid_plant(kalani)
    start = plant.start(kalani.home)
    with pytest.raises(GoughError, match="unknown method 'Euler'"):
        Adaptive("Euler")
    with pytest.raises(GoughError, match="each after the one before"):
        integrate(plant, start, [0, 1, 1], np.zeros(6))
    with pytest.raises(GoughError, match="each after the one before it, and finite"):
        integrate(plant, start, [0, np.inf], np.zeros(6))
    with pytest.raises(GoughError, match=r"start has shape \(7,\); expected 13 numbers: pose"):
        integrate(plant, start[:7], [0, 1], np.zeros(6))
    for bad in (np.where(np.arange(13) == 9, np.nan, start), np.zeros(13)):
        with pytest.raises(GoughError, match=r"start is \[.*\]; expected 13 numbers"):
            integrate(plant, bad, [0, 1], np.zeros(6))
    with pytest.raises(GoughError, match="start pose"):
        plant.start([0, 0, 1])
    with pytest.raises(GoughError, match=r"cannot vary 'platform\.weight'"):
        rigid_plant(kalani, ("platform.weight",))
