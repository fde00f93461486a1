"""Quantities as people write them: "7.5 lb" is 3.401942775 kg. A bare number is SI already."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from numbers import Real
from threading import Lock
from typing import TYPE_CHECKING

from gough.errors import InputError

if TYPE_CHECKING:
    from pint import UnitRegistry
    from pint.facets.plain import PlainUnit


Bases = dict[str, int]

_TEN = Decimal(10)
_PREFIXES = {"": 0, "k": 3, "M": 6, "c": -2, "m": -3, "u": -6, "µ": -6}
_UNITS: dict[str, tuple[int, Bases]] = {
    "m": (0, {"m": 1}),
    "g": (-3, {"kg": 1}),
    "s": (0, {"s": 1}),
    "rad": (0, {"rad": 1}),
    "A": (0, {"A": 1}),
    "K": (0, {"K": 1}),
    "Hz": (0, {"s": -1}),
    "N": (0, {"kg": 1, "m": 1, "s": -2}),
    "J": (0, {"kg": 1, "m": 2, "s": -2}),
    "W": (0, {"kg": 1, "m": 2, "s": -3}),
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
"""Size of each unit, and its powers of the base units."""
_DEGREE = (Decimal("0.01745329251994329576923690768"), {"rad": 1})
DEGREES = {"deg": _DEGREE, "°": _DEGREE}
_KNOWN = SIZES | DEGREES | {"1": (Decimal(1), {})}

_pint = Lock()  # lock of pint's registry, of which there must be one: it refuses units of another

_USUAL_FACTOR = re.compile(r"([*/·]?)\s*(°|1|[^\W\d]\w*)(?:(?:\^|\*\*)(-?[1-9]))?\s*")
_BELOW = re.compile(r"/\(([^()]*)\)")  # product by which a slash divides


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity: its name, its SI unit, and how one is written."""

    name: str
    unit: str
    example: str
    habit: str = ""
    """Unit in which people think where SI is not, and forget to write."""

    @property
    def expectation(self) -> str:
        """The words after "expected" in a message."""
        return f"{self.name}, like {self.example}"


NUMBER = Dimension("a number", "", "0.5")
LENGTH = Dimension("a length", "m", '0.25 or "25 cm"', "mm")
ANGLE = Dimension("an angle", "rad", '0.5 or "30 deg"', "deg")
MASS = Dimension("a mass", "kg", '1.5 or "3 lb"')
INERTIA = Dimension("a moment of inertia", "kg m^2", '0.08 or "2 lb ft^2"')
FORCE = Dimension("a force", "N", '500 or "100 lbf"')
RESISTANCE = Dimension("a resistance", "ohm", '7.1 or "7.1 ohm"')
INDUCTANCE = Dimension("an inductance", "H", '265e-6 or "265 uH"')
TORQUE_CONSTANT = Dimension("a torque constant", "N m/A", '0.0261 or "26.1 mN m/A"')
BACK_EMF = Dimension("a back-emf constant", "V s/rad", '0.0261 or "2.73e-3 V/rpm"')
ROTARY_DAMPING = Dimension("a rotary damping", "N m s/rad", '1.6e-6 or "1.6e-3 mN m s/rad"')
TORQUE = Dimension("a torque", "N m", '0.05 or "50 mN m"')
CURRENT = Dimension("a current", "A", '10 or "500 mA"')
VOLTAGE = Dimension("a voltage", "V", '48 or "0.3 kV"')
STIFFNESS = Dimension("a stiffness", "N/m", '2e7 or "20 N/um"')
DAMPING = Dimension("a damping", "N s/m", '200 or "15 lbf s/ft"')
SPEED = Dimension("a speed", "m/s", '0.2 or "200 mm/s"')
ACCELERATION = Dimension("an acceleration", "m/s^2", '-9.81 or "-32.174 ft/s^2"')
TIME = Dimension("a time", "s", '2.5 or "500 ms"')
FREQUENCY = Dimension("a frequency", "Hz", '5 or "5 Hz"')
RATE = Dimension("a rate", "1/s", '100 or "100 Hz"')
ANGULAR_SPEED = Dimension("an angular speed", "rad/s", '0.5 or "30 deg/s"')
ANGULAR_ACCELERATION = Dimension("an angular acceleration", "rad/s^2", '2 or "120 deg/s^2"')
POWER = Dimension("a power", "W", '500 or "0.5 kW"')
PITCH = Dimension("a pitch", "m/rad", '0.01 or "5 mm/turn"')
PRESSURE = Dimension("a specific force", "Pa", '1.5e9 or "1500 N/mm^2"')
MODULUS = Dimension("an elastic modulus", "Pa", '2.06e11 or "206 GPa"')
LINEAR_DENSITY = Dimension("a mass per length", "kg/m", '3 or "3 g/mm"')
DENSITY = Dimension("a density", "kg/m^3", '7850 or "7.85 g/cm^3"')
ROTARY_STIFFNESS = Dimension("a rotary stiffness", "N m/rad", '500 or "0.5 kN m/rad"')
MOMENT = Dimension("a moment", "N m", '20 or "20 N m"')

