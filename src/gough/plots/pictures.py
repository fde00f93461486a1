"""Figures: made where no axes are given, saved in the format of their name, true to scale in space.

Every result has `plot(..., ax=None)`, which returns the axes that it drew on: those given as `ax`,
or those of a new figure, which `save_plot` saves. All figures come from here, so that one place
says what to install for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.disk.files import atomic_write
from gough.errors import GoughError, needing
from gough.plots.style import root_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from mpl_toolkits.mplot3d import Axes3D


with needing("matplotlib", "plots", "pictures"):
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414  (offered to others)
    from matplotlib.ticker import MaxNLocator
    from matplotlib.transforms import Bbox

_TICKS, _FEW_TICKS = 5, 3  # number of tick labels along a long and a short side
_PADS = {"x": 6, "y": 6, "z": 12}  # between the numbers of an axis and its name [points]
_FILLING = 1.6
"""The zoom at which matplotlib makes a cube, seen from the front, nearly as large as its axes."""

_BORDER = 0.12  # around what is drawn, in a trimmed picture [inch]


def new_figure(size: tuple[float, float], **options: Any) -> Figure:
    """Return a new figure of a size [inch]: one of pyplot where it shows figures, in notebooks."""
    options = {"layout": "constrained", **options}
    if mpl.is_interactive():
        from matplotlib import pyplot  # noqa: PLC0415  (slow to import)

        return pyplot.figure(figsize=size, **options)
    return Figure(figsize=size, **options)


def single_axes(ax: Axes | None, size: tuple[float, float], **options: object) -> Axes:
    """Return the axes given, or those of a new figure of a size [inch]."""
    return new_figure(size, **options).add_subplot() if ax is None else ax


def stacked_axes(count: int, width: float, height: float, around: float) -> list[Axes]:
    """Return axes of a new figure above one another, with one x axis; sizes [inch]."""
    figure = new_figure((width, around + height * count))
    return list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])


def several_axes(
    ax: Axes | Sequence[Axes] | None, count: int, make: Callable[[], Iterable[Axes]]
) -> list[Axes]:
    """Return the axes given, one for each panel, or those of a new figure."""
    given: list[Axes] = list(make()) if ax is None else np.ravel(np.array(ax, object)).tolist()
    if len(given) != count:
        raise GoughError(f"ax has {len(given)} axes; expected {count}, one for each panel")
    return given


def save_plot(axes: Axes | Sequence[Axes], path: str | Path) -> None:
    """Save the figure of axes without empty margins, all of it or nothing (.png, .svg, .pdf).

    Axes of several figures become the pages of a .pdf.
    """
    suffix, every = Path(path).suffix.lower(), axes if isinstance(axes, Sequence) else [axes]
    if suffix.lstrip(".") not in FigureCanvasAgg.filetypes:
        known = "png, svg, pdf"
        raise GoughError(f"{path}: unknown kind of picture; expected a name that ends in {known}")
    if not every:
        raise GoughError(f"{path}: no axes to save; expected those of a figure")
    figures = list(dict.fromkeys(map(root_figure, every)))
    if len(figures) > 1 and suffix != ".pdf":
        raise GoughError(f"{path}: {len(figures)} figures; expected a name that ends in pdf")
    with atomic_write(path) as part:
        if len(figures) == 1:
            box = ink_box(figures[0]).padded(_BORDER)
            figures[0].savefig(part, format=suffix[1:], bbox_inches=box, dpi="figure")
            return
        with PdfPages(part) as pages:
            for figure in figures:
                pages.savefig(figure)


def ink_box(figure: Figure) -> Bbox:
    """Where a figure has any ink [inch]."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    ink = np.asarray(canvas.buffer_rgba())[::-1, :, :3] < 255
    rows, columns = (np.flatnonzero(ink.any(axis=across)) for across in ((1, 2), (0, 2)))
    (left, bottom), (right, top) = (columns[0], rows[0]), (columns[-1] + 1, rows[-1] + 1)
    return Bbox([[left / figure.dpi, bottom / figure.dpi], [right / figure.dpi, top / figure.dpi]])


def true_scale(axes: Axes3D, box: Array, labels: Sequence[str], *, zoom: float = 1.0) -> None:
    """Show a box (3, 2) of x, y, z, with the same unit equally long along all three axes."""
    sides = np.ptp(box, axis=1)
    for letter, ends, side, label in zip("xyz", box, sides, labels, strict=True):
        getattr(axes, f"set_{letter}lim")(*ends)
        getattr(axes, f"set_{letter}label")(label, fontsize=9, labelpad=_PADS[letter])
        axis = getattr(axes, f"{letter}axis")
        count = _TICKS if side > 0.6 * sides.max() else _FEW_TICKS
        axis.set_major_locator(MaxNLocator(count, prune="both"))
        axis.set_pane_color((1, 1, 1, 0))
        axis._axinfo["grid"].update(color="#d5d8dc", linewidth=0.5)
    axes.zaxis.set_rotate_label(False)
    axes.zaxis.label.set_rotation(90)  # upright, from wherever it is seen
    axes.set_box_aspect(sides / sides.max(), zoom=zoom)
    axes.tick_params(labelsize=8)


def fill_square(axes: Axes3D, points: Array, view: tuple[float, float]) -> None:
    """Show nothing but what is drawn, from afar, so that points (n, 3) fill square axes."""
    elevation, azimuth = view
    up = sphere_direction(elevation + 90, azimuth)
    screen = np.stack([sphere_direction(0, azimuth + 90), up])  # to the right, and up
    low, high = (points @ screen.T).min(0), (points @ screen.T).max(0)
    middle, half = (low + high) / 2 @ screen, (high - low).max() / 2
    axes.set_proj_type("ortho")
    axes.set_axis_off()
    axes.set(**{f"{k}lim": (m - half, m + half) for k, m in zip("xyz", middle, strict=True)})
    axes.set_box_aspect((1, 1, 1), zoom=_FILLING)


def sphere_direction(elevation: float, azimuth: float) -> Array:
    """The unit vector towards a viewer or a light, from angles [deg]."""
    e, a = np.radians(elevation), np.radians(azimuth)
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
