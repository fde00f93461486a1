"""Derivatives of closed loops through time: along one direction, or by all that runs are given.

A number that depends on states and commands of a run has a derivative by everything that the run
was given, and one run backwards gives all of them. From the last sample to the first, the adjoint
of the loop's function carries the derivative by the memory, and sums those by gains and parameters.
It needs the states on the way: they are kept, or one of `every`, from which those between are
computed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_integer
from gough.compiler.device import Device, arrays_of
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.fused import with_chained_sums, without_quotients
from gough.compiler.front.program import Program
from gough.compiler.front.rolled import rolled
from gough.compiler.front.transformed import in_place, near_their_use
from gough.compiler.memo import remembered_by_value
from gough.compiler.native.disk_kernels import compiled_recurrence
from gough.compiler.native.recurrence import Recurrence
from gough.display.brief import Brief
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError, InputError
from gough.memory import require_memory
from gough.simulation.closed_loop import ClosedLoop, Runs, batched
from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.sensors import NUMBER
from gough.simulation.held_period import adjoint_of_period
from gough.simulation.with_adjoint import with_adjoint

if TYPE_CHECKING:
    from gough.compiler.source.gpu import GpuRecurrence

Slopes = Callable[[slice, Runs], tuple[ArrayLike, ArrayLike]]
"""From some samples, and memory and command there, to the derivatives of the number by them."""

_SUMMED = ("gains", "parameters")
COPIES = 2
"""Copies of all signals in memory, as given and in order."""
PARTS = "rates_adjoint", "controller", "controller_adjoint"
"""Names of routines whose operations remain apart from others on a GPU."""
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
    device: Device = "cpu",
) -> Gradient:
    """Return the derivatives of a number by start, reference, gains and parameters of runs.

    Runs are those of `loop.run` from a memory (n) or (runs, n), without disturbance; `wrench`
    is as there. `slopes(samples, runs)` is called with a part of the samples, and memory and
    commands there, from the last part to the first; it returns the derivatives of the number by
    both. All samples are one part, unless one of `every` is kept in memory, and those between
    computed anew: parts are so long then. On a `device` "gpu" each run is a thread; slopes get
    arrays of CuPy, and the derivatives are such arrays.
    """
    signals = require_derivatives(loop).inputs(
        reference, wrench=wrench, noise=noise, gains=gains, parameters=parameters
    )
    samples, arguments = len(signals["reference"]), loop.arguments
    length = samples if every is None else require_integer("every", every)
    how = 1 if every is None else length
    kept = loop.run_along(memory, signals, every=how, device=device)
    runs, by_reference = kept.memory.shape[1], list[Array]()
    summed = [name for name in _SUMMED if name in arguments]
    carried = {"d_next_memory": np.zeros((runs, arguments["memory"].size))}
    carried |= {f"sum_{name}": np.zeros((runs, arguments[name].size)) for name in summed}
    for k in reversed(range(-(-samples // length))):
        part = slice(k * length, (k + 1) * length)
        own = {n: x[part] if x.ndim == 3 and len(x) > 1 else x for n, x in signals.items()}
        here = kept
        if every is not None:
            here = loop.run_along(kept.memory[k], own, device=device)
        along = slice(part.start, part.start + len(here.memory))
        d_memory, d_command = _checked(slopes(along, here), here, device)
        own |= {"memory": here.memory, "command": here.command}
        own |= {"d_kept_memory": d_memory, "d_command": d_command}
        turned = {name: x[::-1] if x.ndim == 3 else x for name, x in own.items()}
        found, carried = _along(loop, "adjoint", turned, carried, d_memory.shape[:2], device)
        by_reference.insert(0, found["d_reference"][::-1])
    none = arrays_of(device)(np.zeros((runs, 0)))
    sums = {name: carried.get(f"sum_{name}", none) for name in _SUMMED}
    by_samples = np.concatenate(by_reference) if len(by_reference) > 1 else by_reference[0]
    return Gradient(carried["d_next_memory"], by_samples, **sums)


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
    device: Device = "cpu",
) -> Runs:
    """Return the derivatives of memory and command, at each sample, along changes of what is given.

    Runs are those of `gradient`. `changes` has directions by name: memory (n) or (runs, n),
    reference (samples, 19) or (samples, runs, 19), gains and parameters as these are.
    """
    signals = require_derivatives(loop).inputs(
        reference, wrench=wrench, noise=noise, gains=gains, parameters=parameters
    )
    known = ("memory", "reference", *(name for name in _SUMMED if name in loop.arguments))
    for name in changes:
        if name not in known:
            raise InputError("unknown", key="changes", value=name, expected=", ".join(known))
    kept = loop.run_along(memory, signals, device=device)
    directions = {name: np.zeros(a.shape) for name, a in loop.arguments.items()}
    for name, x in changes.items():
        forms = [("samples",), ("samples", "runs")] if name == "reference" else [(), ("runs",)]
        directions[name] = batched(loop.arguments[name], x, *forms)
    inputs = signals | {"memory": kept.memory} | {f"d_{n}": x for n, x in directions.items()}
    begin = inputs.pop("d_memory")
    carried = {"d_memory": np.broadcast_to(begin, (1, kept.memory.shape[1], begin.shape[-1]))[0]}
    found, _ = _along(loop, "tangent", inputs, carried, kept.memory.shape[:2], device)
    return Runs(found["d_kept_memory"], found["d_command"])


def _along(
    loop: ClosedLoop,
    way: str,
    signals: Mapping[str, Array],
    carried: Mapping[str, Array],
    extent: tuple[int, ...],
    device: Device,
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the derivatives along samples (samples, runs, n), and what is carried on."""
    alike, numbers = loop.without_values, sum(x.shape[-1] for x in signals.values())
    if device == "gpu":
        recurrence = _on_gpu(alike, way)
        recurrence.require_memory(prod(extent) * numbers, "derivatives of runs")
        return recurrence({**signals, **carried}, extent[0])
    require_memory(COPIES * NUMBER * prod(extent) * numbers, "derivatives of runs")
    wide = {
        k: x if x.ndim == 1 else np.broadcast_to(x, (*extent, x.shape[-1]))
        for k, x in signals.items()
    }
    found = _compiled(alike, way, 1 if extent[1] == 1 else None).along({**wide, **carried})
    return found.results, found.last


