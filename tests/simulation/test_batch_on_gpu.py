"""Runs of a batch on a GPU, for which a processor stands in: the same numbers."""

import sys

import numpy as np
import pytest
from gpu_stand_in import stand_in
from simulated_motions import screw_motion

import gough
from gough.compiler.source.gpu import GpuRecurrence
from gough.errors import CompilerError, GoughError, InputError, KernelArgumentError
from gough.motion import Quintic, line
from gough.simulation import Sampling, Sensors, computed_torque, joint_pid, rigid_plant
from gough.simulation.batch import simulate_batch
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.sensors import normal_numbers
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
    for name in ("pose", "twist", "force", "pose_error"):
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
    memory = 60_000
    monkeypatch.setitem(sys.modules, "cupy", stand_in(memory))  # six samples at a time
    found = simulate_batch(scenario, varied, device="gpu")
    np.testing.assert_allclose(found.force, expected.force, rtol=1e-9, atol=1e-12)
    monkeypatch.setitem(sys.modules, "cupy", stand_in(memory // 4))
    with pytest.raises(GoughError, match=r"2 runs need about .* GB of the GPU's memory"):
        simulate_batch(scenario, varied, device="gpu")


def test_runs_that_end_early_end_alike(robot, gpu):
    """The platform is too heavy for the limits of the actuators, so that it falls into a stop."""
    scenario = Scenario(robot, joint_pid(1e4, 0, 100), screw_motion(robot, duration=0.4), every=10)
    expected, found = both(scenario, {"platform.mass": [150.0, 1e5], "legs[0].base.x": [0.8, 0.9]})
    assert expected.endings[1] is not None
    assert found.endings == expected.endings
    np.testing.assert_allclose(found.pose, expected.pose, rtol=1e-9, atol=1e-12)


def test_other_machines_run_on_a_gpu(gpu):
    delta = gough.load("delta")
    motion = line(delta.home, [0.01, 0.02, 0.01], Quintic(0.02))
    scenario = Scenario(delta, computed_torque(900, 60), motion)
    expected, found = both(scenario, {"platform.mass": [0.1, 0.3]})
    np.testing.assert_allclose(found.force, expected.force, rtol=1e-9, atol=1e-12)


def test_normal_numbers_are_those_of_their_counter():
    """Philox' published numbers: counter and key zero [Random123, kat_vectors]."""
    source = np.random.Philox(key=0, counter=2**256 - 1)
    words = [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
    assert source.random_raw(4).tolist() == words
    few, many = normal_numbers(3, 5, 2, 6), normal_numbers(3, 200_000, 2, 6)
    np.testing.assert_array_equal(few, many[:5])
    assert abs(many.mean()) < 3e-3
    assert abs(many.std() - 1) < 3e-3
    assert np.abs(np.corrcoef(many.reshape(-1, 12).T)[np.triu_indices(12, 1)]).max() < 0.01
    np.testing.assert_array_equal(normal_numbers(3, 5, 1, 6), few[:, :1])  # whoever is beside it


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
