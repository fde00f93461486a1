"""Visuals of bodies: their meshes, or else bars and discs, in their bodies' frames.

Meshes become OBJ files in metres, whatever format, unit and place they have in the robot file: all
programs read these.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gough._version import __version__
from gough.arrays import Array
from gough.disk.files import is_reserved
from gough.disk.sources import MARK
from gough.distinct import distinct
from gough.meshes import read_surface
from gough.plots.shapes import Shape, shape_of
from gough.plots.shapes.shape import THIN, normal
from gough.plots.style import LEG_COLOURS
from gough.robot import BASE, PLATFORM, HomeConfiguration, Mesh
from gough.robot.appearance import metres, placement
from gough.robot.home.configuration import point

_UNKNOWN = (178, 178, 178)
_GREY = "#8c96a0"
_PLATE = 0.012  # thickness of base and platform, as a part of the machine's reach
_PISTON = 1.1  # length of what is seen of a piston out of its sleeve, in lengths of the sleeve
_FINE = 1e-6  # steps in which places and sizes are written, as a part of the machine's reach


@dataclass(frozen=True)
class BodySurface:
    """Surface of one colour on a body."""

    body: str
    file: str
    text: str
    colour: str


@dataclass(frozen=True)
class VisualBar:
    """A round bar from one place to another, in a body's frame."""

    body: str
    start: Array
    end: Array
    radius: float
    flat: bool = False  # whether its ends are flat, as a disc's
    colour: str = _GREY

    @property
    def as_cylinder(self) -> tuple[Array, Array, float]:
        """Its middle, the roll, pitch and yaw [rad] that turn z along it, and its length [m]."""
        x, y, z = way = self.end - self.start
        angles = np.array([0.0, np.arctan2(np.hypot(x, y), z), np.arctan2(y, x)])
        length = float(np.round(np.linalg.norm(way), 9))
        return np.round((self.start + self.end) / 2, 9), np.round(angles, 9), length


@dataclass(frozen=True)
class Visuals:
    """A machine to be seen."""

    parts: tuple[VisualBar, ...]
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

    def parts_of(self, body: str) -> list[VisualBar]:
        """Return the parts of a body without a mesh."""
        return [bar for bar in self.parts if bar.body == body]


def visuals_of(home: HomeConfiguration) -> Visuals:
    """The machine at home, drawn as reports draw it."""
    robot = home.robot
    shape = shape_of(robot, robot.home)
    places = shape.points(np.array(robot.home))
    meshes = [(found.body, found.mesh) for found in robot.meshes]
    made = [surface for body, mesh in meshes for surface in _surfaces(home, body, mesh)]
    stems = distinct((surface.file for surface in made), alike=str.casefold)
    surfaces = tuple(replace(m, file=f"{stem}.obj") for m, stem in zip(made, stems, strict=True))
    known = {BASE, *home.bodies} - {surface.body for surface in surfaces}
    step = _FINE * shape.reach
    bars = (bar for bar in (*_bars(shape, places), *_plates(shape, places)) if bar.body in known)
    parts = [_in_its_frame(home, bar, step) for bar in bars]
    seen = tuple(bar for bar in parts if (bar.start != bar.end).any())
    reach = float(rounded(np.array(shape.reach), step))
    return Visuals(seen, surfaces, rounded(shape.target, step), reach)


def _surfaces(home: HomeConfiguration, body: str, mesh: Mesh) -> Iterator[BodySurface]:
    """The pieces of a mesh, with stems of their files; a mirror turns triangles inside out."""
    stem = as_file_name(f"{home.robot.name}-{body}")
    said = f"# {MARK} {__version__}; {body} of {home.robot.name}, in its own frame [m]"
    turn, position = placement(mesh)[:, :3], placement(mesh)[:, 3]
    in_base_frame = any(listed.name == body for listed in home.robot.listed_bodies)
    stated = home.robot.bodies_and_joints  # in whose axes the mesh is, whatever the branch
    origin = np.array(stated.frame(body).position) if in_base_frame else np.zeros(3)
    for k, piece in enumerate(read_surface(Path(mesh.file)).pieces, 1):
        places = metres(mesh) * piece.vertices @ turn.T + position - origin
        triangles = piece.triangles[:, ::-1] if mesh.mirrored else piece.triangles
        vertices = [f"v {x:.7g} {y:.7g} {z:.7g}" for x, y, z in places]
        faces = [f"f {a} {b} {c}" for a, b, c in triangles + 1]
        text = "\n".join([said, *vertices, *faces, ""])
        colour = "#{:02x}{:02x}{:02x}".format(*(piece.colour or _UNKNOWN))
        yield BodySurface(body, stem if k == 1 else f"{stem}-{k}", text, colour)


def _bars(shape: Shape, places: Array) -> Iterator[VisualBar]:
    """Bars; of a telescope a sleeve, and as much of its bar as never leaves it behind."""
    for bar in shape.bars:
        start, end = places[bar.start], places[bar.end]
        colour = _GREY if bar.actuator is None else LEG_COLOURS[bar.actuator % len(LEG_COLOURS)]
        if bar.sleeve:
            length = float(np.linalg.norm(end - start))
            way = (end - start) / length
            sleeve = start, start + bar.sleeve * way
            yield VisualBar(bar.sleeve_of, *sleeve, bar.radius, colour=colour)
            seen = min(length, _PISTON * bar.sleeve)
            yield VisualBar(bar.body, end - seen * way, end, THIN * bar.radius)
        else:
            yield VisualBar(bar.body, start, end, bar.radius, colour=_GREY if bar.thin else colour)


def _plates(shape: Shape, places: Array) -> Iterator[VisualBar]:
    """Base and platform as discs around their joints."""
    for body in (BASE, PLATFORM):
        corners = places[[*shape.plates.get(body, ())]]
        if len(corners) > 2:
            centre = corners.mean(axis=0)
            half = _PLATE / 2 * shape.reach * normal(corners)
            radius = float(np.linalg.norm(corners - centre, axis=1).max())
            yield VisualBar(body, centre - half, centre + half, radius, flat=True)


def _in_its_frame(home: HomeConfiguration, bar: VisualBar, step: float) -> VisualBar:
    frame = home.frame(bar.body)
    ends = (np.array(frame.seen(point(place))) for place in (bar.start, bar.end))
    start, end = (rounded(place, step) for place in ends)
    return replace(bar, start=start, end=end, radius=float(rounded(np.array(bar.radius), step)))


def rounded(values: Array, step: float) -> Array:
    """Numbers that are only looked at, with as few decimals as a step asks for."""
    return np.asarray(np.round(values, max(0, -int(np.floor(np.log10(step)))))) + 0.0


def rgba(colour: str) -> str:
    """Red, green, blue and how opaque, from 0 to 1."""
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return " ".join(f"{part:.3g}" for part in (*parts, 1.0))


def as_file_name(words: str) -> str:
    """Words as the name of a file on all systems, without an ending."""
    name = re.sub(r"[^\w.-]+", "-", words).strip(".-")
    return f"robot-{name}".rstrip("-") if not name or is_reserved(name) else name
