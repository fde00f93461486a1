"""The meshes of a robot as pages take them: triangles once a file, and where each body has them."""

from pathlib import Path

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import MOST_OTHERS, GoughError, named_by
from gough.meshes import Piece, Surface, read_surface
from gough.plots.shapes.mechanism import chains, moved_bodies, welded_bodies
from gough.report.packing import byte_text
from gough.robot import Robot
from gough.robot.appearance import PARTS, MeshOfBody, metres, placement

MOST_TRIANGLES = 200_000
"""That a page draws: some megabytes, and quick on any computer."""
_SHORT = 2**16
"""Maximum number of vertices that two bytes can number."""

Surfaces = dict[str, Surface]
"""By the names of files."""


def surfaces(robot: Robot, read: Surfaces) -> PlainData:
    """The surfaces of all files, and of each mesh its body, its surface and its place."""
    numbers = {file: k for k, file in enumerate(read)}
    carrying, welded = chains(robot), welded_bodies(robot)
    return {
        "surfaces": [[_packed(piece) for piece in surface.pieces] for surface in read.values()],
        "meshes": [
            {
                "body": found.body,
                "surface": numbers[found.mesh.file],
                "place": _place(found),
                "row": found.row,
                "actuator": None if found.row is None else carrying.get(welded[found.body]),
                "thin": _is_thin(robot, found),
            }
            for found in robot.meshes
        ],
    }


def read_meshes(robot: Robot) -> Surfaces:
    """The surfaces of all files that a robot names; refused, if they are too large for a page."""
    read: Surfaces = {}
    for found in robot.meshes:
        if found.mesh.file not in read:
            with named_by(f"mesh of {found.body}"):
                read[found.mesh.file] = read_surface(Path(found.mesh.file))
    _refuse_too_many(robot, read)
    return read


def corners(found: MeshOfBody, read: Surfaces) -> Array:
    """(8, 3) the corners of a box around a mesh [m], in its body's frame."""
    ends = metres(found.mesh) * read[found.mesh.file].corners
    box = np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i, j, k in np.ndindex(2, 2, 2)])
    place = placement(found.mesh)
    return np.asarray(box @ place[:, :3].T + place[:, 3])


def _refuse_too_many(robot: Robot, read: Surfaces) -> None:
    """Refuse meshes that are too large for a page, and name the files with most triangles."""
    files = [found.mesh.file for found in robot.meshes]
    drawn = {file: files.count(file) * surface.triangles for file, surface in read.items()}
    total = sum(drawn.values())
    if total <= MOST_TRIANGLES:
        return
    largest = sorted(drawn, key=lambda file: -drawn[file])[:MOST_OTHERS]
    lines = [
        f"  {Path(file).name}: {read[file].triangles:,} triangles, drawn {files.count(file)} times"
        for file in largest
    ]
    problem = f"the meshes have {total:,} triangles; a page draws at most {MOST_TRIANGLES:,}"
    advice = "export them from CAD with a coarser tolerance, or thin them out with a mesh program"
    raise GoughError("\n".join([f"{problem}: {advice}", *lines]))


def frame_rows(robot: Robot) -> list[int]:
    """Return the moving bodies whose frames a page needs: those that have meshes."""
    return [found.row for found in robot.meshes if found.row is not None]


def _place(found: MeshOfBody) -> list[float]:
    """The matrix, column by column, from the file's numbers to the body's frame [m]."""
    place = np.vstack([placement(found.mesh), [0.0, 0.0, 0.0, 1.0]])
    place[:3, :3] *= metres(found.mesh)
    return list(place.T.ravel().tolist())


def _is_thin(robot: Robot, found: MeshOfBody) -> bool:
    """Whether the body is a piston or a rod: drawn lighter."""
    if found.row is None:
        return False
    if robot.has_extensible_legs:
        return found.row % len(PARTS) == 1
    return welded_bodies(robot)[found.body] not in moved_bodies(robot)


def _packed(piece: Piece) -> PlainData:
    """Triangles as texts of bytes: three numbers of single precision a vertex, three a triangle."""
    kind = "<u2" if len(piece.vertices) <= _SHORT else "<u4"
    return {
        "vertices": byte_text(piece.vertices, "<f4"),
        "triangles": byte_text(piece.triangles, kind),
        "short": kind == "<u2",
        "colour": piece.colour,
    }
