"""A machine at home with the fewest bodies and joints.

Links that do not move relative to each other are one body. A joint with several degrees of
freedom has bodies without mass between them. Hinges and slides with nothing but such bodies between
them are joints of several axes: two hinges whose axes cross are a universal joint, three a ball; a
slide along a hinge's axis and the hinge are a cylindrical joint. What a motor drives stays.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.exchange.importing.file_machine import (
    FileBody,
    FileFreedom,
    FileJoint,
    FileMachine,
    placed,
)
from gough.robot import connected, spanning_tree

SAME = 1e-9
"""Tolerance of coinciding points [machine sizes] and of parallel lines [sine of the angle]."""
_DUST = 1e-11  # coordinates of joints below this share of the machine's size are zero


def machine_of(home: FileMachine) -> FileMachine:
    """Return the bodies of a machine whose loops are closed, and joints as the file orders them."""
    groups = [[link for link in home.bodies if link in group] for group in _rigid_groups(home)]
    keys = {link: _key(home, group) for group in groups for link in group}
    bodies = {keys[group[0]]: together(home.bodies[link] for link in group) for group in groups}
    free = [freedom for joint in home.joints if joint.is_free for freedom in joint.freedoms]
    left_out = [f"friction of {f.name}, which is free" for f in free if f.resists]
    named = dict[str, FileJoint]()
    for joint in (*_steps(home, keys), *_closed(home, keys)):
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
        named[name] = replace(joint, name=name)
        bodies.setdefault(second, FileBody(placed(joint.at)))
    for coupling in home.couplings:
        if lost := {*coupling.joints} - {*named}:
            problem, value = "couples joints that are held still, or free", ", ".join(sorted(lost))
            expected = "hinges and slides that can move"
            raise RobotError(problem, key=coupling.name, value=value, expected=expected)
    reached = {home.base, *(branch.body for branch in spanning_tree(named.values(), home.base))}
    for body in bodies:
        if body not in reached:
            problem = "floats: no joint and no closed loop ties it to the base"
            raise RobotError(problem, key=body, expected="a machine that stands on its base")
    frames = {name: (keys[body], place) for name, (body, place) in home.frames.items()}
    joints = tuple(named.values())
    return home.leaving_out(*left_out, bodies=bodies, joints=joints, frames=frames)


def _key(home: FileMachine, group: list[str]) -> str:
    """The base's group is called by it, others by their heaviest link."""
    return home.base if home.base in group else max(group, key=lambda link: home.bodies[link].mass)


def _rigid_groups(home: FileMachine) -> list[set[str]]:
    """Links that do not move past each other."""
    welds = [{*j.between} for j in home.joints if j.holds == "all" and not j.freedoms]
    groups = connected([*({link} for link in home.bodies), *welds])
    while pair := next(_held(home, groups), None):
        groups = connected([*groups, pair])
    return groups


def _held(home: FileMachine, groups: list[set[str]]) -> Iterator[set[str]]:
    """Links of groups that three points or more hold together, not all on one line."""
    keys = {link: str(k) for k, group in enumerate(groups) for link in group}
    for pair in _by_pair(home, keys).values():
        points = np.array([closure.ends[0][:3, 3] for closure in pair])
        if np.linalg.matrix_rank(points - points[0], tol=SAME * home.size) > 1:
            yield {*pair[0].between}


def _by_pair(home: FileMachine, keys: dict[str, str]) -> dict[frozenset[str], list[FileJoint]]:
    """The closures that hold a point, by the two bodies that they join."""
    found: dict[frozenset[str], list[FileJoint]] = {}
    for closure in home.joints:
        pair = frozenset(keys[link] for link in closure.between)
        if closure.holds == "point" and len(pair) > 1:
            found.setdefault(pair, []).append(closure)
    return found


def together(bodies: Iterable[FileBody]) -> FileBody:
    """Return one body of several, with the frame of the first."""
    all_bodies = list(bodies)
    parts = [body for body in all_bodies if not body.massless]
    place = all_bodies[0].place
    if len(parts) == 1:
        return replace(parts[0], place=place)
    mass = sum(part.mass for part in parts)
    center = sum((part.mass * part.center for part in parts), np.zeros(3)) / (mass or 1.0)
    inertia = np.zeros((3, 3))
    for part in parts:
        r = part.center - center
        inertia = inertia + (part.inertia + part.mass * (r @ r * np.eye(3) - np.outer(r, r)))
    return FileBody(place, mass, center, inertia)


def _steps(home: FileMachine, keys: dict[str, str]) -> Iterator[FileJoint]:
    """The joints of single degrees of freedom, with massless bodies between those of one joint."""
    for joint in (joint for joint in home.joints if not joint.is_free):
        before = keys[joint.first]
        for freedom in joint.freedoms:
            body = keys[joint.second]
            if freedom is not joint.freedoms[-1]:  # a massless body behind it, with a unique name
                body = f"{joint.second}.{freedom.name}"
                while body in keys.values():
                    body += "'"
            yield FileJoint(freedom.name, (before, body), (_tidy(home, freedom),))
            before = body


def _tidy(home: FileMachine, freedom: FileFreedom) -> FileFreedom:
    """Return it with zeros for what rounding leaves of them, or joints in one point had a size."""
    return replace(freedom, at=np.where(np.abs(freedom.at) <= _DUST * home.size, 0.0, freedom.at))


