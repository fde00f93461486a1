"""Mesh files in the format of their suffix, with limits on their size.

STL has triangles without a unit and without colours, in binary or as text.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, about_file
from gough.fields.user_files import read_content, within
from gough.meshes.glb import glb_pieces
from gough.meshes.obj import obj_pieces
from gough.meshes.surface import Piece, Surface, surface_of

MOST_BYTES = 64 * 2**20
"""Maximum size of a file: about a million triangles in binary."""
KINDS: Final = (".stl", ".obj", ".glb")
"""Suffixes of readable files, in lower case."""
MOST_OF_MATERIALS = 2**20
_WANTED = "an STL, OBJ or GLB file"
_HEAD = 80
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_LONGEST = 200
"""Maximum number of characters of a vertex."""
_SHORTEST = 80
"""Minimum number of characters of a facet."""
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_surface(path: Path) -> Surface:
    """Return the triangles of a file, in its own unit. Raises InputError."""
    content = read_content(path, _WANTED, MOST_BYTES)
    with about_file(path):
        match path.suffix.lower():
            case ".stl":
                pieces = _stl_pieces(content)
            case ".obj":
                wanted = f"the materials that {path.name} names, or no line mtllib in it"
                pieces = obj_pieces(
                    content,
                    lambda name: read_content(within(path.parent, name), wanted, MOST_OF_MATERIALS),
                )
            case ".glb":
                pieces = glb_pieces(content)
            case other:
                raise InputError(f'unknown kind of file "{other}"', expected=_WANTED)
        return surface_of(pieces)


def _stl_pieces(content: bytes) -> list[Piece]:
    """Return the triangles of an STL file; normals follow from these, so the file's are ignored.

    A binary file may begin with the word of text files: its size identifies it.
    """
    count = int.from_bytes(content[_HEAD : _HEAD + 4], "little")
    size = _HEAD + 4 + count * _RECORD.itemsize
    if len(content) == size:
        return [_of_corners(np.frombuffer(content, _RECORD, offset=_HEAD + 4)["corners"])]
    if content.lstrip().lower().startswith(b"solid"):
        return [_of_corners(_text_corners(content))]
    if len(content) < _HEAD + 4:
        raise InputError(f"{len(content)} bytes, which is no STL", expected="at least 84 bytes")
    raise InputError(
        f"{'cut short' if len(content) < size else 'too long'}: {len(content):,} bytes for "
        f"{count:,} triangles",
        expected=f"{size:,} bytes of a binary STL, or a text that begins with solid",
    )


def _text_corners(content: bytes) -> Array:
    """(m, 3, 3) corners of the triangles of a text."""
    closed = content.count(b"endfacet")
    count = content.count(b"vertex")
    if _SHORTEST * count > 3 * len(content):
        raise _cut_short(count, closed)
    try:
        numbers = np.fromiter(_coordinates(content), float)
    except ValueError as error:
        raise InputError(f"a vertex that is no number: {error}") from None
    if b"endsolid" not in content or len(numbers) != 9 * closed:
        raise _cut_short(len(numbers) // 3, closed)
    return numbers.reshape(-1, 3, 3)


def _coordinates(content: bytes) -> Iterator[float]:
    for vertex in _VERTEX.finditer(content):
        length = vertex.end() - vertex.start()
        if length > _LONGEST:
            raise ValueError(f"{length:,} characters")
        yield from map(float, vertex.groups())


def _cut_short(vertices: int, closed: int) -> InputError:
    return InputError(
        f"cut short: {vertices:,} vertices in {closed:,} whole triangles",
        expected="three vertices in each facet, and endsolid at the end",
    )


def _of_corners(corners: Array) -> Piece:
    vertices = corners.reshape(-1, 3).astype(float)
    return Piece(vertices, np.arange(len(vertices)).reshape(-1, 3))
