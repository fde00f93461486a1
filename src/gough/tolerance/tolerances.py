"""Effects of tolerances of a machine's numbers on its pose, its forces and its margins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import RandomSource, seed_of
from gough.digits import ROUNDING, short_decimal
from gough.disk.plain_data import PlainData, PlainMapping
from gough.display import Displayable, Table
from gough.errors import GoughError
from gough.executors import Executor
from gough.kinematics.model import Model, model_of
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, margins
from gough.kinematics.workspace.slices import RESOLUTION, Map, mapped, workspace_slice
from gough.kinematics.workspace.stated_limits import ends_of
from gough.poses.given import check_batches, finite
from gough.poses.rows import pose_rows
from gough.progress import shows_progress
from gough.robot import Robot
from gough.tolerance.linear import deviations, displacements, effect_changes
from gough.tolerance.monte_carlo import MonteCarlo, monte_carlo
from gough.tolerance.stated import StatedTolerances, stated_tolerances

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Effect = Literal["position", "orientation", "force", "margin"]
Grouping = Literal["number", "joint", "pattern"]

EFFECTS: tuple[Effect, ...] = get_args(Effect)
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
_SHOWN = 24
"""Number of contributions that are shown in short tables."""
_AXES = (*((axis, "mm") for axis in "xyz"), *((f"about {axis}", "mrad") for axis in "xyz"))
REPORTED: tuple[Effect, ...] = ("position", "orientation", "force")
"""Effects whose contributions are shown; those to margins are in tables only."""
_DIGITS = 9
_POSSIBLE = 1e-9
"""Residual [m, rad] below which a pose is possible."""


@dataclass(frozen=True, eq=False)
class Tolerances(Displayable):
    """Effects of tolerances at poses (...), on a machine that is commanded without knowing them.

    Changes are those by one standard deviation of each of k numbers, by exact derivatives;
    deviations are those of all of them together. Displacements are the translation of the
    platform's origin and a rotation vector, both in base axes.

    >>> import gough
    >>> found = gough.tolerances(gough.load("kalani-2016"), tolerances={"legs[*].base": "50 um"})
    >>> float(found.position_error.round(6))  # [m]
    9.9e-05
    """

    robot: Robot
    stated: StatedTolerances
    pose: Array
    """(..., 7) commanded pose."""
    pose_changes: Array
    """(..., 6, k) displacement from it [m, rad]."""
    force: Array
    """(..., n) of the actuators [N, N m] without errors."""
    force_changes: Array
    """(..., n, k) [N, N m]"""
    margin: Array
    """(..., 5) within each kind of limit without errors, as `gough.kinematics.margins`."""
    margin_changes: Array
    """(..., 5, k)"""
    monte_carlo: MonteCarlo | None = None
    """Results of Monte Carlo samples, if there are some."""
    listed: ClassVar = (
        "robot pose position_error orientation_error pose_deviation covariance force "
        "force_deviation margin margin_deviation monte_carlo"
    )

    @cached_property
    def covariance(self) -> Array:
        """(..., 6, 6) covariance of the displacement [m, rad]."""
        return np.asarray(self.pose_changes @ np.swapaxes(self.pose_changes, -1, -2))

    @property
    def pose_deviation(self) -> Array:
        """(..., 6) standard deviation of the displacement [m, rad]."""
        return deviations(self.pose_changes)

    @property
    def position_error(self) -> Array:
        """(...) RMS position error [m]."""
        return np.asarray(np.linalg.norm(self.pose_deviation[..., :3], axis=-1))

    @property
    def orientation_error(self) -> Array:
        """(...) RMS orientation error [rad]."""
        return np.asarray(np.linalg.norm(self.pose_deviation[..., 3:], axis=-1))

    @property
    def force_deviation(self) -> Array:
        """(..., n) standard deviation of the actuators' forces [N, N m]."""
        return deviations(self.force_changes)

    @property
    def margin_deviation(self) -> Array:
        """(..., 5) standard deviation of the margins."""
        return deviations(self.margin_changes)

    def shares(self, of: Effect = "position", by: Grouping = "joint") -> dict[str, float]:
        """Return shares of the variance by source, in descending order; their sum is 1.

        Over all poses together: of the "position", of the "orientation", or on average of every
        actuator's "force" or kind of limit's "margin" that varies. By "number", by "joint" (all
        numbers of one vector or tensor), or by the "pattern" of the tolerances.
        All are 0 if nothing varies.
        """
        squares = self._variances(of)
        names, total = self.groups(by), float(squares.sum()) or 1.0
        shares = dict.fromkeys(names, 0.0)
        for name, square in zip(names, squares, strict=True):
            shares[name] += float(square) / total
        return _ranked(shares)

    def table(self, by: Grouping = "joint") -> dict[str, list[Any]]:
        """Return the contributions to RMS position and orientation errors, and shares, as columns.

        At all poses together, in descending order of contribution.
        """
        shares = {of: self.shares(of, by) for of in EFFECTS}
        names = list(_ranked({n: max(shares[of][n] for of in REPORTED) for n in self.groups(by)}))
        errors = self.position_error, self.orientation_error
        position, orientation = (float(np.sqrt(np.mean(np.square(x)))) for x in errors)
        columns: dict[str, list[Any]] = {
            by: names,
            "position error [m]": [position * sqrt(shares["position"][n]) for n in names],
            "orientation error [rad]": [
                orientation * sqrt(shares["orientation"][n]) for n in names
            ],
        }
        return columns | {f"share of {of}": [shares[of][n] for n in names] for of in EFFECTS}

    def __repr__(self) -> str:
        count = int(np.prod(self.pose.shape[:-1]))
        poses = "1 pose" if count == 1 else f"{count} poses"
        return (
            f"<gough tolerances of {self.robot.name}: {len(self.stated.places)} numbers, {poses}, "
            f"position error {_largest(self.position_error)} m, "
            f"orientation error {_largest(self.orientation_error)} rad>"
        )

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and what this is."""
        return self.robot.name, f"tolerances, {len(self.stated.places)} numbers with errors"

    def tables(self, by: Grouping = "joint") -> list[Table]:
        """Standard deviations of one pose, and shares of the variance; of several poses these."""
        of_pose = self._deviations() if self.pose.ndim == 1 else []
        return [*of_pose, self._shares_table(by)]

    def _deviations(self) -> list[Table]:
        drawn = self.monte_carlo
        sources: list[Any] = [self] if drawn is None else [self, drawn]
        heads = ["linear"] if drawn is None else ["linear", f"of {drawn.samples} samples"]
        rows: list[tuple[object, ...]] = [
            (axis, *(1e3 * float(s.pose_deviation[k]) for s in sources), unit)
            for k, (axis, unit) in enumerate(_AXES)
        ]
        rows += [
            (a.name, *(float(s.force_deviation[k]) for s in sources), "N m" if a.turns else "N")
            for k, a in enumerate(self.robot.actuators)
        ]
        rows += [
            (f"{end} margin", *(_known(s.margin_deviation[k]) for s in sources), "–")
            for k, end in enumerate(ends_of(self.robot)[: len(self.margin)])
            if isfinite(self.margin[k])
        ]
        rms = [
            ("position error, rms", 1e3 * float(self.position_error), "mm"),
            ("orientation error, rms", 1e3 * float(self.orientation_error), "mrad"),
        ]
        if drawn is not None:
            position, orientation = drawn.position_error_95, drawn.orientation_error_95
            rms += [
                ("position error of 95 % of the samples", 1e3 * float(position), "mm"),
                ("orientation error of 95 %", 1e3 * float(orientation), "mrad"),
                ("samples within all limits", 100 * float(drawn.reaching), "%"),
            ]
        first = Table.properties("Pose", [*pose_rows(self.pose), *rms])
        return [first, Table.of("Standard deviations", ("", *heads, "unit"), rows)]

    def _shares_table(self, by: Grouping) -> Table:
        columns, heads = self.table(by), (f"by {by}", *(f"of {of}" for of in REPORTED))
        shares = [[100 * x for x in columns[f"share of {of}"]] for of in REPORTED]
        rows = zip(columns[by], *shares, strict=True)
        return Table.of("Shares of the variance [%]", heads, rows, most=_SHOWN)

    def to_dict(self, by: Grouping = "joint") -> PlainData:
        """Everything but the single changes as plain data."""
        return super().to_dict() | {
            "numbers": dict(zip(self.stated.names, self.stated.deviation, strict=True)),
            "shares": {of: self.shares(of, by) for of in EFFECTS},
        }

    def plot(
        self, by: Grouping = "joint", *, ax: Axes | Sequence[Axes] | None = None
    ) -> list[Axes]:
        """Plot contributions to the variances, for one pose after the machine with an ellipsoid."""
        from gough.tolerance.pictures import plot_tolerances  # noqa: PLC0415  (slow to import)

        return plot_tolerances(self, by, ax)

    def _variances(self, of: str) -> Array:
        """(k) contribution of each number to the variance of an effect."""
        if of not in EFFECTS:
            raise GoughError(f"no effect {of!r}; expected one of {', '.join(EFFECTS)}")
        if of in ("position", "orientation"):
            rows = slice(0, 3) if of == "position" else slice(3, 6)
            every = tuple(range(self.pose_changes.ndim - 1))
            return np.asarray(np.square(self.pose_changes[..., rows, :]).sum(every))
        changes = self.force_changes if of == "force" else self.margin_changes
        each = np.square(changes.reshape(-1, *changes.shape[-2:])).sum(0)
        total = each.sum(-1, keepdims=True)
        varies = total > ROUNDING**2
        return np.asarray(np.divide(each, total, where=varies, out=np.zeros_like(each)).sum(0))

    def groups(self, by: Grouping) -> list[str]:
        """(k) group of each number: see `shares`."""
        if by not in GROUPINGS:
            raise GoughError(f"no grouping by {by!r}; expected one of {', '.join(GROUPINGS)}")
        if by == "pattern":
            return [self.stated.patterns[k] for k in self.stated.pattern]
        return self.stated.names if by == "number" else self.stated.joints


_BYTES = 8 * 6 * 6
"""Memory of the changes of a pose, its forces and its margins by one number [bytes]."""


@shows_progress
def tolerances(
    robot: Robot | Model,
    poses: ArrayLike | None = None,
    tolerances: PlainMapping | StatedTolerances | None = None,
    *,
    twist: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    samples: int = 0,
    rng: RandomSource = 0,
    progress: bool = False,
    executor: Executor = None,
) -> Tolerances:
    """Compute the effects of tolerances at poses (..., 7), by default the home pose.

    The machine is commanded as if it had none, and takes another pose. `tolerances` gives the
    sizes of errors by names and patterns of parameters: `{"legs[*].base": "50 um", "platform.mass":
    "1 %"}` are standard deviations of normal errors, "±50 um" is a tolerance within which all
    errors are alike probable. All errors are independent of each other.

    Forces are those that hold the machine at rest at the reached pose, under a wrench (..., 6)
    [N, N m]; or those of a motion with a twist and an acceleration (..., 6).

    Results are by exact derivatives. With `samples` so many Monte Carlo samples are evaluated too,
    with the random numbers of `rng`, and where `executor` says, see `gough.executors`.

    >>> import gough
    >>> found = gough.tolerances(gough.load("kalani-2016"), tolerances={"legs[*].base": "50 um"})
    >>> float(found.position_error.round(6))  # [m]
    9.9e-05
    """
    model = model_of(robot)
    own = model.own_robot("a study of tolerances", of_forces=True)
    chosen = stated_tolerances(own, {} if tolerances is None else tolerances)
    each = _BYTES * max(len(chosen.names), 1)
    at = finite(own.home if poses is None else poses, "poses", 7, bytes_each=each)
    given = {"twist": twist, "acceleration": acceleration, "wrench": wrench}
    loads = [np.zeros(6) if x is None else finite(x, name, 6) for name, x in given.items()]
    batches = {name: x.shape[:-1] for name, x in zip(("poses", *given), (at, *loads), strict=True)}
    check_batches(**batches)
    at = np.broadcast_to(at, (*np.broadcast_shapes(*batches.values()), 7))
    _check_possible(model, at)
    model.checked_inverse_dynamics(at, *loads)  # names what is singular
    force, numbers = np.asarray(model.actuator_force(at, *loads)), chosen.machines.values
    moved = displacements(chosen.machines, chosen.changes, numbers, at)
    return Tolerances(
        own,
        chosen,
        at,
        moved,
        force,
        effect_changes(chosen, "force", [numbers, at, *loads], moved),
        margins(model, at),
        effect_changes(chosen, "margin", [numbers, at], moved),
        monte_carlo(chosen, at, loads, samples, seed_of(rng), executor) if samples else None,
    )


def _check_possible(model: Model, poses: Array) -> None:
    """Refuse poses that a machine with fewer degrees of freedom cannot reach."""
    deviation = np.abs(model.possible_pose(poses).step).max(-1)
    if not (deviation <= _POSSIBLE).all():
        index = tuple(int(k) for k in np.argwhere(~(deviation <= _POSSIBLE))[0])
        raise GoughError(
            f"{model.robot.name} moves in {' '.join(model.structure.degrees_of_freedom)} only and "
            f"cannot reach the pose {poses[index].tolist()}; expected poses as "
            "model.possible_pose gives"
        )


def _ranked(shares: dict[str, float]) -> dict[str, float]:
    """Shares with the maximum first; equal ones stay in the order of the file."""
    return dict(sorted(shares.items(), key=lambda item: -round(item[1], _DIGITS)))


def _known(deviation: Any) -> float | None:
    """The number, or None at a peak of a margin, which has no derivative."""
    return float(deviation) if isfinite(deviation) else None


def _largest(values: Array) -> str:
    return short_decimal(float(np.max(values, initial=0.0)))


def tolerance_map(
    robot: Robot | Model,
    axes: tuple[str, str],
    tolerances: PlainMapping | StatedTolerances,
    pose: ArrayLike | None = None,
    *,
    rotational: bool = False,
    limits: Limits = ALL_LIMITS,
    resolution: int = RESOLUTION,
) -> Map:
    """Map the pose error that tolerances cause, over a plane of the workspace.

    The RMS position error [mm], or with `rotational` the RMS orientation error [mrad].
    `tolerances` as in `gough.tolerances`.
    """
    model = model_of(robot)
    robot = model.own_robot("a map of tolerances", of_forces=True)
    chosen = stated_tolerances(robot, tolerances)
    part = slice(3, 6) if rotational else slice(0, 3)

    def apart(poses: Array) -> Array:
        machines = chosen.machines
        found = deviations(displacements(machines, chosen.changes, machines.values, poses))
        return np.asarray(1e3 * np.linalg.norm(found[:, part], axis=-1))

    words, unit = ("orientation", "mrad") if rotational else ("position", "mm")
    cut = workspace_slice(model, axes, pose, limits=limits, resolution=resolution)
    return mapped(model, cut, pose, apart, f"{words} error, RMS", unit)
