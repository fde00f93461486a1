"""Energy along a run: what is stored changes by what is put in, less what is lost.

Where it does not, the numbers are of another machine than before, such as of joints that took
another branch, or steps were too large.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.simulation.paths import Path
from gough.simulation.plants.rigid import RigidPlant
from gough.simulation.scenario import Scenario

SHARE = 0.05
"""Of the energy of a run: what may be missing."""
_APART = 1e-3
"""Of the time between samples: how far apart states are of which power is the difference."""


def energy_warnings(scenario: Scenario, path: Path) -> list[str]:
    """Warn where the stored energy [J] first changes by more or less than work explains.

    Of a rigid plant that is the work of actuators and tasks since the start. Others have losses as
    well: of each step, power at both ends times its time, three times over.
    """
    if len(scenario.time) < 2:
        return []
    force, speed, energies, *_ = _shown(scenario, path.states, path)
    stored, kinetic = energies.sum(axis=-1), energies[:, 0]
    step, changed = np.diff(scenario.time), _changed(scenario)
    if isinstance(scenario.plant, RigidPlant):
        loads = (scenario.wrench * path.states[:, 7:13]).sum(axis=-1)
        put_in = (force[:-1] * (speed[1:] + speed[:-1])).sum(axis=-1) + loads[1:] + loads[:-1]
        missing = np.cumsum(np.where(changed, 0.0, np.diff(stored) - step * put_in / 2))
        slack = np.zeros_like(missing)
    else:
        power = _power(scenario, path, _APART * float(step.min()))
        missing = np.where(changed, 0.0, np.diff(stored) - step * (power[1:] + power[:-1]) / 2)
        slack = 3 * step * np.maximum(np.abs(power[1:]), np.abs(power[:-1]))
    scale = np.median(kinetic) + np.quantile(np.abs(stored - stored[0]), 0.9)
    bad = np.abs(missing) > SHARE * scale + slack
    if not bad.any():
        return []
    k = int(np.argmax(bad))
    return [
        f"the stored energy leaps by {missing[k]:.3g} J against the work done, at "
        f"t = {scenario.time[k + 1]:.6g} s: from there the joints are on another branch, or the "
        "steps are too large"
    ]


def _shown(scenario: Scenario, states: Array, path: Path) -> tuple[Array, ...]:
    given = (path.commands, scenario.wrench, *scenario.parameters)
    found: tuple[Array, ...] = scenario.plant.shown_kernel(states, *given)
    return found


def _power(scenario: Scenario, path: Path, apart: float) -> Array:
    """(T,) rate [W] of the stored energy along what the plant does at each sample."""
    given = (path.commands, scenario.wrench, *scenario.parameters)
    step = apart * scenario.plant.rate_kernel(path.states, *given)
    before, after = (
        _shown(scenario, path.states + sign * step, path)[2].sum(axis=-1) for sign in (-1, 1)
    )
    return np.asarray((after - before) / (2 * apart))


def _changed(scenario: Scenario) -> Array:
    """(T - 1,) whether the plant is another one after a step, as where a payload is picked up."""
    steps = len(scenario.time) - 1
    rows = [(r[1:] != r[:-1]).any(axis=-1) for r in scenario.parameters if len(r) == steps + 1]
    return np.any(rows, axis=0) if rows else np.zeros(steps, dtype=bool)
