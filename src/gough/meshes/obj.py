"""OBJ: polygons as text, without a unit; the colours of materials are in a file beside it."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO, TextIOWrapper
from itertools import pairwise
from typing import NoReturn

import numpy as np

from gough.errors import InputError
from gough.meshes.surface import Colour, Piece, refuse_more

MOST_LINES = 3_000_000
LONGEST_LINE = 2**17
"""Maximum number of characters of a line, enough for a face of some thousand corners."""
MOST_MATERIALS = 10_000
MOST_LIBRARIES = 20
"""Maximum number of material files."""
_FREE_FORM = ("curv", "curv2", "surf", "bmat", "cstype")
"""First words of lines of curved surfaces."""


def obj_pieces(content: bytes, beside: Callable[[str], bytes]) -> list[Piece]:
    """Return the faces of an OBJ file, by material; `beside` reads a file that it names.

    A face of more than three corners is cut into triangles around its first one. Lines and points
    have no surface, and normals follow from the triangles.
    """
    vertices = array("d")
    faces: dict[str, array[int]] = {}
    libraries: dict[str, Mapping[str, Colour]] = {}
    material, triangles = "", 0
    for number, (word, given) in _lines(content):
        try:
            if word == "v" and len(given) < 3:
                _refuse("a vertex without three numbers", "lines like v 1 2 3")
            if word == "v":
                vertices.extend(map(float, given[:3]))
            elif word == "f":
                faces.setdefault(material, array("q")).extend(_corners(given, len(vertices) // 3))
                triangles += len(given) - 2
                refuse_more(triangles)
            elif word == "usemtl":
                material = " ".join(given)
                if len(faces) > MOST_MATERIALS:
                    _refuse(f"more than {MOST_MATERIALS:,} materials", "fewer colours")
            elif word == "mtllib":  # read once; the materials of the last one count
                name = " ".join(given)
                found = libraries.pop(name, None)
                if len(libraries) >= MOST_LIBRARIES:
                    _refuse(f"more than {MOST_LIBRARIES} lines mtllib", "one")
                libraries[name] = _materials(beside(name)) if found is None else found
        except InputError:
            raise
        except (ValueError, OverflowError) as error:
            raise InputError(f"line {number}: {error}") from None
        if word in _FREE_FORM:
            problem = f"line {number}: a curved surface ({word})"
            raise InputError(problem, expected="polygons alone: export it as a mesh")
    points = np.array(vertices).reshape(-1, 3)
    colours = {name: colour for found in libraries.values() for name, colour in found.items()}
    return [
        Piece(points, np.array(those).reshape(-1, 3), colours.get(name))
        for name, those in faces.items()
    ]


def _refuse(problem: str, expected: str) -> NoReturn:
    raise InputError(problem, expected=expected)


def _lines(content: bytes) -> Iterator[tuple[int, tuple[str, Sequence[str]]]]:
    """Yield number, first word and the others of all lines with content; joins continued lines."""
    count = max(content.count(b"\n"), content.count(b"\r"))
    if count > MOST_LINES:
        raise InputError(f"{count:,} lines", expected=f"at most {MOST_LINES:,}: a coarser mesh")
    joined = content.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    text = TextIOWrapper(BytesIO(joined), encoding="utf-8", errors="replace")
    for number, line in enumerate(text, 1):
        if len(line) > LONGEST_LINE:
            problem = f"line {number}: {len(line):,} characters"
            raise InputError(problem, expected=f"at most {LONGEST_LINE:,} a line")
        words = line.partition("#")[0].split()
        if words:
            yield number, (words[0], words[1:])


def _corners(given: Sequence[str], known: int) -> Iterator[int]:
    """Yield corners of a face's triangles; indices count from 1, or back from the last vertex."""
    if len(given) < 3:
        raise ValueError(f"a face of {len(given)} corners")
    numbers = [int(corner.partition("/")[0]) for corner in given]
    first, *others = [n - 1 if n > 0 else known + n if n < 0 else -1 for n in numbers]
    for second, third in pairwise(others):
        yield from (first, second, third)


def _materials(content: bytes) -> Mapping[str, Colour]:
    """Diffuse colours by the names of materials."""
    found: dict[str, Colour] = {}
    name = ""
    for _, (word, given) in _lines(content):
        if word == "newmtl":
            name = " ".join(given)
        elif word == "Kd" and given and given[0] not in ("spectral", "xyz"):
            shares = (min(max(float(x), 0.0), 1.0) for x in [*given, *given, *given][:3])
            red, green, blue = (round(255 * share) for share in shares)
            found[name] = (red, green, blue)
    return found
