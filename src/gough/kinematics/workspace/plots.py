"""Figures of workspaces: the boundary in space, and slices with the active limits."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.digits import ROUNDING, short_decimal
from gough.errors import GoughError, needing
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, limited_by, margin_kernel
from gough.kinematics.workspace.rendering import look
from gough.kinematics.workspace.slices import (
    COORDINATES,
    Slice,
    free_coordinates,
    is_angle,
    workspace_slice,
)
from gough.kinematics.workspace.workspace import Workspace, workspace_chart
from gough.model.kernels import Kernels, kernels_of
from gough.plots.pictures import Figure, save_picture, sphere_direction, true_scale
from gough.plots.style import titled
from gough.robot import Robot

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.gridspec import SubplotSpec
    from mpl_toolkits.mplot3d import Axes3D


with needing("matplotlib", "plots", "pictures"):
    from matplotlib.colors import ListedColormap, to_rgb
    from matplotlib.image import AxesImage
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

COLORS = ("#3b75af", "#e3a23c", "#59a14f", "#c44e52", "#8d6cab", "#9aa1a9")
"""Colours of the families of limits, and of poses that cannot be assembled."""
_INK = "#22262b"
_THIN = "#7d848c"
_VIEW = (22, -58)
"""Elevation and azimuth from which surfaces are seen [deg]."""
_PIXELS = 700
_ENTRY = 1.4
"""The width of an entry of the legend [inch]."""
_COLUMNS = 3
"""Number of slices side by side."""
_PANEL, _AROUND = 4.1, 0.9
"""Width of a panel, and the height of its title and numbers [inch]."""
_SQUARE = 0.85
"""Ratio of height to width of panels with two units; minimum ratio of others."""
_LEVELS = np.array([0.25, 0.5, 0.75])
_LEVELS_WORDS = "thin lines: margin to the nearest limit, 0 there and 1 at mid-travel or as at home"


def save_workspace(
    robot: Robot | Kernels,
    workspace: Workspace,
    path: str | Path,
    *,
    limits: Limits = ALL_LIMITS,
    title: str = "",
) -> None:
    """Save one figure: the boundary in space, and three slices through the centre.

    For a planar workspace, slices between every two degrees of freedom of the machine.
    """
    model = kernels_of(robot)
    if len(workspace.degrees_of_freedom) < 3:
        save_slices(model, path, workspace.centre, limits=limits, title=title)
        return
    names = COORDINATES[:3] if workspace.kind == "position" else COORDINATES[3:]
    slices = [
        workspace_slice(model, pair, workspace.centre, limits=limits)
        for pair in combinations(names, 2)
    ]
    figure, places = _panels([_SQUARE, *map(_height, slices)], columns=2)
    axes: Axes3D = figure.add_subplot(places[0], projection="3d")
    shown = draw_boundary(axes, model, workspace, limits)
    _draw_slices(figure, places[1:], slices)
    _finish(figure, slices, shown, title, path)


def save_slices(
    robot: Robot | Kernels,
    path: str | Path,
    pose: ArrayLike | None = None,
    *,
    limits: Limits = ALL_LIMITS,
    title: str = "",
) -> None:
    """Save slices between every two degrees of freedom, through `pose` (default home)."""
    model = kernels_of(robot)
    names = [COORDINATES[k] for k in free_coordinates(model)]
    if len(names) < 2:
        raise GoughError(f"{model.robot.name} moves in {names[0]} only; expected two for a figure")
    slices = [workspace_slice(model, pair, pose, limits=limits) for pair in combinations(names, 2)]
    _save(slices, path, title)


def save_slice(part: Slice, path: str | Path, *, title: str = "") -> None:
    """Save one slice as a figure."""
    _save([part], path, title)


def draw_boundary(axes: Axes3D, model: Kernels, workspace: Workspace, limits: Limits) -> set[int]:
    """Draw the boundary into 3-D axes, in the colours of the active limits.

    Returns the families of limits that are visible.
    """
    angles = workspace.kind == "orientation"
    scale, unit = shown_scale(angles)
    middle, half = workspace.extent.mean(1), np.ptp(workspace.extent, axis=1) / 2
    box = np.stack([middle - 1.06 * half, middle + 1.06 * half], -1)
    axes.set_proj_type("ortho")
    axes.view_init(*_VIEW)
    words = [f"about {letter} [{unit}]" if angles else f"{letter} [{unit}]" for letter in "xyz"]
    true_scale(axes, box * scale, words, zoom=0.84)
    image, extent, seen = _picture(axes, model, workspace, limits, box, scale)
    artist = AxesImage(axes, extent=extent, origin="lower", interpolation="antialiased")
    artist.set_data(image)
    artist.set_zorder(10)
    axes.add_artist(artist)
    return seen


def _picture(
    axes: Axes3D, model: Kernels, workspace: Workspace, limits: Limits, box: Array, scale: float
) -> tuple[Array, tuple[float, float, float, float], set[int]]:
    """The boundary in the axes' view: colours of pixels, and their extent in the axes."""
    projection = axes.get_proj()
    projection = projection / projection[3, 3]  # parallel lines: the same for all points
    linear, shift = projection[:3, :3] * scale, projection[:3, 3]
    corners = np.array(list(product(*box))) @ linear.T + shift
    low, high = corners.min(0), corners.max(0)
    step = (high - low)[:2].max() / _PIXELS
    x, y = (np.arange(low[k] + step / 2, high[k], step) for k in (0, 1))
    screen = np.stack([*np.broadcast_arrays(x, y[:, None]), np.full((len(y), len(x)), low[2])], -1)
    starts = (screen.reshape(-1, 3) - shift) @ np.linalg.inv(linear).T
    towards = sphere_direction(*_VIEW)
    chart = workspace_chart(model, workspace.kind, workspace.centre, limits)
    size = float(np.ptp(box, axis=1).max())
    surface = look(
        chart, margin_kernel(model.robot, limits), starts + 4 * size * towards, -towards, box
    )
    light = sphere_direction(_VIEW[0] + 22, _VIEW[1] - 28)
    shade = 0.5 + 0.55 * np.clip(surface.normal @ light, 0, 1)
    colors = np.array([to_rgb(c) for c in COLORS])[surface.family]
    image = np.zeros((len(starts), 4))
    image[:, :3] = np.clip(colors * shade[:, None] + 0.04, 0, 1)
    image[:, 3] = surface.family >= 0
    extent = (x[0] - step / 2, x[-1] + step / 2, y[0] - step / 2, y[-1] + step / 2)
    return image.reshape(len(y), len(x), 4), extent, {int(k) for k in np.unique(surface.family)}


