"""Payload identification: what a platform carries, from recordings with it and without it.

Efforts are linear in the payload's ten standard parameters: its mass m, its first moment m c and
its inertia about the platform's origin. They are estimated with those of the machine, of which a
recording without the payload tells all and both recordings share the numbers; without one, the
machine's own numbers count as they are. A platform that does not turn shows the mass alone: what no
force feels is not a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.digits import short_decimal
from gough.errors import GoughError
from gough.identification.base import STATES, regressor_rows
from gough.identification.consistent import consistent
from gough.identification.estimation import Estimate
from gough.identification.fitting import fitted, impossible, unexplained, weighted_down
from gough.identification.friction import Part, checked_parts, left_out
from gough.identification.gains import Together, check_efforts, check_rates
from gough.identification.grouping import groups, independent
from gough.identification.identified import Lag
from gough.identification.identify import (
    checked_known,
    determined_model,
    filter_of,
    recording_of,
)
from gough.identification.legs import Alike, Sharing
from gough.identification.recording import Recording
from gough.identification.states import random_states
from gough.identification.task import RecordedEfforts, Task
from gough.kinematics.size import machine_size
from gough.model.kernels import Kernels
from gough.model.structure import structure_of
from gough.motion.tasks.payload import Payload
from gough.one_thread import one_thread
from gough.robot import Robot
from gough.robot.numbers import UPPER
from gough.shown.brief import brief

STANDARD = 10
"""The platform's parameters come first: m, m c and J about its origin."""
_STEP = 1e-30
_SMALL = 0.03
"""A radius of gyration, beside the machine's size, of payloads whose inertia no force feels."""

_EXACT = (
    "standard deviations take the robot's own numbers for exact; a recording without the payload "
    "(unloaded) would count how surely they are known",
)


@dataclass(frozen=True, eq=False)
class IdentifiedPayload:
    """What a platform carries, with standard deviations."""

    robot: Robot
    """The robot with the payload joined to its platform, and what else was estimated of it."""
    payload: Payload
    """A body that can exist: of all such ones the nearest to the estimate."""
    mass: float
    """[kg]"""
    mass_sigma: float
    center_of_mass: Array
    """(3) in the platform's frame [m]; not a number where no force feels it."""
    center_sigma: Array
    inertia: Array
    """(3, 3) about its own mass centre, on the platform's axes [kg m^2]."""
    inertia_sigma: Array
    not_explained: float
    """Root mean square of the actuators' forces [N, N m], filtered."""
    without: float
    """The same without a payload."""
    lag: Lag
    """Of efforts behind lengths or positions."""
    notes: tuple[str, ...] = ()
    """What was odd about the recording, and what was done about it."""
    warnings: tuple[str, ...] = ()
    """Why standard deviations may be too small."""

    __repr__ = brief

    def report(self) -> str:
        """All that was found, as text."""
        rows = [("mass", self.mass, self.mass_sigma, "kg")]
        for k, axis in enumerate("xyz"):
            rows.append((f"centre {axis}", self.center_of_mass[k], self.center_sigma[k], "m"))
        for i, j in zip(*UPPER, strict=True):
            name = f"inertia {'xyz'[i]}{'xyz'[j]}"
            rows.append((name, self.inertia[i, j], self.inertia_sigma[i, j], "kg m^2"))
        unit = structure_of(self.robot).force_unit
        felt = [row for row in rows if np.isfinite(row[2])]
        lines = [
            f"{self.robot.name}: payload by {short_decimal(self.without, 3)} {unit} rms that the "
            f"robot alone does not explain; {short_decimal(self.not_explained, 3)} {unit} with it",
            f"lag of efforts: {self.lag.text}",
            *(f"recording: {note}" for note in self.notes),
            *(f"warning: {warning}" for warning in self.warnings),
            "                  value      sigma",
        ]
        for name, value, sigma, unit in felt:
            numbers = (f"{short_decimal(float(x), 4):>10}" for x in (value, sigma))
            lines.append(f"{name:<12} {' '.join(numbers)} {unit}")
        if len(felt) < len(rows):
            others = ", ".join(row[0] for row in rows if row not in felt)
            lines.append(f"not felt: {others}")
        return "\n".join(lines)


