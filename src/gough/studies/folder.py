"""Running a study into a folder: results, resolved inputs, versions and a report."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import GoughError
from gough.motion import total_wrench
from gough.studies.files import cannot_write, read_json, results_of, staged, write_json
from gough.studies.grid import run_grid
from gough.studies.grid_results import GridResults
from gough.studies.grid_storage import write_grid
from gough.studies.lock import LOCK, locked
from gough.studies.memory import check_memory
from gough.studies.results import Results
from gough.studies.run import run_one, versions
from gough.studies.storage import write_results
from gough.studies.study import Study

JOURNAL, IDENTITY, REPORT, SERIES = "journal-", "run.json", "report.html", "series"

_REPLACED = re.compile(
    r"report\.html|(results|variations)\.(parquet|csv)|comparison\.(csv|png)|"
    r"journal-[0-9a-f]{12}\.jsonl|series(-[0-9a-f]{12})?|\..+\.part"
)
"""Names of what some runs write and others do not, and of what killed runs leave."""
_BESIDE = re.compile(r"\.lock|series(-[0-9a-f]{12})?|\..+\.part")
"""Names that say nothing about whose folder it is."""


def run_to_folder(
    study: Study,
    folder: str | Path,
    *,
    overwrite: bool = False,
    report: bool | None = None,
    progress: bool = False,
) -> Results | GridResults:
    """Run a study and write everything about it into a folder.

    A folder with results of another study is refused unless `overwrite` is set. A grid whose run
    was interrupted goes on where it was; the outcome is the same as without the interruption.
    Whatever goes wrong, results that were there before stay as they were; afterwards nothing of
    them is left. A folder in which another run is at work, and a study that does not fit in
    memory, are refused.
    """
    folder = Path(folder)
    wanted = study.outputs.report if report is None else report
    check_memory(study)
    with locked(folder):
        known_by = _identity(study)
        _check_folder(known_by, folder, overwrite)
        if not study.variations:
            write_folder(results := run_one(study), study, folder, wanted)
            return results
        series = folder / _series(known_by)
        grid = run_grid(
            study,
            record=folder / _journal(known_by),
            series=series if study.outputs.series else None,
            progress=progress,
        )
        write_folder(grid, study, folder, wanted)
        _put_in_place(series, folder / SERIES)
        return grid


def write_folder(results: Results | GridResults, study: Study, folder: Path, report: bool) -> None:
    """Write results, what they are known by and a report into a folder, all of it or nothing.

    What an earlier run has written there, and this one does not, is removed.
    """
    known_by = _identity(study)
    own = {_journal(known_by)}
    with staged(folder) as part:
        if isinstance(results, Results):
            write_results(results, part, csv=study.outputs.csv)
        else:
            write_grid(results, part, csv=study.outputs.csv)
            own |= {SERIES, _series(known_by)} if study.outputs.series else set()
        write_json(part / IDENTITY, known_by)
        if report:
            _write_report(results, part / REPORT)
        own |= {path.name for path in part.iterdir()}
    remove_earlier(folder, keep=own)


def remove_earlier(folder: Path, *, keep: Container[str] = ()) -> None:
    """Remove what earlier runs have written into a folder, but for some names.

    Records of grids go first: they must not outlast what they say is done.
    """
    try:
        paths = [p for p in folder.iterdir() if _REPLACED.fullmatch(p.name) and p.name not in keep]
        for path in sorted(paths, key=lambda path: not path.name.startswith(JOURNAL)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    except OSError as error:
        raise cannot_write(folder, error) from None


def check_free(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that holds something, unless it may be overwritten."""
    if not overwrite and any(path.name != LOCK for path in folder.iterdir()):
        raise GoughError(f"{folder}: not empty; give another folder, or --overwrite")


def load_folder(folder: str | Path) -> Results | GridResults:
    """The results in a folder, whichever they are."""
    with results_of(Path(folder)):
        facts = read_json(Path(folder) / "summary.json")
        return (GridResults if "variations" in facts else Results).load(folder)


def _put_in_place(series: Path, place: Path) -> None:
    """Put the series of a run in the place of earlier ones, which stay if it made none."""
    if not series.exists():
        return
    try:
        if place.exists():
            shutil.rmtree(place)
        series.rename(place)
    except OSError as error:
        raise cannot_write(place, error) from None


def _check_folder(known_by: dict[str, Any], folder: Path, overwrite: bool) -> None:
    """Refuse a folder that holds something else, or results of another study."""
    try:
        names = {path.name for path in folder.iterdir() if not _BESIDE.fullmatch(path.name)}
    except OSError as error:
        raise cannot_write(folder, error) from None
    others = {name for name in names if name.startswith(JOURNAL)} - {_journal(known_by)}
    if not names or overwrite:
        return
    if IDENTITY not in names and not any(name.startswith(JOURNAL) for name in names):
        raise GoughError(f"{folder}: not empty, and no results of Gough; give another folder")
    if others or (IDENTITY in names and read_json(folder / IDENTITY) != known_by):
        raise GoughError(
            f"{folder}: has results of another study, of other inputs or of another version; "
            "give another folder, or allow to overwrite them"
        )


def _journal(known_by: dict[str, Any]) -> str:
    return f"{JOURNAL}{known_by['inputs'][:12]}.jsonl"


def _series(known_by: dict[str, Any]) -> str:
    """Where the series of a grid stand until all of them are there."""
    return f"{SERIES}-{known_by['inputs'][:12]}"


def _identity(study: Study) -> dict[str, Any]:
    """What a run is known by: its inputs and the versions."""
    facts = {
        "study": study.resolved(),
        "versions": versions(),
        "files": study.files(),
        "numbers": None if study.written else _numbers(study),
    }
    text = json.dumps(facts, sort_keys=True, default=str)
    return {
        "name": study.name,
        "inputs": hashlib.sha256(text.encode()).hexdigest(),
        "versions": versions(),
    }


def _numbers(study: Study) -> str:
    """A SHA-256 of motion and loads: those made in Python are known by what they come to."""
    time = study.times()
    samples = study.motion(time)
    arrays = (time, *samples, total_wrench(study.tasks, time, samples))
    return hashlib.sha256(b"".join(np.asarray(array).tobytes() for array in arrays)).hexdigest()


def _write_report(results: Results | GridResults, path: Path) -> None:
    from gough.studies.report import write_report  # noqa: PLC0415  (only if wanted)

    write_report(results, path)
