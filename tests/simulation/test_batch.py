"""Many runs side by side."""

import json
import signal
import time
from dataclasses import asdict

import numpy as np
import pytest
from simulated_motions import screw_motion

import gough
from gough.errors import GoughError
from gough.simulation import Sensors, computed_torque, joint_pid, rigid_plant
from gough.simulation.batch import simulate_batch
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.scenario import Scenario


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.mark.parametrize("runs", [2, 9, 70])
def test_a_batch_equals_single_runs(robot, runs):
    motion, controller = screw_motion(robot, duration=0.3), computed_torque(900, 60)
    masses = np.linspace(120, 200, runs)
    centers = np.linspace(0.1, 0.3, runs)
    names = ("platform.mass", "platform.center_of_mass.z")
    batch = simulate_batch(
        Scenario(robot, controller, motion, every=1),
        dict(zip(names, (masses, centers), strict=True)),
    )
    plant = rigid_plant(robot, names)
    loop = ClosedLoop(plant, controller, robot)
    reference = np.concatenate(motion(1e-3 * np.arange(301)), axis=-1)
    for k in (0, runs // 2, runs - 1):
        single = loop.run(
            loop.start(robot.home), reference, parameters=np.array([masses[k], centers[k]])
        )
        np.testing.assert_array_equal(batch.pose[:, k], single.memory[:, 0, :7])
        np.testing.assert_array_equal(batch.force[:, k], single.command[:, 0])
    assert np.abs(batch.pose[:, 0] - batch.pose[:, -1]).max() > 1e-4  # they do differ


def test_parameters_change_the_machine_as_a_new_robot_would(robot):
    motion, controller = screw_motion(robot, duration=0.2), computed_torque(900, 60)
    batch = simulate_batch(
        Scenario(robot, controller, motion, every=1), {"platform.mass": [150.0, 180.0]}
    )
    data = robot.to_dict()
    heavier = gough.Robot.from_dict({**data, "platform": {**data["platform"], "mass": 180.0}})
    loop = ClosedLoop(rigid_plant(heavier), controller, robot)
    reference = np.concatenate(motion(1e-3 * np.arange(201)), axis=-1)
    single = loop.run(loop.start(robot.home), reference)
    np.testing.assert_allclose(batch.pose[:, 1], single.memory[:, 0, :7], atol=1e-12)


def test_peaks_and_rms_are_those_of_all_samples_before_the_end(robot, monkeypatch):
    """One of 50 samples is kept, and each run is looked at alone; the heavy platform falls."""
    motion, names = screw_motion(robot, duration=0.4), ("force", "error")
    varied = {"platform.mass": [150.0, 1e5, 140.0]}
    every = simulate_batch(Scenario(robot, joint_pid(1e4, 0, 100), motion, every=1), varied)
    monkeypatch.setattr("gough.simulation.batch.NUMBERS_AT_A_TIME", 1)  # one run at a time
    few = simulate_batch(Scenario(robot, joint_pid(1e4, 0, 100), motion, every=50), varied)
    ended = every.endings[1].samples
    assert 20 < ended < 400
    assert ended % 20
    assert json.dumps(asdict(few.endings[1]))
    for name, values in zip(names, (every.force, every.pose_error), strict=True):
        for k, count in enumerate((401, ended, 401)):
            sizes = np.abs(values[:count, k])
            if name == "error":
                halves = np.split(sizes, 2, axis=-1)
                sizes = np.stack([np.linalg.norm(x, axis=-1) for x in halves], axis=-1)
            assert not np.isfinite(values[count:, k]).any()
            for found in (every, few):
                peak, rms = getattr(found, f"peak_{name}")[k], getattr(found, f"rms_{name}")[k]
                np.testing.assert_allclose(peak, sizes.max(axis=0), rtol=1e-12)
                np.testing.assert_allclose(rms, np.sqrt((sizes**2).mean(axis=0)), rtol=1e-12)
    assert (few.peak_force > 1.001 * np.nanmax(np.abs(few.force), axis=0)).any()


def test_forces_beyond_all_bounds_have_peaks(robot):
    """Their squares are infinite, which is no warning."""
    scenario = Scenario(
        robot, joint_pid(1e200, 0, 1e199), screw_motion(robot, duration=0.1), saturated=False
    )
    found = simulate_batch(scenario, {"platform.mass": [150.0]})
    assert found.endings[0].kind == "diverged"
    assert np.isfinite(found.peak_force).all()


def test_gains_may_differ_from_run_to_run(robot):
    motion, controller = screw_motion(robot, duration=0.2), computed_torque(900, 60)
    gains = np.stack([controller.gain_values(6), computed_torque(3600, 120).gain_values(6)])
    batch = simulate_batch(
        Scenario(robot, controller, motion, every=1), {"platform.mass": [180.0, 180.0]}, gains=gains
    )
    errors = np.abs(batch.pose_error).max(axis=(0, 2))
    assert errors[1] < 0.5 * errors[0]


def test_every_run_has_its_own_noise(robot):
    motion = screw_motion(robot, duration=0.05)
    batch = simulate_batch(
        Scenario(robot, computed_torque(900, 60), motion, sensors=Sensors(noise=1e-5), every=1),
        {"platform.mass": [150.0, 150.0]},
    )
    assert np.abs(batch.pose[-1, 0] - batch.pose[-1, 1]).max() > 0


def test_a_run_that_fails_leaves_the_others_alone(robot):
    motion = screw_motion(robot, duration=1.0)
    batch = simulate_batch(
        Scenario(robot, computed_torque(100, 20), motion, every=10),
        {"platform.mass": [150.0, 3000.0]},
    )
    good, bad = batch.endings
    assert good is None
    assert bad is not None
    assert bad.kind in ("end stop", "diverged", "singular")
    assert np.isfinite(batch.pose[:, 0]).all()
    assert np.isnan(batch.pose[bad.samples :, 1]).all()
    assert np.isfinite(batch.pose[: bad.samples, 1]).all()


def test_an_interrupt_ends_runs_on_all_threads(robot):
    """Minutes of work; the interrupt comes to the main thread alone."""
    motion, masses = screw_motion(robot, duration=5.0), {"platform.mass": [150.0] * 20}
    how = {"sampling": Sampling(1e-3, substeps=1000)}
    simulate_batch(
        Scenario(robot, computed_torque(900, 60), screw_motion(robot, duration=1e-2), **how), masses
    )
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 1.5)
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            simulate_batch(Scenario(robot, computed_torque(900, 60), motion, **how), masses)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 5


