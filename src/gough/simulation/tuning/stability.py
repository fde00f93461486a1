"""Margins of stability of a loop that is known by its gain at some frequencies.

Between them the gain is a cubic spline. This is what python-control's `stability_margins` makes of
such data, bit by bit, and a test holds it to that; to import python-control takes longer than all
of a tuning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array

SMALL_GAIN = 0.001
"""Gains much smaller than this are not weighted up against larger ones."""


def stability_margins(gain: AnyArray, omega: Array) -> tuple[Array, Array, Array]:
    """Every gain margin [1], every phase margin [rad], and where the latter are [rad/s].

    `gain` (n) is the complex gain of the open loop, negative feedback assumed, at frequencies
    `omega` (n) [rad/s] that rise.
    """
    between = _spline(gain, omega)
    opposite = _crossings(lambda w: np.angle(-between(w)), omega, between(omega).real <= 0)
    as_large = _crossings(lambda w: np.abs(between(w)) - 1, omega)
    with np.errstate(divide="ignore"):
        gain_margins = 1 / np.abs(between(opposite))
    phases = np.remainder(np.angle(between(as_large), deg=True), 360.0) - 180.0
    return gain_margins, np.radians(phases), as_large


def _spline(gain: AnyArray, omega: Array) -> Callable[[Array], AnyArray]:
    """The gain at any frequency between these."""
    from scipy.interpolate import splev, splprep  # noqa: PLC0415  (slow to import)

    weights = 1 / (np.abs(gain) + SMALL_GAIN)
    spline, _ = splprep(np.stack([gain.real, gain.imag]), u=omega, w=weights, s=0.0)

    def between(w: Array) -> AnyArray:
        real, imaginary = splev(w, spline) if np.size(w) else (w, w)  # of none it knows nothing
        return np.asarray(real + 1j * imaginary)

    return between


def _crossings(function: Callable[[Array], Array], omega: Array, counts: Any = True) -> Array:
    """Where a function passes zero, once between two frequencies, the first of which counts."""
    from scipy.optimize import brentq  # noqa: PLC0415  (slow to import)

    signs = np.sign(function(omega))
    before = np.flatnonzero((np.diff(signs) != 0) & np.broadcast_to(counts, omega.shape)[:-1])
    return np.array([brentq(function, omega[k], omega[k + 1]) for k in before])
