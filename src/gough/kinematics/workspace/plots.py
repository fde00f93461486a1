"""Figures of workspaces: the boundary in space, and slices with the active limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.compiler.native.kernel import Kernel
from gough.digits import ROUNDING, short_decimal
from gough.errors import GoughError, needing
from gough.kinematics.workspace.charts import Chart
from gough.kinematics.workspace.rays import around_change, sphere
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, limited_by, margin_kernel
from gough.kinematics.workspace.slices import (
    COORDINATES,
    Map,
    Slice,
    free_coordinates,
    is_angle,
    shown,
    workspace_slice,
)
from gough.kinematics.workspace.stated_limits import ENDS
from gough.kinematics.workspace.travels import SHOWN
from gough.kinematics.workspace.workspace import Workspace, workspace_chart
from gough.model.kernels import Kernels, kernels_of
from gough.plots import pictures
from gough.plots.style import root_figure, titled
from gough.robot import Robot

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
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

_MAP_LEVELS = 12
_MAP_WIDTH, _BESIDE, _ABOVE = 5.6, 1.6, 1.2
"""Width of a map [inch], and room for its scale beside and its title above it."""


def plot_workspace(
    robot: Robot | Kernels,
    workspace: Workspace,
    *,
    limits: Limits = ALL_LIMITS,
    title: str = "",
    ax: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Plot the boundary in space, and three slices through the centre; return the four axes.

    For a planar workspace, slices between every two degrees of freedom of the machine.
    """
    model = kernels_of(robot)
    if len(workspace.degrees_of_freedom) < 3:
        return plot_slices(model, workspace.centre, limits=limits, title=title, ax=ax)
    names = COORDINATES[:3] if workspace.kind == "position" else COORDINATES[3:]
    boundary = partial(_draw_boundary, model=model, workspace=workspace, limits=limits)
    return plot_parts(_slices(model, names, workspace.centre, limits), title, ax, boundary)


