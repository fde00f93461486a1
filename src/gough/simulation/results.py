"""Results of a run: labelled arrays, figures of the errors and of the actuators, warnings.

Along a run the stored energy changes by the energy put in, less the losses. Where it does not, the
numbers are those of another machine than before, such as of joints that took another branch, or
steps were too large.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gough.analysis import limits
from gough.analysis.drives import OF_MOTORS
from gough.analysis.evaluation import Numbers, evaluate
from gough.analysis.quantities import OF_RIGID_LEGS, Table, positions_of, table_of, wanted
from gough.analysis.reductions import FINAL, PEAK, PEAK_LENGTH
from gough.analysis.results import Quantity, Results, Scalar, Summary
from gough.analysis.singular import NEEDED, approached
from gough.analysis.summary import of_quantities, summarize
from gough.analysis.warnings import (
    base_warnings,
    motion_warnings,
    resting_base_warnings,
    task_warnings,
    warnings_of,
)
from gough.arrays import Array
from gough.disk.manifest import versions
from gough.disk.plain_data import PlainData
from gough.model.kernels import Kernels
from gough.model.structure import left_out
from gough.motion import MotionSamples
from gough.poses import difference
from gough.robot import parameters_of
from gough.simulation.controllers.controller import FORCES
from gough.simulation.paths import Path
from gough.simulation.plants.actuators import CUT_OFF
from gough.simulation.plants.plant import PLATFORM, Plant
from gough.simulation.plants.transmission import AllJoints
from gough.simulation.scenario import Run

SHARE = 0.05
"""Fraction of the energy of a run that may be missing."""
OF_THE_RUN = "% of the run"
"""Words of warnings that actuators are at a limit."""
ROUNDED = 1e-12
"""Fraction of the stored energy, or of 1 mJ, that counts as rounding."""
_ON_SPRINGS = {"leg_length": "actuator_length", "leg_speed": "actuator_length_rate"}
"""Quantities of rigid legs, and what the actuators of compliant ones do."""
_APART = 1e-3
"""Distance of states whose difference is the power, as a fraction of the time between samples."""


def results_of(
    run: Run, path: Path, *, readings: Mapping[str, Array], warnings: list[str], study: PlainData
) -> Results:
    """Return the results of a run, with readings of sensors (T, n) by quantity."""
    plant, robot, time, (states, commands) = run.plant, run.plant.robot, run.time, path
    at = (states, commands, run.loads, *run.parameters)
    rates = plant.rate_kernel(*at)
    parts = (states[:, :7], states[:, 7:13], rates[:, 7:13])
    motion = MotionSamples(*map(np.ascontiguousarray, parts))
    asked, base = wanted(run.quantities), base_of(run, states, rates)
    needed = asked | limits.limited_quantities(robot) | set(NEEDED)
    needed -= set(OF_MOTORS)  # the run has its own
    needed -= OF_RIGID_LEGS if plant.is_compliant else set()
    sensed = plant.measured_kernel(states, run.loads, *run.parameters)
    of_wrench = slice(2 * plant.actuators, 2 * plant.actuators + 6)
    force, speed, stored, *outputs = plant.output_kernel(*at)
    of_plant = {a.name: values for a, values in zip(plant.outputs, outputs, strict=True)}
    wrench = sensed[:, of_wrench] + of_plant.get("ball_wrench", 0.0)  # with that of a surface
    found = evaluate(robot, Numbers.of(robot, run.numbers), motion, wrench, needed, base=base)
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
        found["energy"], own["stored_energy"] = stored[:, :2], stored
    table, target = table_of(robot, moving_base=base is not None), run.samples.pose
    positions = positions_of(table)
    inverse = Kernels(robot, parametric=True).inverse_kinematics
    reference = inverse(run.numbers, np.ascontiguousarray(target))
    clipped = np.zeros(reference.shape, dtype=bool)
    if getattr(run.controller, "clips", False):
        low, high = limits.travels(run.own_robot)
        clipped = (reference < low) | (reference > high)
        reference = np.where(clipped, np.clip(reference, low, high), reference)
    own[f"{positions}_error"] = reference - found[positions]
    own |= {**readings, "pose_error": difference(target, motion.pose)}
    if run.base_samples is not None:
        own |= {"base_pose": run.base_samples.pose, "base_twist": run.base_samples.twist}
    by_name = {
        name: Quantity.of(name, values, meaning=table[name].of_a_run.meaning, table=table)
        for name, values in (found | own).items()
        if name in asked | own.keys()
    }
    by_name["command"] = _command(plant, commands, table)
    by_name |= {
        a.name: Quantity.of(a.name, of_plant[a.name], unit=a.unit, meaning=a.meaning, table=table)
        for a in plant.outputs
    }
    summary = summarize(robot, time, found | own | of_plant, asked | own.keys())
    summary |= summarize(robot, time, found | driven, ()) if driven else {}
    figures = of_quantities(table, time, of_plant, (PEAK, PEAK_LENGTH, FINAL))
    summary |= {figure.name: figure for figure in figures}
    summary |= _contact_margin(plant, summary)
    near = approached(robot, parameters_of(robot), time, found)
    jumps = [t for t in run.motion.breaks if t <= time[-1]]
    return Results(
        robot=robot,
        study=study,
        time=time,
        quantities=by_name,
        warnings=(
            *warnings,
            *(() if plant.transmission.has_all_joints else left_out(robot)),
            *([] if base is None else resting_base_warnings(run.quantities, robot)),
            *plant.transmission.validity_warnings(time, np.ascontiguousarray(states[:, PLATFORM:])),
            *at_limit(plant, "reference", time, clipped, "clipped at the travel"),
            *_motors_at_limit(plant, time, by_name),
            *_flies_off(time, of_plant),
            *without_number(time, by_name),
            *warnings_of(summary, len(time), near, jumps, run.units),
            *motion_warnings(run.motion, run.samples, time, run.units),
            *task_warnings(run.tasks, run.motion, run.samples, time, run.units),
            *(base_warnings(run.base, time, run.units) if run.base else ()),
        ),
        summary=Summary(summary),
        versions=versions(),
    )


def base_of(run: Run, states: Array, rates: Array) -> MotionSamples | None:
    """Return the motion of the base, prescribed or free, from states and rates; None: it rests."""
    if run.base_samples is not None:
        return run.base_samples
    return run.plant.transmission.base_motion(states[:, PLATFORM:], rates[:, PLATFORM:])


def _contact_margin(plant: Plant, summary: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Return the margin of the contact force; none of a surface that limits none."""
    if plant.surface is None or plant.surface.max_force is None:
        return {}
    peak, name = summary["peak_contact_force"], limits.CONTACT_FORCE.figure
    margin = plant.surface.max_force - peak.value
    return {name: replace(peak, name=name, meaning=limits.CONTACT_FORCE.meaning, value=margin)}


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
    parts = states[:, places], states[:, second], rates[:, second]
    names = ("joint_position", "joint_speed", "joint_acceleration")
    return {
        name: plant.transmission.joints(part, plant.structure.joints)
        for name, part in zip(names, parts, strict=True)
    }


