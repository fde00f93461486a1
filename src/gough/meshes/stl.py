"""STL: triangles without a unit and without colours, in binary or as text."""

from __future__ import annotations

import re

import numpy as np

from gough.arrays import Array
from gough.errors import InputError
from gough.meshes.surface import Piece

_HEAD = 80
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def stl_pieces(content: bytes) -> list[Piece]:
    """The triangles of an STL file; normals follow from these, so those of the file do not count.

    A binary file may begin with the word of text files: what tells is that its size fits.
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
    found = _VERTEX.findall(content)
    closed = len(re.findall(rb"\bendfacet\b", content))
    if b"endsolid" not in content or len(found) != 3 * closed:
        raise InputError(
            f"cut short: {len(found):,} vertices in {closed:,} whole triangles",
            expected="three vertices in each facet, and endsolid at the end",
        )
    try:
        return np.array(found, dtype=bytes).astype(float).reshape(-1, 3, 3)
    except ValueError as error:
        raise InputError(f"a vertex that is no number: {error}") from None


def _of_corners(corners: Array) -> Piece:
    vertices = corners.reshape(-1, 3).astype(float)
    return Piece(vertices, np.arange(len(vertices)).reshape(-1, 3))
