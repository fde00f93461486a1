"""The units of most files, known without pint, which takes a quarter of a second to begin.

Of each its size in SI base units and how often these are in it. Sizes are powers of ten, so that
products of them are exact in any order; only a degree is not, and may be in a unit once.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from functools import cache

Bases = dict[str, int]

_TEN = Decimal(10)
_PREFIXES = {"": 0, "k": 3, "M": 6, "c": -2, "m": -3, "u": -6, "µ": -6}
_UNITS: dict[str, tuple[int, Bases]] = {
    "m": (0, {"m": 1}),
    "g": (-3, {"kg": 1}),
    "s": (0, {"s": 1}),
    "rad": (0, {"rad": 1}),
    "A": (0, {"A": 1}),
    "Hz": (0, {"s": -1}),
    "N": (0, {"kg": 1, "m": 1, "s": -2}),
    "Pa": (0, {"kg": 1, "m": -1, "s": -2}),
    "V": (0, {"kg": 1, "m": 2, "s": -3, "A": -1}),
    "ohm": (0, {"kg": 1, "m": 2, "s": -3, "A": -2}),
    "H": (0, {"kg": 1, "m": 2, "s": -2, "A": -2}),
}
SIZES: dict[str, tuple[Decimal, Bases]] = {
    prefix + unit: (_TEN ** (power + own), bases)
    for unit, (own, bases) in _UNITS.items()
    for prefix, power in _PREFIXES.items()
}
"""Of all these: size, and powers of the base units."""
_DEGREE = (Decimal("0.01745329251994329576923690768"), {"rad": 1})
DEGREES = {"deg": _DEGREE, "°": _DEGREE}
_KNOWN = SIZES | DEGREES | {"1": (Decimal(1), {})}

_FACTOR = re.compile(r"([*/·]?)\s*(°|1|[^\W\d]\w*)(?:(?:\^|\*\*)(-?[1-9]))?\s*")


@cache
def usual_unit(unit: str) -> tuple[Decimal, Bases] | None:
    """A unit's size in SI base units and their powers; None if it is not made of usual ones."""
    found = list(_FACTOR.finditer(unit))
    factors = [(f[2], int(f[3] or 1) * (-1 if f[1] == "/" else 1)) for f in found]
    turns = [power for name, power in factors if name in DEGREES]
    whole = "".join(f[0] for f in found) == unit
    if not whole or turns not in ([], [1]) or not all(name in _KNOWN for name, _ in factors):
        return None
    size, powers = Decimal(1), Counter[str]()
    for name, power in factors:
        own, bases = _KNOWN[name]
        size *= own**power
        powers.update({base: count * power for base, count in bases.items()})
    return size, {base: count for base, count in powers.items() if count}
