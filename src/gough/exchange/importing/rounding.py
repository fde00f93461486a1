"""Loops of rounded numbers, closed by the minimum change of these numbers.

An overconstrained machine moves only because its numbers agree: axes that are parallel or meet in
one point. In a file they agree to its digits alone, so that the machine cannot be put together, or
not be moved. Sought is the smallest change of all places in the tree with which the loops close
at home and in configurations around it, and with which axes are parallel that are so but for
rounding: nearly parallel ones also move where they meet far away.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array
from gough.exchange.importing.tree import (
    BASE_LINK,
    ROUNDED,
    FileTree,
    Owner,
    Posture,
    closed,
    drawn,
    placed,
    ranked,
    units_of,
)
from gough.poses.quaternions import of_rotation_vector, rotation_matrix

_SEEN = 1e-5
"""Singular values below this share of the maximum are due to rounding."""
_EXACT = 1e-9
_CLOSED = 1e-12
_CONFIGURATIONS = 6
_STEPS = 8
_STRAY = 0.4
"""Distance of the configurations from home [rad, machine sizes]."""


def agreeing(tree: FileTree) -> FileTree | None:
    """Return the tree with numbers that agree, itself if they do; None if no small change helps."""
    start = drawn(tree)
    units = units_of(start)
    home = closed(start, units, _SEEN)
    W, N = _split(home, units)
    if home.widest > ROUNDED:
        return None
    if not W.size:  # without rows that no joint changes, loops agree
        return tree
    rng = np.random.default_rng(0)
    around = [home]
    for _ in range(_CONFIGURATIONS if N.shape[1] else 0):
        step = N @ rng.standard_normal(N.shape[1])
        far = _STRAY * rng.uniform(0.5, 1.0) / np.abs(step).max()
        strayed = home.stepped(units * step * far)
        around.append(closed(strayed, units, _SEEN))
    signs = [_is_rounded(posture, units) for posture in around]
    rounded = signs[0] or (N.size and all(signs[1:]))
    apart = max(posture.widest for posture in around)
    if not rounded:
        return tree
    if apart > ROUNDED:
        return None
    limit = ROUNDED if signs[0] else _SEEN  # home alone may be special: a change point
    change, alike = np.zeros(0), _nearly_parallel(home)
    for _ in range(_STEPS):
        stiff = [(_split(posture, units)[0].T, posture) for posture in around]
        rows = [w @ _by_places(posture) for w, posture in stiff]
        gaps = [w @ posture.gaps for w, posture in stiff]
        for pair in alike:
            turned, skew = _askew(around[0], *pair)
            rows, gaps = [*rows, turned], [*gaps, skew]
        step = -np.linalg.lstsq(np.vstack(rows), np.concatenate(gaps), rcond=_SEEN)[0]
        change = change + step if change.size else step
        tree = _changed(tree, step, home.size)
        around = [closed(replace(p, tree=tree, gap=0.0), units, _SEEN) for p in around]
        if np.abs(step).max() < _CLOSED:
            break
    most = float(np.abs(change).max())
    if most > limit or max(posture.widest for posture in around) > _EXACT:
        return None
    turned, moved = (np.abs(change.reshape(-1, 2, 3)[:, k]).max() for k in (0, 1))
    note = (
        f"Its loops agree to {apart * home.size:.1g} m or {apart:.1g} rad only, at home and around "
        f"it: places in the file were changed by at most {moved * home.size:.1g} m and "
        f"{turned:.1g} rad so that they close."
    )
    return tree.assuming(note)


def _is_rounded(home: Posture, units: Array) -> bool:
    """Whether loops stay open, or hold by rounding alone what else could move."""
    sigma = np.linalg.svd(home.rows * units, compute_uv=False)
    shares = sigma / (sigma.max(initial=0.0) or 1.0)
    return home.widest > _EXACT or bool(((shares > _EXACT) & (shares < _SEEN)).any())


def _split(posture: Posture, units: Array) -> tuple[Array, Array]:
    """Rows that no joint changes, and motions that open no loop, but for rounding."""
    U, rank, Vt = ranked(posture.rows * units, _SEEN)
    return U[:, rank:], Vt[rank:].T


def _by_places(posture: Posture) -> Array:
    """Return the derivatives of all gaps by turns [rad] and moves [sizes] of all places."""
    links, closures = posture.tree.links, posture.tree.closures
    width, rows = 6 * (len(links) + 2 * len(closures)), []
    for k, closure in enumerate(closures):
        own, ends = np.zeros((6, width)), posture.ends(closure)
        for j, (last, end, sign) in enumerate(zip(closure.links, ends, (-1.0, 1.0), strict=True)):
            link, at = last, 6 * (len(links) + 2 * k + j)
            own[:, at : at + 6] = sign * _moving(end, end, posture.size)
            while link != BASE_LINK:
                here = posture.places[links[link].parent] @ links[link].place
                own[:, 6 * link :][:, :6] += sign * _moving(here, end, posture.size)
                link = links[link].parent
        rows.append(own[: closure.rows])
    return np.vstack([*rows, np.zeros((len(posture.tree.couplings), width))])


def _nearly_parallel(home: Posture) -> list[tuple[Owner, Owner]]:
    """Pairs of axes that are parallel but for rounding, the first of them with each other."""
    firsts, pairs = list[Owner](), list[tuple[Owner, Owner]]()
    for owner, freedom in home.tree.freedoms.items():
        alike = (one for one in firsts if np.linalg.norm(_askew(home, one, owner)[1]) < ROUNDED)
        if freedom.is_single and (first := next(alike, None)) is not None:
            pairs.append((first, owner))
        elif freedom.is_single:
            firsts.append(owner)
    return pairs


def _askew(posture: Posture, *pair: Owner) -> tuple[Array, Array]:
    """Return a × b of the directions of two axes, and its derivatives by turns of all places."""
    links, places = posture.tree.links, posture.places
    a, b = (posture.behind[o][:3, :3] @ posture.tree.freedoms[o].axis for o in pair)
    rows = np.zeros((3, 6 * (len(links) + 2 * len(posture.tree.closures))))
    for (last, _), axis, other in zip(pair, (a, b), (-b, a), strict=True):
        link = last
        while link != BASE_LINK:  # d(a × b) = -b × da + a × db
            R = places[links[link].parent][:3, :3] @ links[link].place[:3, :3]
            rows[:, 6 * link :][:, :3] += np.cross(other, np.cross(R.T, axis)).T
            link = links[link].parent
    return rows, np.cross(a, b)


def _moving(here: Array, end: Array, size: float) -> Array:
    """Return the motion of an end, by turns and moves of a place that carries it."""
    R, lever = here[:3, :3], end[:3, 3] - here[:3, 3]
    turning = np.vstack([np.cross(R.T, lever).T / size, R])
    return np.hstack([turning, np.vstack([R, np.zeros((3, 3))])])


def _changed(tree: FileTree, step: Array, size: float) -> FileTree:
    changes = [
        placed(moving * size, rotation_matrix(of_rotation_vector(turning)))
        for turning, moving in step.reshape(-1, 2, 3)
    ]
    links = [
        replace(link, place=link.place @ change)
        for link, change in zip(tree.links, changes, strict=False)
    ]
    ends = iter(changes[len(links) :])
    closures = [
        replace(c, places=(c.places[0] @ next(ends), c.places[1] @ next(ends)))
        for c in tree.closures
    ]
    return replace(tree, links=tuple(links), closures=tuple(closures))
