"""Axes in space: true to scale, with thin lines behind, seen from a direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from gough.arrays import Array

_TICKS, _FEW_TICKS = 5, 3
"""How many numbers stand along a long and a short side."""
_PADS = {"x": 6, "y": 6, "z": 12}
"""Between the numbers of an axis and its name [points]."""
_FILLING = 1.6
"""The zoom at which matplotlib makes a cube, seen from the front, nearly as large as its axes."""


def true_scale(axes: Any, box: Array, labels: Sequence[str], *, zoom: float = 1.0) -> None:
    """Show a box (3, 2) of x, y, z, with the same unit equally long along all three axes."""
    sides = np.ptp(box, axis=1)
    for letter, ends, side, label in zip("xyz", box, sides, labels, strict=True):
        getattr(axes, f"set_{letter}lim")(*ends)
        getattr(axes, f"set_{letter}label")(label, fontsize=9, labelpad=_PADS[letter])
        axis = getattr(axes, f"{letter}axis")
        count = _TICKS if side > 0.6 * sides.max() else _FEW_TICKS
        axis.set_major_locator(MaxNLocator(count, prune="both"))
        axis.set_pane_color((1, 1, 1, 0))
        axis._axinfo["grid"].update(color="#d5d8dc", linewidth=0.5)
    axes.zaxis.set_rotate_label(False)
    axes.zaxis.label.set_rotation(90)  # upright, from wherever it is seen
    axes.set_box_aspect(sides / sides.max(), zoom=zoom)
    axes.tick_params(labelsize=8)


def fill_square(axes: Any, points: Array, view: tuple[float, float]) -> None:
    """Show nothing but what is drawn, from afar, so that points (n, 3) fill square axes."""
    e, a = np.radians(view)
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    up = np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)])
    screen = np.stack([right, up])
    low, high = (points @ screen.T).min(0), (points @ screen.T).max(0)
    middle, half = (low + high) / 2 @ screen, (high - low).max() / 2
    axes.set_proj_type("ortho")
    axes.set_axis_off()
    axes.set(**{f"{k}lim": (m - half, m + half) for k, m in zip("xyz", middle, strict=True)})
    axes.set_box_aspect((1, 1, 1), zoom=_FILLING)


def sphere_direction(elevation: float, azimuth: float) -> Array:
    """The unit vector towards a viewer or a light, from angles [deg]."""
    e, a = np.radians(elevation), np.radians(azimuth)
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
