"""Running a study at every point of its grid of variations, on all cores, with a record on disk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from math import prod
from pathlib import Path

import numpy as np

from gough.analysis.results import Results
from gough.analysis.versions import versions
from gough.compiler.native.threads import available
from gough.disk.files import checksum
from gough.disk.tables import write_table
from gough.errors import GoughError
from gough.kinematics.progress import progress_bar
from gough.studies.grid_results import GridFigure, GridResults
from gough.studies.journal import Journal, series_file
from gough.studies.points import Definitions, Point
from gough.studies.run import run_one
from gough.studies.study import Study, quiet
from gough.studies.together import Together

MOST_TOGETHER = 256
"""So many points of a grid are handed out at once."""


def run_grid(
    study: Study,
    *,
    record: Path | None = None,
    series: bool = False,
    progress: bool = False,
    threads: int | None = None,
) -> GridResults:
    """Every point of the grid. With a folder for a `record`, points are written as they come.

    Points that the record has are not computed again. If `series` are wanted, every point's
    quantities over time are kept in the folder as well. A point that cannot be computed has NaN
    and its error; if none can be, the first error is raised.
    """
    count = prod(study.shape)
    with (
        closing(Journal(record)) as kept,
        progress_bar(study.name, count, progress) as advance,
        quiet(),
    ):
        done = len(kept.points)
        advance(done)
        kept_in = record if series else None
        for point in _computed(study, range(done, count), kept_in, threads or available()):
            kept.add(point)
            advance(1)
        return collected(study, kept.points)


def collected(study: Study, points: Sequence[Point]) -> GridResults:
    """The points as arrays over the grid."""
    errors = tuple(point.error for point in points)
    if errors and all(errors):
        raise GoughError(f"{study.name}: no point of the grid can be computed: {errors[0]}")
    known: Definitions = {
        name: (scalar.unit, scalar.meaning, scalar.labels)
        for point in points
        for name, scalar in point.summary.items()
    }
    shape = study.shape
    return GridResults(
        robot=study.robot,
        study=study.resolved(),
        variations=study.variations,
        figures={name: _figure(name, *known[name], points, shape) for name in known},
        singularities=np.array([len(p.singular_times) for p in points]).reshape(shape),
        warnings=tuple(point.warnings for point in points),
        errors=errors,
        versions=versions(),
    )


def _computed(
    study: Study, indices: range, series: Path | None, threads: int
) -> Iterator[Point]:
    """The points in order; a few are under way at a time."""
    together = Together(study.quietly_varied, study.variations)

    def compute(some: range) -> list[Point]:
        found = {} if series else together(some)
        return [
            Point(index, *found[index]) if index in found else alone(index) for index in some
        ]

    def alone(index: int) -> Point:
        try:
            results = run_one(study.quietly_varied(index), threads=1)
        except GoughError as error:
            return Point(index, error=str(error))
        return Point.of(index, results, _series_kept(results, series, index) if series else "")

    with ThreadPoolExecutor(threads, thread_name_prefix="gough-study") as pool:
        try:
            for points in _in_order(pool, compute, _chunks(indices, threads), 4 * threads):
                yield from points
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _chunks(indices: range, threads: int) -> Iterator[range]:
    """Points that are neighbours: as many as one can compute together, and some for each thread."""
    size = min(MOST_TOGETHER, max(len(indices) // (4 * threads), 1))
    for k in range(0, len(indices), size):
        yield indices[k : k + size]


def _in_order(
    pool: ThreadPoolExecutor,
    work: Callable[[range], list[Point]],
    items: Iterable[range],
    ahead: int,
) -> Iterator[list[Point]]:
    waiting: deque[Future[list[Point]]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _series_kept(results: Results, folder: Path, index: int) -> str:
    """Write a point's quantities over time; the checksum, by which a whole file is known."""
    path = series_file(folder, index)
    write_table(results.columns(), path, csv=False)
    return checksum(path)


def _figure(
    name: str,
    unit: str,
    meaning: str,
    labels: tuple[str, ...],
    points: Sequence[Point],
    shape: tuple[int, ...],
) -> GridFigure:
    scalars = [point.summary.get(name) for point in points]
    values = np.array([np.nan if s is None else s.value for s in scalars]).reshape(shape)
    count = max((len(s.per_leg) for s in scalars if s is not None), default=0)
    if not count:
        return GridFigure(name, unit, meaning, values)
    rows = [s.per_leg if s is not None and s.per_leg else (np.nan,) * count for s in scalars]
    per_leg = np.array(rows).reshape(*shape, count)
    return GridFigure(name, unit, meaning, values, per_leg, labels)
