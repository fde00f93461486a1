"""Numbers and units as people read them: few digits, no powers of ten at ordinary sizes."""

import re
from math import floor, isfinite, log10

ROUNDING = 1e-12
"""Magnitude below which a number is rounding error, and written as 0."""
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
    """Return a number without trailing zeros: 2.500 is "2.5", 1.200e-5 is "1.2e-5"."""
    mantissa, e, power = decimal_text(value, digits).partition("e")
    return f"{trimmed(mantissa)}{e}{power}"


def with_error(value: float, error: float, digits: int = 5) -> str:
    """A value, and its error's first digit without a power of ten: "0.097021 ± 0.00004"."""
    places = max(0, -floor(log10(error))) if 0 < error < 1 else 0
    return f"{short_decimal(value, digits)} ± {error:.{places}f}"


def raised(power: str | int) -> str:
    """A power in small figures: -5 is "⁻⁵"."""
    return str(power).translate(_RAISED)


def with_powers(unit: str) -> str:
    """A unit with its powers raised: "m/s^2" is "m/s²"."""
    return re.sub(r"\^(-?\d+)", lambda power: raised(power[1]), unit)


def trimmed(text: str) -> str:
    """Decimals without zeros at their end."""
    return text.rstrip("0").rstrip(".") if "." in text else text
