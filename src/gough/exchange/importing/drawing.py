"""A machine at home as bodies and joints, in base axes, from a tree and its closures.

Links that do not move relative to each other are one body. A link with several degrees of
freedom has bodies without mass between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, RobotError, did_you_mean
from gough.exchange.importing.assembling import ClosedTree
from gough.exchange.importing.tree import BASE_LINK, FileClosure, FileFreedom, FileLink, FileTree
from gough.robot.home.spanning import spanning_tree
from gough.robot.joint_kinds import BetweenBodies
from gough.robot.mechanism import PLATFORM

SAME = 1e-9
"""Tolerance of coinciding points [machine sizes] and of parallel lines [sine of the angle]."""
_TYPES = {"hinge": "R", "slide": "P", "ball": "S"}


@dataclass(frozen=True, eq=False)
class ImportedBody:
    """A body of the machine at home, and the links that it consists of."""

    links: tuple[int, ...]
    mass: float
    center: Array
    inertia: Array
    """About the mass centre."""

    @property
    def massless(self) -> bool:
        """Whether it has neither mass nor inertia."""
        return not self.mass and not self.inertia.any()


NOTHING = ImportedBody((), 0.0, np.zeros(3), np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class ImportedJoint(BetweenBodies):
    """A joint at home, between two bodies by their keys."""

    name: str
    type: str
    between: tuple[str, str]
    at: Array
    axes: tuple[Array, ...]
    freedoms: tuple[FileFreedom, ...] = ()
    """Those of the tree that it stands for, with their positions at home as zeros."""

    @property
    def motor(self) -> int | None:
        """Which of the machine's motors drives it."""
        return next((f.motor for f in self.freedoms if f.motor is not None), None)


@dataclass(frozen=True, eq=False)
class ImportedDrawing:
    """Bodies by their keys, the base's among them, and the joints between them."""

    bodies: dict[str, ImportedBody]
    joints: tuple[ImportedJoint, ...]
    base: str
    size: float
    left_out: tuple[str, ...] = ()

    def joints_of(self, body: str) -> list[ImportedJoint]:
        """The joints of a body."""
        return [joint for joint in self.joints if body in joint.between]

    def body_of(self, link: int) -> str:
        """The key of the body that a link belongs to."""
        return next(key for key, body in self.bodies.items() if link in body.links)


def drawing_of(tree: FileTree, home: ClosedTree) -> ImportedDrawing:
    """Bodies and joints of a tree whose loops are closed."""
    groups = _rigid_groups(tree, home)
    keys = {link: _key(tree, group) for group in groups for link in group}
    bodies = {_key(tree, group): _body(tree, home, group) for group in groups}
    joints: list[ImportedJoint] = []
    for k, _ in enumerate(tree.links):
        hung = [*_hung(tree, home, k, keys)]
        bodies |= {joint.between[1]: NOTHING for joint in hung[:-1]}
        joints += hung
    kept, left_out = _without_locked([*joints, *_closed(tree, home, keys)])
    drawing = ImportedDrawing(
        bodies, tuple(_named_apart(kept)), keys[BASE_LINK], home.size, tuple(left_out)
    )
    _refuse_floating(drawing)
    return drawing


def _key(tree: FileTree, group: Iterable[int]) -> str:
    """The base's group is called by its first link, others by their heaviest."""
    links = sorted(group)
    if BASE_LINK in links:
        return tree.links[BASE_LINK].name
    return tree.links[max(links, key=lambda k: (tree.links[k].mass, -k))].name


def _rigid_groups(tree: FileTree, home: ClosedTree) -> list[set[int]]:
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


def _held(tree: FileTree, home: ClosedTree, groups: list[set[int]]) -> Iterator[tuple[int, int]]:
    """Links of groups that three points or more hold together, not all on one line."""
    keys = {link: str(k) for k, group in enumerate(groups) for link in group}
    for pair in _by_pair(tree, keys).values():
        points = np.array([_meeting(closure, home) for closure in pair])
        if np.linalg.matrix_rank(points - points[0], tol=SAME * home.size) > 1:
            yield pair[0].links


def _by_pair(tree: FileTree, keys: dict[int, str]) -> dict[frozenset[str], list[FileClosure]]:
    """The closures that hold a point, by the two bodies that they join."""
    found: dict[frozenset[str], list[FileClosure]] = {}
    for closure in tree.closures:
        pair = frozenset(keys[link] for link in closure.links)
        if closure.holds == "point" and len(pair) > 1:
            found.setdefault(pair, []).append(closure)
    return found


def _meeting(closure: FileClosure, home: ClosedTree) -> Array:
    return np.asarray((home.places[closure.links[0]] @ closure.places[0])[:3, 3])


def _body(tree: FileTree, home: ClosedTree, group: Iterable[int]) -> ImportedBody:
    """Return the body that a group of links makes, in base axes."""
    links = sorted(group)
    parts = [(tree.links[k], home.places[k]) for k in links]
    felt = [
        (link.mass, (place @ [*link.center, 1.0])[:3], _turned(link.inertia, place[:3, :3]))
        for link, place in parts
        if link.mass or link.inertia.any()
    ]
    if len(felt) == 1:
        return ImportedBody(tuple(links), *felt[0])
    mass = sum(m for m, _, _ in felt)
    center = sum((m * c for m, c, _ in felt), np.zeros(3)) / (mass or 1.0)
    inertia = sum((I + m * _of_point(c - center) for m, c, I in felt), np.zeros((3, 3)))
    return ImportedBody(tuple(links), mass, center, inertia)


