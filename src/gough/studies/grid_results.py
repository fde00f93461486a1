"""Results of a study with variations: every figure over the grid."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gough.analysis.figures import SAMPLES_WITHOUT_FORCES, figure_of, known_of
from gough.analysis.limits import CONTACT_FORCE, CheckedLimits, checked_limits, limits_of
from gough.analysis.results import Results, Studied
from gough.analysis.summary import NamedFigure
from gough.arrays import AnyArray, Array
from gough.checks import by_name
from gough.digits import short_decimal
from gough.disk.labelled import Group, Labelled, to_xarray
from gough.disk.plain_data import PlainData, PlainMapping
from gough.display import Table, data_of
from gough.display.table import value_text
from gough.errors import GoughError
from gough.fields.display_units import SI, DisplayUnits
from gough.studies.variations import Variation, shape_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from gough.analysis.storage import Form

Columns = PlainMapping
SERIES_COLUMN = "series"
"""The column with what is kept of a point besides its figures, as the content of a file."""

_IN_A_ROW = (  # the figures of a row for each point
    *("peak_force", "rms_force", "minimum_force_margin", "minimum_stroke_margin"),
    *("minimum_travel_margin", "energy_spent"),
)
_MOST_ROWS = 20  # number of points that are shown where there is little room
_ALARMS = {"below zero": np.less, "above zero": np.greater}


class GridPoint(NamedTuple):
    """Result of one point; `error` is the reason where there is none."""

    figures: tuple[NamedFigure, ...] = ()
    numbers: Sequence[float] | Array = ()  # value of each figure, then those of its places
    warnings: tuple[str, ...] = ()
    singularities: int = 0
    error: str = ""
    series: bytes = b""


@dataclass(frozen=True, eq=False)
class GridFigure:
    """A figure such as the peak force at every point of the grid; NaN where there is none."""

    name: str
    unit: str
    meaning: str
    values: Array
    """(grid)"""
    per_leg: Array | None = None
    """(grid, legs), or actuators or joints."""
    labels: tuple[str, ...] = ()
    """The names of actuators or joints; none where they are legs, which are counted."""

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.values.shape))
        return f"<gough figure {self.name} [{self.unit}]: {size} points>"

    def in_units(self, units: DisplayUnits) -> GridFigure:
        """Return the figure in the units to display."""
        size, unit = units.of(self.unit)
        return replace(self.mapped(lambda values: values / size), unit=unit)

    def over(self, shape: tuple[int, ...]) -> GridFigure:
        """Arrange the values, which are a row for each point, over a grid of that shape."""
        return self.mapped(lambda values: values.reshape((*shape, *values.shape[1:])))

    def mapped(self, function: Callable[[Array], Array]) -> GridFigure:
        """Return the figure with a function of its values, and of those of legs or joints."""
        per_leg = None if self.per_leg is None else function(self.per_leg)
        return replace(self, values=function(self.values), per_leg=per_leg)

    def columns(self) -> dict[str, Array]:
        """Its values with units in the headings: of the machine, then of each leg or joint."""
        columns = {f"{self.name} [{self.unit}]": self.values}
        if self.per_leg is not None:
            names = self.labels or range(1, self.per_leg.shape[-1] + 1)
            for name, values in zip(names, np.moveaxis(self.per_leg, -1, 0), strict=True):
                columns[f"{self.name}_{name} [{self.unit}]"] = values
        return columns

    def labelled(self, over: tuple[tuple[str, ...], ...]) -> dict[str, Labelled]:
        """Its values, and those of each leg or joint, with what they are, for files of arrays."""
        found = {self.name: Labelled(self.values, self.unit, self.meaning, over)}
        if self.per_leg is not None:
            labels = np.array(list(self.columns())[1:], object)
            each = Labelled(self.per_leg, self.unit, self.meaning, over, labels)
            found[f"{self.name}_each"] = each
        return found


@dataclass(frozen=True, eq=False, repr=False)
class GridResults(Studied):
    """The figures of all points of a grid: `results["peak_force"]` has an axis per variation.

    >>> import gough
    >>> masses = {"name": "mass", "parameter": "robot.platform.mass", "values": [1, 2, 3]}
    >>> hold = {"kind": "hold", "duration": 1}
    >>> study = {"schema": "gough-study/1", "name": "load", "robot": "kalani-2016", "motion": hold}
    >>> gough.run({**study, "samples": 3, "variations": [masses]})["peak_force"].shape
    (3,)
    """

    variations: tuple[Variation, ...]
    """The axes of the grid."""
    figures: dict[str, GridFigure]
    singularities: Array
    """(grid) how many singular configurations each motion meets."""
    warnings: tuple[tuple[str, ...], ...] = ()
    """Warnings of each point, the last axis running fastest."""
    errors: tuple[str, ...] = ()
    """Reason why each point could not be computed; empty where it could."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each variation."""
        return shape_of(self.variations)

    def __repr__(self) -> str:
        points = " x ".join(map(str, self.shape))
        return (
            f"<gough results of {self.name}: {self.robot.name}, {points} points of "
            f"{len(self.figures)} figures>"
        )

    @property
    def heading(self) -> tuple[str, str]:
        """The study, and what this is."""
        return self.name, f"{len(self.errors)} variations of {self.robot.name}"

    def remarks(self) -> list[str]:
        """Remarks on all points together, the gravest first."""
        grave, each = _grave_warnings(self), [set(texts) for texts in self.warnings]
        shared = set.intersection(*each) if each else set()
        others, count = sum(bool(texts - shared) for texts in each), len(self.errors)
        own = f"{others} of {count} points have warnings of their own: see the table of all points"
        return [*grave, *sorted(shared), *([own] if others and not grave else [])]

    def tables(self) -> list[Table]:
        """The variations, a row for each point, and where the best of them is."""
        names = known_of(_IN_A_ROW, self)
        names += [name for name in self if figure_of(name).is_count and self[name].any()]
        chosen = [v.heading for v in self.variations]
        chosen += [f"{name} [{self.units.of(self.figure(name).unit)[1]}]" for name in names]
        if self.singularities.any():
            chosen.append("singularities")
        columns = self.columns(self.units)
        rows = zip(*(map(_cell, columns[name]) for name in chosen), strict=True)
        heads = [name.replace("_", " ").replace("singularities", "singular") for name in chosen]
        facts = Table.properties("", [_varied(variation) for variation in self.variations])
        words = f"{int(self.feasible.sum())} of {len(self.errors)} points are feasible"
        best = self.best("peak_force") if "peak_force" in self else None
        if best is not None:
            places = (v.words(k) for v, k in zip(self.variations, best, strict=True))
            words += f"; minimum peak force of them: {', '.join(places)}"
        return [facts, Table.of("Points", heads, rows, f"{words}\n{self.limits}", most=_MOST_ROWS)]

    def to_dict(self) -> PlainData:
        """All columns of the table of variations as plain data."""
        columns = {"columns": self.columns(), "feasible": self.feasible.reshape(-1)}
        return data_of(self, "name robot limits") | columns

    def __getitem__(self, name: str) -> Array:
        return self.figure(name).values

    def __iter__(self) -> Iterator[str]:
        return iter(self.figures)

    def __contains__(self, name: object) -> bool:
        return name in self.figures

    @property
    def limits(self) -> CheckedLimits:
        """Limits of the robot that the motions were checked against, and those that were not."""
        known = {name for name in self.figures if np.isfinite(self[name]).any()}
        return checked_limits(self.robot, known)

    def figure(self, name: str) -> GridFigure:
        """A figure by its name; GoughError if there is none of that name."""
        return by_name(self.figures.values(), name, f"no figure {name!r}")

    def per_leg(self, name: str) -> Array:
        """(grid, legs) a figure of each leg, or of each actuator or joint."""
        values = self.figure(name).per_leg
        if values is None:
            raise GoughError(f"{name} is a figure of the whole machine, not of each leg")
        return values

    @property
    def feasible(self) -> AnyArray:
        """(grid) whether a point was computed, passes no limit and has forces all along."""
        feasible = np.array([not error for error in self.errors]).reshape(self.shape)
        for name, figure in self.figures.items():
            alarm = figure_of(name).alarming
            if alarm:
                feasible &= ~_ALARMS[alarm](figure.values, 0)
        without = SAMPLES_WITHOUT_FORCES.name
        return feasible & (self[without] == 0) if without in self else feasible

    def best(self, name: str) -> tuple[int, ...] | None:
        """The place of the feasible point where a figure is best; None if no point is feasible.

        Best is the minimum, or of a margin the maximum. A figure of which neither is better is
        refused.
        """
        return best_place(name, self[name], self.feasible)

    def columns(self, units: DisplayUnits = SI) -> PlainData:
        """A row for each point: the variations' values, all figures with units, warnings."""
        places = np.indices(self.shape).reshape(len(self.shape), -1)
        columns: PlainData = {}
        for variation, place in zip(self.variations, places, strict=True):
            columns[variation.heading] = np.array(variation.numbers)[place]
        for figure in (one.in_units(units) for one in self.figures.values()):
            columns |= {heading: values.reshape(-1) for heading, values in figure.columns().items()}
        columns["singularities"] = self.singularities.reshape(-1)
        columns["warnings"] = ["; ".join(words) for words in self.warnings]
        columns["error"] = list(self.errors)
        return columns

    def arrays(self) -> Group:
        """Every figure over the grid, and the values of its axes as the group `variations`."""
        axes = {v.name: v.labelled() for v in self.variations}
        over = tuple(("variations", name) for name in axes)
        arrays: dict[str, Labelled] = {}
        for figure in self.figures.values():
            arrays |= figure.labelled(over)
        others: dict[str, tuple[Any, str]] = {
            "singularities": (self.singularities, "Singular configurations that a motion meets."),
            "warnings": (["; ".join(words) for words in self.warnings], "What must be known."),
            "error": (self.errors, "Why a point could not be computed, or nothing."),
        }
        for name, (values, meaning) in others.items():
            arrays[name] = Labelled(np.reshape(values, self.shape), "", meaning, over)
        return Group(arrays, {"variations": Group(axes)}, self.about)

    def to_xarray(self) -> xr.Dataset:
        """A dataset with every figure over the variations, and of each leg or joint."""
        arrays = {}
        for figure in self.figures.values():
            for name, labelled in figure.labelled(()).items():
                own: list[tuple[str, Iterable[Any]]]
                own = [(variation.name, variation.numbers) for variation in self.variations]
                if labelled.labels is not None:
                    count = len(labelled.labels)
                    own.append(("joint", figure.labels or tuple(range(1, count + 1))))
                arrays[name] = (labelled, own)
        return to_xarray(arrays, self.about)

    def plot(self, name: str, at: PlainMapping | None = None, *, ax: Axes | None = None) -> Axes:
        """Plot one figure over the first variation, a line or bar for each value of the next.

        Further ones stay at their first values, or at those that `at` gives by name.
        """
        from gough.studies.grid_plot import plot_figure  # noqa: PLC0415  (matplotlib is slow)

        return plot_figure(self, name, at, ax)

    def map(self, name: str, at: PlainMapping | None = None, *, ax: Axes | None = None) -> Axes:
        """Plot one figure over two variations: unfeasible points crossed, the best one ringed."""
        from gough.studies.grid_plot import map_figure  # noqa: PLC0415  (matplotlib is slow)

        return map_figure(self, name, at, ax)

    @classmethod
    def _form(cls) -> Form[GridResults]:
        from gough.studies.grid_storage import GRID  # noqa: PLC0415  (pyarrow is slow)

        return GRID


