"""Pictures of tolerances: where the platform may be instead, and what that comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from gough.digits import short_decimal
from gough.kinematics.size import machine_size
from gough.kinematics.tolerances.tolerances import SAID, Grouping, Tolerances
from gough.plots.machine import draw_ellipsoid, draw_machine
from gough.plots.saving import save_picture
from gough.plots.style import line_colour, literal, titled, with_grid

_MOST_BARS = 24
_SHARE = 0.3
"""The longest half axis of the ellipsoid, by the machine's size."""


def save_tolerances(found: Tolerances, path: str | Path, *, by: Grouping = "joint") -> None:
    """Save bars of what the variances of way, turn and forces come from, the most first.

    Of one pose there is the machine beside them, with an ellipsoid: its surface is as far from
    the platform's origin as a standard deviation along its axes, enlarged.
    """
    figure = Figure(figsize=(13, 7), dpi=140)
    figure.set_layout_engine("constrained", wspace=0.1)
    alone = found.pose.ndim == 1
    if alone:
        _draw_ellipsoid(figure.add_subplot(1, 2, 1, projection="3d"), found)
    _draw_bars(figure.add_subplot(1, 2 if alone else 1, 2 if alone else 1), found, by)
    titled(figure, f"{found.robot.name}: what errors of its numbers do")
    save_picture(figure, path, trimmed=True)


def _draw_ellipsoid(axes: Any, found: Tolerances) -> None:
    draw_machine(axes, found.robot, found.pose)
    values, directions = np.linalg.eigh(found.covariance[:3, :3])
    lengths = np.sqrt(values.clip(0.0))
    if lengths[-1] > 0:
        scale = _SHARE * machine_size(found.robot) / lengths[-1]
        draw_ellipsoid(axes, found.pose[:3], scale * directions * lengths)
        axes.set_title(
            f"Way from the pose: standard deviation {short_decimal(1e3 * lengths[0])} to "
            f"{short_decimal(1e3 * lengths[-1])} mm,\ndrawn {scale:.0f} times as large",
            fontsize=10,
        )
    else:
        axes.set_title("Way from the pose: none", fontsize=10)


def _draw_bars(axes: Any, found: Tolerances, by: Grouping) -> None:
    columns = found.table(by)
    names = columns[by][:_MOST_BARS]
    places, height = np.arange(len(names)), 0.8 / len(SAID)
    for k, of in enumerate(SAID):
        widths = 100 * np.array(columns[f"share of {of}"][:_MOST_BARS])
        axes.barh(places + (k - 1) * height, widths, height, color=line_colour(k), label=of)
    axes.set_yticks(places, [literal(name) for name in names], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("share of the variance [%]")
    left_out = len(columns[by]) - len(names)
    more = f", {left_out} smaller ones left out" if left_out else ""
    axes.set_title(f"Contributions by {by}{more}", fontsize=10)
    axes.legend(frameon=False, loc="lower right")
    with_grid(axes)
