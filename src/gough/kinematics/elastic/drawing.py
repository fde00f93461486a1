"""Pictures of stiffness: the machine with the ellipsoids of what its platform yields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from gough.arrays import Array
from gough.digits import short_decimal
from gough.kinematics.elastic.stiffness import Stiffness
from gough.kinematics.size import machine_size
from gough.plots.machine import draw_machine
from gough.plots.saving import save_picture
from gough.plots.style import titled

_SHARE = 0.35
"""The longest half axis of an ellipsoid, by the machine's size."""
_RINGS = 24
_PARTS = (
    ("Ways under a force", "m/N", "N/m", slice(0, 3)),
    ("Turns under a moment", "rad/(N m)", "N m/rad", slice(3, 6)),
)


def save_ellipsoids(found: Stiffness, path: str | Path) -> None:
    """Save two drawings of the machine: how far a force of any direction, and a moment, moves it.

    The distance from the platform's origin to an ellipsoid's surface is how the platform yields
    to a unit in that direction, apart from what it does across it.
    """
    figure = Figure(figsize=(13, 7), dpi=140, layout="constrained")
    for k, (words, unit, stiffness_unit, part) in enumerate(_PARTS):
        axes: Any = figure.add_subplot(1, 2, k + 1, projection="3d")
        draw_machine(axes, found.robot, found.pose)
        compliance = found.compliance[part, part]
        principal = found.turns if k else found.ways
        scale = _SHARE * machine_size(found.robot) * principal.values[0]
        _draw(axes, found.pose[:3], scale * _surface((compliance + compliance.T) / 2))
        axes.set_title(
            f"{words}: up to {1 / principal.values[0]:.3g} {unit}\n"
            f"stiffness from {short_decimal(principal.values[0])} to "
            f"{short_decimal(principal.values[2])} {stiffness_unit}",
            fontsize=10,
        )
    titled(figure, f"{found.robot.name}: how it yields")
    save_picture(figure, path, trimmed=True)


def _surface(matrix: Array) -> Array:
    """Points (rings, rings, 3) of the ellipsoid whose half axes are the matrix's own."""
    polar = np.linspace(0, np.pi, _RINGS)[:, None]
    azimuth = np.linspace(0, 2 * np.pi, 2 * _RINGS)
    sphere = np.stack(
        np.broadcast_arrays(
            np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)
        ),
        -1,
    )
    return np.asarray(sphere @ matrix.T)


def _draw(axes: Any, centre: Array, points: Array) -> None:
    x, y, z = np.moveaxis(centre + points, -1, 0)
    axes.plot_surface(
        x, y, z, color="#c44e52", alpha=0.45, linewidth=0, shade=True, zorder=900, rstride=1,
        cstride=1,
    )  # fmt: skip
