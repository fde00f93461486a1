"""Loops of rounded numbers, closed by the minimum change of these numbers.

An overconstrained machine moves only because its numbers agree: axes that are parallel or meet in
one point. In a file they agree to its digits alone, so that the machine cannot be put together, or
not be moved. Sought is the smallest change of all places in the tree with which the loops close
at home and in configurations around it, and with which axes are parallel that are so but for
rounding: nearly parallel ones also move where they meet far away. Robot files of few digits, as
printed tables have, are changed likewise.
"""

from dataclasses import replace
from typing import cast

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.exchange.importing import tree as file_tree
from gough.exchange.importing.elements import closed_by
from gough.exchange.importing.robot_file import numbers
from gough.model.mechanism import analysed
from gough.poses.quaternions import of_rotation_vector, rotation_matrix
from gough.robot import BASE, Joint, Mechanism, Robot, spanning_tree

_SEEN = 1e-5
"""Singular values below this share of the maximum are due to rounding."""
_EXACT = 1e-9
_CLOSED = 1e-12
_CONFIGURATIONS = 6
_STEPS = 8
_STRAY = 0.4
"""Distance of the configurations from home [rad, machine sizes]."""


def agreeing(tree: file_tree.FileTree) -> file_tree.FileTree | None:
    """Return the tree with numbers that agree, itself if they do; None if no small change helps."""
    start = file_tree.drawn(tree)
    units = file_tree.units_of(start)
    home = file_tree.closed(start, units, _SEEN)
    W, N = _split(home, units)
    if home.widest > file_tree.ROUNDED:
        return None
    if not W.size:  # without rows that no joint changes, loops agree
        return tree
    rng = np.random.default_rng(0)
    around = [home]
    for _ in range(_CONFIGURATIONS if N.shape[1] else 0):
        step = N @ rng.standard_normal(N.shape[1])
        far = _STRAY * rng.uniform(0.5, 1.0) / np.abs(step).max()
        strayed = home.stepped(units * step * far)
        around.append(file_tree.closed(strayed, units, _SEEN))
    signs = [_is_rounded(posture, units) for posture in around]
    rounded = signs[0] or (N.size and all(signs[1:]))
    apart = max(posture.widest for posture in around)
    if not rounded:
        return tree
    if apart > file_tree.ROUNDED:
        return None
    limit = file_tree.ROUNDED if signs[0] else _SEEN  # home alone may be special: a change point
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
        around = [file_tree.closed(replace(p, tree=tree, gap=0.0), units, _SEEN) for p in around]
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


def _is_rounded(home: file_tree.Posture, units: Array) -> bool:
    """Whether loops stay open, or hold by rounding alone what else could move."""
    sigma = np.linalg.svd(home.rows * units, compute_uv=False)
    shares = sigma / (sigma.max(initial=0.0) or 1.0)
    return home.widest > _EXACT or bool(((shares > _EXACT) & (shares < _SEEN)).any())


def _split(posture: file_tree.Posture, units: Array) -> tuple[Array, Array]:
    """Rows that no joint changes, and motions that open no loop, but for rounding."""
    U, rank, Vt = file_tree.ranked(posture.rows * units, _SEEN)
    return U[:, rank:], Vt[rank:].T


def _by_places(posture: file_tree.Posture) -> Array:
    """Return the derivatives of all gaps by turns [rad] and moves [sizes] of all places."""
    links, closures = posture.tree.links, posture.tree.closures
    width, rows = 6 * (len(links) + 2 * len(closures)), []
    for k, closure in enumerate(closures):
        own, ends = np.zeros((6, width)), posture.ends(closure)
        for j, (last, end, sign) in enumerate(zip(closure.links, ends, (-1.0, 1.0), strict=True)):
            link, at = last, 6 * (len(links) + 2 * k + j)
            own[:, at : at + 6] = sign * _moving(end, end, posture.size)
            while link != file_tree.BASE_LINK:
                here = posture.places[links[link].parent] @ links[link].place
                own[:, 6 * link :][:, :6] += sign * _moving(here, end, posture.size)
                link = links[link].parent
        rows.append(own[: closure.rows])
    return np.vstack([*rows, np.zeros((len(posture.tree.couplings), width))])


def _nearly_parallel(home: file_tree.Posture) -> list[tuple[file_tree.Owner, file_tree.Owner]]:
    """Pairs of axes that are parallel but for rounding, the first of them with each other."""
    firsts, pairs = list[file_tree.Owner](), list[tuple[file_tree.Owner, file_tree.Owner]]()
    for owner, freedom in home.tree.freedoms.items():
        alike = (
            one for one in firsts if np.linalg.norm(_askew(home, one, owner)[1]) < file_tree.ROUNDED
        )
        if freedom.is_single and (first := next(alike, None)) is not None:
            pairs.append((first, owner))
        elif freedom.is_single:
            firsts.append(owner)
    return pairs


