"""A machine as a file of another tool describes it: links in a tree, and how its loops close.

A link hangs from its parent by degrees of freedom, the nearest to the parent first; without any
it is a part of its parent. All properties are in its own frame. Places are 4 by 4 matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NoReturn

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, RobotError
from gough.poses import difference, pose
from gough.poses.quaternions import of_rotation_vector, rotation_matrix

BASE_LINK = 0
"""The first link of every tree, which does not move."""
MOST_LINKS = 1000
"""Links, joints and named places of a machine; most of them stand still in each other."""
_CLOSED = 1e-13
"""Loops with smaller gaps are closed [machine sizes, rad]."""
_OPEN = 1e-10
"""Loops with larger gaps, from which no step leads on, are not."""
_STEPS = 60
_TRIES = 4
"""Maximum number of random perturbations of a configuration that does not close."""
_LONGEST = 0.3
"""No joint moves further in one step [machine sizes, rad]."""

Owner = tuple[int, int]
"""A freedom, by its link and its number there."""
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
    stiffness: float = 0.0
    relaxed: float = 0.0
    """Position in which its spring is without force."""
    motor: int | None = None
    """Which of the machine's motors drives it."""
    max_effort: float | None = None
    max_speed: float | None = None

    @property
    def resists(self) -> bool:
        """Whether it has friction."""
        return bool(self.damping or self.friction)

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

    @property
    def rows(self) -> int:
        """Number of its constraint rows."""
        return 3 if self.holds == "point" else 6


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
    configurations: dict[str, Array] = field(default_factory=dict)
    """By name, steps of all joints [rad, m] from the drawn configuration to others."""


def placed(position: Array, rotation: Array | None = None) -> Array:
    """The matrix of a place."""
    matrix = np.eye(4)
    matrix[:3, 3] = position
    if rotation is not None:
        matrix[:3, :3] = rotation
    return matrix


@dataclass(frozen=True, eq=False)
class Posture:
    """A configuration of a tree: displacements of all degrees of freedom from the file's."""

    tree: FileTree
    state: dict[Owner, Array]
    """Displacements as places."""
    moved: dict[Owner, float]
    """Displacements of hinges and slides [rad, m]."""
    size: float = 1.0
    """Size of the machine [m]."""
    gap: float = 0.0
    """Gap between the ends of loops in the file's configuration [m, rad]."""

    @property
    def places(self) -> list[Array]:
        """Poses of all links, in the base's frame."""
        return self._frames[0]

    @property
    def behind(self) -> dict[Owner, Array]:
        """Frame of a link if the degrees of freedom after this one were as in the file."""
        return self._frames[1]

    @cached_property
    def _frames(self) -> tuple[list[Array], dict[Owner, Array]]:
        places, behind = list[Array](), dict[Owner, Array]()
        for k, link in enumerate(self.tree.links):
            here = link.place if k == BASE_LINK else places[link.parent] @ link.place
            for j, _ in enumerate(link.freedoms):
                here = behind[k, j] = here @ self.state[k, j]
            places.append(here)
        return places, behind

    def stepped(self, step: Array) -> Posture:
        """Return the posture after a step of all degrees of freedom [rad, m]."""
        state, moved, start = dict[Owner, Array](), dict[Owner, float](), 0
        for (k, j), before in self.state.items():
            freedom = self.tree.links[k].freedoms[j]
            own = step[start : start + freedom.motions.shape[1]]
            start += len(own)
            turning, moving = np.split(freedom.motions @ own, 2)
            R = rotation_matrix(of_rotation_vector(turning))
            along = moving - np.cross(freedom.at, turning)
            state[k, j] = before @ placed(freedom.at - R @ freedom.at + along, R)
            moved[k, j] = self.moved[k, j] + float(own[0])
        return replace(self, state=state, moved=moved)

    def ends(self, closure: FileClosure) -> tuple[Array, Array]:
        """The two places that a closure joins."""
        (first, second), (one, other) = closure.links, closure.places
        return self.places[first] @ one, self.places[second] @ other

    def gap_of(self, closure: FileClosure) -> Array:
        """Return position [sizes] and orientation error of the second end, in base axes."""
        first, second = (pose(end[:3, 3], matrix=end[:3, :3]) for end in self.ends(closure))
        return (difference(second, first) / ([self.size] * 3 + [1.0] * 3))[: closure.rows]

    @cached_property
    def gaps(self) -> Array:
        """Those of all closures."""
        return np.concatenate([np.zeros(0), *map(self.gap_of, self.tree.closures)])

    @property
    def widest(self) -> float:
        """The maximum of all."""
        return float(np.abs(self.gaps).max(initial=0.0))


