"""What the encoders of a run read, with their resolution and noise, and speeds taken from it."""

from __future__ import annotations

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.control.sensing import encoder_reading
from gough.simulation.controllers.sensors import PERFECT
from gough.simulation.paths import Path
from gough.simulation.scenario import Scenario


def readings(scenario: Scenario, path: Path) -> tuple[Array, ...]:
    """Positions (T, n) [m, rad] as read at all samples, and speeds if they are taken from these.

    None of both where encoders are perfect: a run's own positions are what they read.
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
    """Differences of readings through a first-order low-pass, as the loop has them."""
    from scipy.signal import lfilter  # noqa: PLC0415  (slow to import)

    share = period / (period + time)
    raw = np.diff(read, axis=0, prepend=before[None]) / period
    start = (1 - share) * speed[None]
    return np.asarray(lfilter([share], [1, share - 1], raw, axis=0, zi=start)[0])
