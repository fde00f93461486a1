"""A picture of all assembly modes: the machine once per pose, at one scale."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from gough.errors import GoughError
from gough.kinematics.assembly.modes import AssemblyModes
from gough.plots.machine import draw_machine, joint_centers
from gough.plots.saving import save_picture

_PANEL = 2.2
"""Width of one mode's drawing [inch]."""


def save_modes(modes: AssemblyModes, path: str | Path) -> None:
    """Save a drawing of every assembly mode; the suffix says the format."""
    if len(modes) == 0:
        raise GoughError(f"{path}: there is no pose with these leg lengths, so nothing to draw")
    columns = min(len(modes), max(4, ceil(np.sqrt(1.6 * len(modes)))))
    rows = ceil(len(modes) / columns)
    size = (max(columns * _PANEL, 4.5), rows * (_PANEL + 0.25) + 0.6)
    figure = Figure(figsize=size, dpi=130)
    middle, half = _extent(modes)
    for k in range(len(modes)):
        axes: Any = figure.add_subplot(rows, columns, k + 1, projection="3d")
        draw_machine(axes, modes.robot, modes.poses[k])
        _trim(axes, middle, half)
        axes.set_title(_caption(modes, k), fontsize=9, pad=0)
    figure.subplots_adjust(0.01, 0.01, 0.99, 1 - 0.65 / size[1], 0.02, 0.11)
    figure.suptitle(_heading(modes), fontsize=11, y=1 - 0.12 / size[1], parse_math=False)
    save_picture(figure, path)


def _extent(modes: AssemblyModes) -> tuple[Any, float]:
    """The middle of a cube around all modes, and half its edge [m]."""
    points = np.concatenate([np.concatenate(joint_centers(modes.robot, p)) for p in modes.poses])
    low, high = points.min(0), points.max(0)
    return (low + high) / 2, 0.5 * float((high - low).max())


def _trim(axes: Any, middle: Any, half: float) -> None:
    """The same cube for all drawings, and nothing beside the machine."""
    axes.set(
        xlim=(middle[0] - half, middle[0] + half),
        ylim=(middle[1] - half, middle[1] + half),
        zlim=(middle[2] - half, middle[2] + half),
    )
    axes.set_axis_off()
    axes.get_legend().remove()
    for text in list(axes.texts):
        text.remove()
    for line in axes.lines:
        line.set_linewidth(0.55 * line.get_linewidth())
    for drawn in axes.collections:
        if isinstance(drawn, PathCollection):  # the joints
            drawn.set_sizes([4])
    axes.set_box_aspect((1, 1, 1), zoom=1.45)


def _caption(modes: AssemblyModes, k: int) -> str:
    if modes.self_motion[k]:
        return f"{k + 1}: moves freely"
    if not modes.certified[k]:
        return f"{k + 1}: singular" if modes.multiplicity[k] > 1 else f"{k + 1}: not proved"
    return f"{k + 1}" if modes.within_limits[k] else f"{k + 1}: beyond limits"


def _heading(modes: AssemblyModes) -> str:
    count = "1 assembly mode" if len(modes) == 1 else f"{len(modes)} assembly modes"
    return f"{modes.robot.name}: {count}"
