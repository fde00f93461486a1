"""Running a study: the robot with its load, the motion, the forces, what they amount to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gough.analysis import evaluation, freedoms, limits, simulation_facts, warnings
from gough.analysis import quantities as definitions
from gough.analysis.balance import balanced, balancing_distances
from gough.analysis.evaluation import OF_TOLERANCES, Arrays, Numbers, evaluate
from gough.analysis.quantities import (
    OF_RIGID_LEGS,
    QUANTITIES,
    in_groups,
    positions_of,
    table_of,
    wanted,
)
from gough.analysis.results import Quantity, Results, Summary
from gough.analysis.singular import NEEDED, CrossingCheck, StatesAtTimes, encounters
from gough.analysis.summary import summarize
from gough.arrays import Array
from gough.compiler.native.threads import available
from gough.disk.manifest import versions
from gough.disk.plain_data import PlainData, PlainMapping
from gough.equations.dynamics import approximation_of
from gough.errors import GoughError, inside
from gough.fields.display_units import DisplayUnits
from gough.memory import require_memory
from gough.model.catalogue import chosen_formulation
from gough.model.kernels import Kernels
from gough.model.parameters import numbers_over
from gough.model.structure import left_out
from gough.motion import Motion, MotionSamples, Task, carried_over, quiet, total_wrench
from gough.progress import shows_progress
from gough.robot import Robot, parameters_of
from gough.studies.study import Study
from gough.tolerance.stated import StatedTolerances, stated_tolerances

if TYPE_CHECKING:
    from gough.compiler.device import Device
    from gough.executors import Executor
    from gough.simulation.results import SimulatedRun
    from gough.simulation.scenario import Scenario
    from gough.studies.grid_results import GridResults


COPIES = 3
"""Copies of the numbers over time that are held at once: computed, as a table, for the report."""
COPIES_OF_FIGURES = 12
"""Copies of the figures of a grid: as chunks come, as arrays, as a table and its text, in the
report."""
SMALL = 2**15  # a study with fewer numbers in a column than this is not looked at: it fits
_NUMBER = 8  # bytes
_LACKING = (
    "there are no shares of forces, no joint reactions and no wrench_margin: they are those of "
    "rigid legs"
)
OF_PAYLOADS = ("platform.mass", "platform.center_of_mass", "platform.inertia")
"""Numbers of a robot that payloads change on the way."""
_OF_FORCES = {name for name, quantity in QUANTITIES.items() if quantity.of_forces}


@shows_progress
def run(
    study: Study | PlainMapping | str | Path, *, executor: Executor = None, progress: bool = False
) -> Results | GridResults:
    """Run a study, given as such, as plain data, or as a study file.

    Without variations the result is a Results; with them a GridResults, all points of the grid:
    on all cores, by so many local processes, or on a Dask cluster, as `executor` says (see
    `gough.executors`); `progress` shows a bar. Of cases it is a Comparison, a grid with the results
    of each. To keep results on disk as they come use `gough.runs.to_folder`.

    >>> import gough
    >>> from gough.motion import Quintic, line
    >>> robot = gough.load("kalani-2016")
    >>> motion = line(robot.home, [0.1, 0, 0], Quintic(1.0))
    >>> results = gough.run(gough.Study(robot, motion, samples=5))
    >>> results["force"].shape, results.quantities["force"].unit
    ((5, 6), 'N')
    """
    study = as_study(study)
    check_memory(study)
    if study.variations:
        from gough.studies.grid import run_grid  # noqa: PLC0415  (it runs many of these)

        return run_grid(study, executor=executor)
    return run_one(study)


def as_study(study: Study | PlainMapping | str | Path) -> Study:
    """A study from what stands for one."""
    if isinstance(study, Study):
        return study
    if not isinstance(study, Mapping | str | Path):
        raise GoughError(f"no study: {study!r:.80}; expected a file, a table or a Study")
    return Study.from_dict(study) if isinstance(study, Mapping) else Study.load(study)


def run_one(study: Study, *, threads: int | None = None) -> Results:
    """Run a study without variations, or simulate it if it has a controller.

    A large study is computed on so many threads, or on all cores.
    """
    if study.recording is not None:
        from gough.identification import recording  # noqa: PLC0415  (slow, and few need it)
        from gough.studies.recorded import with_recording  # noqa: PLC0415

        columns = recording.recorded_columns(study.recording.file)  # refused before the run
        results = run_one(replace(study, recording=None), threads=threads)
        with recording.about_recording(study.recording.file), inside("recording"):
            return with_recording(results, columns)
    if study.controller is not None:
        return _simulated(study)
    time = study.times()
    motion = freedoms.possible_motion(study.robot, study.motion, time)
    samples = motion(time)
    wrench = total_wrench(study.tasks, time, samples)
    stretches = robots_along(study, time, samples.pose)
    robot, parameters = stretches[0][1], numbers_over(stretches)
    state = at_rest(samples) if study.static else samples
    asked, compliant = wanted(study.outputs.quantities), study.legs != "rigid"
    needed = asked | limits.limited_quantities(robot) | set(NEEDED)
    needed -= OF_RIGID_LEGS if compliant else set()
    numbers, base = Numbers.of(robot, parameters), base_along(study, time)
    ways = (threads, study.formulation, _tolerances_along(study, stretches), base)
    found = evaluate(robot, numbers, state, wrench, needed, *ways)

    def pose_at(t: float) -> Array:
        return motion(t).pose

    def states(times: Array) -> StatesAtTimes:
        at = motion(times)
        before = np.clip(np.searchsorted(time, times, side="right") - 1, 0, None)
        numbers = np.broadcast_to(parameters, (len(time), parameters.shape[-1]))[before]
        rest = at_rest(at) if study.static else at
        acting = total_wrench(study.tasks, times, at), base_along(study, times)
        return StatesAtTimes(numbers, rest, *acting)

    crossed = CrossingCheck(robot, study.formulation, states, study.duration, base is not None)
    met = encounters(robot, parameters_of(robot), pose_at, time, found, crossed.checked)
    found |= crossed.bridged(met.points, time, {n: found[n] for n in _OF_FORCES & set(found)})
    own: Arrays = {} if base is None else {"base_pose": base.pose, "base_twist": base.twist}
    if compliant:
        from gough.studies import compliant as springs  # noqa: PLC0415  (slow to import)

        unloaded = with_balance(study, study.robot, samples.pose)
        in_place, own = springs.on_springs(study, unloaded, motion, met.points)
        found |= {name: values for name, values in in_place.items() if name in found}
    steps = jumps_along(study.tasks, time)
    add_induced_voltages(study, motion, time, parameters_of(robot), found, steps)
    found = _without(found, _OF_FORCES, met.lost)
    found = _without(found, definitions.SHARES, met.split)
    table = table_of(robot, moving_base=study.base is not None)
    bounds = study.tracking_bounds
    summary = summarize(robot, time, found, asked, singular=met.points, tracking_error=bounds)
    if compliant:
        summary |= springs.figures_on_springs(robot, time, found, own, bounds)
    shown = {name: values for name, values in (found | own).items() if name in asked | own.keys()}
    words = {"power": table["power"].of_a_run.meaning} if compliant else {}
    quantities = {
        name: Quantity.of(name, values, meaning=words.get(name, ""), table=table)
        for name, values in shown.items()
    }
    return Results(
        robot=robot,
        study=study.resolved(),
        time=time,
        quantities=quantities,
        warnings=(
            *input_warnings(study, robot),
            *warnings.reach_warnings(time, quantities[positions_of(table)]),
            *warnings.warnings_of(summary, len(time), met, jumps_of(study, motion), study.units),
            *load_warnings(study.tasks, motion, samples, time, study.units),
            *(warnings.base_warnings(study.base, time, study.units) if study.base else ()),
        ),
        summary=Summary(summary),
        singularities=met.points,
        versions=versions(),
    )


def _simulated(study: Study) -> Results:
    ((_, found),) = run_together([study], device=study.executor.device)
    if isinstance(found, GoughError):
        raise found
    return found.results


class SimulatedStudy(NamedTuple):
    """The run of a study, whose results are made where they are asked for."""

    run: SimulatedRun
    study: Study
    facts: PlainMapping  # facts that were found before the run
    warnings: tuple[str, ...]

    @property
    def results(self) -> Results:
        """Those of the run, with the study as it was written."""
        found, key = self.run.results, simulation_facts.RUN
        written = self.study.written or {**found.study, "notes": self.study.notes}
        known = {**written, key: {**found.study[key], **self.facts}}
        return replace(found, study=known, warnings=self.warnings)


def run_together(
    studies: Iterable[Study],
    kind: tuple[Robot, tuple[str, ...]] | None = None,
    *,
    device: Device = "cpu",
) -> Iterator[tuple[int, SimulatedStudy | GoughError]]:
    """Simulate studies with a controller, by one device; places with runs, or errors, come out.

    With a `kind`, a robot and names of its numbers, all whose robots differ in these alone have the
    functions of that robot, and are computed at once.
    """
    from gough.simulation.scenario import sharing_functions  # noqa: PLC0415  (slow to import)
    from gough.simulation.simulate import simulate_all  # noqa: PLC0415

    ready = list[tuple[int, Study, PlainData, list[str]]]()
    failed = dict[int, GoughError]()

    def scenarios() -> Iterator[Scenario]:
        for k, study in enumerate(studies):
            facts, said = dict[str, Any](), list[str]()
            try:
                scenario, how = scenario_of(study, tuned=False), study.simulation
                if how is not None and how.tuning is not None:
                    tuned = how.tuning.optimised(scenario)
                    scenario = replace(scenario, controller=tuned.controller)
                    said = [f"optimised gains: {words}" for words in tuned.warnings]
                    factors = {f"factor of {name}": x for name, x in tuned.factors.items()}
                    facts = {"optimised_gains": factors}
                elif kind is not None:
                    scenario = sharing_functions(scenario, *kind)
            except GoughError as error:
                failed[k] = error
            else:
                ready.append((k, study, facts, said))
                yield scenario

    for place, found in simulate_all(scenarios(), device=device):
        k, study, facts, said = ready[place]
        if isinstance(found, GoughError):
            yield k, found
        else:
            yield k, SimulatedStudy(found, study, facts, (*found.of.warnings[found.place], *said))
    yield from failed.items()


def scenario_of(study: Study, *, tuned: bool = True) -> Scenario:
    """Return the scenario of a study with a controller; `tuned` if it has a [simulation.tuning]."""
    from gough.simulation.scenario import Scenario  # noqa: PLC0415  (slow to import)

    how, first = study.simulation, study.motion(0.0).pose
    if study.controller is None or how is None:
        raise GoughError(f"{study.name} has no controller; expected a table [controller]")
    if study.variations:
        raise GoughError(f"{study.name} has variations or cases; expected a single run")
    same = ("plant", "tasks", "duration", "name", "units", "base")
    scenario = Scenario(
        study.robot,
        study.controller,
        study.motion,
        **{key: getattr(study, key) for key in same},
        **{key: getattr(how, key) for key in ("sampling", "saturated", "every")},
        sensors=how.sensors(study.robot),
        imu=how.imu,
        start=study.start.pose_and_twist(first, study.frames) if study.start else None,
        rng=how.seed,
        integrator=how.adaptive,
        quantities=study.outputs.quantities,
    )
    if how.tuning is None or not tuned:
        return scenario
    return replace(scenario, controller=how.tuning.optimised(scenario).controller)


def add_induced_voltages(
    study: Study,
    motion: Motion,
    time: Array,
    parameters: Array,
    found: Arrays,
    steps: Iterable[float],
) -> None:
    """Add to voltages and powers what changes of currents take; tasks change at `steps` [s]."""
    if "motor_voltage" in found and not study.static:
        jumps = {*steps, *motion.breaks}
        evaluation.add_induced_voltages(study.robot, parameters, time, found, jumps)


def jumps_along(tasks: Iterable[Task], time: Array) -> tuple[float, ...]:
    """Times [s] at which loads jump, from the first of some times to the last."""
    ends = float(time[0]), float(time[-1])
    return tuple(t for task in tasks for t in task.jumps_within(*ends))


def jumps_of(study: Study, motion: Motion) -> tuple[float, ...]:
    """Times at which accelerations jump [s]: those of a static study do not matter."""
    return () if study.static else (*motion.breaks, *(study.base.breaks if study.base else ()))


def input_warnings(study: Study, robot: Robot) -> tuple[str, ...]:
    """Warnings about what is asked of a robot: before those about figures."""
    named = study.outputs.quantities
    asked, tolerances = {*named, *in_groups(*named)}, bool(study.tolerances)
    none = "there are no deviations of poses and forces: the study has no [tolerances]"
    about = approximation_of(chosen_formulation(study.robot, study.formulation))
    exact = "energy and shares of the force are those of exact legs"
    lacking = (definitions.why_lacking(robot, name) for name in named if name in QUANTITIES)
    resting: Iterable[str] = ()
    if study.base:
        resting = warnings.resting_base_warnings(named, robot, tolerances=tolerances)
    return (
        *left_out(robot),
        *([f"{study.formulation} approximates: {about}; {exact}"] if about else []),
        *filter(None, lacking),
        *([_LACKING] if study.legs != "rigid" and OF_RIGID_LEGS & asked else []),
        *resting,
        *([none] if not tolerances and {*OF_TOLERANCES, "tolerances"} & {*named} else []),
    )


def load_warnings(
    tasks: Sequence[Task], motion: Motion, samples: MotionSamples, time: Array, units: DisplayUnits
) -> tuple[str, ...]:
    """Warnings about motion and tasks: behind those about figures."""
    return (
        *warnings.motion_warnings(motion, samples, time, units),
        *warnings.task_warnings(tasks, motion, samples, time, units),
    )


def at_rest(samples: MotionSamples) -> MotionSamples:
    """Take each pose by itself, without speed and acceleration."""
    rest = np.zeros_like(samples.twist)
    return samples._replace(twist=rest, acceleration=rest)


def base_along(study: Study, time: Array) -> MotionSamples | None:
    """Return the motion of the base at times, if it moves."""
    if study.base is None:
        return None
    return at_rest(study.base(time)) if study.static else study.base(time)


def robots_along(study: Study, time: Array, pose: Array) -> list[tuple[slice, Robot]]:
    """The robot with its load and balance at times, where it takes poses (T, 7): stretches."""
    carried = carried_over(study.robot, study.tasks, time)
    return [(where, with_balance(study, robot, pose)) for where, robot in carried]


def with_balance(study: Study, robot: Robot, pose: Array) -> Robot:
    """The robot with its balancing masses: where no distance is given, for the mean leg lengths."""
    balance = study.balance
    if balance is None or balance.mass == 0.0:
        return robot
    if balance.distance is not None:
        return balanced(robot, balance.mass, balance.distance)
    lengths = Kernels(robot, parametric=True).inverse_kinematics(parameters_of(robot), pose)
    distances = balancing_distances(robot, balance.mass, lengths.mean(axis=0))
    return balanced(robot, balance.mass, distances)


def _tolerances_along(
    study: Study, stretches: list[tuple[slice, Robot]]
) -> tuple[StatedTolerances, Array] | None:
    """Return the study's tolerances, with the numbers of its robot as loads change them."""
    if not study.tolerances:
        return None
    stated = stated_tolerances(study.robot, study.tolerances, also=OF_PAYLOADS)
    return stated, numbers_over(stretches, stated.machines.values_of)


def _without(found: Arrays, names: Set[str], lost: Array | None) -> Arrays:
    """Quantities at samples near singular points as NaN: they have no bound there."""
    if lost is None:
        return found
    places = {name: lost.reshape(-1, *(1,) * (found[name].ndim - 1)) for name in names & {*found}}
    return found | {name: np.where(at, np.nan, found[name]) for name, at in places.items()}


def check_memory(study: Study) -> None:
    """Refuse a study that needs more memory than there is; GoughError with both."""
    if study.controller is not None:
        return  # each simulation looks by itself
    points = math.prod(study.shape)
    samples = study.count
    at_once = min(points, available())
    if max(points, at_once * samples) < SMALL:
        return
    with quiet():  # a short run shows the number of columns over time, and of figures
        found = run_one(replace(study, samples=2, rate=None, legs="rigid"))
    columns = len(found.columns())
    figures = sum(1 + len(scalar.per_leg) for scalar in found.summary.values())
    needed = _NUMBER * (COPIES * at_once * samples * columns + COPIES_OF_FIGURES * points * figures)
    size = f"{points:,} points" if study.variations else f"{samples:,} samples"
    require_memory(needed, f"{study.name}: {size} of {columns} columns")
