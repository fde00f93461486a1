"""The worst of several motions: forces, speeds, powers, strokes, of each actuator and of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gough.analysis.definition import Figure
from gough.analysis.figures import figure_of
from gough.analysis.results import Results, Scalar
from gough.arrays import Array
from gough.errors import GoughError
from gough.plots.names import actuator_names
from gough.robot import Robot
from gough.shown.brief import brief
from gough.studies.grid_results import GridResults
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

    robot: Robot
    motions: tuple[str, ...]
    """Their names."""
    figures: dict[str, Worst]

    def __repr__(self) -> str:
        return f"<gough envelope of {len(self.motions)} motions: {len(self.figures)} figures>"

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
    several = [results] if isinstance(results, Results | GridResults) else list(results)
    if not several or not all(isinstance(one, Results | GridResults) for one in several):
        raise GoughError("no results; expected what gough.run gives, or a list of that")
    robot, *others = (one.robot for one in several)
    for other in others:
        if _actuators(other) != _actuators(robot):
            raise GoughError(
                f"{robot.name} and {other.name} have other actuators; expected motions of machines "
                "whose actuators have the same names"
            )
    motions = [motion for one in several for motion in _motions(one)]
    names = dict.fromkeys(name for _, summary in motions for name in summary)
    figures = [_worst(name, motions) for name in names if _belongs(figure_of(name))]
    found = {figure.name: figure for figure in figures if figure is not None}
    found |= {name: _used(found, name, *ends) for name, ends in _USED.items() if name in found}
    return Envelope(robot, tuple(name for name, _ in motions), found)


def _actuators(robot: Robot) -> tuple[str, ...]:
    return actuator_names(robot).titles


def _belongs(figure: Figure) -> bool:
    """Whether a figure has a worst, and is about actuators."""
    quantity = figure.quantity
    return bool(figure.worst) and quantity is not None and quantity.group in _GROUPS


Motion = tuple[str, dict[str, Scalar]]


def _motions(results: Results | GridResults) -> list[Motion]:
    if isinstance(results, Results):
        return [(results.name, results.summary)]
    points = range(int(np.prod(results.shape)))
    return [(point_words(results.variations, k), _at_point(results, k)) for k in points]


def _at_point(results: GridResults, point: int) -> dict[str, Scalar]:
    """The figures of one point of a grid, whose times are not kept."""
    found = {}
    for name, figure in results.figures.items():
        legs: tuple[float, ...] = ()
        if figure.per_leg is not None:
            legs = tuple(figure.per_leg.reshape(-1, figure.per_leg.shape[-1])[point].tolist())
        value = float(figure.values.reshape(-1)[point])
        found[name] = Scalar(name, figure.unit, figure.meaning, value, legs, labels=figure.labels)
    return found


def _worst(name: str, motions: Sequence[Motion]) -> Worst | None:
    """A figure at its worst; None if no motion has a number for it."""
    known = [(motion, summary[name]) for motion, summary in motions if name in summary]
    known = [(motion, figure) for motion, figure in known if np.isfinite(figure.value)]
    if not known:
        return None
    least = figure_of(name).worst == "min"
    k = _extreme(np.array([figure.value for _, figure in known]), least)
    motion, worst = known[k]
    legs = np.array([figure.per_leg for _, figure in known])
    at = [_extreme(column, least) for column in legs.T]
    per_leg = tuple(float(legs[n, leg]) for leg, n in enumerate(at))
    leg = worst.leg or (_extreme(np.array(worst.per_leg), least) + 1 if per_leg else None)
    return Worst(
        *(name, worst.unit, worst.meaning, worst.value, motion, leg, worst.time),
        *(per_leg, tuple(known[n][0] for n in at), worst.labels),
    )


def _extreme(values: Array, least: bool) -> int:
    return int(np.nanargmin(values) if least else np.nanargmax(values))


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
