"""A cost of runs along a motion, with its derivatives by memory and command.

J = mean (|x - x_r|^2 + a^2 (2 sin θ/2)^2) + w^2 mean |f_k - f_(k-1)|^2, of position errors, of
rotation errors θ at an arm a [m], and of changes of the command from sample to sample; a rotation
by θ of unit quaternions q and r has (2 sin θ/2)^2 = 4 (1 - (q·r)^2).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from gough.arrays import Array
from gough.checks import require_instance, require_not_negative
from gough.errors import GoughError
from gough.kinematics.size import machine_size
from gough.simulation.closed_loop import ClosedLoop, Runs
from gough.simulation.scenario import Run, Scenario

_ARM = 0.5
"""Default arm, as a part of the machine's size."""


@dataclass(frozen=True, eq=False)
class TrackingCost:
    """The cost of runs that follow a reference."""

    reference: Array
    """(samples, 19)"""
    arm: float
    """Distance at which rotation errors count as position errors [m]."""
    smoothness: float = 0.0
    """Weight of changes of the command from sample to sample [m/N, m/(N m), m/V]."""

    @classmethod
    def of(cls, run: Run, arm: float | None, smoothness: float) -> Self:
        """Return the cost of a run; the arm is by default half the machine's size."""
        length = _ARM * machine_size(run.own_robot) if arm is None else arm
        weight = require_not_negative("smoothness", smoothness)
        return cls(run.reference, require_not_negative("arm", length), weight)

    def values(self, runs: Runs) -> Array:
        """(runs) [m^2]; infinite where a run diverged."""
        position, cosine = self._errors(runs)
        errors = (position**2).sum(axis=-1) + 4 * self.arm**2 * (1 - cosine**2)
        changes = (np.diff(runs.command, axis=0) ** 2).sum(axis=(0, 2)) / len(runs.command)
        found = errors.sum(axis=0) / len(errors) + self.smoothness**2 * changes
        return np.where(np.isfinite(found), found, np.inf)

    def slopes(self, _: slice, runs: Runs) -> tuple[Array, Array]:
        """Derivatives by memory and command, at all samples."""
        position, cosine = self._errors(runs)
        by_memory = np.zeros_like(runs.memory)
        by_memory[..., :3] = 2 * position
        by_memory[..., 3:7] = -8 * self.arm**2 * cosine[..., None] * self.reference[:, None, 3:7]
        steps = np.zeros((len(runs.command) + 1, *runs.command.shape[1:]))
        steps[1:-1] = np.diff(runs.command, axis=0)
        by_command = 2 * self.smoothness**2 * -np.diff(steps, axis=0)
        return by_memory / len(by_memory), by_command / len(by_command)

    def _errors(self, runs: Runs) -> tuple[Array, Array]:
        """Position errors (samples, runs, 3) [m], and the cosines of half the rotations."""
        at = np.asarray(self.reference, like=runs.memory)[:, None]
        cosine = (runs.memory[..., 3:7] * at[..., 3:7]).sum(axis=-1)
        return runs.memory[..., :3] - at[..., :3], cosine


class EffortCost:
    """Mean square of the actuators' commands."""

    def values(self, runs: Runs) -> Array:
        """(runs) [N^2, (N m)^2, V^2]; infinite where a run diverged."""
        found = (runs.command**2).sum(axis=(0, 2)) / _of_a_run(runs)
        return np.where(np.isfinite(found), found, np.inf)

    def slopes(self, _: slice, runs: Runs) -> tuple[Array, Array]:
        """Derivatives by memory and command, at all samples."""
        return np.zeros_like(runs.memory), 2 * runs.command / _of_a_run(runs)


def _of_a_run(runs: Runs) -> int:
    """Number of commands of a run."""
    samples, _, actuators = runs.command.shape
    return int(samples * actuators)


def run_with_derivatives(scenario: Scenario) -> tuple[Run, ClosedLoop]:
    """Return the run of a scenario, and its loop; refuse one that has no derivatives."""
    require_instance("scenario", scenario, Scenario)
    if scenario.integrator is not None:
        raise GoughError(
            f"{scenario.integrator.method} adapts its steps, of which runs have no derivatives; "
            "expected RK4 or RK6"
        )
    run = Run.of(scenario)
    if run.loop is None:
        raise GoughError("a controller in Python has no derivatives; expected one of Gough's")
    if run.plant.varied:
        raise GoughError("the payload changes on the way; expected one that stays")
    return run, run.loop
