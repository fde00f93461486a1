"""Dynamic identification: from a recorded motion to what a machine weighs, and how it rubs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.base import BaseParameters, grouped
from gough.identification.consistent import consistent, precision_of
from gough.identification.estimation import Estimate, estimated
from gough.identification.filtering import CUTOFF, Lowpass, highest_frequency
from gough.identification.friction import (
    Part,
    checked_parts,
    direction,
    force_factor,
    load_priors,
    loads_drive,
    terms_of,
)
from gough.identification.identified import Identified, Parameter, Validation
from gough.identification.legs import Legs, body_of, checked_legs, tied
from gough.identification.measured import MeasuredMotion, measured_motion
from gough.identification.rebuilt import contained_parameters, rebuilt
from gough.identification.recording import Measured, Recording
from gough.identification.terms import Terms
from gough.model.kernels import Kernels
from gough.robot import Robot

ROUNDS = 4
"""Steps of Gauss and Newton where friction depends on the load."""


def identify(
    robot: Robot,
    recording: Any,
    *,
    legs: Legs = "independent",
    friction: Iterable[Part] | None = None,
    validation: Any = None,
    cutoff: float | None = None,
) -> Identified:
    """What a machine weighs and how it rubs, from a recorded motion.

    A recording is a .parquet or .csv file, results, or columns by name: `time [s]`, `leg_length_k
    [m]` and one of `motor_current_k [A]`, `motor_torque_k [N m]`, `force_k [N]` of each leg k of a
    hexapod. Of other machines k is the name of a driven joint, positions are `actuator_position_k`
    [rad] or [m], and forces of joints that turn are in [N m]. A `validation` is another recording,
    of a motion that the estimate does not see.

    With `legs="identical"` legs that are images of each other share their numbers. `friction` names
    what is estimated besides what bodies weigh: of the drives "viscous", "dry" and "load" (these
    are the default where motors were measured; rotors are then estimated too), that of the passive
    "joints", and an "offset" of each effort. Forces and regressor go through the same zero-phase
    filter, whose `cutoff` [Hz] is by default four times the highest frequency of the motion.
    """
    model = determined_model(robot)
    measured = Recording.of(recording, robot)
    unseen = None if validation is None else Recording.of(validation, robot)
    task = _Task(model, checked_legs(robot, legs), friction, measured.measured)
    smooth = filter_of(measured, cutoff)
    found, names, priors = task.estimate(measured, smooth)
    numbers = task.consistent(found, names, priors)
    own = dict(zip(names, found.values, strict=True))
    return Identified(
        rebuilt(robot, numbers),
        _parameters(task.base, names, priors, found),
        found.condition,
        measured.time[smooth.kept(len(measured.time))],
        found.residuals,
        found.noise,
        smooth.cutoff,
        found.covariance,
        None if unseen is None else task.validated(unseen, smooth, own),
    )


class _Task:
    """What is estimated of which machine, of such efforts."""

    def __init__(
        self, model: Kernels, legs: Legs, friction: Iterable[Part] | None, measured: Measured
    ) -> None:
        self.model, self.measured = model, measured
        self.parts = checked_parts(friction, measured)
        self.base = grouped(
            model, legs, lambda states: self.beside(MeasuredMotion.of(model, states))
        )

    def beside(self, motion: MeasuredMotion) -> Terms:
        """What drives and joints add to a motion's forces."""
        return terms_of(self.model, motion, self.parts, self.measured)

    def estimate(self, recording: Recording, smooth: Lowpass) -> tuple[Estimate, list[str], Array]:
        """The estimate, the names of its numbers, and what the robot file says of them."""
        explained = _Explained(self, recording, smooth)
        correlation = smooth.correlation()
        values = explained.priors
        for _ in range(ROUNDS if explained.loaded else 1):
            columns, predicted = explained.linearised(values)
            step = estimated(columns, explained.forces - predicted, correlation)
            values = values + step.values
        return replace(step, values=values), explained.names, explained.priors

    def validated(self, recording: Recording, smooth: Lowpass, own: dict[str, float]) -> Validation:
        """How well numbers explain a motion that they were not made of."""
        explained = _Explained(self, recording, smooth)
        values = np.array([own[name] for name in explained.names])
        _, predicted = explained.linearised(values)
        _, before = explained.linearised(explained.priors)
        rows = smooth.kept(len(recording.time))
        return Validation(recording.time[rows], explained.forces, predicted, before)

    def consistent(self, found: Estimate, names: list[str], priors: Array) -> dict[str, float]:
        """All numbers of the robot that is nearest, by name: of each leg its own."""
        base, robot, count = self.base, self.model.robot, len(self.base.names)
        loads = load_priors(robot).names if len(names) > count else ()
        E = block_diag(base.ties, tied(robot, loads, base.legs)[1])
        free = [*base.free, *names[count:]]
        start = np.concatenate([base.described, priors[count:]])
        felt = block_diag(base.matrix, np.eye(len(names) - count))
        spread = _spread(free, start, dict(zip(names, found.values, strict=True)))
        within = contained_parameters(robot)
        contained = np.linalg.pinv(E) @ np.pad(within, (0, len(E) - len(within)))
        precision = precision_of(found.covariance)
        best = consistent(free, start, felt, found.values, precision, spread, contained)
        return dict(zip((*base.every, *loads), E @ best, strict=True))


