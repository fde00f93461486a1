"""Points, and decimal sums of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

Point = tuple[float, float, float]
ORIGIN: Point = (0.0, 0.0, 0.0)


def point(values: Iterable[float]) -> Point:
    """Return three numbers as a point."""
    x, y, z = map(float, values)
    return x, y, z


def total(*terms: float) -> float:
    """Return the decimal sum of numbers, rounded once: 0.688 - 0.164 is 0.524."""
    return float(sum(Decimal(repr(float(term))) for term in terms))


def between(a: Point, b: Point) -> Point:
    """Return the vector from a to b."""
    return point(total(end, -start) for start, end in zip(a, b, strict=True))
