"""Derivatives of closed loops through time: along one direction, or by all that runs are given.

A number that depends on states and commands of a run has a derivative by everything that the run
was given, and one run backwards gives all of them. From the last sample to the first, the adjoint
of the loop's function carries the derivative by the memory, and sums those by gains and parameters.
It needs the states on the way: they are kept, or one of `every`, from which those between are
computed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_integer
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.disk_kernels import kept_on_disk
from gough.compiler.native.recurrence import Recurrence
from gough.display.brief import Brief
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError, InputError
from gough.memory import require_memory
from gough.simulation.closed_loop import ClosedLoop, Runs, batched, constant
from gough.simulation.controllers.sensors import NUMBER

Slopes = Callable[[slice, Runs], tuple[ArrayLike, ArrayLike]]
"""From some samples, and memory and command there, to the derivatives of the number by them."""

_SUMMED = ("gains", "parameters")
COPIES = 2
"""Copies of all signals in memory, as given and in order."""
MOST_UNROLLED = 50
"""Maximum number of steps in a period of a run with derivatives."""


@dataclass(frozen=True, repr=False)
class Gradient(Brief):
    """Derivatives of a number by what runs were given, for each run."""

    memory: Array
    """(runs, n), by the memory before the first sample: its first numbers are the plant's state."""
    reference: Array
    """(samples, runs, 19), by pose, twist and acceleration to follow."""
    gains: Array
    """(runs, k)"""
    parameters: Array
    """(runs, v), by the varied numbers of the plant; v is zero without any."""


