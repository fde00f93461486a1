"""Numbers in files of other programs: exact sums of decimals, and the shortest text of a number.

A position in the base frame becomes one in a body's frame by a difference of decimals, as the
robot file writes them: 0.688 - 0.164 is 0.524 here. Whoever adds the texts up again finds the
robot's own numbers, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal

_ALL_DIGITS = Context(prec=800)
"""Of any sum of two floats, whose digits lie between 1e308 and 1e-324."""

Point = tuple[Decimal, Decimal, Decimal]
ORIGIN = (Decimal(0), Decimal(0), Decimal(0))


def point(values: Iterable[float | Decimal]) -> Point:
    """Three numbers as the decimals that they are written as."""
    x, y, z = (Decimal(repr(float(v))) if not isinstance(v, Decimal) else v for v in values)
    return x, y, z


def difference(a: Point, b: Point) -> Point:
    """a - b, exactly."""
    x, y, z = (_ALL_DIGITS.subtract(p, q) for p, q in zip(a, b, strict=True))
    return x, y, z


def total(a: Point, b: Point) -> Point:
    """a + b, exactly."""
    x, y, z = (_ALL_DIGITS.add(p, q) for p, q in zip(a, b, strict=True))
    return x, y, z


def scaled(a: Point, power: int) -> Point:
    """a times a power of ten, exactly."""
    x, y, z = (_ALL_DIGITS.scaleb(p, power) for p in a)
    return x, y, z


def below(values: tuple[float, float], zero: float) -> tuple[Decimal, ...]:
    """Two positions counted from another one, exactly."""
    start = Decimal(repr(zero))
    return tuple(_ALL_DIGITS.subtract(Decimal(repr(value)), start) for value in values)


def text(*values: float | Decimal) -> str:
    """Numbers with blanks between them: of a float the shortest text, of a decimal all digits."""
    return " ".join(map(_text, values))


def _text(value: float | Decimal) -> str:
    short = repr(float(value)).removesuffix(".0")
    if isinstance(value, Decimal) and Decimal(short) != value:
        return str(value.normalize(_ALL_DIGITS))
    return "0" if short == "-0" else short
