"""Results of a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.checks import RandomSource, by_name
from gough.disk.plain_data import PlainData
from gough.display import Brief, Displayable, Table, number
from gough.errors import GoughError
from gough.identification.calibration.measurements import Measurements
from gough.identification.calibration.unknowns import Guess, Observability, Unknowns
from gough.identification.identified import Parameter
from gough.kinematics import Model, random_poses, reachable
from gough.poses import Frames
from gough.poses.given import finite
from gough.poses.rows import frame_tables
from gough.robot import Robot, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORKSPACE = 300  # number of random poses that represent the workspace
_SHOWN = 24  # maximum number of parameters that are shown where space is limited


@dataclass(frozen=True, eq=False, repr=False)
class Misfit(Brief):
    """Measurements minus predictions, before and after."""

    before: Array
    """(count, m) [m, rad]; with frames that fit best, if they are unknown."""
    after: Array
    """(count, m) [m, rad]"""
    measured: Measurements

    @property
    def position_error(self) -> tuple[float, float]:
        """RMS of lengths before and after [m]; NaN if none were measured."""
        return self._rms(~self.measured.turns)

    @property
    def orientation_error(self) -> tuple[float, float]:
        """RMS of angles before and after [rad]; NaN if none were measured."""
        return self._rms(self.measured.turns)

    def to_dict(self) -> PlainData:
        """Root mean squares and residuals as plain data."""
        names, times = ("position_error", "orientation_error"), ("before", "after")
        rms = {name: dict(zip(times, getattr(self, name), strict=True)) for name in names}
        return {"rms": rms, "before": self.before, "after": self.after}

    def _rms(self, columns: AnyArray) -> tuple[float, float]:
        known = self.measured.known[:, columns]
        if not known.any():
            return np.nan, np.nan
        own = (residuals[:, columns][known] for residuals in (self.before, self.after))
        before, after = (float(np.sqrt(np.mean(np.square(part)))) for part in own)
        return before, after


@dataclass(frozen=True, eq=False)
class Calibration(Displayable):
    """A calibrated machine, and how well it is known: of `gough.calibrate`, with an example there.

    >>> import gough
    >>> gough.Calibration.result_kind
    'calibration'
    """

    prior: Robot
    """Robot as in its file."""
    robot: Robot
    """Robot after calibration."""
    frames: Frames
    """The work frame and the tool of the measurements: as given, or as found."""
    parameters: tuple[Parameter, ...]
    observability: Observability
    residuals: Misfit
    validation: Misfit | None
    """Misfit of measurements that were held out."""
    scatter: float
    """Root mean square of the residuals over what the stated standard deviations lead to: 1."""
    weights: Array
    """(count) of the measurements: less than 1 only in a robust fit."""
    outliers: tuple[int, ...]
    """Places of measurements that are beyond what chance explains."""
    warnings: tuple[str, ...]
    unknowns: Unknowns
    guess: Guess

    result_kind: ClassVar = "calibration"
    listed: ClassVar = (
        "robot rank parameters frames residuals validation scatter warnings covariance"
    )

    @property
    def rank(self) -> int:
        """Number of combinations of the parameters that the measurements identify."""
        return self.observability.rank

    @property
    def covariance(self) -> Array:
        """(k, k) of the parameters [SI]; of combinations that stay open none."""
        return self.observability.covariance

    def __getitem__(self, name: str) -> Parameter:
        return by_name(self.parameters, name, f"no parameter {name!r} was looked for")

    def pose_sigma(self, poses: ArrayLike) -> Array:
        """Standard deviations (..., 6) [m, rad] of the pose that the calibrated machine takes.

        It is the tool's pose in the work frame, at platform poses (..., 7); NaN of what the
        measurements leave open.
        """
        at = finite(poses, "poses", 7)
        return self.observability.deviations(self.unknowns.slopes(self.guess, at))

    @cached_property
    def workspace_sigma(self) -> tuple[float, float]:
        """RMS position error [m] and orientation error [rad] over the workspace, predicted."""
        each = np.split(self.pose_sigma(workspace_poses(self.prior, WORKSPACE)), 2, -1)
        position, orientation = (float(np.sqrt(np.square(x).sum(-1).mean())) for x in each)
        return position, orientation

    @property
    def clearest(self) -> list[Parameter]:
        """All parameters: those first that changed by most standard deviations, open ones last."""
        clear = {p.name: np.nan_to_num(abs(p.change) / p.sigma, nan=-1.0) for p in self.parameters}
        return sorted(self.parameters, key=lambda p: -clear[p.name])

    def table(self) -> dict[str, list[Any]]:
        """Columns by heading: name, unit, prior, value, change, sigma."""
        keys = ("name", "unit", "prior", "value", "change", "sigma")
        return {key: [getattr(p, key) for p in self.parameters] for key in keys}

    def save(self, path: str | Path) -> None:
        """Write the calibrated robot to a .toml or .json file."""
        save(self.robot, path)

    def plot(self, *, ax: Sequence[Axes] | None = None) -> list[Axes]:
        """Plot the residuals before and after, and changes of the parameters; return the axes."""
        from gough.identification.calibration import drawing  # noqa: PLC0415  (draws)

        return drawing.plot_calibration(self, ax)

    def __repr__(self) -> str:
        position, orientation = map(number, self.workspace_sigma)
        return (
            f"<gough calibration of {self.prior.name}: {len(self.weights)} measurements, rank "
            f"{self.rank} of {len(self.parameters)}, pose sigma {position} m, {orientation} rad>"
        )

    def tables(self) -> list[Table]:
        """Return the accuracy of the pose, residuals before and after, and the parameters."""
        (position, orientation), count = self.workspace_sigma, len(self.parameters)
        rows = [
            ("position error over the workspace, predicted rms", _micro(position), "µm"),
            ("orientation error over the workspace, predicted rms", _micro(orientation), "µrad"),
            ("measurements", len(self.weights), ""),
            ("identifiable combinations of the parameters", f"{self.rank} of {count}", ""),
            ("condition number", self.observability.condition, ""),
            ("residuals over what the sigmas lead to", self.scatter, ""),
        ]
        misfits = [*misfit_rows("residuals", self.residuals)]
        if self.validation is not None:
            misfits += misfit_rows("held out", self.validation)
        micro = {u: f"µ{u}" if u in ("m", "rad") else f"1e-6 {u}" for u in self.unknowns.units}
        numbers = [
            (p.name, f"{p.value:.6f}", p.unit, _micro(p.change), _micro(p.sigma), micro[p.unit])
            for p in self.clearest
        ]
        heads = ("parameter", "value", "unit", "change", "standard deviation", "unit")
        return [
            Table.properties("", rows),
            Table.of("Measured less predicted, rms", ("", "before", "after", "unit"), misfits),
            *(frame_tables(self.frames) if self.unknowns.free else ()),
            Table.of("Parameters, clearest change first", heads, numbers, most=_SHOWN),
        ]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        parts = zip(("position", "orientation"), self.workspace_sigma, strict=True)
        return super().to_dict() | {
            "pose_sigma": dict(parts),
            "observability": self.observability.indices,
            "outliers": [k + 1 for k in self.outliers],
        }


def misfit_rows(what: str, misfit: Misfit) -> list[tuple[str, float, float, str]]:
    """Root mean squares before and after, of what was measured, in mm and mrad."""
    pairs = ((misfit.position_error, "mm"), (misfit.orientation_error, "mrad"))
    found = [(what, 1e3 * before, 1e3 * after, unit) for (before, after), unit in pairs]
    return [row for row in found if np.isfinite(row[2])]


def _micro(size: float) -> float | None:
    """In millionths; None of what the measurements leave open."""
    return 1e6 * size if np.isfinite(size) else None


def workspace_poses(robot: Robot, count: int, rng: RandomSource = 0) -> Array:
    """Random poses (count, 7) within all limits of the robot."""
    model, generator = Model(robot), np.random.default_rng(rng)
    feasible: list[Array] = []
    while sum(map(len, feasible)) < count:
        poses = random_poses(model, 4 * count, generator)
        feasible.append(poses[reachable(model, poses)])
        if not len(feasible[-1]):
            raise GoughError(
                f"{robot.name}: of {4 * count} random poses within its strokes none is within all "
                "limits; expected limits that leave it room"
            )
    return np.concatenate(feasible)[:count]


def numbers_found(unknowns: Unknowns, guess: Guess, seen: Observability) -> tuple[Parameter, ...]:
    """Each unknown with its prior, its value and its standard deviation."""
    changes, sigmas = unknowns.changes(guess), seen.deviations(np.eye(len(seen.scales)))
    priors = np.zeros(len(changes))
    priors[: len(unknowns.places)] = unknowns.prior.numbers[list(unknowns.places)]
    numbers = (x.tolist() for x in (priors + changes, sigmas, priors))
    rows = zip(unknowns.names, unknowns.names, *numbers, unknowns.units, strict=True)
    return tuple(Parameter(*row) for row in rows)
