"""A machine at home as bodies and joints, in base axes, from a tree and its closures.

Links that do not move relative to each other are one body. A link with several degrees of
freedom has bodies without mass between them. Hinges and slides with nothing but such bodies between
them are joints of several axes: two hinges whose axes cross are a universal joint, three a ball; a
slide along a hinge's axis and the hinge are a cylindrical joint. What a motor drives stays.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.exchange.importing import tree as file_tree
from gough.robot import BetweenBodies, connected, spanning_tree

SAME = 1e-9
"""Tolerance of coinciding points [machine sizes] and of parallel lines [sine of the angle]."""
_DUST = 1e-11
"""Coordinates of joints below this share of the machine's size are zero."""
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
    freedoms: tuple[file_tree.FileFreedom, ...] = ()
    """Those of the tree that it stands for, with their positions at home as zeros."""

    @property
    def motor(self) -> int | None:
        """Which of the machine's motors drives it."""
        return next((f.motor for f in self.freedoms if f.motor is not None), None)


@dataclass(frozen=True, eq=False)
class ImportedMachine:
    """Bodies by their keys, the base's among them, and the joints between them."""

    bodies: dict[str, ImportedBody]
    joints: tuple[ImportedJoint, ...]
    base: str
    size: float
    left_out: tuple[str, ...] = ()
    couplings: tuple[file_tree.FileCoupling, ...] = ()

    def joints_of(self, body: str) -> list[ImportedJoint]:
        """The joints of a body."""
        return [joint for joint in self.joints if body in joint.between]

    def leaving_out(self, remarks: Iterable[str], **changes: Any) -> Self:
        """Return the machine with changes, and with what these leave out."""
        return replace(self, left_out=(*self.left_out, *remarks), **changes)


def machine_of(home: file_tree.Posture) -> ImportedMachine:
    """Bodies and joints of a tree whose loops are closed."""
    bodies = {_key(home, group): _body(home, group) for group in map(sorted, _rigid_groups(home))}
    keys = {link: key for key, body in bodies.items() for link in body.links}
    joints = [joint for k, _ in enumerate(home.tree.links) for joint in _hung(home, k, keys)]
    bodies |= {joint.second: NOTHING for joint in joints if joint.second not in bodies}
    named, left_out = dict[str, ImportedJoint](), list[str]()
    for joint in (*joints, *_closed(home, keys)):
        name, (first, second) = joint.name, joint.between
        if first == second and joint.motor is not None:
            held = f"both its ends are parts of {first}, which a weld or fixed joints hold together"
            raise RobotError(f"driven, but {held}", key=name, expected="a joint that can move")
        if first == second:
            left_out.append(f"joint {name}, which a closed loop holds still")
            continue
        # what closes a loop may be called as a joint or another loop there
        while name in named:
            name += "-loop"
        dust = np.abs(joint.at) <= _DUST * home.size  # or joints in one point would have a size
        named[name] = replace(joint, name=name, at=np.where(dust, 0.0, joint.at))
    for coupling in home.tree.couplings:
        if lost := {*coupling.joints} - {*named}:
            problem, value = "couples joints that are held still, or free", ", ".join(sorted(lost))
            expected = "hinges and slides that can move"
            raise RobotError(problem, key=coupling.name, value=value, expected=expected)
    base, hinged = keys[file_tree.BASE_LINK], tuple(named.values())
    reached = {base, *(branch.body for branch in spanning_tree(hinged, base))}
    for body in bodies:
        if body not in reached:
            problem = "floats: no joint and no closed loop ties it to the base"
            raise RobotError(problem, key=body, expected="a machine that stands on its base")
    return ImportedMachine(bodies, hinged, base, home.size, tuple(left_out), home.tree.couplings)


def _key(home: file_tree.Posture, group: list[int]) -> str:
    """The base's group is called by its first link, others by their heaviest."""
    links = home.tree.links
    heaviest = max(group, key=lambda k: (links[k].mass, -k))
    return links[file_tree.BASE_LINK if file_tree.BASE_LINK in group else heaviest].name