@one_thread()
def identify_payload(
    robot: Robot,
    recording: Any,
    *,
    unloaded: Any = None,
    legs: Sharing = "independent",
    drives: Sharing = "independent",
    friction: Iterable[Part] | None = None,
    known: Sequence[str] = (),
    cutoff: float | None = None,
    lag: float | None = None,
    robust: bool = False,
) -> IdentifiedPayload:
    """Mass, mass centre and inertia of what a platform carries, from a recorded motion.

    The robot is the one without the payload. With a recording of it, `unloaded`, its own numbers
    are estimated from both recordings together with those of the payload, as `legs`, `drives`,
    `friction` and `known` say, see `identify`: standard deviations are then those of all that is
    not known. Without one, its numbers count as they are, best as `identify` found them, and how
    surely they are known is in no standard deviation; an "offset" of each effort is still estimated
    with the payload where `friction` names it. `cutoff` [Hz] is that of the filter; `lag` and
    `robust` are as in `identify`.
    """
    model = determined_model(robot)
    felt = _Felt.by(model)
    measured = recording_of(recording, robot, robust)
    other = None if unloaded is None else _unloaded(unloaded, measured, robot, robust)
    smooth = filter_of(measured, cutoff)
    parts, alike = checked_parts(friction, measured.measured), Alike.checked(robot, legs, drives)
    names, kind = checked_known(known), measured.measured
    task = Task(model, alike, parts, kind, names, identified=other is None)
    loaded = RecordedEfforts(task, measured, smooth, unknown=felt.kept)
    recordings, notes = [loaded], [*measured.notes, *smooth.notes]
    if other is not None:
        same = filter_of(other, smooth.cutoff)
        recordings.append(RecordedEfforts(task, other, same, unknown=felt.kept, carried=False))
        notes += [f"without the payload: {note}" for note in (*other.notes, *same.notes)]
    explained = Together(recordings)
    found, late = fitted(explained, explained.efforts, lag=lag, robust=robust)
    rows = [name.startswith("payload[") for name in explained.names]
    alone = loaded.linearised(np.where(rows, 0.0, found.values))[1]
    efforts = loaded.efforts.at(late.applied)
    bare, numbers = task.robot(found, explained.names, explained.priors)
    return _made(
        bare,
        felt,
        replace(
            found,
            values=found.values[rows],
            root=found.root[rows],
            residuals=found.residuals[: len(efforts)],
        ),
        _rms(efforts - alone),
        late,
        (*notes, *weighted_down(found)),
        (
            *(_EXACT if other is None else ()),
            *left_out(robot, parts, kind),
            *unexplained(found, explained.efforts),
            *impossible(found, numbers, explained, explained.efforts),
        ),
    )


def _unloaded(given: Any, loaded: Recording, robot: Robot, robust: bool) -> Recording:
    """The recording without the payload, of the same efforts at the same rate."""
    unloaded = recording_of(given, robot, robust)
    check_efforts(loaded, unloaded, "unloaded")
    check_rates(unloaded, loaded)
    return unloaded


