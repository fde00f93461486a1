"""Figures of tolerances: the platform's position error, and the contributions to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.digits import short_decimal
from gough.kinematics.size import machine_size
from gough.plots.machine import draw_ellipsoid, plot_machine
from gough.plots.pictures import new_figure, several_axes
from gough.plots.style import line_colour, literal, titled, with_grid
from gough.tolerance.tolerances import REPORTED, Grouping, Tolerances

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from mpl_toolkits.mplot3d import Axes3D

_MOST_BARS = 24
_SHARE = 0.3
"""Longest semi-axis of the ellipsoid, relative to the machine's size."""


def plot_tolerances(
    found: Tolerances, by: Grouping = "joint", ax: Axes | Sequence[Axes] | None = None
) -> list[Axes]:
    """Plot bars of the contributions to the variances of position, orientation and force.

    For one pose the machine is shown before them, with an ellipsoid of the enlarged standard
    deviation of the position.
    """
    count = 2 if found.pose.ndim == 1 else 1

    def panels() -> list[Axes]:
        figure, kinds = new_figure((13, 7), dpi=140), ["3d", None][-count:]
        each = enumerate(kinds, 1)
        return [figure.add_subplot(1, count, k, projection=kind) for k, kind in each]

    axes = several_axes(ax, count, panels)
    for one in axes[:-1]:
        _draw_ellipsoid(one, found)
    _draw_bars(axes[-1], found, by)
    if ax is None:
        titled(axes, f"{found.robot.name}: effects of tolerances")
    return axes


def _draw_ellipsoid(axes: Axes3D, found: Tolerances) -> None:
    plot_machine(found.robot, found.pose, ax=axes)
    values, directions = np.linalg.eigh(found.covariance[:3, :3])
    lengths, words = np.sqrt(values.clip(0.0)), "none"
    if lengths[-1] > 0:
        scale = _SHARE * machine_size(found.robot) / lengths[-1]
        draw_ellipsoid(axes, found.pose[:3], scale * directions * lengths)
        least, most = (short_decimal(1e3 * lengths[k]) for k in (0, -1))
        words = f"standard deviation {least} to {most} mm,\ndrawn {scale:.0f} times as large"
    axes.set_title(f"Position error: {words}", fontsize=10)


def _draw_bars(axes: Axes, found: Tolerances, by: Grouping) -> None:
    columns = found.table(by)
    names = columns[by][:_MOST_BARS]
    places, height = np.arange(len(names)), 0.8 / len(REPORTED)
    for k, of in enumerate(REPORTED):
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
