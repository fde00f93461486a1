"""When a controller looks and acts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.memory import require_memory
from gough.simulation.arguments import positive, whole

NUMBER = 8
"""Bytes of a number."""
MOST_SUBSTEPS = 10_000
"""Of RK4 in a period: what needs more is stiff, and for an integrator that adapts."""
LONGEST_DELAY = 100
"""Samples; all commands that wait are part of the compiled loop."""


@dataclass(frozen=True)
class Sampling:
    """When a controller looks and acts: every `period` [s], its command `delay` samples later.

    `substeps` is how many steps of RK4 a period has, at most MOST_SUBSTEPS.
    """

    period: float = 1e-3
    substeps: int = 1
    delay: int = 0

    def __post_init__(self) -> None:
        positive("sampling period", self.period, "seconds")
        whole("substeps", self.substeps, most=MOST_SUBSTEPS)
        whole("delay", self.delay, least=0, most=LONGEST_DELAY)

    @property
    def step(self) -> float:
        """Of RK4 [s]."""
        return self.period / self.substeps

    def count(self, duration: float) -> float:
        """How many samples a duration [s] has, its two ends included."""
        return float(max(np.ceil(duration / self.period - 1e-9), 1.0) + 1)

    def times(self, duration: float, numbers: float = 1, runs: int = 1) -> Array:
        """The times of all samples [s], from zero to the duration or just beyond it.

        Refused if so many `numbers` of each sample, those of all runs, do not fit in memory.
        """
        length = positive("duration", duration, "seconds")
        samples = self.count(length)
        each = f"one each {self.period:g} s for {length:g} s, in {runs:,} run{'s' * (runs > 1)},"
        require_memory(NUMBER * samples * numbers, f"{samples:,.6g} samples, {each}")
        return np.asarray(self.period * np.arange(int(samples)), dtype=float)


ONE_KILOHERTZ = Sampling()