def _rigid_groups(home: file_tree.Posture) -> list[set[int]]:
    """Links that do not move past each other."""
    groups = [{k} for k, _ in enumerate(home.tree.links)]
    for k, link in enumerate(home.tree.links):
        if k != file_tree.BASE_LINK and not link.freedoms:
            _join(groups, k, link.parent)
    for closure in home.tree.closures:
        if closure.holds == "all":
            _join(groups, *closure.links)
    while pair := next(_held(home, groups), None):
        _join(groups, *pair)
    return groups


def _join(groups: list[set[int]], first: int, second: int) -> None:
    one, other = (next(g for g in groups if link in g) for link in (first, second))
    if one is not other:
        one |= other
        groups.remove(other)


def _held(home: file_tree.Posture, groups: list[set[int]]) -> Iterator[tuple[int, int]]:
    """Links of groups that three points or more hold together, not all on one line."""
    keys = {link: str(k) for k, group in enumerate(groups) for link in group}
    for pair in _by_pair(home, keys).values():
        points = np.array([home.ends(closure)[0][:3, 3] for closure in pair])
        if np.linalg.matrix_rank(points - points[0], tol=SAME * home.size) > 1:
            yield pair[0].links


def _by_pair(
    home: file_tree.Posture, keys: dict[int, str]
) -> dict[frozenset[str], list[file_tree.FileClosure]]:
    """The closures that hold a point, by the two bodies that they join."""
    found: dict[frozenset[str], list[file_tree.FileClosure]] = {}
    for closure in home.tree.closures:
        pair = frozenset(keys[link] for link in closure.links)
        if closure.holds == "point" and len(pair) > 1:
            found.setdefault(pair, []).append(closure)
    return found


def _body(home: file_tree.Posture, group: list[int]) -> ImportedBody:
    """Return the body that a group of links makes, in base axes."""
    placed = [(home.tree.links[k], home.places[k]) for k in group]
    parts = [
        ImportedBody(
            (), link.mass, (place @ [*link.center, 1.0])[:3], in_axes(place[:3, :3], link.inertia)
        )
        for link, place in placed
    ]
    return _together(tuple(group), parts)


def _together(links: tuple[int, ...], bodies: Iterable[ImportedBody]) -> ImportedBody:
    """Return one body of several."""
    parts = [body for body in bodies if not body.massless]
    if len(parts) == 1:
        return replace(parts[0], links=links)
    mass = sum(part.mass for part in parts)
    center = sum((part.mass * part.center for part in parts), np.zeros(3)) / (mass or 1.0)
    inertia = np.zeros((3, 3))
    for part in parts:
        r = part.center - center
        inertia = inertia + (part.inertia + part.mass * (r @ r * np.eye(3) - np.outer(r, r)))
    return ImportedBody(links, mass, center, inertia)


def in_axes(R: Array, inertia: Array) -> Array:
    """Return R I Rᵀ of an inertia, without what rounding leaves of a difference to its mirror."""
    turned = R @ inertia @ R.T
    return np.asarray((turned + turned.T) / 2.0)


def _hung(home: file_tree.Posture, k: int, keys: dict[int, str]) -> Iterator[ImportedJoint]:
    """The joints by which a link hangs from its parent, if it does."""
    link = home.tree.links[k]
    if link.is_free:
        return
    before = keys[link.parent]
    for j, freedom in enumerate(link.freedoms):
        body = keys[k]
        if j + 1 < len(link.freedoms):  # a massless body behind it, with a unique name
            body = f"{link.name}.{freedom.name}"
            while body in keys.values():
                body += "'"
        place = home.behind[k, j]
        at = (place @ [*freedom.at, 1.0])[:3]
        axes = () if freedom.kind == "ball" else (place[:3, :3] @ freedom.axis,)
        here = replace(freedom, zero=freedom.zero + home.moved[k, j])
        yield ImportedJoint(freedom.name, _TYPES[freedom.kind], (before, body), at, axes, (here,))
        before = body