def draw_slice(axes: Axes, part: Slice) -> None:
    """Draw the reachable part of a plane; around it, the colour of the violated limit.

    Inside, lines of equal margin (the minimum of all limits).
    """
    (first, x_unit), (second, y_unit) = (shown_scale(is_angle(name)) for name in part.axes)
    grid = (part.first * first, part.second * second)
    ends = limited_by(part.margins).T
    least = np.where(np.isnan(part.margins).any(-1), -1.0, part.margins.min(-1)).T
    (left, *_, right), (bottom, *_, top) = grid
    axes.imshow(
        np.ma.masked_less(ends, 0), origin="lower", extent=(left, right, bottom, top),
        cmap=ListedColormap(COLORS), vmin=-0.5, vmax=len(COLORS) - 0.5, alpha=0.55,
        interpolation="nearest", aspect="equal" if x_unit == y_unit == "m" else "auto",
    )  # fmt: skip
    if (least >= 0).any():
        axes.contour(*grid, least, levels=[0.0], colors=_INK, linewidths=1.6)
        inner = axes.contour(*grid, least, levels=_LEVELS, colors=_THIN, linewidths=0.6)
        axes.clabel(inner, fmt="%g", fontsize=7)
    else:
        axes.text(0.5, 0.5, "nothing reachable", transform=axes.transAxes, ha="center")
    axes.set_xlabel(f"{part.axes[0]} [{x_unit}]")
    axes.set_ylabel(f"{part.axes[1]} [{y_unit}]")
    axes.set_title(fixed_words(part), fontsize=9)
    axes.tick_params(labelsize=8)


def _save(slices: list[Slice], path: str | Path, title: str) -> None:
    figure, places = _panels(list(map(_height, slices)), min(len(slices), _COLUMNS))
    _draw_slices(figure, places, slices)
    _finish(figure, slices, set(), title, path)


def _draw_slices(figure: Figure, places: list[SubplotSpec], slices: list[Slice]) -> None:
    for place, part in zip(places, slices, strict=True):
        draw_slice(figure.add_subplot(place), part)


def _panels(heights: list[float], columns: int) -> tuple[Figure, list[SubplotSpec]]:
    """A figure, and places of panels in rows; heights of rows are relative to the panels' width."""
    rows = [
        _AROUND + _PANEL * max(heights[k : k + columns]) for k in range(0, len(heights), columns)
    ]
    size = (columns * (_PANEL + _AROUND), 0.9 + sum(rows))
    figure = Figure(figsize=size, dpi=160, layout=ConstrainedLayoutEngine(wspace=0.1))
    grid = figure.add_gridspec(len(rows), columns, height_ratios=rows)
    return figure, [grid[divmod(k, columns)] for k in range(len(heights))]


def _height(part: Slice) -> float:
    """Ratio of height to width of a slice: true to scale where both coordinates are lengths."""
    if "rad" in part.units:
        return _SQUARE
    return float(np.ptp(part.second) / np.ptp(part.first))


def _finish(
    figure: Figure, slices: list[Slice], shown: set[int], title: str, path: str | Path
) -> None:
    """Add the legend and the title, and write the file atomically."""
    ends, families = slices[0].ends, shown | _families_of(slices)
    handles: list[Artist] = [
        Patch(color=COLORS[k], alpha=0.8, label=ends[k]) for k in sorted(families - {-1})
    ]
    handles.append(Line2D([], [], color=_INK, lw=1.6, label="boundary"))
    figure.legend(
        handles=handles,
        title=_LEVELS_WORDS,
        title_fontsize=8,
        loc="outside lower center",
        frameon=False,
        fontsize=9,
        ncols=min(len(handles), int(figure.get_figwidth() / _ENTRY)),
    )
    titled(figure, title)
    save_picture(figure, path, trimmed=True)


def _families_of(slices: list[Slice]) -> set[int]:
    return {int(k) for part in slices for k in np.unique(limited_by(part.margins))}


def fixed_words(part: Slice) -> str:
    """Return the constant coordinates: those of the same kind, and others that are not zero."""
    kinds = set(map(is_angle, part.axes))
    told = [n for n, value in part.fixed.items() if is_angle(n) in kinds or abs(value) > ROUNDING]
    words = []
    for name in told or part.fixed:
        scale, unit = shown_scale(is_angle(name))
        words.append(f"{name} = {short_decimal(part.fixed[name] * scale)} {unit}")
    return ", ".join(words)


def shown_scale(angle: bool) -> tuple[float, str]:
    """Return factor and unit in which figures show lengths (m) or angles (deg)."""
    return (180 / np.pi, "deg") if angle else (1.0, "m")
