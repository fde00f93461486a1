"""A figure of all assembly modes: the machine once per pose, at one scale."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from gough.errors import GoughError
from gough.kinematics.assembly.modes import AssemblyModes
from gough.plots.machine import VIEW, draw_bodies
from gough.plots.pictures import fill_square, new_figure, several_axes
from gough.plots.shapes import shape_of, with_springs
from gough.plots.style import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PANEL = 2.6
"""Width and height of the panel of one mode [inch]."""
_CAPTION = 0.3
_HEADING = 0.6
"""Heights of the caption of a panel, and of the heading of all [inch]."""
_LEAST_WIDTH = 4.5
_COLUMNS, _ROWS = 4, 4
"""Numbers of panels on a sheet of paper; other figures have as many rows as are needed."""


def plot_modes(
    modes: AssemblyModes, ax: Sequence[Axes] | None = None, *, sheets: bool = False
) -> list[Axes]:
    """Plot the machine once per pose, in one new figure, or with `sheets` in one for sixteen."""
    if len(modes) == 0:
        raise GoughError("there is no pose with these leg lengths, so there is no figure")
    every = range(len(modes))
    size = _COLUMNS * _ROWS if sheets else len(modes)

    def new_axes() -> list[Axes]:
        parts = (every[first : first + size] for first in every[::size])
        return [axes for part in parts for axes in _panels(modes, part)]

    panels = several_axes(ax, len(modes), new_axes)
    shape = with_springs(modes.robot, shape_of(modes.robot, modes.poses))
    points = shape.points(modes.poses)
    for axes, own in zip(panels, points, strict=True):
        draw_bodies(axes, shape, own, scale=0.6)
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
            (left + _PANEL / 2) / width, (top - 0.2) / height,
            ": ".join(filter(None, (str(k + 1), modes.remark(k)))), ha="center", fontsize=9,
        )  # fmt: skip
    count = "1 assembly mode" if len(modes) == 1 else f"{len(modes)} assembly modes, one scale"
    heading = wrapped(f"{modes.robot.name}: {count}", width)
    figure.suptitle(heading, fontsize=11, y=1 - 0.12 / height, parse_math=False)
    return panels
