"""A figure of all assembly modes: the machine once per pose, at one scale."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from gough.disk.files import atomic_write
from gough.errors import GoughError, needing
from gough.kinematics.assembly.modes import AssemblyModes
from gough.plots.machine import VIEW, draw_bodies
from gough.plots.pictures import fill_square, new_figure, picture_format, save_plot, several_axes
from gough.plots.shapes import shape_of
from gough.plots.style import root_figure, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes


with needing("matplotlib", "plots", "pictures"):
    from matplotlib.backends.backend_pdf import PdfPages

_PANEL = 2.6
"""Width and height of the panel of one mode [inch]."""
_CAPTION = 0.3
_HEADING = 0.6
"""Heights of the caption of a panel, and of the heading of all [inch]."""
_LEAST_WIDTH = 4.5
_COLUMNS, _ROWS = 4, 4
"""Numbers of panels on a sheet of paper; other figures have as many rows as are needed."""


def save_modes(modes: AssemblyModes, path: str | Path) -> None:
    """Save a figure of every assembly mode, all at one scale; the suffix gives the format.

    A .pdf has sheets of sixteen, other figures show all on one.
    """
    if len(modes) == 0:
        raise GoughError(f"{path}: there is no pose with these leg lengths, so there is no figure")
    if picture_format(path) != "pdf":
        save_plot(plot_modes(modes), path)
        return
    with atomic_write(path) as part, PdfPages(part) as pages:
        for first in range(0, len(modes), _COLUMNS * _ROWS):
            some = range(len(modes))[first : first + _COLUMNS * _ROWS]
            pages.savefig(root_figure(plot_modes(modes, some)))


def plot_modes(
    modes: AssemblyModes, numbers: Sequence[int] | None = None, ax: Sequence[Axes] | None = None
) -> list[Axes]:
    """Plot the modes of these numbers, or all, at one scale; return the axes."""
    chosen = range(len(modes)) if numbers is None else numbers
    panels = several_axes(ax, len(chosen), lambda: _panels(modes, chosen))
    shape = shape_of(modes.robot, modes.poses)
    points = shape.points(modes.poses)
    for axes, k in zip(panels, chosen, strict=True):
        draw_bodies(axes, shape, points[k], scale=0.6)
        fill_square(axes, points.reshape(-1, 3), VIEW)
    return panels


def _panels(modes: AssemblyModes, numbers: Sequence[int]) -> list[Axes]:
    """Axes in rows of a new figure, with captions."""
    columns = min(len(modes), _COLUMNS)
    width, step = max(columns * _PANEL, _LEAST_WIDTH), _PANEL + _CAPTION
    height = ceil(len(numbers) / columns) * step + _HEADING
    figure, panels = new_figure((width, height), dpi=130, layout=None), []
    for place, k in enumerate(numbers):
        row, column = divmod(place, columns)
        left, top = width / 2 + (column - columns / 2) * _PANEL, height - _HEADING - row * step
        corner = (left / width, (top - step) / height)
        size = (_PANEL / width, _PANEL / height)
        panels.append(figure.add_axes((*corner, *size), projection="3d"))
        figure.text(
            (left + _PANEL / 2) / width, (top - 0.2) / height, _caption(modes, k),
            ha="center", fontsize=9,
        )  # fmt: skip
    count = "1 assembly mode" if len(modes) == 1 else f"{len(modes)} assembly modes, one scale"
    heading = wrapped(f"{modes.robot.name}: {count}", width)
    figure.suptitle(heading, fontsize=11, y=1 - 0.12 / height, parse_math=False)
    return panels


def _caption(modes: AssemblyModes, k: int) -> str:
    if modes.self_motion[k]:
        return f"{k + 1}: moves freely"
    if not modes.certified[k]:
        return f"{k + 1}: singular" if modes.multiplicity[k] > 1 else f"{k + 1}: not proved"
    return f"{k + 1}" if modes.within_limits[k] else f"{k + 1}: beyond limits"
