"""Many runs of one machine side by side: other payloads, other gains, the same reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.freedoms import possible_motion
from gough.arrays import AnyArray, Array, on_host
from gough.checks import require_instance, require_integer, seed_of
from gough.compiler import Argument, Function, Kernel, compiled
from gough.compiler.device import Device, arrays_of
from gough.display.brief import Brief
from gough.equations.spatial.pose import difference
from gough.errors import GoughError, InputError
from gough.executors import Executor, in_chunks
from gough.fields.inertia import physical
from gough.model import variables
from gough.model.definition import POSE
from gough.motion import MotionSamples
from gough.poses.given import array_of_numbers
from gough.simulation.closed_loop import (
    WATCHED,
    ClosedLoop,
    Runs,
    check_kept,
    constant,
    kept_samples,
    pieces_of_time,
)
from gough.simulation.controllers.controller import Controller
from gough.simulation.events import (
    Condition,
    Ending,
    first_endings,
    surely_goes_on,
    varied_in_kinematics,
)
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.real import rigid_plant
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import check_start

if TYPE_CHECKING:
    from gough.compiler.source.gpu import GpuRecurrence

_ABSENT = ("wrench", "wrench_next", "disturbance")
"""Inputs of a loop that runs of a batch do not have."""
_OF_ONE_RUN = ("plant", "integrator", "start", "duration", "imu", "base")
"""Entries of a scenario that batches do not have."""
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
OF_A_SAMPLE, OF_A_KEPT_SAMPLE = 60, 60
"""Numbers in memory at once: per sample of the motion; per run and kept sample."""
OF_A_SAMPLE_ON_GPU, FEWEST_ON_GPU, LONGEST_ON_GPU = 300, 5, 200
"""Numbers in memory of a GPU per run and sample, and the range of the number of samples at a time.
"""
LOOK_BACK = 3
"""Number of samples before a piece of time that an ending in it may depend on."""
NUMBERS_AT_A_TIME, SAMPLES_AT_A_TIME = 4_000_000, 20
"""Maximum count of numbers of all runs in memory before samples that are not kept are dropped, and
the minimum number of samples at a time."""


@dataclass(frozen=True, repr=False)
class BatchResults(Brief):
    """Runs side by side, at the samples that were kept. After a run's end its numbers are NaN.

    Peak and rms values, and endings, are those of all samples before a run's end.
    """

    time: Array
    """(T,) [s]"""
    pose: Array
    """(T, runs, 7)"""
    twist: Array
    """(T, runs, 6)"""
    force: Array
    """(T, runs, actuators) [N, N m]"""
    pose_error: Array
    """(T, runs, 6) [m, rad]: reference minus actual."""
    peak_force: Array
    """(runs, actuators) maximum magnitude [N, N m]."""
    rms_force: Array
    """(runs, actuators) [N, N m]"""
    peak_error: Array
    """(runs, 2) maximum distance and angle to the reference [m, rad]."""
    rms_error: Array
    """(runs, 2) [m, rad]"""
    endings: tuple[Ending | None, ...]
    """Reason why each run ended early, at any sample; None if it did not. `samples` counts
    those that were kept."""


def simulate_batch(
    scenario: Scenario,
    varied: Mapping[str, Any],
    *,
    gains: ArrayLike | None = None,
    executor: Executor = None,
    device: Device = "cpu",
) -> BatchResults:
    """Simulate a scenario of a rigid machine once for each of the varied values.

    `varied` gives numbers of the plant by name, one for each run, such as
    `{"platform.mass": masses}`; the controller knows the nominal robot. `gains` (runs, k) are
    those of the controller, in the order of its function; a row (k) is for all runs. A run equals
    that of `simulate` with a plant of its numbers. One of `every` samples of the scenario is kept,
    to save memory, while peak and rms values and endings are those of all samples.
    Runs are computed by `executor`, see `gough.executors`, or all at once by the GPU of this
    computer, with `device="gpu"` (needs the extra `gpu`). A scenario with a plant of its own,
    tasks, a start, a duration, an integrator, an IMU, a moving base or a controller in Python is
    refused. Each run has noise of its own; that of run 0 is that of `simulate`.
    """
    require_instance("scenario", scenario, Scenario)
    _check_device(device, executor)
    given = {name: getattr(scenario, name) for name in _OF_ONE_RUN}
    for name, value in (given | {"tasks": scenario.tasks or None}).items():
        if value is not None:
            raise GoughError(
                f"{name} is {short(value)}; expected none: runs of a batch are of rigid machines, "
                "along the motion"
            )
    robot, controller, motion = scenario.own_robot, scenario.controller, scenario.motion
    require_instance("controller", controller, Controller)
    assert isinstance(controller, Controller)
    sampling, sensors, every = scenario.sampling, scenario.sensors, scenario.every
    require_instance("varied", varied, Mapping)
    values = {name: _numbers(name, given) for name, given in varied.items()}
    lengths = {len(v) for v in values.values()}
    if len(lengths) > 1:
        raise GoughError("varied numbers must be rows of one length, one number for each run")
    parameters = np.stack(list(values.values()), axis=-1) if values else None
    plant = rigid_plant(robot, tuple(values), parameters)
    if controller.clips and _has_varied_travel(plant):
        raise GoughError(
            f"the reference of {controller.name} is clipped at the travel of the nominal robot; "
            "expected no varied travel"
        )
    _check_numbers(plant, values)
    loop = ClosedLoop(plant, controller, robot, sampling, sensors, scenario.saturated)
    own = loop.gain_values if gains is None else constant(loop.arguments["gains"], gains)
    if not np.isfinite(own).all():
        raise GoughError("gains are not all finite; expected a number for each gain of each run")
    runs = max([*lengths, own.shape[1] if own.ndim == 3 else 1])
    kept_numbers = OF_A_KEPT_SAMPLE / require_integer("every", every)
    on_gpu = device == "gpu"  # which draws noise as it needs it
    of_a_run = plant.actuators * bool(sensors.noise and not on_gpu) + kept_numbers
    time = sampling.times(float(motion.duration), OF_A_SAMPLE + runs * of_a_run, runs)
    check_kept(every, len(time))
    samples = possible_motion(robot, motion, time)(time)
    initial = plant.admissible_start(samples.pose[0], samples.twist[0])
    check_start(plant, initial[0], plant.state_at(*initial))
    seed, size = seed_of(scenario.rng), (len(time), runs, plant.actuators)
    noise = None if on_gpu else sensors.noise_samples(*size, seed)
    differing: dict[str, Array | None] = {
        "parameters": parameters,
        "gains": own[0] if own.ndim == 3 else None,
        "noise": None if noise is None else np.swapaxes(noise, 0, 1),
    }
    given = {name: rows for name, rows in differing.items() if rows is not None}
    unvaried = replace(loop, plant=replace(plant, values=None))
    job = _Runs(unvaried, time, samples, own, every, tuple(given), seed if on_gpu else None)
    chunks = in_chunks(job, range(runs), *given.values(), executor=executor)
    found = sorted(chunks, key=attrgetter("items.start"))
    states, force, figures = (
        _side_by_side([chunk.result[k] for chunk in found]) for k in (0, 1, 2)
    )
    endings = [ending for chunk in found for ending in chunk.result[3]]
    pose, twist = states[..., :7], states[..., 7:13]
    error = _pose_error()(samples.pose[::every, None], pose)
    (peak_force, rms_force), (peak_error, rms_error) = np.split(figures, [plant.actuators], axis=-1)
    return BatchResults(
        *(time[::every], pose, twist, force, error),
        *(peak_force, rms_force, peak_error, rms_error),
        tuple(endings),
    )


def _side_by_side(parts: list[Array]) -> Array:
    """Return values (…, runs, n) of all runs."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


