"""The closed loop as one compiled recurrence: a whole run is one call of machine code.

One row, the memory, is carried from sample to sample: the plant's state, the controller's,
the sensors', and the commands that wait for their time. At each sample the encoders are read, the
controller computes, and the command that is due is held while the plant moves on for a period.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, is_on_gpu
from gough.checks import require_integer
from gough.compiler.device import Device, arrays_of
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.fused import with_chained_sums, without_quotients
from gough.compiler.front.program import Program
from gough.compiler.front.transformed import (
    for_single_precision,
    in_place,
    near_their_use,
    split_ahead,
)
from gough.compiler.memo import remembered_by_value
from gough.compiler.native import threads
from gough.compiler.native.argument_arrays import real_array
from gough.compiler.native.disk_kernels import kept_on_disk
from gough.compiler.native.recurrence import Recurrence
from gough.display.brief import Brief
from gough.equations.control.signals import limited
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import difference
from gough.errors import GoughError, KernelArgumentError
from gough.memory import require_memory
from gough.robot import Robot
from gough.simulation.controllers.controller import REFERENCE, Controller
from gough.simulation.controllers.sensors import NUMBER, ONE_KILOHERTZ, PERFECT, Sampling, Sensors
from gough.simulation.events import Condition
from gough.simulation.held_period import STAGE, STEP, held_loads, held_period
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.transmission import joined_rows

if TYPE_CHECKING:
    from gough.compiler.source.gpu import GpuRecurrence

Form = tuple[int | str, ...]

NUMBERS_AT_A_TIME = 400_000
"""Count of numbers of runs side by side in memory at a time: about what a cache holds."""
RUNS_SIDE_BY_SIDE = 16
"""Number of runs of a batch that are processed together."""

CARRIED = {"memory": "next_memory"}
WATCHED = "watched"
"""Name of what a run carries of its samples so far."""
CONDITION = "condition"
"""Name of the function of a condition on samples: its numbers do not wait beside the loop's."""


