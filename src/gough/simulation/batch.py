"""Many runs of one machine side by side: other payloads, other gains, the same reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import GoughError
from gough.motion import Motion
from gough.robot import Robot
from gough.simulation.controller import Controller
from gough.simulation.endings import Ending, first_ending
from gough.simulation.loop import ONE_KILOHERTZ, ClosedLoop, Sampling
from gough.simulation.outcome import pose_errors
from gough.simulation.plant import rigid_plant
from gough.simulation.rows import constant
from gough.simulation.sensors import PERFECT, Sensors

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class BatchResults:
    """Runs side by side, at the samples that were kept. After a run's end its numbers are NaN."""

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
    """
    values = {name: np.atleast_1d(np.asarray(v, dtype=float)) for name, v in varied.items()}
    lengths = {len(v) for v in values.values()}
    if len(lengths) > 1 or any(v.ndim != 1 for v in values.values()):
        raise GoughError("varied numbers must be rows of one length, one number for each run")
    plant = rigid_plant(robot, tuple(values))
    parameters = np.stack(list(values.values()), axis=-1) if values else None
    loop = ClosedLoop(plant, controller, robot, sampling, sensors, saturated)
    own = controller.gain_values if gains is None else constant(loop.arguments["gains"], gains)
    runs = max([*lengths, len(own) if own.ndim == 2 else 1])
    time = sampling.times(float(motion.duration))
    samples = motion(time)
    reference = np.concatenate(samples, axis=-1)
    found = loop.run(
        loop.start(samples.pose[0], samples.twist[0]),
        reference,
        noise=sensors.noise_samples(len(time), runs, seed),
        gains=own,
        parameters=parameters,
        every=every,
    )
    states, force = found.memory[..., : plant.state.size], found.command
    kept = time[::every]
    endings = tuple(first_ending(plant, kept, states[:, k]) for k in range(states.shape[1]))
    for k, ending in enumerate(endings):
        if ending is not None:
            states[ending.samples :, k] = np.nan
            force[ending.samples :, k] = np.nan
    pose = states[..., :7]
    wanted = np.broadcast_to(samples.pose[::every, None], pose.shape)
    error = np.full((*pose.shape[:2], 6), np.nan)
    whole = np.isfinite(pose).all(axis=-1)
    error[whole] = pose_errors(wanted[whole], pose[whole])
    return BatchResults(kept, pose, states[..., 7:13], force, error, endings)
