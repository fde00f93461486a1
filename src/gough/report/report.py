"""Writing reports: of studies, grids, simulations, identifications, selections of actuators."""

from __future__ import annotations

from pathlib import Path

from gough.analysis.results import Results
from gough.disk.files import replacing
from gough.errors import GoughError
from gough.identification.identified import Identified
from gough.report.comparison_page import comparison_page
from gough.report.grid_page import grid_page
from gough.report.identification_page import identification_page
from gough.report.selection_page import selection_page
from gough.report.study_page import study_page
from gough.sizing.selection import Selection
from gough.studies.comparison import Comparison
from gough.studies.grid_results import GridResults

Reported = Results | GridResults | Identified | Selection


def write_report(results: Reported, path: str | Path, *, date: str = "") -> None:
    """Write a report of whichever results these are; a date is shown if one is given."""
    page = report_page(results, date)
    try:
        with replacing(path) as part:
            part.write_text(page, encoding="utf-8")
    except OSError as error:
        raise GoughError(f"{path}: the report cannot be written: {error.strerror}") from None


def report_page(results: Reported, date: str = "", *, workbench: str = "") -> str:
    """The page: figures, charts and the machine in motion; every point of a grid; all cases.

    That of one study links every time to its `workbench`, if the name of such a page is given.
    """
    if isinstance(results, Identified):
        return identification_page(results, date)
    if isinstance(results, Selection):
        return selection_page(results, date)
    if isinstance(results, Comparison):
        return comparison_page(results, date)
    if isinstance(results, GridResults):
        return grid_page(results, date)
    return study_page(results, date, workbench)
