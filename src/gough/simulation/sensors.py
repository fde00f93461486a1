"""How a controller sees the legs: encoders with a resolution and noise, speeds from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gough.equations.control.sensing import differenced_speed, encoder_reading
from gough.errors import GoughError

Array = np.ndarray[Any, np.dtype[np.float64]]
Value = Any


@dataclass(frozen=True)
class Sensors:
    """Encoders on the legs. The default is a perfect one, with a perfect speedometer beside it."""

    resolution: float = 0.0
    """Step of the encoders [m]; zero for none."""
    noise: float = 0.0
    """Standard deviation of what is added to each reading [m]."""
    speed_filter: float | None = None
    """Speeds are differences of readings through a low-pass of this time constant [s]; zero for no
    filter. None: speeds are known exactly."""

    def __post_init__(self) -> None:
        for name in ("resolution", "noise", "speed_filter"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < np.inf:
                raise GoughError(f"sensors: {name} is {value!r}; expected a number, not negative")

    @property
    def size(self) -> int:
        """Numbers that are kept from sample to sample."""
        return 0 if self.speed_filter is None else 12

    def start(self, q: Array, q_dot: Array, period: float) -> Array:
        """As if the legs had moved steadily before."""
        return (
            np.zeros(0)
            if self.speed_filter is None
            else np.concatenate([q - period * q_dot, q_dot])
        )

    def read(
        self, state: Value, q: Value, q_dot: Value, noise: Value, period: float
    ) -> tuple[Value, Value, Value]:
        """Lengths and rates as measured, and the next state."""
        reading = encoder_reading(q, noise, self.resolution)
        if self.speed_filter is None:
            return reading, q_dot, state
        speed = differenced_speed(reading, state[0:6], state[6:12], period, self.speed_filter)
        return reading, speed, ca.vertcat(reading, speed)

    def read_numbers(
        self, state: Array, q: Array, q_dot: Array, noise: Array, period: float
    ) -> tuple[Array, Array, Array]:
        """The same as `read`, of numbers."""
        found = self.read(ca.DM(state), ca.DM(q), ca.DM(q_dot), ca.DM(noise), period)
        q_read, speed, kept = (np.array(x, dtype=float).reshape(-1) for x in found)
        return q_read, speed, kept

    def noise_samples(self, samples: int, runs: int, seed: int) -> Array | None:
        """What to add to the readings [m], (samples, runs, 6); None without noise."""
        if not self.noise:
            return None
        return self.noise * np.random.default_rng(seed).normal(size=(samples, runs, 6))


PERFECT = Sensors()
