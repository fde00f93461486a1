"""Derivatives of closed loops through time, against runs beside them."""

import numpy as np
import pytest
from simulated_motions import screw_motion

import gough
from gough.compiler.front.program import Program
from gough.compiler.front.transformed import waiting_values
from gough.compiler.source.cuda import IN_BLOCK, cuda_recurrence
from gough.errors import GoughError
from gough.motion import Quintic, line
from gough.simulation import (
    BallOnPlate,
    BaseBody,
    Sampling,
    Sensors,
    computed_torque,
    force_commanded,
    gradient,
    joint_pid,
    real_plant,
    rigid_plant,
    sensitivity,
)
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.sensors import normal_numbers
from gough.simulation.gradient import for_gpu
from gough.simulation.with_adjoint import with_adjoint

VARIED = ("platform.mass", "gravity.z")


def cost_of(runs):
    """A number of each run: the mean square of where it is, and of forces at odd samples."""
    return np.sum(runs.memory[..., :3] ** 2, axis=(0, 2)) + np.sum(
        1e-6 * runs.command[1::2] ** 2, axis=(0, 2)
    )


def slopes_of(part, runs):
    d_memory, d_command = np.zeros_like(runs.memory), 2e-6 * runs.command
    d_memory[..., :3] = 2 * runs.memory[..., :3]
    d_command[(np.arange(part.start, part.stop) % 2) == 0] = 0
    return d_memory, d_command


def delta_loop():
    robot = gough.load("delta")
    motion = line(robot.home, [0.02, -0.01, 0.03], Quintic(0.03))
    loop = ClosedLoop(
        rigid_plant(robot, VARIED),
        computed_torque(900, 60),
        robot,
        Sampling(1e-3, substeps=2, delay=1),
        Sensors(noise=1e-4, speed_filter=2e-3),
    )
    return loop, motion, [0.3, -9.81]


def hexapod_loop():
    robot = gough.load("kalani-2016")
    loop = ClosedLoop(rigid_plant(robot, VARIED), joint_pid(2e3, 50, 100), robot)
    return loop, screw_motion(robot, duration=0.03), [1.5, -9.81]


@pytest.mark.parametrize("made", [delta_loop, hexapod_loop])
def test_derivatives_are_those_of_runs_beside_it(made):
    """Central differences of order four along a random direction of all that a run is given.

    Commands reach the limits of the Delta's motors: the step is small, so that none does so anew.
    """
    loop, motion, numbers = made()
    rng = np.random.default_rng(5)
    samples, runs = 24, 2
    reference = np.concatenate(motion(1e-3 * np.arange(samples)), axis=-1)
    parameters = np.array([numbers, numbers]) * [[1.0, 1.0], [1.3, 0.9]]
    start = np.tile(loop.start(reference[0, :7]), (runs, 1))
    gains = np.tile(loop.gain_values, (runs, 1))
    noise = 1e-4 * normal_numbers(1, samples, range(runs), loop.plant.actuators)
    wrench = tuple(rng.normal(size=(2, samples, runs, 6)))
    at = {"memory": start, "reference": np.tile(reference[:, None], (1, runs, 1))}
    at |= {"gains": gains, "parameters": parameters}
    way = {k: rng.normal(size=x.shape) * np.maximum(np.abs(x).max(), 0.1) for k, x in at.items()}
    way["memory"][:, 13:] *= 1e-3

    def cost(share):
        moved = {k: x + share * way[k] for k, x in at.items()}
        first, along = moved.pop("memory"), moved.pop("reference")
        return cost_of(loop.run(first, along, noise=noise, wrench=wrench, **moved))

    h = 1e-6
    expected = (8 * (cost(h) - cost(-h)) - (cost(2 * h) - cost(-2 * h))) / (12 * h)
    options = {"gains": gains, "parameters": parameters, "noise": noise, "wrench": wrench}
    found = gradient(loop, start, at["reference"], slopes_of, **options)
    along = sum(
        (getattr(found, k) * way[k]).sum(axis=(0, 2) if k == "reference" else 1) for k in at
    )
    np.testing.assert_allclose(along, expected, rtol=1e-6)
    tangent = sensitivity(loop, start, at["reference"], way, **options)
    d_memory, d_command = slopes_of(slice(0, samples), loop.run(start, at["reference"], **options))
    forwards = (d_memory * tangent.memory).sum((0, 2)) + (d_command * tangent.command).sum((0, 2))
    np.testing.assert_allclose(along, forwards, rtol=1e-10)
    in_parts = gradient(loop, start, at["reference"], slopes_of, every=7, **options)
    loads = rng.normal(size=(2, 6))
    same, each = (
        gradient(loop, start, at["reference"], slopes_of, **options | {"wrench": tuple(given)})
        for given in (loads, np.tile(loads[:, None], (samples, 1)))
    )
    np.testing.assert_array_equal(same.gains, each.gains)
    with pytest.raises(GoughError, match="wrench has shape"):
        gradient(loop, start, at["reference"], slopes_of, **options | {"wrench": (loads, loads)})
    for k in at:
        np.testing.assert_allclose(getattr(in_parts, k), getattr(found, k), rtol=1e-10, atol=1e-12)


def test_the_way_back_is_short_and_few_numbers_wait_on_it():
    """It has at most four times the operations, and rates of all legs fit into a GPU's thread."""
    robot = gough.load("delta")
    loop = ClosedLoop(rigid_plant(robot, VARIED), computed_torque(900, 60), robot)
    run, (back, _) = Program.of(loop.function), for_gpu(loop, "adjoint")
    assert back.most_operations < 4 * run.most_operations
    waiting = [waiting_values(r) for r in back.routines() if r.name == "rates_adjoint"]
    assert 0 < max(waiting) < 100


