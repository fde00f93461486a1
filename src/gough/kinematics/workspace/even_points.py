"""Points spread evenly over squares and cubes: scrambled Sobol sequences.

SciPy draws them; to import its statistics takes longer than to walk thousands of rays. So the few
points that every workspace needs are stored in a file beside this one.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from gough.arrays import Array

FILE = Path(__file__).with_suffix(".json")
BITS = 30
"""Of each coordinate."""


@cache
def few_points(d: int) -> Array:
    """(32, d) the first points that are drawn with the seed 0 along two or three axes."""
    return np.array(json.loads(FILE.read_text(encoding="utf-8"))[str(d)]) / 2.0**BITS


def drawn_points(d: int, count: int, generator: np.random.Generator) -> Array:
    """(count, d) as many new ones, a power of two."""
    from scipy.stats import qmc  # noqa: PLC0415  (slow to import)

    return np.asarray(qmc.Sobol(d, bits=BITS, rng=generator).random(count))
