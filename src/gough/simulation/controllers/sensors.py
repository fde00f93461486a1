"""How a controller sees the actuators: encoders with resolution and noise, speeds from them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.control.sensing import differenced_speed, encoder_reading
from gough.equations.control.signals import Measurement
from gough.equations.spatial.algebra import Value
from gough.simulation.arguments import not_negative, whole
from gough.simulation.plants.plant import Plant


@dataclass(frozen=True)
class Sensors:
    """Encoders. The default is a perfect one, with a perfect speedometer beside it."""

    resolution: float = 0.0
    """Step of the encoders [m, rad]; zero for none."""
    noise: float = 0.0
    """Standard deviation of what is added to each reading [m, rad]."""
    speed_filter: float | None = None
    """Speeds are differences of readings through a low-pass of this time constant [s]; zero for no
    filter. None: speeds are known exactly."""

    def __post_init__(self) -> None:
        for name in ("resolution", "noise", "speed_filter"):
            value = getattr(self, name)
            given = value is not None or name != "speed_filter"
            if given:
                not_negative(f"sensors: {name}", value)

    def size(self, actuators: int) -> int:
        """Numbers that are kept from sample to sample: the last readings and speeds."""
        return 0 if self.speed_filter is None else 2 * actuators

    def start(self, plant: Plant, state: Array, period: float) -> Array:
        """As if the actuators of a plant at a state had moved steadily before."""
        if self.speed_filter is None:
            return np.zeros(0)
        seen = plant.measured_kernel(state, np.zeros(6), *plant.own_parameters)
        q, q_dot = seen[..., : plant.actuators], seen[..., plant.actuators : 2 * plant.actuators]
        return np.concatenate([q - period * q_dot, q_dot], axis=-1)

    def read(
        self, state: Value, exact: Measurement, noise: Value, period: float
    ) -> tuple[Measurement, Value]:
        """What is measured, with errors in positions and rates, and the next state."""
        reading = encoder_reading(exact.q, noise, self.resolution)
        if self.speed_filter is None:
            return replace(exact, q=reading), state
        last_reading, last_speed = ca.vertsplit(state, reading.shape[0])
        speed = differenced_speed(reading, last_reading, last_speed, period, self.speed_filter)
        return replace(exact, q=reading, q_dot=speed), ca.vertcat(reading, speed)

    def read_numbers(
        self, state: Array, exact: Array, noise: Array, period: float
    ) -> tuple[Array, Array]:
        """The same as `read`, of numbers: a measurement and a state, each one row."""
        seen, kept = self.read(ca.DM(state), Measurement.of(ca.DM(exact)), ca.DM(noise), period)
        return _row(seen.column()), _row(kept)

    def noise_samples(self, samples: int, runs: int, actuators: int, seed: int) -> Array | None:
        """What to add to the readings [m, rad], (samples, runs, actuators); None without noise."""
        whole("seed", seed, least=0)
        if not self.noise:
            return None
        return self.noise * np.random.default_rng(seed).normal(size=(samples, runs, actuators))


def _row(column: Value) -> Array:
    return np.array(column, dtype=float).reshape(-1)


PERFECT = Sensors()
