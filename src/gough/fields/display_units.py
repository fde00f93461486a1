"""Units in which results are displayed: the [units] table of a study, and what follows from it."""

from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from gough.errors import GoughError
from gough.fields.table import CheckedTable, optional
from gough.fields.units import DEGREES, SIZES, factors

Factors = tuple[tuple[str, int], ...]  # units, or keys of the table, with their powers

_FOOT, _POUND_FORCE = Decimal("0.3048"), Decimal("4.4482216152605")
_SIZES = {name: size for name, (size, _) in (SIZES | DEGREES).items()} | {
    **{"in": _FOOT / 12, "ft": _FOOT, "lbf": _POUND_FORCE, "kgf": Decimal("9.80665")},
}
"""Size of each unit in SI units, exact by definition; of a degree 28 digits."""
_USUAL = {"length": "m", "force": "N", "angle": "rad"}
_KEYS = {
    name: key
    for key, usual in _USUAL.items()
    for name, (_, bases) in (SIZES | DEGREES).items()
    if bases == SIZES[usual][1]
}
"""The key of the table that each unit follows."""
_MADE_OF: dict[str, Factors] = {
    "J": (("length", 1), ("force", 1)),
    "W": (("length", 1), ("force", 1), ("s", -1)),
    "Pa": (("force", 1), ("length", -2)),
}
"""Units that are kept as long as lengths and forces are in multiples of m and N."""


class DisplayUnits(CheckedTable):
    """The [units] table: units of tables, pages, plots and CSV files.

    Others follow: with lengths in ft and forces in lbf, speeds are in ft/s, torques in ft lbf and
    powers in ft lbf/s. All other files, and numbers in Python, are in SI units.

    >>> import gough
    >>> gough.DisplayUnits(length="ft", force="lbf").of("N m")[1]
    'ft lbf'
    """

    length: Literal["m", "cm", "mm", "um", "in", "ft"] | None = optional(
        "Unit of lengths. Left out: m; in pages mm or less for errors."
    )
    force: Literal["N", "kN", "lbf", "kgf"] | None = optional("Unit of forces. Left out: N.")
    angle: Literal["rad", "mrad", "deg"] | None = optional(
        "Unit of angles. Left out: rad; in tables and pages deg, mrad or less for errors."
    )

    def shown(self, values: Any, unit: str) -> tuple[Any, str]:
        """Return values of a unit in that which is displayed, and its name."""
        size, name = self.of(unit)
        return (values, unit) if name == unit else (values / size, name)

    def text(self, value: float, unit: str, digits: int = 4) -> str:
        """Return a value with its unit, as displayed in a sentence."""
        shown, name = self.shown(value, unit)
        return f"{shown:.{digits}g} {name}"

    def of(self, unit: str) -> tuple[float, str]:
        """Return the size of the unit displayed in the place of a unit, in this one, and its name.

        >>> DisplayUnits(length="ft", force="lbf").of("N/m")
        (14.593902937206364, 'lbf/ft')
        """
        return _of(self, unit)

    def name(self, unit: str) -> str:
        """Return the name of what is displayed in the place of a unit, or of several: "m, rad"."""
        return ", ".join(self.of(each)[1] for each in unit.split(", "))


SI = DisplayUnits()


@lru_cache(maxsize=1024)
def _of(units: DisplayUnits, unit: str) -> tuple[float, str]:
    if "," in unit:
        raise GoughError(f"{unit} are several units; expected one")
    chosen = {key: name for key, name in units if name is not None}
    metric = all(chosen.get(key, "m") in SIZES for key in ("length", "force"))
    size, found, made = Decimal(1), factors(unit) or [], list[tuple[str, int]]()
    if not metric and found[:2] == [("N", 1), ("m", 1)]:
        found[:2] = reversed(found[:2])  # ft lbf
    for name, power in found:
        own = _KEYS.get(name, name)
        for part, times in ((own, 1),) if metric else _MADE_OF.get(name, ((own, 1),)):
            usual = name if part == own else _USUAL.get(part, part)
            made.append((chosen.get(part, usual), power * times))
            size *= _SIZES.get(made[-1][0], Decimal(1)) ** (power * times)
        size /= _SIZES.get(name, Decimal(1)) ** power
    return (1.0, unit) if made == found else (float(size), _written(made))


def _written(made: list[tuple[str, int]]) -> str:
    above, below = (
        [f"{name}^{abs(n)}" if abs(n) > 1 else name for name, n in made if n * sign > 0]
        for sign in (1, -1)
    )
    divided = f"({' '.join(below)})" if len(below) > 1 else "".join(below)
    return "/".join(filter(None, (" ".join(above) or "1", divided)))
