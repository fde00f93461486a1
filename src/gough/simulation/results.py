"""What a run amounts to: labelled arrays, figures of the errors and of the actuators, warnings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.analysis.drives import OF_MOTORS
from gough.analysis.evaluation import evaluate
from gough.analysis.limits import held_against_limits, of_actuators, of_drives
from gough.analysis.machine_table import table_of
from gough.analysis.quantities import DEFINITIONS, in_groups, wanted
from gough.analysis.results import Quantity, Results
from gough.analysis.singular import NEEDED, approached
from gough.analysis.summary import of_quantities, summarize
from gough.analysis.versions import versions
from gough.analysis.warnings import motion_warnings, task_warnings, warnings_of
from gough.analysis.ways import FINAL, PEAK
from gough.arrays import Array
from gough.model.kernels import Kernels
from gough.model.parameters import parameters_of
from gough.motion import MotionSamples
from gough.poses import difference
from gough.robot import Robot
from gough.simulation.paths import Path
from gough.simulation.plants.drives import CUT_OFF
from gough.simulation.scenario import Scenario

OF_RIGID_LEGS = in_groups("shares", "coupling", "reactions")
"""What would be wrong of legs that yield."""

GROUPS = ("motion", "legs", "forces", "margins", "singularity")
"""What a simulation gives unless more is asked."""


def results_of(
    scenario: Scenario,
    path: Path,
    *,
    quantities: tuple[str, ...],
    warnings: list[str],
    study: dict[str, Any],
) -> Results:
    """The results of a run whose samples are those of the scenario."""
    plant, robot, time = scenario.plant, scenario.plant.robot, scenario.time
    states, commands = path
    at = (states, commands, scenario.wrench, *scenario.parameters)
    pose, twist = np.ascontiguousarray(states[:, :7]), np.ascontiguousarray(states[:, 7:13])
    acceleration = np.ascontiguousarray(plant.rate_kernel(*at)[:, 7:13])
    motion = MotionSamples(pose, twist, acceleration)
    asked = wanted(quantities)
    needed = asked | held_against_limits(robot) | set(NEEDED)
    needed -= set(OF_MOTORS)  # those of the run itself are watched
    if any(a.name == "inner" for a in plant.further):
        needed -= set(OF_RIGID_LEGS)
    seen = plant.measured_kernel(states, scenario.wrench, *scenario.parameters)
    felt = slice(2 * plant.actuators, 2 * plant.actuators + 6)
    wrench = np.ascontiguousarray(seen[:, felt])  # with what a surface does
    found = evaluate(robot, scenario.numbers, motion, wrench, needed)
    force, speed, stored, *watched = plant.shown_kernel(*at)
    found |= _of_actuators(robot, force, speed, found)
    if "energy" in found:
        found["energy"] = stored[:, :2]  # of legs that may yield
    own = {"stored_energy": stored} if "energy" in found else {}
    own["leg_length_error"] = _wanted_lengths(scenario) - found["leg_length"]
    own["pose_error"] = difference(scenario.samples.pose, pose)
    by_name = {
        name: Quantity.of(name, values, meaning=DEFINITIONS[name].of_a_run.meaning)
        for name, values in (found | own).items()
        if name in asked | own.keys()
    }
    by_name["command"] = Quantity.of(
        "command", commands, unit=plant.command.unit, meaning=f"{plant.command.meaning}, held"
    )
    by_name |= {
        a.name: Quantity.of(a.name, values, unit=a.unit, meaning=a.meaning)
        for a, values in zip(plant.watched, watched, strict=True)
    }
    table = table_of(robot)
    of_plant = {a.name: by_name[a.name].values for a in plant.watched}
    summary = summarize(robot, time, found | own | of_plant, asked | own.keys())
    figures = of_quantities(table, time, of_plant, (PEAK, FINAL))
    summary |= {figure.name: figure for figure in figures}
    near = approached(robot, parameters_of(robot), time, found)
    jumps = [t for t in scenario.motion.breaks if t <= time[-1]]
    return Results(
        robot=robot,
        study=study,
        time=time,
        quantities=by_name,
        warnings=(
            *warnings,
            *_motors_at_limit(robot, time, by_name),
            *without_number(time, by_name),
            *warnings_of(summary, len(time), near, jumps),
            *motion_warnings(scenario.motion, scenario.samples, time),
            *task_warnings(scenario.tasks, scenario.motion, scenario.samples, time),
        ),
        summary=summary,
        versions=versions(),
    )


def _of_actuators(
    robot: Robot, force: Array, speed: Array, found: dict[str, Array]
) -> dict[str, Array]:
    """What the plant's actuators do, in place of what rigid legs without friction would need."""
    made = {"force": force, "power": force * speed}
    if "force_index" in found:
        made["force_index"] = 1 - np.abs(force) / of_actuators(robot, "max_force")
    return made


def _wanted_lengths(scenario: Scenario) -> Array:
    """(T, legs) [m], of the motion to follow."""
    kernel = Kernels(scenario.plant.robot, parametric=True).inverse_kinematics
    return np.asarray(kernel(scenario.numbers, np.ascontiguousarray(scenario.samples.pose)))


def at_limit(what: str, time: Array, reached: Any) -> list[str]:
    """A warning that some legs' (T, legs) are at a limit; none if they never are."""
    if not reached.any():
        return []
    legs = [str(k + 1) for k in np.flatnonzero(reached.any(axis=0))]
    share, first = reached.any(axis=1).mean(), time[np.argmax(reached.any(axis=1))]
    plural = "s" if len(legs) > 1 else ""
    return [
        f"{what}{plural} of leg{plural} {', '.join(legs)} at the limit for {100 * share:.3g} % "
        f"of the run, first at t = {first:.6g} s"
    ]


def without_number(time: Array, found: Mapping[str, Quantity]) -> list[str]:
    """Quantities that have no number at some samples; those of a leg without limit have none."""
    words = []
    for quantity in found.values():
        values = quantity.values.reshape(len(time), -1)
        missing = np.isnan(values)
        at = missing[:, ~missing.all(axis=0)].any(axis=1)
        if at.any():
            words.append(
                f"{quantity.name} has no number at {at.sum()} of {len(time)} samples, first at "
                f"t = {time[np.argmax(at)]:.6g} s"
            )
    return words


def cut_off(scenario: Scenario, path: Path) -> Any:
    """(T, legs): whether each amplifier gave less voltage than it was told; (T, 0) without any."""
    plant = scenario.plant
    names = [a.name for a in plant.watched]
    if CUT_OFF not in names:
        return np.zeros((len(path.states), 0), dtype=bool)
    watched = plant.shown_kernel(*path, scenario.wrench, *scenario.parameters)[3:]
    return _cut_off(dict(zip(names, watched, strict=True)))


def _cut_off(found: Mapping[str, Array]) -> Any:
    """(T, legs): whether each amplifier gave less than it was told."""
    return np.abs(found[CUT_OFF]) > 1e-9 * (1 + np.abs(found["motor_voltage"]))


def _motors_at_limit(robot: Robot, time: Array, found: dict[str, Quantity]) -> list[str]:
    """Amplifiers that gave all they have, or less than they were told, whatever the command was."""
    if CUT_OFF not in found:
        return []
    values = {name: quantity.values for name, quantity in found.items()}
    reached = {
        what: np.abs(values[f"motor_{what}"]) >= of_drives(robot, f"max_{what}") * (1 - 1e-6)
        for what in ("current", "voltage")
    }
    reached["current"] |= _cut_off(values) & ~reached["voltage"]  # nothing else cuts off
    return [words for what in reached for words in at_limit(f"motor {what}", time, reached[what])]
