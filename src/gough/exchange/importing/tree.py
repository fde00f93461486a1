"""A machine as a file of another tool describes it: links in a tree, and loop closures.

A link hangs from its parent by degrees of freedom, the nearest to the parent first; without any
it is a part of its parent. All properties are in its own frame. Places are 4 by 4 matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gough.arrays import Array

BASE_LINK = 0
"""The first link of every tree, which does not move."""
MOST_LINKS = 1000
"""Links, joints and named places of a machine; most of them stand still in each other."""
Kind = Literal["hinge", "slide", "ball", "free"]
Holds = Literal["point", "all"]


@dataclass(frozen=True, eq=False)
class FileFreedom:
    """A degree of freedom of a link relative to its parent."""

    name: str
    kind: Kind
    at: Array
    """A point of its axis, or the centre of a ball [m]."""
    axis: Array
    """Axis of a hinge or a slide."""
    zero: float = 0.0
    """Its position in the file's configuration [rad, m]."""
    travel: tuple[float, float] | None = None
    damping: float = 0.0
    friction: float = 0.0
    motor: int | None = None
    """Which of the machine's motors drives it."""
    max_effort: float | None = None
    max_speed: float | None = None

    @property
    def motions(self) -> Array:
        """The twists [turning; moving] that it allows, as columns, in the link's frame."""
        if self.kind == "slide":
            return np.concatenate([np.zeros(3), self.axis])[:, None]
        turns = self.axis[:, None] if self.kind == "hinge" else np.eye(3)
        about = np.vstack([turns, np.cross(self.at, turns.T).T])
        along = np.vstack([np.zeros((3, 3)), np.eye(3)])
        return np.hstack([about, along]) if self.kind == "free" else about


@dataclass(frozen=True, eq=False)
class FileLink:
    """A body of the tree, with its mass centre and its inertia about that."""

    name: str
    parent: int
    place: Array
    """In the parent's frame, as it is drawn."""
    freedoms: tuple[FileFreedom, ...] = ()
    mass: float = 0.0
    center: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class FileClosure:
    """A closure between two links: a point of each, or all of both."""

    name: str
    holds: Holds
    links: tuple[int, int]
    places: tuple[Array, Array]
    """In their frames: these meet."""


@dataclass(frozen=True, eq=False)
class FileTree:
    """A machine as a file of another tool says it."""

    name: str
    gravity: tuple[float, ...]
    links: tuple[FileLink, ...]
    closures: tuple[FileClosure, ...]
    frames: dict[str, tuple[int, Array]]
    """Places by name, each on a link and in its frame."""
    left_out: tuple[str, ...]
    """Contents of the file that Gough has no place for."""
    assumed: tuple[str, ...] = ()
    """Assumptions where the file gives no value, in sentences."""


def placed(position: Array, rotation: Array | None = None) -> Array:
    """The matrix of a place."""
    matrix = np.eye(4)
    matrix[:3, 3] = position
    if rotation is not None:
        matrix[:3, :3] = rotation
    return matrix
