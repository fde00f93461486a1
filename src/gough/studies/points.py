"""Points of a grid of variations as rows of a table: where each is computed, and read again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

import numpy as np

from gough.analysis.results import Results
from gough.analysis.summary import NamedFigure
from gough.disk.plain_data import PlainData, PlainMapping
from gough.disk.tables import table_content
from gough.errors import GoughError
from gough.motion import quiet
from gough.progress import bars_shown
from gough.robot import Robot
from gough.studies.batched import BatchedGrid, GridPoint
from gough.studies.grid_results import GridFigure
from gough.studies.run import run_one
from gough.studies.study import GridStudies
from gough.studies.variations import Variation

Columns = PlainMapping

SERIES = "series"
"""The column with what is kept of a point besides its figures, as the content of a file."""


@dataclass(frozen=True)
class GridRows:
    """The rows of some points of a study's grid: what a worker computes."""

    points: GridStudies
    variations: tuple[Variation, ...]
    robot: Robot
    """That of a point: what kind of machine it is."""
    series: Callable[[Results], bytes] | None = None
    """Gives what is kept of a point besides its figures: quantities over time, or all results."""

    def __call__(self, indices: range) -> Columns:
        """A row for each; a point that cannot be computed has its error and no figures."""
        with quiet(), bars_shown(False):  # there is one for all points
            found = {} if self.series else self._batched(indices)
            points = [found.get(index) or self._single(index) for index in indices]
            return _columns(points, self.series is not None)

    def _single(self, index: int) -> GridPoint:
        """Return a point computed by itself."""
        try:
            results = run_one(self.points(index), threads=1)
        except GoughError as error:
            return GridPoint(error=str(error))
        return _point_of(results, self.series)

    @cached_property
    def _batched(self) -> BatchedGrid:
        return BatchedGrid(self.points, self.variations, self.robot)

    def __getstate__(self) -> PlainData:
        """Without what was kept: each process keeps its own."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


def _point_of(results: Results, series: Callable[[Results], bytes] | None = None) -> GridPoint:
    """Return what a run comes to, and what is kept of it besides."""
    summary = results.summary.values()
    return GridPoint(
        tuple(NamedFigure(f.name, f.unit, f.meaning, f.labels, len(f.per_leg)) for f in summary),
        [x for figure in summary for x in (figure.value, *figure.per_leg)],
        results.warnings,
        len(results.singularities),
        series=series(results) if series else b"",
    )


def _columns(points: Sequence[GridPoint], series: bool) -> Columns:
    """Points as rows of a table; `figures` says what the `numbers` of a row are."""
    columns = {
        "error": [point.error for point in points],
        "warnings": [_text(point.warnings) for point in points],
        "singularities": np.array([point.singularities for point in points]),
        "figures": [_text(point.figures) for point in points],
        "numbers": [np.asarray(point.numbers, dtype=float) for point in points],
    }
    return columns | {SERIES: [point.series for point in points]} if series else columns


@lru_cache(maxsize=64)  # many points have the same figures, and the same warnings
def _text(listed: tuple[NamedFigure, ...] | tuple[str, ...]) -> str:
    return json.dumps(listed)


def rows_of(found: Iterable[Results | str]) -> Columns:
    """The rows of points whose results are there, or why there are none."""
    points = [GridPoint(error=x) if isinstance(x, str) else _point_of(x) for x in found]
    return _columns(points, series=False)


def series_of(results: Results) -> bytes:
    """Quantities over time, as the content of a Parquet file."""
    return table_content(results.columns())


def texts(tables: Iterable[Columns], name: str) -> list[str]:
    """A column of text, of all rows."""
    return [text for table in tables for text in table[name]]


def figures(tables: Sequence[Columns], shape: tuple[int, ...]) -> dict[str, GridFigure]:
    """The figures of all points, which are the rows of tables in order, over the grid."""
    alike: dict[str, list[int]] = {}
    for index, text in enumerate(texts(tables, "figures")):
        alike.setdefault(text, []).append(index)
    numbers = [row for table in tables for row in table["numbers"]]
    found = _empty_figures(map(json.loads, alike), len(numbers))
    for text, rows in alike.items():
        matrix = np.array([numbers[row] for row in rows], dtype=float)
        column = 0
        for name, *_, places in json.loads(text):
            found[name].values[rows] = matrix[:, column]
            if (per_leg := found[name].per_leg) is not None and places:
                per_leg[rows] = matrix[:, column + 1 : column + 1 + places]
            column += 1 + places
    return {name: figure.over(shape) for name, figure in found.items()}


def _empty_figures(defined: Iterable[list[list[Any]]], count: int) -> dict[str, GridFigure]:
    """All figures that some point has, with NaN for each of so many points."""
    found: dict[str, GridFigure] = {}
    for name, unit, meaning, labels, places in chain.from_iterable(defined):
        known = found.get(name)
        if known is None or (known.per_leg is None and places):
            per_leg = np.full((count, places), np.nan) if places else None
            values = np.full(count, np.nan)
            found[name] = GridFigure(name, unit, meaning, values, per_leg, tuple(labels))
    return found
