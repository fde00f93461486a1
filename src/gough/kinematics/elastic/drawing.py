"""Pictures of stiffness: the machine with the ellipsoids of what its platform yields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from gough.digits import short_decimal
from gough.kinematics.elastic.stiffness import Stiffness
from gough.kinematics.size import machine_size
from gough.plots.ellipsoid import draw_ellipsoid
from gough.plots.machine import draw_machine
from gough.plots.saving import save_picture
from gough.plots.style import titled

_SHARE = 0.35
"""The longest half axis of an ellipsoid, by the machine's size."""
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
        if not np.isfinite(principal.values[0]):
            axes.set_title(f"{words}: none, all directions are rigid", fontsize=10)
            continue
        scale = _SHARE * machine_size(found.robot) * principal.values[0]
        draw_ellipsoid(axes, found.pose[:3], scale * (compliance + compliance.T) / 2)
        axes.set_title(
            f"{words}: up to {1 / principal.values[0]:.3g} {unit}\n"
            f"stiffness from {short_decimal(principal.values[0])} to "
            f"{short_decimal(principal.values[2])} {stiffness_unit}",
            fontsize=10,
        )
    titled(figure, f"{found.robot.name}: how it yields")
    save_picture(figure, path, trimmed=True)
