"""Style of all figures: the legs' colours, and words that matplotlib takes as they are."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING

from gough.digits import with_powers
from gough.disk.plain_data import PlainData

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEG_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Colours that colour-blind people can distinguish (Okabe and Ito)."""

_DASHES = ("-", "--", ":")
_ROWS = 11  # maximum number of rows of a legend
_LETTERS = 10  # letters of a title per inch


def line_colour(k: int) -> str:
    """The colour of a leg, or of another line, counted from 0; there are six before they repeat."""
    return LEG_COLOURS[k % len(LEG_COLOURS)]


def line_look(k: int) -> PlainData:
    """Return colour and dashes of a line, counted from 0: eighteen can be distinguished."""
    return {"color": line_colour(k), "linestyle": _DASHES[k // len(LEG_COLOURS) % len(_DASHES)]}


def with_grid(axis: Axes) -> None:
    """Thin lines behind the curves."""
    axis.grid(visible=True, linewidth=0.4, alpha=0.5)


def with_legend_beside(axis: Axes, title: str | None = None) -> None:
    """Put the legend of the curves to the right of them."""
    count = len(axis.get_legend_handles_labels()[1])
    axis.legend(
        title=title, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9,
        ncols=ceil(count / _ROWS),
    )  # fmt: skip


def with_legend_below(axes: Sequence[Axes]) -> None:
    """Put the legend of the curves of all panels in rows below them."""
    figure = root_figure(axes)
    handles, labels = axes[0].get_legend_handles_labels()
    room = int(_LETTERS * figure.get_figwidth()) // (max(map(len, labels)) + 6)
    figure.legend(
        handles, labels, loc="outside lower center", frameon=False, fontsize=9, ncols=max(1, room)
    )


def root_figure(axes: Axes | Sequence[Axes]) -> Figure:
    """Return the figure of axes."""
    figure: Figure = (axes[0] if isinstance(axes, Sequence) else axes).figure.figure
    return figure


def titled(axes: Axes | Sequence[Axes], text: str) -> None:
    """Put a title over the figure of axes, in as many lines as it needs."""
    figure = root_figure(axes)
    figure.suptitle(wrapped(text, figure.get_figwidth()), fontsize=11, parse_math=False)


def wrapped(text: str, inches: float) -> str:
    """A title in lines that are not wider than that."""
    return "\n".join(fill(line, int(_LETTERS * inches)) for line in text.split("\n"))


def axis_label(text: str, unit: str) -> str:
    """Return the label of an axis, with its unit; plain numbers have none."""
    return literal(text if unit in ("", "1") else f"{text} [{with_powers(unit)}]")


def literal(text: str) -> str:
    """A user's text for ticks and legends, where matplotlib would read $…$ as a formula."""
    return text.replace("$", r"\$")


def words(name: str) -> str:
    """A quantity's name as words."""
    return name.replace("_", " ")
