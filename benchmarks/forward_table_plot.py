"""The picture of a forward-kinematics study: how many iterations, at four accuracies."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from gough.plots.pictures import save_plot
from gough.plots.style import titled

if TYPE_CHECKING:
    from benchmarks.forward_table import ForwardStudy, Measurement

COLORS = ("#8a8f98", "#c98a3b", "#2f6fb3")
LEAST_SHARE = 0.5
"""What is drawn of the tails [%]."""


def save_study_plot(study: ForwardStudy, path: str | Path) -> None:
    """Save the distribution of iteration numbers, as in Kalani 2016, Fig. 6 (.png, .svg, .pdf)."""
    figure = Figure(figsize=(8.0, 5.6), dpi=160, layout="constrained")
    many = study.of("many")
    panels = [list(group) for _, group in groupby(many, key=lambda m: m.accuracy)]
    axes: Any = figure.subplots(2, 2, sharex=True, sharey=True)
    for place, measurements in zip(axes.flat, panels, strict=True):
        _draw(place, measurements)
    drawn = [n for m in many for n, share in enumerate(_shares(m)) if share >= LEAST_SHARE]
    ticks = range(min(drawn), max(drawn) + 1)
    axes[0, 0].set(xlim=(ticks[0] - 0.6, ticks[-1] + 0.6), ylim=(0, 112), xticks=ticks)
    for place in axes[1]:
        place.set_xlabel("iterations")
    for place in axes[:, 0]:
        place.set_ylabel("share of poses [%]")
    title = f"{study.robot}: iterations to the pose, {many[0].count:,} random poses"
    titled(figure.axes[0], title)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    save_plot(figure.axes, path)


def _draw(place: Any, measurements: list[Measurement]) -> None:
    """One accuracy: a group of bars for each number of iterations."""
    width = 0.8 / len(measurements)
    for k, (m, color) in enumerate(zip(measurements, COLORS, strict=True)):
        shares = _shares(m)
        x = np.arange(len(shares)) + (k - (len(measurements) - 1) / 2) * width
        place.bar(x, shares, width, color=color, label=m.way)
        for at, value in zip(x, shares, strict=True):
            if value >= LEAST_SHARE:
                place.annotate(
                    f"{value:.0f}", (at, value), (0, 1), textcoords="offset points",
                    ha="center", va="bottom", fontsize=7, color=color,
                )  # fmt: skip
    place.set_title(
        f"$E_{{max}} = 10^{{{round(np.log10(measurements[0].accuracy))}}}$", fontsize=10
    )
    place.spines[["top", "right"]].set_visible(False)


def _shares(m: Measurement) -> Any:
    """How many percent of the poses took 0, 1, 2, ... iterations."""
    return 100 * np.array(m.iterations) / m.count
