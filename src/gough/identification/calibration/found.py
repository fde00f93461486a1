"""What a calibration found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.digits import short_decimal
from gough.errors import GoughError, nearest
from gough.identification.calibration.observability import Observability
from gough.identification.calibration.unknowns import Guess, Unknowns
from gough.kinematics.model import Model
from gough.kinematics.samples import random_poses
from gough.kinematics.workspace.reach import reachable
from gough.poses import Frames
from gough.poses.given import finite
from gough.robot import Robot, save
from gough.shown import Fact, card, facts, grid
from gough.shown.brief import brief
from gough.shown.card import number

WORKSPACE = 300
"""So many random poses stand for the workspace."""
_SHOWN = 8
"""So many numbers are in a card."""


@dataclass(frozen=True)
class CalibratedNumber:
    """A number that was looked for."""

    name: str
    unit: str
    prior: float
    """What the robot file says; 0 of frames: they step from where they fit the machine as drawn."""
    value: float
    sigma: float
    """Standard deviation of the value; NaN if the measurements leave it open."""

    @property
    def change(self) -> float:
        """From the prior."""
        return self.value - self.prior


@dataclass(frozen=True, eq=False)
class Misfit:
    """What was measured less what the machine was believed to do, before and after."""

    before: Array
    """(count, m) [m, rad]; with frames that fit best, if they are unknown."""
    after: Array
    """(count, m) [m, rad]"""
    sigmas: Array
    """(m) stated standard deviations [m, rad]."""
    turns: AnyArray
    """(m) whether each is an angle."""
    known: AnyArray
    """(count, m) whether each was measured."""

    __repr__ = brief

    @property
    def way(self) -> tuple[float, float]:
        """Root mean square of lengths before and after [m]; NaN, if none were measured."""
        return self._rms(self.before, ~self.turns), self._rms(self.after, ~self.turns)

    @property
    def turn(self) -> tuple[float, float]:
        """Root mean square of angles before and after [rad]; NaN, if none were measured."""
        return self._rms(self.before, self.turns), self._rms(self.after, self.turns)

    def sizes(self, residuals: Array) -> Array:
        """(count) root mean square of a measurement's residuals, in standard deviations."""
        squares = np.square(residuals / self.sigmas).sum(-1)
        return np.asarray(np.sqrt(squares / np.maximum(self.known.sum(-1), 1)))

    def _rms(self, residuals: Array, columns: AnyArray) -> float:
        own = residuals[:, columns][self.known[:, columns]]
        return float(np.sqrt(np.mean(np.square(own)))) if own.size else float("nan")


