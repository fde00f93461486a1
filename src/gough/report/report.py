"""Reports as pages, of whichever results, and one page of them as a PDF, printed by a Chromium."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from gough import identification, sizing, studies
from gough.analysis.results import Results
from gough.disk.files import write_text
from gough.errors import GoughError

AnyResults: TypeAlias = (
    "Results | studies.GridResults | identification.Identified | sizing.Selection"
)
BROWSERS = (  # programs that can print a page, in the order in which they are looked for
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "msedge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
LONGEST = 120  # time limit of printing [s]
_FLAGS = (  # WebGL is computed in software: a server has no graphics card
    *("--headless", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--no-first-run", "--no-pdf-header-footer", "--virtual-time-budget=10000"),
)


def write_report(results: AnyResults, path: str | Path, *, date: str = "") -> None:
    """Write a report of whichever results these are; a date is shown if one is given."""
    write_text(path, report_page(results, date))


def report_page(results: AnyResults, date: str = "", *, workbench: str = "") -> str:
    """The page: figures, charts and the machine in motion; every point of a grid; all cases.

    That of one study links every time to its `workbench`, if the name of such a page is given.
    """
    # each kind of page is imported if it is wanted: together they take longer than to make one
    if isinstance(results, Results):
        from gough.report.study_page import study_page  # noqa: PLC0415

        return study_page(results, date, workbench)
    if isinstance(results, studies.Comparison):
        from gough.report.comparison_page import comparison_page  # noqa: PLC0415

        return comparison_page(results, date)
    if isinstance(results, studies.GridResults):
        from gough.report.study_page import grid_page  # noqa: PLC0415

        return grid_page(results, date)
    from gough.report.identification_page import identification_page  # noqa: PLC0415
    from gough.report.selection_page import selection_page  # noqa: PLC0415

    if isinstance(results, sizing.Selection):
        return selection_page(results, date)
    return identification_page(results, date)


class PrintingError(GoughError):
    """A page that could not be printed: no browser, or one that failed."""


def print_page(page: Path, pdf: Path) -> None:
    """Print the first page of a report, its figures and its machine, into a PDF file.

    A PrintingError says why there is none: usually because no Chromium is installed.
    """
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise PrintingError(
            "no browser found that prints pages; expected an installed Chromium, Chrome or Edge, "
            f"or {page.name} opened and printed by hand"
        )
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        own = [f"--user-data-dir={profile}", f"--print-to-pdf={pdf.resolve()}"]
        root = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
        address = f"{page.resolve().as_uri()}#one-page"
        command = [program, *_FLAGS, *root, *own, address]
        failure = PrintingError(
            f"{program} did not print the page; expected {page.name} opened and printed by hand"
        )
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=LONGEST)
        except (OSError, subprocess.SubprocessError) as error:
            raise failure from error
    if not pdf.exists():
        raise failure
