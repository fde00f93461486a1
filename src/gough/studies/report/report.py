"""Writing reports: the page of one study, or of a study with variations."""

from __future__ import annotations

from pathlib import Path

from gough.disk import replacing
from gough.errors import GoughError
from gough.studies.grid_results import GridResults
from gough.studies.report.grid_page import grid_page
from gough.studies.report.study_page import study_page
from gough.studies.results import Results


def write_report(results: Results | GridResults, path: str | Path, *, date: str = "") -> None:
    """Write a report of whichever results these are; a date is shown if one is given."""
    if isinstance(results, GridResults):
        write_grid_report(results, path, date=date)
    else:
        write_study_report(results, path, date=date)


def write_study_report(results: Results, path: str | Path, *, date: str = "") -> None:
    """Write the report of one study: figures, charts, and the machine in motion."""
    _write(study_page(results, date), Path(path))


def write_grid_report(results: GridResults, path: str | Path, *, date: str = "") -> None:
    """Write the report of a study with variations: every point, and figures over each of them."""
    _write(grid_page(results, date), Path(path))


def _write(page: str, path: Path) -> None:
    try:
        with replacing(path) as part:
            part.write_text(page, encoding="utf-8")
    except OSError as error:
        raise GoughError(f"{path}: the report cannot be written: {error.strerror}") from None
