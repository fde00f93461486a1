"""The record of a grid that is being worked on: a line for each point, on disk as they come.

A run that was ended half-way leaves a record that is good up to its last whole line; the next run
goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gough.errors import GoughError
from gough.studies.files import cannot_write
from gough.studies.points import Definitions, Point, as_lines, from_line


class Journal:
    """An open record: `points` are those it has, `add` writes one more."""

    def __init__(self, path: Path | None, points: list[Point], known: Definitions) -> None:
        self.points, self._known, self._path = points, known, path
        self._file = None if path is None else path.open("a", encoding="utf-8")

    def add(self, point: Point) -> None:
        """Keep a point; it is on disk when this returns."""
        if self._file is not None:
            self._file.write(as_lines(point, self._known))
            self._file.flush()
        self.points.append(point)

    def close(self) -> None:
        """No more points."""
        if self._file is not None:
            self._file.close()


@contextmanager
def journal(path: Path | None) -> Iterator[Journal]:
    """A record in a file, continued if it is there; without a path it is kept in memory only."""
    known: Definitions = {}
    try:
        opened = Journal(path, _read(path, known) if path else [], known)
        try:
            yield opened
        finally:
            opened.close()
    except OSError as error:
        raise cannot_write(path or Path(), error) from None


def _read(path: Path, known: Definitions) -> list[Point]:
    """The points of all whole lines; what stands behind the last of them is cut off."""
    if not path.exists():
        return []
    text = path.read_bytes()
    whole = text.rfind(b"\n") + 1
    if whole < len(text):
        with path.open("r+b") as file:
            file.truncate(whole)
    points = []
    for number, line in enumerate(text[:whole].decode("utf-8").splitlines(), 1):
        try:
            point = from_line(line, known)
        except (ValueError, KeyError, TypeError):
            raise GoughError(f"{path}: line {number} is damaged; remove the file") from None
        if point is not None:
            points.append(point)
    return points