@dataclass(frozen=True, eq=False)
class Calibration:
    """A calibrated machine, and how well it is known."""

    prior: Robot
    """As its file says."""
    robot: Robot
    """As it was measured."""
    frames: Frames
    """The work frame and the tool of the measurements: as given, or as found."""
    parameters: tuple[CalibratedNumber, ...]
    observability: Observability
    residuals: Misfit
    validation: Misfit | None
    """Of measurements that were held out."""
    scatter: float
    """Root mean square of the residuals over what the stated standard deviations lead to: 1."""
    weights: Array
    """(count) of the measurements: less than 1 only in a robust fit."""
    outliers: tuple[int, ...]
    """Places of measurements that are farther off than chance has it."""
    warnings: tuple[str, ...]
    unknowns: Unknowns
    guess: Guess

    @property
    def rank(self) -> int:
        """How many combinations of the parameters the measurements tell."""
        return self.observability.rank

    @property
    def covariance(self) -> Array:
        """(k, k) of the parameters [SI]; of combinations that stay open none."""
        return self.observability.covariance

    def __getitem__(self, name: str) -> CalibratedNumber:
        for number_ in self.parameters:
            if number_.name == name:
                return number_
        near = nearest(name, [p.name for p in self.parameters])
        hint = f"; did you mean {near}?" if near else ""
        raise GoughError(f"no parameter {name!r} was looked for{hint}")

    def pose_sigma(self, poses: Any) -> Array:
        """Standard deviations (..., 6) [m, rad] of the pose that the calibrated machine takes.

        It is the tool's pose in the work frame, at platform poses (..., 7); NaN of what the
        measurements leave open.
        """
        at = finite(poses, "poses", 7)
        return self.observability.deviations(self.unknowns.slopes(self.guess, at))

    @cached_property
    def workspace_sigma(self) -> tuple[float, float]:
        """Root mean square of way [m] and turn [rad] over the workspace, predicted."""
        each = self.pose_sigma(workspace_poses(self.prior, WORKSPACE))
        way, turn = (float(np.sqrt(np.square(x).sum(-1).mean())) for x in np.split(each, 2, -1))
        return way, turn

    @property
    def clearest(self) -> list[CalibratedNumber]:
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

    def plot(self, path: str | Path) -> None:
        """Save a picture of what was measured before and after, and of the parameters."""
        from gough.identification.calibration.drawing import (  # noqa: PLC0415  (draws)
            save_calibration,
        )

        save_calibration(self, path)

    def __repr__(self) -> str:
        way, turn = self.workspace_sigma
        return (
            f"<gough calibration of {self.prior.name}: {len(self.weights)} measurements, rank "
            f"{self.rank} of {len(self.parameters)}, pose sigma {number(way)} m, "
            f"{number(turn)} rad>"
        )

    def _repr_html_(self) -> str:
        way, turn = self.workspace_sigma
        known = facts([
            Fact("predicted over the workspace, way", number(way), "m rms"),
            Fact("and turn", number(turn), "rad rms"),
            Fact("rank", f"{self.rank} of {len(self.parameters)}"),
            *misfit_facts("residuals", self.residuals),
            *(misfit_facts("held out", self.validation) if self.validation else ()),
            Fact("condition number", short_decimal(self.observability.condition)),
        ])  # fmt: skip
        rows = [
            [p.name, number(p.prior, 6), number(p.value, 6), number(p.sigma, 2), p.unit]
            for p in self.clearest[:_SHOWN]
        ]
        listed = grid(("parameter", "prior", "value", "sigma", "unit"), rows, (1, 2, 3))
        return card(self.prior.name, "calibration", known, listed, warnings=self.warnings)


def misfit_facts(what: str, misfit: Misfit) -> list[Fact]:
    """From before to after, of what was measured."""
    pairs = ((misfit.way, "m rms"), (misfit.turn, "rad rms"))
    return [
        Fact(what, f"{number(before)} → {number(after)}", unit)
        for (before, after), unit in pairs
        if np.isfinite(after)
    ]


def workspace_poses(robot: Robot, count: int, seed: int = 0) -> Array:
    """Random poses (count, 7) within all limits of the robot."""
    model, drawn = Model(robot), np.random.default_rng(seed)
    kept: list[Array] = []
    while sum(map(len, kept)) < count:
        poses = random_poses(model, 4 * count, drawn)
        kept.append(poses[reachable(model, poses)])
        if not len(kept[-1]):
            raise GoughError(
                f"{robot.name}: of {4 * count} random poses within its strokes none is within all "
                "limits; expected limits that leave it room"
            )
    return np.concatenate(kept)[:count]


def numbers_found(
    unknowns: Unknowns, guess: Guess, seen: Observability
) -> tuple[CalibratedNumber, ...]:
    """Each unknown with its prior, its value and its standard deviation."""
    changes, sigmas = unknowns.changes(guess), seen.deviations(np.eye(len(seen.scales)))
    priors = np.zeros(len(changes))
    priors[: len(unknowns.places)] = unknowns.prior.numbers[list(unknowns.places)]
    columns: Sequence[Any] = (unknowns.names, unknowns.units, priors, priors + changes, sigmas)
    return tuple(
        CalibratedNumber(name, unit, float(prior), float(value), float(sigma))
        for name, unit, prior, value, sigma in zip(*columns, strict=True)
    )
