"""Where the links of a tree are when its loops are closed: as it is drawn, or as near as can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

from gough.arrays import Array
from gough.errors import RobotError
from gough.exchange.importing.tree import BASE_LINK, Closure, Tree
from gough.poses import difference, pose

_CLOSED = 1e-13
"""Loops with smaller gaps are closed [machine sizes, rad]."""
_OPEN = 1e-10
"""Loops with larger gaps, from which no step leads on, are not."""
_STEPS = 60
_LONGEST = 0.3
"""No joint moves further in one step [machine sizes, rad]."""

Owner = tuple[int, int]
"""A freedom, by its link and its number there."""


@dataclass(frozen=True, eq=False)
class Assembled:
    """A tree with closed loops."""

    places: tuple[Array, ...]
    """Of all links, in the base's frame."""
    behind: dict[Owner, Array]
    """Where a link's frame would be if the freedoms after this one were as drawn."""
    moved: dict[Owner, float]
    """By how much hinges and slides are away from where they are drawn [rad, m]."""
    size: float
    """Of the machine [m]."""
    gap: float
    """How far apart ends of loops are as the tree is drawn [m, rad]."""


def assembled(tree: Tree) -> Assembled:
    """The tree with its loops closed, near to where it is drawn; refuses loops that do not close.

    Steps of Gauss and Newton: each the shortest change of all joints that closes the gaps, with
    lengths in machine sizes, so that the same machine in another size is closed in the same way.
    """
    owners = [(k, j) for k, link in enumerate(tree.links) for j, _ in enumerate(link.freedoms)]
    state = {owner: np.eye(4) for owner in owners}
    moved = dict.fromkeys(owners, 0.0)
    places, behind = _walk(tree, state)
    size = _size(tree, places, behind)
    units = _units(tree, size)
    first, gap = _widest(tree, places), _widest(tree, places, size)
    for _ in range(_STEPS):
        if gap <= _CLOSED:
            break
        rows = [_rows(tree, closure, places, behind, size) for closure in tree.closures]
        step = -np.linalg.lstsq(np.vstack(rows) * units, _gaps(tree, places, size), rcond=1e-10)[0]
        step = step * min(1.0, _LONGEST / np.abs(step).max(initial=1e-300))
        for owner, own in _shares(tree, np.asarray(units * step, float)):
            state[owner] = state[owner] @ _moved_by(_motions(tree, owner) @ own)
            moved[owner] += float(own[0])
        places, behind = _walk(tree, state)
        last, gap = gap, _widest(tree, places, size)
        if last <= _OPEN and gap >= last:
            break
    if gap > _OPEN:
        _refuse_open(tree, places, size)
    return Assembled(tuple(places), behind, moved, size, first)


def _walk(tree: Tree, state: dict[Owner, Array]) -> tuple[list[Array], dict[Owner, Array]]:
    """Where all links are, and where they would be behind each of their freedoms."""
    places: list[Array] = []
    behind: dict[Owner, Array] = {}
    for k, link in enumerate(tree.links):
        here = link.place if k == BASE_LINK else places[link.parent] @ link.place
        for j, _ in enumerate(link.freedoms):
            here = behind[k, j] = here @ state[k, j]
        places.append(here)
    return places, behind


def _size(tree: Tree, places: list[Array], behind: dict[Owner, Array]) -> float:
    points = [place[:3, 3] for place in places]
    points += [
        (place @ [*tree.links[k].freedoms[j].at, 1.0])[:3] for (k, j), place in behind.items()
    ]
    return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0


def _units(tree: Tree, size: float) -> Array:
    """What of all joints counts as one: a machine's size [m] of what moves, 1 rad of turns."""
    motions = [freedom.motions for link in tree.links for freedom in link.freedoms]
    turns = np.hstack([np.zeros((6, 0)), *motions])[:3].any(axis=0)
    return np.where(turns, 1.0, size)


def _motions(tree: Tree, owner: Owner) -> Array:
    return tree.links[owner[0]].freedoms[owner[1]].motions


def _ends(closure: Closure, places: list[Array]) -> tuple[Array, Array]:
    (first, second), (one, other) = closure.links, closure.places
    return places[first] @ one, places[second] @ other


def _gap(closure: Closure, places: list[Array], size: float = 1.0) -> Array:
    """How far the second end is from the first [sizes], and how far turned, in base axes."""
    first, second = (pose(end[:3, 3], matrix=end[:3, :3]) for end in _ends(closure, places))
    return (difference(second, first) / [size, size, size, 1.0, 1.0, 1.0])[: _height(closure)]


def _height(closure: Closure) -> int:
    """How many rows it holds."""
    return 3 if closure.holds == "point" else 6


def _gaps(tree: Tree, places: list[Array], size: float = 1.0) -> Array:
    gaps = (_gap(closure, places, size) for closure in tree.closures)
    return np.concatenate([np.zeros(0), *gaps])


def _widest(tree: Tree, places: list[Array], size: float = 1.0) -> float:
    return float(np.abs(_gaps(tree, places, size)).max(initial=0.0))


def _rows(
    tree: Tree, closure: Closure, places: list[Array], behind: dict[Owner, Array], size: float
) -> Array:
    """How a gap changes with all joints."""
    height = _height(closure)
    seen = {owner: np.zeros((height, _motions(tree, owner).shape[1])) for owner in behind}
    for link, end, sign in zip(closure.links, _ends(closure, places), (-1.0, 1.0), strict=True):
        for owner in _path(tree, link):
            R, p = behind[owner][:3, :3], behind[owner][:3, 3]
            turning, moving = np.split(_motions(tree, owner), 2)
            velocity = R @ moving + np.cross((R @ turning).T, end[:3, 3] - p).T
            seen[owner] += sign * np.vstack([velocity / size, R @ turning])[:height]
    return np.hstack(list(seen.values()))


def _path(tree: Tree, link: int) -> Iterator[Owner]:
    """All freedoms between the base and a link."""
    while link != BASE_LINK:
        yield from ((link, j) for j, _ in enumerate(tree.links[link].freedoms))
        link = tree.links[link].parent


def _shares(tree: Tree, step: Array) -> Iterator[tuple[Owner, Array]]:
    """What of a step each freedom has."""
    start = 0
    for k, link in enumerate(tree.links):
        for j, freedom in enumerate(link.freedoms):
            count = freedom.motions.shape[1]
            yield (k, j), step[start : start + count]
            start += count


def _moved_by(twist: Array) -> Array:
    turning, moving = np.split(twist, 2)
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = np.cross(turning, np.eye(3)).T
    matrix[:3, 3] = moving
    return np.asarray(expm(matrix))


def _refuse_open(tree: Tree, places: list[Array], size: float) -> None:
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
