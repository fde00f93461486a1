"""The volume or area of a workspace by even sampling, which knows nothing of rays or shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import qmc

from gough.kinematics.workspace.reach import ALL_LIMITS, margin_kernel
from gough.kinematics.workspace.workspace import workspace_chart


@dataclass(frozen=True)
class SampledVolume:
    """A volume or area, and its standard error from independent repetitions."""

    measure: float
    standard_error: float

    @property
    def volume(self) -> float:
        """The same, along three degrees of freedom."""
        return self.measure


def sampled_volume(
    model, pose=None, *, kind="position", limits=ALL_LIMITS, samples=2**20, repetitions=16
):
    """By the share of reachable ones among poses of scrambled Sobol sequences.

    Each repetition is an unbiased estimate of its own.
    """
    chart = workspace_chart(model, kind, pose, limits)
    kernel, d = margin_kernel(chart.robot, limits), len(chart.degrees_of_freedom)
    each = 2 ** int(np.log2(samples / repetitions))
    generators = np.random.default_rng(0).spawn(repetitions)
    cubes = (qmc.Sobol(d, bits=30, rng=rng).random(each) for rng in generators)
    shares = [(kernel(chart.draw(cube)) >= 0).all(-1).mean() for cube in cubes]
    error = np.std(shares, ddof=1) / np.sqrt(repetitions)
    low, high = chart.ranges if kind == "position" else (0, 0)
    total = np.prod(high - low) if kind == "position" else 8 * np.pi**2  # of all poses drawn
    return SampledVolume(total * np.mean(shares), total * error)
