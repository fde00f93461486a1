"""Meshes of bodies: files of triangles, and their placement on the bodies."""

from pathlib import PurePath
from typing import Annotated

from gough.errors import InputError
from gough.fields.quantities import Angles, Point, YesOrNo
from gough.fields.table import entry, optional
from gough.fields.values import OneOf
from gough.robot.record import Record

METRES = {"um": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "ft": 0.3048}
"""Units of files of triangles, by name."""


def checked_suffix(file: str, known: tuple[str, ...]) -> str:
    """Return the ending of a file's name in small letters, or refuse it."""
    suffix = PurePath(file).suffix.lower()
    if suffix not in known:
        problem, expected = f'unknown kind of file "{suffix}"', f"one of {', '.join(known)}"
        raise InputError(problem, key="file", value=file, expected=expected)
    return suffix


class Mesh(Record):
    """Appearance of a body in pages: the triangles of a file. No result depends on it."""

    file: str = entry(
        "An STL, OBJ or GLB file; its path is relative to that of the robot file.", min_length=1
    )
    unit: Annotated[str, OneOf(tuple(METRES))] | None = optional(
        "Length unit of the file. Required for STL and OBJ; GLB is in m."
    )
    position: Point = entry("Place of the file's origin [m], in the body's frame.", (0.0, 0.0, 0.0))
    rpy: Angles = entry(
        "Rotation of the file's axes [rad]: roll, pitch and yaw about the fixed x, y and z axes of "
        "the body's frame.",
        (0.0, 0.0, 0.0),
    )
    mirrored: YesOrNo = entry("Whether it is the mirror image of the file, with y reversed.", False)

    def _check(self) -> None:
        from gough.meshes import KINDS  # noqa: PLC0415  (few bodies have meshes)

        suffix = checked_suffix(self.file, KINDS)
        if self.unit is None and suffix != ".glb":
            expected = f'the length unit of a {suffix} file, such as "mm"'
            raise InputError("missing", key="unit", expected=expected)
