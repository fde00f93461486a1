"""Results of a run: labelled arrays, figures of the errors and of the actuators, warnings.

Along a run the stored energy changes by the energy put in, less the losses. Where it does not, the
numbers are those of another machine than before, such as of joints that took another branch, or
steps were too large.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from gough.analysis import limits
from gough.analysis.evaluation import OF_MOTORS, Arrays, Numbers, evaluate
from gough.analysis.quantities import OF_RIGID_LEGS, Table, positions_of, table_of, wanted
from gough.analysis.reductions import FINAL, PEAK, PEAK_LENGTH
from gough.analysis.results import Quantity, Results, Summary
from gough.analysis.simulation_facts import RUN
from gough.analysis.singular import NEEDED, approached, far_from_singular
from gough.analysis.summary import ComputedFigure, NamedFigure, alarming, all_figures, of_quantities
from gough.analysis.warnings import (
    base_warnings,
    motion_warnings,
    resting_base_warnings,
    task_warnings,
    warnings_of,
)
from gough.arrays import AnyArray, Array
from gough.disk.manifest import versions
from gough.fields.display_units import SI
from gough.model.kernels import Kernels
from gough.model.structure import left_out
from gough.motion import MotionSamples
from gough.poses import difference
from gough.robot import parameters_of
from gough.simulation.controllers.controller import FORCES
from gough.simulation.events import Ending
from gough.simulation.plants.actuators import CUT_OFF
from gough.simulation.plants.plant import PLATFORM, Plant
from gough.simulation.plants.transmission import AllJoints
from gough.simulation.run_batch import RunBatch
from gough.simulation.scenario import Run

Figures = dict[str, ComputedFigure]
Endings = Sequence[Ending | None]
SHARE = 0.05  # fraction of the energy of a run that may be missing
OF_THE_RUN = "% of the run"  # words of warnings that actuators are at a limit
ROUNDED = 1e-12  # fraction of the stored energy, or of 1 mJ, that counts as rounding
_ON_SPRINGS = {"leg_length": "actuator_length", "leg_speed": "actuator_length_rate"}
"""Quantities of rigid legs, and what the actuators of compliant ones do."""
_APART = 1e-3  # distance of states whose difference is the power, by the time between samples


@dataclass(frozen=True, eq=False)
class SimulatedRuns:
    """Quantities (N, T, ...), figures and warnings of runs that are alike."""

    batch: RunBatch
    values: Arrays  # (N, T, ...) by quantity
    shown: dict[str, Quantity]  # the quantities of the first run
    figures: Figures
    warnings: list[tuple[str, ...]]
    endings: Endings

    @cached_property
    def named(self) -> tuple[NamedFigure, ...]:
        """Names, units and meanings of the figures."""
        return tuple(figure.named for figure in self.figures.values())

    @cached_property
    def numbers(self) -> Array:
        """(N, m): the numbers of all figures, of the machine and then of each place."""
        return np.concatenate([figure.numbers for figure in self.figures.values()], axis=1)


class SimulatedRun(NamedTuple):
    """One of several runs, whose results are made where they are asked for."""

    of: SimulatedRuns
    place: int

    @property
    def results(self) -> Results:
        """Labelled arrays, which are parts of those of all runs."""
        found, k = self.of, self.place
        run, ending = found.batch.runs[k], found.endings[k]
        quantities = {
            name: replace(quantity, values=found.values[name][k])
            for name, quantity in found.shown.items()
        }
        ended = asdict(ending) if ending else {"kind": "completed"}
        return Results(
            robot=run.plant.robot,
            study={
                "name": run.name,
                "robot": run.own_robot.to_dict(),
                "motion": {"description": repr(run.stated_motion)},
                "tasks": [{"description": repr(task)} for task in run.tasks],
                **({} if run.units == SI else {"units": run.units.model_dump()}),
                **({} if run.base is None else {"base": {"description": repr(run.base)}}),
                RUN: run.described() | {"ended": ended},
            },
            time=found.batch.time,
            quantities=quantities,
            warnings=found.warnings[k],
            summary=Summary({name: one.scalar((k,)) for name, one in found.figures.items()}),
            versions=versions(),
        )


def results_of(
    batch: RunBatch, readings: Arrays, warnings: Sequence[list[str]], endings: Endings
) -> list[SimulatedRun]:
    """Return the results of runs, with readings of sensors (N, T, n) by quantity."""
    run, plant, robot, time = batch.runs[0], batch.plant, batch.plant.robot, batch.time
    (states, commands), rates, base = batch.path, batch.rates, batch.base
    parts = (states[..., :7], states[..., 7:13], rates[..., 7:13])
    motion = MotionSamples(*map(np.ascontiguousarray, parts))
    asked = wanted(run.quantities)
    lacking = {*OF_MOTORS} | (OF_RIGID_LEGS if plant.is_compliant else set())  # has its own
    needed = (asked | limits.limited_quantities(robot) | set(NEEDED)) - lacking
    sensed = plant.measured_kernel(states, batch.loads, *batch.parameters)
    of_wrench = slice(2 * plant.actuators, 2 * plant.actuators + 6)
    force, speed, stored, *outputs = batch.outputs
    of_plant = {a.name: values for a, values in zip(plant.outputs, outputs, strict=True)}
    wrench = sensed[..., of_wrench] + of_plant.get("ball_wrench", 0.0)  # with that of a surface
    numbers = Numbers.of(robot, batch.numbers)._replace(length=batch.lengths[:, None])
    found = evaluate(robot, numbers, motion, wrench, needed, base=base)
    found |= {"force": force, "power": force * speed}  # in place of those of rigid legs
    replaced = {"force_margin": 1 - np.abs(force) / limits.of_actuators(robot, "max_force")}
    replaced |= _of_motors(plant, states, rates)
    driven = {name: of_plant[x] for name, x in _ON_SPRINGS.items() if x in of_plant}
    if driven:  # limits are those of the actuators
        replaced |= limits.own_margins(robot, *driven.values())
    replaced |= _of_all_joints(plant, states, rates)
    found |= {name: values for name, values in replaced.items() if name in found}
    own = dict[str, Array]()
    if "energy" in found:
        found["energy"], own["stored_energy"] = stored[..., :2], stored
    table, target = table_of(robot, moving_base=base is not None), batch.reference[..., :7]
    positions = positions_of(table)
    inverse = Kernels(robot, parametric=True).inverse_kinematics
    reference = inverse(batch.numbers, np.ascontiguousarray(target))
    clipped = np.zeros_like(found[positions], dtype=bool)
    if getattr(run.controller, "clips", False):
        low, high = limits.travels(run.own_robot)
        clipped |= (reference < low) | (reference > high)
        reference = np.where(clipped, np.clip(reference, low, high), reference)
    own[f"{positions}_error"] = reference - found[positions]
    own |= {**readings, "pose_error": difference(target, motion.pose)}
    if plant.moving_base and base is not None:
        of_base = (np.broadcast_to(x, (len(states), *x.shape[1:])) for x in base)
        own |= zip(("base_pose", "base_twist"), of_base, strict=False)
    figures = [
        *all_figures(robot, time, found | own | of_plant, asked | own.keys()),
        *(all_figures(robot, time, found | driven, ()) if driven else ()),
        *of_quantities(table, time, of_plant, (PEAK, PEAK_LENGTH, FINAL), motions=1),
    ]
    by_name = {figure.named.name: figure for figure in figures}
    by_name |= _contact_margin(plant, by_name)
    values = {name: x for name, x in (found | own).items() if name in asked | own.keys()}
    shown = _shown(plant, table, values, commands, of_plant)
    values |= {"command": commands, **of_plant}
    inner, transmission = states[..., PLATFORM:], plant.transmission
    words = zip(
        warnings,
        [() if transmission.has_all_joints else left_out(one.plant.robot) for one in batch.runs],
        [[] if base is None else resting_base_warnings(run.quantities, robot)] * len(batch.runs),
        [transmission.validity_warnings(time, np.ascontiguousarray(one)) for one in inner],
        at_limit(plant, "reference", time, clipped, "clipped at the travel"),
        _motors_at_limit(plant, time, of_plant, len(states)),
        _flies_off(time, of_plant, len(states)),
        without_number(time, {name: values[name] for name in shown}),
        _about_figures(batch, by_name, found),
        _about_motions(batch),
        strict=True,
    )
    each = [tuple(chain.from_iterable(one)) for one in words]
    runs = SimulatedRuns(batch, values, shown, by_name, each, endings)
    return [SimulatedRun(runs, k) for k in range(len(states))]


def _shown(
    plant: Plant, table: Table, values: Arrays, commands: Array, of_plant: Arrays
) -> dict[str, Quantity]:
    """Return the quantities of the first run: values of the table, command, and outputs."""
    found = {
        name: Quantity.of(name, x[0], meaning=table[name].of_a_run.meaning, table=table)
        for name, x in values.items()
    }
    found["command"] = _command(plant, commands[0], table)
    return found | {
        a.name: Quantity.of(a.name, of_plant[a.name][0], a.unit, a.meaning, table=table)
        for a in plant.outputs
    }


def _about_figures(batch: RunBatch, figures: Figures, found: Arrays) -> list[tuple[str, ...]]:
    """Return warnings of limits, of singular configurations and of jumps, of each run."""
    time, size = batch.time, (len(batch.runs), batch.numbers.shape[-1])
    numbers = np.broadcast_to(batch.numbers[:, 0], size)
    far = far_from_singular(batch.plant.robot, numbers, batch.lengths, found)
    words = []
    for k, (run, alarms) in enumerate(zip(batch.runs, alarming(figures.values()), strict=True)):
        near, robot = None, run.plant.robot
        if not far[k]:
            own = {name: found[name][k] for name in found}
            near = approached(robot, parameters_of(robot), time, own)
        jumps = [t for t in run.motion.breaks if t <= time[-1]]
        words.append(warnings_of(alarms, len(time), near, jumps, run.units))
    return words


def _about_motions(batch: RunBatch) -> list[list[str]]:
    """Return warnings of the motion to follow, the tasks and the base, of each run."""
    time, known = batch.time, dict[tuple[int, ...], list[str]]()
    words = []
    for k, run in enumerate(batch.runs):
        key = tuple(map(id, (run.motion, run.base, run.units, *run.tasks)))  # anybody's classes
        if key not in known:
            reference = batch.reference[k % len(batch.reference)]
            at = MotionSamples(*np.split(reference, (7, 13), axis=-1))
            known[key] = [
                *motion_warnings(run.motion, at, time, run.units),
                *task_warnings(run.tasks, run.motion, at, time, run.units),
                *(base_warnings(run.base, time, run.units) if run.base else ()),
            ]
        words.append(known[key])
    return words


def _contact_margin(plant: Plant, figures: Figures) -> Figures:
    """Return the margin of the contact force; none of a surface that limits none."""
    if plant.surface is None or plant.surface.max_force is None:
        return {}
    limit, peak = limits.CONTACT_FORCE, figures["peak_contact_force"]
    margin = peak.value._replace(value=plant.surface.max_force - peak.value.value)
    named = replace(peak.figure, name=limit.figure, meaning=limit.meaning, alarming="below zero")
    return {limit.figure: replace(peak, figure=named, value=margin)}


def _of_motors(plant: Plant, states: Array, rates: Array) -> dict[str, Array]:
    """Return the motion of the driven joints, where it is not that of rigid links."""
    known, changes = plant.driven(states), plant.driven(rates)
    if known is None or changes is None:
        return {}
    (position, speed), (_, acceleration) = known, changes
    return {  # of joints, and of the legs of hexapods
        **dict.fromkeys(("actuator_position", "leg_length"), position),
        **dict.fromkeys(("actuator_speed", "leg_speed"), speed),
        **dict.fromkeys(("actuator_acceleration", "leg_acceleration"), acceleration),
        **limits.own_margins(plant.robot, position, speed),
    }


def _of_all_joints(plant: Plant, states: Array, rates: Array) -> dict[str, Array]:
    """Return the motion of all joints, where their positions are states."""
    if not isinstance(plant.transmission, AllJoints):
        return {}
    size = sum(a.size for a in plant.transmission.states) // 2
    places, second = slice(PLATFORM, PLATFORM + size), slice(PLATFORM + size, PLATFORM + 2 * size)
    parts = states[..., places], states[..., second], rates[..., second]
    found = (plant.transmission.joints(part, plant.structure.joints) for part in parts)
    return dict(zip(("joint_position", "joint_speed", "joint_acceleration"), found, strict=True))


def _command(plant: Plant, commands: Array, table: Table) -> Quantity:
    """Return the command of the controller: forces in the units of the joints, or voltages."""
    meaning = f"{plant.command.meaning}, held"
    if plant.command.name == FORCES.name:
        return Quantity.of("command", commands, meaning=meaning, table=table)
    volts = Quantity.of("command", commands, unit=plant.command.unit, meaning=meaning)
    return replace(volts, axes=table["motor_voltage"].axes)


def at_limit(
    plant: Plant, what: str, time: Array, reached: AnyArray, where: str = "at the limit"
) -> list[list[str]]:
    """Return a warning of each run (N, T, n) with actuators at a limit; none if they never are."""
    return [[_at_limit(plant, what, time, one, where)] if one.any() else [] for one in reached]


def _at_limit(plant: Plant, what: str, time: Array, reached: AnyArray, where: str) -> str:
    which = np.flatnonzero(reached.any(axis=0))
    share, first = reached.any(axis=1).mean(), time[np.argmax(reached.any(axis=1))]
    plural = "s" if len(which) > 1 else ""
    names = [plant.structure.driven[k].name for k in which]
    if plant.robot.has_extensible_legs:
        names = [f"leg{plural} {names[0].split()[-1]}", *(name.split()[-1] for name in names[1:])]
    return (
        f"{what}{plural} of {', '.join(names)} {where} for {100 * share:.3g} {OF_THE_RUN}, at "
        f"{reached.any(axis=1).sum()} of {len(time)} samples, first at t = {first:.6g} s"
    )


def without_number(time: Array, found: Mapping[str, Array]) -> list[list[str]]:
    """Warn of quantities (N, T, ...) not finite at some samples; not of those without a limit."""
    words: list[list[str]] = [[] for _ in next(iter(found.values()))]
    for name, values in found.items():
        with np.errstate(invalid="ignore", over="ignore"):
            lacking = np.isnan(values.sum(axis=tuple(range(1, values.ndim))))  # a quick look
        for k in np.flatnonzero(lacking).tolist():
            missing = np.isnan(values[k].reshape(len(time), -1))
            if missing.any() and (at := missing[:, ~missing.all(axis=0)].any(axis=1)).any():
                words[k].append(
                    f"{name} has no number at {at.sum()} of {len(time)} samples, first at "
                    f"t = {time[np.argmax(at)]:.6g} s"
                )
    return words


def _flies_off(time: Array, found: Mapping[str, Array], count: int) -> list[list[str]]:
    """Return a warning of each run in which the plate would have to pull at a ball."""
    return [
        [
            f"the ball flies off at t = {time[np.argmax(pulled)]:.6g} s: the plate would have to "
            f"pull at it at {pulled.sum()} of {len(time)} samples, and the results do not hold "
            "from there"
        ]
        if pulled.any()
        else []
        for pulled in found.get("ball_force", np.zeros((count, 1))) < 0
    ]


def cut_off(batch: RunBatch) -> AnyArray:
    """Return (N, T, n): whether each amplifier was saturated in voltage; (N, T, 0) without any."""
    names = [a.name for a in batch.plant.outputs]
    if CUT_OFF not in names:
        return np.zeros((len(batch.runs), len(batch.time), 0), dtype=bool)
    return _cut_off(dict(zip(names, batch.outputs[3:], strict=True)))


def _cut_off(found: Mapping[str, Array]) -> AnyArray:
    """Return whether each amplifier was saturated."""
    return np.asarray(np.abs(found[CUT_OFF]) > 1e-9 * (1 + np.abs(found["motor_voltage"])))


def _motors_at_limit(
    plant: Plant, time: Array, found: Mapping[str, Array], count: int
) -> list[list[str]]:
    """Return warnings of amplifiers at their maximum, whatever the command was, of each run."""
    if CUT_OFF not in found:
        return [[]] * count
    kinds, robot = ("current", "voltage"), plant.robot
    limit = (limits.of_drives(robot, f"max_{kind}") * (1 - 1e-6) for kind in kinds)
    current, voltage = (
        np.abs(found[f"motor_{kind}"]) >= most for kind, most in zip(kinds, limit, strict=True)
    )
    current |= _cut_off(found) & ~voltage  # nothing else cuts off
    by_current = at_limit(plant, "motor current", time, current)
    by_voltage = at_limit(plant, "motor voltage", time, voltage)
    return [a + b for a, b in zip(by_current, by_voltage, strict=True)]


def energy_warnings(batch: RunBatch) -> list[list[str]]:
    """Warn of each run where the stored energy [J] first changes otherwise than by the work done.

    In a rigid plant that is the work of actuators and tasks since the start. Others have losses as
    well: in each step, power at both ends times its time, with a factor of three.
    """
    time, changed = batch.time, batch.changes
    if len(time) < 2:
        return [[]] * len(batch.runs)
    force, speed, energies, *_ = batch.outputs
    stored, kinetic = energies.sum(axis=-1), energies[..., 0]
    step = np.diff(time)
    if batch.plant.is_lossless:
        loads = (batch.loads[..., :6] * batch.path[0][..., 7:13]).sum(axis=-1)
        put_in = (force[:, :-1] * (speed[:, 1:] + speed[:, :-1])).sum(axis=-1)
        put_in = put_in + loads[:, 1:] + loads[:, :-1]
        missing = np.where(changed, 0.0, np.diff(stored) - step * put_in / 2)
        missing, slack = np.cumsum(missing, axis=-1), np.zeros_like(missing)
    else:
        power = _power(batch, _APART * float(step.min()))
        both = power[:, 1:] + power[:, :-1]
        missing = np.where(changed, 0.0, np.diff(stored) - step * both / 2)
        slack = 3 * step * np.maximum(np.abs(power[:, 1:]), np.abs(power[:, :-1]))
    apart = np.abs(stored - stored[:, :1])
    scale = np.quantile(kinetic, 0.5, axis=-1) + np.quantile(apart, 0.9, axis=-1)
    largest = np.abs(energies).max(axis=(1, 2))
    allowed = (SHARE * scale)[:, None] + slack + (ROUNDED * (largest + 1e-3))[:, None]
    return [
        [_leap(run, float(time[k + 1]), float(off[k]))] if bad[k := int(np.argmax(bad))] else []
        for run, off, bad in zip(batch.runs, missing, np.abs(missing) > allowed, strict=True)
    ]


def _leap(run: Run, time: float, energy: float) -> str:
    return (
        f"the stored energy leaps by {run.units.text(energy, 'J', 3)} against the work done, "
        f"at t = {time:.6g} s: from there the joints are on another branch, or the steps are too "
        "large"
    )


def _power(batch: RunBatch, apart: float) -> Array:
    """Return (N, T) the rate [W] of the stored energy along the plants' motions at each sample."""
    (states, commands), step = batch.path, apart * batch.rates
    moved = apart * np.gradient(batch.loads, batch.time, axis=1)  # the base, if it moves

    def stored(sign: int) -> Array:
        at = states + sign * step, commands, batch.loads + sign * moved
        return np.asarray(batch.plant.output_kernel(*at, *batch.parameters)[2].sum(axis=-1))

    return np.asarray((stored(1) - stored(-1)) / (2 * apart))
