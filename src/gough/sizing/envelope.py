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
from gough.errors import GoughError
from gough.plots.names import actuator_names
from gough.robot import Robot
from gough.shown.brief import brief
from gough.studies.grid_results import GridFigure, GridResults
from gough.studies.variations import point_words

_GROUPS = ("forces", "legs", "drives", "margins")
"""What is asked of actuators."""
_USED = {
    "stroke_used": ("shortest_leg_length", "longest_leg_length"),
    "travel_used": ("lowest_actuator_position", "highest_actuator_position"),
}
"""Made of two others: how far an actuator goes over all motions."""


@dataclass(frozen=True, repr=False)
class Worst:
    """A figure at its worst over several motions."""

    name: str
    unit: str
    meaning: str
    value: float
    motion: str
    """In which it is so; empty where it is made of several."""
    leg: int | None
    """The leg or actuator of which it is so, counted from 1."""
    time: float | None
    """When it is so [s], where that is known."""
    per_leg: tuple[float, ...] = ()
    """The worst of each leg or actuator."""
    motions: tuple[str, ...] = ()
    """In which motion each of these is."""
    labels: tuple[str, ...] = ()
    """The names of actuators; none where they are legs, which are counted."""

    __repr__ = brief

    @property
    def place(self) -> str:
        """What has this value: "leg 3", or the name of an actuator."""
        if self.leg is None:
            return ""
        return self.labels[self.leg - 1] if self.labels else f"leg {self.leg}"


@dataclass(frozen=True, repr=False)
class Envelope:
    """The worst of several motions: `envelope["peak_force"]`, of each leg and of all."""

    results: tuple[Results | GridResults, ...]
    figures: dict[str, Worst]

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

    def __getitem__(self, name: str) -> Worst:
        if name not in self.figures:
            known = ", ".join(self.figures)
            raise GoughError(f"no figure {name!r} in the envelope; expected one of {known}")
        return self.figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.figures)

    def __contains__(self, name: object) -> bool:
        return name in self.figures

    def to_dict(self) -> dict[str, Any]:
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
    """What the motions are called."""
    points = 1 if isinstance(results, Results) else int(np.prod(results.shape))
    return (_name(results, k) for k in range(points))


def _name(results: Results | GridResults, point: int) -> str:
    if isinstance(results, Results):
        return results.name
    return f"{results.name}, {point_words(results.variations, point)}"


class _Found(NamedTuple):
    """A figure at all motions of some results."""

    results: Results | GridResults
    figure: Scalar | GridFigure
    values: Array
    """(motions,)"""
    per_leg: Array
    """(motions, legs), or none of these."""


def _found(results: Results | GridResults, name: str) -> _Found:
    if isinstance(results, Results):
        figure = results.summary[name]
        return _Found(results, figure, np.array([figure.value]), np.array([figure.per_leg]))
    over = results.figures[name]
    values = over.values.reshape(-1)
    legs = np.zeros((len(values), 0)) if over.per_leg is None else over.per_leg
    return _Found(results, over, values, legs.reshape(len(values), -1))


def _worst(name: str, several: Sequence[Results | GridResults]) -> Worst | None:
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
    return Worst(
        *(name, figure.unit, figure.meaning, float(values[k]), motion, leg, time),
        *(tuple(float(legs[n, j]) for j, n in enumerate(at)),),
        *(tuple(_owner(found, n)[1] for n in at), figure.labels),
    )


def _owner(found: Sequence[_Found], k: int) -> tuple[_Found, str]:
    """Whose the k-th motion of all is, and its name."""
    for one in found:
        if k < len(one.values):
            return one, _name(one.results, k)
        k -= len(one.values)
    raise IndexError(k)


def _extreme(values: Array, least: bool) -> int:
    """Where the worst number is; 0 if there is none."""
    sign = 1.0 if least else -1.0
    return int(np.argmin(np.where(np.isnan(values), np.inf, sign * values)))


def _used(found: dict[str, Worst], name: str, shortest: str, longest: str) -> Worst:
    """How far actuators go over all motions: one may be shortest in another than longest."""
    low, high = found[shortest], found[longest]
    legs = np.subtract(high.per_leg, low.per_leg)
    leg = int(np.argmax(legs))
    one = found[name]
    return Worst(
        *(name, one.unit, f"{one.meaning}, over all motions", float(legs[leg]), "", leg + 1, None),
        *(tuple(legs.tolist()), (), one.labels),
    )
