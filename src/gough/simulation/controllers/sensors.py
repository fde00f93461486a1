"""Sensors of a controller: encoders with resolution and noise, and speeds from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from gough.analysis.simulation_facts import SamplingFacts, SensorFacts
from gough.arrays import Array
from gough.checks import require_integer, require_not_negative, require_positive
from gough.equations.control.signals import Measurement, differenced_speed, encoder_reading
from gough.equations.solvers.runge_kutta import STEPS
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.memory import require_memory
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.transmission import as_row

NUMBER = 8  # bytes per number
MOST_SUBSTEPS = 10_000  # maximum steps in a period: stiffer plants need an integrator that adapts
LONGEST_DELAY = 100  # maximum delay [samples]; all commands that wait are part of the compiled loop


@dataclass(frozen=True)
class Sensors(SensorFacts):
    """Encoders. The default is a perfect one, with exact speeds."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None or name != "speed_filter":
                require_not_negative(f"sensors: {name}", value)

    def size(self, actuators: int) -> int:
        """Return the count of numbers kept from sample to sample: the last readings and speeds."""
        return 0 if self.speed_filter is None else 2 * actuators

    def start(self, plant: Plant, state: Array, period: float) -> Array:
        """Return the initial state, as if the actuators had moved steadily before."""
        if self.speed_filter is None:
            return np.zeros(0)
        n, loads = plant.actuators, plant.no_load
        exact = plant.measured_kernel(state, loads, *plant.own_parameters)
        q, q_dot = exact[..., :n], exact[..., n : 2 * n]
        return np.concatenate([q - period * q_dot, q_dot], axis=-1)

    def read(
        self, state: Value, exact: Measurement, noise: Value, period: float
    ) -> tuple[Measurement, Value]:
        """Return the measurement, with errors in positions and rates, and the next state."""
        reading = encoder_reading(exact.q, noise, self.resolution)
        if self.speed_filter is None:
            return replace(exact, q=reading), state
        last_reading, last_speed = ca.vertsplit(state, reading.shape[0])
        speed = differenced_speed(reading, last_reading, last_speed, period, self.speed_filter)
        return replace(exact, q=reading, q_dot=speed), ca.vertcat(reading, speed)

    def read_numbers(
        self, state: Array, exact: Array, noise: Array, period: float
    ) -> tuple[Array, Array]:
        """Return what `read` returns, for numbers: a measurement and a state, each one row."""
        read = self.read(ca.DM(state), Measurement.of(ca.DM(exact)), ca.DM(noise), period)
        return as_row(read[0].column()), as_row(read[1])

    def noise_samples(
        self, samples: int, runs: Sequence[int], actuators: int, seed: int
    ) -> Array | None:
        """Return noise [m, rad] (samples, runs, actuators) of runs by number; None if zero."""
        if not self.noise:
            return None
        found = normal_numbers(seed, samples, runs, actuators)
        found *= self.noise
        return found


def normal_numbers(seed: int, samples: int, runs: Sequence[int], size: int) -> Array:
    """Return normal numbers (samples, runs, size) by Philox and Box–Muller, as a GPU draws them.

    Each is a function of the seed, the sample, the run's number and its place alone, whichever runs
    there are: four places have one block of random bits.
    """
    blocks, found = -(-size // 4), np.empty((samples, len(runs), size))
    for k, run in enumerate(runs):
        source = np.random.Philox(key=seed % 2**128, counter=run << 64)
        bits = source.random_raw(samples * blocks * 4).reshape(samples, 2 * blocks, 2)
        shares = (bits >> np.uint64(11)).astype(float)
        radius = np.sqrt(-2 * np.log((shares[..., 0] + 1) * 2.0**-53))
        angle = 2 * np.pi * shares[..., 1] * 2.0**-53
        pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
        found[:, k] = pairs.reshape(samples, 4 * blocks)[:, :size]
    return found


PERFECT = Sensors()


@dataclass(frozen=True)
class Sampling(SamplingFacts):
    """Sampling of a controller: every `period` [s], its command `delay` samples later.

    `substeps` is the number of steps in a period, at most MOST_SUBSTEPS: those of the
    platform's pose and twist, or in `joint_space` of the driven joints' positions and speeds, with
    forward kinematics at each evaluation [Kalani 2016, Fig. 8]. They are those of RK4, or with
    `order` 6 of RK6, of seven evaluations instead of four: the quicker one where motions are smooth
    and errors are to be small.
    """

    period: float = 1e-3

    def __post_init__(self) -> None:
        require_positive("sampling period", self.period, "seconds")
        require_integer("substeps", self.substeps, most=MOST_SUBSTEPS)
        require_integer("delay", self.delay, least=0, most=LONGEST_DELAY)
        if not isinstance(self.joint_space, bool):
            raise GoughError(f"joint_space is {self.joint_space!r}; expected True or False")
        if self.order not in STEPS or (self.order != 4 and self.joint_space):
            raise GoughError(f"order is {self.order!r}; expected 4, or 6 in the pose")

    @property
    def step(self) -> float:
        """Step of RK4 or RK6 [s]."""
        return self.period / self.substeps

    def count(self, duration: float) -> float:
        """Return the number of samples in a duration [s], its two ends included."""
        return float(max(np.ceil(duration / self.period - 1e-9), 1.0) + 1)

    def times(self, duration: float, numbers: float = 1, runs: int = 1) -> Array:
        """Return the times of all samples [s], from zero to the duration or just beyond it.

        Refused if `numbers` values per sample, those of all runs, do not fit in memory.
        """
        length = require_positive("duration", duration, "seconds")
        samples = self.count(length)
        each = f"one each {self.period:g} s for {length:g} s, in {runs:,} run{'s' * (runs > 1)},"
        require_memory(NUMBER * samples * numbers, f"{samples:,.6g} samples, {each}")
        return np.asarray(self.period * np.arange(int(samples)), dtype=float)


ONE_KILOHERTZ = Sampling()
