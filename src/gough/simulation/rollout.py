"""The run of a scenario as a function of arrays with derivatives, as kernels are, and its costs.

A cost along a motion, with its derivatives by memory and command:
J = mean (|x - x_r|^2 + a^2 (2 sin θ/2)^2) + w^2 mean |f_k - f_(k-1)|^2, of position errors, of
rotation errors θ at an arm a [m], and of changes of the command from sample to sample; a rotation
by θ of unit quaternions q and r has (2 sin θ/2)^2 = 4 (1 - (q·r)^2).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from reprlib import repr as short
from typing import Any, Self

import numpy as np

from gough.arrays import Array, is_on_gpu
from gough.checks import require_instance, require_not_negative
from gough.compiler import Kernel
from gough.compiler.device import Device, arrays_of
from gough.compiler.front.argument import Argument
from gough.compiler.native.argument_arrays import batch_shape, completed, fitted
from gough.display.brief import Brief
from gough.errors import GoughError, KernelArgumentError, clipped
from gough.kinematics.size import machine_size
from gough.simulation.closed_loop import ClosedLoop, Runs, kept_samples
from gough.simulation.gradient import gradient, require_derivatives
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
        raise GoughError(
            f"the plant varies {clipped(', '.join(run.plant.varied), 80)}, as where the payload "
            "changes on the way; expected a payload that stays, and a plant with its own numbers"
        )
    return run, run.loop


@dataclass(frozen=True, eq=False, repr=False)
class Rollout(Brief):
    """A run as a function of arrays, which broadcast: any axes may stand before those of a run.

    It is computed where its arrays are: with one on a GPU, on that.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    compute: Callable[..., tuple[Array, ...]]
    """Arrays in and out are (runs, n), or (samples, runs, n)."""
    defaults: Mapping[str, Array]
    adjoint: Any = None
    """Derivatives of a number by every input, from those by every output: another function."""
    start: Callable[[Array], Array] | None = None
    """Memory (n), or (runs, n), of machines with parameters, as they are held at the start."""

    @property
    def description(self) -> Self:
        """Itself: inputs and outputs are where those of kernels are."""
        return self

    def __call__(self, *taken: Any, **named: Any) -> tuple[Array, ...]:
        """Run all."""
        given = self.completed(taken, named)
        asarray = arrays_of(_device_of(given))
        arrays = [
            asarray(x if is_on_gpu(x) else fitted(self.name, a, x), dtype=float)
            for a, x in zip(self.inputs, given, strict=True)
        ]
        batch = batch_shape(self.name, self.inputs, arrays)
        shapes, runs = [a.shape for a in self.inputs], np.prod(batch, dtype=int)
        if not runs:
            return tuple(asarray(np.zeros(batch + a.shape)) for a in self.outputs)
        wide = (np.broadcast_to(x, batch + n) for n, x in zip(shapes, arrays, strict=True))
        rows = (x.reshape(runs, *n) for n, x in zip(shapes, wide, strict=True))
        found = self.compute(*(x.swapaxes(0, x.ndim - 2) for x in rows))
        ends = zip(self.outputs, found, strict=True)
        return tuple(x.swapaxes(0, x.ndim - 2).reshape(batch + a.shape) for a, x in ends)

    def completed(self, taken: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """All inputs, from those given by place, by name, and not at all."""
        given = {*[a.name for a in self.inputs][: len(taken)], *named, *self.defaults}
        if self.start and "memory" not in given:
            problem = f"{self.name}: memory that holds the machine follows from parameters"
            raise KernelArgumentError(f"{problem}; expected memory, such as start(parameters)")
        return completed(self.name, self.inputs, taken, named, self.defaults)


def rollout(scenario: Scenario, varied: Sequence[str] = ()) -> Rollout:
    """Return a scenario's run as a function (memory, reference, gains, parameters) of arrays.

    Memory before the first sample (n) begins with the plant's state; the reference is (samples,
    19); parameters are `varied` numbers of the plant such as "platform.mass", which the controller
    does not know. Those left out are the scenario's own, but memory has to be given where it
    follows from parameters, as currents, delayed commands and readings of lengths do: see
    `Rollout.start`. It gives memory and commands, (samples, n) and (samples, actuators), of the
    samples that are kept.
    """
    if isinstance(varied, str):
        raise GoughError(f"varied is {varied!r}; expected a list of names")
    run, loop = run_with_derivatives(scenario)
    plant, stored = replace(run.plant, varied=tuple(varied)), -(-len(run.time) // run.every)
    loop = require_derivatives(replace(loop, plant=plant))
    own = {"memory": loop.start(*run.initial), "reference": run.reference}
    own["gains"] = loop.gain_values
    own["parameters"] = (*plant.own_parameters, np.zeros(0))[0]

    def forwards(*arrays: Array) -> tuple[Array, ...]:
        given = run.signals | dict(zip(own, arrays, strict=True))
        found = loop.run(**given, every=run.every, device=_device_of(arrays))
        return found.memory, found.command

    def backwards(*arrays: Array) -> tuple[Array, ...]:
        def slopes(part: slice, runs: Runs) -> tuple[Array, Array]:
            of_part, at = kept_samples(part.start, part.stop, run.every)
            found = np.zeros_like(runs.memory), np.zeros_like(runs.command)
            for whole, kept in zip(found, arrays[-2:], strict=True):
                whole[of_part] = kept[at]
            return found

        given = run.signals | dict(zip(own, arrays, strict=False))
        every, device = run.every if run.every > 1 else None, _device_of(arrays)
        found = gradient(loop, slopes=slopes, every=every, device=device, **given)
        return found.memory, found.reference, found.gains, found.parameters

    inputs = tuple(Argument(name, x.shape) for name, x in own.items())
    sizes = {"memory": inputs[0].size, "command": plant.actuators}
    outputs = tuple(Argument(name, (stored, n)) for name, n in sizes.items())
    d = [tuple(replace(a, name=f"d_{a.name}") for a in some) for some in (inputs, outputs)]
    back = Rollout("rollout_adjoint", (*inputs, *d[1]), d[0], backwards, {})
    start = partial(loop.start, *run.initial)
    follows = _follows_from_parameters(start, own["parameters"])
    known = {name: x for name, x in own.items() if name != "memory" or not follows}
    return Rollout("rollout", inputs, outputs, forwards, known, back, start)


def _follows_from_parameters(start: Callable[[Array], Array], parameters: Array) -> bool:
    """Whether memory at the start depends on numbers: it is NaN where they are, or has none."""
    try:
        return bool(parameters.size and np.isnan(start(np.full_like(parameters, np.nan))).any())
    except GoughError:
        return True


def described(kernel: Any) -> Any:
    """Return the description of a kernel or a rollout; refuse others, which have no derivatives."""
    if not isinstance(kernel, Kernel | Rollout):
        expected = "a kernel of a model, such as model.jacobian, or a rollout"
        raise GoughError(f"no derivatives are known of {short(kernel)}; expected {expected}")
    return kernel.description


def _device_of(arrays: Sequence[Any]) -> Device:
    return "gpu" if any(map(is_on_gpu, arrays)) else "cpu"
