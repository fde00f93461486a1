"""What bodies look like: which of them have meshes, and where these are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.poses import euler, pose
from gough.poses.quaternions import rotation_matrix
from gough.robot.mechanism import BASE, PLATFORM
from gough.robot.mesh import METRES, Mesh
from gough.robot.records import Leg
from gough.shown.brief import brief

PARTS = ("cylinder", "piston")
"""Of a leg, in the order of their frames."""
_KEYS = ("mesh", "base_mesh")


@dataclass(frozen=True)
class MeshOfBody:
    """A body with a mesh."""

    body: str
    mesh: Mesh
    row: int | None = None
    """Which of the frames of moving bodies is its own; none of base and platform."""

    __repr__ = brief


def meshes_of_ends(base: Mesh | None, platform: Mesh | None) -> Iterator[MeshOfBody]:
    """Those of base and platform."""
    for body, mesh in ((BASE, base), (PLATFORM, platform)):
        if mesh is not None:
            yield MeshOfBody(body, mesh)


def meshes_of_legs(legs: Sequence[Leg]) -> Iterator[MeshOfBody]:
    """Those of cylinders and pistons."""
    parts = [
        (part_name(k, part), getattr(leg, part)) for k, leg in enumerate(legs) for part in PARTS
    ]
    yield from meshes_of_bodies(parts)


def meshes_of_bodies(bodies: Iterable[tuple[str, Any]]) -> Iterator[MeshOfBody]:
    """Those of bodies, by name, in the order of their frames."""
    for k, (name, body) in enumerate(bodies):
        if body.mesh is not None:
            yield MeshOfBody(name, body.mesh, k)


def part_name(leg: int, part: str) -> str:
    """What a part of a hexapod's leg is called; the leg counts from 0."""
    return f"leg {leg + 1} {part}"


def seen_from(mesh: Mesh, axes: Array, origin: Array) -> Mesh:
    """A mesh of a frame as seen from the one around it; axes in columns, perhaps mirrored."""
    flip = np.diag([1.0, np.sign(np.linalg.det(axes)), 1.0])
    turn = axes @ flip @ (flip @ _rotation(mesh) @ flip)
    return mesh.model_copy(
        update={
            "position": tuple((origin + axes @ np.array(mesh.position)).tolist()),
            "rpy": tuple(euler(pose([0, 0, 0], matrix=turn), "xyz").tolist()),
            "mirrored": mesh.mirrored != bool(flip[1, 1] < 0.0),
        }
    )


def placement(mesh: Mesh) -> Array:
    """(3, 4) the matrix that takes points of a mesh [m] to its body's frame."""
    flip = np.diag([1.0, -1.0 if mesh.mirrored else 1.0, 1.0])
    return np.column_stack([_rotation(mesh) @ flip, mesh.position])


def metres(mesh: Mesh) -> float:
    """What 1 is in the file of a mesh [m]."""
    return METRES[mesh.unit or "m"]


def without_meshes(data: Any) -> Any:
    """Plain data of a robot without what it looks like."""
    if isinstance(data, Mapping):
        return {key: without_meshes(item) for key, item in data.items() if key not in _KEYS}
    return [without_meshes(item) for item in data] if isinstance(data, list | tuple) else data


def _rotation(mesh: Mesh) -> Array:
    return rotation_matrix(pose([0, 0, 0], rpy=mesh.rpy)[3:])