@compiled
def _pose_error() -> Kernel:
    """Return the kernel of the step from a pose to a wanted one."""
    wanted, error = replace(POSE, name="wanted"), Argument("pose_error", (6,), "m, rad")
    return Kernel(Function.from_equation("pose_error", difference, [wanted, POSE], [error]))


def _check_device(device: Device, executor: Executor) -> None:
    arrays_of(device)
    if device == "gpu" and executor is not None:
        raise InputError("not with a GPU", key="executor", value=executor, expected="none")


@dataclass(frozen=True, eq=False)
class _Runs:
    """Some of the runs: a job whose inputs are the numbers that differ from run to run, by name."""

    loop: ClosedLoop
    time: Array
    samples: MotionSamples
    gains: Array
    every: int
    differing: tuple[str, ...]
    seed: int | None = None
    """Seed of the noise that a GPU draws, where that computes the runs."""
    quick: bool = True
    """Whether a GPU computes all samples at once, and again those of runs that may have ended."""

    def __call__(
        self, runs: range, *rows: Array
    ) -> tuple[Array, Array, Array, list[Ending | None]]:
        """Return states, forces (T, runs, n) at kept samples, figures, and endings.

        States and forces are NaN after a run's end. Figures (2, runs, n) are peak and rms values of
        its forces and pose errors.
        """
        given = dict(zip(self.differing, rows, strict=True))
        plant = replace(self.loop.plant, values=given.get("parameters"))
        loop, count = replace(self.loop, plant=plant), -(-len(self.time) // self.every)
        noise = np.swapaxes(given["noise"], 0, 1) if "noise" in given else None
        reference = np.concatenate(self.samples, axis=-1)
        memory = loop.start(self.samples.pose[0], self.samples.twist[0])
        sizes = (plant.state.size, plant.actuators)
        states, force = (np.empty((count, len(runs), size)) for size in sizes)
        endings: list[Ending | None] = [None] * len(runs)
        counts, figures = np.full(len(runs), len(self.time)), np.zeros((2, len(runs), sizes[1] + 2))
        of_a_sample = len(runs) * (memory.shape[-1] + OF_A_KEPT_SAMPLE)
        length = max(NUMBERS_AT_A_TIME // of_a_sample, SAMPLES_AT_A_TIME)
        gains = given.get("gains", self.gains)
        crosses, before, gpu = loop.controller.crosses, None, None
        if self.seed is not None:
            start = np.reshape(memory, (-1, memory.shape[-1]))[0, : plant.state.size]
            condition = surely_goes_on(plant, start, crosses=crosses) if self.quick else None
            gpu = _GpuRuns(loop, len(runs), gains, self.seed, condition)
        if gpu and gpu.condition is not None:
            doubtful = gpu.run_all(memory, reference, self.every, states, force, figures)
            figures[1] = np.sqrt(figures[1] / len(self.time))
            if len(doubtful) and loop.sensors.noise:  # which is that of a run's number
                doubtful = np.arange(len(runs))
            self._look_again(doubtful, rows, states, force, figures, endings)
            return states, force, figures, endings
        for first, last in pieces_of_time(len(self.time), gpu.length if gpu else length):
            if gpu:
                found = gpu.run(memory, reference[first:last], first)
            else:
                found = loop.run(
                    memory,
                    reference[first:last],
                    noise=None if noise is None else noise[first:last],
                    gains=gains,
                    parameters=plant.values,
                )
            memory = found.memory[-1]
            reached = found.memory[..., : plant.state.size]
            of_piece, at = kept_samples(first, last, self.every)
            states[at], force[at] = on_host(reached[of_piece]), on_host(found.command[of_piece])
            seen: tuple[Array, ...] = (self.time[first:last], reached, found.command)
            if before is not None:
                seen = tuple(np.concatenate(pair) for pair in zip(before, seen, strict=True))
            earliest = last - len(seen[0])
            again = 0 if last == len(self.time) else LOOK_BACK + 1  # samples in the next piece
            ended = first_endings(plant, seen[0], seen[1], seen[2], crosses=crosses)
            for k, ending in ended.items():
                if endings[k] is None:
                    counts[k] = at_sample = earliest + ending.samples
                    endings[k] = replace(ending, samples=-(-at_sample // self.every))
            self._add(figures, counts, earliest, *(x[: len(x) - again] for x in seen[1:]))
            before = tuple(x[-1 - LOOK_BACK : -1] for x in seen)
        for k, end in enumerate(endings):
            if end is not None:
                states[end.samples :, k] = force[end.samples :, k] = np.nan
        with np.errstate(invalid="ignore"):  # of runs that end at once
            figures[1] = np.sqrt(figures[1] / counts[:, None])
        figures[:, counts == 0] = np.nan
        return states, force, figures, endings

    def _add(self, figures: Array, counts: AnyArray, at: int, states: Array, force: Array) -> None:
        """Add samples from one on to maxima and sums of squares, of runs with so many samples."""
        samples = np.arange(at, at + len(states))
        wanted = np.asarray(self.samples.pose[samples, None], like=states)
        parts = np.split(_pose_error()(wanted, states[..., :7]), 2, axis=-1)
        lengths = (np.linalg.norm(part, axis=-1, keepdims=True) for part in parts)
        seen = np.concatenate([np.abs(force), *lengths], axis=-1)
        valid = np.asarray(samples[:, None] < counts, like=states)[..., None]
        size = np.where(valid, seen, 0.0)
        figures[0] = np.maximum(figures[0], on_host(size.max(axis=0)))
        with np.errstate(over="ignore"):  # of runs that diverge
            figures[1] += on_host(np.square(size).sum(axis=0))

    def _look_again(
        self,
        doubtful: AnyArray,
        rows: Sequence[Array],
        states: Array,
        force: Array,
        figures: Array,
        endings: list[Ending | None],
    ) -> None:
        """Compute some of the runs again, and look at all of their samples."""
        if not len(doubtful):
            return
        again, some = replace(self, quick=False), (numbers[doubtful] for numbers in rows)
        *numbers, found = again(range(len(doubtful)), *some)
        for all_of, part in zip((states, force, figures), numbers, strict=True):
            all_of[:, doubtful] = part
        for k, ending in zip(doubtful.tolist(), found, strict=True):
            endings[k] = ending


@dataclass(frozen=True, eq=False)
class _GpuRuns:
    """The runs of a batch on the GPU of this computer."""

    loop: ClosedLoop
    runs: int
    gains: Array
    seed: int
    condition: Condition | None = None
    """Condition under which no run ends; None: states of all samples are looked at."""

    @cached_property
    def recurrence(self) -> GpuRecurrence:
        return self.loop.on_gpu(condition=self.condition)

    @cached_property
    def constants(self) -> dict[str, Any]:
        """Inputs on the GPU that do not change along a run; deviations of the noise among them."""
        loop, arguments = self.loop, self.loop.arguments
        given: dict[str, Any] = {name: np.zeros(arguments[name].shape) for name in _ABSENT}
        given |= {"noise": np.full(arguments["noise"].shape, loop.sensors.noise)}
        given |= {"gains": constant(arguments["gains"], self.gains)}
        if loop.plant.values is not None:
            given["parameters"] = constant(arguments["parameters"], loop.plant.values)
        return {name: self.recurrence.to_gpu(x) for name, x in given.items()}

    @cached_property
    def length(self) -> int:
        """Samples at a time, of which states and what ends runs are in memory."""
        loop, runs = self.loop, self.runs
        copied = len(loop.plant.machines.names) if varied_in_kinematics(loop.plant) else 0
        of_a_sample = 2 * loop.arguments["memory"].size + OF_A_SAMPLE_ON_GPU + copied
        of_a_run = sum(a.size for a in loop.arguments.values()) + copied
        needed = runs * (of_a_run + FEWEST_ON_GPU * of_a_sample)
        self.recurrence.require_memory(needed, f"{runs:,} runs")
        free = self.recurrence.free_numbers() - runs * of_a_run
        return min(LONGEST_ON_GPU, free // (runs * of_a_sample))

    def run_all(
        self,
        memory: Array,
        reference: Array,
        every: int,
        states: Array,
        force: Array,
        figures: Array,
    ) -> AnyArray:
        """Compute states and forces at kept samples, and maxima and sums of squares of all.

        Return the runs that may have ended.
        """
        recurrence, arguments = self.recurrence, self.loop.arguments
        watched = np.zeros((self.runs, 1 + 2 * figures.shape[-1]))
        watched[:, 0] = 1.0
        of_a_run = 2 * sum(a.size for a in arguments.values())
        carried = memory.shape[-1] + watched.shape[-1]
        of_a_kept = 2 * self.runs * (carried + force.shape[-1])  # and laid out for the host
        of_a_kept += min(every, len(reference)) * recurrence.ahead_size
        recurrence.require_memory(self.runs * of_a_run + of_a_kept, f"{self.runs:,} runs")
        free = recurrence.free_numbers() - self.runs * of_a_run
        length = free // of_a_kept * every
        start = np.broadcast_to(memory, (self.runs, memory.shape[-1]))
        last = {"memory": recurrence.to_gpu(start), WATCHED: recurrence.to_gpu(watched)}
        for first in range(0, len(reference), length):
            piece = recurrence.to_gpu(reference[first : first + length, None])
            given = self.constants | last | {"reference": piece}
            found, last = recurrence(given, len(piece), first=first, every=every, seed=self.seed)
            at = slice(first // every, first // every + len(found["command"]))
            states[at] = on_host(found["kept_memory"][..., : states.shape[-1]])
            force[at] = on_host(found["command"])
        seen = on_host(last[WATCHED])
        figures[:] = np.split(seen[:, 1:], 2, axis=-1)
        return np.flatnonzero(seen[:, 0] != 1.0)

    def run(self, memory: Any, reference: Array, first: int) -> Runs:
        """Memory and commands at all samples of a piece of time, on the GPU."""
        start = np.broadcast_to(memory, (self.runs, memory.shape[-1]))
        along = {"memory": start, "reference": reference[:, None]}
        given = self.constants | {name: self.recurrence.to_gpu(x) for name, x in along.items()}
        found, _ = self.recurrence(given, len(reference), first=first, seed=self.seed)
        return Runs(found["kept_memory"], found["command"])


def _numbers(name: str, given: ArrayLike) -> Array:
    """A finite number for each run."""
    numbers = np.atleast_1d(array_of_numbers(given, name))
    if numbers.ndim != 1 or not len(numbers):
        raise GoughError(
            f"{name} has shape {numbers.shape}; varied numbers must be rows of one length, one "
            "number for each run"
        )
    if not np.isfinite(numbers).all():
        run = int(np.argmin(np.isfinite(numbers)))
        raise GoughError(f"{name} is {numbers[run]} in run {run}; expected a finite number")
    return numbers


def _has_varied_travel(plant: Plant) -> bool:
    """Whether ends of travel depend on numbers that the plant varies."""
    numbers = plant.machines.values.copy()
    numbers[plant.varied_places] = np.nan
    return bool(np.isnan(plant.travel(numbers)).any())


def _check_numbers(plant: Plant, values: Mapping[str, Array]) -> None:
    """Refuse numbers without effect, and strokes, masses and inertias that no file could have."""
    robot = plant.robot
    for name, numbers in values.items():
        if "home." in name and robot.has_extensible_legs:
            raise GoughError(
                f"cannot vary {name!r}: it changes no run, as all begin where the motion does; "
                "expected numbers of bodies, joints, strokes, or gravity"
            )
        if name.endswith(".mass") and (numbers < 0).any():
            run = int(np.argmax(numbers < 0))
            raise GoughError(f"{name} is {numbers[run]:g} kg in run {run}; expected 0 or more")
    varied = _has_varied_travel(plant)
    low, high = map(np.atleast_2d, plant.travel(plant.numbers if varied else plant.machines.values))
    if (low >= high).any():
        run, k = np.argwhere(low >= high)[0]
        raise GoughError(
            f"{robot.actuators[k].key}.stroke is {low[run, k]:g} to {high[run, k]:g} m in run "
            f"{run}; expected the shortest below the longest"
        )
    machines = plant.machines
    known = variables(robot) if machines.family else machines
    own = dict(zip(known.names, known.values, strict=True))
    for body in sorted({name.rpartition(".")[0] for name in values if ".inertia." in name}):
        moments = [values.get(f"{body}.{k}", own[f"{body}.{k}"]) for k in INERTIA]
        rows = np.stack(np.broadcast_arrays(*moments), axis=-1).reshape(-1, len(INERTIA)).tolist()
        for run, (xx, yy, zz, xy, xz, yz) in enumerate(rows):
            try:
                physical(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), rows[run])
            except InputError as error:
                raise GoughError(f"{body} in run {run}: {error}") from None