def test_pieces_of_time_do_not_show(robot, monkeypatch):
    from gough.simulation import closed_loop as module

    loop = ClosedLoop(rigid_plant(robot), computed_torque(900, 60), robot, Sampling(1e-3))
    reference = np.concatenate(screw_motion(robot)(1e-3 * np.arange(400)), axis=-1)
    whole = loop.run(loop.start(robot.home), reference, every=3)
    monkeypatch.setattr(module, "NUMBERS_AT_A_TIME", 10_000)
    in_pieces = loop.run(loop.start(robot.home), reference, every=3)
    np.testing.assert_array_equal(whole.memory, in_pieces.memory)
    np.testing.assert_array_equal(whole.command, in_pieces.command)


def test_rows_that_do_not_fit_are_refused(robot):
    motion, controller = screw_motion(robot), computed_torque(900, 60)
    with pytest.raises(GoughError, match="expected as many of each"):
        simulate_batch(
            Scenario(robot, controller, motion, every=10),
            {"platform.mass": [1.0, 2.0], "platform.center_of_mass.x": [0.0, 0.1, 0.2]},
        )
    with pytest.raises(GoughError, match=r"cannot vary 'platform\.weight'"):
        simulate_batch(Scenario(robot, controller, motion, every=10), {"platform.weight": [1.0]})
    with pytest.raises(GoughError, match=r"cannot vary 'legs\[0\]\.max_force'"):
        simulate_batch(Scenario(robot, controller, motion, every=10), {"legs[0].max_force": [1.0]})
    gains = np.ones((3, 12))
    with pytest.raises(GoughError, match="3 rows of gains for 2 runs; expected as many"):
        simulate_batch(
            Scenario(robot, controller, motion), {"platform.mass": [1.0, 2.0]}, gains=gains
        )
    loop = ClosedLoop(rigid_plant(robot, ("platform.mass",)), controller, robot)
    with pytest.raises(GoughError, match=r"reference has shape \(0, 19\); .*, not empty"):
        loop.run(loop.start(robot.home), np.zeros((0, 19)), parameters=[1.0])
    with pytest.raises(GoughError, match=r"no parameters; expected platform\.mass"):
        loop.run(loop.start(robot.home), np.zeros((3, 19)))
    memory = np.stack([loop.start(robot.home)] * 3)
    with pytest.raises(GoughError, match="do not fit each other"):
        loop.run(memory, np.zeros((3, 19)), parameters=np.ones((2, 1)))


