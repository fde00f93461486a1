"""Small lengths and angles as people say them: in mm or µm, in mrad or µrad."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array

_PREFIXES = ((1e-4, 1e3, "m"), (1e-7, 1e6, "µ"), (0.0, 1e9, "n"))
"""From which largest size on, the factor and the prefix."""


def readable(values: Array, unit: str) -> tuple[Array, str]:
    """Errors [m] or [rad] with the prefix that suits the largest; other units stay as they are."""
    if unit not in ("m", "rad"):
        return values, unit
    sizes = np.abs(values[np.isfinite(values)])
    largest = sizes.max() if sizes.size else 0.0
    if largest == 0:
        return values * 1e3, f"m{unit}"
    _, factor, prefix = next(entry for entry in _PREFIXES if largest >= entry[0])
    return values * factor, prefix + unit
