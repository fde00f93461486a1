"""Words and numbers for people: values with few digits, units with raised figures, sentences."""

import re
from math import isfinite

import numpy as np

from gough.arrays import Array
from gough.digits import decimal_text, raised, trimmed, with_powers
from gough.fields.display_units import DisplayUnits

_PREFIXES = ((1e-4, 1e3, "m"), (1e-7, 1e6, "µ"), (0.0, 1e9, "n"))
"""Lower bound of the maximum magnitude, factor, and prefix."""
_CONTROLS = {k: 0x2400 + k for k in range(32) if chr(k) not in "\t\n"} | {127: 0x2421}
_NO_UNIT = {"1": "–", "": "–"}


def number_text(value: float, digits: int = 4) -> str:
    """A value with so many significant digits: 977.52 is "977.5", 0.00001234 is "1.234·10⁻⁵"."""
    if not isfinite(value):
        return "–"
    mantissa, _, power = decimal_text(value, digits).partition("e")
    if power:
        return f"{_minus(trimmed(mantissa))}·10{raised(power)}"
    integer, _, fraction = mantissa.partition(".")
    if len(integer.lstrip("-")) > 4:
        integer = f"{int(integer):,}".replace(",", "\u2009")
    return _minus(f"{integer}.{fraction}" if fraction else integer)


def short_text(value: float, digits: int = 4) -> str:
    """Return a number without trailing zeros: 2.500 is "2.5"."""
    text = number_text(value, digits)
    return text if "·" in text else trimmed(text)


def time_text(time: float) -> str:
    """A time [s] with few digits: "0.148 s"."""
    return f"{short_text(time)} s"


def unit_text(unit: str) -> str:
    """A unit as people write it: "m/s^2" is "m/s²", plain numbers have a dash."""
    if unit in _NO_UNIT:
        return _NO_UNIT[unit]
    return with_powers(unit).replace("N m", "N\u202fm")


def heading_text(name: str) -> str:
    """A name as a heading: "peak_force" is "Peak force"."""
    words = re.sub(
        r"\b(rms|pid|pd|imu)\b", lambda word: word[0].upper(), name.replace("_", " ").strip()
    )
    return words[:1].upper() + words[1:]


def without_controls(text: str) -> str:
    """A text with its control characters shown: an escape is "␛"."""
    return text.translate(_CONTROLS)


def sentence(text: str) -> str:
    """A warning as a sentence of its own."""
    text = text.strip()
    ended = text if text.endswith((".", "!", "?")) else text + "."
    return ended[:1].upper() + ended[1:]


def _minus(text: str) -> str:
    return text.replace("-", "−")


def as_read(
    values: Array, unit: str, units: DisplayUnits, *, small: bool = False
) -> tuple[Array, str]:
    """Return values as people read them: in units that are stated, else angles in degrees.

    Small ones, such as errors, have the prefix that suits their maximum where no unit is stated.
    """
    chosen = {"m": units.length, "rad": units.angle}.get(unit, unit)
    if chosen is None and small:
        sizes = np.abs(values[np.isfinite(values)])
        largest = sizes.max() if sizes.size else 0.0
        if largest == 0:
            return values * 1e3, f"m{unit}"
        _, factor, prefix = next(entry for entry in _PREFIXES if largest >= entry[0])
        return values * factor, prefix + unit
    if chosen is None and unit == "rad":
        return np.degrees(values), "deg"
    return units.shown(values, unit)
