"""Identical legs, images of each other: one number of all of them in place of one of each.

Joint centres and axes, in the home configuration, determine the rotation or reflection O by which
one leg follows from another. Inertial parameters follow: the mass stays, the first moment h becomes
O h, the inertia J becomes O J Oᵀ.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple, get_args

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.model.standard import OF_A_BODY, standard_parameters, standard_points
from gough.model.structure import structure_of
from gough.robot import BASE, PLATFORM, UPPER, Joint, Robot, connected

TEN = 10  # standard parameters of a body: m, m c, and J as xx, yy, zz, xy, xz, yz
CLOSE = 1e-6  # joints and axes of images are where they should be up to this share of a leg's size

OF_A_ROD = ("mass", "first_moment", "joint_inertia.xx", "joint_inertia.zz")
_ON_LINE = 1e-9
Sharing = Literal["independent", "identical"]
_BODY = re.compile(r"^(platform|legs(?:\[\d+\])?\.(?:cylinder|piston)|(?:legs\.)?bodies\[\d+\])\.")


Images = dict[str, tuple[str, Array]]  # which leg's number a place has, and O from that leg
Shared = frozenset[str]
"""Numbers that legs which are images of each other share: of "legs", bodies and passive joints; of
"drives" and driven joints, but never the offsets of their efforts."""


def checked_sharing(robot: Robot, **given: object) -> Shared:
    """Return which of "legs" and "drives" are shared; GoughError where legs cannot be alike."""
    known, problem = get_args(Sharing), ""
    for key, sharing in given.items():
        if sharing not in known:
            raise GoughError(f"{key}={sharing!r}; expected {' or '.join(map(repr, known))}")
    shared = frozenset(key for key, sharing in given.items() if sharing == "identical")
    if shared and len({leg.kind for leg in robot.extensible_legs}) > 1:
        problem = "legs of several kinds are not identical; expected one kind of leg"
    elif shared and not _shared(robot):
        problem = "none of its legs is another one, turned or mirrored; expected some that are"
    if problem:
        raise GoughError(f'{robot.name}: {problem}, or "independent"')
    return shared


def tied(robot: Robot, names: Sequence[str], sharing: Shared) -> tuple[list[str], Array]:
    """Names of the numbers that are free, and E (names x free): all numbers = E · free ones.

    Of identical legs, `legs.piston.mass` stands for that of each, and `legs.bodies[0].mass` for
    that of the first leg's body and of its images in others. Of bodies that spin freely between
    ball joints, four numbers stand for ten.
    """
    shared = _shared(robot) if sharing else {}
    lines = spinning_lines(robot)
    rows = [_in_free(n, shared if _is_shared(robot, n, sharing) else {}, lines) for n in names]
    free = list(dict.fromkeys(own for row in rows for own in row))
    E = np.array([row.get(own, 0.0) for row in rows for own in free])
    return free, E.reshape(len(names), len(free))


def body_of(name: str) -> str:
    """The body that a standard parameter belongs to; nothing for other numbers."""
    return found[1] if (found := _BODY.match(name)) else ""


def is_offset(name: str) -> bool:
    """Whether a number is an offset of efforts, which has a sign and is an actuator's own."""
    return name.endswith(".offset")


def has_sign(name: str) -> bool:
    """Whether a number of no body may be negative: an offset, or the load of a spring at home."""
    load = name.endswith((".force", ".torque")) and ("springs[" in name or ".spring." in name)
    return load or is_offset(name)


def _is_shared(robot: Robot, name: str, sharing: Shared) -> bool:
    place, _, rest = name.partition(".")
    if rest.startswith("spring."):
        return False  # the sign of its load depends on the joint's axis
    driven = place in {actuator.key for actuator in robot.actuators}
    if driven and (rest.startswith("drive.") or place.startswith("joints[")):
        return "drives" in sharing and not is_offset(name)
    return "legs" in sharing