def _askew(posture: file_tree.Posture, *pair: file_tree.Owner) -> tuple[Array, Array]:
    """Return a × b of the directions of two axes, and its derivatives by turns of all places."""
    links, places = posture.tree.links, posture.places
    a, b = (posture.behind[o][:3, :3] @ posture.tree.freedoms[o].axis for o in pair)
    rows = np.zeros((3, 6 * (len(links) + 2 * len(posture.tree.closures))))
    for (last, _), axis, other in zip(pair, (a, b), (-b, a), strict=True):
        link = last
        while link != file_tree.BASE_LINK:  # d(a × b) = -b × da + a × db
            R = places[links[link].parent][:3, :3] @ links[link].place[:3, :3]
            rows[:, 6 * link :][:, :3] += np.cross(other, np.cross(R.T, axis)).T
            link = links[link].parent
    return rows, np.cross(a, b)


def _moving(here: Array, end: Array, size: float) -> Array:
    """Return the motion of an end, by turns and moves of a place that carries it."""
    R, lever = here[:3, :3], end[:3, 3] - here[:3, 3]
    turning = np.vstack([np.cross(R.T, lever).T / size, R])
    return np.hstack([turning, np.vstack([R, np.zeros((3, 3))])])


def _changed(tree: file_tree.FileTree, step: Array, size: float) -> file_tree.FileTree:
    changes = [
        file_tree.placed(moving * size, rotation_matrix(of_rotation_vector(turning)))
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


def with_closed_loops(robot: Robot) -> tuple[Mechanism, tuple[str, ...]]:
    """Return a mechanism with the minimum change of joints that closes its loops, and notes."""
    expected = "a mechanism of other joints whose loops agree to the digits of its numbers"
    if not isinstance(robot, Mechanism):
        raise RobotError("a hexapod, which has no loops to close", expected=expected)
    if screws := [joint.name for joint in robot.joints if joint.kind.is_screw]:
        raise RobotError("a screw in loops to close", key=screws[0], expected=expected)
    tree = _tree(robot)
    changed = agreeing(tree)
    if changed is tree:
        raise RobotError("its loops agree as they are", expected=expected)
    if changed is None:
        most = (
            f"{file_tree.ROUNDED * file_tree.drawn(tree).size:.1g} m and {file_tree.ROUNDED:g} rad"
        )
        problem = f"no change of joints of up to {most} closes its loops"
        raise RobotError(problem, expected=expected)
    home, data = file_tree.assembled(changed), robot.to_dict()
    joints = {joint["name"]: joint for joint in data["joints"]}
    for owner, freedom in changed.freedoms.items():
        place, (name, number) = home.behind[owner], freedom.name.rsplit("/", 1)
        joints[name]["at"] = numbers((place @ [*freedom.at, 1.0])[:3])
        for key in {"axis", "axes"} & joints[name].keys():
            lines = [*np.atleast_2d(joints[name][key])]
            lines[int(number)] = place[:3, :3] @ freedom.axis
            joints[name][key] = numbers(np.array(lines if key == "axes" else lines[0]))
    notes = *changed.assumed, *analysed(cast(Mechanism, Robot.from_dict(data))).left_out
    data["notes"] = " ".join(filter(None, (data.get("notes"), *notes)))
    return cast(Mechanism, Robot.from_dict(data)), notes


def _tree(robot: Mechanism) -> file_tree.FileTree:
    """The mechanism at home, all links with the frame of the base.

    Mass centres count for its size: joints of a spherical mechanism may be in one point.
    """
    links, known = [file_tree.FileLink(BASE, 0, np.eye(4))], {BASE: 0}
    kept = spanning_tree(robot.joints)
    for joint, carrier, body in kept:
        known[body] = len(links)
        links.append(file_tree.FileLink(body, known[carrier], np.eye(4), _freedoms(joint, carrier)))
    closures = []
    for joint in (j for j in robot.joints if all(j is not branch.joint for branch in kept)):
        ends, same = (known[joint.first], known[joint.second]), (np.eye(4), np.eye(4))
        freedoms = _freedoms(joint, joint.first)
        closures.append(closed_by(joint.name, links, ends, same, freedoms))
    couplings = tuple(
        file_tree.FileCoupling(c.name, tuple(f"{joint}/0" for joint in c.joints), c.weights)
        for c in robot.couplings
    )
    centers = [
        file_tree.placed(np.array(body.center_of_mass)) for body in robot.bodies if body.mass
    ]
    links += [file_tree.FileLink(f"/{k}", 0, center) for k, center in enumerate(centers)]
    tree = file_tree.FileTree(robot.name, robot.gravity, tuple(links), tuple(closures), {}, ())
    return replace(tree, couplings=couplings)


def _freedoms(joint: Joint, carrier: str) -> tuple[file_tree.FileFreedom, ...]:
    """Degrees of freedom from a body on, each by its joint's name and the number of its axis."""
    at, lines = np.array(joint.at), [np.array(x) / np.linalg.norm(x) for x in joint.lines]
    steps = joint.kind.steps[:: 1 if carrier == joint.first else -1]
    pairs = [(cast(file_tree.Kind, step.kind), step.axis) for step in steps]
    lines = lines or [*np.eye(3)]
    return tuple(
        file_tree.FileFreedom(f"{joint.name}/{k}", kind, at, lines[k]) for kind, k in pairs
    )
