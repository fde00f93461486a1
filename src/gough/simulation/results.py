"""What a run amounts to: labelled arrays, figures of the errors and of the actuators, warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gough.analysis.drives import OF_MOTORS
from gough.analysis.evaluation import Numbers, evaluate
from gough.analysis.limits import held_against_limits, of_actuators, of_drives, travels
from gough.analysis.machine_table import Table, positions_of, table_of
from gough.analysis.quantities import in_groups, wanted
from gough.analysis.results import Quantity, Results
from gough.analysis.singular import NEEDED, approached
from gough.analysis.summary import of_quantities, summarize
from gough.analysis.versions import versions
from gough.analysis.warnings import motion_warnings, task_warnings, warnings_of
from gough.analysis.ways import FINAL, PEAK, PEAK_LENGTH
from gough.arrays import Array
from gough.model.kernels import Kernels
from gough.model.parameters import parameters_of
from gough.motion import MotionSamples
from gough.poses import difference
from gough.robot import Hexapod, Robot
from gough.simulation.controllers.controller import FORCES
from gough.simulation.paths import Path
from gough.simulation.plants import Plant
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
    read: tuple[Array, ...] = (),
    quantities: tuple[str, ...],
    warnings: list[str],
    study: dict[str, Any],
) -> Results:
    """The results of a run whose samples are those of the scenario.

    `read` are positions (T, n), and speeds, as encoders read them.
    """
    plant, robot, time = scenario.plant, scenario.plant.robot, scenario.time
    states, commands = path
    at = (states, commands, scenario.wrench, *scenario.parameters)
    pose, twist = np.ascontiguousarray(states[:, :7]), np.ascontiguousarray(states[:, 7:13])
    rates = plant.rate_kernel(*at)
    acceleration = np.ascontiguousarray(rates[:, 7:13])
    motion = MotionSamples(pose, twist, acceleration)
    asked = wanted(quantities)
    needed = asked | held_against_limits(robot) | set(NEEDED)
    needed -= set(OF_MOTORS)  # those of the run itself are watched
    if plant.yields:
        needed -= set(OF_RIGID_LEGS)
    seen = plant.measured_kernel(states, scenario.wrench, *scenario.parameters)
    felt = slice(2 * plant.actuators, 2 * plant.actuators + 6)
    wrench = np.ascontiguousarray(seen[:, felt])  # with what a surface does
    found = evaluate(robot, Numbers.of(robot, scenario.numbers), motion, wrench, needed)
    force, speed, stored, *watched = plant.shown_kernel(*at)
    found |= _of_actuators(robot, force, speed, found)
    found |= _of_motors(plant, states, rates, found)
    if "energy" in found:
        found["energy"] = stored[:, :2]  # of legs that may yield
    own = {"stored_energy": stored} if "energy" in found else {}
    table = table_of(robot)
    positions = positions_of(table)
    own[f"{positions}_error"] = _wanted_positions(scenario) - found[positions]
    speeds = "leg_speed" if positions == "leg_length" else "actuator_speed"
    own |= {f"measured_{n}": values for n, values in zip((positions, speeds), read, strict=False)}
    own["pose_error"] = difference(scenario.samples.pose, pose)
    by_name = {
        name: Quantity.of(name, values, meaning=table[name].of_a_run.meaning, table=table)
        for name, values in (found | own).items()
        if name in asked | own.keys()
    }
    by_name["command"] = _command(plant, commands, table)
    by_name |= {
        a.name: Quantity.of(a.name, values, unit=a.unit, meaning=a.meaning, table=table)
        for a, values in zip(plant.watched, watched, strict=True)
    }
    of_plant = {a.name: by_name[a.name].values for a in plant.watched}
    summary = summarize(robot, time, found | own | of_plant, asked | own.keys())
    figures = of_quantities(table, time, of_plant, (PEAK, PEAK_LENGTH, FINAL))
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
            *plant.doubts(time, states),
            *_motors_at_limit(plant, time, by_name),
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


def _of_motors(
    plant: Plant, states: Array, rates: Array, found: dict[str, Array]
) -> dict[str, Array]:
    """How the driven joints move, where that is not what rigid links would need."""
    known, changes = plant.driven(states), plant.driven(rates)
    if known is None or changes is None:
        return {}
    (position, speed), (_, acceleration) = known, changes
    low, high = travels(plant.robot)
    made = {
        "actuator_position": position,
        "actuator_speed": speed,
        "actuator_acceleration": acceleration,
        "travel_margin": np.fmin(position - low, high - position),
        "speed_margin": of_actuators(plant.robot, "max_speed") - np.abs(speed),
    }
    return {name: values for name, values in made.items() if name in found}


def _command(plant: Plant, commands: Array, table: Table) -> Quantity:
    """What the controller set: forces in the units of the joints, or voltages."""
    told, meaning = plant.command, f"{plant.command.meaning}, held"
    if told.name == FORCES.name:
        return Quantity.of("command", commands, meaning=meaning, table=table)
    volts = table["motor_voltage"]
    return replace(
        Quantity.of("command", commands, unit=told.unit, meaning=meaning), axes=volts.axes
    )


def _wanted_positions(scenario: Scenario) -> Array:
    """(T, n) of the driven joints [m, rad], of the motion to follow."""
    kernel = Kernels(scenario.plant.robot, parametric=True).inverse_kinematics
    return np.asarray(kernel(scenario.numbers, np.ascontiguousarray(scenario.samples.pose)))


def at_limit(plant: Plant, what: str, time: Array, reached: Any) -> list[str]:
    """A warning that some actuators' (T, n) are at a limit; none if they never are."""
    if not reached.any():
        return []
    which = np.flatnonzero(reached.any(axis=0))
    share, first = reached.any(axis=1).mean(), time[np.argmax(reached.any(axis=1))]
    plural = "s" if len(which) > 1 else ""
    names = [plant.structure.driven[k].name for k in which]
    if isinstance(plant.robot, Hexapod):
        names = [f"leg{plural} {names[0].split()[-1]}", *(name.split()[-1] for name in names[1:])]
    return [
        f"{what}{plural} of {', '.join(names)} at the limit for {100 * share:.3g} % of the run, "
        f"first at t = {first:.6g} s"
    ]


