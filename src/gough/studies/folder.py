"""Running a study into a folder: results, resolved inputs, versions and a report."""

from __future__ import annotations

import hashlib
import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from gough.errors import GoughError
from gough.studies.files import cannot_write, read_json, results_of, staged, write_json
from gough.studies.grid import SERIES, run_grid
from gough.studies.grid_results import GridResults
from gough.studies.grid_storage import write_grid
from gough.studies.lock import LOCK, locked
from gough.studies.memory import check_memory
from gough.studies.results import Results
from gough.studies.run import run_one, versions
from gough.studies.storage import write_results
from gough.studies.study import Study

JOURNAL, IDENTITY, REPORT = "journal-", "run.json", "report.html"


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
    Whatever goes wrong, results that were there before stay as they were. A folder in which another
    run is at work, and a study that does not fit in memory, are refused.
    """
    folder = Path(folder)
    wanted = study.outputs.report if report is None else report
    check_memory(study)
    with locked(folder):
        _check_folder(study, folder, overwrite)
        if not study.variations:
            results: Results | GridResults = run_one(study)
        else:
            results = _grid(study, folder, progress)
        write_folder(results, study, folder, wanted)
        _forget_others(study, folder)
    return results


def write_folder(results: Results | GridResults, study: Study, folder: Path, report: bool) -> None:
    """Write results, what they are known by and a report into a folder, all of it or nothing."""
    with staged(folder) as part:
        if isinstance(results, Results):
            write_results(results, part, csv=study.outputs.csv)
        else:
            write_grid(results, part, csv=study.outputs.csv)
        write_json(part / IDENTITY, _identity(study))
        if report:
            _write_report(results, part / REPORT)


def check_free(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that holds something, unless it may be overwritten."""
    if not overwrite and any(path.name != LOCK for path in folder.iterdir()):
        raise GoughError(f"{folder}: not empty; give another folder, or --overwrite")


def load_folder(folder: str | Path) -> Results | GridResults:
    """The results in a folder, whichever they are."""
    with results_of(Path(folder)):
        facts = read_json(Path(folder) / "summary.json")
        return (GridResults if "variations" in facts else Results).load(folder)


def _grid(study: Study, folder: Path, progress: bool) -> GridResults:
    series = folder / SERIES if study.outputs.series else None
    try:
        (series or folder).mkdir(parents=True, exist_ok=True)
        return run_grid(study, record=folder / _journal(study), series=series, progress=progress)
    except OSError as error:
        raise cannot_write(folder, error) from None


def _check_folder(study: Study, folder: Path, overwrite: bool) -> None:
    """Refuse a folder that holds something else, or results of another study."""
    try:
        names = {path.name for path in folder.iterdir()}
        names -= {LOCK, SERIES, *(name for name in names if name.endswith(".part"))}
    except OSError as error:
        raise cannot_write(folder, error) from None
    others = {name for name in names if name.startswith(JOURNAL)} - {_journal(study)}
    if not names or overwrite:
        return
    if IDENTITY not in names and not any(name.startswith(JOURNAL) for name in names):
        raise GoughError(f"{folder}: not empty, and no results of Gough; give another folder")
    if others or (IDENTITY in names and read_json(folder / IDENTITY) != _identity(study)):
        raise GoughError(
            f"{folder}: has results of another study, of other inputs or of another version; "
            "give another folder, or allow to overwrite them"
        )


def _forget_others(study: Study, folder: Path) -> None:
    """Remove what earlier studies and killed runs have left, which the new results replace."""
    with suppress(OSError):
        for path in folder.glob(f"{JOURNAL}*"):
            if path.name != _journal(study):
                path.unlink()
        for path in folder.glob(".*.part"):
            shutil.rmtree(path)


def _journal(study: Study) -> str:
    return f"{JOURNAL}{_identity(study)['inputs'][:12]}.jsonl"


def _identity(study: Study) -> dict[str, Any]:
    """What a run is known by: its inputs and the versions."""
    facts = {"study": study.resolved(), "versions": versions(), "files": study.files()}
    text = json.dumps(facts, sort_keys=True, default=str)
    return {
        "name": study.name,
        "inputs": hashlib.sha256(text.encode()).hexdigest(),
        "versions": versions(),
    }


def _write_report(results: Results | GridResults, path: Path) -> None:
    from gough.studies.report import write_report  # noqa: PLC0415  (only if wanted)

    write_report(results, path)
