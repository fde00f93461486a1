"""Runs of a batch on a GPU, for which a processor stands in: the same numbers."""

import sys
from dataclasses import fields, replace

import numpy as np
import pytest
from gpu_stand_in import stand_in
from simulated_motions import screw_motion

import gough
from gough.arrays import is_on_gpu, on_host
from gough.compiler import Argument, Function, Kernel
from gough.compiler.source.gpu import GpuRecurrence
from gough.errors import CompilerError, GoughError, InputError, KernelArgumentError
from gough.motion import Quintic, line
from gough.simulation import (
    Sampling,
    Sensors,
    computed_torque,
    gradient,
    joint_pid,
    rigid_plant,
    rollout,
    sensitivity,
)
from gough.simulation.batch import simulate_batch
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.sensors import normal_numbers
from gough.simulation.events import first_endings, surely_goes_on
from gough.simulation.scenario import Scenario


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", stand_in())


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


def both(scenario, varied, **options):
    return [simulate_batch(scenario, varied, device=d, **options) for d in ("cpu", "gpu")]


def test_a_gpu_gives_what_processors_give(robot, gpu):
    """With noise, delay, other payloads, gains that differ, and one of three samples kept."""
    scenario = Scenario(
        robot,
        computed_torque(900, 60),
        screw_motion(robot, duration=0.05),
        sampling=Sampling(1e-3, substeps=2, delay=1),
        sensors=Sensors(noise=1e-5, resolution=1e-6, speed_filter=1e-3),
        every=3,
        rng=7,
    )
    gains = [[900.0, 60.0], [400.0, 40.0], [900.0, 60.0]]
    gains = np.repeat(np.array(gains), 6, axis=1)
    expected, found = both(scenario, {"platform.mass": [120.0, 150.0, 180.0]}, gains=gains)
    assert found.endings == expected.endings
    figures = "peak_force", "rms_force", "peak_error", "rms_error"
    for name in ("pose", "twist", "force", "pose_error", *figures):
        ours = getattr(found, name)
        assert type(ours) is np.ndarray
        np.testing.assert_allclose(ours, getattr(expected, name), rtol=1e-9, atol=1e-12)