def _command(plant: Plant, commands: Array, table: Table) -> Quantity:
    """Return the command of the controller: forces in the units of the joints, or voltages."""
    meaning = f"{plant.command.meaning}, held"
    if plant.command.name == FORCES.name:
        return Quantity.of("command", commands, meaning=meaning, table=table)
    volts = Quantity.of("command", commands, unit=plant.command.unit, meaning=meaning)
    return replace(volts, axes=table["motor_voltage"].axes)


def at_limit(
    plant: Plant, what: str, time: Array, reached: Any, where: str = "at the limit"
) -> list[str]:
    """Return a warning that some actuators' (T, n) are at a limit; none if they never are."""
    if not reached.any():
        return []
    which = np.flatnonzero(reached.any(axis=0))
    share, first = reached.any(axis=1).mean(), time[np.argmax(reached.any(axis=1))]
    plural = "s" if len(which) > 1 else ""
    names = [plant.structure.driven[k].name for k in which]
    if plant.robot.has_extensible_legs:
        names = [f"leg{plural} {names[0].split()[-1]}", *(name.split()[-1] for name in names[1:])]
    return [
        f"{what}{plural} of {', '.join(names)} {where} for {100 * share:.3g} {OF_THE_RUN}, at "
        f"{reached.any(axis=1).sum()} of {len(time)} samples, first at t = {first:.6g} s"
    ]


def without_number(time: Array, found: Mapping[str, Quantity]) -> list[str]:
    """Return warnings of quantities that are not finite at some samples; unlimited ones are not."""
    words = []
    for quantity in found.values():
        values = quantity.values.reshape(len(time), -1)
        missing = np.isnan(values)
        if missing.any() and (at := missing[:, ~missing.all(axis=0)].any(axis=1)).any():
            words.append(
                f"{quantity.name} has no number at {at.sum()} of {len(time)} samples, first at "
                f"t = {time[np.argmax(at)]:.6g} s"
            )
    return words


