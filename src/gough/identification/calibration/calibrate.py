"""Calibration: a machine's own geometry, from poses that were measured at known readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.calibration.found import Calibration, Misfit, numbers_found
from gough.identification.calibration.measurements import MeasuredPoses, Measurements
from gough.identification.calibration.solving import Fit, Problem, fitted
from gough.identification.calibration.unknowns import Frame, Guess, unknowns_of
from gough.kinematics.model import Model
from gough.one_thread import one_thread
from gough.poses import Frames
from gough.robot import Robot

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
    """The machine that takes the poses that were measured while its encoders had known readings.

    `parameters` are names and patterns; left out, all joint centres and length offsets of a
    hexapod, or the offsets of all motors. Measurements are of the tool in the work frame: `frames`
    says where these are, in the platform and the base. `unknown_frames`, "work" or "tool" or both,
    are found too, from there. Combinations of parameters that the measurements do not tell stay as
    they are: of all machines that fit, it is the one with the least change.

    A `robust` fit lets measurements that are far off count less (after Huber). `validation` are
    other measurements of the same kind, or a share of those given: these are held out.
    """
    if not isinstance(measurements, Measurements):
        raise GoughError(
            f"measurements are {measurements!r:.60}; expected such as gough.identification."
            "MeasuredPoses(readings, poses, sigma, turn_sigma), or load_measurements(file, robot)"
        )
    unknowns = unknowns_of(Model(robot), parameters, frames, unknown_frames)
    used, held = _divided(measurements, validation)
    model = Model(robot, parametric=True)
    _check_readings(model, used)
    near = _near(used, unknowns.prior.frames, bool(unknowns.free))
    problem = Problem(model, used, near, robust)
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
    """What is used, and what is held out: at equal distances, if it is a share."""
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
    """What the machine does at readings that were not used, before and after."""
    _check_readings(model, held)
    rows = [
        Problem(model, held, _near(held, guess.frames, unknown)).rows(guess)
        for guess in (before, after)
    ]
    if rows[0] is None or rows[1] is None:
        raise GoughError(f"{model.robot.name}: no pose was found at readings that are held out")
    return _misfit(held, rows[0].misfit, rows[1].misfit)


def _misfit(measured: Measurements, before: Array, after: Array) -> Misfit:
    return Misfit(before, after, measured.sigmas, np.asarray(measured.turns), measured.known)


def _scatter(fit: Fit, measured: Measurements) -> float:
    """Of residuals in standard deviations, for each freedom that is left; NaN, if there is none."""
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
    fit: Fit, count: int, scatter: float, outliers: tuple[int, ...], robust: bool
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
