"""Pictures of calibrations: residuals before and after, and the numbers that were found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import AnyArray
from gough.display.card import number
from gough.identification.calibration.found import Calibration
from gough.identification.identified import Parameter
from gough.plots.pictures import new_figure, several_axes
from gough.plots.style import line_colour, literal, titled, with_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INTERVAL = 1.96  # standard deviations that 95 % of all errors are within
_ABOVE: Any = {"loc": "lower left", "bbox_to_anchor": (0, 1), "frameon": False, "fontsize": 8}
_SCALE = {"m": (1e3, "mm"), "rad": (1e3, "mrad"), "1": (1e3, "1e-3")}


def plot_calibration(found: Calibration, ax: Sequence[Axes] | None = None) -> list[Axes]:
    """Plot residuals of each measurement, and changes of all parameters; return the axes."""
    turns = found.residuals.measured.turns
    kinds = ((~turns, "m", "length"), (turns, "rad", "angle"))
    shown = [kind for kind in kinds if kind[0].any()]
    units = list(dict.fromkeys(p.unit for p in found.parameters))
    groups = [[p for p in found.parameters if p.unit == unit] for unit in units]

    def panels() -> list[Axes]:
        figure = new_figure((13, 7.5), dpi=140)
        halves: Any = figure.subfigures(1, 2, width_ratios=(1, 1.15), wspace=0.06)
        left = halves[0].subplots(len(shown), squeeze=False)
        right = halves[1].subplots(len(units), squeeze=False, height_ratios=[*map(len, groups)])
        return [*left[:, 0], *right[:, 0]]

    axes = several_axes(ax, len(shown) + len(units), panels)
    for one, kind in zip(axes, shown, strict=False):
        _draw_residuals(one, found, *kind)
    for one, unit, group in zip(axes[len(shown) :], units, groups, strict=True):
        _draw_changes(one, unit, group)
    axes[len(shown)].legend(**_ABOVE, ncols=2)
    if ax is None:
        titled(axes, _title(found))
    return axes


def _title(found: Calibration) -> str:
    title = f"{found.prior.name}: {len(found.weights)} measurements tell {found.rank} of "
    title += f"{len(found.parameters)} parameters"
    sigmas = zip(found.workspace_sigma, ("µm", "µrad"), strict=True)
    known = [f"{number(1e6 * sigma, 3)} {unit}" for sigma, unit in sigmas if np.isfinite(sigma)]
    if known:
        title += f"; its pose is then known to {' and '.join(known)} (rms over the workspace)"
    return title


def _draw_residuals(
    axes: Axes, found: Calibration, columns: AnyArray, unit: str, name: str
) -> None:
    """The size of each measurement's residual, on a logarithmic scale."""
    (factor, shown), count = _SCALE[unit], len(found.weights)
    for misfit, first, mark, name_of in (
        (found.residuals, 1, ".-", "{}"),
        (found.validation, count + 1, "x", "held out, {}"),
    ):
        for k, words in enumerate(("before", "after") if misfit else ()):
            sizes = factor * np.linalg.norm(getattr(misfit, words)[:, columns], axis=-1)
            number, label = first + np.arange(len(sizes)), name_of.format(words)
            axes.plot(number, sizes, mark, color=line_colour(k), lw=0.6, label=label)
    axes.set_yscale("log")
    axes.set_ylabel(f"{name} off [{shown}]")
    axes.set_xlabel("measurement")
    axes.legend(**_ABOVE, ncols=4)
    with_grid(axes)


def _draw_changes(axes: Axes, unit: str, group: Sequence[Parameter]) -> None:
    """Changes of the parameters of one unit with their intervals."""
    factor, shown = _SCALE.get(unit, (1.0, unit))
    places = np.arange(len(group))
    changes = factor * np.array([p.change for p in group])
    sigmas = factor * np.array([p.sigma for p in group])
    known = np.isfinite(sigmas)
    bars = _INTERVAL * np.where(known, sigmas, 0.0)
    style: Any = {"ms": 3, "lw": 1, "color": line_colour(0)}
    label = "change with its 95 % interval"
    axes.errorbar(changes[known], places[known], xerr=bars[known], fmt="o", label=label, **style)
    if not known.all():
        style = {"ms": 4, "color": line_colour(1), "label": "not identifiable"}
        axes.plot(changes[~known], places[~known], "x", **style)
    axes.axvline(0, color="0.5", lw=0.8)
    axes.set_yticks(places, [literal(p.name) for p in group], fontsize=6)
    axes.invert_yaxis()
    axes.set_xlabel(f"change [{shown}]")
    with_grid(axes)
