"""Pictures of the shapes of modes."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from gough.arrays import Array
from gough.digits import short_decimal
from gough.errors import GoughError
from gough.kinematics.elastic.modes import Modes
from gough.kinematics.elastic.swings import Swings, swings
from gough.plots.shapes import Shape
from gough.plots.space import fill_square
from gough.plots.style import line_colour, titled

_SWING = 0.12
"""How far what moves most goes in a picture, by the machine's reach."""
_COLUMNS, _SIDE = 3, 3.0
"""Pictures in a row, and their size [inch]."""
_VIEW = (24.0, -62.0)
_BASE, _PLATFORM, _REST = "#333333", "#2f6fb3", "#c9ced6"


def plot_shapes(found: Modes, numbers: tuple[int, ...] = ()) -> Figure:
    """The machine at both ends of its swing in some modes, counted from 1, or in the lowest six.

    The other end is pale, and the platform at rest grey. Pistons and stages are not drawn. Where
    links or bearings yield, all joints go as the shape says, and beams are lines that bend.
    """
    if found.frequencies.ndim > 1:
        raise GoughError(
            f"these modes are of {found.frequencies.shape[:-1]} poses, and shapes are drawn of "
            "one; expected gough.modes(robot, pose) of that one"
        )
    chosen = numbers or tuple(range(1, min(len(found), 6) + 1))
    if not all(1 <= k <= len(found) for k in chosen):
        raise GoughError(f"modes are {chosen}; expected numbers from 1 to {len(found)}")
    rows, columns = ceil(len(chosen) / _COLUMNS), min(len(chosen), _COLUMNS)
    figure = Figure(figsize=(_SIDE * columns, (_SIDE + 0.3) * rows + 0.4), layout="constrained")
    seen = swings(found)
    factors = _SWING * seen.shape.reach / seen.largest
    for place, k in enumerate(chosen, 1):
        axes: Any = figure.add_subplot(rows, columns, place, projection="3d")
        _draw(axes, seen, k - 1, factors[k - 1])
        frequency = short_decimal(float(f"{found.frequencies[k - 1]:.4g}"))
        axes.set_title(f"{frequency} Hz: {found.most[k - 1][0]}", fontsize=9)
    titled(figure, f"{found.robot.name}: modes of vibration")
    return figure


def _draw(axes: Any, seen: Swings, mode: int, factor: float) -> None:
    """A machine at rest, and at both ends of a swing."""
    shape, ends = seen.shape, factor * np.array([1.0, -1.0])
    rest, swung = shape.points(seen.found.pose), seen.points(mode, ends)
    _outline(axes, shape, rest, "base", color=_BASE, lw=1.2)
    _outline(axes, shape, rest, "platform", color=_REST, lw=1.2)
    for points, end, alpha in zip(swung, ends, (1.0, 0.35), strict=True):
        _outline(axes, shape, points, "platform", color=_PLATFORM, lw=1.8, alpha=alpha)
        for bar, line in seen.bars(mode, end):
            colour = _REST if bar.actuator is None else line_colour(bar.actuator)
            axes.plot(*line.T, color=colour, lw=1.2, alpha=0.6 * alpha)
    axes.view_init(*_VIEW)
    fill_square(axes, np.concatenate([rest, *swung]), _VIEW)


def _outline(axes: Any, shape: Shape, points: Array, body: str, **look: Any) -> None:
    """A plate, if a body is one."""
    corners = list(shape.plates[body])
    axes.plot(*points[[*corners, *corners[:1]]].T, **look)
