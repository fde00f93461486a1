"""Simulation of a machine that follows a motion under a controller, as labelled results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.freedoms import possible_motion
from gough.analysis.results import Results
from gough.analysis.simulation_facts import RUN
from gough.arrays import Array
from gough.checks import RandomSource, require_integer, seed_of
from gough.disk.plain_data import PlainData
from gough.equations.control.signals import encoder_reading
from gough.errors import GoughError
from gough.kinematics.model import Model
from gough.motion import Motion, Task
from gough.robot import Robot
from gough.simulation.closed_loop import check_kept
from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.sensors import ONE_KILOHERTZ, PERFECT, Sampling, Sensors
from gough.simulation.events import command_limit, first_ending
from gough.simulation.integrators import Adaptive
from gough.simulation.paths import Path, path_of
from gough.simulation.plants import Plant, rigid_plant
from gough.simulation.results import GROUPS, at_limit, energy_warnings, results_of
from gough.simulation.scenario import PythonController, Scenario, carrying_plant, check_things
from gough.simulation.start import (
    check_first_step,
    check_start,
    check_steps_on_the_way,
    pose_and_twist,
    warnings_before,
)

OF_A_SAMPLE, OF_A_KEPT_SAMPLE = 100, 400
"""Numbers that lie in memory at once, beside states: of the motion, the loads and the commands; of
the results."""


def simulate(
    robot: Robot | Model,
    motion: Motion,
    controller: Controller | PythonController,
    *,
    plant: Plant | None = None,
    tasks: Iterable[Task] = (),
    sampling: Sampling = ONE_KILOHERTZ,
    sensors: Sensors = PERFECT,
    saturated: bool = True,
    start: ArrayLike | None = None,
    duration: float | None = None,
    every: int = 1,
    rng: RandomSource = 0,
    integrator: Adaptive | None = None,
    quantities: tuple[str, ...] = GROUPS,
    name: str = "simulation",
) -> Results:
    """Simulate a controller that follows a motion, from its beginning or from another `start`.

    `start` is a pose at rest, x y z [m] qw qx qy qz, or a pair of a pose and a twist [m/s, rad/s].

    The controller knows the `robot`; the `plant` is what it drives, by default that robot
    as rigid bodies with ideal actuators. Payloads among the tasks are the plant's, and unknown to
    the controller; one that is picked up during the motion already moves with the platform. The
    other tasks' wrenches are those along the wanted motion. `controller` may also be a Python
    function of (time, measurement (3 n + 6 numbers of n actuators), reference (19)) that returns a
    command: slower. One of `every` samples is kept, and figures and limits are those of the kept
    samples; a warning says so.

    The plant is integrated by RK4 or, more slowly, by an adaptive `integrator`; with one, a
    controller that uses the reference alone acts continuously, without sampling.

    A motion leaves open the dependent coordinates of a machine with fewer degrees of freedom, as in
    studies; one that the machine cannot do is refused.

    A run ends early where it diverges, crosses a singular configuration or exceeds a range: the
    results until then are kept, and `warnings` gives the reason. A controller that crosses on
    purpose goes on.
    """
    robot, loads = robot.robot if isinstance(robot, Model) else robot, tuple(tasks)
    check_things(robot, motion, controller, plant, loads, sampling, sensors, integrator)
    machine = plant or rigid_plant(robot)
    numbers = (
        OF_A_SAMPLE + 2 * machine.state.size + OF_A_KEPT_SAMPLE / require_integer("every", every)
    )
    time = sampling.times(motion.duration if duration is None else duration, numbers)
    check_kept(every, len(time))
    seed = seed_of(rng)
    noise = sensors.noise_samples(len(time), 1, machine.actuators, seed)
    loaded, all_numbers = carrying_plant(machine, loads, time)
    wanted = possible_motion(robot, motion, time)
    led = loaded.led(*pose_and_twist(start, wanted(time[0])))
    scenario = Scenario(
        robot=robot, motion=wanted, controller=controller, plant=loaded, tasks=loads,
        sampling=sampling, sensors=sensors, saturated=saturated, integrator=integrator,
        time=time, led=led, numbers=all_numbers, noise=noise,
    )  # fmt: skip
    warnings = _before(scenario)
    path = path_of(scenario)
    crosses = isinstance(controller, Controller) and controller.crosses
    ending = first_ending(loaded, time, *path, crosses=crosses)
    end = len(time) if ending is None else ending.samples
    done = scenario.part(slice(end)), path.part(slice(end))
    if integrator is None:
        check_steps_on_the_way(*done)
    if end <= every:
        what = ending.text if ending else "nothing was computed"
        raise GoughError("; ".join([f"{name}: {what}", *warnings]))
    if ending:
        warnings.insert(0, ending.text)
    warnings += _saturation(*done) + energy_warnings(*done) + _left_out(every)
    kept = slice(0, end, int(every))
    return results_of(
        scenario.part(kept),
        path.part(kept),
        read=tuple(values[kept] for values in readings(*done)),
        quantities=quantities,
        warnings=warnings,
        study={
            "name": name,
            "robot": robot.to_dict(),
            "motion": {"description": repr(motion)},
            "tasks": [{"description": repr(task)} for task in loads],
            RUN: {
                **scenario.described(),
                **_described_start(start, *led),
                "seed": seed,
                "ended": asdict(ending) if ending else {"kind": "completed"},
            },
        },
    )


def _described_start(start: ArrayLike | None, pose: Array, twist: Array) -> PlainData:
    """Return the start of a run, if it is not that of its motion."""
    if start is None:
        return {}
    return {"start": {"pose": pose.tolist(), "twist": twist.tolist()}}


def _before(scenario: Scenario) -> list[str]:
    """Return warnings before a run; one that cannot be made is refused."""
    check_start(scenario.plant, scenario.led)
    _ = scenario.loop  # a controller that does not fit the plant is refused
    if scenario.integrator is None:
        check_first_step(scenario)
    return warnings_before(scenario)


def _saturation(scenario: Scenario, path: Path) -> list[str]:
    if not scenario.saturated:
        return []
    margin = command_limit(scenario.plant).margin(scenario.time, *path)
    return at_limit(scenario.plant, "command", scenario.time, margin <= 0)


def _left_out(every: int) -> list[str]:
    if every == 1:
        return []
    return [
        f"one of every {every} samples is kept: peaks, margins and limits between them are not seen"
    ]


def readings(scenario: Scenario, path: Path) -> tuple[Array, ...]:
    """Return positions (T, n) [m, rad] as read at all samples, and speeds if derived from these.

    Empty where encoders are perfect: they read a run's own positions.
    """
    plant, sensors = scenario.plant, scenario.sensors
    if sensors == PERFECT:
        return ()
    n, period = plant.actuators, scenario.sampling.period
    exact = plant.measured_kernel(path.states, scenario.wrench, *scenario.parameters)[:, :n]
    noise = np.zeros_like(exact) if scenario.noise is None else scenario.noise[:, 0]
    read = np.array(encoder_reading(ca.DM(exact), ca.DM(noise), sensors.resolution))
    if sensors.speed_filter is None:
        return (read,)
    before, speed = np.split(sensors.start(plant, scenario.start, period), 2)
    return read, _filtered(read, before, speed, period, sensors.speed_filter)


def _filtered(read: Array, before: Array, speed: Array, period: float, time: float) -> Array:
    """Return differences of readings through a first-order low-pass, as in the loop."""
    from scipy.signal import lfilter  # noqa: PLC0415  (slow to import)

    share = period / (period + time)
    raw = np.diff(read, axis=0, prepend=before[None]) / period
    start = (1 - share) * speed[None]
    return np.asarray(lfilter([share], [1, share - 1], raw, axis=0, zi=start)[0])
