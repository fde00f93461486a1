"""Simulation of a machine that follows a motion under a controller, as labelled results."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice
from math import ceil

import casadi as ca
import numpy as np

from gough.analysis.quantities import positions_of, table_of
from gough.analysis.results import Results
from gough.arrays import Array
from gough.checks import require_instance
from gough.compiler.device import Device
from gough.equations.control.signals import encoder_reading
from gough.equations.forces.contact import Contact, ContactSurface, contact_of
from gough.errors import GoughError, InputError
from gough.kinematics.model import Model
from gough.motion import Motion, MotionSamples, carried_motion
from gough.simulation import integrators
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.sensors import PERFECT
from gough.simulation.events import (
    Ending,
    command_limit,
    end_stop,
    first_endings,
    travel_margin,
    varied_in_kinematics,
)
from gough.simulation.paths import loop_of, with_paths
from gough.simulation.plants.connectors import STATE
from gough.simulation.plants.plant import Plant
from gough.simulation.results import SimulatedRun, at_limit, cut_off, energy_warnings, results_of
from gough.simulation.run_batch import RunBatch
from gough.simulation.scenario import Run, Scenario
from gough.simulation.tuning.margins import linear_loops

Outcome = tuple[int, SimulatedRun | GoughError]  # the place of a run, and what became of it
SUBSTEPS_LOOKED_AT = 1000  # maximum RK4 steps for the poles of a loop whose integrator adapts
UNSTABLE = "the gains are not stable"  # beginning of the warning of a loop that is not

AT_A_TIME, OF_A_SAMPLE = 20_000_000, 100  # numbers of runs in memory at once, and of a sample
RESULTS_AT_A_TIME, OF_RESULTS = 4_000_000, 250  # numbers of results made at once, and of a sample
APPROACH = 0.01
"""Growth per sample up to which a tool that pushes against nothing departs: not by its gains."""


def simulate(scenario: Scenario) -> Results:
    """Simulate a controller that follows a motion, from its beginning or from another start.

    A run ends early where it diverges, crosses a singular configuration or exceeds a range: the
    results until then are kept, and `warnings` gives the reason. A controller that crosses on
    purpose goes on.

    >>> import gough
    >>> robot = gough.load("kalani-2016")
    >>> motion = gough.motion.line(robot.home, [0.05, 0, 0], gough.motion.Quintic(0.5))
    >>> controller = gough.simulation.tune(robot, "computed-torque", frequency=5).controller
    >>> results = gough.simulate(gough.Scenario(robot, controller, motion))
    >>> bool(abs(results["leg_length_error"]).max() < 1e-4)  # [m]
    True
    """
    ((_, found),) = simulate_all([scenario])
    if isinstance(found, GoughError):
        raise found
    return found.results


def simulate_all(scenarios: Iterable[Scenario], *, device: Device = "cpu") -> Iterator[Outcome]:
    """Yield the places of scenarios and their results, or an error, those of a batch together.

    Scenarios with one compiled loop are simulated and looked at in batches; on a `device` "gpu"
    that computes the runs, and results are made of them by processors.
    """
    runs, alike = dict[int, Run](), dict[object, list[int]]()
    for k, scenario in enumerate(scenarios):
        try:
            require_instance("scenario", scenario, Scenario)
            run = Run.of(scenario)
            _ = run.loop  # a controller that does not fit the plant is refused
            runs[k] = run
        except GoughError as error:
            yield k, error
    for k, run in runs.items():
        loop = loop_of(run) if len(runs) > 1 else None
        alike.setdefault((loop or k, run.every, run.quantities, run.imu is None), []).append(k)
    for places in alike.values():
        run = runs[places[0]]
        size = len(run.time) * (run.plant.state.size + OF_A_SAMPLE)
        step = max(1, AT_A_TIME // size) if run.plant.transmission.varies else 1
        for first in range(0, len(places), step):
            part = places[first : first + step]
            for place, found in _simulated([runs[k] for k in part], device):
                yield part[place], found


def _simulated(runs: Sequence[Run], device: Device) -> Iterator[Outcome]:
    """Yield what becomes of runs with one compiled loop, by their places."""
    prepared = _prepared(runs)
    known = {k: words for k, words in enumerate(prepared) if not isinstance(words, GoughError)}
    yield from ((k, error) for k, error in enumerate(prepared) if isinstance(error, GoughError))
    if not known:
        return
    places = [*known]
    try:
        batch = with_paths(RunBatch.of([runs[k] for k in places]), device)
    except GoughError as error:
        yield from ((k, error) for k in places)
        return
    of_a_run = len(batch.time) * OF_RESULTS // int(batch.runs[0].every)
    step = max(1, RESULTS_AT_A_TIME // max(of_a_run, 1))
    for first in range(0, len(places), step):
        part = range(len(places))[first : first + step]
        words = [known[places[k]] for k in part]
        for k, found in _finished(batch.only(part), words):
            yield places[part[k]], found


def _prepared(runs: Sequence[Run]) -> list[list[str] | GoughError]:
    """Return warnings of runs with one loop, or why one is refused: what is known beforehand."""
    try:
        return [*_warned(RunBatch.of(runs))]
    except GoughError as error:
        if len(runs) == 1:
            return [error]
        half = len(runs) // 2
        return _prepared(runs[:half]) + _prepared(runs[half:])


def _warned(batch: RunBatch) -> list[list[str]]:
    """Return warnings of runs; refuse what can be known before them."""
    run = batch.runs[0]
    check_start(batch.plants, *batch.starts)
    if run.integrator is None:
        check_first_steps(batch)
    warnings = []
    for one in batch.runs:
        _check_task_frame(one)
        warnings.append(_inside_surface(one) + _early_end(one.motion, one.time))
    if run.loop is None:  # a controller in Python is not known
        return warnings
    unstable = _instability(batch, run.loop)
    return [words + more for words, more in zip(warnings, unstable, strict=True)]


def _finished(batch: RunBatch, warnings: Sequence[list[str]]) -> Iterator[Outcome]:
    """Yield the results of runs whose paths are known, or what is wrong with them."""
    run, every, count = batch.runs[0], int(batch.runs[0].every), len(batch.time)
    crosses = isinstance(run.controller, Controller) and run.controller.crosses
    sides = (np.swapaxes(values, 0, 1) for values in batch.path)
    endings = first_endings(batch.plants, batch.time, *sides, crosses=crosses)
    by_end = dict[int, list[int]]()
    for k in range(len(batch.runs)):
        by_end.setdefault(endings[k].samples if k in endings else count, []).append(k)
    for end, which in by_end.items():
        part = batch.only(which).part(slice(end))
        failed = {}
        if end <= every:
            for k in which:
                what = endings[k].text if k in endings else "nothing was computed"
                failed[k] = GoughError("; ".join([f"{batch.runs[k].name}: {what}", *warnings[k]]))
        elif run.integrator is None:
            failed = {which[k]: error for k, error in _steps_too_large(part).items()}
        yield from failed.items()
        rest = [k for k in which if k not in failed]
        if rest:
            ended, words = [endings.get(k) for k in rest], [warnings[k] for k in rest]
            part = part.only([which.index(k) for k in rest])
            words = _on_the_way(part, ended, words)
            kept = slice(0, None, every)
            read = {name: values[:, kept] for name, values in readings(part).items()}
            yield from zip(rest, results_of(part.part(kept), read, words, ended), strict=True)


def _on_the_way(
    batch: RunBatch, endings: Sequence[Ending | None], warnings: Sequence[list[str]]
) -> list[list[str]]:
    """Return the warnings of each run, with those of all of its samples."""
    run, every = batch.runs[0], int(batch.runs[0].every)
    limited: Sequence[list[str]] = [[]] * len(batch.runs)
    if run.saturated:
        margin = command_limit(batch.plant).margin(batch.time, *batch.path)
        limited = at_limit(batch.plant, "command", batch.time, margin <= 0)
    unseen = "peaks, margins and limits between them are not seen"
    kept = [f"one of every {every} samples is kept: {unseen}"] if every > 1 else []
    each = zip(endings, warnings, limited, energy_warnings(batch), strict=True)
    return [
        [*([ending.text] if ending else []), *before, *limit, *energy, *kept]
        for ending, before, limit, energy in each
    ]


def readings(batch: RunBatch) -> dict[str, Array]:
    """Return readings of encoders and inertial sensors (N, T, n) at all samples, by quantity.

    Encoders read positions [m, rad], of which speeds may be derived; none where they are perfect.
    """
    run, found = batch.runs[0], dict[str, Array]()
    plant, sensors = run.plant, run.sensors
    if run.imu is not None:
        states, _ = batch.path
        parts = (states[..., :7], states[..., 7:13], batch.rates[..., 7:13])
        motion, base = MotionSamples(*parts), batch.base
        motion = motion if base is None else carried_motion(base, motion)
        read = list[dict[str, Array]]()
        for k, one in enumerate(batch.runs):
            own = MotionSamples(*(part[k] for part in motion)), one.plant.robot.gravity
            rng = np.random.default_rng([one.seed, 1])  # other numbers than those of the encoders
            read.append((one.imu or run.imu).read(*own, run.sampling.period, rng))
        found |= {name: np.stack([one[name] for one in read]) for name in read[0]}
    if sensors == PERFECT:
        return found
    positions = positions_of(table_of(plant.robot))
    speeds = "leg_speed" if positions == "leg_length" else "actuator_speed"
    n, period = plant.actuators, run.sampling.period
    exact = plant.measured_kernel(batch.path[0], batch.loads, *batch.parameters)[..., :n]
    noise = np.zeros_like(exact) if batch.noise is None else batch.noise
    flat, added = (ca.DM(values.reshape(-1, n)) for values in (exact, noise))
    reading = np.array(encoder_reading(flat, added, sensors.resolution)).reshape(exact.shape)
    found[f"measured_{positions}"] = reading
    if sensors.speed_filter is None:
        return found
    starts = [sensors.start(one.plant, one.initial_state, period) for one in batch.runs]
    before, speed = np.split(np.stack(starts), 2, axis=-1)
    share = period / (period + sensors.speed_filter)  # of a first-order low-pass, as in the loop
    steps = np.swapaxes(share * np.diff(reading, axis=1, prepend=before[:, None]) / period, 0, 1)
    smooth = accumulate(steps, lambda last, new: (1 - share) * last + new, initial=speed)
    return found | {f"measured_{speeds}": np.stack([*islice(smooth, 1, None)], axis=1)}


def check_start(plant: Plant, pose: Array, state: Array) -> None:
    """Refuse a start out of reach, one that no forces hold, and one of undetermined motion.

    Pose and state are one, or those of each run, (runs, n).
    """
    differ = plant.values is not None and varied_in_kinematics(plant)
    placed = plant if differ else replace(plant, values=None)  # one for all runs, if it may be
    runs = np.atleast_2d(placed.numbers)
    margin = travel_margin(plant, runs, state)
    run, k = np.unravel_index(int(np.argmin(margin)), margin.shape)
    several = len(runs) > 1
    if margin[run, k] < 0 and not plant.has_end_stops:
        joint, q = plant.structure.driven[k], plant.positions(runs, state)[run, k]
        low, high = (np.broadcast_to(end, margin.shape)[run, k] for end in plant.travel(runs))
        extensible = plant.robot.has_extensible_legs
        place, kind = (f"{q:.6g} m long", "length") if extensible else (f"at {q:.6g}", "position")
        raise GoughError(
            f"start{f' of run {run}' if several else ''}: {joint.name} is {place}; expected "
            f"a {kind} within its {joint.travel}, {low:.6g} to {high:.6g} {joint.unit}"
        )
    held = np.isfinite(np.atleast_2d(placed.holding(pose))).all(axis=-1)
    if not held.all():
        Model(plant.robot).checked_inverse_dynamics(pose)  # names what is singular
        which = f" of run {np.argmin(held)}" if several else ""
        raise GoughError(f"start{which}: no forces hold the machine at the pose {pose.tolist()}")
    plant.check_motion(state)


def _check_task_frame(run: Run) -> None:
    """Refuse a start opposite the point of a surface, from which task axes cannot be turned."""
    known = run.controller.surface if isinstance(run.controller, Controller) else None
    if known and float(ca.dot(_first_contact(run, known).normal, known.shape.normal)) < 1e-9 - 1:
        raise InputError(
            "the normal at the tool is opposite to this one: task x and y are not known",
            key="plant.surface.normal",
            expected="a point of the surface on the tool's side, with its normal",
        )


def _first_contact(run: Run, surface: ContactSurface) -> Contact:
    """Return the contact of a tool at rest where a run begins."""
    return contact_of(surface, ca.DM(run.initial_state[:7]), ca.DM.zeros(6))


def _inside_surface(run: Run) -> list[str]:
    """Warn if the tool is inside the surface at the beginning, or beyond its heights."""
    if run.plant.surface is None:
        return []
    at = _first_contact(run, run.plant.surface)
    if np.isnan(float(at.distance)):
        return ["the tool begins beyond the height map: there is no surface"]
    if not (force := float(at.force)) > 0:
        return []
    return [
        "the tool is inside the surface at the beginning, which pushes it out with "
        f"{run.units.text(force, 'N')}: expected a start outside it, unless this is meant"
    ]


def _early_end(motion: Motion, time: Array) -> list[str]:
    """Warn if the reference ends while it moves, before the run is over."""
    moving = np.abs(motion(motion.duration).twist).max() > 1e-9
    if not moving or time[-1] <= motion.duration + 1e-9 * (1 + motion.duration):
        return []
    return [f"the motion ends at {motion.duration:.6g} s while it moves: its speed jumps to zero"]


def _instability(batch: RunBatch, loop: ClosedLoop) -> list[list[str]]:
    """Warn of each run whose loop, linearised at its beginning, is unstable."""
    run, stable = batch.runs[0], [list[str]()] * len(batch.runs)
    if loop.controller.open_loop:
        return stable
    if run.integrator is not None:  # as RK4 would be with steps half as long as it needs
        longest, _ = integrators.largest_stable_step(eigenvalues_at_start(batch)[0])
        steps = max(ceil(2 * run.sampling.period / longest), 1)
        if steps > SUBSTEPS_LOOKED_AT:
            return stable
        loop = replace(loop, sampling=replace(loop.sampling, substeps=steps))
    if loop.sensors.resolution:  # steps have no derivative
        loop = replace(loop, sensors=replace(loop.sensors, resolution=0.0))
    loops = [one.loop or loop for one in batch.runs]
    memory = [one.start(*own.initial) for one, own in zip(loops, batch.runs, strict=True)]
    parameters = next((rows[:, 0] for rows in batch.parameters), None)
    gains = np.stack([one.gain_values for one in loops])
    near = linear_loops(loop, np.stack(memory), batch.reference[:, 0], parameters, gains)
    pairs = zip(batch.runs, near, strict=True)
    return [_unstable(one, loop, linear.spectral_radius) for one, linear in pairs]


def _unstable(run: Run, loop: ClosedLoop, radius: float) -> list[str]:
    surface = run.plant.surface
    pressed = surface and float(_first_contact(run, surface).distance) < 0
    pushes = any(gain.name == "selection" for gain in loop.controller.gains)
    if radius <= 1 + (APPROACH if pushes and not pressed else 1e-6):
        return []
    return [
        f"{UNSTABLE} at this sampling: the loop near its beginning has a pole of "
        f"size {radius:.7g} per sample of {loop.sampling.period:g} s; expected below 1"
    ]


def check_first_steps(batch: RunBatch) -> None:
    """Refuse steps that are too large at the beginning, or if a tool struck the surface there."""
    run = batch.runs[0]
    try:
        for eigenvalues in eigenvalues_at_start(batch):
            integrators.check_step(run.sampling, eigenvalues)
    except integrators.StepTooLarge:
        if not run.plant.transmission.has_all_joints:
            Model(run.plant.robot).checked_inverse_dynamics(run.initial[0])  # perhaps singular
        raise
    if run.plant.surface is not None:
        for k, one in enumerate(batch.runs):
            struck = one.plant.contact_slope(one.initial_state)
            integrators.check_step(run.sampling, eigenvalues_at_start(batch.only([k]), struck)[0])


def eigenvalues_at_start(batch: RunBatch, wrench_slope: Array | None = None) -> Array:
    """Return (N, n) the plants' eigenvalues [1/s] at the beginning of runs, held there."""
    pose, states = batch.starts
    held = batch.plants.holding(pose)
    if wrench_slope is None:
        at = (states, held, *(rows[:, 0] for rows in batch.parameters))
        return np.atleast_2d(integrators.plant_eigenvalues(batch.plant, *at))
    at = (states, held, *(rows[0, 0] for rows in batch.parameters))
    return integrators.plant_eigenvalues(batch.plant, *at, wrench_slope=wrench_slope)[None]


