"""Pictures of calibrations: residuals before and after, and the numbers that were found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gough.arrays import AnyArray
from gough.display.card import number
from gough.identification.calibration.found import Calibration, Misfit
from gough.plots.pictures import Figure, save_picture
from gough.plots.style import line_colour, literal, titled, with_grid

_INTERVAL = 1.96
"""Standard deviations that 95 % of all errors are within."""
_SCALE = {"m": (1e3, "mm"), "rad": (1e3, "mrad"), "1": (1e3, "1e-3")}


def save_calibration(found: Calibration, path: str | Path) -> None:
    """Save a picture: residuals of each measurement, and changes of all parameters."""
    figure = Figure(figsize=(13, 7.5), dpi=140)
    figure.set_layout_engine("constrained", wspace=0.06)
    halves: Any = figure.subfigures(1, 2, width_ratios=(1, 1.15))
    left, right = halves
    shown = [
        (columns, unit, name)
        for columns, unit, name in (
            (~found.residuals.turns, "m", "length"),
            (found.residuals.turns, "rad", "angle"),
        )
        if columns.any()
    ]
    panels = left.subplots(len(shown), 1, squeeze=False)[:, 0]
    for axes, (columns, unit, name) in zip(panels, shown, strict=True):
        _draw_residuals(axes, found, columns, unit, name)
    _draw_changes(right, found)
    way, turn = found.workspace_sigma
    title = f"{found.prior.name}: {len(found.weights)} measurements tell {found.rank} of "
    title += f"{len(found.parameters)} parameters"
    known = [f"{number(1e6 * way, 3)} µm"] if np.isfinite(way) else []
    known += [f"{number(1e6 * turn, 3)} µrad"] if np.isfinite(turn) else []
    if known:
        title += f"; its pose is then known to {' and '.join(known)} (rms over the workspace)"
    titled(figure, title)
    save_picture(figure, path, trimmed=True)


def _draw_residuals(axes: Any, found: Calibration, columns: AnyArray, unit: str, name: str) -> None:
    """The size of each measurement's residual, on a logarithmic scale."""
    factor, shown = _SCALE[unit]
    count = len(found.weights)
    for k, words in enumerate(("before", "after")):
        sizes = factor * _sizes(found.residuals, words, columns)
        axes.plot(np.arange(1, count + 1), sizes, ".-", color=line_colour(k), lw=0.6, label=words)
    if found.validation is not None:
        for k, words in enumerate(("before", "after")):
            sizes = factor * _sizes(found.validation, words, columns)
            places = count + np.arange(1, len(sizes) + 1)
            axes.plot(places, sizes, "x", color=line_colour(k), label=f"held out, {words}")
    axes.set_yscale("log")
    axes.set_ylabel(f"{name} off [{shown}]")
    axes.set_xlabel("measurement")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, fontsize=8, ncols=4)
    with_grid(axes)


def _sizes(misfit: Misfit, words: str, columns: AnyArray) -> Any:
    residuals = misfit.before if words == "before" else misfit.after
    return np.linalg.norm(residuals[:, columns], axis=-1)


def _draw_changes(figure: Any, found: Calibration) -> None:
    """Changes of the parameters with their intervals, those of each unit by themselves."""
    units = list(dict.fromkeys(p.unit for p in found.parameters))
    groups = [[p for p in found.parameters if p.unit == unit] for unit in units]
    panels = figure.subplots(len(units), 1, squeeze=False, height_ratios=list(map(len, groups)))
    for axes, unit, group in zip(panels[:, 0], units, groups, strict=True):
        factor, shown = _SCALE.get(unit, (1.0, unit))
        places = np.arange(len(group))
        changes = factor * np.array([p.change for p in group])
        sigmas = factor * np.array([p.sigma for p in group])
        told = np.isfinite(sigmas)
        bars = _INTERVAL * np.where(told, sigmas, 0.0)
        axes.errorbar(
            changes[told], places[told], xerr=bars[told], fmt="o", ms=3, lw=1, color=line_colour(0),
            label="change with its 95 % interval",
        )  # fmt: skip
        if not told.all():
            axes.plot(
                changes[~told],
                places[~told],
                "x",
                ms=4,
                color=line_colour(1),
                label="not identifiable",
            )
        axes.axvline(0, color="0.5", lw=0.8)
        axes.set_yticks(places, [literal(p.name) for p in group], fontsize=6)
        axes.invert_yaxis()
        axes.set_xlabel(f"change [{shown}]")
        with_grid(axes)
    panels[0, 0].legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, fontsize=8, ncols=2)
