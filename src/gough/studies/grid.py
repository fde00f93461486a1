"""Running a study at every point of its grid of variations, somewhere, with a record on disk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np

from gough.disk.manifest import versions
from gough.disk.tables import read_table
from gough.errors import GoughError
from gough.executors import ChunkRecord, Executor, sweep
from gough.progress import progress_bar
from gough.studies.comparison import Comparison, content_of, results_in
from gough.studies.grid_results import GridResults
from gough.studies.points import SERIES, Columns, GridRows, figures, series_of, texts
from gough.studies.study import Study


def run_grid(
    study: Study,
    *,
    record: Path | None = None,
    series: bool = False,
    threads: int | None = None,
    executor: Executor = None,
) -> GridResults:
    """Every point of the grid. With a folder for a `record`, points are written as they come.

    Points that the record has are not computed again. If `series` are wanted, every point's
    quantities over time are kept in the folder as well: see `series_file`. Of cases all results are
    kept, in a Comparison; this process computes one after the other. A point that cannot be
    computed has NaN and its error; if none can be, an error is raised. Without an executor the work
    is done by so many threads of this process.
    """
    count, compared = prod(study.shape), study.is_comparison
    kept = ChunkRecord(record, "a grid")  # its folder has the name of what it is known by
    content = content_of if compared else series_of if series else None
    rows = GridRows(study.points, study.variations, study.robot, content)
    with progress_bar(study.name, count) as advance:
        here = 1 if compared else None
        sweep(rows, count, kept, executor=executor, threads=threads, here=here, advance=advance)
    tables, contents = [], list[bytes]()
    for items, stored in kept:
        columns = dict(read_table(stored, record or Path()))
        found = columns.pop(SERIES, ())
        if compared:
            contents.extend(found)
        elif series and record is not None:
            _write_series(found, items, record)
        tables.append(columns)
    try:
        return _compared(study, tables, contents) if compared else collected(study, tables)
    except GoughError:
        for path in kept.files:
            path.unlink()  # there is nothing to go on from
        raise


def _compared(study: Study, tables: Sequence[Columns], contents: Sequence[bytes]) -> Comparison:
    errors = zip(study.cases, texts(tables, "error"), strict=True)
    runs = {c: results_in(one) for c, one in zip(study.cases, contents, strict=True) if one}
    failures = {case: words for case, words in errors if words}
    return Comparison.of(study.resolved(), runs, failures, study.variations[0])


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


def _write_series(contents: Sequence[bytes], items: range, folder: Path) -> None:
    for index, content in zip(items, contents, strict=True):
        if content:
            series_file(folder, index).write_bytes(content)
