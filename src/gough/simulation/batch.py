"""Many runs of one machine side by side: other payloads, other gains, the same reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.freedoms import possible_motion
from gough.arrays import AnyArray, Array, on_host
from gough.checks import require_instance, require_integer, seed_of
from gough.compiler import Argument, Function, Kernel, compiled
from gough.compiler.device import Device, arrays_of
from gough.display.brief import Brief
from gough.equations.spatial.pose import difference
from gough.errors import GoughError, InputError, clipped
from gough.executors import Executor, in_chunks
from gough.fields.inertia import physical
from gough.model import variables
from gough.model.definition import POSE
from gough.motion import MotionSamples
from gough.poses.given import array_of_numbers
from gough.simulation.closed_loop import WATCHED, ClosedLoop, check_kept, constant, gpu_recurrence
from gough.simulation.controllers.controller import Controller
from gough.simulation.events import Ending, first_endings, surely_goes_on
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.real import rigid_plant
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import check_start

_ABSENT = ("wrench", "wrench_next", "disturbance")  # inputs of a loop that runs of a batch lack
_OF_ONE_RUN = ("plant", "integrator", "start", "duration", "imu", "base")
"""Entries of a scenario that batches do not have."""
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
OF_A_SAMPLE, OF_A_KEPT_SAMPLE = 60, 60  # numbers in memory: per sample; per run and kept sample
NUMBERS_AT_A_TIME, COPIES_ON_GPU = 20_000_000, 5
"""Maximum count of numbers, beside those that are kept, of runs that are looked at together; and
copies of them in memory of a GPU, whose size limits them there."""


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
    sampling, every = scenario.sampling, scenario.every
    require_instance("varied", varied, Mapping)
    values = {name: _numbers(name, given) for name, given in varied.items()}
    lengths = {len(v) for v in values.values()}
    if len(lengths) > 1:
        each = ", ".join(f"{name} has {len(rows)}" for name, rows in values.items())
        raise GoughError(f"{clipped(each, 200)}; expected as many of each, one for each run")
    parameters = np.stack(list(values.values()), axis=-1) if values else None
    plant = rigid_plant(robot, tuple(values), parameters)
    if controller.clips and _has_varied_travel(plant):
        raise GoughError(
            f"the reference of {controller.name} is clipped at the travel of the nominal robot; "
            "expected no varied travel"
        )
    _check_numbers(plant, values)
    loop = ClosedLoop(plant, controller, robot, sampling, scenario.sensors, scenario.saturated)
    own = loop.gain_values if gains is None else constant(loop.arguments["gains"], gains)
    if not np.isfinite(own).all():
        raise GoughError("gains are not all finite; expected a number for each gain of each run")
    counts = {*lengths, own.shape[1] if own.ndim == 3 else 1}
    if len(counts - {1}) > 1:
        raise GoughError(f"{own.shape[1]} rows of gains for {lengths.pop()} runs; expected as many")
    runs = max(counts)
    of_a_run = OF_A_KEPT_SAMPLE / require_integer("every", every)
    of_a_sample = OF_A_SAMPLE + plant.state.size + OF_A_KEPT_SAMPLE + runs * of_a_run
    time = sampling.times(float(motion.duration), of_a_sample, runs)
    check_kept(every, len(time))
    samples = possible_motion(robot, motion, time)(time)
    initial = plant.admissible_start(samples.pose[0], samples.twist[0])
    check_start(plant, initial[0], plant.state_at(*initial))
    differing = {} if parameters is None else {"parameters": parameters}
    differing |= {"gains": own[0]} if own.ndim == 3 else {}
    given = {k: np.broadcast_to(rows, (runs, rows.shape[-1])) for k, rows in differing.items()}
    unvaried = replace(loop, plant=replace(plant, values=None))
    job = _Runs(unvaried, time, samples, own, every, tuple(given), seed_of(scenario.rng), device)
    chunks = in_chunks(job, range(runs), *given.values(), executor=executor)
    found = sorted(chunks, key=attrgetter("items.start"))
    *parts, endings = zip(*(chunk.result for chunk in found), strict=True)
    states, force, figures = map(_side_by_side, parts)
    pose, twist = states[..., :7], states[..., 7:13]
    error = _pose_error()(samples.pose[::every, None], pose)
    (peak_force, rms_force), (peak_error, rms_error) = np.split(figures, [plant.actuators], axis=-1)
    return BatchResults(
        *(time[::every], pose, twist, force, error),
        *(peak_force, rms_force, peak_error, rms_error),
        tuple(chain.from_iterable(endings)),
    )


def _side_by_side(parts: Sequence[Array]) -> Array:
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
    seed: int  # seed of the noise
    device: Device

    def __call__(
        self, runs: range, *rows: Array
    ) -> tuple[Array, Array, Array, list[Ending | None]]:
        """Return states, forces (T, runs, n) at kept samples, figures, and endings.

        States and forces are NaN after a run's end. Figures (2, runs, n) are peak and rms values of
        its forces and pose errors.
        """
        plant, count = self.loop.plant, -(-len(self.time) // self.every)
        states = np.empty((count, len(runs), plant.state.size))
        force = np.empty((count, len(runs), plant.actuators))
        found = states, force, np.zeros((2, len(runs), plant.actuators + 2))
        endings: list[Ending | None] = [None] * len(runs)
        left, size = np.arange(len(runs)), NUMBERS_AT_A_TIME
        if self.device == "gpu" and len(left := self._go_on(rows, *found)):
            size = gpu_recurrence(self.loop.without_values).free_numbers() // COPIES_ON_GPU
        size = max(1, size // (len(self.time) * (self.loop.parts[-1].stop + OF_A_KEPT_SAMPLE)))
        for part in (left[k : k + size] for k in range(0, len(left), size)):
            some = [numbers[part] for numbers in rows]
            *numbers, ended = self._looked_at([runs[k] for k in part], some)
            for all_of, own in zip(found, numbers, strict=True):
                all_of[:, part] = own
            for k, ending in ended.items():
                endings[part[k]] = ending
        return *found, endings

    def _own(self, rows: Sequence[Array]) -> tuple[ClosedLoop, Array, Array]:
        """Return the loop of runs, their memory at the beginning and their gains."""
        given = dict(zip(self.differing, rows, strict=True))
        loop = replace(self.loop, plant=replace(self.loop.plant, values=given.get("parameters")))
        memory = loop.start(self.samples.pose[0], self.samples.twist[0])
        return loop, memory, given.get("gains", self.gains)

    @property
    def _reference(self) -> Array:
        return np.concatenate(self.samples, axis=-1)

    def _looked_at(
        self, runs: Sequence[int], rows: Sequence[Array]
    ) -> tuple[Array, Array, Array, dict[int, Ending]]:
        """Return what a call does, of runs all of whose samples are in memory."""
        loop, memory, gains = self._own(rows)
        plant, count = loop.plant, len(self.time)
        found = loop.run(
            memory,
            self._reference,
            noise=loop.sensors.noise_samples(count, runs, plant.actuators, self.seed),
            gains=gains,
            parameters=plant.values,
            device=self.device,
        )
        states, force = found.memory[..., : plant.state.size], found.command
        ended = first_endings(plant, self.time, states, force, crosses=loop.controller.crosses)
        counts = np.full(len(runs), count)
        for k, ending in ended.items():
            counts[k] = ending.samples
            ended[k] = replace(ending, samples=-(-ending.samples // self.every))
        valid = np.arange(count)[:, None] < counts
        wanted = np.asarray(self.samples.pose[:, None], like=states)
        parts = np.split(_pose_error()(wanted, states[..., :7]), 2, axis=-1)
        lengths = (np.linalg.norm(part, axis=-1, keepdims=True) for part in parts)
        seen = np.concatenate([np.abs(force), *lengths], axis=-1)
        size = np.where(np.asarray(valid, like=states)[..., None], seen, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):  # of runs that diverge, or end at once
            squares = on_host(np.square(size).sum(axis=0)) / counts[:, None]
        figures = np.stack([on_host(size.max(axis=0)), np.sqrt(squares)])
        figures[:, counts == 0] = np.nan
        kept = slice(None, None, self.every)
        known = valid[kept][..., None]
        states, force = (np.where(known, on_host(x[kept]), np.nan) for x in (states, force))
        return states, force, figures, ended

    def _go_on(
        self, rows: Sequence[Array], states: Array, force: Array, figures: Array
    ) -> AnyArray:
        """Compute runs on the GPU; return those that may have ended at some sample."""
        loop, memory, gains = self._own(rows)
        plant, arguments, (_, runs, _) = loop.plant, loop.arguments, force.shape
        start = np.reshape(memory, (-1, memory.shape[-1]))[0, : plant.state.size]
        condition = surely_goes_on(plant, start, crosses=loop.controller.crosses)
        if condition is None:
            return np.arange(runs)
        recurrence, reference = loop.on_gpu(condition=condition), self._reference
        watched = np.zeros((runs, 1 + 2 * figures.shape[-1]))
        watched[:, 0] = 1.0
        given: dict[str, Any] = {name: np.zeros(arguments[name].shape) for name in _ABSENT}
        given |= {"noise": np.full(arguments["noise"].shape, loop.sensors.noise)}  # deviations
        given |= {"gains": constant(arguments["gains"], gains)}
        given |= {"memory": np.broadcast_to(memory, (runs, memory.shape[-1])), WATCHED: watched}
        if plant.values is not None:
            given["parameters"] = constant(arguments["parameters"], plant.values)
        given = {name: recurrence.to_gpu(x) for name, x in given.items()}
        of_a_run = 2 * sum(a.size for a in arguments.values())
        carried = memory.shape[-1] + watched.shape[-1]
        of_a_kept = 2 * runs * (carried + force.shape[-1])  # and laid out for the host
        of_a_kept += min(self.every, len(reference)) * recurrence.ahead_size
        recurrence.require_memory(runs * of_a_run + of_a_kept, f"{runs:,} runs")
        length = (recurrence.free_numbers() - runs * of_a_run) // of_a_kept * self.every
        for first in range(0, len(reference), length):
            given["reference"] = recurrence.to_gpu(reference[first : first + length, None])
            how = {"first": first, "every": self.every, "seed": self.seed}
            kept, last = recurrence(given, len(given["reference"]), **how)
            given |= last
            at = slice(first // self.every, first // self.every + len(kept["command"]))
            states[at] = on_host(kept["kept_memory"][..., : states.shape[-1]])
            force[at] = on_host(kept["command"])
        seen = on_host(given[WATCHED])
        figures[:] = np.split(seen[:, 1:], 2, axis=-1)
        figures[1] = np.sqrt(figures[1] / len(self.time))
        return np.flatnonzero(seen[:, 0] != 1.0)


def _numbers(name: str, given: ArrayLike) -> Array:
    """A finite number for each run."""
    numbers = np.atleast_1d(array_of_numbers(given, name))
    if numbers.ndim != 1 or not len(numbers):
        raise GoughError(
            f"{name} has shape {numbers.shape}; expected (runs,), a number for each run, of which "
            "there is at least one"
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