def unfit_rows(loop, samples):
    """What does not fit a loop of 6 + 6 gains: the arguments of a run, and what is said of them."""
    n, six = loop.start(loop.robot.home).size, np.zeros(6)
    return [
        ({"gains": np.ones(6)}, r"gains has shape \(6,\); expected \(12\) or \(runs, 12\)"),
        ({"gains": np.ones((3, 11))}, r"gains has shape \(3, 11\); expected"),
        ({"gains": np.ones((0, 12))}, r"gains has shape \(0, 12\); expected"),
        ({"gains": "stiff"}, "argument 'gains' has type <U5; expected real numbers"),
        ({"gains": [[1, 2], [3]]}, "argument 'gains' is not an array: its rows differ in length"),
        ({"memory": np.zeros(n - 1)}, rf"memory has shape \({n - 1},\); expected \({n}\) or"),
        ({"wrench": (np.zeros((5, 6)), six)}, rf"wrench has shape \(5, 6\); .*\({samples}, 6\)"),
        ({"wrench": (six, np.zeros(5))}, r"wrench_next has shape \(5,\)"),
        ({"noise": np.zeros((samples, 1, 5))}, r"noise has shape"),
        ({"noise": np.zeros((samples - 1, 1, 6))}, r"noise has shape"),
        ({"disturbance": np.zeros((samples, 2))}, r"disturbance has shape"),
        ({"reference": np.zeros((samples, 18))}, r"reference has shape .*\(samples, 19\)"),
        ({"reference": np.zeros((0, 19))}, r"reference has shape \(0, 19\)"),
        ({"reference": np.zeros(19)}, r"reference has shape \(19,\)"),
        ({"gains": np.ones((3, 12)), "noise": np.zeros((samples, 2, 6))}, "do not fit each other"),
    ]


@pytest.mark.parametrize("case", range(15))
def test_a_loop_reads_only_what_it_was_given(robot, case):
    loop = ClosedLoop(rigid_plant(robot), computed_torque([900.0] * 6, [60.0] * 6), robot)
    reference = np.concatenate(screw_motion(robot)(1e-3 * np.arange(20)), axis=-1)
    given, message = unfit_rows(loop, len(reference))[case]
    given = {"memory": loop.start(robot.home), "reference": reference} | given
    with pytest.raises(GoughError, match=message):
        loop.run(given.pop("memory"), given.pop("reference"), **given)


def test_gains_that_do_not_fit_are_refused_and_a_row_is_for_all_runs(robot):
    motion, controller = screw_motion(robot), computed_torque([900.0] * 6, [60.0] * 6)
    masses = {"platform.mass": [1.0, 2.0, 3.0]}
    with pytest.raises(
        GoughError, match=r"gains has shape \(6,\); expected \(12\) or \(runs, 12\)"
    ):
        simulate_batch(Scenario(robot, controller, motion, every=10), masses, gains=np.ones(6))
    row = np.repeat([400.0, 40.0], 6)
    one, each = (
        simulate_batch(Scenario(robot, controller, motion, every=10), masses, gains=g)
        for g in (row, [row] * 3)
    )
    np.testing.assert_array_equal(one.pose, each.pose)
