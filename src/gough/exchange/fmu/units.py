"""Units as FMI wants them: what each is of SI's base units."""

from __future__ import annotations

import re
from collections import Counter

BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
_DERIVED = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "1": {},
}
_FACTOR = re.compile(r"([A-Za-z]+|1)\^?(\d*)")


def exponents(unit: str) -> dict[str, int]:
    """How often each base unit is a factor of a unit such as `N m s/rad` or `1/s^2`."""
    found: Counter[str] = Counter()
    above, _, below = unit.partition("/")
    for part, sign in ((above, 1), (below.replace("/", " "), -1)):
        for name, power in _FACTOR.findall(part):
            for base, count in _DERIVED.get(name, {name: 1}).items():
                found[base] += sign * count * int(power or 1)
    unknown = found.keys() - set(BASES)
    assert not unknown, f"{unit}: {unknown}"
    return {base: found[base] for base in BASES if found[base]}
