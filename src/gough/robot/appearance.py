"""Meshes of bodies, and their placements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.display.brief import brief
from gough.poses import euler, pose
from gough.poses.quaternions import rotation_matrix
from gough.robot.home.of_hexapod import part_names
from gough.robot.mechanism import BASE, PLATFORM
from gough.robot.mesh import METRES, Mesh
from gough.robot.records import Leg

PARTS = ("cylinder", "piston")
"""Parts of a leg, in the order of their frames."""
_KEYS = ("mesh", "base_mesh")


@dataclass(frozen=True)
class MeshOfBody:
    """A body with a mesh."""

    body: str
    mesh: Mesh
    row: int | None = None
    """Row of its frame among those of the moving bodies; None for base and platform."""

    __repr__ = brief


def meshes_of_ends(base: Mesh | None, platform: Mesh | None) -> Iterator[MeshOfBody]:
    """Yield the meshes of base and platform."""
    for body, mesh in ((BASE, base), (PLATFORM, platform)):
        if mesh is not None:
            yield MeshOfBody(body, mesh)


def parts_of_legs(legs: Sequence[Leg]) -> Iterator[tuple[str, Any]]:
    """Yield cylinders and pistons by name, in the order of their frames."""
    for k, leg in enumerate(legs, 1):
        yield from zip(part_names(k), (leg.cylinder, leg.piston), strict=True)


def meshes_of_bodies(bodies: Iterable[tuple[str, Any]]) -> Iterator[MeshOfBody]:
    """Yield the meshes of bodies, by name, in the order of their frames."""
    for k, (name, body) in enumerate(bodies):
        if body.mesh is not None:
            yield MeshOfBody(name, body.mesh, k)


def seen_from(mesh: Mesh, axes: Array, origin: Array) -> Mesh:
    """Return a mesh of a frame in the frame around it; axes in columns, perhaps mirrored."""
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
    """Return the matrix (3, 4) that transforms points of a mesh [m] to its body's frame."""
    flip = np.diag([1.0, -1.0 if mesh.mirrored else 1.0, 1.0])
    return np.column_stack([_rotation(mesh) @ flip, mesh.position])


def metres(mesh: Mesh) -> float:
    """Return the length unit of a mesh file [m]."""
    return METRES[mesh.unit or "m"]


def without_meshes(data: Any) -> Any:
    """Return the plain data of a robot without its meshes."""
    if isinstance(data, Mapping):
        return {key: without_meshes(item) for key, item in data.items() if key not in _KEYS}
    return [without_meshes(item) for item in data] if isinstance(data, list | tuple) else data


def _rotation(mesh: Mesh) -> Array:
    return rotation_matrix(pose([0, 0, 0], rpy=mesh.rpy)[3:])