def gradient(
    loop: ClosedLoop,
    memory: ArrayLike,
    reference: ArrayLike,
    slopes: Slopes,
    *,
    gains: ArrayLike | None = None,
    parameters: ArrayLike | None = None,
    noise: Array | None = None,
    wrench: tuple[Array, Array] | None = None,
    every: int | None = None,
) -> Gradient:
    """Return the derivatives of a number by start, reference, gains and parameters of runs.

    Runs are those of `loop.run` from a memory (n) or (runs, n), without disturbance; `wrench`
    is as there. `slopes(samples, runs)` is called with a part of the samples, and memory and
    commands there, from the last part to the first; it returns the derivatives of the number by
    both. All samples are one part, unless one of `every` is kept in memory, and those between
    computed anew: parts are so long then.
    """
    given = _Given.of(loop, reference, gains, parameters, noise, wrench)
    samples, arguments = len(given.reference), loop.arguments
    length = samples if every is None else require_integer("every", every)
    kept = given.run(memory, slice(0, samples), 1 if every is None else length)
    runs = kept.memory.shape[1]
    backwards = _adjoint(loop.without_values, 1 if runs == 1 else None)
    carried = {"d_next_memory": np.zeros((runs, arguments["memory"].size))}
    carried |= {f"sum_{name}": np.zeros((runs, arguments[name].size)) for name in given.constants}
    by_reference = np.empty((samples, runs, arguments["reference"].size))
    for k in reversed(range(-(-samples // length))):
        part = slice(k * length, min((k + 1) * length, samples))
        here = kept if every is None else given.run(kept.memory[k], part)
        d_memory, d_command = _checked(slopes(part, here), here)
        signals = given.signals(part, here) | {"d_kept_memory": d_memory, "d_command": d_command}
        wide = _wide(signals, d_memory.shape[:2])
        found, carried = backwards.with_last({k: x[::-1] for k, x in wide.items()} | carried)
        by_reference[part] = found["d_reference"][::-1]
    sums = {name: carried.get(f"sum_{name}", np.zeros((runs, 0))) for name in _SUMMED}
    return Gradient(carried["d_next_memory"], by_reference, **sums)


def sensitivity(
    loop: ClosedLoop,
    memory: ArrayLike,
    reference: ArrayLike,
    changes: Mapping[str, ArrayLike],
    *,
    gains: ArrayLike | None = None,
    parameters: ArrayLike | None = None,
    noise: Array | None = None,
    wrench: tuple[Array, Array] | None = None,
) -> Runs:
    """Return the derivatives of memory and command, at each sample, along changes of what is given.

    Runs are those of `gradient`. `changes` has directions by name: memory (n) or (runs, n),
    reference (samples, 19) or (samples, runs, 19), gains and parameters as these are.
    """
    given = _Given.of(loop, reference, gains, parameters, noise, wrench)
    known = ("memory", "reference", *given.constants)
    for name in changes:
        if name not in known:
            raise InputError("unknown", key="changes", value=name, expected=", ".join(known))
    whole = slice(0, len(given.reference))
    kept = given.run(memory, whole)
    extent = kept.memory.shape[:2]
    directions = {name: np.zeros(a.shape) for name, a in loop.arguments.items()}
    for name, x in changes.items():
        forms = [("samples",), ("samples", "runs")] if name == "reference" else [(), ("runs",)]
        directions[name] = batched(loop.arguments[name], x, *forms)
    named = {f"d_{name}": x for name, x in directions.items()}
    inputs = _wide(given.signals(whole, kept) | named, extent)
    inputs["d_memory"] = inputs["d_memory"][0]
    forwards = _tangent(loop.without_values, 1 if extent[1] == 1 else None)
    found = forwards(inputs)
    return Runs(found["d_kept_memory"], found["d_command"])


@dataclass(frozen=True, eq=False)
class _Given:
    """Inputs of runs: a reference, constants of runs, and noise."""

    loop: ClosedLoop
    reference: Array
    """(samples, 19) or (samples, runs, 19)"""
    constants: dict[str, Array]
    """Gains and parameters, (n) or (1, runs, n)."""
    noise: Array | None
    wrench: tuple[Array, Array]
    """External inputs of the plant at both ends of each period, (samples, runs or 1, n)."""

    @classmethod
    def of(
        cls,
        loop: ClosedLoop,
        reference: ArrayLike,
        gains: ArrayLike | None,
        parameters: ArrayLike | None,
        noise: Array | None,
        wrench: tuple[Array, Array] | None,
    ) -> _Given:
        arguments = require_derivatives(loop).arguments
        given = {"gains": loop.gain_values if gains is None else gains}
        if loop.plant.varied:
            if parameters is None:
                raise GoughError(f"no parameters; expected {', '.join(loop.plant.varied)}")
            given["parameters"] = parameters
        constants = {name: constant(arguments[name], x) for name, x in given.items()}
        forms = (), ("samples",), ("samples", "runs")
        drawn = None if noise is None else batched(arguments["noise"], noise, *forms)
        along = np.asarray(reference, dtype=float)
        full = (), (len(along),), (len(along), "runs")
        ends = (batched(arguments["wrench"], x, *full) for x in wrench or (loop.plant.no_load,) * 2)
        rows = len(along), 1, 1
        begin, end = (np.broadcast_to(x, np.broadcast_shapes(x.shape, rows)) for x in ends)
        return cls(loop, along, constants, drawn, (begin, end))

    def run(self, start: ArrayLike, part: slice, every: int = 1) -> Runs:
        """Run a part of the samples."""
        noise = self.noise[part] if self.noise is not None and self.noise.ndim == 3 else self.noise
        numbers = {name: x[0] if x.ndim == 3 else x for name, x in self.constants.items()}
        return self.loop.run(
            np.asarray(start),
            self.reference[part],
            wrench=(self.wrench[0][part], self.wrench[1][part]),
            noise=noise,
            gains=numbers["gains"],
            parameters=numbers.get("parameters"),
            every=every,
        )

    def signals(self, part: slice, runs: Runs) -> dict[str, Array]:
        """Return all inputs of the loop's function at a part of the samples."""
        along = self.reference[part]
        signals = {name: np.zeros(a.shape) for name, a in self.loop.arguments.items()}
        pair = zip(("wrench", "wrench_next"), self.wrench, strict=True)
        signals |= {name: rows[part] for name, rows in pair}
        signals |= self.constants | {"memory": runs.memory}
        signals["reference"] = along if along.ndim == 3 else along[:, None]
        if self.noise is not None:
            signals["noise"] = self.noise[part] if self.noise.ndim == 3 else self.noise
        return signals


def require_derivatives(loop: ClosedLoop) -> ClosedLoop:
    """Return a loop; refuse one whose runs have no derivatives."""
    if loop.sampling.substeps > MOST_UNROLLED or loop.sampling.joint_space:
        raise GoughError(
            f"{loop.sampling.substeps} steps in a period; expected at most {MOST_UNROLLED}, in the "
            "pose, for derivatives"
        )
    if loop.sensors.resolution:
        raise GoughError(
            f"encoders have a resolution of {loop.sensors.resolution:g}: readings in steps "
            "have no derivatives; expected none"
        )
    return loop


def _checked(slopes: tuple[ArrayLike, ArrayLike], runs: Runs) -> tuple[Array, Array]:
    """Return derivatives by memory and command, of their shapes."""
    d_memory, d_command = (np.asarray(x, dtype=float) for x in slopes)
    if d_memory.shape != runs.memory.shape or d_command.shape != runs.command.shape:
        raise GoughError(
            f"slopes returned arrays {d_memory.shape} and {d_command.shape}; expected "
            f"{runs.memory.shape} and {runs.command.shape}"
        )
    return d_memory, d_command


def _wide(signals: Mapping[str, Array], extent: tuple[int, ...]) -> dict[str, Array]:
    """Return (samples, runs, n) of all, of numbers (n) too, if memory can hold them."""
    numbers = sum(x.shape[-1] for x in signals.values())
    require_memory(COPIES * NUMBER * prod(extent) * numbers, "derivatives of runs")
    return {name: np.broadcast_to(x, (*extent, x.shape[-1])) for name, x in signals.items()}


@kept_on_disk(Recurrence)
def _adjoint(loop: ClosedLoop, lanes: int | None) -> Recurrence:
    """Return the adjoint along samples from the last to the first."""
    step = loop.of_a_sample(unrolled=True).adjoint()
    summed = [loop.arguments[name] for name in _SUMMED if name in loop.arguments]
    sums = [Argument(f"sum_{a.name}", (a.size,)) for a in summed]
    n = len(step.inputs)

    def equation(*values: Value) -> tuple[Value, ...]:
        slopes = dict(zip((a.name for a in step.outputs), step(*values[:n]), strict=True))
        totals = (
            total + slopes[f"d_{a.name}"] for a, total in zip(summed, values[n:], strict=True)
        )
        return slopes["d_memory"], slopes["d_reference"], *totals

    inputs = [*step.inputs, *sums]
    found = {a.name: a for a in step.outputs}
    outputs = [found["d_memory"], found["d_reference"]]
    outputs += [Argument(f"next_{a.name}", a.shape) for a in sums]
    carried = {"d_next_memory": "d_memory"} | {a.name: f"next_{a.name}" for a in sums}
    return Recurrence(Function.from_equation("adjoint", equation, inputs, outputs), carried, lanes)


@kept_on_disk(Recurrence)
def _tangent(loop: ClosedLoop, lanes: int | None) -> Recurrence:
    """Return the directional derivative along samples."""
    step = loop.of_a_sample(unrolled=True).directional()
    return Recurrence(step, {"d_memory": "d_next_memory"}, lanes)