@dataclass(frozen=True, eq=False)
class _Felt:
    """Which of the payload's ten numbers forces feel."""

    kept: AnyArray
    """Places of those that stand for groups."""
    matrix: Array
    """K (kept x 10): the groups as sums of the ten."""

    @classmethod
    def by(cls, model: Kernels) -> _Felt:
        """The actuators of a model; GoughError where they do not feel the mass for itself."""
        states = random_states(model, STATES, np.random.default_rng(0))
        carried = regressor_rows(model, states)[:, :STANDARD]
        kept = independent(carried)
        felt = cls(kept, groups(carried, kept))
        if 0 not in felt.alone:
            raise GoughError(
                f"{model.robot.name}: forces do not tell the mass of what its platform carries; "
                "expected a platform that does not only turn"
            )
        return felt

    @property
    def alone(self) -> AnyArray:
        """Places of the numbers that are felt each for itself."""
        return np.asarray(self.kept[np.count_nonzero(self.matrix, axis=1) == 1])

    def told(self, standard: Array) -> AnyArray:
        """Which of mass, mass centre and inertia about it follow from what is felt."""
        hidden = np.setdiff1d(np.arange(STANDARD), self.alone)
        anywhere = standard.copy()
        anywhere[hidden] = standard[0]
        return np.asarray((_slopes(anywhere)[hidden] == 0.0).all(axis=0))


def _made(
    robot: Robot,
    felt: _Felt,
    found: Estimate,
    without: float,
    lag: Lag,
    notes: tuple[str, ...],
    warnings: tuple[str, ...],
) -> IdentifiedPayload:
    standard = np.zeros(STANDARD)
    standard[felt.kept] = found.values
    payload, told = _possible(robot, felt, standard, found), felt.told(standard)
    slopes = _slopes(standard)[felt.kept]
    sigma = np.sqrt(np.einsum("ki,kl,li->i", slopes, found.covariance, slopes))
    numbers, sigma = (np.where(told, x, np.nan) for x in (_body(standard), sigma))
    return IdentifiedPayload(
        payload.carried_by(robot),
        payload,
        float(numbers[0]),
        float(sigma[0]),
        numbers[1:4],
        sigma[1:4],
        _matrix(numbers[4:]),
        _matrix(sigma[4:]),
        _rms(found.residuals),
        without,
        lag,
        notes,
        warnings,
    )


def _body(standard: Array) -> Array:
    """Mass, mass centre and inertia about it, of standard parameters: m, m c, J at the origin."""
    m, h, J = standard[0], standard[1:4], _matrix(standard[4:])
    own = J - (h @ h * np.eye(3) - np.outer(h, h)) / m
    return np.concatenate([[m], h / m, own[UPPER]])


def _slopes(standard: Array) -> Array:
    """Derivatives of mass, mass centre and inertia by each standard parameter (10 x 10)."""
    return np.stack([_body(standard + 1j * _STEP * e).imag / _STEP for e in np.eye(STANDARD)])


def _possible(robot: Robot, felt: _Felt, standard: Array, found: Estimate) -> Payload:
    """The nearest body that can exist."""
    names = ["platform.mass", *(f"platform.first_moment.{axis}" for axis in "xyz")]
    names += [f"platform.origin_inertia.{'xyz'[i]}{'xyz'[j]}" for i, j in zip(*UPPER, strict=True)]
    m = found.values[0]
    if not m > 0.0:
        raise GoughError(
            f"the payload's mass is {m:.4g} kg, give or take {np.sqrt(found.covariance[0, 0]):.2g} "
            "kg; expected one that is there: is the robot the one without it?"
        )
    radius = _SMALL * machine_size(robot)
    size = m * radius ** np.array([0, *[1] * 3, *[2] * 6])
    size[felt.kept] = np.maximum(np.sqrt(np.diag(found.covariance)), 1e-9 * m)
    ball = np.array([0.0] * 4 + [m * radius**2] * 3 + [0.0] * 3)
    ball[felt.kept] = 0.0
    start, nothing = standard + ball, np.zeros(STANDARD)
    best = consistent(names, start, felt.matrix, found.values, found.root, size, nothing)
    mass, x, y, z, *inertia = _body(best).tolist()
    return Payload(mass, (x, y, z), tuple(map(tuple, _matrix(np.array(inertia)).tolist())))


def _matrix(upper: Array) -> Array:
    """Symmetric, of xx, yy, zz, xy, xz, yz."""
    full = np.zeros((3, 3), dtype=upper.dtype)
    full[UPPER] = full.T[UPPER] = upper
    return full


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))