def _varied(variation: Variation) -> tuple[str, str, str]:
    first, last = (value_text(variation.numbers[k]) for k in (0, -1))
    ends = f"{first} to {last}" if len(variation.values) > 1 else first
    return variation.name, f"{len(variation.values)} values, {ends}", variation.unit


def _cell(value: Any) -> str | float | None:
    if isinstance(value, str):
        return value
    return short_decimal(float(value), 5) if isfinite(float(value)) else None


def _grave_warnings(results: GridResults) -> list[str]:
    """Count the points that failed, are singular, or exceed a limit."""
    failed, lost = [error for error in results.errors if error], SAMPLES_WITHOUT_FORCES.name
    counts = {
        f"could not be computed, the first: {next(iter(failed), '')}": len(failed),
        "meet singular configurations: forces have no bound there, and no figures of forces are "
        "given for these points": (results.singularities > 0).sum(),
        "have samples without forces: see the table of all points": (
            (results[lost] > 0).sum() if lost in results else 0
        ),
    }
    for limit in (CONTACT_FORCE, *limits_of(results.robot)):
        beyond = [results[name] < 0 for name in known_of([limit.figure], results)]
        counts[limit.passed_by_points] = np.any(beyond, axis=0).sum() if beyond else 0
    total = len(results.errors)
    return [f"{count} of {total} points {words}" for words, count in counts.items() if count]


