"""Payload identification, from recordings with and without the payload.

Efforts are linear in the payload's ten standard parameters: its mass m, its first moment m c and
its inertia about the platform's origin. They are estimated with those of the machine, all of which
a recording without the payload identifies and both recordings share; without one, the
machine's own numbers count as they are. A platform that does not rotate shows the mass alone:
numbers that are not identifiable are not reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gough.arrays import AnyArray, Array
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Rows, Table
from gough.errors import GoughError
from gough.identification.base import STATES, groups, independent, regressor_rows, separable
from gough.identification.consistent import consistent
from gough.identification.efforts import SeveralRecordings, check_efforts, check_rates
from gough.identification.estimation import EffortEstimate, fitted, weighted_down
from gough.identification.friction import Part
from gough.identification.identified import Lag, rms
from gough.identification.identify import determined_model, recording_of
from gough.identification.legs import Sharing
from gough.identification.measured import random_states
from gough.identification.task import (
    EstimationTask,
    RecordedEfforts,
    about_mass_centre,
    symmetric_matrix,
)
from gough.kinematics.size import machine_size
from gough.model.kernels import Kernels
from gough.model.standard import standard_names
from gough.model.structure import structure_of
from gough.motion.tasks.task import Payload
from gough.one_thread import one_thread
from gough.robot import Robot
from gough.robot.numbers import UPPER

STANDARD = 10
"""The platform's parameters come first: m, m c and J about its origin."""
_STEP = 1e-30
_SMALL = 0.03
"""Radius of gyration, relative to the machine's size, of payloads of unidentifiable inertia."""

_EXACT = (
    "standard deviations take the robot's own numbers for exact; a recording without the payload "
    "(unloaded) would count how surely they are known",
)


