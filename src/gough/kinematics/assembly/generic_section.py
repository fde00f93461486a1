"""Forty points to start from: the solutions of one generic, complex set of conditions.

They are stored in a file beside this one; `python tools/monodromy.py` finds them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from gough.arrays import AnyArray

LEGS = 6
"""Number of conditions, one for each leg: that of the degrees of freedom of a pose."""
DEGREE = 40
"""Number of solutions of generic conditions [Lazard 1993; Ronga, Vust 1995; Wampler 1996]."""
FILE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Section:
    """Coefficients (6, 17) with orthonormal rows, and the solutions (n, 8) of length one."""

    coefficients: AnyArray
    points: AnyArray


@cache
def generic_section() -> Section:
    """Return the section that is stored with the library."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    return Section(*(np.array(data[key]) @ [1, 1j] for key in ("coefficients", "points")))


def orthonormal_rows(coefficients: AnyArray) -> AnyArray:
    """Return coefficients with the same solutions and orthonormal rows."""
    rows: AnyArray = np.linalg.qr(coefficients.conj().T)[0].conj().T
    return rows
