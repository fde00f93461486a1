"""Maps of a number over a plane of the workspace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.digits import short_decimal
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Rows, Table
from gough.display.brief import brief
from gough.kinematics.workspace.plots import label_slice, shown_scale
from gough.kinematics.workspace.slices import Slice, is_angle, slice_poses
from gough.model.kernels import Kernels
from gough.plots.pictures import single_axes
from gough.plots.style import titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RESOLUTION = 240
"""Number of poses along each axis."""
_LEVELS = 12
_WIDTH, _BESIDE, _ABOVE = 5.6, 1.6, 1.2
"""Width of a map [inch], and room for its scale beside and its title above it."""


@dataclass(frozen=True)
class Map(Displayable):
    """A number over the reachable part of a slice."""

    meaning: str
    unit: str
    slice: Slice
    values: Array
    """(n, n) as the margins of the slice; NaN where nothing is reachable."""

    __repr__ = brief

    @property
    def heading(self) -> tuple[str, str]:
        """The plane, and the mapped quantity."""
        return f"map over {' and '.join(self.slice.axes)}", self.meaning

    def tables(self) -> list[Table]:
        """Minimum and maximum, each with its place."""
        rows: Rows = []
        if np.isfinite(self.values).any():
            for word, place in (
                ("minimum", np.nanargmin(self.values)),
                ("maximum", np.nanargmax(self.values)),
            ):
                i, j = np.unravel_index(place, self.values.shape)
                rows.append((word, float(self.values[i, j]), self.unit))
                for axis, at, unit in zip(
                    self.slice.axes,
                    (self.slice.first[i], self.slice.second[j]),
                    self.slice.units,
                    strict=True,
                ):
                    rows.append((f"  at {axis}", float(at), unit))
        return [Table.properties("", rows or [("", "nothing reachable", "")])]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        of_slice = ("axes", "units", "fixed", "first", "second")
        return {
            "meaning": self.meaning,
            "unit": self.unit,
            **{name: getattr(self.slice, name) for name in of_slice},
            "values": self.values,
        }

    def plot(self, *, title: str = "", ax: Axes | None = None) -> Axes:
        """Plot the map with contour lines, and return the axes."""
        part = self.slice
        (first, x_unit), (second, y_unit) = (shown_scale(is_angle(name)) for name in part.axes)
        alike = x_unit == y_unit == "m"
        grid = (part.first * first, part.second * second)
        height = float(np.ptp(grid[1]) / np.ptp(grid[0])) if alike else 1.0
        size = (_WIDTH + _BESIDE, _WIDTH * min(max(height, 0.5), 1.5) + _ABOVE)
        axes = single_axes(ax, size, dpi=160)
        values = np.ma.masked_invalid(self.values.T)
        if values.count():
            filled = axes.contourf(*grid, values, levels=_LEVELS, cmap="viridis")
            levels = np.asarray(filled.levels)[::2]
            lines = axes.contour(*grid, values, levels=levels, colors="white", linewidths=0.6)
            axes.clabel(lines, fmt=short_decimal, fontsize=7)
            least = np.where(np.isnan(part.margins).any(-1), -1.0, part.margins.min(-1))
            axes.contour(*grid, least.T, levels=[0.0], colors="black", linewidths=1.4)
            axes.figure.colorbar(filled, ax=axes, label=f"{self.meaning} [{self.unit}]")
        else:
            axes.text(0.5, 0.5, "nothing reachable", transform=axes.transAxes, ha="center")
        axes.set_aspect("equal" if alike else "auto")
        label_slice(axes, part)
        if ax is None:
            titled(axes, title)
        return axes


def mapped(
    model: Kernels,
    cut: Slice,
    pose: ArrayLike | None,
    of_poses: Callable[[Array], Array],
    words: str,
    unit: str,
) -> Map:
    """Map a function of poses (k, 7) over the reachable part of a slice through a pose."""
    inside = cut.inside
    values = np.full(inside.shape, np.nan)
    if inside.any():
        values[inside] = of_poses(slice_poses(model, cut, pose)[inside])
    return Map(words, unit, cut, values)
