"""Line figure of something in space, as SVG in a page: seen from the front and a little above.

It takes the colour of the text around it, and needs no script and no picture library.
"""

from collections.abc import Sequence
from math import cos, inf, isfinite, radians, sin
from typing import Literal, NamedTuple

import numpy as np

from gough.arrays import Array

Role = Literal["base", "leg", "platform"]
Point = tuple[float, float, float]
Place = tuple[float, float]

WIDTH, HEIGHT, MARGIN = 180.0, 150.0, 8.0
AZIMUTH, ELEVATION = radians(-62), radians(18)
_TOWARDS = np.array([cos(AZIMUTH), sin(AZIMUTH)])  # horizontal direction of the reader
_VIEW = np.array(  # to the right and up, without perspective
    [[-_TOWARDS[1], _TOWARDS[0], 0.0], [*(-sin(ELEVATION) * _TOWARDS), cos(ELEVATION)]]
)
_COLOURS = {"base": "currentColor", "leg": "#3b82f6", "platform": "#e07b39"}


class SketchLine(NamedTuple):
    """Points that belong together: of a base or a platform their outline is drawn."""

    role: Role
    points: tuple[Point, ...]


def sketch(lines: Sequence[SketchLine]) -> str:
    """Return the figure; empty without lines."""
    (drawn,) = sketches([lines])
    return drawn


def sketches(several: Sequence[Sequence[SketchLine]]) -> list[str]:
    """Return figures at one scale, so that sizes can be compared."""
    boxes = [_box([point for line in lines for point in line.points]) for lines in several]
    scale = min(map(_scale, boxes), default=inf)
    return [
        _drawn(lines, box, scale) if isfinite(_scale(box)) else ""
        for lines, box in zip(several, boxes, strict=True)
    ]


def _box(points: Sequence[Point]) -> Array:
    """(2, 2) lower and upper ends of where points are seen."""
    seen = np.reshape(points, (-1, 3)) @ _VIEW.T
    return np.array([seen.min(axis=0), seen.max(axis=0)]) if points else np.zeros((2, 2))


def _scale(box: Array) -> float:
    """At which a box just fits; infinite for what has no size."""
    size = box[1] - box[0]
    room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
    return float((room / np.maximum(size, 1e-12)).min()) if size.max() > 0 else inf


def _drawn(lines: Sequence[SketchLine], box: Array, scale: float) -> str:
    middle, flipped = np.array([WIDTH / 2, HEIGHT / 2]), np.array([scale, -scale])
    seen = [np.array(line.points) @ _VIEW.T - box.mean(axis=0) for line in lines]
    drawn = [
        _shape(line.role, middle + flipped * places)
        for line, places in zip(lines, seen, strict=True)
    ]
    size = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="{WIDTH:g}" height="{HEIGHT:g}"'
    return f'<svg {size} style="flex:none" fill="none">{"".join(drawn)}</svg>'


def _shape(role: Role, places: Array) -> str:
    colour = _COLOURS[role]
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colour}"/>' for x, y in places)
    if role == "leg":
        return f'<polyline points="{_listed(places)}" stroke="{colour}" stroke-width="2"/>'
    look = f'stroke="{colour}" stroke-width="1.5" fill="{colour}" fill-opacity=".15"'
    opacity = ' opacity=".55"' if role == "base" else ""
    around = _listed(places[outline([(x, y) for x, y in places.tolist()])])
    return f'<g{opacity}><polygon points="{around}" {look}/>{dots}</g>'


def _listed(places: Array) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def outline(places: Sequence[Place], straight: float = 0.0) -> list[int]:
    """Return the corners of the convex hull, in order around [Andrew 1979]; all, on a line.

    Where the way turns left by no more than twice this area, there is no corner.
    """

    def half(order: list[int]) -> list[int]:
        way: list[int] = []
        for k in order:
            while len(way) > 1 and _turn(*(places[i] for i in (*way[-2:], k))) <= straight:
                way.pop()
            way.append(k)
        return way[:-1]

    order = sorted(range(len(places)), key=places.__getitem__)
    around = half(order) + half(order[::-1])
    return around if len(around) > 2 else order


def _turn(a: Place, b: Place, c: Place) -> float:
    """Twice the area of a triangle, positive where the way a b c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
