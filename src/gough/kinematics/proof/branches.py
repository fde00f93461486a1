"""The branch of robots that iterate: that of home in all boxes, not only one in each of them.

In each box exactly one solution is within some distance of a tilted plane (`implicit`). Where two
boxes touch, a solution in one point that is within both distances is that of both boxes, and so it
is in all of their common face: solutions are locally unique there. The halves of a box that was
bisected are compared in one point of the face between them if all their parts are proved, else
part by part. A way of small boxes leads from home to the nearest one of boxes that hang together.
Intervals of a motion are compared in the pose between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gough.arrays import AnyArray, Array
from gough.kinematics.proof.implicit import Enclosed, Enclosing, Implicit
from gough.model.machines import Machines
from gough.poses.quaternions import conjugate, euler_angles, product

if TYPE_CHECKING:
    from gough.kinematics.proof.prove import Boxes

Way = tuple[tuple[float, ...], ...]
_PIECES = 1024
"""Maximum number of boxes of the way from home."""
_TOGETHER = 256
"""Boxes that are enclosed at a time."""
_AT_HOME = 1e-9
"""Distance [rad, m] within which numbers of y are those of the home configuration."""

_APART = 1e-9
"""Distance from short intervals of a motion within which other solutions are excluded."""


class Branch(NamedTuple):
    """Boxes that are known to continue the solution of home."""

    paths: tuple[str, ...]
    faces: tuple[tuple[str, str], ...] = ()
    """Pairs that touch, and were compared in the middle of what they have in common."""
    from_home: tuple[tuple[str, Way], ...] = ()
    """Boxes with points (n, x) from home to them; boxes between these continue its solution, too.

    One box of all that hang together by faces."""


def branch_of_home(
    enclosing: Enclosing, boxes: Boxes, proved: Sequence[str], others: Sequence[str]
) -> Branch:
    """Return the proved boxes whose solutions continue that of home; the `others` are not proved.

    Of boxes that hang together there are none if two that touch have different solutions.
    """
    if not enclosing.count or not proved:
        return Branch(tuple(proved))
    from scipy.sparse import coo_array  # noqa: PLC0415  (slow to import)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size, numbers, n = enclosing.size, boxes.whole[: enclosing.first].mean(-1), len(proved)
    at_home = steps_between(enclosing.middle, np.array(enclosing.machines.robot.home))
    home = np.concatenate([numbers, at_home])
    bounds, number = boxes.bounds(proved)[:, :size], {path: k for k, path in enumerate(proved)}
    faces = list(_BisectionTree(boxes, proved, others).faces())
    pairs = np.array([(number[a], number[b]) for a, b, _ in faces], int).reshape(-1, 2)
    points = np.array([point[:size] for *_, point in faces]).reshape(-1, size)
    same = _same(enclosing, bounds, pairs, points)
    links = coo_array((np.ones(same.sum()), tuple(pairs[same].T)), (n, n))
    label = connected_components(links, directed=False)[1]
    nearest = np.clip(home, bounds[..., 0], bounds[..., 1])
    away = np.linalg.norm(nearest[:, -6:] - home[-6:], axis=1)
    ways, kept = dict[str, Way](), np.zeros(n, bool)
    torn = {int(label[i]) for i, j in pairs[~same] if label[i] == label[j]}
    for one in {*label.tolist()} - torn:
        own = np.flatnonzero(label == one)
        k = int(own[away[own].argmin()])
        way = _way(enclosing, home, nearest[k], bounds[k])
        if len(way):
            ways[proved[k]], kept[own] = tuple(map(tuple, way.tolist())), True
    apart = pairs[~same & kept[pairs[:, 0]] & kept[pairs[:, 1]]]
    kept &= ~np.isin(label, label[apart])  # boxes that touch have different solutions, both of home
    ways = {path: way for path, way in ways.items() if kept[number[path]]}
    used = same & kept[pairs[:, 0]]
    compared = tuple((a, b) for (a, b, _), own in zip(faces, used, strict=True) if own)
    paths = tuple(proved[k] for k in np.flatnonzero(kept).tolist())
    return Branch(paths, compared, tuple(ways.items()))


def continues_home(
    machines: Machines, middles: Array, boxes: Array, starts: Array, after: AnyArray
) -> AnyArray:
    """Return whether the solution in each box (n, 6, 2) of steps from poses (n, 7) is home's.

    Boxes are of intervals of a motion, with bounds (n, 7, 2) of the pose at their starts; `after`
    says which of them begin where the one before ends.
    """
    varied, at = np.arange(6), starts.mean(-1)

    def enclosed(poses: Array, boxes: Array) -> Enclosed:
        pairs = zip(_parts(poses), _parts(boxes), strict=True)
        each = [Enclosing(machines, pose).over(box, varied, _APART) for pose, box in pairs]
        return Enclosed(*map(np.concatenate, zip(*each, strict=True)))

    radius = np.abs(starts - at[..., None]).max((1, 2)) * 8 + 1e-15
    thin = (radius[:, None] * np.ones(6))[..., None] * np.array([-1.0, 1.0])
    planes, y = enclosed(middles, boxes), enclosed(at, thin).box
    found, same = np.zeros(len(boxes), bool), np.ones(len(boxes), bool)
    for which in (np.arange(len(boxes)), np.maximum(np.arange(len(boxes)) - 1, 0)):
        x = np.array([steps_between(*pair) for pair in zip(middles[which], at, strict=True)])
        same &= _is_of(planes, which, varied, x, y, radius + 1e-13)
    for k in range(len(boxes)):
        if after[k]:
            found[k] = found[k - 1] and same[k]
        else:
            own = Enclosing(machines, middles[k])
            home = steps_between(own.middle, np.array(machines.robot.home))
            found[k] = len(_way(own, home, np.zeros(6), boxes[k])) > 0
    return found


def _same(enclosing: Enclosing, boxes: Array, pairs: AnyArray, points: Array) -> AnyArray:
    """Whether the solution in each point is that of both boxes of a pair."""
    if not len(pairs):
        return np.zeros(0, bool)
    varied = np.flatnonzero((boxes[..., 0] < boxes[..., 1]).any(0))
    each = [enclosing.over(part, varied) for part in _parts(boxes)]
    planes = Enclosed(*map(np.concatenate, zip(*each, strict=True)))
    thin = _parts(np.stack([points, points], -1))
    at = np.concatenate([enclosing.over(part, varied[:0]).box for part in thin])
    first, second = (_is_of(planes, k, varied, points, at, np.zeros(len(k))) for k in pairs.T)
    return first & second


def _is_of(
    planes: Enclosed, which: AnyArray, varied: AnyArray, x: Array, y: Array, near: Array
) -> AnyArray:
    """Whether solutions within y (n, y, 2) at points, `near` x (n, x), are those of some boxes."""
    steps, tilt = x[:, varied] - planes.middle[which][:, varied], planes.tilt[which]
    plane = planes.near[which] + np.einsum("nvy,nv->ny", tilt, steps)
    sizes = np.einsum("nvy,nv->ny", np.abs(tilt), 1e-12 * np.abs(steps) + near[:, None])
    away = np.abs(y - plane[..., None]).max(-1) + sizes + 1e-15 * np.abs(plane)
    return np.asarray((away <= planes.error[which]).all(-1))


def steps_between(middle: Array, pose: Array) -> Array:
    """Return steps (6) from one pose to another."""
    turned = euler_angles("xyz", product(pose[3:], conjugate(middle[3:])))
    return np.concatenate([pose[:3] - middle[:3], turned])


def _way(enclosing: Enclosing, home: Array, end: Array, box: Array) -> Array:
    """Points (n, x) from home to one in a box; none where its solution is not that of home."""
    y, at_home = enclosing.near(home[None])[0], Implicit(enclosing.machines.robot).at_home
    way = np.stack([home, end]) if (home != end).any() else home[None]
    while (np.abs(y - at_home) < _AT_HOME).all() and len(way) <= _PIECES:
        before = np.concatenate([way[:1], way[:-1]])  # boxes: the first point, then between two
        pieces = np.stack([np.minimum(before, way), np.maximum(before, way)], -1)
        varied = np.flatnonzero((pieces[..., 0] < pieces[..., 1]).any(0))
        found = np.concatenate([enclosing.over(part, varied).box for part in _parts(pieces)])
        unknown = np.flatnonzero(~np.isfinite(found).all((1, 2)))
        if not len(unknown):
            chain = np.arange(len(way))
            pairs, every = np.stack([chain, chain + 1], -1), np.concatenate([pieces, box[None]])
            return way if _same(enclosing, every, pairs, way).all() else way[:0]
        if 0 in unknown:
            break
        way = np.insert(way, unknown, (way[unknown - 1] + way[unknown]) / 2, axis=0)
    return way[:0]


def _parts(x: Array) -> list[Array]:
    return [x[k : k + _TOGETHER] for k in range(0, len(x), _TOGETHER)]


class _BisectionTree:
    """Bisections of a whole box, and how many parts of each box are proved."""

    def __init__(self, boxes: Boxes, proved: Sequence[str], others: Sequence[str]) -> None:
        self.boxes, self.letter = boxes, dict[str, str]()
        self.proved, self.all = Counter[str](), Counter[str]()
        for counted in ([*proved, *others], proved):
            for path in counted:
                nodes = [path[:k] for k in range(len(path) + 1)]
                self.letter.update(zip(nodes, path.lower(), strict=False))
                (self.proved if counted is proved else self.all).update(nodes)

    def faces(self) -> Iterator[tuple[str, str, Array]]:
        """Yield pairs of proved boxes on both sides of each bisection, and a point of both."""
        for node, letter in self.letter.items():
            yield from self._between(node + letter, node + letter.upper())

    def _between(self, first: str, second: str) -> Iterator[tuple[str, str, Array]]:
        if not (self.proved[first] and self.proved[second]):
            return
        a, b = self.boxes.bounds([first, second])
        low, high = np.maximum(a[:, 0], b[:, 0]), np.minimum(a[:, 1], b[:, 1])
        if (low > high).any():
            return
        if self.proved[first] < self.all[first]:
            for letter in (self.letter[first], self.letter[first].upper()):
                yield from self._between(first + letter, second)
        elif self.proved[second] < self.all[second]:
            yield from self._between(second, first)
        else:
            point = np.clip((low + high) / 2, low, high)
            yield self.leaf_at(first, point), self.leaf_at(second, point), point

    def leaf_at(self, node: str, point: Array) -> str:
        """Return the path of a part of a box that has a point."""
        box = self.boxes.bounds([node])[0]
        while node in self.letter:
            letter = self.letter[node]
            axis = self.boxes.axes[ord(letter) - ord("a")]
            middle = (box[axis, 0] + box[axis, 1]) / 2
            upper = point[axis] > middle
            node += letter.upper() if upper else letter
            box[axis, 0 if upper else 1] = middle
        return node
