"""Many runs of one machine side by side: other payloads, other gains, the same reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any

import numpy as np

from gough.errors import GoughError, RobotError
from gough.motion import Motion
from gough.parameters import layout, parameters_of
from gough.robot import Robot
from gough.robot.inertia import physical
from gough.simulation.beginning import check_start
from gough.simulation.checks import instance, whole
from gough.simulation.controller import Controller
from gough.simulation.endings import Ending, first_ending
from gough.simulation.loop import COPIES, ONE_KILOHERTZ, ClosedLoop, Sampling
from gough.simulation.outcome import pose_errors
from gough.simulation.plant import rigid_plant
from gough.simulation.rows import constant
from gough.simulation.sensors import PERFECT, Sensors

Array = np.ndarray[Any, np.dtype[np.float64]]


INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
OF_A_SAMPLE, OF_A_KEPT_SAMPLE = 60, 60
"""Numbers in memory at once: of the motion at each sample; of each run at each that is kept."""


@dataclass(frozen=True)
class BatchResults:
    """Runs side by side, at the samples that were kept. After a run's end its numbers are NaN.

    What happens between the samples that were kept is not seen, neither a peak nor an ending.
    """

    time: Array
    """(T,) [s]"""
    pose: Array
    """(T, runs, 7)"""
    twist: Array
    """(T, runs, 6)"""
    force: Array
    """(T, runs, 6) [N]"""
    pose_error: Array
    """(T, runs, 6) [m, rad]: wanted less reached."""
    endings: tuple[Ending | None, ...]
    """Why each run ended before its time; None if it did not."""


def simulate_batch(
    robot: Robot,
    motion: Motion,
    controller: Controller,
    varied: Mapping[str, Any],
    *,
    sampling: Sampling = ONE_KILOHERTZ,
    sensors: Sensors = PERFECT,
    saturated: bool = True,
    gains: Any = None,
    every: int = 10,
    seed: int = 0,
) -> BatchResults:
    """Simulate a machine with rigid legs as many times as there are values.

    `varied` gives numbers of the plant by name, one for each run, such as
    `{"platform.mass": masses}`; the controller knows the robot as it is. `gains` (runs, k) are
    those of the controller, in the order of its function; a row (k) is for all runs.

    Of `every` so many samples one is kept, to save memory. Peaks between them are not seen, and a
    run that leaves a stroke or diverges between them is found out at the next one: 1 keeps all.
    """
    instance("varied", varied, Mapping)
    values = {name: _numbers(name, given) for name, given in varied.items()}
    lengths = {len(v) for v in values.values()}
    if len(lengths) > 1:
        raise GoughError("varied numbers must be rows of one length, one number for each run")
    plant = rigid_plant(robot, tuple(values))
    _check_bodies(robot, values)
    parameters = np.stack(list(values.values()), axis=-1) if values else None
    loop = ClosedLoop(plant, controller, robot, sampling, sensors, saturated)
    own = controller.gain_values if gains is None else constant(loop.arguments["gains"], gains)
    if not np.isfinite(own).all():
        raise GoughError("gains are not all finite; expected a number for each gain of each run")
    runs = max([*lengths, len(own) if own.ndim == 2 else 1])
    columns = COPIES * len(loop.start(robot.home)) + OF_A_KEPT_SAMPLE
    numbers = OF_A_SAMPLE + runs * (6 * bool(sensors.noise) + columns / whole("every", every))
    time = sampling.times(float(motion.duration), numbers, runs)
    samples = motion(time)
    reference = np.concatenate(samples, axis=-1)
    start = loop.start(samples.pose[0], samples.twist[0])
    check_start(plant, start[: plant.state.size])
    found = loop.run(
        start,
        reference,
        noise=sensors.noise_samples(len(time), runs, seed),
        gains=own,
        parameters=parameters,
        every=every,
    )
    states, force = found.memory[..., : plant.state.size], found.command
    kept = time[::every]
    endings = tuple(
        first_ending(plant, kept, states[:, k], force[:, k]) for k in range(states.shape[1])
    )
    for k, ending in enumerate(endings):
        if ending is not None:
            states[ending.samples :, k] = np.nan
            force[ending.samples :, k] = np.nan
    pose = states[..., :7]
    wanted = np.broadcast_to(samples.pose[::every, None], pose.shape)
    error = np.full((*pose.shape[:2], 6), np.nan)
    known = np.isfinite(pose).all(axis=-1)
    error[known] = pose_errors(wanted[known], pose[known])
    return BatchResults(kept, pose, states[..., 7:13], force, error, endings)


def _numbers(name: str, given: Any) -> Array:
    """A finite number for each run."""
    try:
        numbers = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError):
        raise GoughError(f"{name} is {short(given)}; expected a number for each run") from None
    if numbers.ndim != 1 or not len(numbers):
        raise GoughError(
            f"{name} has shape {numbers.shape}; varied numbers must be rows of one length, one "
            "number for each run"
        )
    if not np.isfinite(numbers).all():
        run = int(np.argmin(np.isfinite(numbers)))
        raise GoughError(f"{name} is {numbers[run]} in run {run}; expected a finite number")
    return numbers


def _check_bodies(robot: Robot, values: Mapping[str, Array]) -> None:
    """Refuse masses and inertias that no body has, as a robot's file would."""
    for name, numbers in values.items():
        if name.endswith(".mass") and (numbers < 0).any():
            run = int(np.argmax(numbers < 0))
            raise GoughError(f"{name} is {numbers[run]:g} kg in run {run}; expected 0 or more")
    own = dict(zip(layout(robot), parameters_of(robot), strict=True))
    for body in sorted({name.rpartition(".")[0] for name in values if ".inertia." in name}):
        moments = [values.get(f"{body}.{k}", own[f"{body}.{k}"]) for k in INERTIA]
        rows = np.stack(np.broadcast_arrays(*moments), axis=-1).reshape(-1, len(INERTIA)).tolist()
        for run, (xx, yy, zz, xy, xz, yz) in enumerate(rows):
            try:
                physical(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), rows[run])
            except RobotError as error:
                raise GoughError(f"{body} in run {run}: {error}") from None
