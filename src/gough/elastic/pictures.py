"""Figures of compliant machines: compliance ellipsoids, frequency responses, mode shapes."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.digits import short_decimal
from gough.elastic.mode_shapes import Swings, swings
from gough.elastic.natural_modes import NaturalModes
from gough.elastic.response import FrequencyResponse
from gough.elastic.stiffness import Stiffness
from gough.errors import GoughError
from gough.kinematics.size import machine_size
from gough.plots.machine import draw_ellipsoid, draw_machine
from gough.plots.pictures import Figure, fill_square, save_picture
from gough.plots.shapes import Shape
from gough.plots.style import LEG_COLOURS, line_colour, titled
from gough.robot.mechanism import MOVES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from mpl_toolkits.mplot3d import Axes3D


_SWING = 0.12
"""Maximum displacement in a figure, relative to the machine's size."""
_COLUMNS, _SIDE = 3, 3.0
"""Number of axes in a row, and their size [inch]."""
_VIEW = (24.0, -62.0)
_BASE, _PLATFORM, _REST = "#333333", "#2f6fb3", "#c9ced6"
_WORDS = {move: f"about {move[1:]}" if move in MOVES[3:] else f"along {move}" for move in MOVES}
_SHARE = 0.35
"""Longest semi-axis of an ellipsoid, relative to the machine's size."""
_PARTS = (
    ("Translation under a force", "m/N", "N/m", slice(0, 3)),
    ("Rotation under a moment", "rad/(N m)", "N m/rad", slice(3, 6)),
)


def save_ellipsoids(found: Stiffness, path: str | Path) -> None:
    """Save two figures of the machine: its compliance ellipsoids for forces and for moments.

    The distance from the platform's origin to an ellipsoid's surface is the platform's compliance
    in that direction: the displacement along a unit load, without the components across it.
    """
    figure = Figure(figsize=(13, 7), dpi=140, layout="constrained")
    for k, (words, unit, stiffness_unit, part) in enumerate(_PARTS):
        axes: Axes3D = figure.add_subplot(1, 2, k + 1, projection="3d")
        draw_machine(axes, found.robot, found.pose)
        compliance = found.compliance[part, part]
        principal = found.rotation if k else found.translation
        if not np.isfinite(principal.values[0]):
            axes.set_title(f"{words}: none, all directions are rigid", fontsize=10)
            continue
        scale = _SHARE * machine_size(found.robot) * principal.values[0]
        draw_ellipsoid(axes, found.pose[:3], scale * (compliance + compliance.T) / 2)
        axes.set_title(
            f"{words}: up to {1 / principal.values[0]:.3g} {unit}\n"
            f"stiffness from {short_decimal(principal.values[0])} to "
            f"{short_decimal(principal.values[2])} {stiffness_unit}",
            fontsize=10,
        )
    titled(figure, f"{found.robot.name}: compliance")
    save_picture(figure, path, trimmed=True)


def save_response(
    base_excitation: FrequencyResponse,
    platform_wrench: FrequencyResponse,
    path: str | Path,
    *,
    title: str = "",
) -> None:
    """Save the transmissibility from the base and the compliance under a wrench, by axis."""
    figure = Figure(figsize=(10, 3.8), dpi=160, layout="constrained")
    follows, translations, rotations = figure.subplots(1, 3)
    for axis, response, moves in (
        (follows, base_excitation, MOVES),
        (translations, platform_wrench, MOVES[:3]),
        (rotations, platform_wrench, MOVES[3:]),
    ):
        for move in moves:
            _draw(axis, response, MOVES.index(move))
        axis.set_xlabel("frequency [Hz]")
        axis.set_xlim(response.frequencies[0], response.frequencies[-1])
        axis.grid(visible=True, linewidth=0.4, alpha=0.5)
    follows.axhline(1, color="#333333", lw=0.6, ls=":")
    follows.set_title("platform by base [–]", fontsize=9)
    translations.set_title("translation by force [m/N]", fontsize=9)
    rotations.set_title("rotation by moment [rad/(N m)]", fontsize=9)
    follows.legend(frameon=False, fontsize=8)
    titled(figure, title)
    save_picture(figure, path, trimmed=True)


def _draw(axis: Axes, response: FrequencyResponse, place: int) -> None:
    """Plot one axis to itself, if the platform moves along it."""
    gain = response.gain[:, place, place]
    if gain.any():
        look = {"color": LEG_COLOURS[place], "lw": 1.2, "label": _WORDS[MOVES[place]]}
        axis.loglog(response.frequencies, gain, **look)


def plot_shapes(found: NaturalModes, numbers: tuple[int, ...] = ()) -> Figure:
    """Plot the machine at both ends of its swing in some modes, counted from 1, or the lowest six.

    The other end is pale, and the platform at rest grey. Pistons and stages are not shown. With
    compliant links or bearings, all joints move as in the mode shape, and beams are curved lines.
    """
    if found.frequencies.ndim > 1:
        raise GoughError(
            f"these modes are of {found.frequencies.shape[:-1]} poses, and shapes are plotted for "
            "one only; expected gough.natural_modes(robot, pose) of that one"
        )
    chosen = numbers or tuple(range(1, min(len(found), 6) + 1))
    if not all(1 <= k <= len(found) for k in chosen):
        raise GoughError(f"modes are {chosen}; expected numbers from 1 to {len(found)}")
    rows, columns = ceil(len(chosen) / _COLUMNS), min(len(chosen), _COLUMNS)
    figure = Figure(figsize=(_SIDE * columns, (_SIDE + 0.3) * rows + 0.4), layout="constrained")
    seen = swings(found)
    factors = _SWING * seen.shape.reach / seen.largest
    for place, k in enumerate(chosen, 1):
        axes: Axes3D = figure.add_subplot(rows, columns, place, projection="3d")
        _draw_swing(axes, seen, k - 1, factors[k - 1])
        frequency = short_decimal(float(f"{found.frequencies[k - 1]:.4g}"))
        axes.set_title(f"{frequency} Hz: {found.most[k - 1][0]}", fontsize=9)
    titled(figure, f"{found.robot.name}: modes of vibration")
    return figure


def _draw_swing(axes: Axes3D, seen: Swings, mode: int, factor: float) -> None:
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


def _outline(axes: Axes3D, shape: Shape, points: Array, body: str, **look: Any) -> None:
    """A plate, if a body is one."""
    corners = list(shape.plates[body])
    axes.plot(*points[[*corners, *corners[:1]]].T, **look)
