"""Contents of a mesh file, independent of its format: pieces, each of one colour."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray, Array
from gough.display.brief import Brief
from gough.errors import InputError

MOST_TRIANGLES = 2_000_000
"""Maximum number of triangles of a file: more than an STL file of the maximum size has."""
Colour = tuple[int, int, int]
"""Red, green and blue, from 0 to 255, as screens show them."""


@dataclass(frozen=True, eq=False, repr=False)
class Piece(Brief):
    """Triangles of one colour, if it is known."""

    vertices: Array
    """(n, 3), in the file's unit."""
    triangles: AnyArray
    """(m, 3) indices of vertices, counter-clockwise seen from outside."""
    colour: Colour | None = None


@dataclass(frozen=True, eq=False)
class Surface:
    """The surface of a body: pieces of different colours."""

    pieces: tuple[Piece, ...]

    @property
    def triangles(self) -> int:
        """Number of triangles."""
        return sum(len(piece.triangles) for piece in self.pieces)

    @property
    def corners(self) -> Array:
        """(2, 3) minimum and maximum coordinates, in the file's unit."""
        points = np.concatenate([piece.vertices for piece in self.pieces])
        return np.array([points.min(axis=0), points.max(axis=0)])


def refuse_more(triangles: int) -> None:
    """Refuse more triangles than are read."""
    if triangles > MOST_TRIANGLES:
        raise InputError(f"more than {MOST_TRIANGLES:,} triangles", expected="a coarser mesh")


def surface_of(pieces: Iterable[Piece]) -> Surface:
    """Return the surface of a file's pieces: one of each colour, each vertex once.

    Vertices are equal if they are so in single precision. Triangles without an area, two of whose
    corners are the same, are left out.
    """
    by_colour: dict[Colour | None, list[AnyArray]] = {}
    for piece in pieces:
        by_colour.setdefault(piece.colour, []).append(_corners(piece))
    welded = [_welded(np.concatenate(those), colour) for colour, those in by_colour.items()]
    surface = Surface(tuple(piece for piece in welded if len(piece.triangles)))
    if surface.triangles == 0:
        raise InputError("no triangles", expected="a surface of triangles")
    return surface


def _corners(piece: Piece) -> AnyArray:
    """(3 m, 3) corners of its triangles, in single precision."""
    triangles = piece.triangles
    wrong = (triangles < 0) | (triangles >= len(piece.vertices))
    if wrong.any():
        problem, number = "a triangle with a vertex that is not there", int(triangles[wrong][0]) + 1
        raise InputError(problem, value=number, expected=f"1 to {len(piece.vertices)}")
    with np.errstate(over="ignore", invalid="ignore"):
        corners = piece.vertices[triangles.ravel()].astype(np.float32) + np.float32(0.0)
    if not np.isfinite(corners).all():
        place = int(np.argwhere(~np.isfinite(corners).all(axis=1))[0, 0]) // 3
        problem = f"triangle {place + 1} has a corner that is no finite number"
        raise InputError(problem, expected="numbers up to 1e38")
    return corners


def _welded(corners: AnyArray, colour: Colour | None) -> Piece:
    """Triangles by their corners as a piece in which equal corners are one vertex."""
    _, first, numbers = np.unique(
        corners.view(f"V{corners.itemsize * 3}").ravel(), return_index=True, return_inverse=True
    )
    welded = numbers.reshape(-1, 3)
    a, b, c = welded.T
    with_area = welded[(a != b) & (b != c) & (c != a)]
    return Piece(corners[first].astype(float), with_area, colour)
