"""Simulation of a machine that follows a motion under a controller, as labelled results."""

from __future__ import annotations

from dataclasses import asdict

import casadi as ca
import numpy as np

from gough.analysis.results import Results
from gough.analysis.simulation_facts import RUN
from gough.arrays import Array
from gough.checks import require_instance
from gough.equations.control.signals import encoder_reading
from gough.errors import GoughError
from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.sensors import PERFECT
from gough.simulation.events import command_limit, first_ending
from gough.simulation.paths import Path, path_of
from gough.simulation.results import at_limit, energy_warnings, results_of
from gough.simulation.scenario import Run, Scenario
from gough.simulation.start import (
    check_first_step,
    check_start,
    check_steps_on_the_way,
    warnings_before,
)


def simulate(scenario: Scenario) -> Results:
    """Simulate a controller that follows a motion, from its beginning or from another start.

    A run ends early where it diverges, crosses a singular configuration or exceeds a range: the
    results until then are kept, and `warnings` gives the reason. A controller that crosses on
    purpose goes on.
    """
    require_instance("scenario", scenario, Scenario)
    run, every = Run.of(scenario), int(scenario.every)
    check_start(run.plant, run.initial)
    _ = run.loop  # a controller that does not fit the plant is refused
    if run.integrator is None:
        check_first_step(run)
    warnings = warnings_before(run)
    path = path_of(run)
    crosses = isinstance(run.controller, Controller) and run.controller.crosses
    ending = first_ending(run.plant, run.time, *path, crosses=crosses)
    end = len(run.time) if ending is None else ending.samples
    done = run.part(slice(end)), path.part(slice(end))
    if run.integrator is None:
        check_steps_on_the_way(*done)
    if end <= every:
        what = ending.text if ending else "nothing was computed"
        raise GoughError("; ".join([f"{run.name}: {what}", *warnings]))
    if ending:
        warnings.insert(0, ending.text)
    warnings += _saturation(*done) + energy_warnings(*done)
    if every > 1:
        warnings.append(
            f"one of every {every} samples is kept: peaks, margins and limits between them are not "
            "seen"
        )
    kept = slice(0, end, every)
    return results_of(
        run.part(kept),
        path.part(kept),
        readings=tuple(values[kept] for values in readings(*done)),
        warnings=warnings,
        study={
            "name": run.name,
            "robot": run.own_robot.to_dict(),
            "motion": {"description": repr(scenario.motion)},
            "tasks": [{"description": repr(task)} for task in run.tasks],
            RUN: run.described() | {"ended": asdict(ending) if ending else {"kind": "completed"}},
        },
    )


def _saturation(run: Run, path: Path) -> list[str]:
    if not run.saturated:
        return []
    margin = command_limit(run.plant).margin(run.time, *path)
    return at_limit(run.plant, "command", run.time, margin <= 0)


def readings(run: Run, path: Path) -> tuple[Array, ...]:
    """Return positions (T, n) [m, rad] as read at all samples, and speeds if derived from these.

    Empty where encoders are perfect: they read a run's own positions.
    """
    plant, sensors = run.plant, run.sensors
    if sensors == PERFECT:
        return ()
    n, period = plant.actuators, run.sampling.period
    exact = plant.measured_kernel(path.states, run.wrench, *run.parameters)[:, :n]
    noise = np.zeros_like(exact) if run.noise is None else run.noise[:, 0]
    read = np.array(encoder_reading(ca.DM(exact), ca.DM(noise), sensors.resolution))
    if sensors.speed_filter is None:
        return (read,)
    before, speed = np.split(sensors.start(plant, run.initial_state, period), 2)
    return read, _filtered(read, before, speed, period, sensors.speed_filter)


def _filtered(read: Array, before: Array, speed: Array, period: float, time: float) -> Array:
    """Return differences of readings through a first-order low-pass, as in the loop."""
    from scipy.signal import lfilter  # noqa: PLC0415  (slow to import)

    share = period / (period + time)
    raw = np.diff(read, axis=0, prepend=before[None]) / period
    start = (1 - share) * speed[None]
    return np.asarray(lfilter([share], [1, share - 1], raw, axis=0, zi=start)[0])
