"""Numbers of a machine found by shooting: the whole closed loop is simulated until it fits.

Gauss-Newton steps on the differences between a recorded run and the simulated one, by the exact
derivatives of the run (`sensitivity`). Nothing is filtered or differentiated by time; controller,
delay and limits count as they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.display import Displayable, Table
from gough.errors import GoughError, InputError
from gough.identification import Parameter
from gough.identification import recording as recordings
from gough.model.machines import Machines
from gough.model.variables import counted_otherwise, variables
from gough.robot import Robot
from gough.simulation.closed_loop import ClosedLoop, Runs
from gough.simulation.gradient import sensitivity
from gough.simulation.plants.actuators import IdealActuators
from gough.simulation.plants.plant import Plant
from gough.simulation.rollout import run_with_derivatives
from gough.simulation.scenario import Run, Scenario

POSITIONS, FORCES = "position", "force"
NUDGE = 1e-6  # step of the differences by which positions of actuators follow states, relative
CONVERGED = 1e-13
NOISE_FREE = 1e-9  # minimum deviation of a channel that is assumed, as a part of its range


@dataclass(frozen=True, eq=False)
class Shooting(Displayable):
    """Numbers of a machine with which a simulated run is the recorded one."""

    result_kind = "numbers by shooting"
    listed = "robot parameters residuals"
    robot: Robot
    """The machine with the numbers found: with a payload, if there was one."""
    parameters: tuple[Parameter, ...]
    residuals: dict[str, float]
    """Root mean square of what is left of each kind of measurement [m, rad, N, N m]."""

    def tables(self) -> list[Table]:
        """The numbers, and what they leave unexplained."""
        heads = ("number [SI]", "value", "standard deviation", "as given")
        rows = [(p.name, p.value, p.sigma, p.prior) for p in self.parameters]
        left = [(name.replace("_", " "), value) for name, value in self.residuals.items()]
        return [
            Table.of("", heads, rows),
            Table.of("Not explained", ("measurement", "rms [SI]"), left),
        ]


def identify_by_shooting(scenario: Scenario, recording: Any, numbers: Sequence[str]) -> Shooting:
    """Find numbers of a plant with which a scenario's run is that of a recording.

    The recording is a file (.parquet, .csv), results, or columns by name, with positions of the
    actuators as `gough.identify` takes them; of ideal actuators their forces count, too, if it has
    them. `numbers` are names such as "platform.mass" or "platform.center_of_mass.z" (see
    `Model.parameter_names`): those of the platform include what it carries, and the controller
    knows the robot without. Initial values are those of the scenario's plant. Standard deviations
    are those of noise that is independent from sample to sample: where the model is not exact, as
    with friction that it does not have, they are far too small.
    """
    from scipy.optimize import least_squares  # noqa: PLC0415  (slow to import)

    if isinstance(numbers, str) or not numbers:
        expected = "names such as platform.mass"
        raise InputError("no numbers to find", key="numbers", value=numbers, expected=expected)
    run, loop = run_with_derivatives(scenario)
    plant = replace(run.plant, varied=tuple(numbers))  # which refuses those it does not have
    run, loop = replace(run, plant=plant), replace(loop, plant=plant)
    with recordings.about_recording(recording):
        measured = dict(_measured(run, recording))
    scales = {name: _spread(values) for name, values in measured.items()}
    (own,) = plant.own_parameters
    size = np.where(own == 0.0, _size(run), np.abs(own))
    shot = _Shot(run, loop, size)
    known = np.isfinite(np.concatenate([x.ravel() for x in measured.values()]))

    def left(shares: Array) -> Array:
        predicted = shot.at(shares)
        each = [((measured[n] - predicted[n]) / scales[n]).ravel() for n in measured]
        return np.asarray(np.concatenate(each)[known])

    def slopes(shares: Array) -> Array:
        rows = shot.slopes(shares)
        each = [-(rows[n] / scales[n]).reshape(len(shares), -1) for n in measured]
        return np.asarray(np.concatenate(each, axis=1).T[known])

    start = own / size
    for _ in range(2):  # then with the deviations that the first fit leaves
        start = least_squares(left, start, slopes, method="lm", xtol=CONVERGED, ftol=CONVERGED).x
        predicted = shot.at(start)
        residuals = {n: _rms(measured[n] - predicted[n]) for n in measured}
        scales = {n: max(residuals[n], NOISE_FREE * _spread(measured[n])) for n in measured}
    J = slopes(start)
    if np.linalg.matrix_rank(J, tol=1e-9 * np.linalg.norm(J)) < len(start):
        raise GoughError(
            f"{run.name}: the run does not tell {', '.join(numbers)} apart; expected fewer "
            "numbers, or a motion that excites them"
        )
    sigma = size * np.sqrt(np.diag(np.linalg.inv(J.T @ J)))
    values = start * size
    robot = _found(plant, values)
    rows = zip(numbers, values.tolist(), sigma.tolist(), own.tolist(), strict=True)
    parameters = tuple(Parameter(name, name, *row) for name, *row in rows)
    return Shooting(robot, parameters, residuals)


@dataclass(frozen=True, eq=False)
class _Shot:
    """Measurements of the run, and their derivatives, by numbers over their sizes."""

    run: Run
    loop: ClosedLoop
    size: Array

    def at(self, shares: Array) -> dict[str, Array]:
        """Positions and forces (T, n) of all samples."""
        run, parameters = self.run, shares * self.size
        found = self._run(parameters)
        if not np.isfinite(found.memory).all():
            named = zip(run.plant.varied, parameters.tolist(), strict=True)
            at = ", ".join(f"{name} = {value:.4g}" for name, value in named)
            raise GoughError(
                f"{run.name}: the run diverges with {at}; expected "
                "gains and initial values that come nearer to the recorded run"
            )
        return self._measured(parameters, found)

    def slopes(self, shares: Array) -> dict[str, Array]:
        """(v, T, n) derivatives of both by each number over its size."""
        run, loop, parameters = self.run, self.loop, shares * self.size
        start, each = loop.start(*run.initial, parameters), list[dict[str, Array]]()
        kept, signals = self._run(parameters), {"parameters": parameters, **run.signals}
        for change in np.diag(self.size):
            ends = [loop.start(*run.initial, parameters + n * change) for n in (NUDGE, -NUDGE)]
            along = {"parameters": change, "memory": (ends[0] - ends[1]) / (2 * NUDGE)}
            d = sensitivity(loop, start, run.reference, along, **signals)
            runs = (
                (s, Runs(kept.memory + s * d.memory, kept.command + s * d.command))
                for s in (NUDGE, -NUDGE)
            )
            more, less = (self._measured(parameters + s * change, moved) for s, moved in runs)
            each.append({name: (more[name] - less[name]) / (2 * NUDGE) for name in more})
        return {name: np.stack([one[name] for one in each]) for name in each[0]}

    def _run(self, parameters: Array) -> Runs:
        signals = {"parameters": parameters, "side_by_side": False, **self.run.signals}
        start = self.loop.start(*self.run.initial, parameters)
        return self.loop.run(start, self.run.reference, **signals)

    def _measured(self, parameters: Array, runs: Runs) -> dict[str, Array]:
        plant = replace(self.run.plant, values=parameters)
        states = runs.memory[:, 0, : plant.state.size]
        return {POSITIONS: plant.positions(plant.numbers, states), FORCES: runs.command[:, 0]}


def _measured(run: Run, recording: Any) -> Iterator[tuple[str, Array]]:
    """Yield positions and, if they count, forces (T, n) at the run's samples; NaN if unknown."""
    robot, columns = run.own_robot, recordings.recorded_columns(recording)
    time = recordings.time_of(columns)
    rows, _ = recordings.rows_of(time)
    kinds = {POSITIONS: "leg_length" if robot.has_extensible_legs else "actuator_position"}
    forces = recordings.headings_of(robot, FORCES)
    if isinstance(run.plant.actuation, IdealActuators) and not columns.keys().isdisjoint(forces):
        kinds[FORCES] = FORCES
    for name, kind in kinds.items():
        headings = recordings.headings_of(robot, kind)
        values = recordings.columns_of(columns, headings, len(time))[rows]
        channel = recordings.channel_of(kind, time[rows], values)
        found = channel.on(run.time)
        if np.isfinite(found).all(axis=1).sum() <= len(run.plant.varied):
            problem = f"times from {channel.time[0]:g} to {channel.time[-1]:g} s"
            expected = f"some between {run.time[0]:g} and {run.time[-1]:g} s, as the run has"
            raise InputError(problem, key="time [s]", expected=expected)
        yield name, found


def _size(run: Run) -> Array:
    """Sizes of numbers that are zero: of alike ones in the robot, or one."""
    names, values = run.plant.machines.names, np.abs(run.plant.machines.values)
    kinds = [name.rpartition(".")[0].partition("[")[0] for name in names]
    own = [name.rpartition(".")[0].partition("[")[0] for name in run.plant.varied]
    found = [max(v for v, k in zip(values, kinds, strict=True) if k == kind) for kind in own]
    return np.array([value or 1.0 for value in found])


def _found(plant: Plant, values: Array) -> Robot:
    """Return the robot with these numbers, as its file has it where they are numbers of that."""
    stated = {*variables(plant.robot).names} - {*counted_otherwise(plant.robot)}
    if stated.issuperset(plant.varied):
        return Machines(plant.robot, parametric=plant.varied).made(values)
    return plant.machines.made(replace(plant, values=values).numbers)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.nanmean(values**2)))


def _spread(values: Array) -> float:
    """Deviation of measurements from their means, not zero."""
    return float(np.sqrt(np.nanmean((values - np.nanmean(values, axis=0)) ** 2))) or 1.0
