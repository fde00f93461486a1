"""Points of a grid of variations as rows of a table: where each is computed, and read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

import numpy as np

from gough.analysis.results import Results
from gough.analysis.summary_of_points import Defined
from gough.arrays import Array
from gough.disk.tables import table_content
from gough.errors import GoughError
from gough.motion import quiet
from gough.studies.grid_results import GridFigure
from gough.studies.run import run_one
from gough.studies.study import Study, varied
from gough.studies.together import Together
from gough.studies.variations import Variation

Columns = Mapping[str, Any]

SERIES = "series"
"""The column with a point's quantities over time, as the content of a Parquet file."""


@dataclass(frozen=True)
class GridRows:
    """The rows of some points of a study's grid: what a worker computes."""

    written: dict[str, Any]
    """The study as plain data."""
    variations: tuple[Variation, ...]
    series: bool = False
    """Whether quantities over time are wanted, too."""

    def __call__(self, indices: range) -> Columns:
        """A row for each; a point that cannot be computed has its error and no figures."""
        with quiet():
            found = {} if self.series else self._together(indices)
            points = (
                _Point(*found[index]) if index in found else self._point(index) for index in indices
            )
            return _columns(list(points), self.series)

    def _point(self, index: int) -> _Point:
        """One by itself."""
        try:
            results = run_one(self._varied(index), threads=1)
        except GoughError as error:
            return _Point(error=str(error))
        return _Point.of(results, self.series)

    @cached_property
    def _together(self) -> Together:
        return Together(self._varied, self.variations)

    def _varied(self, index: int) -> Study:
        return varied(self.written, self.variations, index)

    def __getstate__(self) -> dict[str, Any]:
        """Without what was kept: each process keeps its own."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True)
class _Point:
    """What one point came to; `error` says why it came to nothing."""

    figures: tuple[Defined, ...] = ()
    numbers: Sequence[float] | Array = ()
    """Of each figure its value, then those of its places."""
    warnings: tuple[str, ...] = ()
    singularities: int = 0
    error: str = ""
    series: bytes = b""

    @classmethod
    def of(cls, results: Results, series: bool) -> _Point:
        over_time = table_content(results.columns()) if series else b""
        summary, count = results.summary.values(), len(results.singularities)
        numbers = [x for figure in summary for x in (figure.value, *figure.per_leg)]
        figures = tuple(map(Defined.of, summary))
        return cls(figures, numbers, results.warnings, count, series=over_time)


def _columns(points: Sequence[_Point], series: bool) -> Columns:
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
def _text(listed: tuple[Defined, ...] | tuple[str, ...]) -> str:
    return json.dumps(listed)


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