def _closed(home: FileMachine, keys: dict[str, str]) -> Iterator[FileJoint]:
    """Balls where one point is held, hinges where two are."""
    for first, *others in _by_pair(home, keys).values():
        at = first.ends[0][:3, 3]
        apart = [other.ends[0][:3, 3] - at for other in others]
        far = max(apart, key=np.linalg.norm, default=np.zeros(3))
        length = float(np.linalg.norm(far))
        freedom = FileFreedom(first.name, "ball", at, np.eye(3))
        if length > SAME * home.size:
            freedom = replace(freedom, kind="hinge", axis=far / length)
        between = keys[first.first], keys[first.second]
        yield FileJoint(first.name, between, (_tidy(home, freedom),))


def one_of_several(machine: FileMachine) -> FileMachine:
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
    return machine.leaving_out(remark, bodies=bodies, joints=joints, couplings=couplings)


def without_spins(machine: FileMachine) -> FileMachine:
    """Return the machine without motions that move nothing else, with a remark for each.

    A body between two hinges on one line spins about it: what is symmetric about the line moves as
    a part of its neighbour, without its inertia about the line.
    """
    coupled = {name for coupling in machine.couplings for name in coupling.joints}
    for key, body in machine.bodies.items():
        pair = machine.joints_of(key) if key != machine.base else []
        if [joint.type for joint in pair] != ["R", "R"]:
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
        bodies[host] = together([bodies[host], across])
        bare = FileFreedom(freedoms[0].name, freedoms[0].kind, freedoms[0].at, freedoms[0].axis)
        joint = replace(first, between=(near, far), freedoms=(bare,))
        joints = tuple(joint if j is first else j for j in machine.joints if j is not second)
        remark = f"that {key} spins about the line of {first.name} and {second.name}"
        if any(f.armature or f.travel for f in freedoms):
            remark += ", with their armatures and ranges"
        return without_spins(machine.leaving_out(remark, bodies=bodies, joints=joints))
    return machine


def _symmetric(body: FileBody, at: Array, line: Array) -> bool:
    z, size = line / np.linalg.norm(line), float(np.abs(body.inertia).max())
    aside = np.linalg.norm(np.cross(z, body.center - at)) if body.mass else 0.0
    across = body.inertia - np.outer(z, z) * (z @ body.inertia @ z)
    uneven = np.abs(across - np.trace(across) / 2.0 * (np.eye(3) - np.outer(z, z))).max()
    return bool(aside * body.mass <= SAME * (body.mass + size) and uneven <= SAME * size)


def fused(machine: FileMachine) -> FileMachine:
    """Return the configuration with the minimum number of joints and bodies."""
    while smaller := next(_with_one_less(machine), None):
        machine = smaller
    return machine


def _with_one_less(machine: FileMachine) -> Iterator[FileMachine]:
    """The machine without a massless body that is not needed: one joint is its two joints."""
    coupled = {name for coupling in machine.couplings for name in coupling.joints}
    for body, found in machine.bodies.items():
        pair, needed = machine.joints_of(body), body == machine.base or not found.massless
        own = any(joint.motor is not None or joint.name in coupled for joint in pair)
        if needed or len(pair) != 2 or own:
            continue
        first, second = pair
        to = first if first.second == body else first.turned_round
        away = second if second.first == body else second.turned_round
        if to.first != away.second and (joint := _one(to, away, machine.size)):
            bodies = {key: other for key, other in machine.bodies.items() if key != body}
            joints = (joint if j is first else j for j in machine.joints if j is not second)
            yield replace(machine, bodies=bodies, joints=tuple(joints))


def _one(first: FileJoint, second: FileJoint, size: float) -> FileJoint | None:
    """The joint that does what two in a row do, if there is one."""
    freedoms, axes = (*first.freedoms, *second.freedoms), (*first.axes, *second.axes)
    # as the axes of one joint have them: the same friction and springs, without force at home
    losses = {(f.damping, f.friction, f.stiffness) for f in freedoms}
    alike = len(losses) <= 1 and not any(f.is_loaded for f in freedoms)
    plain = not any(f.does_work or f.armature for f in freedoms)
    match first.type + second.type:
        case "RR":
            fits = alike and _cross(freedoms[0], freedoms[1], size)
        case "UR" | "RU":
            center, hinge = (first, second) if first.type == "U" else (second, first)
            across = abs(np.linalg.det(np.array(axes))) > SAME
            apart = np.linalg.norm(np.cross(center.at - hinge.at, hinge.axes[0]))
            fits = alike and across and bool(apart <= SAME * size)
        case "PR" | "RP":
            fits = plain and bool(np.linalg.norm(np.cross(axes[0], axes[1])) < SAME)
        case _:
            fits = False
    return FileJoint(first.name, (first.first, second.second), freedoms) if fits else None


def _cross(first: FileFreedom, second: FileFreedom, size: float) -> bool:
    """Whether the axes of two hinges cross and are not parallel."""
    normal = np.cross(first.axis, second.axis)
    sine = float(np.linalg.norm(normal))
    apart = float(abs((second.at - first.at) @ normal))
    return sine >= SAME and apart <= SAME * size * sine
