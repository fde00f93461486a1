"""Dynamic identification: from a recorded motion to inertial and friction parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.base import BaseParameters
from gough.identification.efforts import (
    Explained,
    SeveralRecordings,
    WithGains,
    check_efforts,
    check_gains,
    gain_names,
)
from gough.identification.estimation import EffortEstimate, fitted, weighted_down
from gough.identification.friction import Part
from gough.identification.identified import Identified, Parameter, Validation
from gough.identification.legs import Sharing
from gough.identification.recording import Recording
from gough.identification.task import EstimationTask, RecordedEfforts
from gough.model.kernels import Kernels
from gough.motion.tasks.task import Payload
from gough.one_thread import one_thread
from gough.robot import Robot


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
    "joints", and an "offset" of each effort. Numbers that are `known`, by patterns of their names
    such as `["legs[*].piston"]`, stay as the robot file states them. Sums that are not separable
    are split by a convention, see `not_separable` of the result.

    Forces and regressor go through the same zero-phase filter, whose `cutoff` [Hz] is by default
    four times the highest frequency of the motion.

    A `loaded` recording, with a known `payload` and currents measured in both, identifies the
    torque constants of the motors too, by total least squares.

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
    model = determined_model(robot)
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
    explained: Explained = RecordedEfforts(task, measured, smooth)
    count, notes = len(explained.efforts.at(0.0)), [*measured.notes, *smooth.notes]
    if carrying is not None:
        same = carrying.lowpass(smooth.cutoff)
        other = RecordedEfforts(task, carrying, same, payload=payload)
        explained = WithGains(SeveralRecordings([explained, other]), robot)
        notes += [f"with the payload: {note}" for note in carrying.notes]
    if unseen is not None:
        notes += [f"unseen motion: {note}" for note in unseen.notes if note not in notes]
    found, late = fitted(explained, lag=lag, robust=robust)
    names, priors = explained.names, explained.priors
    own = dict(zip(names, found.values, strict=True))
    identified, numbers = task.robot(found, names, priors)
    return Identified(
        identified,
        _parameters(task.base, names, priors, found),
        found.condition,
        measured.time[smooth.kept(len(measured.time))],
        found.residuals[:count],
        found.noise,
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
    explained: Explained = RecordedEfforts(task, recording, smooth)
    if gain_names(robot)[0] in own:
        explained = WithGains(explained, robot)
    values = np.array([own[name] for name in explained.names])
    _, predicted = explained.linearised(values)
    _, before = explained.linearised(explained.priors)
    rows = smooth.kept(len(recording.time))
    return Validation(recording.time[rows], explained.efforts.at(lag), predicted, before)


def recording_of(given: ArrayLike, robot: Robot, robust: bool) -> Recording:
    """A recording of a robot; of a robust estimate without its spikes."""
    recording = Recording.of(given, robot)
    return recording.without_spikes() if robust else recording


def determined_model(robot: Robot) -> Kernels:
    """The model of a robot, whose motion must determine its forces."""
    model = Kernels(robot)
    if not model.structure.determined:
        raise GoughError(
            f"{robot.name}: {model.structure.actuators} actuators share the work of "
            f"{model.structure.dof} degrees of freedom, and a motion does not tell how; "
            "expected a machine with as many actuators as degrees of freedom"
        )
    return model


def _parameters(
    base: BaseParameters, names: list[str], priors: Array, found: EffortEstimate
) -> tuple[Parameter, ...]:
    formulas = [*base.formulas, *names[len(base.names) :]]
    sigma = np.sqrt(np.diag(found.covariance))
    rows = zip(names, formulas, found.values, sigma, priors, strict=True)
    return tuple(Parameter(n, f, float(v), float(s), float(p)) for n, f, v, s, p in rows)
