"""What a run amounts to: labelled arrays, figures of the errors and of the actuators, warnings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.analysis.drives import NAMES as OF_MOTORS
from gough.analysis.evaluation import evaluate
from gough.analysis.limits import held_against_limits, of_drives, of_legs
from gough.analysis.quantities import QUANTITIES, wanted
from gough.analysis.results import ENERGY_PARTS, Quantity, Results, Scalar
from gough.analysis.singular import NEEDED, approached
from gough.analysis.summary import integral, summarize
from gough.analysis.versions import versions
from gough.analysis.warnings import motion_warnings, task_warnings, warnings_of
from gough.model.kernels import Kernels
from gough.model.parameters import parameters_of
from gough.motion import MotionSamples
from gough.poses import difference
from gough.robot import Robot
from gough.simulation.paths import Path
from gough.simulation.plants.drives import CUT_OFF
from gough.simulation.plants.plant import STORED_ENERGY
from gough.simulation.scenario import Scenario

Array = np.ndarray[Any, np.dtype[np.float64]]

OF_RIGID_LEGS = [
    name for name, q in QUANTITIES.items() if q.group in ("shares", "coupling", "reactions")
]
"""What would be wrong of legs that yield."""

MEANINGS = {
    "energy": "kinetic and potential energy of platform and legs, a part of stored_energy",
    "power": "actuator force times actuator speed",
}
"""What quantities of a run mean where legs may yield and drives may move as well."""

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
    made = [
        Quantity(name, q.unit, MEANINGS.get(name, q.meaning), values)
        for name, values in found.items()
        for q in [QUANTITIES[name]]
        if name in asked
    ]
    if "energy" in found:
        made.append(Quantity(STORED_ENERGY.name, "J", STORED_ENERGY.meaning, stored))
    made += [_leg_error(scenario, found["leg_length"]), _pose_error(scenario, pose)]
    made.append(Quantity("command", plant.command.unit, f"{plant.command.meaning}, held", commands))
    made += [
        Quantity(a.name, a.unit, a.meaning, values)
        for a, values in zip(plant.watched, watched, strict=True)
    ]
    by_name = {quantity.name: quantity for quantity in made}
    motors = {name: by_name[name].values for name in OF_MOTORS if name in by_name}
    summary = summarize(robot, time, found | motors, asked)
    figures = error_figures(time, by_name)
    if "energy" in found:
        figures.append(_kinetic(time, stored))
    for a in plant.watched:
        figures += [_peak(time, by_name[a.name]), *_final(time, by_name[a.name])]
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
        made["force_index"] = 1 - np.abs(force) / of_legs(robot, "max_force")
    return made


def _leg_error(scenario: Scenario, leg_length: Array) -> Quantity:
    kernel = Kernels(scenario.plant.robot, parametric=True).inverse_kinematics
    wanted_length = kernel(scenario.numbers, np.ascontiguousarray(scenario.samples.pose))
    meaning = "wanted leg length less that of the run"
    return Quantity("leg_length_error", "m", meaning, wanted_length - leg_length)


def _pose_error(scenario: Scenario, pose: Array) -> Quantity:
    meaning = "wanted position and attitude (rotation vector) less those of the run, base axes"
    return Quantity("pose_error", "m, rad", meaning, difference(scenario.samples.pose, pose))


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


def _kinetic(time: Array, stored: Array) -> Scalar:
    """The largest kinetic energy, in place of that without rotors."""
    kinetic = stored[:, ENERGY_PARTS.index("kinetic")] + stored[:, ENERGY_PARTS.index("rotors")]
    k = int(np.argmax(kinetic))
    meaning = "largest kinetic energy of platform, legs and drives"
    return Scalar("peak_kinetic_energy", "J", meaning, float(kinetic[k]), time=float(time[k]))


def error_figures(time: Array, found: Mapping[str, Quantity]) -> list[Scalar]:
    """Peaks and means of what is between the wanted motion and the run's."""
    error, legs = found["pose_error"].values, np.abs(found["leg_length_error"].values)
    figures = []
    for word, part, unit in (("position", slice(3), "m"), ("attitude", slice(3, 6), "rad")):
        size = np.linalg.norm(error[:, part], axis=1)
        k = int(np.argmax(size))
        meaning = f"largest error of the platform's {word}"
        figures.append(
            Scalar(f"peak_{word}_error", unit, meaning, float(size[k]), time=float(time[k]))
        )
        rms = float(np.sqrt(_mean(time, size**2)))
        meaning = f"root of the mean square of the {word} error over time"
        figures.append(Scalar(f"rms_{word}_error", unit, meaning, rms))
    per_leg = _mean(time, legs)
    meaning = "mean size of the legs' length errors, over time and over the legs"
    figures.append(
        Scalar("mean_leg_error", "m", meaning, float(per_leg.mean()), tuple(per_leg.tolist()))
    )
    return figures


def _mean(time: Array, values: Array) -> Array:
    """The mean over time along the first axis."""
    return np.asarray(integral(time, values) / (time[-1] - time[0]))


def _final(time: Array, quantity: Quantity) -> list[Scalar]:
    """What a quantity that is a single number comes to."""
    if quantity.values.ndim > 1:
        return []
    name, meaning = f"final_{quantity.name}", f"at the end: {quantity.meaning}"
    value = float(quantity.values[-1])
    return [Scalar(name, quantity.unit, meaning, value, time=float(time[-1]))]


def _peak(time: Array, quantity: Quantity) -> Scalar:
    """The largest size of a quantity of the legs, or of one that is a single number."""
    size = np.abs(quantity.values)
    name, meaning = f"peak_{quantity.name}", f"largest size of: {quantity.meaning}"
    if size.ndim == 1:
        k = int(np.argmax(size))
        return Scalar(name, quantity.unit, meaning, float(size[k]), time=float(time[k]))
    per_leg = size.max(axis=0)
    leg = int(np.argmax(per_leg))
    at = float(time[np.argmax(size[:, leg])])
    legs = tuple(per_leg.tolist())
    return Scalar(name, quantity.unit, meaning, legs[leg], legs, leg + 1, at)