def _steps_too_large(batch: RunBatch) -> dict[int, GoughError]:
    """Return why runs are refused: steps too large in a stop, under a cut-off, in a valve mode."""
    plant, found = batch.plant, dict[int, GoughError]()
    stiffened = [cut_off(batch)]
    if plant.has_end_stops:
        stiffened.insert(0, end_stop(plant, batch.numbers).margin(batch.time, *batch.path) < 0)
    for k in range(len(batch.runs)):
        firsts = [int(np.argmax(legs[k].any(axis=-1))) for legs in stiffened if legs[k].any()]
        if STATE in plant.inner_states:
            outputs = {a.name: x[k] for a, x in zip(plant.outputs, batch.outputs[3:], strict=True)}
            distance = outputs.get("contact_distance", np.zeros(len(batch.time)))
            modes = np.stack([outputs["operating_mode"], distance < 0], axis=-1)
            firsts += np.unique(modes, axis=0, return_index=True)[1].tolist()
        size = len(batch.runs), len(batch.time)
        rows = [np.broadcast_to(x, (*size, x.shape[-1]))[k] for x in batch.parameters]
        try:
            for j in firsts:
                at = (batch.states[k, j], batch.commands[k, j], *(own[j] for own in rows))
                eigenvalues = integrators.plant_eigenvalues(plant, *at)
                integrators.check_step(batch.runs[0].sampling, eigenvalues)
        except GoughError as error:
            found[k] = error
    return found
