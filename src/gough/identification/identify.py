"""Dynamic identification: from a recorded motion to what a machine weighs, and how it rubs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.base import BaseParameters, base_parameters
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
    terms_of,
)
from gough.identification.gains import WithGains, check_gains, gain_names
from gough.identification.identified import Identified, Parameter, Validation
from gough.identification.legs import Legs, body_of, tied
from gough.identification.measured import measured_motion
from gough.identification.rebuilt import contained_parameters, rebuilt
from gough.identification.recording import Recording
from gough.model.kernels import Kernels
from gough.model.standard import standard_parameters
from gough.motion.tasks.payload import Payload
from gough.robot import Hexapod, Robot


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
    """What a hexapod weighs and how it rubs, from a recorded motion.

    A recording is a .parquet or .csv file, results, or columns by name: `time [s]`, `leg_length_k
    [m]` and one of `motor_current_k [A]`, `motor_torque_k [N m]`, `force_k [N]` of each leg k. A
    `validation` is another one, of a motion that the estimate does not see.

    With `legs="identical"` the legs share their numbers. `friction` names what is estimated besides
    what bodies weigh: of the drives "viscous", "dry" and "load" (these are the default where motors
    were measured; rotors are then estimated too), that of the passive "joints", and an "offset" of
    each effort. Forces and regressor go through the same zero-phase filter, whose `cutoff` [Hz] is
    by default four times the highest frequency of the motion.

    A `loaded` recording, with a `payload` that is known and currents measured in both, tells the
    torque constants of the motors too, by total least squares.

    Efforts that come later than lengths by a constant `lag` [s] are moved; left out, it is found.
    With `robust`, spikes of efforts are taken away, and samples far from what explains all others
    count less. Gaps and uneven steps are dealt with; `notes` of the result say how.
    """
    if not isinstance(robot, Hexapod):
        raise GoughError(
            f"{robot.name}: only hexapods can be identified so far; see base_parameters"
        )
    measured = _recording(recording, robot, robust)
    carrying = _loaded(loaded, payload, measured, robot, robust)
    unseen = None if validation is None else Recording.of(validation, robot)
    base = base_parameters(robot, legs=legs)
    task = _Task(robot, Kernels(robot), base, checked_parts(friction, measured.measured))
    smooth = filter_of(measured, cutoff)
    explained: _Explained | WithGains = _Explained(task, measured, smooth)
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
        _parameters(base, names, priors, found),
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


@dataclass(frozen=True)
class _Task:
    """What is estimated of which machine."""

    robot: Hexapod
    model: Kernels
    base: BaseParameters
    parts: tuple[Part, ...]

    def validated(
        self, recording: Recording, cutoff: float, lag: float, own: dict[str, float]
    ) -> Validation:
        """How well numbers explain a motion that they were not made of."""
        smooth = filter_of(recording, cutoff)
        explained: _Explained | WithGains = _Explained(self, recording, smooth)
        if gain_names(self.robot)[0] in own:
            explained = WithGains([explained], self.robot)
        values = np.array([own[name] for name in explained.names])
        _, predicted = explained.linearised(values)
        _, before = explained.linearised(explained.priors)
        rows = smooth.kept(len(recording.time))
        return Validation(recording.time[rows], explained.efforts.at(lag), predicted, before)

    def consistent(self, found: Estimate, names: list[str], priors: Array) -> dict[str, float]:
        """All numbers of the robot that is nearest, by name: of each leg its own."""
        base, count = self.base, len(self.base.names)
        robot, model = self.robot, self.model
        _, E = tied(model.standard_names, base.legs)
        own = np.linalg.pinv(E) @ standard_parameters(robot)
        others = names[count:]
        felt = np.zeros((len(names), len(base.free) + len(others)))
        felt[:count, : len(base.free)] = base.matrix
        felt[count:, len(base.free) :] = np.eye(len(others))
        start = np.concatenate([own, priors[count:]])
        spread = np.concatenate(
            [
                _spread(base.free, own),
                np.maximum(np.abs(priors[count:]), np.abs(found.values[count:])),
            ]
        )
        contained = np.zeros(len(start))
        contained[: len(base.free)] = np.linalg.pinv(E) @ contained_parameters(robot)
        free = [*base.free, *others]
        best = consistent(free, start, felt, found.values, found.covariance, spread, contained)
        every = [*model.standard_names, *self._all_names(others)]
        shared, F = tied(every, base.legs)
        of_name = dict(zip(free, best, strict=True))
        return dict(zip(every, F @ [of_name[name] for name in shared], strict=True))

    def _all_names(self, others: list[str]) -> list[str]:
        """Names of the other numbers of every leg."""
        legs = range(len(self.model.robot.actuators))
        if self.base.legs == "independent":
            return others
        return [
            name
            for other in others
            for name in (
                [other.replace("legs.", f"legs[{k}].", 1) for k in legs]
                if other.startswith("legs.")
                else [other]
            )
        ]


class _Explained:
    """The forces of a recording (T, n), kept and filtered, and what explains them.

    Effort = F + friction + μ s F: of the force F at the leg, which bodies and joints take, and the
    load's friction μ, where s is the sign of F times that of the speed.
    """

    def __init__(
        self, task: _Task, recording: Recording, smooth: Lowpass, payload: Payload | None = None
    ) -> None:
        robot, measured, legs = task.model.robot, recording.measured, task.base.legs
        self.smooth = smooth
        self.efforts = Efforts.of(recording, smooth, force_factor(robot, measured))
        motion = measured_motion(task.model, recording, smooth)
        terms = terms_of(task.model, motion, task.parts, measured)
        shared, F = _tied_terms(terms.names, legs)
        self.names = [*task.base.names, *shared]
        self.priors = np.concatenate([task.base.values, np.linalg.pinv(F) @ terms.priors])
        Y = np.asarray(task.model.regressor(*motion.states))
        columns = np.concatenate([_own_columns(task, Y), terms.columns @ F], -1)
        self._kept = smooth.at_kept(columns)
        self._carried = Y @ _carried(robot, payload)
        self._carried_kept = smooth.at_kept(self._carried)
        self.linear = not ("load" in task.parts and measured != "force")
        if not self.linear:
            load = load_priors(robot)
            more, self._load = _tied_terms(load.names, legs)
            of_leg = [bool(body_of(name)) or ".joint_friction." in name for name in self.names]
            self._of_leg = np.flatnonzero(of_leg)
            self._columns = columns[..., self._of_leg]
            self._direction = direction(robot, motion.speed)
            self.names += more
            self.priors = np.append(self.priors, np.linalg.pinv(self._load) @ load.priors)

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""
        if self.linear:
            return self._kept, self._kept @ values + self._carried_kept
        count, of_leg = self._kept.shape[-1], self._of_leg
        sign = np.sign(self._columns @ values[of_leg] + self._carried) * self._direction
        loads = self.smooth.at_kept(sign[..., None] * self._columns)
        load = loads @ values[of_leg] + self.smooth.at_kept(sign * self._carried)
        mu = self._load @ values[count:]
        columns = self._kept.copy()
        columns[..., of_leg] += mu[:, None] * loads
        predicted = self._kept @ values[:count] + self._carried_kept + mu * load
        return np.concatenate([columns, load[..., None] * self._load], -1), predicted


def _recording(given: Any, robot: Hexapod, robust: bool) -> Recording:
    recording = Recording.of(given, robot)
    return recording.without_spikes() if robust else recording


def _loaded(
    given: Any, payload: Payload | None, unloaded: Recording, robot: Hexapod, robust: bool
) -> Recording | None:
    """The recording with a known payload, if there is one."""
    if (given is None) != (payload is None):
        raise GoughError("expected a loaded recording and its payload, or neither")
    if given is None:
        return None
    loaded = _recording(given, robot, robust)
    check_gains(unloaded, loaded)
    return loaded


def _own_columns(task: _Task, regressor: Array) -> Array:
    """The forces by base parameters (T, n, b)."""
    _, E = tied(task.model.standard_names, task.base.legs)
    return np.asarray(regressor @ E[:, task.base.kept])


def _carried(robot: Robot, payload: Payload | None) -> Array:
    """What a payload adds to the standard parameters."""
    own = standard_parameters(robot)
    return (
        np.zeros_like(own)
        if payload is None
        else standard_parameters(payload.carried_by(robot)) - own
    )


def _tied_terms(names: tuple[str, ...], legs: Legs) -> tuple[list[str], Array]:
    """As `tied`; an offset is always an actuator's own."""
    own = [name.replace("legs[", "actuators[") if ".offset" in name else name for name in names]
    return tied(own, legs)


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


def _spread(names: tuple[str, ...], values: Array) -> Array:
    """How far standard parameters may be from what the file says: as far as their body is large."""
    own = dict(zip(names, values, strict=True))
    spread = []
    for name in names:
        body = body_of(name)
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
