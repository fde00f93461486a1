"""Figures of machines with matplotlib: base, platform and legs at a pose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.disk.files import atomic_write
from gough.errors import GoughError, needing
from gough.model.kernels import Kernels
from gough.plots.pictures import ink_box, new_figure, sphere_direction, true_scale
from gough.plots.shapes import Bar, Shape, shape_of, with_springs
from gough.plots.style import wrapped
from gough.poses import rotation
from gough.poses.given import array_of_numbers
from gough.progress import progress_bar
from gough.robot import Robot

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d import Axes3D


with needing("matplotlib", "plots", "pictures"):
    from matplotlib.animation import PillowWriter
    from matplotlib.lines import Line2D
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

_RINGS = 24
View = tuple[float, float]  # elevation and azimuth from which a machine is seen [deg]

BASE, PLATFORM, CYLINDER, PISTON = "#8a8f98", "#2f6fb3", "#4a5058", "#c98a3b"
_OF_BODY = {"base": BASE, "platform": PLATFORM}
_LEGEND = {
    BASE: "base",
    PLATFORM: "platform",
    CYLINDER: "cylinders and arms",
    PISTON: "pistons and rods",
}
_AXES = {"x": "#c0392b", "y": "#1e8449", "z": "#2c5fd1"}
_THICK, _THIN = 5.0, 2.5  # widths of bars [points]
VIEW = (22.0, -55.0)
_FRAMES = 400  # maximum number of frames of a film
_FLATTEST = 0.3  # minimum side of the box around a machine, as a part of the longest
_LABEL = 0.28  # where a name stands, on the way from its actuator's joint along the bar
_ABOVE = 1000  # the order of what is drawn above everything else
_DISC = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": BASE, "linewidth": 0.6}
"""Background of labels."""

Part = tuple[Array, Callable[..., object]]
"""Place of a part, and the function that draws it in a given order."""


def plot_machine(
    robot: Robot, pose: ArrayLike | None = None, view: View = VIEW, *, ax: Axes3D | None = None
) -> Axes3D:
    """Draw the machine at a pose, or at home, true to scale in metres, and return the axes.

    It is seen from the elevation and azimuth of `view` [deg]; a new figure has a legend.
    """
    if ax is not None:
        return _drawn_machine(ax, robot, pose, view)
    figure = new_figure((8.0, 8.0), dpi=140, layout=None)
    blank = figure.add_axes((0.12, 0.14, 0.76, 0.76), projection="3d")
    axes = _drawn_machine(blank, robot, pose, view)
    drawn = ink_box(figure).transformed(figure.dpi_scale_trans - figure.transFigure)
    middle = (drawn.x0 + drawn.x1) / 2
    name = wrapped(robot.name, drawn.width * figure.get_figwidth())
    figure.text(
        middle, drawn.y1 + 0.02, name, ha="center", va="bottom", fontsize=12, parse_math=False
    )
    drawn_in = {line.get_color() for line in axes.lines}
    named = [(colour, name) for colour, name in _LEGEND.items() if colour in drawn_in]
    figure.legend(
        handles=[Line2D([], [], color=colour, lw=3, label=name) for colour, name in named],
        loc="upper center", bbox_to_anchor=(middle, drawn.y0),
        ncols=len(_LEGEND), frameon=False, fontsize=8,
    )  # fmt: skip
    return axes


def save_film(
    robot: Robot, time: ArrayLike, poses: ArrayLike, path: str | Path, view: View = VIEW
) -> None:
    """Save a film (.gif) of the machine in real time, at poses (T, 7) over times (T,) [s].

    It has 20 frames a second; of a long motion fewer, 400 in all.
    """
    if Path(path).suffix.lower() != ".gif":
        raise GoughError(f"{path}: unknown kind of film; expected a name that ends in gif")
    time, poses = array_of_numbers(time, "time"), array_of_numbers(poses, "poses")
    if not time.size or poses.shape != (time.size, 7) or not (np.diff(time) > 0).all():
        shapes = f"{time.shape} and {poses.shape}"
        raise GoughError(f"time and poses are {shapes}; expected (T,), rising, and (T, 7)")
    duration = float(time[-1] - time[0])
    step = max(5, ceil(100 * duration / (_FRAMES - 2))) / 100  # [s]; a .gif counts hundredths
    instants = np.append(np.arange(time[0], time[-1] - 1e-6, step), time[-1])
    at = np.searchsorted(time, instants - 1e-9 * duration)
    reached = np.isfinite(Kernels(robot).inverse_kinematics(poses[at])).all(axis=-1)
    if not reached.all():
        raise GoughError(f"{robot.name} does not reach its pose at {time[at][~reached][0]:.4g} s")
    shape = with_springs(robot, shape_of(robot, poses[at]))
    box = _box(np.concatenate(shape.points(poses[at])))
    figure = new_figure((5.0, 5.0), dpi=90, layout=None)
    axes: Axes3D = figure.add_axes((0.08, 0.08, 0.84, 0.84), projection="3d")
    rate = 1 / (step + 1e-9)  # whole milliseconds are rounded down
    writer = PillowWriter(fps=rate)  # type: ignore[arg-type]
    with (
        atomic_write(path) as part,
        writer.saving(figure, str(part), figure.dpi),
        progress_bar("film", len(at)) as done,
    ):
        for k in at:
            axes.clear()
            _drawn_machine(axes, robot, poses[k], view, box)
            axes.set_title(f"{robot.name}, {time[k]:.2f} s", fontsize=9, parse_math=False)
            writer.grab_frame()
            done(1)


def _box(points: Array) -> Array:
    """Return a box (3, 2) around points (n, 3) and the origin, which is not too flat."""
    every = np.concatenate([points, [[0, 0, 0]]])
    middle, half = (every.min(0) + every.max(0)) / 2, 0.55 * np.ptp(every, axis=0)
    half = np.maximum(half, _FLATTEST * half.max())
    return np.stack([middle - half, middle + half], 1)


def _drawn_machine(
    axes: Axes3D, robot: Robot, pose: ArrayLike | None, view: View, box: Array | None = None
) -> Axes3D:
    """Draw base, platform, legs, springs and frames into 3-D axes, with the names of actuators."""
    here = np.asarray(robot.home if pose is None else pose, dtype=float)
    shape = with_springs(robot, shape_of(robot, here))
    points = shape.points(here)
    draw_bodies(axes, shape, points, view)
    for label in shape.labels:
        place = points[label.at] + _LABEL * (points[label.towards] - points[label.at])
        _write(axes, place, label.text, "black", bbox=_DISC)
    size = 0.2 * shape.reach
    _draw_frame(axes, np.zeros(3), size * np.eye(3), "")
    turn = rotation(here).as_matrix()
    if np.linalg.norm(here[:3]) > 0.5 * size or not np.allclose(turn, np.eye(3)):
        _draw_frame(axes, here[:3], size * turn, "′")
    true_scale(axes, _box(points) if box is None else box, ("x [m]", "y [m]", "z [m]"))
    return axes


def draw_bodies(
    axes: Axes3D, shape: Shape, points: Array, view: View = VIEW, *, scale: float = 1.0
) -> None:
    """Draw plates, bars and joints, the nearer over the rest; lines are `scale` times as wide."""
    axes.view_init(*view)
    axes.computed_zorder = False
    towards = sphere_direction(*view)
    parts = _parts(axes, shape, points, scale, 0.03 * shape.reach * towards)
    for order, (_, draw) in enumerate(sorted(parts, key=lambda part: float(part[0] @ towards))):
        draw(zorder=order)


def joint_centers(robot: Robot, pose: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return the joint centres of base and platform [m] in the base frame, at a pose or at home."""
    here = np.asarray(robot.home if pose is None else pose, dtype=float)
    shape = shape_of(robot, here)
    points = shape.points(here)
    return points[list(shape.base)], points[list(shape.platform)]


