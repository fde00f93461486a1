"""CSV files of numbers with names and units, over time or not: `t [s], x [mm], roll [deg]`."""

import csv
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, did_you_mean, inside, named_by
from gough.fields.units import ANGLE, LENGTH, NUMBER, TIME, Dimension, to_si
from gough.fields.user_files import read_text

MOST_BYTES = 64 * 2**20  # maximum size of a CSV file [bytes]: some 500,000 poses
POSITION, RPY, QUATERNION = ("x", "y", "z"), ("roll", "pitch", "yaw"), ("qw", "qx", "qy", "qz")
PLACE = dict.fromkeys(POSITION, LENGTH) | dict.fromkeys(RPY, ANGLE)
POSE = PLACE | dict.fromkeys(QUATERNION, NUMBER)  # columns of poses, with angles or quaternions
_HEADER = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\[\s*([^\]]*?)\s*\])?\s*")
_OTHER_MARKS = {";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a file by name, in SI units."""

    path: Path
    values: dict[str, Array]
    lines: tuple[int, ...]  # the line of the file that each row comes from

    @contextmanager
    def given_as(self, *keys: str) -> Iterator[None]:
        """Something made of columns: a complaint about item k of these keys names its line."""
        try:
            yield
        except InputError as error:
            if not error.key.startswith(keys):
                raise
            item = re.search(r"\[(\d+)\]$", error.key)
            place = f"line {self.lines[int(item[1])]}" if item else ""
            with named_by("file", self.path):
                raise InputError.of(error, key=place) from None


def read_columns(path: Path, known: Mapping[str, Dimension]) -> Columns:
    """The times `t` and some known columns of a file that the key `file` names."""
    with named_by("file", path):
        return columns_in(path, {"t": TIME} | dict(known))


def columns_in(path: Path, known: Mapping[str, Dimension]) -> Columns:
    """Some known columns of a file. A column without a unit is in SI already.

    Lines that begin with # are comments. Commas separate columns; cells may be in quotes.
    """
    text = read_text(path, "a CSV file", MOST_BYTES)
    lines = [(n, s) for n, s in enumerate(text.splitlines(), 1) if s.strip() and s[0] != "#"]
    if len(lines) < 2:
        raise InputError("no data", expected="a header and lines of numbers")
    headers = _headers(lines[0][1], known)
    rows = [_row(line, number, len(headers)) for number, line in lines[1:]]
    values = np.array(rows) * np.array([factor for _, factor in headers])
    columns = {name: values[:, k] for k, (name, _) in enumerate(headers)}
    return Columns(path, columns, tuple(number for number, _ in lines[1:]))


def _headers(line: str, known: Mapping[str, Dimension]) -> list[tuple[str, float]]:
    """The columns' names, each with the size of its unit in SI units."""
    for mark, name in _OTHER_MARKS.items():
        if mark in line and "," not in line:
            expected = "commas between columns, and points in numbers"
            raise InputError(f"{name} separate its columns", expected=expected)
    headers = [_header(cell, known) for cell in _cells(line)]
    names = [name for name, _ in headers]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f'column "{twice[0]}" appears twice')
    if "t" in known and "t" not in names:
        raise InputError('no column "t"', expected="the times")
    return headers


def _header(cell: str, known: Mapping[str, Dimension]) -> tuple[str, float]:
    """A column's name, and the size of its unit in SI units."""
    match = _HEADER.fullmatch(cell)
    name = match[1] if match else cell.strip()
    if match is None or name not in known:
        problem = f'unknown column "{name[:60]}"{did_you_mean(name, known)}'
        first, dimension = next(iter(known.items()))
        like = f"{first} [{dimension.unit}]"
        raise InputError(problem, expected=f"columns like {like}, of {', '.join(known)}")
    unit = match[2]
    if not unit or (known[name] is NUMBER and unit == "1"):
        return name, 1.0
    with inside(f'column "{name}"'):
        return name, to_si(f"1 {unit}", known[name])


def _row(line: str, number: int, count: int) -> list[float]:
    try:
        values = [float(cell) for cell in _cells(line)]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        raise InputError(f'"{line[:60]}"', key=f"line {number}", expected=f"{count} numbers")
    return values


def _cells(line: str) -> list[str]:
    """The cells of one line; none if it cannot be divided into cells."""
    try:
        return next(csv.reader([line], skipinitialspace=True))
    except csv.Error:
        return []