def _closed(home: file_tree.Posture, keys: dict[int, str]) -> Iterator[ImportedJoint]:
    """Balls where one point is held, hinges where two are."""
    for pair in _by_pair(home, keys).values():
        first, *others = pair
        between = keys[first.links[0]], keys[first.links[1]]
        at = home.ends(first)[0][:3, 3]
        apart = [home.ends(other)[0][:3, 3] - at for other in others]
        far = max(apart, key=np.linalg.norm, default=np.zeros(3))
        if np.linalg.norm(far) > SAME * home.size:
            yield ImportedJoint(first.name, "R", between, at, (far / np.linalg.norm(far),))
        else:
            yield ImportedJoint(first.name, "S", between, at, ())


def one_of_several(machine: ImportedMachine) -> ImportedMachine:
    """Return the machine without chains of its base that have no loop; refuse several with loops.

    Chains are bodies that hang together without the base, by joints or couplings.
    """
    inner = [{*joint.between} - {machine.base} for joint in machine.joints]
    own = {joint.name: pair for joint, pair in zip(machine.joints, inner, strict=True)}
    coupled = [set[str]().union(*map(own.get, c.joints)) for c in machine.couplings]  # type: ignore[arg-type]
    groups = connected([*inner, *coupled])
    loops = [g for g in groups if sum(1 for pair in inner if pair & g) > len(g)]
    if not loops:
        problem = "a chain or a tree without a closed loop, and so no parallel robot"
        expected = "loops closed by <connect> or <weld>, or by a file of loops"
        raise RobotError(problem, expected=expected)
    if len(loops) > 1:
        first = [next(body for body in machine.bodies if body in group) for group in loops]
        problem = f"{len(loops)} machines on one base"
        raise RobotError(problem, expected=f"one: --subtree with one of {', '.join(first)}")
    kept = {machine.base, *loops[0]}
    lost = [key for key in machine.bodies if key not in kept]
    if not lost:
        return machine
    bodies = {key: body for key, body in machine.bodies.items() if key in kept}
    joints = tuple(joint for joint in machine.joints if {*joint.between} <= kept)
    couplings = tuple(c for c in machine.couplings if own[c.joints[0]] <= kept)
    remark = f"chains without a loop: {', '.join(lost)}"
    return machine.leaving_out([remark], bodies=bodies, joints=joints, couplings=couplings)


def without_spins(machine: ImportedMachine) -> ImportedMachine:
    """Return the machine without motions that move nothing else, with a remark for each.

    A body between two hinges on one line spins about it: what is symmetric about the line moves as
    a part of its neighbour, without its inertia about the line.
    """
    coupled = {name for coupling in machine.couplings for name in coupling.joints}
    for key, body in machine.bodies.items():
        pair = machine.joints_of(key) if key != machine.base else []
        types = [joint.type for joint in pair]
        if types != ["R", "R"]:
            continue
        first, second = pair
        freedoms = (*first.freedoms, *second.freedoms)
        own = any(f.does_work for f in freedoms) or coupled & {first.name, second.name}
        z, apart = first.axes[0], (second.at - first.at) / machine.size
        aside = max(np.linalg.norm(np.cross(z, line)) for line in (second.axes[0], apart))
        if own or aside > SAME or not _symmetric(body, first.at, z):
            continue
        near, far = first.beyond(key), second.beyond(key)
        host = near if near != machine.base else far
        across = replace(body, inertia=body.inertia - np.outer(z, z) * (z @ body.inertia @ z))
        bodies = {k: b for k, b in machine.bodies.items() if k != key}
        bodies[host] = _together(bodies[host].links, [bodies[host], across])
        joint = replace(first, between=(near, far), freedoms=())
        joints = tuple(joint if j is first else j for j in machine.joints if j is not second)
        remark = f"that {key} spins about the line of {first.name} and {second.name}"
        if any(f.armature or f.travel for f in freedoms):
            remark += ", with their armatures and ranges"
        return without_spins(machine.leaving_out([remark], bodies=bodies, joints=joints))
    return machine