def _checked(
    slopes: tuple[ArrayLike, ArrayLike], runs: Runs, device: Device
) -> tuple[Array, Array]:
    """Return derivatives by memory and command, of their shapes."""
    asarray = arrays_of(device)
    d_memory, d_command = (asarray(x, dtype=float) for x in slopes)
    if d_memory.shape != runs.memory.shape or d_command.shape != runs.command.shape:
        raise GoughError(
            f"slopes returned arrays {d_memory.shape} and {d_command.shape}; expected "
            f"{runs.memory.shape} and {runs.command.shape}"
        )
    return d_memory, d_command


def require_derivatives(loop: ClosedLoop) -> ClosedLoop:
    """Return a loop; refuse one whose runs have no derivatives."""
    if loop.sampling.substeps > MOST_UNROLLED or loop.sampling.joint_space:
        space = " in joint space" if loop.sampling.joint_space else ""
        raise GoughError(
            f"{loop.sampling.substeps} steps in a period{space}; expected at most "
            f"{MOST_UNROLLED}, in the pose, for derivatives"
        )
    if loop.sensors.resolution:
        raise GoughError(
            f"encoders have a resolution of {loop.sensors.resolution:g}: readings in steps "
            "have no derivatives; expected none"
        )
    return loop


@compiled_recurrence
def _compiled(loop: ClosedLoop, way: str, lanes: int | None) -> Recurrence:
    """Return derivatives along samples."""
    return Recurrence(*_WAYS[way](loop), lanes)


