"""Answers of proofs: the verdict, proved margins and a counter-example, as tables and as data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.display import Brief, Displayable, Rows, Table, shown_unit, vector
from gough.kinematics.proof.requirements import Required
from gough.kinematics.workspace.stated_limits import SingleLimit
from gough.kinematics.workspace.travels import SHOWN
from gough.poses import euler

Verdict = Literal["proved", "refuted", "undecided"]
DIGITS = 9
"""Digits of regions and bounds of what is proved, in words."""
_NEAR = ("near time [s]",)
_STATE_UNITS = {"twist": "m/s, rad/s", "acceleration": "m/s², rad/s²", "wrench": "N, N m"}


@dataclass(frozen=True, repr=False)
class CounterExample(Brief):
    """A state, and a robot within the tolerances, that violates a requirement."""

    limit: SingleLimit
    coordinates: Array
    """(n) all coordinates, exact; of a motion the time [s]."""
    pose: Array
    """(7) rounded from these."""
    margin: float
    """Upper bound of the margin there, below zero."""
    number: int
    """Number of the requirement."""


def region_words(halves: Array, radius: float | None) -> str:
    """Say what poses (6 half sides) are in a box, or in a ball of positions."""
    sides, angles = vector(halves[:3], DIGITS), vector(np.degrees(halves[3:6]), DIGITS)
    position = f"± {sides} m" if radius is None else f"a ball of radius {radius:.{DIGITS}g} m"
    return f"{position} with ± {angles} deg"


def state_rows(states: Array, balls: Mapping[str, float]) -> Rows:
    """Return the twists, accelerations and wrenches (18) of a proof; none without states."""
    rows: Rows = []
    for (name, unit), x in zip(_STATE_UNITS.items(), np.split(states, 3), strict=True):
        if name in balls and len(x):
            rows.append((name, f"up to {x[0]:.{DIGITS}g} in every direction", unit.split(",")[0]))
        elif len(x):
            rows.append((name, f"± {vector(x, DIGITS)}", unit))
    return rows


class ProofAnswer(Displayable):
    """Whether requirements hold in all parts of a whole: boxes, or intervals of time."""

    required: Required
    proved: Sized
    outside: Sized
    undecided: Sized
    low: Array
    counter_example: CounterExample | None
    nearest: Array | None
    """(k) time [s] near which each margin has its lower bound, of a motion."""
    parts: ClassVar[tuple[str, str]]
    """Words for parts, and for the whole."""

    @property
    @abstractmethod
    def share_undecided(self) -> float:
        """Share of the whole that is neither proved nor refuted."""

    @property
    def verdict(self) -> Verdict:
        """Proved everywhere, refuted by a counter-example, or undecided."""
        if self.counter_example is not None or len(self.outside):
            return "refuted"
        return "undecided" if len(self.undecided) else "proved"

    def _facts(self) -> Rows:
        """Return rows beside those of all answers."""
        return []

    def _margins(self) -> list[tuple[SingleLimit, float, list[float]]]:
        """Return requirements with their proved margins, and times near which these are."""
        rows = self.required.rows(self.robot)
        near = [[]] * len(rows) if self.nearest is None else self.nearest[:, None].tolist()
        return list(zip(rows, self.low.tolist(), near, strict=True))

    def tables(self) -> list[Table]:
        """The verdict, and proved margins of all requirements."""
        part, whole = self.parts
        facts: Rows = [
            ("verdict", self.verdict, ""),
            (f"{part} proved", len(self.proved), ""),
            (f"share of {whole} undecided", 100 * self.share_undecided, "%"),
        ]
        if (found := self.counter_example) is not None:
            of, exceeded, unit = _shown(found.limit, found.margin)
            angles = euler(found.pose, "xyz", degrees=True).round(6)
            facts += [
                ("violated", f"{found.limit.family} of {of}" if of else found.limit.family, ""),
                ("by at least", -exceeded, unit),
                ("at x y z", vector(found.pose[:3]), "m"),
                ("at roll pitch yaw", vector(angles), "deg"),
            ]
        tables = [Table.properties("Proof", [*facts, *self._facts()])]
        if self.verdict == "proved":
            worst = sorted(self._margins(), key=lambda row: row[1])
            rows = [(limit.family, *_shown(limit, low), *more) for limit, low, more in worst]
            heads = ("limit", "of", "proved margin", "unit", *_NEAR[: self.nearest is not None])
            tables.append(Table.of("Proved margins", heads, rows, most=8))
        return tables

    def to_dict(self) -> PlainData:
        """Everything but the boxes, or intervals, as plain data."""
        found, example, margins = self.counter_example, None, None
        if found is not None:
            example = {"family": found.limit.family, "of": found.limit.of, "margin": found.margin}
            example |= {"pose": found.pose, "coordinates": found.coordinates}
        if self.verdict == "proved":
            margins = [
                {"family": row.family, "of": row.of, "proved": low}
                | dict(zip(["near"], more, strict=False))
                for row, low, more in self._margins()
            ]
        found_parts = {self.parts[0]: len(self.proved), "margins": margins}
        return super().to_dict() | found_parts | {"counter_example": example}


def _shown(limit: SingleLimit, margin: float) -> tuple[str, float, str]:
    """Return the parts of a limit, and the distance to it of a margin, with its unit."""
    unit, scale = SHOWN.get(limit.unit, (shown_unit(limit.unit), 1.0))
    return ", ".join(limit.of), scale * float(limit.inside(margin)), unit
