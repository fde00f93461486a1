"""Calibration: a machine's own geometry from measurements, and the poses to measure at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.checks import RandomSource, require_integer
from gough.errors import GoughError
from gough.identification.calibration.found import (
    Calibration,
    Misfit,
    numbers_found,
    workspace_poses,
)
from gough.identification.calibration.measurements import MeasuredPoses, Measurements
from gough.identification.calibration.unknowns import (
    Frame,
    Guess,
    Observability,
    Unknowns,
    unknowns_of,
)
from gough.kinematics import Model, Status
from gough.one_thread import one_thread
from gough.poses import Frames
from gough.robot import Robot

AT_MOST = 60
_SETTLED = 1e-5  # a step that changes all predictions by less [standard deviations] is the last one
_ROUNDING = 1e-10  # rounding error of a sum of squares, as a fraction of it
_HALVINGS = 12
_ORDINARY = 0.95  # the share of all honest measurements that keep their full weight in a robust fit

_RARE = 0.01
"""An outlier is so far off that chance has one as far in this share of all calibrations."""
_FITS = (0.7, 1.4)  # between these residuals are about as large as the stated deviations

Kind = Literal["pose", "position", "orientation"]
KINDS: tuple[Kind, ...] = get_args(Kind)

CANDIDATES = 1000
MOST_POSES = 10_000  # poses, and candidates
_EXCHANGES = 30
_BETTER = 1e-6  # exchanges that raise the logarithm of the determinant by less are not worth it
_ROWS = {"pose": slice(0, 6), "position": slice(0, 3), "orientation": slice(3, 6)}


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

    >>> import gough
    >>> from gough.identification import MeasuredPoses
    >>> robot = gough.load("kalani-2016")
    >>> poses = gough.calibration_poses(robot, 20)
    >>> readings = gough.Model(robot).readings(poses)
    >>> found = gough.calibrate(robot, MeasuredPoses(readings, poses, 1e-5, 1e-5))
    >>> len(found.parameters)
    42
    """
    if not isinstance(measurements, Measurements):
        raise GoughError(
            f"measurements are {measurements!r:.60}; expected such as gough.identification."
            "MeasuredPoses(readings, poses, sigma, angle_sigma), or load_measurements(file, robot)"
        )
    unknowns = unknowns_of(Model(robot), parameters, frames, unknown_frames)
    used, held = _divided(measurements, validation)
    machines = unknowns.machines
    model = Model(machines.robot, parametric=machines.family or True)
    problem = CalibrationProblem(model, used, frames_known=not unknowns.free, robust=robust)
    if unknowns.free:
        unknowns = replace(unknowns, prior=fitted(problem, replace(unknowns, places=())).guess)
    fit = fitted(problem, unknowns)
    residuals = Misfit(fit.before.misfit, fit.rows.misfit, used)
    freedoms = int(used.known.sum()) - fit.observability.rank
    squares = (fit.rows.weights[:, None] * np.square(fit.rows.whitened)).sum()
    scatter = float(np.sqrt(squares / freedoms)) if freedoms > 0 else float("nan")
    outliers = _outliers(residuals)
    return Calibration(
        robot,
        machines.made(fit.guess.numbers),
        fit.guess.frames,
        numbers_found(unknowns, fit.guess, fit.observability),
        fit.observability,
        residuals,
        None if held is None else _held_out(problem, held, unknowns.prior, fit.guess),
        scatter,
        fit.rows.weights,
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


def _held_out(problem: CalibrationProblem, held: Measurements, *guesses: Guess) -> Misfit:
    """Return the misfit at readings that were not used, before and after."""
    unused = replace(problem, measured=held, robust=False)
    before, after = (unused.rows(guess) for guess in guesses)
    if before is None or after is None:
        name = problem.model.robot.name
        raise GoughError(f"{name}: no pose was found at readings that are held out")
    return Misfit(before.misfit, after.misfit, held)


def _outliers(residuals: Misfit) -> tuple[int, ...]:
    """Places of measurements that are too far off, all of them together."""
    from scipy.stats import chi2  # noqa: PLC0415  (slow to import)

    squares = np.square(residuals.after / residuals.measured.sigmas).sum(-1)
    known = np.maximum(residuals.measured.known.sum(-1), 1)
    bounds = chi2.isf(_RARE / len(squares), known)
    return tuple(np.flatnonzero(squares > bounds).tolist())


def _warnings(
    fit: CalibrationFit, count: int, scatter: float, outliers: tuple[int, ...], robust: bool
) -> list[str]:
    found = []
    if (missing := count - fit.observability.rank) > 0:
        found.append(
            f"{missing} of {count} combinations of the parameters change no measurement, and stay "
            "as they were"
        )
    if outliers:
        which = ", ".join(str(k + 1) for k in outliers)
        advice = "they count less" if robust else "look at them, or use robust=True"
        found.append(f"measurements beyond what chance explains: {which}; {advice}")
    if not np.isfinite(scatter):
        found.append("as many unknowns as numbers were measured: nothing says how well they fit")
    elif not _FITS[0] <= scatter <= _FITS[1]:
        found.append(
            f"residuals are {scatter:.2g} times as large as the stated sigmas lead to: all sigmas "
            "of the result are as much in doubt"
        )
    return found


class PredictedRows(NamedTuple):
    """Predictions of a machine at the readings, beside the measurements."""

    poses: Array  # (count, 7) of the platform
    misfit: Array  # (count, m) measured less predicted [m, rad]
    whitened: Array  # (count, m) the same in standard deviations
    weights: Array
    """(count) of each measurement, 1 or less; after Huber [1964] those far off count by their
    size, not its square."""
    cost: float  # half the sum of squares; in a robust fit less of what is far off


class CalibrationFit(NamedTuple):
    """The machine that fits best."""

    guess: Guess
    before: PredictedRows  # predictions of the prior
    rows: PredictedRows
    observability: Observability


@dataclass(frozen=True, eq=False)
class CalibrationProblem:
    """Unknowns and measurements."""

    model: Model  # a parametric one
    measured: Measurements
    frames_known: bool
    robust: bool = False

    def __post_init__(self) -> None:
        count, given = len(self.model.robot.actuators), self.measured.readings.shape
        if given[-1] != count:
            raise GoughError(
                f"readings have shape {given}; expected ({len(self.measured)}, {count}): those of "
                f"all actuators of {self.model.robot.name}"
            )

    def poses(self, guess: Guess, near: ArrayLike | None = None) -> tuple[Array, AnyArray]:
        """The poses (count, 7) that a guess takes at the readings, and whether each was found.

        They are sought near some poses or, if none are given, near those that were measured.
        """
        start: Any = "home" if near is None else near
        if near is None and self.frames_known and isinstance(self.measured, MeasuredPoses):
            start = guess.frames.platform_pose(self.measured.poses)
        q = self.model.positions(guess.numbers, self.measured.readings)
        found = self.model.forward_kinematics(q, start, parameters=guess.numbers)
        return found.pose, np.isin(found.status, (Status.CONVERGED, Status.OUTSIDE_STROKE))

    def rows(self, guess: Guess, near: ArrayLike | None = None) -> PredictedRows | None:
        """Return the predictions of a guess; None, if it cannot take one of the poses."""
        poses, found = self.poses(guess, near)
        if not found.all():
            return None
        misfit = self.measured.misfit(guess.frames.tool_pose(poses))
        whitened = misfit / self.measured.sigmas
        sizes = np.linalg.norm(whitened, axis=-1)
        bound = sizes
        if self.robust:
            from scipy.stats import chi2  # noqa: PLC0415  (slow to import)

            bound = np.sqrt(chi2.ppf(_ORDINARY, np.maximum(self.measured.known.sum(-1), 1)))
        weights = bound / np.maximum(sizes, bound) if self.robust else np.ones(len(sizes))
        costs = np.where(sizes > bound, bound * (sizes - bound / 2), sizes**2 / 2)
        return PredictedRows(poses, misfit, whitened, weights, float(costs.sum()))

    def slopes(self, unknowns: Unknowns, guess: Guess, rows: PredictedRows) -> Array:
        """(count, m, k) of the predictions [standard deviations / SI], by unknowns."""
        tool = guess.frames.tool_pose(rows.poses)
        by_pose = self.measured.slopes(tool) * self.measured.known[..., None]
        slopes = by_pose @ unknowns.slopes(guess, rows.poses)
        return np.asarray(slopes / self.measured.sigmas[:, None])


def fitted(problem: CalibrationProblem, unknowns: Unknowns) -> CalibrationFit:
    """The best fit, from the prior: least squares, step by step."""
    guess = unknowns.prior
    before = problem.rows(guess)
    if before is None:
        k = int(np.argmin(problem.poses(guess)[1]))
        raise GoughError(
            f"{problem.model.robot.name}: at the readings of measurement {k + 1}, "
            f"{problem.measured.readings[k].tolist()}, no pose was found; expected readings of its "
            "encoders [m, rad]"
        )
    rows = before
    for _ in range(AT_MOST):
        roots = np.sqrt(rows.weights)[:, None]
        slopes = roots[..., None] * problem.slopes(unknowns, guess, rows)
        A = slopes.reshape(-1, len(unknowns.names))
        seen = unknowns.observability(A, len(problem.measured))
        if seen.rank == 0:
            raise GoughError("no measurement depends on any of the unknowns")
        changes = unknowns.changes(guess)
        step = seen.minimum_change(A, (roots * rows.whitened).ravel() + A @ changes) - changes
        if np.linalg.norm(A @ step) <= _SETTLED:
            return CalibrationFit(guess, before, rows, seen)
        for k in range(_HALVINGS):  # a shorter step, if that makes the fit better
            moved = unknowns.moved(guess, step / 2**k)
            found = problem.rows(moved, rows.poses)
            if found is not None and found.cost <= rows.cost * (1 + _ROUNDING):
                guess, rows = moved, found
                break
        else:
            break
    raise GoughError(
        f"{problem.model.robot.name}: the calibration did not settle; expected measurements of "
        "this machine, frames that are nearly known, or fewer unknowns"
    )


def calibration_poses(
    robot: Robot,
    count: int,
    *,
    measured: Kind = "pose",
    sigma: float = 15e-6,
    angle_sigma: float = 20e-6,
    parameters: Sequence[str] | None = None,
    frames: Frames | None = None,
    unknown_frames: Sequence[Frame] = (),
    candidates: int = CANDIDATES,
    rng: RandomSource = 0,
) -> Array:
    """Return platform poses (count, 7) with maximum information about a machine's parameters.

    From the random `candidates`, all of them within all limits of the robot, those are chosen
    that maximise the determinant of the information, by exchanging one after another [Fedorov
    1972]. The other arguments are those of `gough.calibrate`, for a `measured` pose, position or
    orientation of the tool, with standard deviations [m, rad].

    >>> import gough
    >>> gough.calibration_poses(gough.load("kalani-2016"), 20).shape
    (20, 7)
    """
    if measured not in KINDS:
        raise GoughError(f"measured is {measured!r}; expected one of {', '.join(KINDS)}")
    for name, size in (("count", count), ("candidates", candidates)):
        require_integer(name, size, most=MOST_POSES)
    if count > candidates:
        raise GoughError(f"count is {count}; expected at most as many as candidates, {candidates}")
    if not (sigma > 0 and angle_sigma > 0):
        raise GoughError(f"sigmas are {sigma} m and {angle_sigma} rad; expected numbers above 0")
    unknowns = unknowns_of(Model(robot), parameters, frames, unknown_frames)
    poses = workspace_poses(robot, candidates, rng)
    slopes = unknowns.slopes(unknowns.prior, poses)
    rows = (slopes / np.repeat([sigma, angle_sigma], 3)[:, None])[:, _ROWS[measured]]
    seen = unknowns.observability(rows.reshape(-1, rows.shape[-1]), len(poses))
    least = -(-seen.rank // rows.shape[1])
    if count < least:
        raise GoughError(
            f"count is {count}; expected at least {least}: {seen.rank} combinations of "
            f"{len(unknowns.names)} parameters are identifiable, {rows.shape[1]} numbers at a pose"
        )
    informative = rows * seen.scales @ (seen.identified / seen.sizes)  # whose scale does not matter
    return np.asarray(poses[_exchanged(informative, count)])


def _exchanged(rows: Array, count: int) -> list[int]:
    """Return indices of the chosen candidates (n, m, r), for the maximum of det Σ BᵀB."""
    chosen = list(range(count))
    information = np.einsum("nmr,nms->rs", rows[chosen], rows[chosen])
    none = 1e-12 * np.trace(information) * np.eye(len(information))
    for _ in range(_EXCHANGES):
        exchanges = 0
        for k, own in enumerate(chosen):
            rest = information - rows[own].T @ rows[own]
            gains = _gains(rows, rest + none)
            gains[[other for other in chosen if other != own]] = -np.inf
            best = int(gains.argmax())
            if gains[best] > gains[own] + _BETTER:
                chosen[k] = best
                information = rest + rows[best].T @ rows[best]
                exchanges += 1
        if not exchanges:
            break
    return sorted(chosen)


def _gains(rows: Array, information: Array) -> Array:
    """(n) log det (1 + B M⁻¹ Bᵀ): by how much each candidate raises log det M."""
    B = rows @ np.linalg.inv(np.linalg.cholesky(information)).T
    return np.asarray(np.linalg.slogdet(np.eye(rows.shape[1]) + B @ B.swapaxes(-1, -2))[1])