def plot_slices(
    robot: Robot | Kernels,
    pose: ArrayLike | None = None,
    *,
    limits: Limits = ALL_LIMITS,
    title: str = "",
    ax: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Plot slices between every two degrees of freedom, through `pose` (default home)."""
    model = kernels_of(robot)
    names = [COORDINATES[k] for k in free_coordinates(model)]
    if len(names) < 2:
        raise GoughError(f"{model.robot.name} moves in {names[0]} only; expected two for a figure")
    return plot_parts(_slices(model, names, pose, limits), title, ax)


def plot_map(found: Map, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Plot a map with contour lines."""
    part = found.slice
    (x_unit, first), (y_unit, second) = map(shown, part.axes)
    alike = x_unit == y_unit == "m"
    grid = (part.first * first, part.second * second)
    height = float(np.ptp(grid[1]) / np.ptp(grid[0])) if alike else 1.0
    size = (_MAP_WIDTH + _BESIDE, _MAP_WIDTH * min(max(height, 0.5), 1.5) + _ABOVE)
    axes = pictures.single_axes(ax, size, dpi=160)
    values = np.ma.masked_invalid(found.values.T)
    if values.count():
        filled = axes.contourf(*grid, values, levels=_MAP_LEVELS, cmap="viridis")
        levels = np.asarray(filled.levels)[::2]
        lines = axes.contour(*grid, values, levels=levels, colors="white", linewidths=0.6)
        axes.clabel(lines, fmt=short_decimal, fontsize=7)
        least = np.where(np.isnan(part.margins).any(-1), -1.0, part.margins.min(-1))
        axes.contour(*grid, least.T, levels=[0.0], colors="black", linewidths=1.4)
        axes.figure.colorbar(filled, ax=axes, label=f"{found.meaning} [{found.unit}]")
    else:
        axes.text(0.5, 0.5, "nothing reachable", transform=axes.transAxes, ha="center")
    axes.set_aspect("equal" if alike else "auto")
    label_slice(axes, part)
    if ax is None:
        titled(axes, title)
    return axes


def _slices(
    model: Kernels, names: Sequence[str], pose: ArrayLike | None, limits: Limits
) -> list[Slice]:
    return [workspace_slice(model, pair, pose, limits=limits) for pair in combinations(names, 2)]


def plot_parts(
    slices: list[Slice],
    title: str,
    ax: Axes | Sequence[Axes] | None,
    boundary: Callable[[Axes3D], set[int]] | None = None,
) -> list[Axes]:
    """Plot slices, behind a boundary if there is one; a new figure has a title and a legend.

    Of each the reachable part of a plane; around it, the colour of the violated limit. Inside,
    lines of equal margin (the minimum of all limits).
    """
    heights = [*([_SQUARE] if boundary else []), *map(_height, slices)]
    columns = 2 if boundary else min(len(slices), _COLUMNS)
    first = "3d" if boundary else None
    axes = pictures.several_axes(ax, len(heights), lambda: _panels(heights, columns, first))
    visible = boundary(axes[0]) if boundary else set()
    for one, part in zip(axes[-len(slices) :], slices, strict=True):
        _draw_slice(one, part)
    if ax is None:
        _add_legend(root_figure(axes), slices, visible)
        titled(axes, title)
    return axes


def _draw_boundary(axes: Axes3D, model: Kernels, workspace: Workspace, limits: Limits) -> set[int]:
    """Draw the boundary into 3-D axes, in the colours of the limits; return those visible."""
    angles = workspace.kind == "orientation"
    unit, scale = SHOWN[workspace.unit]
    middle, half = workspace.extent.mean(1), np.ptp(workspace.extent, axis=1) / 2
    box = np.stack([middle - 1.06 * half, middle + 1.06 * half], -1)
    axes.set_proj_type("ortho")
    axes.view_init(*_VIEW)
    words = [f"about {letter} [{unit}]" if angles else f"{letter} [{unit}]" for letter in "xyz"]
    pictures.true_scale(axes, box * scale, words, zoom=0.84)
    projection = axes.get_proj()
    projection = projection / projection[3, 3]  # parallel lines: the same for all points
    linear, shift = projection[:3, :3] * scale, projection[:3, 3]
    corners = np.array(list(product(*box))) @ linear.T + shift
    low, high = corners.min(0), corners.max(0)
    step = (high - low)[:2].max() / _PIXELS
    x, y = (np.arange(low[k] + step / 2, high[k], step) for k in (0, 1))
    screen = np.stack([*np.broadcast_arrays(x, y[:, None]), np.full((len(y), len(x)), low[2])], -1)
    towards = pictures.sphere_direction(*_VIEW)
    starts = (screen.reshape(-1, 3) - shift) @ np.linalg.inv(linear).T
    starts += 4 * float(np.ptp(box, axis=1).max()) * towards
    chart = workspace_chart(model, workspace.kind, workspace.centre, limits)
    family, normal = look(chart, margin_kernel(model.robot, limits), starts, -towards, box)
    light = pictures.sphere_direction(_VIEW[0] + 22, _VIEW[1] - 28)
    shade = 0.5 + 0.55 * np.clip(normal @ light, 0, 1)
    colors = np.array([to_rgb(c) for c in COLORS])[family]
    image = np.column_stack([np.clip(colors * shade[:, None] + 0.04, 0, 1), family >= 0])
    extent = (x[0] - step / 2, x[-1] + step / 2, y[0] - step / 2, y[-1] + step / 2)
    artist = AxesImage(axes, extent=extent, origin="lower", interpolation="antialiased")
    artist.set_data(image.reshape(len(y), len(x), 4))
    artist.set_zorder(10)
    axes.add_artist(artist)
    return {int(k) for k in np.unique(family)}


def _draw_slice(axes: Axes, part: Slice) -> None:
    (x_unit, first), (y_unit, second) = map(shown, part.axes)
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
    label_slice(axes, part)
    axes.tick_params(labelsize=8)


def label_slice(axes: Axes, part: Slice) -> None:
    """Label axes with the coordinates; constant ones of their kind, or not zero, are the title."""
    x, y = (f"{name} [{shown(name)[0]}]" for name in part.axes)
    kinds = set(map(is_angle, part.axes))
    listed = [n for n, value in part.fixed.items() if is_angle(n) in kinds or abs(value) > ROUNDING]
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(", ".join(map(part.fixed_words, listed or part.fixed)), fontsize=9)


def _panels(heights: list[float], columns: int, first: str | None = None) -> list[Axes]:
    """Axes in rows of a new figure, heights over the panels' width; `first` is a projection."""
    tallest = (max(heights[k : k + columns]) for k in range(0, len(heights), columns))
    rows = [_AROUND + _PANEL * height for height in tallest]
    size = (columns * (_PANEL + _AROUND), 0.9 + sum(rows))
    figure = pictures.new_figure(size, dpi=160, layout=ConstrainedLayoutEngine(wspace=0.1))
    grid = figure.add_gridspec(len(rows), columns, height_ratios=rows)
    places = [grid[divmod(k, columns)] for k in range(len(heights))]
    return [figure.add_subplot(p, projection=None if k else first) for k, p in enumerate(places)]


def _height(part: Slice) -> float:
    """Ratio of height to width of a slice: true to scale where both coordinates are lengths."""
    return _SQUARE if "rad" in part.units else float(np.ptp(part.second) / np.ptp(part.first))


def _add_legend(figure: pictures.Figure, slices: list[Slice], visible: set[int]) -> None:
    of_slices = {int(k) for part in slices for k in np.unique(limited_by(part.margins))}
    kinds, names = sorted((visible | of_slices) - {-1}), slices[0].ends
    handles: list[Artist] = [Patch(color=COLORS[k], alpha=0.8, label=names[k]) for k in kinds]
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


_STEPS, _HALVINGS, _NARROWINGS = 48, 24, 16
_TOGETHER = 16384
_DIFFERENCE = 1e-5
"""Step of the differences that give normals, relative to the box."""
_PROBES, _PROBED = 4, 5e-3
"""Number of polar angles of probed directions where legs do not meet; distance (of the box)."""


def look(
    chart: Chart, margins: Kernel, starts: Array, along: Array, box: Array
) -> tuple[Array, Array]:
    """Follow lines (n) from points `starts` in the direction `along`, inside a box (3, 2).

    Returns the active limits (n) where each first meets the workspace, indices of ENDS or -1 where
    it does not, and outward normals (n, 3). Points are positions, or rotation vectors from the
    chart's centre. Lines, one for each pixel, go from the viewer until a pose is reachable; the
    surface is found by halving. So edges are sharp, unlike those of a mesh, and parts that cannot
    be seen from the centre are shown as well.
    """
    family = np.full(len(starts), -1)
    normal = np.zeros((len(starts), 3))
    with np.errstate(divide="ignore", invalid="ignore"):
        walls = (box.T[:, None, :] - starts) / along
    near, far = np.nanmax(walls.min(0), -1), np.nanmin(walls.max(0), -1)  # near > far: it misses
    crossing = np.flatnonzero(near < far)
    for first in range(0, len(crossing), _TOGETHER):
        part = crossing[first : first + _TOGETHER]
        hit, outer = _first_hit(chart, starts[part], along, near[part], far[part])
        points = starts[part][hit] + along * outer[:, None]
        found, outward = _faces(chart, margins, points, float(np.ptp(box, axis=1).max()))
        family[part[hit]], normal[part[hit]] = found, outward
    return family, normal


def _least(chart: Chart, points: Array) -> Array:
    origin = chart.centre[:3] if chart.kind == "position" else 0.0
    return chart.least((points - origin) @ chart.basis, np.ones(()))


def _first_hit(
    chart: Chart, starts: Array, along: Array, near: Array, far: Array
) -> tuple[AnyArray, Array]:
    """Lines that meet the workspace, and the last distance before it."""
    shares = np.linspace(0.0, 1.0, _STEPS + 1)
    distances = near[:, None] + (far - near)[:, None] * shares
    least = _least(chart, starts[:, None] + along * distances[..., None])
    inside = least >= 0
    step = np.where(inside.any(1), inside.argmax(1), least.argmax(1))
    rows = np.arange(len(starts))
    left, right = np.maximum(step - 1, 0), np.minimum(step + 1, _STEPS)
    best = least[rows, step]
    slopes = best - np.minimum(least[rows, left], least[rows, right])
    hit = np.flatnonzero(best + slopes >= 0)  # also wedges that may be thinner than a step
    starts, before = starts[hit], distances[hit, left[hit]]
    within, thin = distances[hit, step[hit]], best[hit] < 0
    ends = distances[hit, right[hit]][thin]
    within[thin] = _summit(chart, starts[thin], along, before[thin], ends)
    behind = _least(chart, starts + along * within[:, None])
    real = behind >= 0
    hit, starts = hit[real], starts[real]

    def margin(some: AnyArray, at: Array) -> Array:
        return _least(chart, starts[some] + along * at[:, None])

    ends, margins = (before[real], within[real]), (least[hit, left[hit]], behind[real])
    return hit, around_change(margin, ends, margins, _HALVINGS)[0]


def _summit(chart: Chart, starts: Array, along: Array, low: Array, high: Array) -> Array:
    """Distance of the maximum of the minimum margin between two distances, by ternary search."""
    for _ in range(_NARROWINGS):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        at_a, at_b = (_least(chart, starts + along * x[:, None]) for x in (a, b))
        rises = at_a < at_b
        low, high = np.where(rises, a, low), np.where(rises, high, b)
    return (low + high) / 2


def _faces(chart: Chart, margins: Kernel, points: Array, size: float) -> tuple[Array, Array]:
    """Violated limits at points just outside, and the directions in which the violation grows."""
    origin = chart.centre[:3] if chart.kind == "position" else 0.0
    rows = np.arange(len(points))

    def at(offset: Array) -> Array:
        return np.asarray(margins(chart.at(points + offset - origin, np.ones(len(points)))))

    here = at(np.zeros(3))
    unmet, limit = np.asarray(np.isnan(here).any(-1)), here.argmin(-1)
    h = _DIFFERENCE * size * np.eye(3)
    slope = np.stack([at(d)[rows, limit] - at(-d)[rows, limit] for d in h], -1)
    if unmet.any():  # nothing has a slope there: towards where the legs do meet
        probes = sphere(_PROBES)[0].reshape(-1, 3)
        met = [~np.isnan(at(_PROBED * size * d)).any(-1) for d in probes]
        slope = np.where(unmet[:, None], np.array(met).T.astype(float) @ probes, slope)
    family = np.where(unmet, ENDS.index("assembly"), limit)
    return family, -slope / np.maximum(np.linalg.norm(slope, axis=-1, keepdims=True), 1e-300)
