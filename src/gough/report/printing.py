"""One page of a report as a PDF, printed by a Chromium that is installed on this system."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from gough.errors import GoughError

BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "msedge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
"""Programs that can print a page, in the order in which they are looked for."""
LONGEST = 120
"""Time limit of printing [s]."""
_FLAGS = (
    *("--headless", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--no-first-run", "--no-pdf-header-footer", "--virtual-time-budget=10000"),
)
"""WebGL is computed in software: a server has no graphics card."""


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
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=LONGEST)
        except (OSError, subprocess.SubprocessError) as error:
            raise PrintingError(_failure(program, page)) from error
    if not pdf.exists():
        raise PrintingError(_failure(program, page))


def _failure(program: str, page: Path) -> str:
    return f"{program} did not print the page; expected {page.name} opened and printed by hand"
