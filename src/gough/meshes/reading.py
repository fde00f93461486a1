"""Reading of mesh files in the format of their suffix, with limits on their size."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gough.errors import InputError, about_file
from gough.fields.user_files import read_content, within
from gough.meshes.glb import glb_pieces
from gough.meshes.obj import obj_pieces
from gough.meshes.stl import stl_pieces
from gough.meshes.surface import Surface, surface_of

MOST_BYTES = 64 * 2**20
"""Maximum size of a file: about a million triangles in binary."""
KINDS: Final = (".stl", ".obj", ".glb")
"""Suffixes of readable files, in lower case."""
MOST_OF_MATERIALS = 2**20
_WANTED = "an STL, OBJ or GLB file"


def read_surface(path: Path) -> Surface:
    """Return the triangles of a file, in its own unit. Raises InputError."""
    content = read_content(path, _WANTED, MOST_BYTES)
    with about_file(path):
        match path.suffix.lower():
            case ".stl":
                pieces = stl_pieces(content)
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