class _Explained:
    """The forces of a recording (T, n), kept and filtered, and what explains them.

    Effort = F + friction + μ s F: of the force F at the leg, which bodies and joints take, and the
    load's friction μ, where s is the sign of F times that of the speed. Of a sum of both, such as
    that of an arm and its rotor, F has the part that it has by the robot file.
    """

    def __init__(self, task: _Task, recording: Recording, smooth: Lowpass) -> None:
        robot, measured, legs = task.model.robot, recording.measured, task.base.legs
        self.rows, self.smooth = smooth.kept(len(recording.time)), smooth
        self.forces = smooth(recording.effort * force_factor(robot, measured))[self.rows]
        motion = measured_motion(task.model, recording, smooth)
        self.names, self.priors = [*task.base.names], task.base.values
        self._columns = _own_columns(task, motion)
        self.loaded = "load" in task.parts and measured != "force"
        if self.loaded:
            load = load_priors(robot)
            more, self._load = tied(robot, load.names, legs)
            self._of_leg, self._fixed = _loading(task.base)
            self._direction = direction(robot, motion.speed)
            self.names += more
            self.priors = np.append(self.priors, np.linalg.pinv(self._load) @ load.priors)

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""
        if not self.loaded:
            columns = self._kept(self._columns)
            return columns, columns @ values
        count = self._columns.shape[-1]
        force = self._columns @ (values[:count] * self._of_leg + self._fixed)
        sign, mu = np.sign(force) * self._direction, self._load @ values[count:]
        columns = self._columns * (1.0 + (mu * sign)[..., None] * self._of_leg)
        loads = (sign * force)[..., None] * self._load
        kept = self._kept(np.concatenate([columns, loads], -1))
        linear = self._kept(self._columns @ values[:count])
        return kept, linear + kept[..., count:] @ values[count:]

    def _kept(self, columns: Array) -> Array:
        return self.smooth(columns)[self.rows]


def _loading(base: BaseParameters) -> tuple[Array, Array]:
    """Which base parameters go through the drives, and what of their sums does otherwise."""
    by_name = [np.array([*map(loads_drive, names)], float) for names in (base.names, base.free)]
    of_leg, of_all = by_name
    return of_leg, base.matrix @ (base.described * of_all) - base.values * of_leg


def _own_columns(task: _Task, motion: MeasuredMotion) -> Array:
    """The forces by base parameters (T, n, b)."""
    every = task.model.regressor(*motion.states), task.beside(motion).columns
    return np.asarray(np.concatenate(every, -1) @ task.base.ties[:, task.base.kept])


def determined_model(robot: Robot) -> Kernels:
    """The model of a robot, whose motion must determine its forces."""
    model = Kernels(robot)
    if not model.structure.determined:
        raise GoughError(
            f"{robot.name}: {model.structure.actuators} actuators share the work of "
            f"{len(model.structure.freedoms)} freedoms, and a motion does not tell how; expected "
            "a machine with as many actuators as freedoms"
        )
    return model


def filter_of(recording: Recording, cutoff: float | None) -> Lowpass:
    """The filter of a cutoff frequency [Hz], or of one that suits the recorded motion."""
    rate = recording.rate
    chosen = CUTOFF * highest_frequency(recording.length, rate) if cutoff is None else cutoff
    if not 0.0 < chosen < rate / 2:
        raise GoughError(
            f"a cutoff of {chosen:g} Hz; expected more than 0 and less than half the recording's "
            f"rate of {rate:g} Hz"
        )
    return Lowpass(chosen, rate)


def _spread(names: list[str], values: Array, found: Mapping[str, float]) -> Array:
    """How far numbers may be from what the file says: as far as their body, or they, are large."""
    own = dict(zip(names, values, strict=True))
    spread = []
    for name in names:
        if not (body := body_of(name)):
            spread.append(max(abs(own[name]), abs(found.get(name, 0.0))))
            continue
        m = own[f"{body}.mass"]
        J = max(v for key, v in own.items() if body_of(key) == body and "inertia" in key)
        size = (m, np.sqrt(m * J), J)
        spread.append(size[0 if name.endswith(".mass") else 1 if "first_moment" in name else 2])
    return np.asarray(np.maximum(spread, 1e-3 * np.max(spread)))


def _parameters(
    base: BaseParameters, names: list[str], priors: Array, found: Estimate
) -> tuple[Parameter, ...]:
    formulas = [*base.formulas, *names[len(base.names) :]]
    sigma = np.sqrt(np.diag(found.covariance))
    rows = zip(names, formulas, found.values, sigma, priors, strict=True)
    return tuple(Parameter(n, f, float(v), float(s), float(p)) for n, f, v, s, p in rows)
