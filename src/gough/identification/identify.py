"""Dynamic identification: from a recorded motion to inertial and friction parameters.

Efforts are linear in a payload's ten standard parameters, too: its mass m, its first moment m c and
its inertia about the platform's origin. They are estimated with those of the machine. A platform
that does not rotate shows the mass alone: numbers that are not identifiable are not reported.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.identification.base import STATES, groups, independent, regressor_rows, separable
from gough.identification.consistent import consistent
from gough.identification.estimation import EffortEstimate, fitted, weighted_down
from gough.identification.friction import Part
from gough.identification.identified import (
    Identified,
    IdentifiedPayload,
    Parameter,
    Validation,
    rms,
)
from gough.identification.legs import Sharing
from gough.identification.measured import (
    check_efforts,
    check_gains,
    check_rates,
    explained_together,
    gain_names,
    random_states,
    with_gains,
)
from gough.identification.recording import Recording
from gough.identification.task import (
    EstimationTask,
    about_mass_centre,
    explained_efforts,
    symmetric_matrix,
)
from gough.kinematics.size import machine_size
from gough.model import Kernels, structure_of
from gough.model.standard import standard_names
from gough.motion.tasks.task import Payload
from gough.one_thread import one_thread
from gough.robot import UPPER, Robot

STANDARD = 10  # the platform's parameters come first: m, m c and J about its origin
_STEP = 1e-30
_SMALL = 0.03  # radius of gyration by machine size, of payloads of unidentifiable inertia

_EXACT = (
    "standard deviations take the robot's own numbers for exact; a recording without the payload "
    "(unloaded) would count how surely they are known",
)


@one_thread()
def identify(
    robot: Robot,
    recording: Any,
    *,
    legs: Sharing = "independent",
    drives: Sharing = "independent",
    friction: Iterable[Part] | None = None,
    known: Sequence[str] = (),
    validation: Any = None,
    loaded: Any = None,
    payload: Payload | None = None,
    cutoff: float | None = None,
    lag: float | None = None,
    robust: bool = False,
) -> Identified:
    """Identify the inertial and friction parameters of a machine, from a recorded motion.

    A recording is a .parquet or .csv file, results, or columns by name: `time [s]`, `leg_length_k
    [m]` and one of `motor_current_k [A]`, `motor_torque_k [N m]`, `force_k [N]` of each leg k of a
    hexapod. Of other machines k is the name of a driven joint, positions are `actuator_position_k`
    [rad] or [m], and forces of joints that turn are in [N m]. A `validation` is another recording,
    of a motion that the estimate does not see.

    With `legs="identical"` the bodies and passive joints of legs that are images of each other
    share their numbers, with `drives="identical"` their drives do. `friction` names the parts that
    are estimated besides inertial parameters: of the drives "viscous", "dry" and "load" (these
    are the default where motors were measured; rotors are then estimated too), that of the passive
    "joints", an "offset" of each effort, and "springs" between bodies and beside joints: their
    force at home, stiffness and damping, as far as the robot file states them. Numbers that are
    `known`, by patterns of their names such as `["legs[*].piston"]`, stay as the robot file states
    them. Sums that are not separable are split by a convention, see `not_separable` of the result.

    Forces and regressor go through the same zero-phase filter, whose `cutoff` [Hz] is by default
    four times the highest frequency of the motion.

    A `loaded` recording, with a known `payload` and currents measured in both, identifies the
    torque constants of the motors too, by total least squares.

    With more actuators than degrees of freedom, the equations are projected on those: internal
    forces, which do no work, do not matter. Friction in proportion to the load is then left out.

    Efforts that come later than positions by a constant `lag` [s] are moved; left out, it is found.
    With `robust`, spikes of efforts are taken away, and samples far from what explains all others
    count less. Gaps and uneven steps are dealt with; `notes` of the result say how.

    >>> import gough
    >>> robot = gough.load("delta")
    >>> study = gough.Study(robot, gough.excitation(robot, duration=2.0, starts=1), rate=500.0)
    >>> found = gough.identify(robot, gough.run(study), legs="identical")
    >>> round(found.robot.platform.mass, 3)  # [kg]
    0.9
    """
    model = Kernels(robot)
    measured = recording_of(recording, robot, robust)
    if (loaded is None) != (payload is None):
        raise GoughError("expected a loaded recording and its payload, or neither")
    carrying = None if loaded is None else recording_of(loaded, robot, robust)
    if carrying is not None:
        check_gains(measured, carrying)
    unseen = None if validation is None else Recording.of(validation, robot)
    if unseen is not None:
        check_efforts(measured, unseen, "validation")
    task = EstimationTask(
        model, measured.measured, legs=legs, drives=drives, friction=friction, known=known
    )
    if not task.base.names:
        raise GoughError(f"{robot.name}: all that forces tell is known; expected less in `known`")
    smooth = measured.lowpass(cutoff)
    explained = explained_efforts(task, measured, smooth)
    count, notes = len(explained.efforts.at(0.0)), [*measured.notes, *smooth.notes]
    if carrying is not None:
        other = explained_efforts(task, carrying, carrying.lowpass(smooth.cutoff), payload=payload)
        explained = with_gains(explained_together([explained, other]), robot)
        notes += [f"with the payload: {note}" for note in carrying.notes]
    if unseen is not None:
        notes += [f"unseen motion: {note}" for note in unseen.notes if note not in notes]
    found, late = fitted(explained, lag=lag, robust=robust)
    names, priors = explained.names, explained.priors
    own = dict(zip(names, found.values, strict=True))
    identified, numbers = task.robot(found, names, priors)
    formulas = [*task.base.formulas, *names[len(task.base.names) :]]
    sigma = np.sqrt(np.diag(found.covariance))
    columns = (names, formulas, *(x.tolist() for x in (found.values, sigma, priors)))
    return Identified(
        identified,
        tuple(Parameter(*row) for row in zip(*columns, strict=True)),
        found.condition,
        measured.time[smooth.rows(len(measured.time))],
        *(found.residuals[:count], found.noise),
        smooth.cutoff,
        found.covariance,
        late,
        (*notes, *weighted_down(found)),
        None if unseen is None else _validated(task, unseen, smooth.cutoff, late.applied, own),
        task.warnings(found, numbers, explained),
        task.base.not_separable,
    )


def _validated(
    task: EstimationTask, recording: Recording, cutoff: float, lag: float, own: dict[str, float]
) -> Validation:
    """Return how well numbers explain a motion that they were not estimated from."""
    smooth, robot = recording.lowpass(cutoff), task.model.robot
    explained = explained_efforts(task, recording, smooth)
    if gain_names(robot)[0] in own:
        explained = with_gains(explained, robot)
    values = np.array([own[name] for name in explained.names])
    _, predicted = explained.linearised(values, lag)
    _, before = explained.linearised(explained.priors, lag)
    rows = smooth.rows(len(recording.time))
    return Validation(recording.time[rows], explained.efforts.at(lag), predicted, before)


def recording_of(given: ArrayLike, robot: Robot, robust: bool) -> Recording:
    """A recording of a robot; of a robust estimate without its spikes."""
    recording = Recording.of(given, robot)
    return recording.without_spikes() if robust else recording


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
    model = Kernels(robot)
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
    loaded = explained_efforts(task, measured, smooth, unknown=of_payload.pivots)
    recordings, notes = [loaded], [*measured.notes, *smooth.notes]
    if other is not None:
        same, pivots = other.lowpass(smooth.cutoff), of_payload.pivots
        recordings.append(explained_efforts(task, other, same, unknown=pivots, carried=False))
        notes += [f"without the payload: {note}" for note in (*other.notes, *same.notes)]
    explained = explained_together(recordings)
    found, late = fitted(explained, lag=lag, robust=robust)
    rows = [name.startswith("payload[") for name in explained.names]
    efforts = loaded.efforts.at(late.applied)
    without = efforts - loaded.linearised(np.where(rows, 0.0, found.values), 0.0)[1]
    bare, numbers = task.robot(found, explained.names, explained.priors)
    own = replace(found, values=found.values[rows], root=found.root[rows])
    standard = np.zeros(STANDARD)
    standard[of_payload.pivots] = own.values
    payload = _possible(bare, of_payload, standard, own)
    slopes = _slopes(standard)[of_payload.pivots]
    sigma = np.sqrt(np.einsum("ki,kl,li->i", slopes, own.covariance, slopes))
    known_numbers = of_payload.identifiable(standard)
    body, sigma = (np.where(known_numbers, x, np.nan) for x in (_body(standard), sigma))
    return IdentifiedPayload(
        payload.carried_by(bare),
        payload,
        *(float(body[0]), float(sigma[0]), body[1:4], sigma[1:4]),
        *(symmetric_matrix(body[4:]), symmetric_matrix(sigma[4:])),
        *(rms(found.residuals[: len(efforts)]), rms(without)),
        late,
        (*notes, *weighted_down(found)),
        (*(_EXACT if alone else ()), *task.warnings(found, numbers, explained)),
    )


class _PayloadGroups(NamedTuple):
    """Identifiable groups of the payload's ten numbers."""

    pivots: AnyArray  # places of those that stand for groups
    matrix: Array  # K (pivots x 10): the groups as sums of the ten

    @classmethod
    def of(cls, model: Kernels) -> Self:
        """Return those of a model's forces; GoughError where the mass is not identifiable."""
        states = random_states(model, STATES, np.random.default_rng(0))
        carried = regressor_rows(model, states)[:, :STANDARD]
        pivots = independent(carried)
        found = cls(pivots, groups(carried, pivots))
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
    size[own.pivots] = np.maximum(np.sqrt(np.diag(found.covariance)), 1e-9 * m)
    ball = np.array([0.0] * 4 + [m * radius**2] * 3 + [0.0] * 3)
    ball[own.pivots] = 0.0
    start, nothing = standard + ball, np.zeros(STANDARD)
    best = consistent(names, start, own.matrix, found.values, found.root, size, nothing)
    mass, x, y, z, *inertia = _body(best).tolist()
    return Payload(mass, (x, y, z), tuple(map(tuple, symmetric_matrix(np.array(inertia)).tolist())))
