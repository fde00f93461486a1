"""Saving a picture, in the format that its name says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from gough.disk.files import whole
from gough.errors import GoughError

_BORDER = 0.12
"""Around what is drawn, in a trimmed picture [inch]."""


def save_picture(
    figure: Figure, path: str | Path, *, trimmed: bool = False, dpi: float | None = None
) -> None:
    """Save a figure, all of it or nothing (.png, .svg, .pdf); trimmed: without empty margins."""
    suffix = picture_format(path)
    box = ink_box(figure).padded(_BORDER) if trimmed else None
    with whole(path) as part:
        figure.savefig(part, format=suffix, bbox_inches=box, dpi=dpi or "figure")


def picture_format(path: str | Path) -> str:
    """The format that a picture's name says."""
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in FigureCanvasAgg.filetypes:
        known = "png, svg, pdf"
        raise GoughError(f"{path}: unknown kind of picture; expected a name that ends in {known}")
    return suffix


def ink_box(figure: Figure) -> Bbox:
    """Where a figure has any ink [inch]."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    ink = (np.asarray(canvas.buffer_rgba())[::-1, :, :3] < 255).any(-1)
    (top, bottom), (right, left) = ((k.max() + 1, k.min()) for k in np.nonzero(ink))
    return Bbox([[left / figure.dpi, bottom / figure.dpi], [right / figure.dpi, top / figure.dpi]])
