"""Computation of a scenario: the plant's states and its commands at every sample.

The compiled loop is one call of machine code. A controller in Python, or an integrator that adapts
its steps, computes a sample at a time. With such an integrator, a controller that measures nothing
is a function of time alone, and needs no samples. A `Stepper` is a machine that is driven step by
step from Python: `reset`, then `step` with a command.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, on_host
from gough.checks import require_row
from gough.compiler import Argument, Kernel
from gough.compiler.device import Device
from gough.compiler.identity import UnidentifiedError, fingerprint
from gough.compiler.native.disk_kernels import kept_on_disk
from gough.errors import GoughError
from gough.progress import progress_bar
from gough.robot import Robot
from gough.simulation import integrators
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.events import stuck_joints
from gough.simulation.held_period import held_loads, held_period
from gough.simulation.plants.plant import Plant, measurement_of
from gough.simulation.run_batch import RunBatch, common
from gough.simulation.scenario import PythonController, Run

TITLE = "simulating"  # title of the progress bar


def with_paths(batch: RunBatch, device: Device = "cpu") -> RunBatch:
    """Return runs with their paths, computed at once where they have a compiled loop.

    On a GPU, if stated: a controller in Python and an adaptive integrator are refused there.
    """
    run, loop = batch.runs[0], batch.runs[0].loop
    alone = loop is None or run.integrator is not None
    if alone and device == "gpu":
        raise GoughError(
            f"{run.name}: a controller in Python, or an adaptive integrator, cannot be computed on "
            'a GPU; expected device "cpu"'
        )
    if loop is None or alone:
        return batch.along(*(values[None] for values in _alone(batch, run, loop)))
    loops = [run.loop for run in batch.runs if run.loop is not None]
    numbers = next(iter(batch.parameters), None)
    if numbers is not None:
        numbers = np.swapaxes(numbers, 0, 1) if batch.changes.any() else numbers[:, 0]
    begin, end = (_of_samples(common(run.acting[k] for run in batch.runs)) for k in (0, 1))
    with progress_bar(TITLE, len(batch.time) * len(batch.runs)) as advance:
        found = loop.run(
            np.array([one.start(*run.initial) for one, run in zip(loops, batch.runs, strict=True)]),
            _of_samples(batch.reference),
            wrench=(begin, end),
            noise=None if batch.noise is None else np.swapaxes(batch.noise, 0, 1),
            gains=np.array([one.gain_values for one in loops]),
            parameters=numbers,
            advance=advance,
            device=device,
        )
    of_plant = on_host(found.memory)[..., : run.plant.state.size], on_host(found.command)
    return batch.along(*(np.ascontiguousarray(np.swapaxes(x, 0, 1)) for x in of_plant))


def _alone(batch: RunBatch, run: Run, loop: ClosedLoop | None) -> tuple[Array, Array]:
    """Compute states and commands (T, n) of one run; they are NaN after it has failed."""
    integrator = run.integrator
    if loop is None or integrator is None:
        return _sampled(batch, run, run.controller)
    if not loop.controller.open_loop:
        return _sampled(batch, run, _as_function(run, loop))
    if run.sampling.delay:
        raise GoughError("delay: an open loop that is not sampled has none; expected 0")
    return _continuous(batch, run, loop, integrator)


def _of_samples(signals: Array) -> Array:
    """Return signals (N, T, n) as loops take them: (T, N, n), or (T, n) of all runs alike."""
    return signals[0] if len(signals) == 1 else np.swapaxes(signals, 0, 1)


def loop_of(run: Run) -> tuple[str, int] | None:
    """Return a key that is equal for runs of one compiled loop; None of those computed alone."""
    if run.loop is None or run.integrator is not None:
        return None
    try:
        return fingerprint(run.loop.without_values), len(run.time)
    except UnidentifiedError:  # a law that is anybody's function
        return None


def _sampled(batch: RunBatch, run: Run, controller: PythonController | Any) -> tuple[Array, Array]:
    """Compute a run sample by sample."""
    plant, sampling = run.plant, run.sampling
    how = (sampling.period, sampling.substeps, run.integrator)
    kind = partial(Stepper, joint_space=sampling.joint_space, order=sampling.order)
    stepper = kind(plant, *how, saturated=run.saturated)
    stepper.reset(*run.initial)
    waiting = deque([plant.holding(run.initial[0])] * sampling.delay)
    sensed = run.sensors.start(plant, run.initial_state, sampling.period)
    begins, ends = run.acting
    sizes = plant.state.size, plant.actuators
    states, commands = (np.full((len(run.time), n), np.nan) for n in sizes)
    rows = [np.broadcast_to(x[0], (len(run.time), x.shape[-1])) for x in batch.parameters]
    with progress_bar(TITLE, len(run.time)) as advance:
        for k, t in enumerate(run.time):
            states[k] = stepper.state
            varied = tuple(own[k] for own in rows)
            exact = plant.measured_kernel(stepper.state, begins[k], *varied)
            added = np.zeros(plant.actuators) if run.noise is None else run.noise[k, 0]
            measured, sensed = run.sensors.read_numbers(sensed, exact, added, sampling.period)
            returned = controller(float(t), measured, run.reference[k])
            waiting.append(_command(returned, t, plant.actuators))
            commands[k] = np.clip(waiting.popleft(), -stepper.limit, stepper.limit)
            if not np.isfinite(commands[k]).all():
                break
            numbers = next(iter(varied), None)
            stepper.step(commands[k], begins[k], wrench_next=ends[k], parameters=numbers)
            if not np.isfinite(stepper.state).all():
                break
            advance(1)
    return states, commands


def _control_kernel(loop: ClosedLoop, robot: Robot, period: float) -> Kernel[Any]:
    """Return the kernel of a loop's controller, one for all gains."""
    return _compiled_controller(loop.without_values.controller, robot, period, loop.limit)