def test_numbers_do_not_depend_on_the_pieces_of_time(robot, monkeypatch):
    scenario = Scenario(
        robot,
        computed_torque(900, 60),
        screw_motion(robot, duration=0.03),
        sensors=Sensors(noise=1e-5),
        rng=2**130 + 1,
    )
    varied = {"platform.mass": [120.0, 150.0]}
    expected = simulate_batch(scenario, varied)
    memory = 12_000
    monkeypatch.setitem(sys.modules, "cupy", stand_in(memory))  # few samples at a time
    found = simulate_batch(scenario, varied, device="gpu")
    np.testing.assert_allclose(found.force, expected.force, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.rms_force, expected.rms_force, rtol=1e-9)
    monkeypatch.setitem(sys.modules, "cupy", stand_in(memory // 4))
    with pytest.raises(GoughError, match=r"2 runs need about .* GB of the GPU's memory"):
        simulate_batch(scenario, varied, device="gpu")


def test_runs_that_end_early_end_alike(robot, gpu):
    """The platform is too heavy for the limits of the actuators, so that it falls into a stop.

    All runs go on in one piece; the one that falls into its stops is computed once more.
    """
    scenario = Scenario(robot, joint_pid(1e4, 0, 100), screw_motion(robot, duration=0.4), every=10)
    varied = {"platform.mass": [150.0, 1e5, 140.0], "legs[0].base.x": [0.8, 0.9, 0.8]}
    expected, found = both(scenario, varied)
    assert [end is None for end in expected.endings] == [True, False, True]
    assert found.endings == expected.endings
    for name in ("pose", "force", "pose_error", "peak_force", "rms_error"):
        pair = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(*pair, rtol=1e-9, atol=1e-12)


def test_no_event_is_overlooked(robot):
    """Of two samples anywhere: whenever an event ends a run, the condition is not met before."""
    plant, rng = rigid_plant(robot), np.random.default_rng(0)
    start = plant.start(robot.home)
    condition = surely_goes_on(plant, start, crosses=False)
    arguments = [plant.state, replace(plant.state, name="following"), plant.command]

    def equation(state, following, command):
        return condition(plant.machine(()), state, following, command)

    kernel = Kernel(Function.from_equation("goes_on", equation, arguments, [Argument("good")]))
    size = 10 ** rng.uniform(-4, 1, (2000, 1))
    first = start + size * rng.normal(size=(2000, 13))
    second = first + 10 ** rng.uniform(-4, 1, (2000, 1)) * rng.normal(size=(2000, 13))
    states = np.stack([first, second])
    states[..., 3:7] /= np.linalg.norm(states[..., 3:7], axis=-1, keepdims=True)
    states[1, ::50] = np.nan
    force = np.zeros((2, 2000, 6))
    ended = first_endings(plant, np.array([0.0, 1e-3]), states, force)
    kinds = {ending.text.split(" at t")[0][:8] for ending in ended.values()}
    assert len(kinds) > 3
    good = kernel(states[0], states[1], force[0]) * kernel(states[1], states[1], force[1])
    assert not good[list(ended)].any()
    assert good.sum() > 300
    assert kernel(start, start, force[0, 0]) == 1


def test_other_machines_run_on_a_gpu(gpu):
    delta = gough.load("delta")
    motion = line(delta.home, [0.01, 0.02, 0.01], Quintic(0.02))
    scenario = Scenario(delta, computed_torque(900, 60), motion)
    expected, found = both(scenario, {"platform.mass": [0.1, 0.3]})
    np.testing.assert_allclose(found.force, expected.force, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("every", [None, 7])
def test_derivatives_on_a_gpu_are_those_of_processors(gpu, every):
    """With noise, a delay, gains and masses that differ from run to run; with states anew, too."""
    delta = gough.load("delta")
    loop = ClosedLoop(
        rigid_plant(delta, ("platform.mass",)),
        computed_torque(900, 60),
        delta,
        Sampling(1e-3, delay=1),
        Sensors(noise=1e-4, speed_filter=2e-3),
    )
    along = np.concatenate(
        line(delta.home, [0.02, 0, 0.03], Quintic(0.02))(1e-3 * np.arange(21)), -1
    )
    options = {
        "noise": 1e-4 * normal_numbers(3, 21, range(3), 3),
        "parameters": [[0.2], [0.3], [0.4]],
    }
    gains = np.repeat([[900.0, 60.0], [400.0, 40.0], [800.0, 50.0]], 3, axis=1)
    options["gains"] = np.array(gains)

    def slopes(part, runs):
        d_memory = np.zeros_like(runs.memory)
        d_memory[..., :3] = 2 * runs.memory[..., :3]
        return d_memory, 2e-3 * runs.command

    start = loop.start(delta.home, parameters=np.array(options["parameters"]))
    ours, expected = (
        gradient(loop, start, along, slopes, every=every, device=d, **options)
        for d in ("gpu", "cpu")
    )
    for field in fields(expected):
        found, wanted = getattr(ours, field.name), getattr(expected, field.name)
        np.testing.assert_allclose(
            on_host(found), wanted, rtol=0, atol=1e-10 * np.abs(wanted).max()
        )
    changes = {"gains": np.ones(6), "memory": start[0], "reference": np.ones_like(along)}
    ours, expected = (
        sensitivity(loop, start, along, changes, device=d, **options) for d in ("gpu", "cpu")
    )
    scale = np.abs(expected.memory).max()
    np.testing.assert_allclose(on_host(ours.memory), expected.memory, rtol=0, atol=1e-10 * scale)


def test_rollouts_go_where_their_arrays_are(gpu):
    delta = gough.load("delta")
    motion = line(delta.home, [0.02, -0.01, 0.03], Quintic(0.02))
    run = rollout(Scenario(delta, computed_torque(900, 60), motion, every=5), ["platform.mass"])
    masses = np.array([[0.2], [0.3]])
    expected, found = (run(parameters=x) for x in (masses, stand_in().asarray(masses)))
    given = *(x for x in run.defaults.values()), *(np.ones_like(x) for x in expected)
    given = [np.broadcast_to(x, (2, *x.shape)) if k < 4 else x for k, x in enumerate(given)]
    slopes = run.adjoint(*given), run.adjoint(*map(stand_in().asarray, given))
    for ours, wanted in zip((*found, *slopes[1]), (*expected, *slopes[0]), strict=True):
        assert is_on_gpu(ours)
        scale = np.abs(wanted).max()
        np.testing.assert_allclose(on_host(ours), wanted, rtol=0, atol=1e-10 * scale)


def test_normal_numbers_are_those_of_their_counter():
    """Philox' published numbers: counter and key zero [Random123, kat_vectors]."""
    source = np.random.Philox(key=0, counter=2**256 - 1)
    words = [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
    assert source.random_raw(4).tolist() == words
    few, many = (normal_numbers(3, samples, range(2), 6) for samples in (5, 200_000))
    np.testing.assert_array_equal(few, many[:5])
    assert abs(many.mean()) < 3e-3
    assert abs(many.std() - 1) < 3e-3
    assert np.abs(np.corrcoef(many.reshape(-1, 12).T)[np.triu_indices(12, 1)]).max() < 0.01
    np.testing.assert_array_equal(normal_numbers(3, 5, [1], 6), few[:, 1:])  # whoever is beside it


def test_what_does_not_fit_is_refused(robot, gpu, monkeypatch):
    scenario = Scenario(robot, computed_torque(900, 60), screw_motion(robot, duration=0.02))
    with pytest.raises(InputError, match="device"):
        simulate_batch(scenario, {"platform.mass": [1.0]}, device="tpu")
    with pytest.raises(InputError, match="executor"):
        simulate_batch(scenario, {"platform.mass": [1.0]}, device="gpu", executor=2)
    loop = ClosedLoop(rigid_plant(robot), computed_torque(900, 60), robot)
    recurrence = loop.on_gpu()
    assert isinstance(recurrence, GpuRecurrence)
    given = {name: np.zeros(a.shape) for name, a in loop.arguments.items()}
    given |= {"memory": np.zeros((2, loop.arguments["memory"].size)), "gains": np.zeros((3, 1, 12))}
    with pytest.raises(KernelArgumentError, match="gains"):
        recurrence(given, 5)
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(CompilerError, match="CuPy is not installed"):
        simulate_batch(scenario, {"platform.mass": [1.0]}, device="gpu")


def test_kernels_compute_where_their_arrays_are(robot, gpu):
    model = gough.Model(robot)
    poses = np.array([robot.home, robot.home]) + [[0], [0.01]]
    on_gpu = stand_in().asarray(poses)
    found = model.inverse_kinematics(on_gpu)
    assert type(found) is type(on_gpu)
    np.testing.assert_allclose(found.get(), model.inverse_kinematics(poses), rtol=1e-14)
    with pytest.raises(KernelArgumentError, match="neither"):
        model.inverse_kinematics(on_gpu, threads=2)