def _in_free(name: str, shared: Images, lines: Mapping[str, Array]) -> dict[str, float]:
    """The free numbers that one is a sum of, with their factors."""
    place, _, rest = name.partition(".")
    first, turn = shared.get(place, (place, np.eye(3)))
    if rest not in OF_A_BODY or not place.startswith("bodies["):
        return {f"{first}.{rest}": 1.0}
    rod = place in lines
    own, matrix = (OF_A_ROD, symmetric(lines[place])) if rod else (OF_A_BODY, turned(turn))
    factors = zip(own, matrix[OF_A_BODY.index(rest)], strict=True)
    return {f"{first}.{number}": float(factor) for number, factor in factors if factor}


def _shared(robot: Robot) -> Images:
    """Return the representative name and O of each place in the file whose numbers are shared."""
    if legs := range(len(robot.extensible_legs)):
        return {f"legs[{k}]": ("legs", np.eye(3)) for k in legs}
    images = images_of(robot)
    firsts = {id(image.of) for image in images if image.of is not image.leg}
    return {
        f"{parts}[{k}]": (f"legs.{parts}[{j}]", image.turn)
        for image in images
        if id(image.of) in firsts
        for parts in ("bodies", "joints")
        for j, k in zip(getattr(image.of, parts), getattr(image.leg, parts), strict=True)
    }


def spinning_lines(robot: Robot) -> dict[str, Array]:
    """Directions s of lines about which bodies spin, by place, if their points are on them."""
    structure = structure_of(robot)
    if structure.extensible:
        return {}
    lines, points = dict[str, Array](), standard_points(robot)[1:]
    for k, (body, point) in enumerate(zip(robot.listed_bodies, points, strict=True)):
        own = [joint for joint in robot.listed_joints if body.name in joint.between]
        if body.name in structure.passive_rotations and (line := _line(own, point)) is not None:
            lines[f"bodies[{k}]"] = line
    return lines


def symmetric(s: Array) -> Array:
    """The matrix (10 x 4) from the four numbers of a body that spins freely to its ten.

    Such a body is symmetric about the line s between its ball joints: mass m, first moment h along
    s, inertias across (xx) and along (zz) it. The ten are m, h s, xx (1 - s sᵀ) + zz s sᵀ.
    """
    matrix = np.zeros((10, 4))
    matrix[0, 0], matrix[1:4, 1] = 1.0, s
    along = np.outer(s, s)
    matrix[4:, 2], matrix[4:, 3] = (np.eye(3) - along)[UPPER], along[UPPER]
    return matrix


def _line(joints: Sequence[Joint], point: tuple[float, ...]) -> Array | None:
    """From ball to ball, or from a ball along the axis of another joint."""
    balls = [np.array(joint.at) for joint in joints if joint.kind.is_ball]
    axes = [np.array(line) for joint in joints for line in joint.lines]
    along = balls[1] - balls[0] if len(balls) > 1 else next(iter(axes), None)
    if along is None or not balls:
        return None
    s = along / np.linalg.norm(along)
    distance = np.linalg.norm(np.cross(s, balls[0] - point))
    return s if distance <= _ON_LINE * np.abs(balls).max() else None


class LegBranch(NamedTuple):
    """A leg: the places of its bodies and joints in the robot file."""

    bodies: tuple[int, ...]
    joints: tuple[int, ...]


class Image(NamedTuple):
    """A leg as the image of another one, whose directions v become `turn` v."""

    of: LegBranch
    leg: LegBranch
    turn: Array


def images_of(robot: Robot) -> list[Image]:
    """All legs as images of the first one that is like them: of themselves, where none is."""
    found = list[Image]()
    for leg in branches(robot):
        firsts = [image.leg for image in found if image.of is image.leg]
        turns = ((first, _turn(robot, first, leg)) for first in firsts)
        like = (Image(first, leg, turn) for first, turn in turns if turn is not None)
        found.append(next(like, Image(leg, leg, np.eye(3))))
    return found


