"""Dynamic identification: from a recorded motion to what a machine weighs, and how it rubs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.base import BaseParameters, grouped
from gough.identification.consistent import consistent
from gough.identification.efforts import Efforts
from gough.identification.estimation import Estimate
from gough.identification.filtering import CUTOFF, Lowpass, highest_frequency
from gough.identification.fitting import fitted, weighted_down
from gough.identification.friction import (
    Part,
    checked_parts,
    direction,
    force_factor,
    load_priors,
    loads_drive,
    terms_of,
)
from gough.identification.gains import OfRecordings, WithGains, check_gains, gain_names
from gough.identification.identified import Identified, Parameter, Validation
from gough.identification.legs import Legs, body_of, checked_legs, tied
from gough.identification.measured import MeasuredMotion, measured_motion
from gough.identification.rebuilt import contained_parameters, rebuilt
from gough.identification.recording import Measured, Recording
from gough.identification.terms import Terms
from gough.model.kernels import Kernels
from gough.model.standard import standard_parameters
from gough.motion.tasks.payload import Payload
from gough.one_thread import one_thread
from gough.robot import Robot


@one_thread()
def identify(
    robot: Robot,
    recording: Any,
    *,
    legs: Legs = "independent",
    friction: Iterable[Part] | None = None,
    validation: Any = None,
    loaded: Any = None,
    payload: Payload | None = None,
    cutoff: float | None = None,
    lag: float | None = None,
    robust: bool = False,
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

    A `loaded` recording, with a `payload` that is known and currents measured in both, tells the
    torque constants of the motors too, by total least squares.

    Efforts that come later than positions by a constant `lag` [s] are moved; left out, it is found.
    With `robust`, spikes of efforts are taken away, and samples far from what explains all others
    count less. Gaps and uneven steps are dealt with; `notes` of the result say how.
    """
    model = determined_model(robot)
    measured = recording_of(recording, robot, robust)
    carrying = _loaded(loaded, payload, measured, robot, robust)
    unseen = None if validation is None else Recording.of(validation, robot)
    task = _Task(model, checked_legs(robot, legs), friction, measured.measured)
    smooth = filter_of(measured, cutoff)
    explained: OfRecordings = _Explained(task, measured, smooth)
    count, notes = len(explained.efforts.at(0.0)), [*measured.notes, *smooth.notes]
    if carrying is not None:
        other = _Explained(task, carrying, filter_of(carrying, smooth.cutoff), payload)
        explained = WithGains([explained, other], robot)
        notes += [f"with the payload: {note}" for note in carrying.notes]
    if unseen is not None:
        notes += [f"unseen motion: {note}" for note in unseen.notes if note not in notes]
    found, late = fitted(explained, explained.efforts, lag=lag, robust=robust)
    names, priors = explained.names, explained.priors
    numbers = task.consistent(found, names, priors)
    own = dict(zip(names, found.values, strict=True))
    return Identified(
        rebuilt(robot, numbers),
        _parameters(task.base, names, priors, found),
        found.condition,
        measured.time[smooth.kept(len(measured.time))],
        found.residuals[:count],
        found.noise,
        smooth.cutoff,
        found.covariance,
        late,
        (*notes, *weighted_down(found)),
        None if unseen is None else task.validated(unseen, smooth.cutoff, late.applied, own),
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
        self.loaded = "load" in self.parts and measured != "force"

    def beside(self, motion: MeasuredMotion) -> Terms:
        """What drives and joints add to a motion's forces."""
        return terms_of(self.model, motion, self.parts, self.measured)

    def validated(
        self, recording: Recording, cutoff: float, lag: float, own: dict[str, float]
    ) -> Validation:
        """How well numbers explain a motion that they were not made of."""
        smooth, robot = filter_of(recording, cutoff), self.model.robot
        explained: OfRecordings = _Explained(self, recording, smooth)
        if gain_names(robot)[0] in own:
            explained = WithGains([explained], robot)
        values = np.array([own[name] for name in explained.names])
        _, predicted = explained.linearised(values)
        _, before = explained.linearised(explained.priors)
        rows = smooth.kept(len(recording.time))
        return Validation(recording.time[rows], explained.efforts.at(lag), predicted, before)

    def consistent(self, found: Estimate, names: list[str], priors: Array) -> dict[str, float]:
        """All numbers of the robot that is nearest, by name: of each leg its own."""
        base, robot, count = self.base, self.model.robot, len(self.base.names)
        loads = load_priors(robot).names if self.loaded else ()
        more = (*loads, *(name for name in gain_names(robot) if name in names))
        E = block_diag(base.ties, tied(robot, more, base.legs)[1])
        free = [*base.free, *names[count:]]
        start = np.concatenate([base.described, priors[count:]])
        felt = block_diag(base.matrix, np.eye(len(names) - count))
        spread = _spread(free, start, dict(zip(names, found.values, strict=True)))
        within = contained_parameters(robot)
        contained = np.linalg.pinv(E) @ np.pad(within, (0, len(E) - len(within)))
        best = consistent(free, start, felt, found.values, found.root, spread, contained)
        return dict(zip((*base.every, *more), E @ best, strict=True))


class _Explained:
    """The forces of a recording (T, n), kept and filtered, and what explains them.

    Effort = F + friction + μ s F: of the force F at the leg, which bodies and joints take, and the
    load's friction μ, where s is the sign of F times that of the speed. Of a sum of both, such as
    that of an arm and its rotor, F has the part that it has by the robot file.
    """

    def __init__(
        self, task: _Task, recording: Recording, smooth: Lowpass, payload: Payload | None = None
    ) -> None:
        robot, self.smooth = task.model.robot, smooth
        self.efforts = Efforts.of(recording, smooth, force_factor(robot, recording.measured))
        motion = measured_motion(task.model, recording, smooth)
        self.names, self.priors = [*task.base.names], task.base.values
        Y = np.asarray(task.model.regressor(*motion.states))
        columns, carried = _own_columns(task, Y, motion), Y @ _carried(robot, payload)
        self._kept, self._carried = smooth.at_kept(columns), smooth.at_kept(carried)
        self.linear = not task.loaded
        if task.loaded:
            load = load_priors(robot)
            more, self._load = tied(robot, load.names, task.base.legs)
            of_leg, fixed = _loading(task.base)
            self._of_leg = np.flatnonzero(of_leg)
            self._columns, self._given = columns[..., self._of_leg], carried + columns @ fixed
            self._direction = direction(robot, motion.speed)
            self.names += more
            self.priors = np.append(self.priors, np.linalg.pinv(self._load) @ load.priors)

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""
        if self.linear:
            return self._kept, self._kept @ values + self._carried
        count, of_leg = self._kept.shape[-1], self._of_leg
        sign = np.sign(self._columns @ values[of_leg] + self._given) * self._direction
        loads = self.smooth.at_kept(sign[..., None] * self._columns)
        load = loads @ values[of_leg] + self.smooth.at_kept(sign * self._given)
        mu = self._load @ values[count:]
        columns = self._kept.copy()
        columns[..., of_leg] += mu[:, None] * loads
        predicted = self._kept @ values[:count] + self._carried + mu * load
        return np.concatenate([columns, load[..., None] * self._load], -1), predicted


def recording_of(given: Any, robot: Robot, robust: bool) -> Recording:
    """A recording of a robot; of a robust estimate without its spikes."""
    recording = Recording.of(given, robot)
    return recording.without_spikes() if robust else recording


def _loaded(
    given: Any, payload: Payload | None, unloaded: Recording, robot: Robot, robust: bool
) -> Recording | None:
    """The recording with a known payload, if there is one."""
    if (given is None) != (payload is None):
        raise GoughError("expected a loaded recording and its payload, or neither")
    if given is None:
        return None
    loaded = recording_of(given, robot, robust)
    check_gains(unloaded, loaded)
    return loaded


def _loading(base: BaseParameters) -> tuple[Array, Array]:
    """Which base parameters go through the drives, and what of their sums does otherwise."""
    by_name = [np.array([*map(loads_drive, names)], float) for names in (base.names, base.free)]
    of_leg, of_all = by_name
    return of_leg, base.matrix @ (base.described * of_all) - base.values * of_leg


def _own_columns(task: _Task, regressor: Array, motion: MeasuredMotion) -> Array:
    """The forces by base parameters (T, n, b)."""
    every = np.concatenate([regressor, task.beside(motion).columns], -1)
    return np.asarray(every @ task.base.ties[:, task.base.kept])


def _carried(robot: Robot, payload: Payload | None) -> Array:
    """What a payload adds to the standard parameters."""
    own = standard_parameters(robot)
    return (
        np.zeros_like(own)
        if payload is None
        else standard_parameters(payload.carried_by(robot)) - own
    )


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
    rate, length = recording.rate, recording.length[recording.longest]
    chosen = CUTOFF * highest_frequency(length, rate) if cutoff is None else cutoff
    if not 0.0 < chosen < rate / 2:
        raise GoughError(
            f"a cutoff of {chosen:g} Hz; expected more than 0 and less than half the recording's "
            f"rate of {rate:g} Hz"
        )
    return Lowpass(chosen, rate, recording.segments)


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