@dataclass(frozen=True, repr=False)
class Runs(Brief):
    """Memory and commands of several runs, at every sample that was kept."""

    memory: Array
    """(samples, runs, n)"""
    command: Array
    """(samples, runs, actuators), as it came to the actuators."""


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoop(Brief):
    """A plant under a sampled controller, which is made for the machine `robot`."""

    plant: Plant
    controller: Controller
    robot: Robot
    sampling: Sampling = ONE_KILOHERTZ
    sensors: Sensors = PERFECT
    saturated: bool = True
    """Whether commands are cut off at the plant's limits."""
    informed: bool = False
    """Whether the controller knows the numbers of the plant that vary."""

    def __reduce__(self) -> tuple[object, ...]:  # what was made of it is made anew
        return ClosedLoop, tuple(getattr(self, field.name) for field in fields(self))

    def __post_init__(self) -> None:
        given, taken = self.controller.command, self.plant.command
        if given.name != taken.name:
            raise GoughError(
                f"controller {self.controller.name} gives a {given.name} [{given.unit}]; expected "
                f"one whose output is the plant's input, a {taken.name} [{taken.unit}]"
            )
        springs = self.controller.springs
        if springs is not None and springs not in self.plant.transmission.springs:
            *modes, last = (f'"{mode}"' for mode in springs.modes)
            raise GoughError(
                f"controller {self.controller.name} {springs.use} the {springs.name} of the legs; "
                f"expected a plant that has them: legs {', '.join(modes)} or {last}"
            )
        _ = self.gain_values  # refused here, if they are for another number of actuators

    @property
    def limit(self) -> tuple[float, ...]:
        """Maximum commands."""
        return self.plant.limit if self.saturated else (np.inf,) * self.plant.actuators

    @cached_property
    def gain_values(self) -> Array:
        """(k), the controller's own."""
        return self.controller.gain_values(self.plant.actuators, self.plant.dof)

    @cached_property
    def parts(self) -> tuple[slice, ...]:
        """Where the states of plant, controller and sensors and the waiting commands lie."""
        sizes = (
            self.plant.state.size,
            self.controller.state_size(self.plant.actuators, self.plant.dof),
            self.sensors.size(self.plant.actuators),
            self.plant.actuators * self.sampling.delay,
        )
        ends = [0, *np.cumsum(sizes).tolist()]
        return tuple(map(slice, ends, ends[1:]))

    def start(
        self, pose: ArrayLike, twist: ArrayLike | None = None, parameters: Array | None = None
    ) -> Array:
        """Memory at the beginning: the machine at a pose and twist, held there before.

        It is (n), or (runs, n) if the plant has values, or `parameters`, for several runs.
        """
        if parameters is not None:
            return replace(self, plant=replace(self.plant, values=parameters)).start(pose, twist)
        at, moving = self.plant.admissible_start(pose, twist)
        state = self.plant.state_at(at, moving)
        parts = [
            state,
            self.controller.start(self.plant, at, moving),
            self.sensors.start(self.plant, state, self.sampling.period),
        ]
        if self.sampling.delay:
            parts.append(np.tile(self.plant.holding(at), self.sampling.delay))
        return joined_rows(parts)

    @cached_property
    def function(self) -> Function:
        """One sample: (memory, reference, wrenches, noise, gains, …) -> (next, memory, command)."""
        return self.of_a_sample()

    def of_a_sample(self, *, unrolled: bool = False, rolled: bool = False) -> Function:
        """Return the function of a sample; how steps are repeated: see `held_period`."""
        advance = held_period(self.plant, self.sampling, unrolled=unrolled, rolled=rolled)
        control = self.controller.function(*self.controller_setting)
        commanded = self.commanded(control.with_equal_parts_once() if unrolled else control)

        def equation(
            m: Value, reference: Value, w_0: Value, w_1: Value, *given: Value
        ) -> tuple[Value, ...]:
            state, command, rest = commanded(m, reference, w_0, *given)
            applied = limited(command, ca.DM(self.limit))
            return ca.vertcat(advance(state, applied, w_0, w_1, *given[3:]), rest), m, applied

        memory, n = self.arguments["memory"], self.plant.actuators
        memories = [replace(memory, name=name) for name in ("next_memory", "kept_memory")]
        arguments = list(self.arguments.values()), [*memories, Argument("command", (n,))]
        words = "One sample of a controlled machine."
        return Function.from_equation("closed_loop", equation, *arguments, words)

    @property
    def controller_setting(self) -> tuple[Robot, float, tuple[float, ...], Plant | None]:
        """Arguments of the controller's function: its model, period, limits and known numbers."""
        known = self.plant if self.informed else None
        return self.robot, self.sampling.period, self.limit, known

    def commanded(self, control: Callable[..., Any]) -> Callable[..., tuple[Value, ...]]:
        """(memory, reference, wrench, noise, disturbance, gains, …) -> state, command, the rest.

        State of the plant, command that is due, without its limit, and all else of the next memory.
        """
        plant, sampling, sensors = self.plant, self.sampling, self.sensors
        at_plant, at_controller, at_sensors, at_line = self.parts

        def equation(
            m: Value, reference: Value, w_0: Value, e: Value, d: Value, k: Value, *p: Value
        ) -> tuple[Value, ...]:
            state, n = m[at_plant], plant.actuators
            exact = plant.measured(plant.machine(p), state, w_0[0:6])
            measured, sensed = sensors.read(m[at_sensors], exact, e, sampling.period)
            command, thought = control(
                m[at_controller], measured.column(), reference, k, *(p if self.informed else ())
            )
            line = ca.vertcat(m[at_line], command)  # the oldest command comes first
            return state, line[0:n] + d, ca.vertcat(thought, sensed, line[n:, :])

        return equation

    @cached_property
    def arguments(self) -> dict[str, Argument]:
        """Arguments of the function, by name."""
        n, unit = self.plant.actuators, self.plant.structure.unit
        taken = (
            Argument("memory", (self.parts[-1].stop,), "SI", "all states"),
            *(REFERENCE, *held_loads(self.plant)),
            Argument("noise", (n,), unit, "what the encoders add to the positions"),
            Argument("disturbance", (n,), "", "what is added to the command"),
            Argument("gains", self.gain_values.shape, "SI", "the controller's"),
            *self.plant.parameters,
        )
        return {a.name: a for a in taken}

    @cached_property
    def compiled(self) -> Recurrence:
        """The function, compiled for runs side by side."""
        return _recurrence(self.without_values, None)

    @cached_property
    def compiled_for_one(self) -> Recurrence:
        """The function, compiled for a single run: numbers of one run cannot share a register."""
        return _recurrence(self.without_values, 1)

    def on_gpu(
        self, dtype: object = np.float64, condition: Condition | None = None
    ) -> GpuRecurrence:
        """Return the function for runs on this machine's GPU, which draws the sensors' noise.

        With a `condition` of (machine, state, next state, command) runs carry `watched`, too: a
        number that becomes 0 where the condition is not met; the maxima so far of the sizes of
        command, position error and orientation error; and the sums of their squares.
        """
        from gough.compiler.source.cuda import cuda_recurrence, cuda_source  # noqa: PLC0415  (few)
        from gough.compiler.source.gpu import GpuKernel, GpuRecurrence  # noqa: PLC0415

        function = self.of_a_sample(rolled=True)
        carried = dict(CARRIED)
        if condition is not None:
            function = self._watched(function, condition)
            carried[WATCHED] = function.outputs[-1].name
        ahead, program = for_gpu(function, dtype)
        first = None if ahead is None else GpuKernel(*cuda_source(ahead, dtype))
        random = ("noise",) if self.sensors.noise else ()
        beside = carried.keys() - CARRIED.keys()
        text = cuda_recurrence(program, carried, random, dtype, {CONDITION}, beside)
        return GpuRecurrence(*text, first)

    def _watched(self, function: Function, condition: Condition) -> Function:
        """Return the function of a sample, with what `on_gpu` says of the samples so far."""
        of_plant, plant = self.parts[0], self.plant
        states = [plant.state, replace(plant.state, name="following")]

        def on_plant(state: Value, following: Value, command: Value, *p: Value) -> Value:
            return condition(plant.machine(p), state, following, command)

        arguments = [*states, plant.command, *plant.parameters], [Argument("met")]
        test = Function.from_equation(CONDITION, on_plant, *arguments)

        def equation(m: Value, reference: Value, *values: Value) -> tuple[Value, ...]:
            *rest, so_far = values
            following, kept, command = function(m, reference, *rest)
            varied = rest[len(rest) - len(plant.parameters) :]
            met = test(m[of_plant], following[of_plant], command, *varied)
            goes_on, peak, squares = ca.vertsplit(so_far, [0, 1, 1 + counted, 1 + 2 * counted])
            error = difference(reference[0:7], m[0:7])
            squared = ca.vertcat(command**2, ca.sumsqr(error[0:3]), ca.sumsqr(error[3:6]))
            peak, squares = ca.fmax(peak, ca.sqrt(squared)), squares + squared
            seen = ca.vertcat(ca.if_else(met, goes_on, 0), peak, squares)
            return following, kept, command, seen

        counted = plant.actuators + 2
        watched = Argument(WATCHED, (1 + 2 * counted,))
        inputs = [*self.arguments.values(), watched]
        outputs = [*function.outputs, replace(watched, name=f"next_{WATCHED}")]
        return Function.from_equation(function.name, equation, inputs, outputs, function.doc)

    @cached_property
    def without_values(self) -> ClosedLoop:
        """A loop with the same function: gains, starts and varied numbers are given to a run."""
        gains = tuple(replace(g, values=np.zeros(g.values.shape)) for g in self.controller.gains)
        states = tuple(state._replace(first=None) for state in self.controller.states)
        controller = replace(self.controller, description="", gains=gains, states=states)
        plant = self.plant.without_values
        robot = plant.robot if self.informed else self.robot
        return replace(self, plant=plant, controller=controller, robot=robot)

    def run(
        self,
        memory: Array,
        reference: Array,
        *,
        wrench: tuple[Array, Array] | None = None,
        noise: Array | None = None,
        disturbance: Array | None = None,
        gains: Array | None = None,
        parameters: Array | None = None,
        every: int = 1,
        side_by_side: bool = True,
        advance: Callable[[int], None] = lambda _: None,
        device: Device = "cpu",
    ) -> Runs:
        """Run from a memory, (n) or (runs, n), along a reference, (samples, 19).

        `wrench`, the plant's `loads` at the beginning and at the end of each period (samples, n),
        and `noise` (samples, runs, actuators) are zero if left out; `gains` (k) or (runs, k) are
        the controller's own;
        `parameters` are (v) or (runs, v), or change with time (samples, 1, v). One of `every`
        samples is kept, beginning with the first. Runs that are many or long go `side_by_side`;
        others take less time than it takes to compile for that, where a single run is compiled
        anyway. `advance` is called with the number of further samples, of all runs, that were
        computed. On a `device` "gpu" all runs go at once, and arrays of CuPy come back.
        """
        inputs = self.inputs(
            reference,
            wrench=wrench,
            noise=noise,
            disturbance=disturbance,
            gains=gains,
            parameters=parameters,
        )
        return self.run_along(
            memory,
            inputs,
            every=every,
            side_by_side=side_by_side,
            advance=advance,
            device=device,
        )

    def inputs(
        self,
        reference: ArrayLike,
        *,
        wrench: tuple[Array, Array] | None = None,
        noise: Array | None = None,
        disturbance: Array | None = None,
        gains: ArrayLike | None = None,
        parameters: ArrayLike | None = None,
    ) -> dict[str, Array]:
        """Return the inputs of `run`, (n) or (samples or 1, runs or 1, n), but the memory."""
        arguments, none = self.arguments, self.plant.no_load
        along = batched(arguments["reference"], reference, ("samples",), ("samples", "runs"))
        begin, end = wrench or (none, none)
        given = {"wrench": begin, "wrench_next": end, "noise": noise, "disturbance": disturbance}
        signals = {k: np.zeros(arguments[k].shape) if x is None else x for k, x in given.items()}
        constants = {"gains": self.gain_values if gains is None else gains}
        if self.plant.varied:
            if parameters is None:
                raise GoughError(f"no parameters; expected {', '.join(self.plant.varied)}")
            numbers = _numbers(arguments["parameters"], parameters)
            (signals if numbers.ndim == 3 else constants)["parameters"] = numbers
        forms = ((), (len(along),), (len(along), "runs"))
        inputs = {name: batched(arguments[name], x, *forms) for name, x in signals.items()}
        inputs |= {name: constant(arguments[name], x) for name, x in constants.items()}
        return {"reference": along} | inputs

    def run_along(
        self,
        memory: ArrayLike,
        inputs: Mapping[str, Array],
        *,
        every: int = 1,
        side_by_side: bool = True,
        advance: Callable[[int], None] = lambda _: None,
        device: Device = "cpu",
    ) -> Runs:
        """Run as `run` does, with `inputs`."""
        require_integer("every", every)
        arrays_of(device)  # refused, if it is not there
        rows = constant(self.arguments["memory"], memory)
        counts = {x.shape[1] for x in (rows, *inputs.values()) if x.ndim == 3}
        if len(counts - {1}) > 1:
            raise GoughError(f"runs do not fit each other: {sorted(counts)} of them")
        samples, runs, n = len(inputs["reference"]), max(counts, default=1), rows.shape[-1]
        start = np.broadcast_to(rows, (1, runs, n))[0]
        stored = -(-samples // every)
        if device == "gpu":
            return self._all_at_once(start, inputs, samples, every)
        require_memory(NUMBER * stored * n * runs, f"{stored:,} samples of {runs:,} runs")
        compiled = self.compiled if side_by_side and runs > 1 else self.compiled_for_one
        if runs == every == 1:  # all of one run is kept where it is computed
            wide = {name: _cut(x, slice(samples), slice(1)) for name, x in inputs.items()}
            whole = compiled.along({"memory": start, **wide}, advance=advance)
            return Runs(whole.taken["memory"], whole.results["command"])
        found = Runs(np.empty((stored, runs, n)), np.empty((stored, runs, self.plant.actuators)))
        length = max(1, NUMBERS_AT_A_TIME // (compiled.lanes * (n + self.plant.actuators)))
        stopped = Event()

        def strip(which: slice) -> None:
            """Compute a few runs side by side, in pieces of time that a cache holds."""
            at_first = start[which]
            for first in range(0, samples, length):
                last = min(first + length, samples)
                cut = {name: _cut(x, slice(first, last), which) for name, x in inputs.items()}
                kept, at = kept_samples(first, last, every)
                piece = compiled.along({"memory": at_first, **cut}, kept=kept, stopped=stopped)
                found.memory[at, which] = piece.taken["memory"]
                found.command[at, which] = piece.results["command"]
                at_first = piece.last["memory"]
                advance((last - first) * len(at_first))

        strips = _strips(runs)
        if len(strips) == 1:
            strip(strips[0])
            return found
        with ThreadPoolExecutor(threads.available()) as pool:
            try:
                list(pool.map(strip, strips))
            except BaseException:  # an interrupt, which comes to this thread alone
                stopped.set()
                raise
        return found

    def _all_at_once(
        self, memory: Array, inputs: Mapping[str, Array], samples: int, every: int
    ) -> Runs:
        """Run all on a GPU, a thread for each."""
        recurrence, (runs, n) = gpu_recurrence(self.without_values), memory.shape
        stored = -(-samples // every)
        numbers = stored * runs * (n + self.plant.actuators)
        numbers += sum(x.size for x in (memory, *inputs.values()))
        numbers += inputs["reference"][..., 0].size * recurrence.ahead_size
        recurrence.require_memory(numbers, f"{stored:,} samples of {runs:,} runs")
        found, _ = recurrence({"memory": memory, **inputs}, samples, every=every)
        return Runs(found["kept_memory"], found["command"])


def for_gpu(function: Function, dtype: object = np.float64) -> tuple[Program | None, Program]:
    """Return the program of a sample for a thread of a GPU, and what it needs beforehand.

    That is what depends on the reference alone: computed once if runs have one in common. None:
    nothing does.
    """
    program = in_place(Program.of(function), apart={CONDITION})
    single = np.dtype(dtype) == np.float32  # type: ignore[call-overload]
    if single:
        program = for_single_precision(program, suited={STEP, STAGE})
    ahead, rest = split_ahead(program, "reference")
    short = without_quotients(with_chained_sums(rest), angles=not single)
    return ahead, near_their_use(short)


@remembered_by_value
def gpu_recurrence(loop: ClosedLoop) -> GpuRecurrence:
    """Return the function for runs on a GPU to which noise is given."""
    return replace(loop, sensors=replace(loop.sensors, noise=0.0)).on_gpu()


@kept_on_disk(Recurrence)
def _recurrence(loop: ClosedLoop, lanes: int | None) -> Recurrence:
    """Return the loop without its kept memory: that is where samples take it from."""
    function = loop.function
    parts = zip(function.outputs, function.expressions, strict=True)
    outputs, expressions = zip(*(p for p in parts if p[0].name != "kept_memory"), strict=True)
    return Recurrence(replace(function, outputs=outputs, expressions=expressions), CARRIED, lanes)


def kept_samples(first: int, last: int, every: int) -> tuple[slice, slice]:
    """Return which samples of a piece of time are kept, and their places among all that are."""
    return slice(-first % every, None, every), slice(-(-first // every), -(-last // every))


def _strips(runs: int) -> list[slice]:
    """Return runs in equal strips, so that every thread has some."""
    count = 1 if runs <= 8 else max(-(-runs // RUNS_SIDE_BY_SIDE), threads.available())
    width = -(-runs // count)
    width = -(-width // 8) * 8 if count > 1 else runs
    return [slice(k, min(k + width, runs)) for k in range(0, runs, width)]


def _cut(x: Array, times: slice, runs: slice) -> Array:
    """Return the values of some times and runs; values common to all remain common."""
    if x.ndim == 1:
        return x
    part = x[times if len(x) > 1 else slice(None), runs if x.shape[1] > 1 else slice(None)]
    lengths = (len(range(s.start or 0, s.stop)) for s in (times, runs))
    return np.broadcast_to(part, (*lengths, x.shape[-1]))


def check_kept(every: object, samples: int) -> None:
    """Refuse to keep one of `every` samples if that leaves only one."""
    if samples <= require_integer("every", every):
        raise GoughError(f"every is {every}; expected less than the {samples} samples of the run")


def constant(argument: Argument, value: ArrayLike) -> Array:
    """(n) for all runs, or (runs, n), as (1, runs, n)."""
    return batched(argument, value, (), ("runs",))


def batched(argument: Argument, value: ArrayLike, *forms: Form) -> Array:
    """Return numbers (n) or (samples or 1, runs or 1, n), of an array in one of some forms.

    A length that is a word may be any above zero.
    """
    numbers = _numbers(argument, value)
    wanted = [(*form, *argument.shape) for form in forms]
    for form in wanted:
        pairs = zip(numbers.shape, form, strict=False)
        fits = all(n == m or (n and isinstance(m, str)) for n, m in pairs)
        if fits and numbers.ndim == len(form):
            both = numbers.ndim != 2
            return numbers if both else numbers[None] if form[0] == "runs" else numbers[:, None]
    expected = " or ".join(f"({', '.join(map(str, form))})" for form in wanted)
    expected += ", not empty" if 0 in numbers.shape else ""
    raise KernelArgumentError(
        f"closed loop: {argument.name} has shape {numbers.shape}; expected {expected}"
    )


def _numbers(argument: Argument, value: ArrayLike) -> Array:
    """Return real numbers where they are: as an array of NumPy, unless they are on a GPU."""
    if is_on_gpu(value):
        return value  # type: ignore[return-value]
    return np.asarray(real_array("closed loop", argument, value), dtype=float)
