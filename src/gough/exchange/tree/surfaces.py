"""Meshes of bodies as OBJ files of their own, in the bodies' frames and in metres.

Whatever format, unit and place a mesh has in the robot file: all three programs read these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gough._version import __version__
from gough.arrays import AnyArray, Array
from gough.disk.sources import MARK
from gough.exchange.tree.export import as_file_name
from gough.meshes import Piece, read_surface
from gough.robot import Mesh
from gough.robot.appearance import metres, placement
from gough.robot.home.configuration import HomeConfiguration

_UNKNOWN = (178, 178, 178)


@dataclass(frozen=True)
class BodySurface:
    """Surface of one colour on a body."""

    body: str
    file: str
    """Its name."""
    text: str
    colour: str


def surfaces_of(home: HomeConfiguration) -> list[BodySurface]:
    """The meshes of all bodies that have one."""
    return [piece for found in home.robot.meshes for piece in _pieces(home, found.body, found.mesh)]


def _pieces(home: HomeConfiguration, body: str, mesh: Mesh) -> Iterator[BodySurface]:
    stem = as_file_name(f"{home.robot.name}-{body}")
    for k, piece in enumerate(read_surface(Path(mesh.file)).pieces, 1):
        name = f"{stem}.obj" if k == 1 else f"{stem}-{k}.obj"
        said = f"# {MARK} {__version__}; {body} of {home.robot.name}, in its own frame [m]"
        places, triangles = _in_its_frame(home, body, mesh, piece)
        colour = "#{:02x}{:02x}{:02x}".format(*(piece.colour or _UNKNOWN))
        yield BodySurface(body, name, _obj(said, places, triangles), colour)


def _in_its_frame(
    home: HomeConfiguration, body: str, mesh: Mesh, piece: Piece
) -> tuple[Array, AnyArray]:
    """Vertices (n, 3) [m] and triangles, which a mirror turns inside out."""
    turn, position = placement(mesh)[:, :3], placement(mesh)[:, 3]
    places = metres(mesh) * piece.vertices @ turn.T + position
    if any(listed.name == body for listed in home.robot.listed_bodies):  # of the base frame
        places = places - np.array(home.frame(body).position)
    return places, piece.triangles[:, ::-1] if mesh.mirrored else piece.triangles


def _obj(said: str, places: Array, triangles: AnyArray) -> str:
    vertices = [f"v {x:.7g} {y:.7g} {z:.7g}" for x, y, z in places]
    faces = [f"f {a} {b} {c}" for a, b, c in triangles + 1]
    return "\n".join([said, *vertices, *faces, ""])