def _symmetric(body: ImportedBody, at: Array, line: Array) -> bool:
    """Whether a body is symmetric about a line through a point."""
    z, size = line / np.linalg.norm(line), float(np.abs(body.inertia).max())
    aside = np.linalg.norm(np.cross(z, body.center - at)) if body.mass else 0.0
    across = body.inertia - np.outer(z, z) * (z @ body.inertia @ z)
    uneven = np.abs(across - np.trace(across) / 2.0 * (np.eye(3) - np.outer(z, z))).max()
    return bool(aside * body.mass <= SAME * (body.mass + size) and uneven <= SAME * size)


def fused(machine: ImportedMachine) -> ImportedMachine:
    """Return the configuration with the minimum number of joints and bodies."""
    while smaller := next(_with_one_less(machine), None):
        machine = smaller
    return machine


def _with_one_less(machine: ImportedMachine) -> Iterator[ImportedMachine]:
    """The machine without a massless body that is not needed: one joint is its two joints."""
    coupled = {name for coupling in machine.couplings for name in coupling.joints}
    for body, found in machine.bodies.items():
        pair, needed = machine.joints_of(body), body == machine.base or not found.massless
        own = any(joint.motor is not None or joint.name in coupled for joint in pair)
        if needed or len(pair) != 2 or own:
            continue
        first, second = pair
        to = first if first.second == body else _reversed(first)
        away = second if second.first == body else _reversed(second)
        if to.first != away.second and (joint := _one(to, away, machine.size)):
            bodies = {key: other for key, other in machine.bodies.items() if key != body}
            joints = (joint if j is first else j for j in machine.joints if j is not second)
            yield replace(machine, bodies=bodies, joints=tuple(joints))


def _one(first: ImportedJoint, second: ImportedJoint, size: float) -> ImportedJoint | None:
    """The joint that does what two in a row do, if there is one."""
    freedoms, axes = (*first.freedoms, *second.freedoms), (*first.axes, *second.axes)
    # friction and springs of all must be the same, as they are for the axes of one joint
    alike = len({(f.damping, f.friction, f.stiffness, f.tension) for f in freedoms}) <= 1
    found: tuple[str, Array, tuple[Array, ...]] | None = None
    match first.type + second.type:
        case "RR" if alike and (at := _crossing(first, second, size)) is not None:
            found = "U", at, axes
        case "UR" | "RU":
            center, hinge = (first, second) if first.type == "U" else (second, first)
            across = abs(np.linalg.det(np.array(axes))) > SAME
            apart = np.linalg.norm(np.cross(center.at - hinge.at, hinge.axes[0]))
            found = ("S", center.at, ()) if alike and across and apart <= SAME * size else None
        case "PR" | "RP" if np.linalg.norm(np.cross(axes[0], axes[1])) < SAME:
            hinge = second if first.type == "P" else first
            found = "C", hinge.at, hinge.axes
    if found is None:
        return None
    type_, at, lines = found
    return ImportedJoint(first.name, type_, (first.first, second.second), at, lines, freedoms)


def _crossing(first: ImportedJoint, second: ImportedJoint, size: float) -> Array | None:
    """Where the axes of two hinges cross, if they do and are not parallel."""
    normal = np.cross(first.axes[0], second.axes[0])
    sine = float(np.linalg.norm(normal))
    apart = second.at - first.at
    if sine < SAME or abs(apart @ normal) > SAME * size * sine:
        return None
    along = np.cross(apart, second.axes[0]) @ normal / sine**2
    return np.asarray(first.at + along * first.axes[0])


def _reversed(joint: ImportedJoint) -> ImportedJoint:
    """Return the joint as its other body sees it."""
    axes, freedoms = tuple(-axis for axis in joint.axes[::-1]), []
    for freedom in joint.freedoms[::-1]:
        travel = None if freedom.travel is None else (-freedom.travel[1], -freedom.travel[0])
        freedoms.append(
            replace(freedom, zero=-freedom.zero, relaxed=-freedom.relaxed, travel=travel)
        )
    return replace(joint, between=joint.between[::-1], axes=axes, freedoms=tuple(freedoms))
