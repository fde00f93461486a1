"""What all figures share: the legs' colours, and words that matplotlib takes as they are."""

from __future__ import annotations

from typing import Any

LEG_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by people who see colours differently (Okabe and Ito)."""


def line_colour(k: int) -> str:
    """The colour of a leg, or of another line, counted from 0; there are six before they repeat."""
    return LEG_COLOURS[k % len(LEG_COLOURS)]


def with_grid(axis: Any) -> None:
    """Thin lines behind the curves."""
    axis.grid(visible=True, linewidth=0.4, alpha=0.5)


def with_legend_beside(axis: Any, title: str | None = None) -> None:
    """What the curves are, to the right of them."""
    axis.legend(
        title=title, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9
    )


def literal(text: str) -> str:
    """A user's text for ticks and legends, where matplotlib would read $…$ as a formula."""
    return text.replace("$", r"\$")


def words(name: str) -> str:
    """A quantity's name as words."""
    return name.replace("_", " ")
