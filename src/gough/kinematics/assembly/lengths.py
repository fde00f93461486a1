"""Leg lengths that may belong to a pose, or a message that says why not."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import AnyArray
from gough.errors import GoughError
from gough.kinematics.assembly.generic_section import LEGS
from gough.kinematics.assembly.geometry import LEG_PAIRS, Geometry

_SLACK = 1e-9
"""By which lengths may contradict each other, relative to the unit of length."""


def checked_lengths(q: Any, geometry: Geometry) -> AnyArray:
    """The lengths as an array, if there may be a pose for them."""
    try:
        lengths = np.array(q, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(f"assembly_modes: q is {q!r}; expected six leg lengths [m]") from None
    if lengths.shape != (LEGS,):
        raise GoughError(
            f"assembly_modes: q has shape {lengths.shape}; expected ({LEGS},), one length per leg"
        )
    for k, length in enumerate(lengths):
        if not 0 < length < np.inf:
            raise GoughError(
                f"assembly_modes: leg {k + 1} has length {length:g}; expected a positive number [m]"
            )
    _check_quadrangles(lengths, geometry)
    return lengths


def _check_quadrangles(lengths: AnyArray, geometry: Geometry) -> None:
    """Two legs close a quadrangle: no side of it is longer than the other three together."""
    i, j = LEG_PAIRS
    a, b = geometry.gaps
    slack = _SLACK * geometry.unit
    for excess, rule in (
        (np.abs(lengths[i] - lengths[j]) - (a + b), "differ by at most"),
        (np.abs(a - b) - (lengths[i] + lengths[j]), "have a sum of at least"),
    ):
        if (excess > slack).any():
            k = int(excess.argmax())
            bound = a[k] + b[k] if rule.startswith("differ") else abs(a[k] - b[k])
            raise GoughError(
                f"assembly_modes: legs {i[k] + 1} and {j[k] + 1} cannot have lengths "
                f"{lengths[i[k]]:g} and {lengths[j[k]]:g} at once; expected lengths that {rule} "
                f"{bound:g} m, from the distances of their joints"
            )
