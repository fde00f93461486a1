"""Ellipsoids in drawings of machines."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array

_RINGS = 24


def draw_ellipsoid(axes: Any, centre: Array, matrix: Array) -> None:
    """The image of the unit sphere under a matrix (3, 3), about a centre [m]."""
    x, y, z = np.moveaxis(centre + _sphere() @ matrix.T, -1, 0)
    axes.plot_surface(
        x, y, z, color="#c44e52", alpha=0.45, linewidth=0, shade=True, zorder=900, rstride=1,
        cstride=1,
    )  # fmt: skip


def _sphere() -> Array:
    """Points (rings, 2 rings, 3) of the unit sphere."""
    polar = np.linspace(0, np.pi, _RINGS)[:, None]
    azimuth = np.linspace(0, 2 * np.pi, 2 * _RINGS)
    return np.stack(
        np.broadcast_arrays(
            np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)
        ),
        -1,
    )
