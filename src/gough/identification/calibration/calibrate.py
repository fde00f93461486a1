"""Calibration: a machine's own geometry, from poses that were measured at known readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.calibration.found import Calibration, Misfit, numbers_found
from gough.identification.calibration.measurements import MeasuredPoses, Measurements
from gough.identification.calibration.unknowns import (
    Frame,
    Guess,
    Observability,
    Unknowns,
    taken_poses,
    unknowns_of,
)
from gough.kinematics.model import Model
from gough.one_thread import one_thread
from gough.poses import Frames
from gough.robot import Robot

AT_MOST = 60
_SETTLED = 1e-5
"""A step that changes all predictions by less [standard deviations] is the last one."""
_ROUNDING = 1e-10
"""Rounding error of a sum of squares, as a fraction of it."""
_HALVINGS = 12
_ORDINARY = 0.95
"""The share of all honest measurements that keep their full weight in a robust fit."""

_RARE = 0.01
"""An outlier is so far off that chance has one as far in this share of all calibrations."""
_FITS = (0.7, 1.4)
"""Between these the residuals are about as large as the stated standard deviations."""


@one_thread()
def calibrate(
    robot: Robot,
    measurements: Measurements,
    *,
    parameters: Sequence[str] | None = None,
    frames: Frames | None = None,
    unknown_frames: Sequence[Frame] = (),
    robust: bool = False,
    validation: Measurements | float | None = None,
) -> Calibration:
    """Calibrate a machine from poses that were measured at known readings of its encoders.

    `parameters` are names and patterns; left out, all joint centres and length offsets of a
    hexapod, or the offsets of all motors. Measurements are of the tool in the work frame: `frames`
    says where these are, in the platform and the base. `unknown_frames`, "work" or "tool" or both,
    are found too, from there. Combinations of parameters that the measurements do not identify keep
    their values: among all machines that fit, the result has the minimum change.

    A `robust` fit lets measurements that are far off count less (after Huber). `validation` are
    other measurements of the same kind, or a share of those given: these are held out.
    """
    if not isinstance(measurements, Measurements):
        raise GoughError(
            f"measurements are {measurements!r:.60}; expected such as gough.identification."
            "MeasuredPoses(readings, poses, sigma, angle_sigma), or load_measurements(file, robot)"
        )
    unknowns = unknowns_of(Model(robot), parameters, frames, unknown_frames)
    used, held = _divided(measurements, validation)
    model = Model(robot, parametric=True)
    _check_readings(model, used)
    near = _near(used, unknowns.prior.frames, bool(unknowns.free))
    problem = CalibrationProblem(model, used, near, robust)
    if unknowns.free:
        frames_alone = replace(unknowns, places=())
        unknowns = replace(unknowns, prior=fitted(problem, frames_alone).guess)
    start = unknowns.prior
    before = problem.rows(start)
    fit = fitted(problem, unknowns)
    assert before is not None  # a fit has begun there
    found = robot.with_parameters(fit.guess.numbers)
    residuals = _misfit(used, before.misfit, fit.rows.misfit)
    scatter, outliers = _scatter(fit, used), _outliers(residuals)
    return Calibration(
        robot,
        found,
        fit.guess.frames,
        numbers_found(unknowns, fit.guess, fit.observability),
        fit.observability,
        residuals,
        None if held is None else _held_out(model, held, start, fit.guess, bool(unknowns.free)),
        scatter,
        fit.weights,
        outliers,
        tuple(_warnings(fit, len(unknowns.names), scatter, outliers, robust)),
        unknowns,
        fit.guess,
    )


def _divided(
    measurements: Measurements, validation: Measurements | float | None
) -> tuple[Measurements, Measurements | None]:
    """Return the measurements used and those held out: at equal distances, if it is a fraction."""
    if validation is None or isinstance(validation, Measurements):
        return measurements, validation
    count = len(measurements)
    held = round(count * float(validation)) if 0 < float(validation) < 1 else 0
    if not 0 < held < count:
        raise GoughError(
            f"validation is {validation!r}; expected measurements, or a share between 0 and 1 that "
            f"holds out some of {count}"
        )
    rows = np.unique(np.linspace(0, count - 1, held).round().astype(int))
    return measurements.at(np.setdiff1d(np.arange(count), rows)), measurements.at(rows)


def _check_readings(model: Model, measured: Measurements) -> None:
    count = len(model.robot.actuators)
    if measured.readings.shape[-1] != count:
        raise GoughError(
            f"readings have shape {measured.readings.shape}; expected ({len(measured)}, {count}): "
            f"those of all actuators of {model.robot.name}"
        )


def _near(measured: Measurements, frames: Frames, unknown: bool) -> Any:
    """Where the poses of the machine are sought: where they were measured, if that is known."""
    if isinstance(measured, MeasuredPoses) and not unknown:
        return frames.platform_pose(measured.poses)
    return "home"


def _held_out(
    model: Model, held: Measurements, before: Guess, after: Guess, unknown: bool
) -> Misfit:
    """Return the misfit at readings that were not used, before and after."""
    _check_readings(model, held)
    rows = [
        CalibrationProblem(model, held, _near(held, guess.frames, unknown)).rows(guess)
        for guess in (before, after)
    ]
    if rows[0] is None or rows[1] is None:
        raise GoughError(f"{model.robot.name}: no pose was found at readings that are held out")
    return _misfit(held, rows[0].misfit, rows[1].misfit)


def _misfit(measured: Measurements, before: Array, after: Array) -> Misfit:
    return Misfit(before, after, measured.sigmas, np.asarray(measured.turns), measured.known)


def _scatter(fit: CalibrationFit, measured: Measurements) -> float:
    """Return the scatter of residuals [standard deviations] per DoF left; NaN, if there is none."""
    freedoms = int(measured.known.sum()) - fit.observability.rank
    weighted = fit.weights[:, None] * np.square(fit.rows.whitened)
    return float(np.sqrt(weighted.sum() / freedoms)) if freedoms > 0 else float("nan")


def _outliers(residuals: Misfit) -> tuple[int, ...]:
    """Places of measurements that are too far off, all of them together."""
    from scipy.stats import chi2  # noqa: PLC0415  (slow to import)

    squares = np.square(residuals.after / residuals.sigmas).sum(-1)
    bounds = chi2.isf(_RARE / len(squares), np.maximum(residuals.known.sum(-1), 1))
    return tuple(np.flatnonzero(squares > bounds).tolist())


def _warnings(
    fit: CalibrationFit, count: int, scatter: float, outliers: tuple[int, ...], robust: bool
) -> list[str]:
    said = []
    if (missing := count - fit.observability.rank) > 0:
        said.append(
            f"{missing} of {count} combinations of the parameters change no measurement, and stay "
            "as they were"
        )
    if outliers:
        which = ", ".join(str(k + 1) for k in outliers)
        advice = "they count less" if robust else "look at them, or use robust=True"
        said.append(f"measurements farther off than chance has it: {which}; {advice}")
    if not np.isfinite(scatter):
        said.append("as many unknowns as numbers were measured: nothing says how well they fit")
    elif not _FITS[0] <= scatter <= _FITS[1]:
        said.append(
            f"residuals are {scatter:.2g} times as large as the stated sigmas lead to: all sigmas "
            "of the result are as much in doubt"
        )
    return said


@dataclass(frozen=True, eq=False)
class PredictedRows:
    """Predictions of a machine at the readings, beside the measurements."""

    poses: Array
    """(count, 7) of the platform."""
    misfit: Array
    """(count, m) measured less predicted [m, rad]."""
    whitened: Array
    """(count, m) the same in standard deviations."""


@dataclass(frozen=True, eq=False)
class CalibrationFit:
    """The machine that fits best."""

    guess: Guess
    rows: PredictedRows
    weights: Array
    """(count) of each measurement, 1 or less."""
    observability: Observability


@dataclass(frozen=True, eq=False)
class CalibrationProblem:
    """Unknowns and measurements."""

    model: Model
    """A parametric one."""
    measured: Measurements
    near: Any
    """Where poses are sought first: an array (count, 7), or "home"."""
    robust: bool = False

    def rows(self, guess: Guess, near: ArrayLike | None = None) -> PredictedRows | None:
        """Return the predictions of a guess; None, if it cannot take one of the poses."""
        start = self.near if near is None else near
        poses, found = taken_poses(self.model, guess, self.measured.readings, start)
        if not found.all():
            return None
        misfit = self.measured.misfit(guess.frames.tool_pose(poses))
        return PredictedRows(poses, misfit, misfit / self.measured.sigmas)

    def weights(self, rows: PredictedRows) -> Array:
        """(count) after Huber [1964]: measurements far off count by their size, not its square."""
        if not self.robust:
            return np.ones(len(self.measured))
        sizes = np.linalg.norm(rows.whitened, axis=-1)
        return np.asarray(self._ordinary / np.maximum(sizes, self._ordinary))

    def cost(self, rows: PredictedRows) -> float:
        """Half the sum of squares; in a robust fit less of what is far off."""
        sizes = np.linalg.norm(rows.whitened, axis=-1)
        if not self.robust:
            return float((sizes**2).sum() / 2)
        bound = self._ordinary
        far = bound * (sizes - bound / 2)
        return float(np.where(sizes > bound, far, sizes**2 / 2).sum())

    def slopes(self, unknowns: Unknowns, guess: Guess, rows: PredictedRows) -> Array:
        """(count, m, k) of the predictions [standard deviations / SI], by unknowns."""
        tool = guess.frames.tool_pose(rows.poses)
        by_pose = self.measured.slopes(tool) * self.measured.known[..., None]
        slopes = by_pose @ unknowns.slopes(guess, rows.poses)
        return np.asarray(slopes / self.measured.sigmas[:, None])

    @property
    def _ordinary(self) -> Array:
        from scipy.stats import chi2  # noqa: PLC0415  (slow to import)

        return np.asarray(np.sqrt(chi2.ppf(_ORDINARY, np.maximum(self.measured.known.sum(-1), 1))))


def fitted(problem: CalibrationProblem, unknowns: Unknowns) -> CalibrationFit:
    """The best fit, from the prior: least squares, step by step."""
    guess, rows = unknowns.prior, _first_rows(problem, unknowns.prior)
    for _ in range(AT_MOST):
        weights = problem.weights(rows)
        roots = np.sqrt(weights)[:, None]
        A = (roots[..., None] * problem.slopes(unknowns, guess, rows)).reshape(
            -1, len(unknowns.names)
        )
        seen = unknowns.observability(A, len(problem.measured))
        if seen.rank == 0:
            raise GoughError("no measurement depends on any of the unknowns")
        changes = unknowns.changes(guess)
        step = seen.minimum_change(A, (roots * rows.whitened).ravel() + A @ changes) - changes
        if np.linalg.norm(A @ step) <= _SETTLED:
            return CalibrationFit(guess, rows, weights, seen)
        guess, rows = _after(problem, unknowns, guess, rows, step)
    raise _unsettled(problem)


def _after(
    problem: CalibrationProblem, unknowns: Unknowns, guess: Guess, rows: PredictedRows, step: Array
) -> tuple[Guess, PredictedRows]:
    """The guess after a step, which is shorter if that makes the fit better."""
    cost = problem.cost(rows)
    for k in range(_HALVINGS):
        moved = unknowns.moved(guess, step / 2**k)
        found = problem.rows(moved, rows.poses)
        if found is not None and problem.cost(found) <= cost * (1 + _ROUNDING):
            return moved, found
    raise _unsettled(problem)


def _unsettled(problem: CalibrationProblem) -> GoughError:
    return GoughError(
        f"{problem.model.robot.name}: the calibration did not settle; expected measurements of "
        "this machine, frames that are nearly known, or fewer unknowns"
    )


def _first_rows(problem: CalibrationProblem, start: Guess) -> PredictedRows:
    rows = problem.rows(start)
    if rows is not None:
        return rows
    _, found = taken_poses(problem.model, start, problem.measured.readings, problem.near)
    k = int(np.flatnonzero(~found)[0])
    raise GoughError(
        f"{problem.model.robot.name}: at the readings of measurement {k + 1}, "
        f"{problem.measured.readings[k].tolist()}, no pose was found; expected readings of its "
        "encoders [m, rad]"
    )