def test_rows_of_loops_over_legs_wait_in_the_memory_of_a_block():
    """Arrays of loops that are done leave their memory to others, so that all fit in there."""
    robot = gough.load("kalani-2016")
    loop = ClosedLoop(rigid_plant(robot, VARIED), computed_torque(900, 60), robot)
    _, described = cuda_recurrence(*for_gpu(loop, "adjoint"))
    assert 0 < described["shared"] <= IN_BLOCK


def rates_of(plant, command):
    state = plant.start(plant.robot.home)
    state[7:10] = 0.03, -0.02, 0.04
    given = [state, command, [3.0, -1, 2, 0.1, 0.2, -0.1], *plant.own_parameters]
    return (plant.traced_rates,), given


def drives():
    """Their screws have friction in proportion to the load, either way."""
    plant = force_commanded(real_plant(gough.load("demo-hexapod")))
    return rates_of(plant, [10.0, 20.0, -30.0, 5.0, 60.0, 7.0])


def motors():
    return rates_of(rigid_plant(gough.load("delta"), ("platform.mass",)), [0.1, -0.2, 0.3])


def floating_base():
    """Its acceleration is solved for by derivatives of the machine's motion."""
    body = BaseBody(mass=30.0, inertia=[2.0, 3.0, 4.0])
    plant = real_plant(gough.load("delta"), drives=False, floating_base=body)
    return rates_of(plant, [0.1, -0.2, 0.3])


def ball():
    """So is the platform's, under a ball."""
    plant = real_plant(gough.load("delta"), ball=BallOnPlate(mass=0.05, radius=0.02))
    return rates_of(plant, [0.1, -0.2, 0.3])


def estimates():
    """A controller that finds pose and twist by lengths and rates of the legs."""
    robot, control = gough.load("kalani-2016"), computed_torque(900, 60)
    plant, still = rigid_plant(robot), np.zeros(6)
    state, beside = plant.start(robot.home), gough.pose(np.add(robot.home[:3], 1e-3))
    state[7:13] = 0.03, -0.02, 0.04, 0.1, 0.2, -0.1
    estimate = control.start(plant, beside, still)
    reference = np.concatenate([beside, still, still + 0.5])
    gains = ClosedLoop(plant, control, robot).gain_values
    given = [estimate, plant.measured_kernel(state, still), reference, gains]
    return (type(control).function, control, robot, 1e-3, plant.limit), given


@pytest.mark.parametrize("made", [drives, motors, floating_base, ball, estimates])
def test_derivatives_of_solutions_are_those_of_the_operations_that_find_them(made):
    (make, *of), given = made()
    function, adjoint = with_adjoint(make, *of)
    *_, stored = function.traced(*given)
    rng = np.random.default_rng(3)
    along = [rng.normal(size=a.size) for a in function.outputs[:-1]]
    expected = make(*of).adjoint().traced(*given, *along)
    for ours, wanted in zip(adjoint.traced(*given, stored, *along), expected, strict=True):
        size = np.abs(np.array(wanted)).max(initial=0.0)
        np.testing.assert_allclose(ours, wanted, rtol=1e-9, atol=1e-10 * size)


def test_a_payload_is_found_by_shooting():
    """Newton's method on one number: the mass with which a run came where it did."""
    loop, motion, numbers = delta_loop()
    reference = np.concatenate(motion(1e-3 * np.arange(31)), axis=-1)
    start = loop.start(reference[0, :7])
    reached = loop.run(start, reference, parameters=np.array([0.37, -9.81])).memory[-1, 0, :3]
    mass = numbers[0]
    for _ in range(4):
        last = loop.run(start, reference, parameters=np.array([mass, -9.81])).memory[-1, 0, :3]

        def slopes(part, runs, last=last):
            d_memory = np.zeros_like(runs.memory)
            d_memory[-1, :, :3] = last - reached
            return d_memory, np.zeros_like(runs.command)

        slope = gradient(loop, start, reference, slopes, parameters=[mass, -9.81]).parameters[0, 0]
        mass -= np.sum((last - reached) ** 2) / slope
    assert mass == pytest.approx(0.37, rel=1e-9)


def test_what_has_no_derivative_is_refused():
    loop, motion, numbers = delta_loop()
    reference = np.concatenate(motion(1e-3 * np.arange(5)), axis=-1)
    start = loop.start(reference[0, :7])
    with pytest.raises(GoughError, match=r"slopes returned arrays \(1,\)"):
        gradient(loop, start, reference, lambda part, runs: ([0], [0]), parameters=numbers)
    with pytest.raises(GoughError, match="parameters"):
        gradient(loop, start, reference, slopes_of)
    with pytest.raises(GoughError, match=r"changes.*memory, reference, gains, parameters"):
        sensitivity(loop, start, reference, {"mass": 1.0}, parameters=numbers)
    coarse = ClosedLoop(loop.plant, loop.controller, loop.robot, sensors=Sensors(resolution=1e-6))
    with pytest.raises(GoughError, match="readings in steps have no derivatives"):
        gradient(coarse, start, reference, slopes_of, parameters=numbers)
    many = ClosedLoop(loop.plant, loop.controller, loop.robot, Sampling(substeps=100))
    with pytest.raises(GoughError, match="100 steps in a period; expected at most 50"):
        gradient(many, start, reference, slopes_of, parameters=numbers)
    joints = ClosedLoop(loop.plant, loop.controller, loop.robot, Sampling(joint_space=True))
    with pytest.raises(GoughError, match=r"1 steps in a period in joint space; .* in the pose"):
        gradient(joints, start, reference, slopes_of, parameters=numbers)