def _flies_off(time: Array, found: Mapping[str, Array]) -> list[str]:
    """Return a warning that the plate would have to pull at a ball; none if it never does."""
    if not (pulled := found.get("ball_force", np.zeros(1)) < 0).any():
        return []
    return [
        f"the ball flies off at t = {time[np.argmax(pulled)]:.6g} s: the plate would have to pull "
        f"at it at {pulled.sum()} of {len(time)} samples, and the results do not hold from there"
    ]


def cut_off(run: Run, path: Path) -> Any:
    """Return (T, n): whether each amplifier was saturated in voltage; (T, 0) without any."""
    plant = run.plant
    names = [a.name for a in plant.outputs]
    if CUT_OFF not in names:
        return np.zeros((len(path.states), 0), dtype=bool)
    outputs = plant.output_kernel(*path, run.loads, *run.parameters)[3:]
    return _cut_off(dict(zip(names, outputs, strict=True)))


def _cut_off(found: Mapping[str, Array]) -> Any:
    """Return (T, n): whether each amplifier was saturated."""
    return np.abs(found[CUT_OFF]) > 1e-9 * (1 + np.abs(found["motor_voltage"]))


def _motors_at_limit(plant: Plant, time: Array, found: dict[str, Quantity]) -> list[str]:
    """Return warnings of amplifiers at their maximum, whatever the command was."""
    if CUT_OFF not in found:
        return []
    robot, values = plant.robot, {name: quantity.values for name, quantity in found.items()}
    reached = {
        what: np.abs(values[f"motor_{what}"]) >= limits.of_drives(robot, f"max_{what}") * (1 - 1e-6)
        for what in ("current", "voltage")
    }
    reached["current"] |= _cut_off(values) & ~reached["voltage"]  # nothing else cuts off
    return [
        words for what in reached for words in at_limit(plant, f"motor {what}", time, reached[what])
    ]


def energy_warnings(run: Run, path: Path) -> list[str]:
    """Warn where the stored energy [J] first changes by more or less than the work done.

    In a rigid plant that is the work of actuators and tasks since the start. Others have losses as
    well: in each step, power at both ends times its time, with a factor of three.
    """
    if len(run.time) < 2:
        return []
    force, speed, energies, *_ = run.plant.output_kernel(*path, run.loads, *run.parameters)
    stored, kinetic = energies.sum(axis=-1), energies[:, 0]
    step, changed = np.diff(run.time), run.changes
    if run.plant.is_lossless:
        loads = (run.wrench * path.states[:, 7:13]).sum(axis=-1)
        put_in = (force[:-1] * (speed[1:] + speed[:-1])).sum(axis=-1) + loads[1:] + loads[:-1]
        missing = np.cumsum(np.where(changed, 0.0, np.diff(stored) - step * put_in / 2))
        slack = np.zeros_like(missing)
    else:
        power = _power(run, path, _APART * float(step.min()))
        missing = np.where(changed, 0.0, np.diff(stored) - step * (power[1:] + power[:-1]) / 2)
        slack = 3 * step * np.maximum(np.abs(power[1:]), np.abs(power[:-1]))
    scale = np.quantile(kinetic, 0.5) + np.quantile(np.abs(stored - stored[0]), 0.9)
    bad = np.abs(missing) > SHARE * scale + slack + ROUNDED * (np.abs(energies).max() + 1e-3)
    if not bad.any():
        return []
    k = int(np.argmax(bad))
    return [
        f"the stored energy leaps by {run.units.text(missing[k], 'J', 3)} against the work done, "
        f"at t = {run.time[k + 1]:.6g} s: from there the joints are on another branch, or the "
        "steps are too large"
    ]


def _power(run: Run, path: Path, apart: float) -> Array:
    """Return (T,) the rate [W] of the stored energy along the plant's motion at each sample."""
    plant, of_run = run.plant, run.parameters
    step = apart * plant.rate_kernel(*path, run.loads, *of_run)
    moved = apart * np.gradient(run.loads, run.time, axis=0)  # the base, if it moves

    def stored(sign: int) -> Array:
        at = path.states + sign * step, path.commands, run.loads + sign * moved
        return np.asarray(plant.output_kernel(*at, *of_run)[2].sum(axis=-1))

    return np.asarray((stored(1) - stored(-1)) / (2 * apart))
