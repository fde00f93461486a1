"""Points, and numbers as short as they can be in files of other programs."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

Point = tuple[float, float, float]
ORIGIN: Point = (0.0, 0.0, 0.0)


def point(values: Iterable[float]) -> Point:
    """Three numbers."""
    x, y, z = map(float, values)
    return x, y, z


def total(*terms: float) -> float:
    """Sum of numbers as they are written, rounded once: 0.688 - 0.164 is 0.524."""
    return float(sum(Decimal(repr(float(term))) for term in terms))


def between(a: Point, b: Point) -> Point:
    """Position of b as seen from a."""
    return point(total(end, -start) for start, end in zip(a, b, strict=True))


def text(*values: float) -> str:
    """Numbers with blanks between them, each with as many digits as it takes to find it again."""
    return " ".join(map(_text, values))


def _text(value: float) -> str:
    short = repr(float(value)).removesuffix(".0")
    return "0" if short == "-0" else short
