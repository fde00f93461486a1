"""OBJ: polygons as text, without a unit; the colours of materials are in a file beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from gough.errors import InputError
from gough.meshes.surface import Colour, Piece

_FREE_FORM = ("curv", "curv2", "surf", "bmat", "cstype")
"""What begins lines of curved surfaces."""


def obj_pieces(content: bytes, beside: Callable[[str], bytes]) -> list[Piece]:
    """The faces of an OBJ file, by material; `beside` reads a file that it names.

    A face of more than three corners is cut into triangles around its first one. Lines and points
    have no surface, and normals follow from the triangles.
    """
    vertices: list[list[float]] = []
    faces: dict[str, list[tuple[int, int, int]]] = {}
    colours: dict[str, Colour] = {}
    material = ""
    for number, (word, given) in _lines(content):
        try:
            if word == "v":
                vertices.append([float(x) for x in given[:3]])
            elif word == "f":
                faces.setdefault(material, []).extend(_triangles(given, len(vertices)))
            elif word == "usemtl":
                material = " ".join(given)
            elif word == "mtllib":
                colours |= _materials(beside(" ".join(given)))
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"line {number}: {error}") from None
        if word in _FREE_FORM:
            problem = f"line {number}: a curved surface ({word})"
            raise InputError(problem, expected="polygons alone: export it as a mesh")
    if any(len(vertex) != 3 for vertex in vertices):
        raise InputError("a vertex without three numbers", expected="lines like v 1 2 3")
    points = np.array(vertices, dtype=float).reshape(-1, 3)
    return [
        Piece(points, np.array(those, dtype=np.int64), colours.get(name))
        for name, those in faces.items()
    ]


def _lines(content: bytes) -> Iterator[tuple[int, tuple[str, Sequence[str]]]]:
    """Number, first word and the others of all lines that say something; long ones go on."""
    text = content.decode("utf-8", errors="replace").replace("\\\r\n", " ").replace("\\\n", " ")
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            yield number, (words[0], words[1:])


def _triangles(corners: Sequence[str], known: int) -> Iterator[tuple[int, int, int]]:
    """The triangles of a face; numbers count from 1, or from the last vertex back."""
    if len(corners) < 3:
        raise ValueError(f"a face of {len(corners)} corners")
    numbers = [int(corner.partition("/")[0]) for corner in corners]
    first, *others = [n - 1 if n > 0 else known + n if n < 0 else -1 for n in numbers]
    for second, third in pairwise(others):
        yield first, second, third


def _materials(content: bytes) -> Mapping[str, Colour]:
    """Diffuse colours by the names of materials."""
    found: dict[str, Colour] = {}
    name = ""
    for _, (word, given) in _lines(content):
        if word == "newmtl":
            name = " ".join(given)
        elif word == "Kd" and given and given[0] not in ("spectral", "xyz"):
            red, green, blue = (_byte(float(x)) for x in [*given, *given, *given][:3])
            found[name] = (red, green, blue)
    return found


def _byte(share: float) -> int:
    return round(255 * min(max(share, 0.0), 1.0))
