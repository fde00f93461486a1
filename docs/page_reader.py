"""Read a page as its reader does: write its files, run its commands and its Python.

A block with a title is a file, one that is called "at the end of" a file is added to it. Text that
follows a block of code at once is what that prints: all of it, or as many of its lines as are
shown. `python docs/page_reader.py PAGE` shows what a page's blocks print.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gough.cli import main as command

FENCE = re.compile(
    r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```\n(?:\n```text\n(.*?)^```)?', re.S | re.M
)
ADDED = "at the end of "


@dataclass(frozen=True)
class Block:
    """A block of code of a page."""

    language: str
    title: str
    """Name of a file."""
    code: str
    printed: str
    """Output that the page shows; empty if it shows none."""


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page, from top to bottom."""
    for parts in FENCE.findall(page.read_text("utf-8")):
        yield Block(*parts)


@dataclass
class Reader:
    """Somebody who does what a page says, in a folder."""

    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    """Those that the page's Python has made so far."""

    def follow(self, block: Block) -> str:
        """Do what a block says; return what it prints."""
        paper = io.BytesIO()
        with chdir(self.folder), redirect_stdout(io.TextIOWrapper(paper, "utf-8")) as stream:
            if block.title:
                self._write(block)
            elif block.language == "sh":
                for line in block.code.splitlines():
                    _run(shlex.split(line, comments=True))
            elif block.language == "python":
                exec(compile(block.code, "page", "exec"), self.names)
            stream.flush()
        return paper.getvalue().decode()

    def _write(self, block: Block) -> None:
        path = Path(block.title.removeprefix(ADDED))
        before = path.read_text("utf-8") if block.title.startswith(ADDED) else ""
        path.write_text(before + block.code, "utf-8")


def _run(words: list[str]) -> None:
    """A command of Gough, in this process; other programs are the reader's own affair."""
    if words[:1] != ["gough"]:
        return
    before, sys.argv = sys.argv, words
    try:
        command.main()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{shlex.join(words)} ended with {end.code}") from None
    finally:
        sys.argv = before


def missing(shown: str, printed: str) -> list[str]:
    """Lines of the page that were not printed, in this order; spaces and … do not count."""
    left = iter([line.split() for line in printed.splitlines()])
    wanted = [line for line in shown.splitlines() if line.split() not in ([], ["…"])]
    return [line for line in wanted if line.split() not in left]


def show(name: str) -> None:
    """Show what each block of a page prints."""
    with TemporaryDirectory() as folder:
        reader = Reader(Path(folder))
        for block in blocks(Path(name)):
            print(f"--- {block.title or block.code.strip()}\n{reader.follow(block)}")


if __name__ == "__main__":
    show(sys.argv[1])