def _turned(inertia: Array, R: Array) -> Array:
    turned = R @ inertia @ R.T
    return np.asarray((turned + turned.T) / 2.0)


def _of_point(r: Array) -> Array:
    return np.asarray(r @ r * np.eye(3) - np.outer(r, r))


def _hung(
    tree: FileTree, home: ClosedTree, k: int, keys: dict[int, str]
) -> Iterator[ImportedJoint]:
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
        yield ImportedJoint(freedom.name, _TYPES[freedom.kind], (before, body), at, axes, (here,))
        before = body


def _is_free(link: FileLink) -> bool:
    """Whether it moves in all ways: by a free joint, or by others that hold nothing together."""
    motions = np.hstack([np.zeros((6, 0)), *(freedom.motions for freedom in link.freedoms)])
    plain = all(
        freedom.motor is None and not (freedom.travel or freedom.damping or freedom.friction)
        for freedom in link.freedoms
    )
    free = any(freedom.kind == "free" for freedom in link.freedoms)
    return free or (plain and np.linalg.matrix_rank(motions) == 6)


def _between(link: FileLink, freedom: FileFreedom, keys: dict[int, str]) -> str:
    """Return a unique name for the massless body behind a degree of freedom."""
    name = f"{link.name}.{freedom.name}"
    while name in keys.values():
        name += "'"
    return name


def _closed(tree: FileTree, home: ClosedTree, keys: dict[int, str]) -> Iterator[ImportedJoint]:
    """Balls where one point is held, hinges where two are."""
    for pair in _by_pair(tree, keys).values():
        first, *others = pair
        between = keys[first.links[0]], keys[first.links[1]]
        at = _meeting(first, home)
        apart = [_meeting(other, home) - at for other in others]
        far = max(apart, key=np.linalg.norm, default=np.zeros(3))
        if np.linalg.norm(far) > SAME * home.size:
            yield ImportedJoint(first.name, "R", between, at, (far / np.linalg.norm(far),))
        else:
            yield ImportedJoint(first.name, "S", between, at, ())


def _without_locked(joints: list[ImportedJoint]) -> tuple[list[ImportedJoint], list[str]]:
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


def _named_apart(joints: list[ImportedJoint]) -> Iterator[ImportedJoint]:
    """The joints; of other tools, what closes a loop may be called as a joint or another loop."""
    taken = set[str]()
    for joint in joints:
        name = joint.name
        while name in taken:
            name += "-loop"
        taken.add(name)
        yield replace(joint, name=name)


def _refuse_floating(drawing: ImportedDrawing) -> None:
    reached = {branch.body for branch in spanning_tree(drawing.joints, drawing.base)}
    for body in drawing.bodies:
        if body not in reached and body != drawing.base:
            raise RobotError(
                "floats: no joint and no closed loop ties it to the base",
                key=body,
                expected="a machine that stands on its base",
            )


@dataclass(frozen=True, eq=False)
class PlatformFrame:
    """The platform: its body's key, and the frame that is its pose, in the base frame at home."""

    body: str
    place: Array


def platform_of(
    tree: FileTree, home: ClosedTree, drawing: ImportedDrawing, name: str | None
) -> PlatformFrame:
    """The platform that a user names by one of its links or frames, or the one that must be it."""
    if name is None:
        called_so = PLATFORM in tree.frames and _moves(tree, drawing, PLATFORM)
        name = PLATFORM if called_so else _only(drawing)
    if name not in tree.frames:
        hint = did_you_mean(name, tree.frames)
        expected = "the name of a body, or of a frame on it"
        raise InputError(f"no such body{hint}", key="platform", value=name, expected=expected)
    if not _moves(tree, drawing, name):
        raise InputError("does not move", key="platform", value=name, expected="a moving body")
    link, place = tree.frames[name]
    return PlatformFrame(drawing.body_of(link), np.asarray(home.places[link] @ place))


def _moves(tree: FileTree, drawing: ImportedDrawing, name: str) -> bool:
    return drawing.body_of(tree.frames[name][0]) != drawing.base


def _only(drawing: ImportedDrawing) -> str:
    """The body that is joined to more others than any, or the only one not joined to the base."""
    moving = [
        body for body, found in drawing.bodies.items() if body != drawing.base and found.links
    ]
    joints = {body: len(drawing.joints_of(body)) for body in moving}
    most = max(joints.values())
    likely = [body for body in moving if joints[body] == most > 2]
    if not likely:
        likely = [body for body in moving if not _on_base(drawing, body)]
    if len(likely) != 1:
        raise InputError(
            "several bodies could be the platform",
            key="platform",
            expected=f"the name of one of {', '.join(likely or moving)}",
        )
    return likely[0]


def _on_base(drawing: ImportedDrawing, body: str) -> bool:
    return any(drawing.base in joint.between for joint in drawing.joints_of(body))
