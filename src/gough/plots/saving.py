"""Saving a picture, in the format that its name says."""

from __future__ import annotations

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gough.disk.files import whole
from gough.errors import GoughError


def save_picture(figure: Figure, path: str | Path) -> None:
    """Save a figure, all of it or nothing (.png, .svg, .pdf)."""
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in FigureCanvasAgg(figure).get_supported_filetypes():
        known = "png, svg, pdf"
        raise GoughError(f"{path}: unknown kind of picture; expected a name that ends in {known}")
    with whole(path) as part:
        figure.savefig(part, format=suffix)