@kept_on_disk(Kernel)
def _compiled_controller(
    controller: Controller, robot: Robot, period: float, limit: tuple[float, ...]
) -> Kernel[Any]:
    return Kernel(controller.function(robot, period, limit))


def _continuous(
    batch: RunBatch, run: Run, loop: ClosedLoop, integrator: integrators.Adaptive
) -> tuple[Array, Array]:
    """Compute a run without sampling, under a controller that uses the reference alone."""
    motion = run.motion
    kernel = _control_kernel(loop, run.own_robot, 0.0)
    unused = np.zeros(measurement_of(run.plant.actuators).size)
    bound = np.asarray(loop.limit, dtype=float)

    def command(t: ArrayLike) -> Array:
        reference = np.concatenate(motion(t), axis=-1)
        wanted, _ = kernel(np.zeros(1), unused, reference, loop.gain_values)
        return np.asarray(np.clip(wanted, -bound, bound))

    time, size = run.time, run.plant.state.size
    states = np.full((len(time), size), np.nan)
    jumps = {t for task in run.tasks for t in task.jumps_within(time[0], time[-1])}
    jumps |= {*motion.breaks, *(run.base.breaks if run.base else ())}
    states[0] = run.initial_state
    with progress_bar(TITLE, len(time)) as advance:
        rows, end = next((x[0] for x in batch.parameters), None), len(time) - 1
        changes = (k for k in (np.flatnonzero(batch.changes) + 1).tolist() if k < end)
        for first, last in pairwise([0, *changes, end]):  # in which the plant stays constant
            found = integrators.integrate(
                run.plant,
                states[first],
                time[first : last + 1],
                command,
                wrench=run.loads_at,
                parameters=None if rows is None else rows[min(first, len(rows) - 1)],
                integrator=integrator,
                events=stuck_joints(run.plant),
                breaks=jumps,
            )
            states[first : first + len(found.time)] = found.state
            if found.time[-1] < time[last]:
                break
            advance(last - first)
    return states, command(time)


