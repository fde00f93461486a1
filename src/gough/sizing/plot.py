"""Force over speed as a picture: every sample, and the envelope of an actuator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough.plots.pictures import single_axes
from gough.plots.style import (
    axis_label,
    line_colour,
    literal,
    titled,
    with_grid,
    with_legend_beside,
)
from gough.sizing.force_speed import of_candidate
from gough.sizing.selection import Candidate, Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_force_speed(selection: Selection, candidate: Candidate, ax: Axes | None = None) -> Axes:
    """Plot every sample of all motions in the plane of speed and force, within the envelope."""
    chart = of_candidate(selection.robot, candidate.actuator, candidate.loads)
    axis = single_axes(ax, (7.5, 4.8))
    for k, name, speed, force in zip(
        chart.numbers, chart.names, chart.speed, chart.force, strict=True
    ):
        axis.plot(speed, force, ".", markersize=2.5, color=line_colour(k), label=literal(name))
    for outline in chart.outlines:
        style = "--" if outline.dashed else "-"
        for n, (x, y) in enumerate(outline.parts()):
            label = "_" * (n > 0) + outline.label
            axis.plot(x, y, style, color="black", linewidth=1.1, label=label)
    axis.set_xlabel(axis_label("speed", "rad/s" if chart.turning else "m/s"))
    effort = ("torque", "N m") if chart.turning else ("force", "N")
    axis.set_ylabel(axis_label(*effort))
    with_grid(axis)
    with_legend_beside(axis)
    if ax is None:
        word = "suffices" if candidate.suffices else "does not suffice"
        titled(axis, f"{candidate.name}: {word}, {100 * candidate.margin:.3g} % left")
    return axis
