"""Numbers and units as people read them: few digits, no powers of ten at ordinary sizes."""

from __future__ import annotations

import re
from math import floor, isfinite, log10

ROUNDING = 1e-12
"""What is smaller is left over from rounding, and written as 0."""
_SMALL, _LARGE = -4, 1e6
"""Between this power of ten and this size, numbers are written out."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decimal_text(value: float, digits: int = 4) -> str:
    """A value with so many significant digits: 977.52 is "977.5", 0.00001234 is "1.234e-5".

    Digits before the point are never rounded away: 30000 is "30000".
    """
    if not isfinite(value):
        return f"{value:g}"
    if abs(value) < ROUNDING:
        return "0"
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    if int(power) < _SMALL or abs(value) >= _LARGE:
        return f"{mantissa}e{int(power)}"
    return f"{value:.{max(0, digits - 1 - int(power))}f}"


def short_decimal(value: float, digits: int = 4) -> str:
    """The same without zeros at its end: 2.500 is "2.5", 1.200e-5 is "1.2e-5"."""
    mantissa, e, power = decimal_text(value, digits).partition("e")
    return f"{trimmed(mantissa)}{e}{power}"


def with_error(value: float, error: float) -> str:
    """A value to the place of its error's first digit: "0.09702 ± 0.00004"."""
    if not (isfinite(value) and isfinite(error) and error >= ROUNDING):
        return f"{short_decimal(value, 6)} ± {short_decimal(error, 1)}"
    places = max(0, -floor(log10(error)))
    return f"{value:z.{places}f} ± {error:.{places}f}"


def raised(power: str | int) -> str:
    """A power in small figures: -5 is "⁻⁵"."""
    return str(power).translate(_RAISED)


def with_powers(unit: str) -> str:
    """A unit with its powers raised: "m/s^2" is "m/s²"."""
    return re.sub(r"\^(-?\d+)", lambda power: raised(power[1]), unit)


def trimmed(text: str) -> str:
    """Decimals without zeros at their end."""
    return text.rstrip("0").rstrip(".") if "." in text else text
