"""CSV files with a header of names and units: `t [s], x [mm], roll [deg]`."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from gough.errors import RobotError
from gough.motion.problems import MotionError
from gough.motion.samples import Array
from gough.robot.units import NUMBER, Dimension, to_si

_HEADER = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\[\s*([^\]]*?)\s*\])?\s*")


def read_columns(path: Path, known: Mapping[str, Dimension]) -> dict[str, Array]:
    """The columns of a file by name, in SI units. A column without a unit is in SI already.

    Lines that begin with # are comments. Commas separate columns.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise MotionError(f"{path}: cannot be read: {reason}", key="file") from None
    lines = [(n, s) for n, s in enumerate(text.splitlines(), 1) if s.strip() and s[0] != "#"]
    if len(lines) < 2:
        raise MotionError(f"{path}: no data", key="file", expected="a header and lines of numbers")
    headers = [_header(cell, known, path) for cell in next(csv.reader([lines[0][1]]))]
    names = [name for name, _ in headers]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise MotionError(f'{path}: column "{twice}" appears twice', key="file")
    rows = [_row(line, number, len(names), path) for number, line in lines[1:]]
    values = np.array(rows) * np.array([factor for _, factor in headers])
    return {name: values[:, k] for k, name in enumerate(names)}


def _header(cell: str, known: Mapping[str, Dimension], path: Path) -> tuple[str, float]:
    """A column's name, and the size of its unit in SI units."""
    match = _HEADER.fullmatch(cell)
    name = match[1] if match else cell.strip()
    if match is None or name not in known:
        nearest = get_close_matches(name, known, n=1)
        hint = f' (did you mean "{nearest[0]}"?)' if nearest else ""
        raise MotionError(
            f'{path}: unknown column "{name}"{hint}',
            key="file",
            expected=f"columns like t [s], of {', '.join(known)}",
        )
    unit = match[2]
    if not unit or (known[name] is NUMBER and unit == "1"):
        return name, 1.0
    try:
        return name, to_si(f"1 {unit}", known[name])
    except RobotError as error:
        raise MotionError(
            f'{path}: column "{name}": {error.problem}', key="file", expected=error.expected
        ) from None


def _row(line: str, number: int, count: int, path: Path) -> list[float]:
    cells = line.split(",")
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        raise MotionError(
            f'{path}: line {number}: "{line[:60]}"', key="file", expected=f"{count} numbers"
        )
    return values
