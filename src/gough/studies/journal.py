"""The record of a grid that is being worked on: a line for each point, on disk as they come.

A line has its number and a checksum over itself and all lines before it. So a record is good up to
its last right line, whatever happened to it; a run that goes on from there computes the rest again.
"""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path

from gough.disk.files import checksum, open_regular
from gough.studies.points import Definitions, Point, as_lines, from_line

_SYNCED_EVERY = 1.0
"""What a loss of power may cost [s]; to wait for the disk after each point would take longer."""


@dataclass(frozen=True)
class _Link:
    """A line's number and checksum; by default, what comes before the first line."""

    number: int = 0
    check: str = ""

    def next(self, text: str) -> _Link:
        chained = f"{self.check} {self.number} {text}"
        return _Link(self.number + 1, hashlib.sha256(chained.encode()).hexdigest()[:16])

    def line(self, text: str) -> bytes:
        return f"{self.number} {self.check} {text}\n".encode()


class Journal:
    """A record in a folder, continued if it is there; without a folder it is kept in memory only.

    `points` are those that it has, `add` writes one more.
    """

    def __init__(self, folder: Path | None) -> None:
        self.points: list[Point] = []
        self._known: Definitions = {}
        self._last = _Link()
        self._synced = time.monotonic()
        self._file = None if folder is None else self._continued(folder)

    def add(self, point: Point) -> None:
        """Keep a point; it outlasts the process when this returns, and soon a loss of power."""
        if self._file is not None:
            for text in as_lines(point, self._known):
                self._last = self._last.next(text)
                self._file.write(self._last.line(text))
            self._file.flush()
            if time.monotonic() - self._synced > _SYNCED_EVERY:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        self.points.append(point)

    def close(self) -> None:
        """No more points."""
        if self._file is not None:
            self._file.close()

    def _continued(self, folder: Path) -> BufferedIOBase:
        """The file, cut off behind its last right line."""
        folder.mkdir(exist_ok=True)
        file = open_regular(folder / "journal.jsonl", "a+b")
        file.seek(0)
        right = 0
        for line in file:
            if not self._takes(line, folder):
                break
            right += len(line)
        file.truncate(right)
        return file

    def _takes(self, line: bytes, folder: Path) -> bool:
        """Take in a line if it is right, and its point's series are there if it has any."""
        text = line.decode(errors="replace").removesuffix("\n").split(" ", 2)[-1]
        link = self._last.next(text)
        if line != link.line(text):
            return False
        point = from_line(text, self._known)
        if point is not None:
            if point.series and not _is_there(series_file(folder, point.index), point.series):
                return False
            self.points.append(point)
        self._last = link
        return True


def series_file(folder: Path, index: int) -> Path:
    """Where a point's quantities over time are."""
    return folder / f"{index:06d}.parquet"


def _is_there(path: Path, expected: str) -> bool:
    return path.is_file() and checksum(path) == expected