def branches(robot: Robot) -> list[LegBranch]:
    """The legs: bodies that hang together without base and platform, with all their joints."""
    ends, alone = {BASE, PLATFORM}, [{body.name} for body in robot.listed_bodies]
    pairs = [{*joint.between} for joint in robot.listed_joints if not ends & {*joint.between}]
    return [
        LegBranch(
            tuple(k for k, body in enumerate(robot.listed_bodies) if body.name in names),
            tuple(k for k, joint in enumerate(robot.listed_joints) if names & {*joint.between}),
        )
        for names in connected([*alone, *pairs])
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


def _turn(robot: Robot, first: LegBranch, leg: LegBranch) -> Array | None:
    """O from one leg to another; None where they differ.

    Of several, as a leg in a plane has them, it is the one by which bodies weigh most alike; if
    that does not tell, a turn.
    """
    if _made_of(robot, first) != _made_of(robot, leg):
        return None
    candidates = list(_rotations(*_at_home(robot, first), *_at_home(robot, leg)))
    if not candidates:
        return None
    weights = standard_parameters(robot).reshape(-1, TEN)[1:]
    given, wanted = weights[list(first.bodies)], weights[list(leg.bodies)]
    size = np.abs(wanted).max(initial=1e-300)
    unlike = [round(np.abs(given @ turned(O).T - wanted).max() / size, 6) for O in candidates]
    return candidates[int(np.argmin(unlike))]


def _rotations(points: Array, lines: Array, images: Array, image_lines: Array) -> Iterator[Array]:
    """All O that bring points and lines to their images, turns first; lines have no ends.

    Each is the orthogonal one of a determinant that brings rows nearest to others [Kabsch 1976].
    """
    size = float(np.linalg.norm(points, axis=1).max()) or 1.0
    used = _independent_lines(points, lines)
    for determinant, signs in product((1, -1), product((1, -1), repeat=len(used))):
        given = np.concatenate([points, size * lines[used]])
        wanted = np.concatenate([images, size * np.array(signs)[:, None] * image_lines[used]])
        U, _, V = np.linalg.svd(wanted.T @ given)
        last = determinant * np.sign(np.linalg.det(U) * np.linalg.det(V))
        O = U @ np.diag([1.0, 1.0, last]) @ V
        distance = np.abs(given @ O.T - wanted).max()
        askew = np.abs(np.cross(lines @ O.T, image_lines)).max(initial=0.0)
        if distance < CLOSE * size and askew < CLOSE:
            yield O


def _independent_lines(points: Array, lines: Array) -> list[int]:
    """The lines that determine a rotation beside points: two directions do."""
    used = list[int]()
    size = float(np.linalg.norm(points, axis=1).max()) or 1.0
    for k in range(len(lines)):
        rows = np.concatenate([points / size, lines[used]])
        if np.linalg.matrix_rank(rows, CLOSE) > 1:
            break
        if np.linalg.matrix_rank(np.vstack([rows, lines[k]]), CLOSE) > len(used):
            used.append(k)
    return used


def _made_of(robot: Robot, leg: LegBranch) -> list[tuple[object, ...]]:
    """The joints of a leg: of which kind, whether driven, between which of its bodies."""
    names = {robot.listed_bodies[k].name: str(number) for number, k in enumerate(leg.bodies)}
    joints = (robot.listed_joints[k] for k in leg.joints)
    return [(j.type, j.is_driven, frozenset(names.get(n, n) for n in j.between)) for j in joints]


def _at_home(robot: Robot, leg: LegBranch) -> tuple[Array, Array]:
    """Joint centres (k, 3) from the first one [m], and directions of all axes (l, 3)."""
    every = (robot.listed_joints[k] for k in leg.joints)
    joints = [joint for joint in every if not joint.kind.is_fixed]
    centers = np.array([joint.at for joint in joints])
    lines = np.array([line for joint in joints for line in joint.lines]).reshape(-1, 3)
    return centers - centers[0], lines
