"""Writing reports: the page of one study, or of a study with variations."""

from __future__ import annotations

from pathlib import Path

from gough.analysis.results import Results
from gough.disk.files import replacing
from gough.errors import GoughError
from gough.report.grid_page import grid_page
from gough.report.study_page import study_page
from gough.studies.grid_results import GridResults


def write_report(results: Results | GridResults, path: str | Path, *, date: str = "") -> None:
    """Write a report of whichever results these are; a date is shown if one is given."""
    page = report_page(results, date)
    try:
        with replacing(path) as part:
            part.write_text(page, encoding="utf-8")
    except OSError as error:
        raise GoughError(f"{path}: the report cannot be written: {error.strerror}") from None


def report_page(results: Results | GridResults, date: str = "") -> str:
    """The page: figures, charts and the machine in motion; or every point of a grid."""
    if isinstance(results, GridResults):
        return grid_page(results, date)
    return study_page(results, date)