def best_place(name: str, values: Array, feasible: AnyArray) -> tuple[int, ...] | None:
    """Where a figure is best among feasible points; None if it has a number at none of them."""
    worst = figure_of(name).worst
    if not worst:
        problem = f"{name}: neither more nor less of it is better"
        raise GoughError(f"{problem}; expected a figure such as peak_force")
    known = feasible & np.isfinite(values)
    if not known.any():
        return None
    sign = -1.0 if worst == "min" else 1.0
    best = np.argmin(np.where(known, sign * values, np.inf))
    return tuple(int(k) for k in np.unravel_index(best, values.shape))


def point_of(results: Results, series: Callable[[Results], bytes] | None = None) -> GridPoint:
    """Return what a run comes to, and what is kept of it besides."""
    summary = results.summary.values()
    named = (NamedFigure(f.name, f.unit, f.meaning, f.labels, len(f.per_leg)) for f in summary)
    numbers = [x for figure in summary for x in (figure.value, *figure.per_leg)]
    met, kept = len(results.singularities), series(results) if series else b""
    return GridPoint(tuple(named), numbers, results.warnings, met, series=kept)


def rows_of(points: Sequence[GridPoint], *, series: bool = False) -> Columns:
    """Points as rows of a table; `figures` says what the `numbers` of a row are."""
    columns = {
        "error": [point.error for point in points],
        "warnings": [_text(point.warnings) for point in points],
        "singularities": np.array([point.singularities for point in points]),
        "figures": [_text(point.figures) for point in points],
        "numbers": [np.asarray(point.numbers, dtype=float) for point in points],
    }
    return columns | {SERIES_COLUMN: [point.series for point in points]} if series else columns