def assembled(tree: FileTree, home: str | None = None) -> Posture:
    """Return the tree with its loops closed, near the drawn configuration or one that is named.

    Loops that do not close are refused. Lengths are in machine sizes, so that the same machine in
    another size is closed in the same way. A stretched configuration is singular: then it is
    perturbed.
    """
    owners = [(k, j) for k, link in enumerate(tree.links) for j, _ in enumerate(link.freedoms)]
    drawn = Posture(tree, {owner: np.eye(4) for owner in owners}, dict.fromkeys(owners, 0.0))
    if home is not None:
        if home not in tree.configurations:
            known = ", ".join(tree.configurations) or "none: the file has no keyframes"
            raise InputError("no such keyframe", key="home", value=home, expected=known)
        drawn = drawn.stepped(tree.configurations[home])
    points = [place[:3, 3] for place in drawn.places]
    points += [
        (place @ [*tree.links[k].freedoms[j].at, 1.0])[:3] for (k, j), place in drawn.behind.items()
    ]
    size = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
    # the unit of each joint's step: a machine's size [m] for slides, 1 rad for hinges
    motions = [freedom.motions for link in tree.links for freedom in link.freedoms]
    turns = np.hstack([np.zeros((6, 0)), *motions])[:3].any(axis=0)
    units = np.where(turns, 1.0, size)
    rng = np.random.default_rng(0)
    drawn = replace(drawn, size=size, gap=drawn.widest)
    found = [_closed(drawn, units)]
    while found[-1].widest > _OPEN:
        if len(found) > _TRIES:
            _refuse_open(found)
        strayed = drawn.stepped(units * rng.uniform(-_LONGEST, _LONGEST, len(units)))
        found.append(_closed(strayed, units))
    return found[-1]


def _closed(posture: Posture, units: Array) -> Posture:
    """The posture from which no step leads on to narrower gaps, best with none.

    Steps of Gauss and Newton: each the shortest change of all joints that closes the gaps.
    """
    gap = posture.widest
    for _ in range(_STEPS):
        if gap <= _CLOSED:
            break
        rows = np.vstack([_rows(closure, posture) for closure in posture.tree.closures])
        step = -np.linalg.lstsq(rows * units, posture.gaps, rcond=1e-10)[0]
        longest = float(np.abs(step).max(initial=0.0))
        if longest <= _CLOSED:
            break
        posture = posture.stepped(units * step * min(1.0, _LONGEST / longest))
        last, gap = gap, posture.widest
        if last <= _OPEN and gap >= last:
            break
    return posture


def _rows(closure: FileClosure, posture: Posture) -> Array:
    """Return the derivatives of a gap by all joints."""
    links, behind = posture.tree.links, posture.behind
    motions = {(k, j): links[k].freedoms[j].motions for k, j in behind}
    seen = {owner: np.zeros((closure.rows, own.shape[1])) for owner, own in motions.items()}
    for last, end, sign in zip(closure.links, posture.ends(closure), (-1.0, 1.0), strict=True):
        link = last
        while link != BASE_LINK:  # all degrees of freedom between the base and the end
            for owner in ((link, j) for j, _ in enumerate(links[link].freedoms)):
                R, p = behind[owner][:3, :3], behind[owner][:3, 3]
                turning, moving = np.split(motions[owner], 2)
                velocity = R @ moving + np.cross((R @ turning).T, end[:3, 3] - p).T
                own = np.vstack([velocity / posture.size, R @ turning])
                seen[owner] += sign * own[: closure.rows]
            link = links[link].parent
    return np.hstack(list(seen.values()))


def _refuse_open(found: list[Posture]) -> NoReturn:
    """Refuse loops that are open in all these postures; report the minimum gap."""
    best = min(found, key=lambda posture: posture.widest)
    worst = max(best.tree.closures, key=lambda c: np.abs(best.gap_of(c)).max())
    gap = np.split(replace(best, size=1.0).gap_of(worst), [3])
    apart, turned = (float(np.linalg.norm(part)) for part in gap)
    gaps = [f"{apart:.3g} m apart"] if apart > _OPEN * best.size else []
    gaps += [f"{turned:.3g} rad turned"] if turned > _OPEN else []
    raise RobotError(
        f"the loop does not close: its ends stay {' and '.join(gaps)}, however joints are moved",
        key=worst.name,
        expected="a machine that can be put together, drawn near to that",
    )