def without_number(time: Array, found: Mapping[str, Quantity]) -> list[str]:
    """Quantities that have no number at some samples; of what has no limit, none has."""
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
    """(T, n): whether each amplifier gave less voltage than it was told; (T, 0) without any."""
    plant = scenario.plant
    names = [a.name for a in plant.watched]
    if CUT_OFF not in names:
        return np.zeros((len(path.states), 0), dtype=bool)
    watched = plant.shown_kernel(*path, scenario.wrench, *scenario.parameters)[3:]
    return _cut_off(dict(zip(names, watched, strict=True)))


def _cut_off(found: Mapping[str, Array]) -> Any:
    """(T, n): whether each amplifier gave less than it was told."""
    return np.abs(found[CUT_OFF]) > 1e-9 * (1 + np.abs(found["motor_voltage"]))


def _motors_at_limit(plant: Plant, time: Array, found: dict[str, Quantity]) -> list[str]:
    """Amplifiers that gave all they have, or less than they were told, whatever the command was."""
    if CUT_OFF not in found:
        return []
    robot, values = plant.robot, {name: quantity.values for name, quantity in found.items()}
    reached = {
        what: np.abs(values[f"motor_{what}"]) >= of_drives(robot, f"max_{what}") * (1 - 1e-6)
        for what in ("current", "voltage")
    }
    reached["current"] |= _cut_off(values) & ~reached["voltage"]  # nothing else cuts off
    return [
        words for what in reached for words in at_limit(plant, f"motor {what}", time, reached[what])
    ]
