"""Paths to values in tables and lists, such as `robot.legs[2].base`."""

from __future__ import annotations

import re

_PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def parts(path: str) -> list[int | str]:
    """The keys and, counted from 0, the places in lists that a path goes through."""
    return [int(index) if index else name for index, name in _PART.findall(path)]
