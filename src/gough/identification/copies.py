"""Legs of a machine of any kind that are images of each other: turned, mirrored, moved.

Joint centres and axes, as drawn at home, say by which turn or mirroring O one leg comes from
another. What a body weighs goes the same way: its mass stays, its first moment h becomes O h, its
inertia J becomes O J Oᵀ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from gough.arrays import Array
from gough.model.standard import standard_parameters
from gough.robot import Mechanism
from gough.robot.mechanism import BASE, PLATFORM
from gough.robot.numbers import UPPER

TEN = 10
"""Standard parameters of a body: m, m c, and J as xx, yy, zz, xy, xz, yz."""
CLOSE = 1e-6
"""Joints and axes of images are where they should be up to this share of a leg's size."""


@dataclass(frozen=True)
class Branch:
    """A leg: the places of its bodies and joints in the robot file."""

    bodies: tuple[int, ...]
    joints: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Image:
    """A leg as the image of another one, whose directions v become `turn` v."""

    of: Branch
    leg: Branch
    turn: Array


def images_of(robot: Mechanism) -> list[Image]:
    """All legs as images of the first one that is like them: of themselves, where none is."""
    found = list[Image]()
    for leg in branches(robot):
        firsts = [image.leg for image in found if image.of is image.leg]
        turns = ((first, _turn(robot, first, leg)) for first in firsts)
        like = next(((first, turn) for first, turn in turns if turn is not None), None)
        found.append(Image(leg, leg, np.eye(3)) if like is None else Image(like[0], leg, like[1]))
    return found


def branches(robot: Mechanism) -> list[Branch]:
    """The legs: bodies that hang together without base and platform, with all their joints."""
    group = {body.name: frozenset({body.name}) for body in robot.bodies}
    for joint in robot.joints:
        if not {BASE, PLATFORM} & {*joint.between}:
            together = frozenset[str]().union(*(group[name] for name in joint.between))
            group |= dict.fromkeys(together, together)
    return [
        Branch(
            tuple(k for k, body in enumerate(robot.bodies) if body.name in names),
            tuple(k for k, joint in enumerate(robot.joints) if names & {*joint.between}),
        )
        for names in dict.fromkeys(group.values())
    ]


def turned(O: Array) -> Array:
    """The matrix (10 x 10) by which O changes a body's standard parameters."""
    matrix = np.zeros((TEN, TEN))
    matrix[0, 0], matrix[1:4, 1:4] = 1.0, O
    for k, (i, j) in enumerate(zip(*UPPER, strict=True)):
        J = np.zeros((3, 3))
        J[i, j] = J[j, i] = 1.0
        matrix[4:, 4 + k] = (O @ J @ O.T)[UPPER]
    return matrix


def _turn(robot: Mechanism, first: Branch, leg: Branch) -> Array | None:
    """O from one leg to another; None where they differ.

    Of several, as a leg in a plane has them, it is the one by which bodies weigh most alike; if
    that does not tell, a turn.
    """
    if _made_of(robot, first) != _made_of(robot, leg):
        return None
    fitting = list(_fitting(*_drawn(robot, first), *_drawn(robot, leg)))
    if not fitting:
        return None
    weights = standard_parameters(robot).reshape(-1, TEN)[1:]
    given, wanted = weights[list(first.bodies)], weights[list(leg.bodies)]
    size = np.abs(wanted).max(initial=1e-300)
    unlike = [round(np.abs(given @ turned(O).T - wanted).max() / size, 6) for O in fitting]
    return fitting[int(np.argmin(unlike))]


def _fitting(points: Array, lines: Array, images: Array, image_lines: Array) -> Iterator[Array]:
    """All O that bring points and lines to their images, turns first; lines have no ends."""
    size = float(np.linalg.norm(points, axis=1).max()) or 1.0
    told = _telling(points, lines)
    for determinant, signs in product((1, -1), product((1, -1), repeat=len(told))):
        given = np.concatenate([points, size * lines[told]])
        wanted = np.concatenate([images, size * np.array(signs)[:, None] * image_lines[told]])
        O = _nearest(given, wanted, determinant)
        off = np.abs(given @ O.T - wanted).max()
        askew = np.abs(np.cross(lines @ O.T, image_lines)).max(initial=0.0)
        if off < CLOSE * size and askew < CLOSE:
            yield O


def _telling(points: Array, lines: Array) -> list[int]:
    """The lines that are needed, beside points, to tell a turn: two directions do."""
    told = list[int]()
    size = float(np.linalg.norm(points, axis=1).max()) or 1.0
    for k in range(len(lines)):
        rows = np.concatenate([points / size, lines[told]])
        if np.linalg.matrix_rank(rows, CLOSE) > 1:
            break
        if np.linalg.matrix_rank(np.vstack([rows, lines[k]]), CLOSE) > len(told):
            told.append(k)
    return told


def _nearest(given: Array, wanted: Array, determinant: int) -> Array:
    """The orthogonal O of a determinant that brings rows nearest to others [Kabsch 1976]."""
    U, _, V = np.linalg.svd(wanted.T @ given)
    last = determinant * np.sign(np.linalg.det(U) * np.linalg.det(V))
    return np.asarray(U @ np.diag([1.0, 1.0, last]) @ V)


def _made_of(robot: Mechanism, leg: Branch) -> list[tuple[object, ...]]:
    """The joints of a leg: of which kind, whether driven, between which of its bodies."""
    names = {robot.bodies[k].name: str(number) for number, k in enumerate(leg.bodies)}
    joints = (robot.joints[k] for k in leg.joints)
    return [
        (j.type, j.is_driven, frozenset(names.get(name, name) for name in j.between))
        for j in joints
    ]


def _drawn(robot: Mechanism, leg: Branch) -> tuple[Array, Array]:
    """Joint centres (k, 3) from the first one [m], and directions of all axes (l, 3)."""
    joints = [robot.joints[k] for k in leg.joints if not robot.joints[k].kind.is_fixed]
    centers = np.array([joint.at for joint in joints])
    lines = np.array([line for joint in joints for line in joint.lines]).reshape(-1, 3)
    return centers - centers[0], lines
