"""Running a study at every point of its grid of variations, somewhere, with a record on disk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np

from gough.analysis.versions import versions
from gough.disk.tables import read_table
from gough.errors import GoughError
from gough.executors import Executor, Record, sweep
from gough.kinematics.progress import progress_bar
from gough.studies.grid_results import GridResults
from gough.studies.points import SERIES, Columns, GridRows, figures, texts
from gough.studies.study import Study


def run_grid(
    study: Study,
    *,
    record: Path | None = None,
    series: bool = False,
    progress: bool = False,
    threads: int | None = None,
    executor: Executor = None,
) -> GridResults:
    """Every point of the grid. With a folder for a `record`, points are written as they come.

    Points that the record has are not computed again. If `series` are wanted, every point's
    quantities over time are kept in the folder as well: see `series_file`. A point that cannot be
    computed has NaN and its error; if none can be, the first error is raised. Without an executor
    the work is done by so many threads of this process.
    """
    count = prod(study.shape)
    kept = Record(record, "a grid")  # its folder has the name of what it is known by
    rows = GridRows(study.written, study.variations, series)
    with progress_bar(study.name, count, progress) as advance:
        sweep(rows, count, kept, executor=executor, threads=threads, advance=advance)
    tables = []
    for items, content in kept:
        columns = read_table(content, record or Path())
        if series and record is not None:
            _write_series(columns, items, record)
        tables.append({name: column for name, column in columns.items() if name != SERIES})
    return collected(study, tables)


def collected(study: Study, tables: Sequence[Columns]) -> GridResults:
    """The points, which are rows of tables, as arrays over the grid."""
    errors = tuple(texts(tables, "error"))
    if errors and all(errors):
        raise GoughError(f"{study.name}: no point of the grid can be computed: {errors[0]}")
    singularities = np.concatenate([table["singularities"] for table in tables])
    return GridResults(
        robot=study.robot,
        study=study.resolved(),
        variations=study.variations,
        figures=figures(tables, study.shape),
        singularities=singularities.reshape(study.shape),
        warnings=tuple(tuple(json.loads(text)) for text in texts(tables, "warnings")),
        errors=errors,
        versions=versions(),
    )


def series_file(folder: Path, index: int) -> Path:
    """Where a point's quantities over time are."""
    return folder / f"{index:06d}.parquet"


def _write_series(columns: Columns, items: range, folder: Path) -> None:
    for index, content in zip(items, columns[SERIES], strict=True):
        if content:
            series_file(folder, index).write_bytes(content)
