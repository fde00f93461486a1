"""Simulation of a machine that follows a motion under a controller, as labelled results."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import accumulate, islice
from math import ceil

import casadi as ca
import numpy as np

from gough.analysis.quantities import positions_of, table_of
from gough.analysis.results import Results
from gough.analysis.simulation_facts import RUN
from gough.arrays import Array
from gough.checks import require_instance
from gough.compiler.device import Device
from gough.equations.control.signals import encoder_reading
from gough.equations.forces.contact import Contact, ContactSurface, contact_of
from gough.errors import GoughError, InputError
from gough.fields.display_units import SI
from gough.kinematics.model import Model
from gough.motion import Motion, MotionSamples, carried_motion
from gough.simulation import integrators
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.sensors import PERFECT
from gough.simulation.events import command_limit, end_stop, first_ending, travel_margin
from gough.simulation.paths import Path, path_of, paths_of
from gough.simulation.plants.connectors import STATE
from gough.simulation.plants.plant import Plant
from gough.simulation.results import at_limit, base_of, cut_off, energy_warnings, results_of
from gough.simulation.scenario import Run, Scenario
from gough.simulation.tuning.margins import linear_loop

SUBSTEPS_LOOKED_AT = 1000
"""Maximum number of RK4 steps for the poles of a loop whose integrator adapts."""
UNSTABLE = "the gains are not stable"
"""Beginning of the warning of a loop that is not."""

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
    run, warnings = _prepared(scenario)
    return _finished(scenario, run, warnings, path_of(run))


def simulate_all(
    scenarios: Sequence[Scenario], *, device: Device = "cpu"
) -> list[Results | GoughError]:
    """Simulate scenarios, those with one compiled loop together; an error of one is in its place.

    On a `device` "gpu" that computes the runs; results are made of them by processors.
    """
    found: list[Results | GoughError] = []
    ready = dict[int, tuple[Scenario, Run, list[str]]]()
    for k, scenario in enumerate(scenarios):
        try:
            ready[k] = (scenario, *_prepared(scenario))
            found.append(GoughError(""))
        except GoughError as error:
            found.append(error)
    paths = paths_of([run for _, run, _ in ready.values()], device)
    for (k, one), path in zip(ready.items(), paths, strict=True):
        try:
            found[k] = path if isinstance(path, GoughError) else _finished(*one, path)
        except GoughError as error:
            found[k] = error
    return found


def _prepared(scenario: Scenario) -> tuple[Run, list[str]]:
    """Return the run of a scenario, and warnings of it; refuse what can be known before it."""
    require_instance("scenario", scenario, Scenario)
    run = Run.of(scenario)
    check_start(run.plant, run.initial)
    _ = run.loop  # a controller that does not fit the plant is refused
    if run.integrator is None:
        check_first_step(run)
    _check_task_frame(run)
    warnings = _inside_surface(run) + _early_end(run.motion, run.time)
    if run.loop is not None:  # a controller in Python is not known
        warnings += _instability(run, run.loop)
    return run, warnings


def _finished(scenario: Scenario, run: Run, warnings: list[str], path: Path) -> Results:
    """Return the results of a run whose path is known."""
    every = int(run.every)
    crosses = isinstance(run.controller, Controller) and run.controller.crosses
    ending = first_ending(run.plant, run.time, *path, crosses=crosses)
    end = len(run.time) if ending is None else ending.samples
    done = run.part(slice(end)), path.part(slice(end))
    if run.integrator is None:
        check_steps_on_the_way(*done)
    if end <= every:
        what = ending.text if ending else "nothing was computed"
        raise GoughError("; ".join([f"{run.name}: {what}", *warnings]))
    if ending:
        warnings.insert(0, ending.text)
    if run.saturated:
        margin = command_limit(run.plant).margin(done[0].time, *done[1])
        warnings += at_limit(run.plant, "command", done[0].time, margin <= 0)
    warnings += energy_warnings(*done)
    if every > 1:
        warnings.append(
            f"one of every {every} samples is kept: peaks, margins and limits between them are not "
            "seen"
        )
    stored = slice(0, end, every)
    return results_of(
        run.part(stored),
        path.part(stored),
        readings={name: values[stored] for name, values in readings(*done).items()},
        warnings=warnings,
        study={
            "name": run.name,
            "robot": run.own_robot.to_dict(),
            "motion": {"description": repr(scenario.motion)},
            "tasks": [{"description": repr(task)} for task in run.tasks],
            **({} if run.units == SI else {"units": run.units.model_dump()}),
            **({} if run.base is None else {"base": {"description": repr(run.base)}}),
            RUN: run.described() | {"ended": asdict(ending) if ending else {"kind": "completed"}},
        },
    )


def readings(run: Run, path: Path) -> dict[str, Array]:
    """Return readings of encoders and inertial sensors (T, n) at all samples, by quantity.

    Encoders read positions [m, rad], of which speeds may be derived; none where they are perfect.
    """
    plant, sensors, found = run.plant, run.sensors, dict[str, Array]()
    if run.imu is not None:
        rates = plant.rate_kernel(*path, run.loads, *run.parameters)
        motion = MotionSamples(path.states[:, :7], path.states[:, 7:13], rates[:, 7:13])
        base = base_of(run, path.states, rates)
        motion = motion if base is None else carried_motion(base, motion)
        rng = np.random.default_rng([run.seed, 1])  # other numbers than those of the encoders
        found |= run.imu.read(motion, plant.robot.gravity, run.sampling.period, rng)
    if sensors == PERFECT:
        return found
    positions = positions_of(table_of(plant.robot))
    speeds = "leg_speed" if positions == "leg_length" else "actuator_speed"
    n, period = plant.actuators, run.sampling.period
    exact = plant.measured_kernel(path.states, run.loads, *run.parameters)[:, :n]
    noise = np.zeros_like(exact) if run.noise is None else run.noise[:, 0]
    read = np.array(encoder_reading(ca.DM(exact), ca.DM(noise), sensors.resolution))
    found[f"measured_{positions}"] = read
    if sensors.speed_filter is None:
        return found
    before, speed = np.split(sensors.start(plant, run.initial_state, period), 2)
    share = period / (period + sensors.speed_filter)  # of a first-order low-pass, as in the loop
    added = share * np.diff(read, axis=0, prepend=before[None]) / period
    smooth = accumulate(added, lambda last, new: (1 - share) * last + new, initial=speed)
    return found | {f"measured_{speeds}": np.array(list(islice(smooth, 1, None)))}


def check_start(plant: Plant, initial: tuple[Array, Array]) -> None:
    """Refuse a start out of reach, one that no forces hold, and one of undetermined motion."""
    pose, state = initial[0], plant.state_at(*initial)
    runs = np.atleast_2d(plant.numbers)
    margin = travel_margin(plant, runs, state)
    run, k = np.unravel_index(int(np.argmin(margin)), margin.shape)
    if margin[run, k] < 0 and not plant.has_end_stops:
        joint, q = plant.structure.driven[k], plant.positions(runs, state)[run, k]
        low, high = (np.broadcast_to(end, margin.shape)[run, k] for end in plant.travel(runs))
        extensible = plant.robot.has_extensible_legs
        place, kind = (f"{q:.6g} m long", "length") if extensible else (f"at {q:.6g}", "position")
        raise GoughError(
            f"start{f' of run {run}' if len(runs) > 1 else ''}: {joint.name} is {place}; expected "
            f"a {kind} within its {joint.travel}, {low:.6g} to {high:.6g} {joint.unit}"
        )
    if not np.isfinite(plant.holding(pose)).all():
        Model(plant.robot).checked_inverse_dynamics(pose)  # names what is singular
        raise GoughError(f"start: no forces hold the machine at the pose {pose.tolist()}")
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


def _instability(run: Run, loop: ClosedLoop) -> list[str]:
    """Warn if the loop linearised at its beginning is unstable."""
    if loop.controller.open_loop:
        return []
    if run.integrator is not None:  # as RK4 would be with steps half as long as it needs
        longest, _ = integrators.largest_stable_step(eigenvalues_at_start(run))
        steps = max(ceil(2 * run.sampling.period / longest), 1)
        if steps > SUBSTEPS_LOOKED_AT:
            return []
        loop = replace(loop, sampling=replace(loop.sampling, substeps=steps))
    if loop.sensors.resolution:  # steps have no derivative
        loop = replace(loop, sensors=replace(loop.sensors, resolution=0.0))
    memory = loop.start(*run.initial)
    numbers = next(iter(run.plant.own_parameters), None)
    radius = linear_loop(loop, memory, run.reference[0], numbers).spectral_radius
    surface = run.plant.surface
    pressed = surface and float(_first_contact(run, surface).distance) < 0
    pushes = any(gain.name == "selection" for gain in loop.controller.gains)
    if radius <= 1 + (APPROACH if pushes and not pressed else 1e-6):
        return []
    return [
        f"{UNSTABLE} at this sampling: the loop near its beginning has a pole of "
        f"size {radius:.7g} per sample of {loop.sampling.period:g} s; expected below 1"
    ]


def check_first_step(run: Run) -> None:
    """Refuse a step that is too large at the beginning, or if a tool struck the surface there."""
    try:
        integrators.check_step(run.sampling, eigenvalues_at_start(run))
    except integrators.StepTooLarge:
        if not run.plant.transmission.has_all_joints:
            Model(run.plant.robot).checked_inverse_dynamics(run.initial[0])  # perhaps singular
        raise
    struck = run.plant.contact_slope(run.initial_state)
    if struck is not None:
        integrators.check_step(run.sampling, eigenvalues_at_start(run, struck))


def eigenvalues_at_start(run: Run, wrench_slope: Array | None = None) -> Array:
    """Return the plant's eigenvalues [1/s] at the beginning of a run, held there."""
    plant, held = run.plant, run.plant.holding(run.initial[0])
    at = (run.initial_state, held, *plant.own_parameters)
    return integrators.plant_eigenvalues(plant, *at, wrench_slope=wrench_slope)


def check_steps_on_the_way(run: Run, path: Path) -> None:
    """Refuse a step too large in a stop, under a cut-off, or in a mode in or out of contact."""
    plant = run.plant
    stiffened = [cut_off(run, path)]
    if plant.has_end_stops:
        stiffened.insert(0, end_stop(plant).margin(run.time, *path) < 0)
    firsts = [int(np.argmax(legs.any(axis=-1))) for legs in stiffened if legs.any()]
    if STATE in plant.inner_states:
        found = plant.output_kernel(*path, run.loads, *run.parameters)
        inside = found.contact_distance < 0 if plant.surface else np.zeros(len(path.states))
        modes = np.stack([found.operating_mode, inside], axis=-1)
        firsts += np.unique(modes, axis=0, return_index=True)[1].tolist()
    for k in firsts:
        at = (path.states[k], path.commands[k], *(rows[k] for rows in run.parameters))
        integrators.check_step(run.sampling, integrators.plant_eigenvalues(plant, *at))
