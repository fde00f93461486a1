"""The worst of several motions: forces, speeds, powers, strokes, of each actuator and of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gough.analysis.definition import Figure
from gough.analysis.figures import figure_of
from gough.analysis.results import Results, Scalar
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.display import Cell, Displayable, Head, Table, TableRow
from gough.display.brief import brief
from gough.errors import GoughError
from gough.robot import Robot
from gough.robot.description import actuator_names
from gough.studies.grid_results import GridFigure, GridResults
from gough.studies.variations import point_words

_GROUPS = ("forces", "legs", "drives", "margins")
"""Groups of quantities that load actuators."""
_USED = {
    "stroke_used": ("shortest_leg_length", "longest_leg_length"),
    "travel_used": ("lowest_actuator_position", "highest_actuator_position"),
}
"""Figures made of two others: ranges of actuators over all motions."""


@dataclass(frozen=True, repr=False)
class EnvelopeFigure:
    """A figure at its worst over several motions."""

    name: str
    unit: str
    meaning: str
    value: float
    motion: str
    """Motion in which it occurs; empty where it is made of several."""
    leg: int | None
    """Leg or actuator at which it occurs, counted from 1."""
    time: float | None
    """Time at which it occurs [s], where that is known."""
    per_leg: tuple[float, ...] = ()
    """Worst value of each leg or actuator."""
    motions: tuple[str, ...] = ()
    """Motion in which each of these occurs."""
    labels: tuple[str, ...] = ()
    """The names of actuators; none where they are legs, which are counted."""

    __repr__ = brief

    @property
    def place(self) -> str:
        """Return the place of this value: "leg 3", or the name of an actuator."""
        if self.leg is None:
            return ""
        return self.labels[self.leg - 1] if self.labels else f"leg {self.leg}"

    @property
    def title(self) -> str:
        """Its name as a heading: "Peak force", "RMS force"."""
        words = self.name.replace("_", " ").replace("rms", "RMS")
        return words[:1].upper() + words[1:]

    def cells(self, names: Sequence[str]) -> list[Cell]:
        """The worst of each of some actuators; a dash for those without one."""
        own, motions = self.labels or names, self.motions or ("",) * len(self.per_leg)
        known = dict(zip(own, zip(self.per_leg, motions, strict=True), strict=True))
        worst = own[self.leg - 1] if self.leg else ""
        return [
            Cell(known[n][0], kind="worst" if n == worst else "", hint=known[n][1])
            if n in known
            else Cell(None, kind="none")
            for n in names
        ]


@dataclass(frozen=True, repr=False)
class Envelope(Displayable):
    """The worst of several motions: `envelope["peak_force"]`, of each leg and of all."""

    results: tuple[Results | GridResults, ...]
    figures: dict[str, EnvelopeFigure]

    def __repr__(self) -> str:
        return f"<gough envelope of {len(self.motions)} motions: {len(self.figures)} figures>"

    @property
    def robot(self) -> Robot:
        """The machine, of the first motion."""
        return self.results[0].robot

    @cached_property
    def motions(self) -> tuple[str, ...]:
        """Their names: of a result its study's, of a grid those of all its points."""
        return tuple(name for one in self.results for name in _names(one))

    def __getitem__(self, name: str) -> EnvelopeFigure:
        if name not in self.figures:
            known = ", ".join(self.figures)
            raise GoughError(f"no figure {name!r} in the envelope; expected one of {known}")
        return self.figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.figures)

    def __contains__(self, name: object) -> bool:
        return name in self.figures

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and what this is."""
        return self.robot.name, f"envelope of {len(self.motions)} motions"

    def tables(self) -> list[Table]:
        """The worst of all motions, of each leg or actuator and of all."""
        names = actuator_names(self.robot)
        word = names.word.capitalize()
        heads = [
            Head("Worst of all motions"),
            Head(""),
            *(Head(f"{word} {n}" if n.isdigit() else n) for n in names.short),
            Head("All"),
            Head("In", kind="words"),
        ]
        rows = [
            TableRow(
                [
                    Cell(unit=figure.unit),
                    *figure.cells(names.short),
                    Cell(figure.value),
                    Cell(figure.motion or "several", kind="words"),
                ],
                figure.title,
            )
            for figure in self.figures.values()
            if figure.per_leg
        ]
        return [Table("Envelope", heads, rows)]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        return {
            "robot": self.robot.name,
            "motions": list(self.motions),
            "figures": {name: asdict(figure) for name, figure in self.figures.items()},
        }


def envelope(results: Results | GridResults | Iterable[Results | GridResults]) -> Envelope:
    """The worst force, speed, power, stroke … over several motions, of each leg and of all.

    Every result is one motion, every point of a grid another. Machines must have the same
    actuators; a point that could not be computed, or has no number, is left out.
    """
    one = isinstance(results, Results | GridResults) or not isinstance(results, Iterable)
    several: list[Any] = [results] if one else list(results)
    if not several or not all(isinstance(one, Results | GridResults) for one in several):
        raise GoughError("no results; expected what gough.run gives, or a list of that")
    robot, *others = (one.robot for one in several)
    for other in others:
        if _actuators(other) != _actuators(robot):
            raise GoughError(
                f"{robot.name} and {other.name} have other actuators; expected motions of machines "
                "whose actuators have the same names"
            )
    names = dict.fromkeys(name for one in several for name in _figures(one))
    figures = [_worst(name, several) for name in names if _belongs(figure_of(name))]
    found = {figure.name: figure for figure in figures if figure is not None}
    found |= {name: _used(found, name, *ends) for name, ends in _USED.items() if name in found}
    return Envelope(tuple(several), found)


def _actuators(robot: Robot) -> tuple[str, ...]:
    return actuator_names(robot).titles


def _belongs(figure: Figure) -> bool:
    """Whether a figure has a worst, and is about actuators."""
    quantity = figure.quantity
    return bool(figure.worst) and quantity is not None and quantity.group in _GROUPS


def _figures(results: Results | GridResults) -> Iterable[str]:
    return results.summary if isinstance(results, Results) else results.figures


def _names(results: Results | GridResults) -> Iterator[str]:
    """Yield the names of the motions."""
    points = 1 if isinstance(results, Results) else int(np.prod(results.shape))
    return (_name(results, k) for k in range(points))


def _name(results: Results | GridResults, point: int) -> str:
    if isinstance(results, Results):
        return results.name
    return f"{results.name}, {point_words(results.variations, point)}"


class _EnvelopeValue(NamedTuple):
    """A figure at all motions of some results."""

    results: Results | GridResults
    figure: Scalar | GridFigure
    values: Array
    """(motions,)"""
    per_leg: Array
    """(motions, legs), or none of these."""


def _found(results: Results | GridResults, name: str) -> _EnvelopeValue:
    if isinstance(results, Results):
        figure = results.summary[name]
        return _EnvelopeValue(results, figure, np.array([figure.value]), np.array([figure.per_leg]))
    over = results.figures[name]
    values = over.values.reshape(-1)
    legs = np.zeros((len(values), 0)) if over.per_leg is None else over.per_leg
    return _EnvelopeValue(results, over, values, legs.reshape(len(values), -1))


def _worst(name: str, several: Sequence[Results | GridResults]) -> EnvelopeFigure | None:
    """A figure at its worst; None if no motion has a number for it."""
    found = [_found(one, name) for one in several if name in _figures(one)]
    values = np.concatenate([one.values for one in found])
    if not np.isfinite(values).any():
        return None
    least = figure_of(name).worst == "min"
    k = _extreme(values, least)
    legs = np.concatenate([one.per_leg for one in found])
    at = [_extreme(column, least) for column in legs.T]
    worst, motion = _owner(found, k)
    figure = worst.figure
    leg, time = (figure.leg, figure.time) if isinstance(figure, Scalar) else (None, None)
    if leg is None and at:
        leg = _extreme(legs[k], least) + 1
    return EnvelopeFigure(
        *(name, figure.unit, figure.meaning, float(values[k]), motion, leg, time),
        *(tuple(float(legs[n, j]) for j, n in enumerate(at)),),
        *(tuple(_owner(found, n)[1] for n in at), figure.labels),
    )


def _owner(found: Sequence[_EnvelopeValue], k: int) -> tuple[_EnvelopeValue, str]:
    """Return the results and the name of the k-th of all motions."""
    for one in found:
        if k < len(one.values):
            return one, _name(one.results, k)
        k -= len(one.values)
    raise IndexError(k)


def _extreme(values: Array, least: bool) -> int:
    """Where the worst number is; 0 if there is none."""
    sign = 1.0 if least else -1.0
    return int(np.argmin(np.where(np.isnan(values), np.inf, sign * values)))


def _used(
    found: dict[str, EnvelopeFigure], name: str, shortest: str, longest: str
) -> EnvelopeFigure:
    """Return the range of actuators over all motions: its ends may be of different motions."""
    low, high = found[shortest], found[longest]
    legs = np.subtract(high.per_leg, low.per_leg)
    leg = int(np.argmax(legs))
    one = found[name]
    return EnvelopeFigure(
        *(name, one.unit, f"{one.meaning}, over all motions", float(legs[leg]), "", leg + 1, None),
        *(tuple(legs.tolist()), (), one.labels),
    )
