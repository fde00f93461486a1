"""Rows that are independent at every state, chosen once.

Rows that depend on each other at every single state, by numbers that change, look independent
when the states are stacked: each state is checked by itself, and the worst one counts.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gough.arrays import Array

RANK = 1e-8
"""A row that adds less at some state, as a share of what all rows see there, adds nothing."""
AS_GOOD = 0.99
"""The first row that adds this share of what the best one adds is chosen."""


def independent_rows(states: Iterable[Array]) -> list[int]:
    """Rows that see at each state all that all rows see, given by state as (rows, columns).

    Each adds most, at the worst state, to those before it; fewer where no row is good at all
    states. States at which all rows together see less than elsewhere are left out.
    """
    spaces = [_column_space(rows) for rows in states]
    rank = max(space.shape[1] for space in spaces)
    left = np.array([space for space in spaces if space.shape[1] == rank])
    chosen: list[int] = []
    for _ in range(rank):
        added = np.linalg.norm(left, axis=2).min(axis=0)
        if added.max() < RANK:
            break
        chosen.append(int(np.argmax(added >= AS_GOOD * added.max())))
        along = left[:, chosen[-1]] / np.linalg.norm(left[:, chosen[-1]], axis=1, keepdims=True)
        left = left - (left @ along[:, :, None]) * along[:, None, :]
    return sorted(chosen)


def _column_space(rows: Array) -> Array:
    """Orthonormal columns (rows, rank): the rows in coordinates in which all together are even."""
    U, sigma, _ = np.linalg.svd(rows, full_matrices=False)
    return U[:, : int((sigma > RANK * sigma.max(initial=0.0)).sum())]