@remembered_by_value
def _on_gpu(loop: ClosedLoop, way: str) -> GpuRecurrence:
    """Return derivatives along samples as a function on this machine's GPU."""
    from gough.compiler.source.cuda import cuda_recurrence  # noqa: PLC0415  (few have one)
    from gough.compiler.source.gpu import GpuRecurrence  # noqa: PLC0415

    return GpuRecurrence(*cuda_recurrence(*for_gpu(loop, way)))


def for_gpu(loop: ClosedLoop, way: str) -> tuple[Program, dict[str, str]]:
    """Return the program of derivatives for a thread of a GPU, and what it carries on."""
    function, carried = _adjoint(loop, rolled=True) if way == "adjoint" else _tangent(loop)
    program = in_place(Program.of(function), apart=PARTS)
    return near_their_use(rolled(without_quotients(with_chained_sums(program)))), carried


def _adjoint(loop: ClosedLoop, rolled: bool = False) -> tuple[Function, dict[str, str]]:
    """Return the adjoint of a sample and what it carries on, from the last sample to the first."""
    inputs, of_plant = loop.arguments, loop.parts[0]
    control, control_back = with_adjoint(
        Controller.function, loop.controller, *loop.controller_setting, in_parts=rolled
    )
    back = adjoint_of_period(loop.plant, loop.sampling, rolled=rolled)
    summed = [inputs[name] for name in _SUMMED if name in inputs]
    sums = [Argument(f"sum_{a.name}", (a.size,)) for a in summed]
    by_memory = [replace(inputs["memory"], name=f"d_{name}_memory") for name in ("next", "kept")]

    def equation(*values: Value) -> list[Value]:
        m, reference, w_0, w_1, *others = values[: len(inputs)]
        applied, d_next, d_kept, d_command, *totals = values[len(inputs) :]
        varied = others[3:]
        d_state, d_applied, *d_p = back(m[of_plant], applied, w_0, w_1, *varied, d_next[of_plant])
        within = ca.fabs(applied) < ca.DM(loop.limit)
        by_command = ca.if_else(within, d_command + d_applied, 0)
        by_outputs = ca.vertcat(d_state, by_command, d_next[of_plant.stop :])
        by = m, reference, others[2], *varied
        taken, given = list[Value](), [ca.SX.sym(a.name, a.size) for a in control.outputs[:-1]]

        def called(*values: Value) -> list[Value]:
            taken.extend(values)
            return given

        outputs = ca.vertcat(*loop.commanded(called)(m, reference, w_0, *others))
        d_given = (ca.jtimes(outputs, x, by_outputs, True) for x in given)
        d_taken = control_back(*taken, control(*taken)[-1], *d_given)
        results, ends = ca.vertcat(outputs, *taken), [0, *accumulate(x.shape[0] for x in by)]
        d_results = ca.vertcat(by_outputs, *d_taken)
        along = ca.jtimes(ca.cse(results), ca.vertcat(*by), d_results, True)
        slopes = ca.vertsplit(ca.densify(along), ends)
        d_m, d_reference, d_gains, *d_varied = slopes
        direct = [d_gains, *(a + b for a, b in zip(d_varied, d_p, strict=True))]
        found = [total + d for total, d in zip(totals, direct, strict=True)]
        return [d_m + d_kept, d_reference, *found]

    command = Argument("command", loop.plant.command.shape)
    outputs = [replace(inputs[name], name=f"d_{name}") for name in ("memory", "reference")]
    outputs += [Argument(f"next_{a.name}", a.shape) for a in sums]
    carried = {"d_next_memory": "d_memory"} | {a.name: f"next_{a.name}" for a in sums}
    given = [*inputs.values(), command, *by_memory, replace(command, name="d_command"), *sums]
    return Function.from_equation("adjoint", equation, given, outputs), carried


def _tangent(loop: ClosedLoop) -> tuple[Function, dict[str, str]]:
    """Return the directional derivative of a sample and what it carries on."""
    return loop.of_a_sample(unrolled=True).directional(), {"d_memory": "d_next_memory"}


_WAYS = {"adjoint": _adjoint, "tangent": _tangent}
