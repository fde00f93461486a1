"""Figures of compliant machines: compliance ellipsoids, frequency responses, mode shapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.digits import short_decimal
from gough.elastic.mode_shapes import ModeShapes, mode_shapes_of
from gough.elastic.natural_modes import NaturalModes
from gough.elastic.response import FrequencyResponse
from gough.elastic.stiffness import Stiffness
from gough.errors import GoughError
from gough.kinematics.size import machine_size
from gough.plots.machine import draw_ellipsoid, plot_machine
from gough.plots.pictures import fill_square, new_figure, several_axes
from gough.plots.shapes import Shape
from gough.plots.style import LEG_COLOURS, line_colour, titled, with_grid
from gough.robot import MOVES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from mpl_toolkits.mplot3d import Axes3D


_SWING = 0.12  # maximum displacement in a figure, relative to the machine's size
_COLUMNS, _SIDE = 3, 3.0  # number of axes in a row, and their size [inch]
_VIEW = (24.0, -62.0)
_BASE, _PLATFORM, _REST = "#333333", "#2f6fb3", "#c9ced6"
_WORDS = {move: f"about {move[1:]}" if move in MOVES[3:] else f"along {move}" for move in MOVES}
_SHARE = 0.35  # longest semi-axis of an ellipsoid, relative to the machine's size
_PARTS = (
    ("Translation under a force", ("m/N", "N/m"), slice(0, 3)),
    ("Rotation under a moment", ("rad/(N m)", "N m/rad"), slice(3, 6)),
)


def plot_ellipsoids(found: Stiffness, ax: Sequence[Axes] | None = None) -> list[Axes]:
    """Plot the machine with its compliance ellipsoids for forces and for moments.

    The distance from the platform's origin to an ellipsoid's surface is the platform's compliance
    in that direction: the displacement along a unit load, without the components across it.
    """
    panels = several_axes(ax, len(_PARTS), lambda: _panels_in_space((13, 7), 2, dpi=140))
    principals = found.translation, found.rotation
    for axes, principal, (words, units, part) in zip(panels, principals, _PARTS, strict=True):
        plot_machine(found.robot, found.pose, ax=axes)
        compliance = found.compliance[part, part]
        if not np.isfinite(principal.values[0]):
            axes.set_title(f"{words}: none, all directions are rigid", fontsize=10)
            continue
        scale = _SHARE * machine_size(found.robot) * principal.values[0]
        draw_ellipsoid(axes, found.pose[:3], scale * (compliance + compliance.T) / 2)
        axes.set_title(
            f"{words}: up to {1 / principal.values[0]:.3g} {units[0]}\n"
            f"stiffness from {short_decimal(principal.values[0])} to "
            f"{short_decimal(principal.values[2])} {units[1]}",
            fontsize=10,
        )
    if ax is None:
        titled(panels, f"{found.robot.name}: compliance")
    return panels


def _panels_in_space(size: tuple[float, float], count: int, **options: object) -> list[Axes]:
    """Axes in rows of a new figure."""
    figure, columns = new_figure(size, **options), min(count, _COLUMNS)
    grid = (ceil(count / columns), columns)
    return [figure.add_subplot(*grid, k, projection="3d") for k in range(1, count + 1)]


def plot_response(
    base_excitation: FrequencyResponse,
    platform_wrench: FrequencyResponse,
    *,
    title: str = "",
    ax: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Plot the transmissibility from the base and the compliance under a wrench, by axis."""
    panels = several_axes(ax, 3, lambda: new_figure((10, 3.8), dpi=160).subplots(1, 3))
    shown = (
        (base_excitation, MOVES, "platform by base [–]"),
        (platform_wrench, MOVES[:3], "translation by force [m/N]"),
        (platform_wrench, MOVES[3:], "rotation by moment [rad/(N m)]"),
    )
    for axis, (response, components, words) in zip(panels, shown, strict=True):
        for k, move in enumerate(MOVES):
            gain = response.gain[:, k, k]
            if move in components and gain.any():
                look = {"color": LEG_COLOURS[k], "lw": 1.2, "label": _WORDS[move]}
                axis.loglog(response.frequencies, gain, **look)
        axis.set_xlabel("frequency [Hz]")
        axis.set_xlim(response.frequencies[0], response.frequencies[-1])
        axis.set_title(words, fontsize=9)
        with_grid(axis)
    panels[0].axhline(1, color="#333333", lw=0.6, ls=":")
    panels[0].legend(frameon=False, fontsize=8)
    if ax is None:
        titled(panels, title)
    return panels


def plot_shapes(
    found: NaturalModes, numbers: tuple[int, ...] = (), ax: Axes | Sequence[Axes] | None = None
) -> list[Axes]:
    """Plot the machine at both ends of its swing in some modes, counted from 1, or the lowest six.

    The other end is pale, and the platform at rest grey. Pistons and stages are not shown. With
    compliant links or bearings, all joints move as in the mode shape, and beams are curved lines.
    """
    found.require_one_pose("a plot of shapes")
    chosen = numbers or tuple(range(1, min(len(found), 6) + 1))
    if not all(1 <= k <= len(found) for k in chosen):
        raise GoughError(f"modes are {chosen}; expected numbers from 1 to {len(found)}")
    columns = min(len(chosen), _COLUMNS)
    size = (_SIDE * columns, (_SIDE + 0.3) * ceil(len(chosen) / columns) + 0.4)
    panels = several_axes(ax, len(chosen), lambda: _panels_in_space(size, len(chosen)))
    seen = mode_shapes_of(found)
    factors = _SWING * seen.shape.reach / seen.largest
    for axes, k in zip(panels, chosen, strict=True):
        _draw_swing(axes, seen, k - 1, factors[k - 1])
        frequency = short_decimal(float(f"{found.frequencies[k - 1]:.4g}"))
        axes.set_title(f"{frequency} Hz: {found.most[k - 1][0]}", fontsize=9)
    if ax is None:
        titled(panels, f"{found.robot.name}: modes of vibration")
    return panels


def _draw_swing(axes: Axes3D, seen: ModeShapes, mode: int, factor: float) -> None:
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


def _outline(axes: Axes3D, shape: Shape, points: Array, body: str, **look: object) -> None:
    """A plate, if a body is one."""
    corners = list(shape.plates[body])
    axes.plot(*points[[*corners, *corners[:1]]].T, **look)
