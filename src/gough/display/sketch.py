"""Line figure of something in space, as SVG in a page: seen from the front and a little above.

It takes the colour of the text around it, and needs no script and no picture library.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, inf, isfinite, radians, sin
from typing import Literal, NamedTuple

Role = Literal["base", "leg", "platform"]
Point = tuple[float, float, float]
Place = tuple[float, float]
Box = tuple[float, float, float, float]

WIDTH, HEIGHT, MARGIN = 180.0, 150.0, 8.0
AZIMUTH, ELEVATION = radians(-62), radians(18)
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
    seen = [[[_projected(point) for point in line.points] for line in lines] for lines in several]
    boxes = [_box([place for line in places for place in line]) for places in seen]
    scale = min(map(_scale, boxes), default=inf)
    return [
        _drawn(lines, places, box, scale) if isfinite(_scale(box)) else ""
        for lines, places, box in zip(several, seen, boxes, strict=True)
    ]


def _box(places: Sequence[Place]) -> Box:
    """From where to where places lie: left, low, right, high."""
    left, low = (min((place[k] for place in places), default=0.0) for k in (0, 1))
    right, high = (max((place[k] for place in places), default=0.0) for k in (0, 1))
    return left, low, right, high


def _scale(box: Box) -> float:
    """At which a box just fits; infinite for what has no size."""
    left, low, right, high = box
    sizes = ((WIDTH, right - left), (HEIGHT, high - low))
    if not max(size for _, size in sizes) > 0:
        return inf
    return min((full - 2 * MARGIN) / max(size, 1e-12) for full, size in sizes)


def _drawn(lines: Sequence[SketchLine], seen: list[list[Place]], box: Box, scale: float) -> str:
    left, low, right, high = box
    middle = ((left + right) / 2, (low + high) / 2)

    def placed(place: Place) -> Place:
        x, y = ((place[k] - middle[k]) * scale for k in (0, 1))
        return WIDTH / 2 + x, HEIGHT / 2 - y

    drawn = [
        _shape(line.role, [placed(place) for place in at])
        for line, at in zip(lines, seen, strict=True)
    ]
    size = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="{WIDTH:g}" height="{HEIGHT:g}"'
    return f'<svg {size} style="flex:none" fill="none">{"".join(drawn)}</svg>'


def _projected(point: Point) -> Place:
    """To the right, and up, without perspective."""
    x, y, z = point
    away = x * cos(AZIMUTH) + y * sin(AZIMUTH)
    return y * cos(AZIMUTH) - x * sin(AZIMUTH), z * cos(ELEVATION) - away * sin(ELEVATION)


def _shape(role: Role, places: Sequence[Place]) -> str:
    colour = _COLOURS[role]
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colour}"/>' for x, y in places)
    if role == "leg":
        return f'<polyline points="{_listed(places)}" stroke="{colour}" stroke-width="2"/>'
    look = f'stroke="{colour}" stroke-width="1.5" fill="{colour}" fill-opacity=".15"'
    opacity = ' opacity=".55"' if role == "base" else ""
    around = _listed([places[k] for k in outline(places)])
    return f'<g{opacity}><polygon points="{around}" {look}/>{dots}</g>'


def _listed(places: Sequence[Place]) -> str:
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