_NAMED_UNITS = {
    dimension.unit: dimension.name
    for dimension in (LENGTH, ANGLE, MASS, INERTIA, FORCE, SPEED, ACCELERATION)
} | {
    "m^2": "an area",
    "s": "a time",
    "rad/s": "an angular velocity",
    "N m": "a torque or an energy",
    "Pa": "a pressure",
    "K": "a temperature",
}

_LARGEST = 1e100  # above it squares and products in the equations would overflow
_SMALLER = "a magnitude of at most 1e100"
_NUMBERS = (float, int, Real)  # the usual kinds first: to ask for Real takes ten times as long
_LONGEST = 100  # above it a text is no quantity; below it no text takes long to read
NUMBER_PATTERN = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_FACTOR = r"[^\W\d][\w]*(?:(?:\^|\*\*)-?[1-9]|[²³])?|°"
_UNIT = rf"(?:{_FACTOR})(?:\s*[*/·]\s*(?:{_FACTOR})|\s+(?:{_FACTOR}))*"
_QUANTITY = re.compile(rf"\s*({NUMBER_PATTERN})\s*({_UNIT})?\s*")

# The same for JSON Schema, whose regular expressions are JavaScript's: a number, then a unit.
QUANTITY_PATTERN = rf"^\s*{NUMBER_PATTERN}\s*[^\s\d].*$"


def to_si(value: object, dimension: Dimension) -> float:
    """Convert a bare number, or text with a unit, to a finite float in SI units (radians)."""
    if isinstance(value, str):
        number = float(_text_to_si(value, dimension))
    elif isinstance(value, _NUMBERS) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # an integer of more than 308 digits
            raise InputError("too large", expected=_SMALLER) from None
    else:
        raise InputError("not a number", value=value, expected=dimension.expectation)
    if not math.isfinite(number):
        raise InputError("not finite", value=value, expected=dimension.expectation)
    if abs(number) > _LARGEST:
        raise InputError("too large", value=value, expected=_SMALLER)
    return number + 0.0  # -0.0 becomes 0.0, so that equal robots have equal fingerprints


def _text_to_si(text: str, dimension: Dimension) -> Decimal:
    refused = partial(InputError, value=text, expected=dimension.expectation)
    if dimension is NUMBER:
        raise refused(f'"{text}" is text')
    if len(text) > _LONGEST:
        raise refused(f"a text of {len(text)} characters")
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise refused(f'"{text}" is not a number with a unit')
    number, unit = match.groups()
    if unit is None:
        raise refused(f'"{text}" has no unit')
    usual, wanted = usual_unit(unit), usual_unit(dimension.unit)
    if usual is not None and wanted is not None and usual[1] == wanted[1]:
        return Decimal(number) * usual[0]
    factor, si_unit = _si_factor(unit)
    if factor is None:
        raise refused(f'"{text}": no unit is called "{unit}"')
    if si_unit != _si_factor(dimension.unit)[1]:
        raise refused(f'"{text}" is {_described(si_unit)}')
    return Decimal(number) * factor


@cache
def _registry() -> UnitRegistry[Decimal]:
    """Pint's registry, made when first needed: importing pint takes longer than all the rest.

    Its factors are decimals, so that "4 ft" is 1.2192 to the last digit.
    """
    from pint import UnitRegistry  # noqa: PLC0415

    return UnitRegistry(non_int_type=Decimal)


@cache
def _si_factor(unit: str) -> tuple[Decimal | None, PlainUnit | None]:
    """Return a unit's size in SI base units, and these base units; None when it is unknown."""
    with _pint:
        registry = _registry()
        try:
            factor, base = registry.get_base_units(registry.parse_units(unit))
        except (AttributeError, ValueError, TypeError, ArithmeticError):  # of pint, and of decimals
            return None, None
    return Decimal(str(factor)), base


def _described(si_unit: PlainUnit | None) -> str:
    for unit, name in _NAMED_UNITS.items():
        if _si_factor(unit)[1] == si_unit:
            return name
    return f"in {si_unit:~P}" if f"{si_unit:~P}" else "a ratio"


@cache
def usual_unit(unit: str) -> tuple[Decimal, Bases] | None:
    """A unit's size in SI base units and their powers; None if it is not made of usual ones.

    Usual ones are known without pint, which takes a quarter of a second to begin. Their sizes are
    powers of ten, so that products of them are exact in any order; only a degree is not, and may be
    in a unit once.
    """
    found = factors(unit)
    if found is None or not all(name in _KNOWN for name, _ in found):
        return None
    if [power for name, power in found if name in DEGREES] not in ([], [1]):
        return None
    size, powers = Decimal(1), Counter[str]()
    for name, power in found:
        own, bases = _KNOWN[name]
        size *= own**power
        powers.update({base: count * power for base, count in bases.items()})
    return size, {base: count for base, count in powers.items() if count}


def factors(unit: str) -> list[tuple[str, int]] | None:
    """Units whose product a unit is, with their powers; None of what is no product, as a root."""
    text = _BELOW.sub(lambda below: "/" + "/".join(below[1].split()), unit)
    found = list(_USUAL_FACTOR.finditer(text))
    if "".join(f[0] for f in found) != text:
        return None
    return [(f[2], int(f[3] or 1) * (-1 if f[1] == "/" else 1)) for f in found]
