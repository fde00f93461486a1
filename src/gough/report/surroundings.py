"""What the page draws around the bars of a machine: its two plates, a floor, and axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.plots.shapes import Shape
from gough.plots.shapes.shape import BASE, PLATFORM, normal
from gough.poses import inverse, transform

_ENLARGED = {BASE: 1.14, PLATFORM: 1.16}
"""Of a plate against the outline of its joints."""
_SIDE = {BASE: 1.0, PLATFORM: -1.0}
"""On which side of its joints, upwards positive, the machine is where that cannot be told."""


def surroundings(shape: Shape, points: Array, pose: Array) -> dict[str, Any]:
    """Plates, floor and axes [m] of a machine with points (T, k, 3), and the first of its poses."""
    lowest, points = float(np.nanmin(points[..., 2])), points[0]
    bodies = {BASE: list(shape.base), PLATFORM: list(shape.platform)}
    centres = {body: _centre(points[those], shape) for body, those in bodies.items()}
    way = centres[PLATFORM] - centres[BASE]
    home = transform(inverse(pose), points)
    turned = transform(inverse(pose), np.array([centres[BASE], centres[PLATFORM]]))
    base, base_side = _plate(shape, BASE, points, way)
    platform, _ = _plate(shape, PLATFORM, home, turned[0] - turned[1])
    return {
        "plates": {BASE: base, PLATFORM: platform},
        "floor": _floor(shape, points, centres[BASE] if base and base_side > 0 else None, lowest),
        "origin": centres[BASE].round(6).tolist(),
    }


def _centre(points: Array, shape: Shape) -> Array:
    return np.asarray(points.mean(axis=0)) if len(points) else shape.target


def _plate(
    shape: Shape, body: str, points: Array, machine: Array
) -> tuple[dict[str, Any] | None, float]:
    """A plate beyond its joints, as seen from the machine; and on which side the machine is."""
    corners = list(shape.plates[body])
    if not corners:
        return None, _SIDE[body]
    outline = points[corners]
    upwards = normal(outline)
    side = float(machine @ upwards)
    side = _SIDE[body] if abs(side) < 1e-6 * shape.reach else np.sign(side)
    centre, thickness, away = outline.mean(axis=0), _thickness(shape), _away(shape)
    offset = -away if side > 0 else away + thickness
    larger = centre + _ENLARGED[body] * (outline - centre) + offset * upwards
    depth = -thickness * upwards
    return {"outline": larger.round(6).tolist(), "depth": depth.round(6).tolist()}, float(side)


def _floor(shape: Shape, points: Array, centre: Array | None, lowest: float) -> dict[str, Any]:
    """A net under a base that stands on it; else below everything."""
    if centre is None:
        place = np.array([*shape.target[:2], lowest - 2 * _thickness(shape)])
        size = shape.reach
    else:
        place = centre - [0, 0, _away(shape) + 1.2 * _thickness(shape)]
        size = 1.7 * float(np.ptp(points[list(shape.base), :2], axis=0).max()) / 2
    return {"at": place.round(6).tolist(), "size": round(size, 5)}


def _thickness(shape: Shape) -> float:
    return 0.035 * shape.reach


def _away(shape: Shape) -> float:
    """Of a plate from the centres of its joints."""
    return 0.8 * max(bar.radius for bar in shape.bars)
