"""Make the pictures of docs/how-to/sizing.md: `python docs/make_sizing.py`.

They are those that the page's own lines make in an empty folder; that of the selection's page is
taken by the browser of the system.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from make_robots import compact
from make_tutorial import photograph
from page_reader import Reader, blocks

PAGE = Path(__file__).parent / "how-to" / "sizing.md"
PICTURES = PAGE.parent / "sizing"


def main() -> None:
    """Follow the page and keep its pictures."""
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        reader = Reader(Path(folder))
        for block in blocks(PAGE):
            reader.follow(block)
        for name in ("force-speed.png", "map.png"):
            compact(Path(shutil.copy(Path(folder, name), PICTURES / name)))
        photograph(Path(folder, "actuators.html"), PICTURES / "report.png", height=1010)


if __name__ == "__main__":
    main()
