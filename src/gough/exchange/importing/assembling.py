"""Closing the loops of a tree: poses of its links as in the file, or as near as possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.exchange.importing.tree import BASE_LINK, FileClosure, FileFreedom, FileTree, placed
from gough.poses import difference, pose
from gough.poses.quaternions import of_rotation_vector, rotation_matrix

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


@dataclass(frozen=True, eq=False)
class ClosedTree:
    """A tree with closed loops."""

    places: tuple[Array, ...]
    """Poses of all links, in the base's frame."""
    behind: dict[Owner, Array]
    """Frame of a link if the degrees of freedom after this one were as in the file."""
    moved: dict[Owner, float]
    """Displacements of hinges and slides from their positions in the file [rad, m]."""
    size: float
    """Size of the machine [m]."""
    gap: float
    """Gap between the ends of loops in the file's configuration [m, rad]."""


@dataclass(frozen=True, eq=False)
class _Posture:
    """Displacements of the degrees of freedom, as matrices and numbers, and poses of all links."""

    state: dict[Owner, Array]
    moved: dict[Owner, float]
    places: list[Array]
    behind: dict[Owner, Array]


def assembled(tree: FileTree) -> ClosedTree:
    """Return the tree with its loops closed, near the file's configuration.

    Loops that do not close are refused. Lengths are in machine sizes, so that the same machine in
    another size is closed in the same way. A stretched configuration is singular: then it is
    perturbed.
    """
    drawn = _drawn(tree)
    size = _size(tree, drawn)
    units = _units(tree, size)
    rng = np.random.default_rng(0)
    found = [_closed(tree, drawn, size, units)]
    while _widest(tree, found[-1].places, size) > _OPEN:
        if len(found) > _TRIES:
            _refuse_open(tree, found, size)
        strayed = _stepped(tree, drawn, units * rng.uniform(-_LONGEST, _LONGEST, len(units)))
        found.append(_closed(tree, strayed, size, units))
    home = found[-1]
    gap = _widest(tree, drawn.places)
    return ClosedTree(tuple(home.places), home.behind, home.moved, size, gap)


def _closed(tree: FileTree, posture: _Posture, size: float, units: Array) -> _Posture:
    """The posture from which no step leads on to narrower gaps, best with none.

    Steps of Gauss and Newton: each the shortest change of all joints that closes the gaps.
    """
    gap = _widest(tree, posture.places, size)
    for _ in range(_STEPS):
        if gap <= _CLOSED:
            break
        rows = np.vstack([_rows(tree, closure, posture, size) for closure in tree.closures])
        gaps = _gaps(tree, posture.places, size)
        step = -np.linalg.lstsq(rows * units, gaps, rcond=1e-10)[0]
        longest = float(np.abs(step).max(initial=0.0))
        if longest <= _CLOSED:
            break
        posture = _stepped(tree, posture, units * step * min(1.0, _LONGEST / longest))
        last, gap = gap, _widest(tree, posture.places, size)
        if last <= _OPEN and gap >= last:
            break
    return posture


def _drawn(tree: FileTree) -> _Posture:
    owners = [(k, j) for k, link in enumerate(tree.links) for j, _ in enumerate(link.freedoms)]
    state = {owner: np.eye(4) for owner in owners}
    return _Posture(state, dict.fromkeys(owners, 0.0), *_walk(tree, state))


def _stepped(tree: FileTree, posture: _Posture, step: Array) -> _Posture:
    """Return the posture after a step of all degrees of freedom [rad, m]."""
    shares = dict(_shares(tree, step))
    state = {
        (k, j): posture.state[k, j] @ _moved_by(tree.links[k].freedoms[j], own)
        for (k, j), own in shares.items()
    }
    moved = {owner: posture.moved[owner] + float(own[0]) for owner, own in shares.items()}
    return _Posture(state, moved, *_walk(tree, state))


def _walk(tree: FileTree, state: dict[Owner, Array]) -> tuple[list[Array], dict[Owner, Array]]:
    """Return the poses of all links, and their frames behind each degree of freedom."""
    places: list[Array] = []
    behind: dict[Owner, Array] = {}
    for k, link in enumerate(tree.links):
        here = link.place if k == BASE_LINK else places[link.parent] @ link.place
        for j, _ in enumerate(link.freedoms):
            here = behind[k, j] = here @ state[k, j]
        places.append(here)
    return places, behind


