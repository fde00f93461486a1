"""Which unknowns measurements tell, and how well: singular values of what they depend on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.shown.brief import brief

LEAST = 1e-9
"""Of the singular values of columns of length one, beside the largest: what is less is rounding."""
_OPEN = 1e-6
"""What depends by more than this share on combinations that nothing tells is not known."""


@dataclass(frozen=True, eq=False)
class Observability:
    """The combinations of k unknowns that measurements tell, and those that they leave open.

    Singular values are those of the measurements' change [standard deviations] with the unknowns
    [m, and what moves as far]: the largest first, as many as the rank.
    """

    measurements: int
    singular_values: Array
    """(rank)"""
    scales: Array
    """(k) by which unknowns are measured here [SI]: those that move freely by more."""
    sizes: Array
    """(rank) singular values by these."""
    told: Array
    """(k, rank) scaled unknowns of each of them."""
    open: Array
    """(k, k - rank) scaled unknowns that no measurement depends on."""

    __repr__ = brief

    @property
    def rank(self) -> int:
        """How many combinations of the unknowns the measurements tell."""
        return len(self.singular_values)

    @property
    def condition(self) -> float:
        """The largest singular value over the least."""
        return float(self.singular_values[0] / self.singular_values[-1])

    @property
    def o1(self) -> float:
        """The geometric mean of all, by the root of the count: D-optimality [Borm & Menq 1991]."""
        return float(np.exp(np.log(self.singular_values).mean()) / np.sqrt(self.measurements))

    @property
    def o2(self) -> float:
        """The inverse of the condition number [Driels & Pathre 1990]."""
        return 1.0 / self.condition

    @property
    def o3(self) -> float:
        """The least singular value [Nahvi, Hollerbach & Hayward 1994]."""
        return float(self.singular_values[-1])

    @property
    def o4(self) -> float:
        """The square of the least over the largest [Nahvi & Hollerbach 1996]."""
        return self.o3**2 / float(self.singular_values[0])

    @property
    def o5(self) -> float:
        """One over the sum of all inverses: A-optimality [Sun & Hollerbach 2008]."""
        return float(1.0 / (1.0 / self.singular_values).sum())

    @property
    def covariance(self) -> Array:
        """(k, k) of the unknowns [SI]; of what is open nothing, as it stays what it was."""
        half = self.scales[:, None] * self.told / self.sizes
        return np.asarray(half @ half.T)

    def deviations(self, slopes: Array) -> Array:
        """Standard deviations (...) of what changes by slopes (..., k); NaN of what is open."""
        scaled = slopes * self.scales
        whole, unknown = (np.linalg.norm(x, axis=-1) for x in (scaled, scaled @ self.open))
        found = np.linalg.norm((scaled @ self.told) / self.sizes, axis=-1)
        return np.asarray(np.where(unknown > _OPEN * whole, np.nan, found))

    def least_change(self, slopes: Array, wanted: Array) -> Array:
        """The least change (k) [SI] that brings whitened rows nearest to what is wanted.

        `slopes` (rows, k) [1/SI] are those that this is the observability of.
        """
        back = (slopes * self.scales @ self.told).T @ wanted
        return np.asarray(self.scales * (self.told @ (back / self.sizes**2)))


def observability(slopes: Array, scales: Array, measurements: int, widths: Array) -> Observability:
    """That of whitened rows (n, k) by scaled unknowns, of a rank that no scale changes.

    Where nothing tells unknowns apart, each moves by its width.
    """
    count = len(scales)
    rows = np.concatenate([slopes, np.zeros((max(0, count - len(slopes)), count))])
    square = np.linalg.qr(rows, mode="r")  # has the same singular values, and fewer rows
    lengths = np.linalg.norm(square, axis=0)
    alike = np.linalg.svd(square / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    rank = int((alike > LEAST * max(float(alike[0]), 1.0)).sum())
    values = np.linalg.svd(square, compute_uv=False)[:rank]
    _, sizes, Vt = np.linalg.svd(square * widths)
    told, left = Vt[:rank].T, Vt[rank:].T
    return Observability(measurements, values, scales * widths, sizes[:rank], told, left)
