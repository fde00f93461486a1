"""A machine at home as bodies and joints, in base axes: of what a tree and its closures say.

Links that do not move past each other are one body. A link that hangs by several freedoms has
bodies without mass between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.exchange.importing.assembling import Assembled
from gough.exchange.importing.tree import BASE_LINK, Closure, Freedom, Link, Tree

SAME = 1e-9
"""Of the machine's size: nearer points are one. Sine of the angle: nearer lines are parallel."""
_TYPES = {"hinge": "R", "slide": "P", "ball": "S"}


@dataclass(frozen=True, eq=False)
class Body:
    """A body of the machine at home, and the links that it consists of."""

    links: tuple[int, ...]
    mass: float
    center: Array
    inertia: Array
    """About the mass centre."""

    @property
    def massless(self) -> bool:
        """Whether nothing of it can be felt."""
        return not self.mass and not self.inertia.any()


NOTHING = Body((), 0.0, np.zeros(3), np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint at home, between two bodies by their keys."""

    name: str
    type: str
    between: tuple[str, str]
    at: Array
    axes: tuple[Array, ...]
    freedoms: tuple[Freedom, ...] = ()
    """Those of the tree that it stands for, with their positions at home as zeros."""

    @property
    def motor(self) -> int | None:
        """Which of the machine's motors drives it."""
        return next((f.motor for f in self.freedoms if f.motor is not None), None)


@dataclass(frozen=True, eq=False)
class Drawing:
    """Bodies by their keys, the base's among them, and the joints between them."""

    bodies: dict[str, Body]
    joints: tuple[Joint, ...]
    base: str
    size: float
    left_out: tuple[str, ...] = ()

    def joints_of(self, body: str) -> list[Joint]:
        """The joints of a body."""
        return [joint for joint in self.joints if body in joint.between]

    def body_of(self, link: int) -> str:
        """The key of the body that a link belongs to."""
        return next(key for key, body in self.bodies.items() if link in body.links)


def drawing_of(tree: Tree, home: Assembled) -> Drawing:
    """Bodies and joints of a tree whose loops are closed."""
    groups = _rigid_groups(tree, home)
    keys = {link: _key(tree, group) for group in groups for link in group}
    bodies = {_key(tree, group): _body(tree, home, group) for group in groups}
    joints: list[Joint] = []
    for k, _ in enumerate(tree.links):
        hung = [*_hung(tree, home, k, keys)]
        bodies |= {joint.between[1]: NOTHING for joint in hung[:-1]}
        joints += hung
    kept, left_out = _without_locked([*joints, *_closed(tree, home, keys)])
    drawing = Drawing(
        bodies, tuple(_named_apart(kept)), keys[BASE_LINK], home.size, tuple(left_out)
    )
    _refuse_floating(drawing)
    return drawing


def _key(tree: Tree, group: Iterable[int]) -> str:
    """The base's group is called by its first link, others by their heaviest."""
    links = sorted(group)
    if BASE_LINK in links:
        return tree.links[BASE_LINK].name
    return tree.links[max(links, key=lambda k: (tree.links[k].mass, -k))].name


def _rigid_groups(tree: Tree, home: Assembled) -> list[set[int]]:
    """Links that do not move past each other."""
    groups = [{k} for k, _ in enumerate(tree.links)]
    for k, link in enumerate(tree.links):
        if k != BASE_LINK and not link.freedoms:
            _join(groups, k, link.parent)
    for closure in tree.closures:
        if closure.holds == "all":
            _join(groups, *closure.links)
    while pair := next(_held(tree, home, groups), None):
        _join(groups, *pair)
    return groups


def _join(groups: list[set[int]], first: int, second: int) -> None:
    one, other = (next(g for g in groups if link in g) for link in (first, second))
    if one is not other:
        one |= other
        groups.remove(other)


def _held(tree: Tree, home: Assembled, groups: list[set[int]]) -> Iterator[tuple[int, int]]:
    """Links of groups that three points or more hold together, not all on one line."""
    keys = {link: str(k) for k, group in enumerate(groups) for link in group}
    for pair in _by_pair(tree, keys).values():
        points = np.array([_meeting(closure, home) for closure in pair])
        if np.linalg.matrix_rank(points - points[0], tol=SAME * home.size) > 1:
            yield pair[0].links


def _by_pair(tree: Tree, keys: dict[int, str]) -> dict[frozenset[str], list[Closure]]:
    """The closures that hold a point, by the two bodies that they join."""
    found: dict[frozenset[str], list[Closure]] = {}
    for closure in tree.closures:
        pair = frozenset(keys[link] for link in closure.links)
        if closure.holds == "point" and len(pair) > 1:
            found.setdefault(pair, []).append(closure)
    return found


def _meeting(closure: Closure, home: Assembled) -> Array:
    return np.asarray((home.places[closure.links[0]] @ closure.places[0])[:3, 3])


def _body(tree: Tree, home: Assembled, group: Iterable[int]) -> Body:
    """What its links have together, in base axes."""
    links = sorted(group)
    parts = [(tree.links[k], home.places[k]) for k in links]
    felt = [
        (link.mass, (place @ [*link.center, 1.0])[:3], _turned(link.inertia, place[:3, :3]))
        for link, place in parts
        if link.mass or link.inertia.any()
    ]
    if len(felt) == 1:
        return Body(tuple(links), *felt[0])
    mass = sum(m for m, _, _ in felt)
    center = sum((m * c for m, c, _ in felt), np.zeros(3)) / (mass or 1.0)
    inertia = sum((I + m * _of_point(c - center) for m, c, I in felt), np.zeros((3, 3)))
    return Body(tuple(links), mass, center, inertia)


def _turned(inertia: Array, R: Array) -> Array:
    turned = R @ inertia @ R.T
    return np.asarray((turned + turned.T) / 2.0)


def _of_point(r: Array) -> Array:
    return np.asarray(r @ r * np.eye(3) - np.outer(r, r))


def _hung(tree: Tree, home: Assembled, k: int, keys: dict[int, str]) -> Iterator[Joint]:
    """The joints by which a link hangs from its parent, if it does."""
    link = tree.links[k]
    if _is_free(link):
        return
    before = keys[link.parent]
    for j, freedom in enumerate(link.freedoms):
        last = j + 1 == len(link.freedoms)
        body = keys[k] if last else _between(link, freedom, keys)
        place = home.behind[k, j]
        at = (place @ [*freedom.at, 1.0])[:3]
        axes = () if freedom.kind == "ball" else (place[:3, :3] @ freedom.axis,)
        here = replace(freedom, zero=freedom.zero + home.moved[k, j])
        yield Joint(freedom.name, _TYPES[freedom.kind], (before, body), at, axes, (here,))
        before = body


def _is_free(link: Link) -> bool:
    """Whether it moves in all ways: by a free joint, or by others that hold nothing together."""
    motions = np.hstack([np.zeros((6, 0)), *(freedom.motions for freedom in link.freedoms)])
    plain = all(
        freedom.motor is None and not (freedom.travel or freedom.damping or freedom.friction)
        for freedom in link.freedoms
    )
    free = any(freedom.kind == "free" for freedom in link.freedoms)
    return free or (plain and np.linalg.matrix_rank(motions) == 6)


def _between(link: Link, freedom: Freedom, keys: dict[int, str]) -> str:
    """What the body without mass behind a freedom is called: no other may be called so."""
    name = f"{link.name}.{freedom.name}"
    while name in keys.values():
        name += "'"
    return name


def _closed(tree: Tree, home: Assembled, keys: dict[int, str]) -> Iterator[Joint]:
    """Balls where one point is held, hinges where two are."""
    for pair in _by_pair(tree, keys).values():
        first, *others = pair
        between = keys[first.links[0]], keys[first.links[1]]
        at = _meeting(first, home)
        apart = [_meeting(other, home) - at for other in others]
        far = max(apart, key=np.linalg.norm, default=np.zeros(3))
        if np.linalg.norm(far) > SAME * home.size:
            yield Joint(first.name, "R", between, at, (far / np.linalg.norm(far),))
        else:
            yield Joint(first.name, "S", between, at, ())


def _without_locked(joints: list[Joint]) -> tuple[list[Joint], list[str]]:
    """Joints that can move: those of a body with itself are held by what closes a loop."""
    kept, left_out = [], []
    for joint in joints:
        if joint.between[0] != joint.between[1]:
            kept.append(joint)
        elif joint.motor is not None:
            raise RobotError(
                f"driven, but both its ends are parts of {joint.between[0]}, which a weld or "
                "fixed joints hold together",
                key=joint.name,
                expected="a joint that can move",
            )
        else:
            left_out.append(f"joint {joint.name}, which a closed loop holds still")
    return kept, left_out


def _named_apart(joints: list[Joint]) -> Iterator[Joint]:
    """The joints; of other tools, what closes a loop may be called as a joint or another loop."""
    taken = set[str]()
    for joint in joints:
        name = joint.name
        while name in taken:
            name += "-loop"
        taken.add(name)
        yield replace(joint, name=name)


def _refuse_floating(drawing: Drawing) -> None:
    reached = {drawing.base}
    for _ in drawing.bodies:
        for joint in drawing.joints:
            if reached & {*joint.between}:
                reached |= {*joint.between}
    for body in drawing.bodies:
        if body not in reached:
            raise RobotError(
                "floats: no joint and no closed loop ties it to the base",
                key=body,
                expected="a machine that stands on its base",
            )