@dataclass(frozen=True, eq=False)
class IdentifiedPayload(Displayable):
    """Payload of a platform, with standard deviations.

    >>> import gough
    >>> robot = gough.load("delta")
    >>> motion = gough.excitation(robot, duration=2.0, starts=1)
    >>> recorded = gough.run(gough.Study(robot.replace({"platform.mass": 1.4}), motion, rate=500.0))
    >>> round(gough.identify_payload(robot, recorded).mass, 3)  # [kg]
    0.5
    """

    robot: Robot
    """The robot with the payload joined to its platform, and what else was estimated of it."""
    payload: Payload
    """A body that can exist: of all such ones the nearest to the estimate."""
    mass: float
    """[kg]"""
    mass_sigma: float
    center_of_mass: Array
    """(3) in the platform's frame [m]; not a number where it is not identifiable."""
    center_sigma: Array
    inertia: Array
    """(3, 3) about its own mass centre, on the platform's axes [kg m^2]."""
    inertia_sigma: Array
    not_explained: float
    """Root mean square of the actuators' forces [N, N m], filtered."""
    without: float
    """Root mean square of the forces without a payload [N, N m]."""
    lag: Lag
    """Lag of efforts behind lengths or positions."""
    notes: tuple[str, ...] = ()
    """Notes of irregularities of the recording, and their treatment."""
    warnings: tuple[str, ...] = ()
    """Why standard deviations may be too small."""

    result_kind: ClassVar = "payload"

    @property
    def _numbers(self) -> list[tuple[str, float, float, str]]:
        """Name, value, standard deviation and unit of all numbers of the payload."""
        axes, J, sigma = "xyz", self.inertia, self.inertia_sigma
        centre = zip(axes, self.center_of_mass, self.center_sigma, strict=True)
        return [
            ("mass", self.mass, self.mass_sigma, "kg"),
            *((f"centre {axis}", x, s, "m") for axis, x, s in centre),
            *(
                (f"inertia {axes[i]}{axes[j]}", J[i, j], sigma[i, j], "kg m^2")
                for i, j in zip(*UPPER, strict=True)
            ),
        ]

    def tables(self) -> list[Table]:
        """The payload with standard deviations, and how well it explains forces."""
        unit = structure_of(self.robot).force_unit
        rows: Rows = [
            ("not explained without a payload, rms", self.without, unit),
            ("not explained with it, rms", self.not_explained, unit),
            ("lag of efforts", self.lag.text, ""),
            *(("recording", note, "") for note in self.notes),
        ]
        known = [row for row in self._numbers if np.isfinite(row[2])]
        others = [name for name, _, sigma, _ in self._numbers if not np.isfinite(sigma)]
        note = f"not identifiable: {', '.join(others)}" if others else ""
        heads = ("", "value", "standard deviation", "unit")
        return [Table.of("Payload", heads, known, note), Table.properties("Forces", rows)]

    def to_dict(self) -> PlainData:
        """Everything but the robot as plain data."""
        left_out = ("robot", "payload")
        numbers = {name: value for name, value in vars(self).items() if name not in left_out}
        return numbers | {"lag": self.lag.to_dict()}


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

    >>> import gough
    >>> robot = gough.load("delta")
    >>> motion = gough.excitation(robot, duration=2.0, starts=1)
    >>> recorded = gough.run(gough.Study(robot.replace({"platform.mass": 1.4}), motion, rate=500.0))
    >>> round(gough.identify_payload(robot, recorded).mass, 3)  # [kg]
    0.5
    """
    model = determined_model(robot)
    of_payload = _PayloadGroups.of(model)
    measured = recording_of(recording, robot, robust)
    other = None if unloaded is None else recording_of(unloaded, robot, robust)
    if other is not None:
        check_efforts(measured, other, "unloaded")
        check_rates(other, measured)
    smooth, kind, alone = measured.lowpass(cutoff), measured.measured, other is None
    task = EstimationTask(
        model, kind, legs=legs, drives=drives, friction=friction, known=known, identified=alone
    )
    loaded = RecordedEfforts(task, measured, smooth, unknown=of_payload.kept)
    recordings, notes = [loaded], [*measured.notes, *smooth.notes]
    if other is not None:
        same = other.lowpass(smooth.cutoff)
        recordings.append(
            RecordedEfforts(task, other, same, unknown=of_payload.kept, carried=False)
        )
        notes += [f"without the payload: {note}" for note in (*other.notes, *same.notes)]
    explained = SeveralRecordings(recordings)
    found, late = fitted(explained, lag=lag, robust=robust)
    rows = [name.startswith("payload[") for name in explained.names]
    efforts = loaded.efforts.at(late.applied)
    without = efforts - loaded.linearised(np.where(rows, 0.0, found.values))[1]
    bare, numbers = task.robot(found, explained.names, explained.priors)
    own = replace(found, values=found.values[rows], root=found.root[rows])
    standard = np.zeros(STANDARD)
    standard[of_payload.kept] = own.values
    payload = _possible(bare, of_payload, standard, own)
    slopes = _slopes(standard)[of_payload.kept]
    sigma = np.sqrt(np.einsum("ki,kl,li->i", slopes, own.covariance, slopes))
    known_numbers = of_payload.identifiable(standard)
    body, sigma = (np.where(known_numbers, x, np.nan) for x in (_body(standard), sigma))
    return IdentifiedPayload(
        payload.carried_by(bare),
        payload,
        float(body[0]),
        float(sigma[0]),
        body[1:4],
        sigma[1:4],
        symmetric_matrix(body[4:]),
        symmetric_matrix(sigma[4:]),
        rms(found.residuals[: len(efforts)]),
        rms(without),
        late,
        (*notes, *weighted_down(found)),
        (*(_EXACT if alone else ()), *task.warnings(found, numbers, explained)),
    )


class _PayloadGroups(NamedTuple):
    """Identifiable groups of the payload's ten numbers."""

    kept: AnyArray
    """Places of those that stand for groups."""
    matrix: Array
    """K (kept x 10): the groups as sums of the ten."""

    @classmethod
    def of(cls, model: Kernels) -> _PayloadGroups:
        """Return those of a model's forces; GoughError where the mass is not identifiable."""
        states = random_states(model, STATES, np.random.default_rng(0))
        carried = regressor_rows(model, states)[:, :STANDARD]
        kept = independent(carried)
        found = cls(kept, groups(carried, kept))
        if 0 not in separable(*found):
            raise GoughError(
                f"{model.robot.name}: forces do not tell the mass of what its platform carries; "
                "expected a platform that does not only turn"
            )
        return found

    def identifiable(self, standard: Array) -> AnyArray:
        """Return which of mass, mass centre and inertia about it are identifiable."""
        hidden = np.setdiff1d(np.arange(STANDARD), separable(*self))
        anywhere = standard.copy()
        anywhere[hidden] = standard[0]
        return np.asarray((_slopes(anywhere)[hidden] == 0.0).all(axis=0))


def _body(standard: Array) -> Array:
    """Mass, mass centre and inertia about it, of standard parameters."""
    center, inertia = about_mass_centre(standard)
    return np.concatenate([standard[:1], center, inertia[UPPER]])


def _slopes(standard: Array) -> Array:
    """Derivatives of mass, mass centre and inertia by each standard parameter (10 x 10)."""
    return np.stack([_body(standard + 1j * _STEP * e).imag / _STEP for e in np.eye(STANDARD)])


def _possible(robot: Robot, own: _PayloadGroups, standard: Array, found: EffortEstimate) -> Payload:
    """The nearest body that can exist."""
    names = standard_names(structure_of(robot))[:STANDARD]
    m = found.values[0]
    if not m > 0.0:
        raise GoughError(
            f"the payload's mass is {m:.4g} kg, give or take {np.sqrt(found.covariance[0, 0]):.2g} "
            "kg; expected one that is there: is the robot the one without it?"
        )
    radius = _SMALL * machine_size(robot)
    size = m * radius ** np.array([0, *[1] * 3, *[2] * 6])
    size[own.kept] = np.maximum(np.sqrt(np.diag(found.covariance)), 1e-9 * m)
    ball = np.array([0.0] * 4 + [m * radius**2] * 3 + [0.0] * 3)
    ball[own.kept] = 0.0
    start, nothing = standard + ball, np.zeros(STANDARD)
    best = consistent(names, start, own.matrix, found.values, found.root, size, nothing)
    mass, x, y, z, *inertia = _body(best).tolist()
    return Payload(mass, (x, y, z), tuple(map(tuple, symmetric_matrix(np.array(inertia)).tolist())))
