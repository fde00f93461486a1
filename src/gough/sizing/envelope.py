"""The worst of several motions: forces, speeds, powers, strokes, of each actuator and of all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gough.analysis.definition import Figure
from gough.analysis.figures import figure_of
from gough.analysis.results import Results, Scalar
from gough.arrays import Array
from gough.checks import by_name
from gough.display import Cell, Displayable, Head, Table, TableRow
from gough.errors import GoughError
from gough.fields.display_units import SI, DisplayUnits
from gough.robot import Robot, actuator_names
from gough.studies.grid_results import GridFigure, GridResults
from gough.studies.variations import all_point_words

_GROUPS = ("forces", "legs", "connectors", "drives", "margins")
"""Groups of quantities that load actuators."""
_USED = {
    "stroke_used": ("shortest_leg_length", "longest_leg_length"),
    "travel_used": ("lowest_actuator_position", "highest_actuator_position"),
}
"""Figures made of two others: ranges of actuators over all motions."""


@dataclass(frozen=True, repr=False)
class EnvelopeFigure(Scalar):
    """A figure at its worst over several motions, of all and of each leg or actuator."""

    motion: str = ""
    """Motion in which it occurs; empty where it is made of several."""
    motions: tuple[str, ...] = ()
    """Motion in which the worst of each leg or actuator occurs."""

    def cells(self, names: Sequence[str]) -> list[Cell]:
        """The worst of each of some actuators; a dash for those without one."""
        own, motions = self.labels or names, self.motions or ("",) * len(self.per_leg)
        worst = own[self.leg - 1] if self.leg else ""
        known = {
            name: Cell(value, kind="worst" if name == worst else "", hint=motion)
            for name, value, motion in zip(own, self.per_leg, motions, strict=True)
        }
        return [known.get(name, Cell(None, kind="none")) for name in names]


@dataclass(frozen=True, repr=False)
class Envelope(Displayable):
    """The worst of several motions: `envelope["peak_force"]`, of each leg and of all.

    >>> import gough
    >>> robot = gough.load("demo-hexapod")
    >>> hold = gough.Study(robot, gough.motion.hold(robot.home, 1.0))
    >>> gough.envelope([gough.run(hold)])["peak_force"].unit
    'N'
    """

    robot: Robot
    """The machine, of the first motion."""
    motions: tuple[str, ...]
    """Their names: of a result its study's, of a grid those of all its points."""
    figures: dict[str, EnvelopeFigure]
    units: DisplayUnits = SI
    """Units of its table: those of the first results."""
    listed: ClassVar = "robot motions figures"

    def __repr__(self) -> str:
        return f"<gough envelope of {len(self.motions)} motions: {len(self.figures)} figures>"

    def __getitem__(self, name: str) -> EnvelopeFigure:
        return by_name(self.figures.values(), name, f"no figure {name!r} in the envelope")

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
        each = (f"{word} {n}" if n.isdigit() else n for n in names.short)
        heads = [*map(Head, ("Worst of all motions", "", *each, "All")), Head("In", kind="words")]
        rows = []
        for figure in (one.in_units(self.units) for one in self.figures.values()):
            if figure.per_leg:
                title = figure.name.replace("_", " ").replace("rms", "RMS")
                own = [Cell(unit=figure.unit), *figure.cells(names.short), Cell(figure.value)]
                motion = Cell(figure.motion or "several", kind="words")
                rows.append(TableRow([*own, motion], title[:1].upper() + title[1:]))
        return [Table("Envelope", heads, rows)]


_Motions = tuple[list[str], Mapping[str, Scalar | GridFigure]]
"""Name of the motion of some results, or those of all points of a grid, and the figures."""


def _motions(results: Results | GridResults) -> _Motions:
    if isinstance(results, Results):
        return [results.name], results.summary
    points = all_point_words(results.variations)
    return [f"{results.name}, {point}" for point in points], results.figures


