"""Payloads that are picked up or dropped on the way, in simulations and in studies."""

import numpy as np
import pytest
from simulated_motions import screw_motion

import gough
from gough.motion import During, Payload, carried_over, hold
from gough.simulation import computed_torque, open_loop, real_plant, rigid_plant
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.integrators import Adaptive, integrate
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate
from gough.studies.run import run
from gough.studies.study import Study

LOAD = Payload(45.0, (0.05, 0.0, 0.2), (0.9, 0.9, 0.6))


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def loaded(robot):
    return LOAD.carried_by(robot)


def test_stretches_begin_at_the_first_sample_of_a_change(robot, loaded):
    time = 0.1 * np.arange(11)
    task = During(LOAD, 0.3, 0.65)
    found = [(where.start, where.stop, r) for where, r in carried_over(robot, [task], time)]
    assert found == [(0, 3, robot), (3, 7, loaded), (7, 11, robot)]
    assert carried_over(robot, [LOAD], time) == [(slice(0, 11), loaded)]
    heavier = LOAD.carried_by(loaded)
    both = [(w.start, w.stop, r) for w, r in carried_over(robot, [task, LOAD], time)]
    assert both == [(0, 3, loaded), (3, 7, heavier), (7, 11, loaded)]


def test_a_dropped_payload_leaves_the_platform_to_jump_up(robot, loaded):
    """Blind forces that hold the load: after the drop the bare machine moves on from there."""
    rest = hold(robot.home, 0.3)
    results = simulate(
        Scenario(
            loaded,
            open_loop(),
            rest,
            plant=rigid_plant(robot),
            tasks=[During(LOAD, -1.0, 0.1)],
            integrator=Adaptive(),
        )
    )
    until = results.time <= 0.1
    assert np.abs(results["pose_error"][until]).max() < 1e-12
    bare = rigid_plant(robot)
    force = gough.Model(loaded).inverse_dynamics(np.array(robot.home))
    after = integrate(bare, bare.start(robot.home), [0, *(results.time[~until] - 0.1)], force)
    np.testing.assert_allclose(results["pose"][~until], after.pose[1:], atol=1e-10)
    assert results["pose"][-1, 2] > robot.home[2] + 0.01


def test_compiled_and_adaptive_loops_agree_while_the_payload_changes(robot):
    motion = screw_motion(robot, duration=0.1, travel=1e-4, angle=2e-4)
    task = During(LOAD, 0.03, 0.07)
    compiled, adaptive = (
        simulate(
            Scenario(
                robot,
                computed_torque(900, 60),
                motion,
                tasks=[task],
                sampling=Sampling(1e-3, delay=1),
                integrator=integrator,
            )
        )
        for integrator in (None, Adaptive("RK45", 1e-11, 1e-13))
    )
    np.testing.assert_allclose(adaptive["pose"], compiled["pose"], atol=1e-9)
    change = np.abs(np.diff(compiled["acceleration"][:, 2]))
    assert {int(k) for k in np.argsort(change)[-2:]} == {29, 69}


def test_any_plant_takes_payloads(robot):
    """Motors on held voltages give way at once when a load is put down on them."""
    plant = real_plant(robot, legs="simple", stops=False)
    rest, voltage = hold(robot.home, 0.05), plant.holding(np.array(robot.home))
    runs = [
        simulate(Scenario(robot, lambda t, m, r: voltage, rest, plant=plant, tasks=tasks))
        for tasks in ((), (During(LOAD, 0.02, 1.0),))
    ]
    empty, loaded = (results["pose"][:, 2] for results in runs)
    np.testing.assert_allclose(empty[:20], loaded[:20], atol=1e-12)
    assert loaded[-1] < empty[-1] - 1e-5


def test_forces_of_a_study_are_those_with_and_without_the_payload(robot):
    motion = screw_motion(robot)
    some, always, never = (
        run(Study(robot, motion, tasks, samples=101))
        for tasks in ((During(LOAD, 0.25, 0.5),), (LOAD,), ())
    )
    carrying = (some.time > 0.25 - 1e-9) & (some.time < 0.5 - 1e-9)
    for name in ("force", "energy", "joint_force"):
        np.testing.assert_array_equal(some[name][carrying], always[name][carrying])
        np.testing.assert_array_equal(some[name][~carrying], never[name][~carrying])