def _command(returned: object, t: float, actuators: int) -> Array:
    """Return a controller's command: a number for each actuator, which may be NaN."""
    words, expected = "the controller returned", f"at t = {t:g} s; expected ({actuators},) numbers"
    try:
        command = np.asarray(returned, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(f"{words} {short(returned)} {expected}") from None
    if command.shape != (actuators,):
        raise GoughError(f"{words} shape {command.shape} {expected}")
    return command


def _as_function(run: Run, loop: ClosedLoop) -> PythonController:
    """Return a compiled controller as a function, which keeps its state from call to call."""
    kernel = _control_kernel(loop, run.own_robot, run.sampling.period)
    state = loop.controller.start(run.plant, *run.initial)

    def law(t: float, measurement: Array, reference: Array) -> Array:
        nonlocal state
        command, state = kernel(state, measurement, reference, loop.gain_values)
        return np.asarray(command)

    return law


class Stepper:
    """A plant, its state and its time. A step holds a command for a period [s]."""

    def __init__(
        self,
        plant: Plant,
        period: float = 1e-3,
        substeps: int = 1,
        integrator: integrators.Adaptive | None = None,
        *,
        saturated: bool = True,
        joint_space: bool = False,
        order: int = 4,
    ) -> None:
        """Integrate by fixed steps unless an integrator is given; if `saturated`, within limits."""
        sampling = Sampling(period, substeps, joint_space=joint_space, order=order)
        self.plant, self.period = plant, float(period)
        self.limit = np.array(plant.limit) if saturated else np.full(plant.actuators, np.inf)
        self._advance: Callable[..., Array] = (
            _fixed_period(plant, sampling)
            if integrator is None
            else _adaptive_period(plant, period, integrator)
        )
        self.reset()

    def reset(self, pose: ArrayLike | None = None, twist: ArrayLike | None = None) -> Array:
        """Go back to time zero, at the home pose and at rest unless stated; return the state."""
        self.state = self.plant.start(self.plant.robot.home if pose is None else pose, twist)
        self.plant.check_motion(self.state)
        self.steps = 0
        self._wrench, self._parameters = self.plant.no_load, self.plant.own_parameters
        return self.state

    def __repr__(self) -> str:
        return f"<gough stepper of {self.plant.robot.name}, at {self.time:g} s>"

    @property
    def time(self) -> float:
        """Time since the last reset [s]."""
        return self.steps * self.period

    @property
    def measurement(self) -> Array:
        """Exact measurement now: positions, rates, wrench, deflections, connector forces."""
        return np.asarray(self.plant.measured_kernel(self.state, self._wrench, *self._parameters))

    def step(
        self,
        command: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        wrench_next: ArrayLike | None = None,
        parameters: ArrayLike | None = None,
    ) -> Array:
        """Hold a command, within the limits, for a period; return the new state.

        The external wrench goes from `wrench`, or zero, to `wrench_next`, or stays; on a base that
        moves both are rows of the plant's `loads`. `parameters`
        are the plant's varied numbers, from now on.
        """
        n = self.plant.actuators
        expected = f"({n},), a finite number for each actuator"
        wanted = require_row("command", command, n, expected=expected)
        held = np.clip(wanted, -self.limit, self.limit)
        size, none = self.plant.loads.size, self.plant.no_load
        outside = none if wrench is None else require_row("wrench", wrench, size)
        later = outside if wrench_next is None else require_row("wrench_next", wrench_next, size)
        if parameters is not None:
            self._parameters = (require_row("parameters", parameters, len(self.plant.varied)),)
        self.state = self._advance(self.state, held, outside, later, *self._parameters)
        self.steps, self._wrench = self.steps + 1, later
        return self.state


def _adaptive_period(
    plant: Plant, period: float, integrator: integrators.Adaptive
) -> Callable[..., Array]:
    """Return the state after a period, NaN if the integrator failed."""
    stops = stuck_joints(plant)

    def advance(state: Array, command: Array, w_0: Array, w_1: Array, *p: Array) -> Array:
        found = integrators.integrate(
            plant,
            state,
            [0.0, period],
            command,
            wrench=lambda t: w_0 + (w_1 - w_0) * (t / period),
            parameters=next(iter(p), None),
            integrator=integrator,
            events=stops,
            least_share=integrators.LEAST_OF_A_PERIOD,
        )
        return found.state[-1] if found.time[-1] == period else np.full(len(state), np.nan)

    return advance


def _fixed_period(plant: Plant, sampling: Sampling) -> Kernel:
    inputs = [plant.state, plant.command, *held_loads(plant), *plant.parameters]
    required = [Argument(a.name, a.shape, a.unit, a.meaning) for a in inputs]
    return Kernel.from_equation("advance", held_period(plant, sampling), required, [plant.state])