@lru_cache(maxsize=64)  # many points have the same figures, and the same warnings
def _text(listed: tuple[NamedFigure, ...] | tuple[str, ...]) -> str:
    return json.dumps(listed)


def of_rows(tables: Sequence[Columns], shape: tuple[int, ...]) -> PlainData:
    """The parts of GridResults that are over the grid; points are the rows of tables, in order."""
    text = {name: [x for t in tables for x in t[name]] for name in ("error", "warnings", "figures")}
    singularities = np.concatenate([table["singularities"] for table in tables])
    return {
        "figures": _figures(text["figures"], tables, shape),
        "singularities": singularities.reshape(shape),
        "warnings": tuple(tuple(json.loads(words)) for words in text["warnings"]),
        "errors": tuple(text["error"]),
    }


def _figures(
    defined: Sequence[str], tables: Sequence[Columns], shape: tuple[int, ...]
) -> dict[str, GridFigure]:
    """The figures of all points over the grid."""
    alike: dict[str, list[int]] = {}
    for index, text in enumerate(defined):
        alike.setdefault(text, []).append(index)
    numbers = [row for table in tables for row in table["numbers"]]
    found: dict[str, GridFigure] = {}
    for text, rows in alike.items():
        matrix = np.array([numbers[row] for row in rows], dtype=float)
        column = 0
        for name, unit, meaning, labels, places in json.loads(text):
            known = found.get(name)
            if known is None or (known.per_leg is None and places):
                values = np.full(len(numbers), np.nan) if known is None else known.values
                per_leg = np.full((len(numbers), places), np.nan) if places else None
                found[name] = GridFigure(name, unit, meaning, values, per_leg, tuple(labels))
            found[name].values[rows] = matrix[:, column]
            if (per_leg := found[name].per_leg) is not None and places:
                per_leg[rows] = matrix[:, column + 1 : column + 1 + places]
            column += 1 + places
    return {name: figure.over(shape) for name, figure in found.items()}