def _parts(
    axes: Axes3D, shape: Shape, points: Array, scale: float, nearer: Array
) -> Iterator[Part]:
    """Plates, bars, and joints of base and platform, a little nearer than what they join."""
    for name, corners in shape.plates.items():
        if corners:
            outline = points[list(corners)]
            yield outline.mean(0), partial(_draw_plate, axes, outline, _OF_BODY[name], scale)
    for bar in shape.bars:
        for a, b, width, color in _stretches(bar, points[bar.start], points[bar.end]):
            style = {"color": color, "lw": scale * width, "solid_capstyle": "round"}
            yield (a + b) / 2, partial(axes.plot, *np.stack([a, b], 1), **style)
    for body, those in (("base", shape.base), ("platform", shape.platform)):
        for place in (points[ball.at] for ball in shape.balls if ball.at in those):
            style = {"color": _OF_BODY[body], "s": 18 * scale**2, "depthshade": False}
            yield place + nearer, partial(axes.scatter, *place, **style)


def _draw_plate(axes: Axes3D, outline: Array, color: str, scale: float, *, zorder: int) -> None:
    axes.add_collection3d(Poly3DCollection([outline], facecolor=color, alpha=0.35, zorder=zorder))
    axes.plot(*np.vstack([outline, outline[:1]]).T, color=color, lw=1.5 * scale, zorder=zorder)


def _stretches(bar: Bar, a: Array, b: Array) -> list[tuple[Array, Array, float, str]]:
    """Both ends, width [points] and colour of a bar; of a telescope those of sleeve and piston."""
    if bar.sleeve:
        length = max(float(np.linalg.norm(b - a)), 1e-12)
        middle = a + (b - a) * min(bar.sleeve / length, 0.9)
        return [(a, middle, _THICK, CYLINDER), (middle, b, _THIN, PISTON)]
    width = _THIN if bar.thin or bar.body in _OF_BODY else _THICK
    return [(a, b, width, _OF_BODY.get(bar.body, PISTON if bar.thin else CYLINDER))]


def _draw_frame(axes: Axes3D, origin: Array, arms: Array, mark: str) -> None:
    """The axes of a frame, columns of `arms` [m], with their letters."""
    for (letter, color), arm in zip(_AXES.items(), arms.T, strict=True):
        ends = np.stack([origin, origin + arm], 1)
        axes.plot(*ends, color=color, lw=1.2, zorder=_ABOVE)
        _write(axes, origin + 1.25 * arm, letter + mark, color)


def _write(axes: Axes3D, place: Array, text: str, color: str, **style: object) -> None:
    """A short text above everything else."""
    axes.text(
        *place, text, color=color, fontsize=7.5, ha="center", va="center", zorder=_ABOVE,
        parse_math=False, **style,
    )  # fmt: skip


def draw_ellipsoid(axes: Axes3D, centre: Array, matrix: Array) -> None:
    """The image of the unit sphere under a matrix (3, 3), about a centre [m]."""
    polar, azimuth = np.linspace(0, np.pi, _RINGS)[:, None], np.linspace(0, 2 * np.pi, 2 * _RINGS)
    unit = (np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar))
    sphere = np.stack(np.broadcast_arrays(*unit), -1)  # (rings, 2 rings, 3)
    x, y, z = np.moveaxis(centre + sphere @ matrix.T, -1, 0)
    axes.plot_surface(
        x, y, z, color="#c44e52", alpha=0.45, linewidth=0, shade=True, zorder=900, rstride=1,
        cstride=1,
    )  # fmt: skip
