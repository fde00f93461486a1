"""Legs that are alike: one number of all of them in place of one of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.copies import images_of, turned
from gough.model.standard import OF_A_BODY, standard_points
from gough.model.structure import MechanismStructure, structure_of
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.mechanism import Joint
from gough.robot.numbers import UPPER

OF_A_ROD = ("mass", "first_moment", "joint_inertia.xx", "joint_inertia.zz")
_OFF = 1e-9
Sharing = Literal["independent", "identical"]
_BODY = re.compile(r"^(platform|legs(?:\[\d+\])?\.(?:cylinder|piston)|(?:legs\.)?bodies\[\d+\])\.")


@dataclass(frozen=True)
class Alike:
    """Whether legs that are images of each other share their numbers."""

    legs: Sharing = "independent"
    """Those of bodies and passive joints."""
    drives: Sharing = "independent"
    """Those of drives and driven joints; never the offsets of their efforts."""

    @classmethod
    def checked(cls, robot: Robot, legs: object, drives: object = "independent") -> Alike:
        """GoughError where legs cannot be alike."""
        return cls(_checked(robot, "legs", legs), _checked(robot, "drives", drives))


def tied(robot: Robot, names: Sequence[str], alike: Alike) -> tuple[list[str], Array]:
    """Names of the numbers that are free, and E (names x free): all numbers = E · free ones.

    Of identical legs, `legs.piston.mass` stands for that of each, and `legs.bodies[0].mass` for
    that of the first leg's body and of its images in others. Of bodies that spin freely between
    ball joints, four numbers stand for ten.
    """
    shared = _shared(robot) if alike != Alike() else {}
    lines = spinning_lines(robot) if isinstance(robot, Mechanism) else {}
    rows = [
        _in_free(name, shared if _is_shared(robot, name, alike) else {}, lines) for name in names
    ]
    free = list(dict.fromkeys(own for row in rows for own in row))
    E = np.zeros((len(names), len(free)))
    for k, row in enumerate(rows):
        E[k, [free.index(own) for own in row]] = list(row.values())
    return free, E


def body_of(name: str) -> str:
    """The body that a standard parameter belongs to; nothing for other numbers."""
    found = _BODY.match(name)
    return found[1] if found else ""


def is_offset(name: str) -> bool:
    """Whether a number is an offset of efforts, which has a sign and is an actuator's own."""
    return name.endswith(".offset")


def _is_shared(robot: Robot, name: str, alike: Alike) -> bool:
    place, _, rest = name.partition(".")
    driven = place in {actuator.key for actuator in robot.actuators}
    if driven and (rest.startswith("drive.") or place.startswith("joints[")):
        return alike.drives == "identical" and not is_offset(name)
    return alike.legs == "identical"


def _checked(robot: Robot, key: str, given: object) -> Sharing:
    """Whether legs or drives are taken as alike; GoughError where that means nothing."""
    if given not in get_args(Sharing):
        raise GoughError(f"{key}={given!r}; expected {' or '.join(map(repr, get_args(Sharing)))}")
    if given == "independent":
        return "independent"
    if isinstance(robot, Hexapod) and len({leg.kind for leg in robot.legs}) > 1:
        raise GoughError(
            f"{robot.name}: legs of several kinds are not identical; expected one kind of leg, or "
            '"independent"'
        )
    if not _shared(robot):
        raise GoughError(
            f"{robot.name}: none of its legs is another one, turned or mirrored; expected some "
            'that are, or "independent"'
        )
    return "identical"


def _in_free(
    name: str, shared: Mapping[str, tuple[str, Array]], lines: Mapping[str, Array]
) -> dict[str, float]:
    """The free numbers that one is a sum of, with their factors."""
    place, _, rest = name.partition(".")
    first, turn = shared.get(place, (place, np.eye(3)))
    if rest not in OF_A_BODY or not place.startswith("bodies["):
        return {f"{first}.{rest}": 1.0}
    own, matrix = OF_A_BODY, turned(turn)
    if place in lines:
        own, matrix = OF_A_ROD, symmetric(lines[place])
    factors = zip(own, matrix[OF_A_BODY.index(rest)], strict=True)
    return {f"{first}.{number}": float(factor) for number, factor in factors if factor}


def _shared(robot: Robot) -> dict[str, tuple[str, Array]]:
    """Of each place in the file whose numbers are shared: the one that stands for it, and O."""
    if isinstance(robot, Hexapod):
        return {f"legs[{k}]": ("legs", np.eye(3)) for k in range(len(robot.legs))}
    assert isinstance(robot, Mechanism)
    return dict(_of_images(robot))


def _of_images(robot: Mechanism) -> Iterator[tuple[str, tuple[str, Array]]]:
    images = images_of(robot)
    firsts = {id(image.of) for image in images if image.of is not image.leg}
    for image in images:
        if id(image.of) in firsts:
            for parts in ("bodies", "joints"):
                pairs = zip(getattr(image.of, parts), getattr(image.leg, parts), strict=True)
                for j, k in pairs:
                    yield f"{parts}[{k}]", (f"legs.{parts}[{j}]", image.turn)


def spinning_lines(robot: Mechanism) -> dict[str, Array]:
    """The directions s of the lines about which bodies spin, by their places in the robot file.

    A body whose point is not on its line is left out.
    """
    structure, points = structure_of(robot), standard_points(robot)[1:]
    assert isinstance(structure, MechanismStructure)
    lines = dict[str, Array]()
    for k, (body, point) in enumerate(zip(robot.bodies, points, strict=True)):
        own = [joint for joint in robot.joints if body.name in joint.between]
        if body.name in structure.spinning and (line := _line(own, point)) is not None:
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
    way = balls[1] - balls[0] if len(balls) > 1 else next(iter(axes), None)
    if way is None or not balls:
        return None
    s = way / np.linalg.norm(way)
    off = np.linalg.norm(np.cross(s, balls[0] - point))
    return s if off <= _OFF * np.abs(balls).max() else None
