"""Maps: a number over slices through the workspace, where the machine can go, and their picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.workspace.plots import INK, fixed_words, height_of, panels, shown_scale
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.kinematics.workspace.slices import (
    COORDINATES,
    Slice,
    free_coordinates,
    is_angle,
    workspace_slice,
)
from gough.model.kernels import Kernels
from gough.plots.saving import save_picture
from gough.plots.style import axis_label, titled
from gough.poses import pose as make_pose
from gough.shown.brief import brief

_COLUMNS = 3


@dataclass(frozen=True)
class Map:
    """A number over a slice through the workspace."""

    part: Slice
    name: str
    unit: str
    values: Array
    """(n, n) as the margins of the slice; NaN where the machine cannot go."""

    __repr__ = brief


def maps(
    model: Kernels,
    found: Callable[[Array], Array],
    name: str,
    unit: str,
    pose: Any = None,
    *,
    limits: Limits = ALL_LIMITS,
    resolution: int = 240,
) -> list[Map]:
    """A number of poses (n, 7) over three planes of positions through `pose` (default home)."""
    if len(free_coordinates(model)) < len(COORDINATES):
        raise GoughError(f"{model.robot.name}: a map needs a machine of six freedoms")
    planes = combinations(COORDINATES[:3], 2)
    parts = [
        workspace_slice(model, plane, pose, limits=limits, resolution=resolution)
        for plane in planes
    ]
    return [Map(part, name, unit, _over(part, found)) for part in parts]


def save_maps(made: Sequence[Map], path: str | Path, *, title: str = "") -> None:
    """Save maps side by side, in the same colours."""
    known = np.concatenate([one.values[np.isfinite(one.values)] for one in made])
    if not known.size:
        raise GoughError(f"{title}: nothing is reachable in these planes; expected another pose")
    heights = [height_of(one.part) for one in made]
    figure, places = panels(heights, min(len(made), _COLUMNS))
    axes = [figure.add_subplot(place) for place in places]
    levels = np.array(MaxNLocator(14).tick_values(known.min(), known.max()))
    for one, axis in zip(made, axes, strict=True):
        image = _draw(axis, one, (known.min(), known.max()), levels)
    label = axis_label(made[0].name, made[0].unit)
    figure.colorbar(image, ax=axes, label=label, location="bottom", shrink=0.5, aspect=40)
    titled(figure, title)
    save_picture(figure, path, trimmed=True)


def poses_of(part: Slice) -> Array:
    """(n, n, 7) of a slice of a machine that moves in all coordinates."""
    values: dict[str, Any] = {**part.fixed}
    values[part.axes[0]], values[part.axes[1]] = part.first[:, None], part.second
    shape = (len(part.first), len(part.second))
    each = np.stack([np.broadcast_to(values[name], shape) for name in COORDINATES], -1)
    return make_pose(each[..., :3], rpy=each[..., 3:])


def _over(part: Slice, found: Callable[[Array], Array]) -> Array:
    values = np.full(part.inside.shape, np.nan)
    values[part.inside] = found(poses_of(part)[part.inside])
    return values


def _draw(axes: Any, one: Map, ends: tuple[float, float], levels: Array) -> Any:
    """One map, with lines of equal numbers and the boundary of what can be reached."""
    part = one.part
    scaled = [shown_scale(is_angle(name)) for name in part.axes]
    grid = [x * scale for x, (scale, _) in zip((part.first, part.second), scaled, strict=True)]
    image = axes.imshow(
        one.values.T, origin="lower", extent=[x for g in grid for x in (g[0], g[-1])],
        vmin=ends[0], vmax=ends[1], cmap="viridis", interpolation="nearest",
    )  # fmt: skip
    if part.inside.any():
        lines = axes.contour(*grid, one.values.T, levels=levels, colors="white", linewidths=0.7)
        axes.clabel(lines, fmt="%g", fontsize=7)
        least = np.where(np.isnan(part.margins).any(-1), -1.0, part.margins.min(-1))
        axes.contour(*grid, least.T, levels=[0.0], colors=INK, linewidths=1.6)
    axes.set_xlabel(f"{part.axes[0]} [{scaled[0][1]}]")
    axes.set_ylabel(f"{part.axes[1]} [{scaled[1][1]}]")
    axes.set_title(fixed_words(part), fontsize=9)
    axes.tick_params(labelsize=8)
    return image
