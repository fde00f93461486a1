"""Appearance of bodies: their meshes, or else bars and discs, in their bodies' frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.exchange.tree.surfaces import BodySurface, surfaces_of
from gough.plots.shapes import Bar, Shape, shape_of
from gough.plots.shapes.shape import THIN, normal
from gough.plots.style import LEG_COLOURS
from gough.robot.home.configuration import HomeConfiguration, point
from gough.robot.mechanism import BASE, PLATFORM

_GREY = "#8c96a0"
_PLATE = 0.012
"""Thickness of base and platform, as a part of the machine's reach."""
_PISTON = 1.1
"""Length of what is seen of a piston out of its sleeve, in lengths of the sleeve."""
_FINE = 1e-6
"""Steps in which places and sizes are written, as a part of the machine's reach."""


@dataclass(frozen=True)
class Look:
    """A round bar from one place to another, in a body's frame."""

    body: str
    start: Array
    end: Array
    radius: float
    flat: bool = False
    """Whether its ends are flat, as a disc's."""
    colour: str = _GREY

    @property
    def as_cylinder(self) -> tuple[Array, Array, float]:
        """Its middle, the roll, pitch and yaw [rad] that turn z along it, and its length [m]."""
        x, y, z = way = self.end - self.start
        angles = np.array([0.0, np.arctan2(np.hypot(x, y), z), np.arctan2(y, x)])
        length = float(np.round(np.linalg.norm(way), 9))
        return np.round((self.start + self.end) / 2, 9), np.round(angles, 9), length


@dataclass(frozen=True)
class Looks:
    """A machine to be seen."""

    parts: tuple[Look, ...]
    """Bars and discs of bodies without a mesh."""
    surfaces: tuple[BodySurface, ...]
    """Meshes of the others."""
    target: Array
    """Middle of all that is seen [m], base frame."""
    reach: float
    """Distance of the farthest point from there [m]."""

    @property
    def texts(self) -> dict[str, str]:
        """The files of all meshes, by name."""
        return {surface.file: surface.text for surface in self.surfaces}

    def surfaces_of(self, body: str) -> list[BodySurface]:
        """Return the surfaces of a body's mesh."""
        return [surface for surface in self.surfaces if surface.body == body]

    def parts_of(self, body: str) -> list[Look]:
        """Return the parts of a body without a mesh."""
        return [look for look in self.parts if look.body == body]


def looks_of(home: HomeConfiguration) -> Looks:
    """The machine at home, drawn as reports draw it."""
    robot = home.robot
    shape = shape_of(robot, robot.home)
    places = shape.points(np.array(robot.home))
    surfaces = tuple(surfaces_of(home))
    found = [*_bars(shape, places), *_plates(shape, places)]
    known = {BASE, *home.bodies} - {surface.body for surface in surfaces}
    step = _FINE * shape.reach
    parts = [_in_its_frame(home, look, step) for look in found if look.body in known]
    seen = tuple(look for look in parts if (look.start != look.end).any())
    return Looks(
        seen, surfaces, rounded(shape.target, step), float(rounded(np.array(shape.reach), step))
    )


def _bars(shape: Shape, places: Array) -> Iterator[Look]:
    for bar in shape.bars:
        start, end = places[bar.start], places[bar.end]
        colour = _GREY if bar.actuator is None else LEG_COLOURS[bar.actuator % len(LEG_COLOURS)]
        if bar.sleeve:
            yield from _telescope(bar, (start, end), colour)
        else:
            yield Look(bar.body, start, end, bar.radius, colour=_GREY if bar.thin else colour)


def _telescope(bar: Bar, ends: tuple[Array, Array], colour: str) -> Iterator[Look]:
    """A sleeve around the beginning of a bar, and as much of the bar as never leaves it behind."""
    start, end = ends
    length = float(np.linalg.norm(end - start))
    way = (end - start) / length
    yield Look(bar.sleeve_of, start, start + bar.sleeve * way, bar.radius, colour=colour)
    seen = min(length, _PISTON * bar.sleeve)
    yield Look(bar.body, end - seen * way, end, THIN * bar.radius)


def _plates(shape: Shape, places: Array) -> Iterator[Look]:
    """Base and platform as discs around their joints."""
    for body in (BASE, PLATFORM):
        corners = places[[*shape.plates.get(body, ())]]
        if len(corners) > 2:
            centre = corners.mean(axis=0)
            half = _PLATE / 2 * shape.reach * normal(corners)
            radius = float(np.linalg.norm(corners - centre, axis=1).max())
            yield Look(body, centre - half, centre + half, radius, flat=True)


def _in_its_frame(home: HomeConfiguration, look: Look, step: float) -> Look:
    frame = home.frame(look.body)
    ends = (np.array(frame.seen(point(place))) for place in (look.start, look.end))
    start, end = (rounded(place, step) for place in ends)
    radius = float(rounded(np.array(look.radius), step))
    return Look(look.body, start, end, radius, look.flat, look.colour)


def rounded(values: Array, step: float) -> Array:
    """Numbers that are only looked at, with as few decimals as a step asks for."""
    return np.asarray(np.round(values, max(0, -int(np.floor(np.log10(step)))))) + 0.0


def rgba(colour: str) -> str:
    """Red, green, blue and how opaque, from 0 to 1."""
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return " ".join(f"{part:.3g}" for part in (*parts, 1.0))