def envelope(results: Results | GridResults | Iterable[Results | GridResults]) -> Envelope:
    """The worst force, speed, power, stroke … over several motions, of each leg and of all.

    Every result is one motion, every point of a grid another. Machines must have the same
    actuators; a point that could not be computed, or has no number, is left out.

    >>> import gough
    >>> from gough.motion import Quintic, line
    >>> robot = gough.load("demo-hexapod")
    >>> moves = [line(robot.home, way, Quintic(1.0)) for way in ([0.1, 0, 0], [0, 0, 0.1])]
    >>> found = gough.envelope([gough.run(gough.Study(robot, motion)) for motion in moves])
    >>> found["peak_force"].unit
    'N'
    """
    one = isinstance(results, Results | GridResults) or not isinstance(results, Iterable)
    several: list[Any] = [results] if one else list(results)
    if not several or not all(isinstance(one, Results | GridResults) for one in several):
        raise GoughError("no results; expected what gough.run gives, or a list of that")
    robot, *others = (one.robot for one in several)
    for other in others:
        if actuator_names(other).titles != actuator_names(robot).titles:
            raise GoughError(
                f"{robot.name} and {other.name} have other actuators; expected motions of machines "
                "whose actuators have the same names"
            )
    motions = [*map(_motions, several)]
    known = dict.fromkeys(name for _, figures in motions for name in figures)
    worst = (_worst(figure_of(name), name, motions) for name in known)
    found = {figure.name: figure for figure in worst if figure is not None}
    found |= {name: _used(found, name, *ends) for name, ends in _USED.items() if name in found}
    names = tuple(name for own, _ in motions for name in own)
    return Envelope(robot, names, found, several[0].units)


def _worst(made: Figure, name: str, several: Sequence[_Motions]) -> EnvelopeFigure | None:
    """A figure of actuators at its worst; None of others, and if no motion has a number for it."""
    owners = [(names, figures[name]) for names, figures in several if name in figures]
    motions = [(motion, figure) for names, figure in owners for motion in names]
    parts, of_legs = [], []
    for names, figure in owners:
        parts.append(np.ravel(figure.value if isinstance(figure, Scalar) else figure.values))
        legs = () if figure.per_leg is None else figure.per_leg
        of_legs.append(np.reshape(legs, (len(names), -1)))
    values, per_leg = np.concatenate(parts), np.concatenate(of_legs)
    of_actuators = made.quantity is not None and made.quantity.group in _GROUPS
    if not (made.worst and of_actuators and np.isfinite(values).any()):
        return None
    least = made.worst == "min"
    k, at = _extreme(values, least), [_extreme(column, least) for column in per_leg.T]
    motion, figure = motions[k]
    leg, time = (figure.leg, figure.time) if isinstance(figure, Scalar) else (None, None)
    return EnvelopeFigure(
        name,
        figure.unit,
        figure.meaning,
        float(values[k]),
        tuple(float(per_leg[n, j]) for j, n in enumerate(at)),
        _extreme(per_leg[k], least) + 1 if leg is None and at else leg,
        time,
        figure.labels,
        motion,
        tuple(motions[n][0] for n in at),
    )


def _extreme(values: Array, least: bool) -> int:
    """Where the worst number is; 0 if there is none."""
    sign = 1.0 if least else -1.0
    return int(np.argmin(np.where(np.isnan(values), np.inf, sign * values)))


def _used(found: Mapping[str, EnvelopeFigure], name: str, low: str, high: str) -> EnvelopeFigure:
    """Return the range of actuators over all motions: its ends may be of different motions."""
    legs, one = np.subtract(found[high].per_leg, found[low].per_leg), found[name]
    leg, meaning = int(np.argmax(legs)), f"{one.meaning}, over all motions"
    most, own = float(legs[leg]), tuple(legs.tolist())
    return EnvelopeFigure(name, one.unit, meaning, most, own, leg + 1, labels=one.labels)
