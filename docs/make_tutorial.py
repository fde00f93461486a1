"""Make the pictures of docs/tutorials/tutorial.md: `python docs/make_tutorial.py`.

The page is followed from top to bottom in an empty folder, and the pictures are those that its
own lines make there; that of the report is taken by the browser of the system.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from make_robots import compact
from page_reader import Reader, blocks
from playwright.sync_api import sync_playwright

PAGE = Path(__file__).parent / "tutorials" / "tutorial.md"
PICTURES = PAGE.parent / "tutorial"
REPORT = "report.png"


def pictures() -> list[str]:
    """The names of the page's pictures."""
    return re.findall(r"\]\(tutorial/(.*?)\)", PAGE.read_text("utf-8"))


def photograph(report: Path, picture: Path, height: int) -> None:
    """The upper part of a report, so many pixels, as a browser shows it."""
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": 1280, "height": height})
        page.goto(report.as_uri())
        page.wait_for_timeout(1500)
        page.screenshot(path=picture)
        browser.close()


def main() -> None:
    """Follow the page and keep its pictures."""
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        reader = Reader(Path(folder))
        for block in blocks(PAGE):
            reader.follow(block)
        for name in pictures():
            if name != REPORT:
                compact(Path(shutil.copy(Path(folder, name), PICTURES / name)))
        photograph(Path(folder, "road", "report.html"), PICTURES / REPORT, height=860)


if __name__ == "__main__":
    main()
