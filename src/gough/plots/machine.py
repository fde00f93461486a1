"""Drawings of machines with matplotlib: base, platform and legs at a pose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull, QhullError

from gough.arrays import Array
from gough.plots.saving import save_picture
from gough.poses import rotation, transform
from gough.robot import Robot

BASE, PLATFORM, CYLINDER, PISTON = "#8a8f98", "#2f6fb3", "#4a5058", "#c98a3b"


def save_drawing(robot: Robot, path: str | Path, pose: Any = None) -> None:
    """Save a drawing of the machine at a pose, or at home; the suffix says the format."""
    figure = Figure(figsize=(6.0, 6.0), dpi=160, layout="constrained")
    axes: Any = figure.add_subplot(projection="3d")
    draw_machine(axes, robot, pose)
    axes.set_title(robot.name, parse_math=False)
    save_picture(figure, path)


def draw_machine(axes: Any, robot: Robot, pose: Any = None) -> None:
    """Draw base, platform and legs into 3-D axes, true to scale, in metres."""
    base, platform = joint_centers(robot, pose)
    _draw_body(axes, base, BASE, "base")
    _draw_body(axes, platform, PLATFORM, "platform")
    for k, (leg, a, b) in enumerate(zip(robot.legs, base, platform, strict=True)):
        along = (b - a) / np.linalg.norm(b - a)
        sleeve = a + along * _cylinder_length(leg, float(np.linalg.norm(b - a)))
        axes.plot(*np.stack([a, sleeve], 1), color=CYLINDER, lw=5, solid_capstyle="round")
        axes.plot(*np.stack([sleeve, b], 1), color=PISTON, lw=2.5, solid_capstyle="round")
        outward = a - base.mean(0)
        outward *= 0.1 * np.ptp(base, axis=0).max() / max(float(np.linalg.norm(outward)), 1e-12)
        axes.text(*(a + outward), str(k + 1), ha="center", va="center", fontsize=8)
    _draw_frame(axes, np.zeros(3), np.eye(3), 0.25 * np.ptp(base, axis=0).max())
    platform_frame = _pose(robot, pose)
    axes_of_platform = rotation(platform_frame).as_matrix()
    _draw_frame(axes, platform_frame[:3], axes_of_platform, 0.25 * np.ptp(base, axis=0).max())
    _true_scale(axes, np.concatenate([base, platform, [[0, 0, 0]]]))
    axes.legend(loc="upper right", frameon=False, fontsize=8)


def joint_centers(robot: Robot, pose: Any = None) -> tuple[Array, Array]:
    """The base and the platform joint centres in the base frame [m], at a pose or at home."""
    base = np.array([leg.base for leg in robot.legs])
    platform = np.array([leg.platform for leg in robot.legs])
    return base, transform(_pose(robot, pose), platform)


def _pose(robot: Robot, pose: Any) -> Array:
    return np.asarray(robot.home if pose is None else pose, dtype=float)


def _cylinder_length(leg: Any, length: float) -> float:
    """How much of the leg its cylinder covers: up to the shortest leg, or somewhat over half."""
    return min(0.8 * leg.stroke[0], 0.9 * length) if leg.stroke else 0.55 * length


def _draw_body(axes: Any, joints: Array, color: str, name: str) -> None:
    """The joints' outline: the convex hull in their main plane."""
    centre = joints.mean(0)
    plane = np.linalg.svd(joints - centre)[2][:2]
    flat = (joints - centre) @ plane.T
    try:
        order = ConvexHull(flat).vertices
    except QhullError:
        order = np.arange(len(joints))
    outline = joints[order]
    axes.plot_trisurf(
        *np.vstack([outline, centre]).T,
        triangles=[(k, (k + 1) % len(order), len(order)) for k in range(len(order))],
        color=color,
        alpha=0.35,
        shade=False,
    )
    axes.plot(*np.vstack([outline, outline[:1]]).T, color=color, lw=1.5, label=name)
    axes.scatter(*joints.T, color=color, s=18, depthshade=False)


def _draw_frame(axes: Any, origin: Array, rotation: Array, size: float) -> None:
    for k, color in enumerate(("#c0392b", "#27ae60", "#2c5fd1")):
        axes.plot(*np.stack([origin, origin + size * rotation[:, k]], 1), color=color, lw=1.2)


def _true_scale(axes: Any, points: Array) -> None:
    low, high = points.min(0), points.max(0)
    half = 0.55 * float((high - low).max())
    middle = (low + high) / 2
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + half)
    axes.set_zlim(middle[2] - half, middle[2] + half)
    axes.set_box_aspect((1, 1, 1))
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_zlabel("z [m]")
    axes.view_init(elev=22, azim=-55)
