"""Cases of a simulation: each is run somewhere, in any order, and is on disk when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gough.analysis.results import Results
from gough.analysis.storage import RESULTS
from gough.disk.tables import read_table, table_content
from gough.errors import GoughError
from gough.executors import Executor, Record, in_chunks, opened
from gough.kinematics.progress import bars_shown, progress_bar

if TYPE_CHECKING:
    from gough.studies.simulation_study import SimulationStudy

Outcome = Results | str
"""Of a case: its results, or why there are none."""
FILES = RESULTS.names()
"""The columns of a record: the content of each file of the results."""


def run_cases(
    name: str,
    cases: Sequence[SimulationStudy],
    *,
    record: Path | None = None,
    executor: Executor = None,
) -> list[Outcome]:
    """What comes of each case. With a folder for a `record`, results are written as they come.

    Cases that the record has are not run again. Without an executor this process runs one after the
    other.
    """
    kept = Record(record, "cases")  # its folder has the name of what it is known by
    found = dict[int, Outcome]()
    for items, content in kept:
        found |= zip(items, _read(content), strict=True)
    with opened(executor) as workers, progress_bar(name, len(cases)) as advance:
        advance(len(found))
        parts = kept.missing(len(cases))
        for chunk in in_chunks(_run, cases, executor=workers, parts=parts, here=1):
            outcomes = dict(zip(chunk.items, chunk.result, strict=True))
            if record is not None:
                for items, results in _runs(outcomes):
                    kept.add(items, _content(results))
            found |= outcomes
            advance(len(chunk.items))
    return [found[k] for k in range(len(cases))]


def _runs(outcomes: Mapping[int, Outcome]) -> Iterator[tuple[range, list[Results]]]:
    """Cases in a row that have results, and these."""
    for _, run in groupby(outcomes.items(), lambda pair: isinstance(pair[1], Results)):
        items, results = zip(*run, strict=True)
        if isinstance(results[0], Results):
            yield range(items[0], items[-1] + 1), list(results)


def _run(cases: Sequence[SimulationStudy]) -> list[Outcome]:
    """What a worker does with some of the cases."""
    with bars_shown(False):  # there is one for all cases
        return [_outcome(case) for case in cases]


def _outcome(case: SimulationStudy) -> Outcome:
    try:
        return case.run_one()
    except GoughError as error:
        return str(error)


def _content(results: Sequence[Results]) -> bytes:
    """Results as the content of a Parquet file, with a row for each."""
    columns = zip(*map(_files, results), strict=True)
    return table_content(dict(zip(FILES, columns, strict=True)))


def _read(content: bytes) -> list[Results]:
    columns = read_table(content, Path())
    return [_results(row) for row in zip(*(columns[name] for name in FILES), strict=True)]


def _files(results: Results) -> list[bytes]:
    with TemporaryDirectory(prefix="gough-case-") as folder:
        RESULTS.write(results, Path(folder))
        return [(Path(folder) / name).read_bytes() for name in FILES]


def _results(files: Sequence[bytes]) -> Results:
    with TemporaryDirectory(prefix="gough-case-") as folder:
        for name, content in zip(FILES, files, strict=True):
            (Path(folder) / name).write_bytes(content)
        return RESULTS.load(Path(folder))
