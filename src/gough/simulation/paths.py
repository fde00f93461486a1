"""Computation of a scenario: the plant's states and its commands at every sample.

The compiled loop is one call of machine code. A controller in Python, or an integrator that adapts
its steps, computes a sample at a time. With such an integrator, a controller that measures nothing
is a function of time alone, and needs no samples.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from reprlib import repr as short
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.native.kernel import Kernel
from gough.errors import GoughError
from gough.motion import total_wrench
from gough.progress import progress_bar
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.events import stuck_joints
from gough.simulation.integrators import Adaptive, integrate
from gough.simulation.plants.plant import measurement_of
from gough.simulation.scenario import PythonController, Run
from gough.simulation.stepper import Stepper

TITLE = "simulating"
"""Title of the progress bar."""


class Path(NamedTuple):
    """States and commands of a run, NaN after it has failed."""

    states: Array
    """(T, n)"""
    commands: Array
    """(T, actuators), as they reach the actuators."""

    def part(self, which: slice) -> Path:
        """Return some of the samples."""
        return Path(self.states[which], self.commands[which])


def path_of(run: Run) -> Path:
    """Compute the path of a scenario, by its controller and its integrator."""
    loop, integrator = run.loop, run.integrator
    if loop is None:
        return _sampled(run, run.controller)
    if integrator is None:
        return _compiled(run, loop)
    if not loop.controller.open_loop:
        return _sampled(run, _as_function(run, loop))
    if run.sampling.delay:
        raise GoughError("delay: an open loop that is not sampled has none; expected 0")
    return _continuous(run, loop, integrator)


def _compiled(run: Run, loop: ClosedLoop) -> Path:
    """Compute one run of the compiled loop."""
    with progress_bar(TITLE, len(run.time)) as advance:
        found = loop.run(
            loop.start(*run.initial),
            run.reference,
            wrench=run.acting,
            noise=run.noise,
            parameters=run.parameters[0][:, None] if run.parameters else None,
            advance=advance,
        )
    return Path(found.memory[:, 0, : run.plant.state.size], found.command[:, 0])


def _sampled(run: Run, controller: PythonController | Any) -> Path:
    """Compute a run sample by sample."""
    plant, sampling = run.plant, run.sampling
    how = (sampling.period, sampling.substeps, run.integrator)
    stepper = Stepper(plant, *how, saturated=run.saturated)
    stepper.reset(*run.initial)
    waiting = deque([plant.holding(run.initial[0])] * sampling.delay)
    sensed = run.sensors.start(plant, run.initial_state, sampling.period)
    begins, ends = run.acting
    path = _unknown(run)
    with progress_bar(TITLE, len(run.time)) as advance:
        for k, t in enumerate(run.time):
            path.states[k] = stepper.state
            varied = tuple(rows[k] for rows in run.parameters)
            exact = plant.measured_kernel(stepper.state, begins[k], *varied)
            added = np.zeros(plant.actuators) if run.noise is None else run.noise[k, 0]
            measured, sensed = run.sensors.read_numbers(sensed, exact, added, sampling.period)
            returned = controller(float(t), measured, run.reference[k])
            waiting.append(_command(returned, t, plant.actuators))
            path.commands[k] = np.clip(waiting.popleft(), -stepper.limit, stepper.limit)
            if not np.isfinite(path.commands[k]).all():
                break
            numbers = next(iter(varied), None)
            stepper.step(path.commands[k], begins[k], wrench_next=ends[k], parameters=numbers)
            if not np.isfinite(stepper.state).all():
                break
            advance(1)
    return path


def _continuous(run: Run, loop: ClosedLoop, integrator: Adaptive) -> Path:
    """Compute a run without sampling, under a controller that uses the reference alone."""
    controller, motion = loop.controller, run.motion
    kernel = Kernel(controller.function(run.own_robot, 0.0, loop.limit))
    unused = np.zeros(measurement_of(run.plant.actuators).size)
    bound = np.asarray(loop.limit, dtype=float)

    def command(t: ArrayLike) -> Array:
        reference = np.concatenate(motion(t), axis=-1)
        wanted, _ = kernel(np.zeros(1), unused, reference, loop.gain_values)
        return np.asarray(np.clip(wanted, -bound, bound))

    jumps = {t for task in run.tasks for t in task.jumps} | set(motion.breaks)
    time, states = run.time, _unknown(run).states
    states[0] = run.initial_state
    with progress_bar(TITLE, len(time)) as advance:
        for first, last in _stretches(run):
            rows = next(iter(run.parameters), None)
            found = integrate(
                run.plant,
                states[first],
                time[first : last + 1],
                command,
                wrench=lambda t: total_wrench(run.tasks, t, motion(t)),
                parameters=None if rows is None else rows[first],
                integrator=integrator,
                events=stuck_joints(run.plant),
                breaks=jumps,
            )
            states[first : first + len(found.time)] = found.state
            if found.time[-1] < time[last]:
                break
            advance(last - first)
    return Path(states, command(time))


def _unknown(run: Run) -> Path:
    samples, plant = len(run.time), run.plant
    sizes = plant.state.size, plant.actuators
    return Path(*(np.full((samples, size), np.nan) for size in sizes))


def _stretches(run: Run) -> list[tuple[int, int]]:
    """Return the ranges of samples in which the plant stays constant."""
    last = len(run.time) - 1
    changes = (np.flatnonzero(run.changes) + 1).tolist()
    return list(pairwise([0, *(k for k in changes if k < last), last]))


def _command(returned: object, t: float, actuators: int) -> Array:
    """Return a controller's command: a number for each actuator, which may be NaN."""
    try:
        command = np.asarray(returned, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(
            f"the controller returned {short(returned)} at t = {t:g} s; expected {actuators} "
            "numbers"
        ) from None
    if command.shape != (actuators,):
        raise GoughError(
            f"the controller returned shape {command.shape} at t = {t:g} s; expected ({actuators},)"
        )
    return command


def _as_function(run: Run, loop: ClosedLoop) -> PythonController:
    """Return a compiled controller as a function that keeps its state from call to call."""
    controller = loop.controller
    kernel = Kernel(controller.function(run.own_robot, run.sampling.period, loop.limit))
    state = controller.start(run.plant, *run.initial)

    def law(t: float, measurement: Array, reference: Array) -> Array:
        nonlocal state
        command, state = kernel(state, measurement, reference, loop.gain_values)
        return np.asarray(command)

    return law
