"""Drawings of machines with matplotlib: base, platform and legs at a pose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gough.arrays import Array
from gough.plots.saving import save_picture
from gough.plots.shapes import Bar, Shape, shape_of
from gough.poses import rotation
from gough.robot import Robot

BASE, PLATFORM, CYLINDER, PISTON = "#8a8f98", "#2f6fb3", "#4a5058", "#c98a3b"
_OF_BODY = {"base": BASE, "platform": PLATFORM}
_THICK, _THIN = 5.0, 2.5
"""Widths of bars [points]."""
_VIEW = (22.0, -55.0)
"""Elevation and azimuth from which machines are seen [deg]."""
_FLATTEST = 0.3
"""The least side of the box around a machine, as a part of the longest."""


def save_drawing(
    robot: Robot, path: str | Path, pose: Any = None, view: tuple[float, float] = _VIEW
) -> None:
    """Save a drawing of the machine at a pose, or at home; the suffix says the format.

    It is seen from the elevation and azimuth of `view` [deg].
    """
    figure = Figure(figsize=(6.0, 6.0), dpi=160, layout="constrained")
    axes: Any = figure.add_subplot(projection="3d")
    draw_machine(axes, robot, pose)
    axes.view_init(*view)
    axes.set_title(robot.name, parse_math=False)
    save_picture(figure, path)


def draw_machine(axes: Any, robot: Robot, pose: Any = None) -> None:
    """Draw base, platform and legs into 3-D axes, true to scale, in metres."""
    here = np.asarray(robot.home if pose is None else pose, dtype=float)
    shape = shape_of(robot, here)
    points = shape.points(here)
    for name, corners in shape.plates.items():
        if corners:
            _draw_plate(axes, points[list(corners)], _OF_BODY[name])
        axes.plot([], [], [], color=_OF_BODY[name], lw=1.5, label=name)
    for bar in shape.bars:
        _draw_bar(axes, bar, points[bar.start], points[bar.end])
    for name, those in (("base", shape.base), ("platform", shape.platform)):
        balls = [ball.at for ball in shape.balls if ball.at in those]
        axes.scatter(*points[balls].T, color=_OF_BODY[name], s=18, depthshade=False)
    _draw_labels(axes, shape, points)
    _draw_frame(axes, np.zeros(3), np.eye(3), 0.2 * shape.reach)
    _draw_frame(axes, here[:3], rotation(here).as_matrix(), 0.2 * shape.reach)
    _true_scale(axes, np.concatenate([points, [[0, 0, 0]]]))
    axes.legend(loc="upper right", frameon=False, fontsize=8)


def joint_centers(robot: Robot, pose: Any = None) -> tuple[Array, Array]:
    """What base and platform carry, in the base frame [m], at a pose or at home: their joints."""
    here = np.asarray(robot.home if pose is None else pose, dtype=float)
    shape = shape_of(robot, here)
    points = shape.points(here)
    return points[list(shape.base)], points[list(shape.platform)]


def _draw_bar(axes: Any, bar: Bar, a: Array, b: Array) -> None:
    width = _THIN if bar.thin or bar.body in _OF_BODY else _THICK
    color = _OF_BODY.get(bar.body, PISTON if bar.thin else CYLINDER)
    ends = [(a, b, width, color)]
    if bar.sleeve:
        length = max(float(np.linalg.norm(b - a)), 1e-12)
        middle = a + (b - a) * min(bar.sleeve / length, 0.9)
        ends = [(a, middle, _THICK, CYLINDER), (middle, b, _THIN, PISTON)]
    for start, end, wide, paint in ends:
        axes.plot(*np.stack([start, end], 1), color=paint, lw=wide, solid_capstyle="round")


def _draw_labels(axes: Any, shape: Shape, points: Array) -> None:
    """Names of the actuators beside their joints, outside of the machine."""
    centre = points[list(shape.base)].mean(0) if shape.base else shape.target
    for label in shape.labels:
        outward = points[label.at] - centre
        outward *= 0.12 * shape.reach / max(float(np.linalg.norm(outward)), 1e-12)
        place = points[label.at] + outward
        axes.text(*place, label.text, ha="center", va="center", fontsize=8, parse_math=False)


def _draw_plate(axes: Any, outline: Array, color: str) -> None:
    centre = outline.mean(0)
    count = len(outline)
    axes.plot_trisurf(
        *np.vstack([outline, centre]).T,
        triangles=[(k, (k + 1) % count, count) for k in range(count)],
        color=color,
        alpha=0.35,
        shade=False,
    )
    axes.plot(*np.vstack([outline, outline[:1]]).T, color=color, lw=1.5)


def _draw_frame(axes: Any, origin: Array, rotation: Array, size: float) -> None:
    for k, color in enumerate(("#c0392b", "#27ae60", "#2c5fd1")):
        axes.plot(*np.stack([origin, origin + size * rotation[:, k]], 1), color=color, lw=1.2)


def _true_scale(axes: Any, points: Array) -> None:
    """A box around the points, with the same metre along all three axes."""
    low, high = points.min(0), points.max(0)
    middle, half = (low + high) / 2, 0.55 * (high - low)
    half = np.maximum(half, _FLATTEST * half.max())
    for letter, centre, reach in zip("xyz", middle, half, strict=True):
        getattr(axes, f"set_{letter}lim")(centre - reach, centre + reach)
        getattr(axes, f"set_{letter}label")(f"{letter} [m]")
        axis = getattr(axes, f"{letter}axis")
        axis.set_major_locator(MaxNLocator(5 if reach > 0.6 * half.max() else 3, prune="both"))
        axis.set_pane_color((1, 1, 1, 0))
        axis._axinfo["grid"].update(color="#d5d8dc", linewidth=0.5)
    axes.set_box_aspect(half / half.max())
    axes.tick_params(labelsize=8)
    axes.view_init(*_VIEW)
