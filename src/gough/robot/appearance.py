"""Meshes of bodies, and their placements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array, product_of
from gough.display.brief import Brief
from gough.poses import euler, pose
from gough.poses.quaternions import rotation_matrix
from gough.robot.home.configuration import part_names
from gough.robot.mechanism import BASE, PLATFORM
from gough.robot.mesh import METRES, Mesh

if TYPE_CHECKING:
    from gough.robot.description import Robot

PARTS = ("cylinder", "piston")  # parts of a leg, in the order of their frames
_KEYS = ("mesh", "base_mesh")


@dataclass(frozen=True, repr=False)
class MeshOfBody(Brief):
    """A body with a mesh."""

    body: str
    mesh: Mesh
    row: int | None = None  # of its frame among the moving bodies'; None for base and platform


def meshes_of(robot: Robot) -> Iterator[MeshOfBody]:
    """Yield the meshes of base, platform and all other bodies, in the order of their frames."""
    legs = enumerate(robot.extensible_legs, 1)
    pairs = (zip(part_names(k), (leg.cylinder, leg.piston), strict=True) for k, leg in legs)
    parts: list[tuple[str, Any]] = [*chain(*pairs), *((x.name, x) for x in robot.listed_bodies)]
    ends = ((BASE, robot.base_mesh, None), (PLATFORM, robot.platform.mesh, None))
    for body, mesh, row in (*ends, *((name, part.mesh, k) for k, (name, part) in enumerate(parts))):
        if mesh is not None:
            yield MeshOfBody(body, mesh, row)


def seen_from(mesh: Mesh, axes: Array, origin: Array) -> Mesh:
    """Return a mesh of a frame in the frame around it; axes in columns, perhaps mirrored."""
    flip = np.diag([1.0, np.sign(np.linalg.det(axes)), 1.0])
    turn = product_of(axes, _rotation(mesh), flip)
    return mesh.model_copy(
        update={
            "position": tuple((origin + product_of(axes, mesh.position)).tolist()),
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


def without_meshes(data: object) -> Any:
    """Return the plain data of a robot without its meshes."""
    if isinstance(data, Mapping):
        return {key: without_meshes(item) for key, item in data.items() if key not in _KEYS}
    return [without_meshes(item) for item in data] if isinstance(data, list | tuple) else data


def _rotation(mesh: Mesh) -> Array:
    return rotation_matrix(pose([0, 0, 0], rpy=mesh.rpy)[3:])