def _size(tree: FileTree, posture: _Posture) -> float:
    points = [place[:3, 3] for place in posture.places]
    points += [
        (place @ [*tree.links[k].freedoms[j].at, 1.0])[:3]
        for (k, j), place in posture.behind.items()
    ]
    return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0


def _units(tree: FileTree, size: float) -> Array:
    """Return the unit of each joint's step: a machine's size [m] for slides, 1 rad for hinges."""
    motions = [freedom.motions for link in tree.links for freedom in link.freedoms]
    turns = np.hstack([np.zeros((6, 0)), *motions])[:3].any(axis=0)
    return np.where(turns, 1.0, size)


def _motions(tree: FileTree, owner: Owner) -> Array:
    return tree.links[owner[0]].freedoms[owner[1]].motions


def _ends(closure: FileClosure, places: list[Array]) -> tuple[Array, Array]:
    (first, second), (one, other) = closure.links, closure.places
    return places[first] @ one, places[second] @ other


def _gap(closure: FileClosure, places: list[Array], size: float = 1.0) -> Array:
    """Return position [sizes] and orientation error of the second end, in base axes."""
    first, second = (pose(end[:3, 3], matrix=end[:3, :3]) for end in _ends(closure, places))
    return (difference(second, first) / [size, size, size, 1.0, 1.0, 1.0])[: _height(closure)]


def _height(closure: FileClosure) -> int:
    """Return the number of its constraint rows."""
    return 3 if closure.holds == "point" else 6


def _gaps(tree: FileTree, places: list[Array], size: float = 1.0) -> Array:
    gaps = (_gap(closure, places, size) for closure in tree.closures)
    return np.concatenate([np.zeros(0), *gaps])


def _widest(tree: FileTree, places: list[Array], size: float = 1.0) -> float:
    return float(np.abs(_gaps(tree, places, size)).max(initial=0.0))


def _rows(tree: FileTree, closure: FileClosure, posture: _Posture, size: float) -> Array:
    """Return the derivatives of a gap by all joints."""
    height, behind = _height(closure), posture.behind
    seen = {owner: np.zeros((height, _motions(tree, owner).shape[1])) for owner in behind}
    for link, end, sign in zip(
        closure.links, _ends(closure, posture.places), (-1.0, 1.0), strict=True
    ):
        for owner in _path(tree, link):
            R, p = behind[owner][:3, :3], behind[owner][:3, 3]
            turning, moving = np.split(_motions(tree, owner), 2)
            velocity = R @ moving + np.cross((R @ turning).T, end[:3, 3] - p).T
            seen[owner] += sign * np.vstack([velocity / size, R @ turning])[:height]
    return np.hstack(list(seen.values()))


def _path(tree: FileTree, link: int) -> Iterator[Owner]:
    """Yield all degrees of freedom between the base and a link."""
    while link != BASE_LINK:
        yield from ((link, j) for j, _ in enumerate(tree.links[link].freedoms))
        link = tree.links[link].parent


def _shares(tree: FileTree, step: Array) -> Iterator[tuple[Owner, Array]]:
    """Yield the part of a step that each degree of freedom has."""
    start = 0
    for k, link in enumerate(tree.links):
        for j, freedom in enumerate(link.freedoms):
            count = freedom.motions.shape[1]
            yield (k, j), step[start : start + count]
            start += count


def _moved_by(freedom: FileFreedom, own: Array) -> Array:
    """The place of a link's frame after a freedom's motion, where it was before."""
    turning, moving = np.split(freedom.motions @ own, 2)
    R = rotation_matrix(of_rotation_vector(turning))
    along = moving - np.cross(freedom.at, turning)
    return placed(freedom.at - R @ freedom.at + along, R)


def _refuse_open(tree: FileTree, found: list[_Posture], size: float) -> NoReturn:
    """Refuse loops that are open in all these postures; report the minimum gap."""
    places = min((posture.places for posture in found), key=lambda p: _widest(tree, p, size))
    worst = max(tree.closures, key=lambda closure: np.abs(_gap(closure, places, size)).max())
    apart, turned = (float(np.linalg.norm(part)) for part in np.split(_gap(worst, places), [3]))
    told = [f"{apart:.3g} m apart"] if apart > _OPEN * size else []
    told += [f"{turned:.3g} rad turned"] if turned > _OPEN else []
    gap = " and ".join(told)
    raise RobotError(
        f"the loop does not close: its ends stay {gap}, however joints are moved",
        key=worst.name,
        expected="a machine that can be put together, drawn near to that",
    )
