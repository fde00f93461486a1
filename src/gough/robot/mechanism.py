"""What a machine of any kind is: bodies and the joints between them, drawn at home.

Every joint is given once, in base coordinates, with the platform at home: a loop cannot be open,
and the drawing says in which working and assembly mode the machine is. Frozen and hashable.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal, get_args

from gough.errors import RobotError
from gough.fields.inertia import Matrix as Tensor
from gough.fields.inertia import Triple
from gough.robot.records import FREE_FALL

JointType = Literal["R", "P", "U", "S", "C", "fixed"]

BASE = "base"
PLATFORM = "platform"
MOVES = ("x", "y", "z", "rx", "ry", "rz")
AXES_OF: dict[str, int] = {"R": 1, "P": 1, "C": 1, "U": 2, "S": 0, "fixed": 0}
"""How many axes a joint has that must be drawn."""
DRIVEN_TYPES = ("R", "P")
"""Joints with one freedom: what a motor can drive."""
_NO_TENSOR: Tensor = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Body:
    """A moving body: mass [kg]; mass centre [m] and inertia about it [kg m²].

    Both are in base coordinates with the machine at home, as CAD programs print the mass
    properties of an assembly.
    """

    name: str
    mass: float = 0.0
    center_of_mass: Triple = (0.0, 0.0, 0.0)
    inertia: Tensor = _NO_TENSOR


@dataclass(frozen=True)
class Joint:
    """What joins two bodies, in base coordinates at home.

    R, P and C have one axis; a U has two, the first fixed in the first body and the second in the
    second. Positions and efforts count positive from the first body to the second.
    """

    name: str
    type: JointType
    between: tuple[str, str]
    at: Triple
    axes: tuple[Triple, ...] = ()
    driven: bool = False
    position_at_home: float = 0.0

    def __post_init__(self) -> None:
        if self.type not in get_args(JointType):
            raise RobotError(
                "unknown type of joint",
                key=self.name,
                value=self.type,
                expected=f"one of {', '.join(get_args(JointType))}",
            )
        if len(self.axes) != AXES_OF[self.type]:
            raise RobotError(
                f"a joint of type {self.type} with {len(self.axes)} axes",
                key=self.name,
                value=self.axes,
                expected=f"{AXES_OF[self.type]}",
            )
        if self.driven and self.type not in DRIVEN_TYPES:
            raise RobotError(
                f"a motor in a joint of type {self.type}",
                key=self.name,
                expected="driven joints of type R or P",
            )
        object.__setattr__(self, "axes", tuple(_unit(axis, self.name) for axis in self.axes))


@dataclass(frozen=True)
class Platform:
    """The body whose frame is the pose: mass properties in its own frame, and what it does.

    `moves` are the rows of u = S [v; ω]: names such as "x" or "rz", or rows of six numbers.
    """

    mass: float
    inertia: Tensor
    center_of_mass: Triple = (0.0, 0.0, 0.0)
    position: Triple = (0.0, 0.0, 0.0)
    """Of its frame, at home [m]."""
    quaternion: tuple[float, float, float, float] = _UPRIGHT
    """Of its frame, at home: w x y z."""
    moves: tuple[str | tuple[float, ...], ...] = MOVES

    @property
    def home(self) -> tuple[float, ...]:
        """The pose of the drawing: x y z [m] qw qx qy qz."""
        return self.position + self.quaternion

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """The moves as rows of six numbers."""
        return tuple(_row(move) for move in self.moves)


@dataclass(frozen=True)
class Mechanism:
    """A machine: its platform, its other bodies and its joints; gravity [m/s²] in base axes."""

    name: str
    platform: Platform
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    gravity: Triple = FREE_FALL

    def __post_init__(self) -> None:
        _refuse_twice("body", (BASE, PLATFORM, *(body.name for body in self.bodies)))
        _refuse_twice("joint", tuple(joint.name for joint in self.joints))
        known = {BASE, PLATFORM, *(body.name for body in self.bodies)}
        for joint in self.joints:
            _refuse_strangers(joint, known)

    @property
    def driven(self) -> tuple[Joint, ...]:
        """The driven joints, in the order in which positions and efforts are given."""
        return tuple(joint for joint in self.joints if joint.driven)


def _unit(axis: Triple, name: str) -> Triple:
    length = sqrt(sum(a * a for a in axis))
    if length == 0.0:
        raise RobotError("an axis without a direction", key=name, value=axis)
    x, y, z = axis
    return x / length, y / length, z / length


def _row(move: str | tuple[float, ...]) -> tuple[float, ...]:
    if isinstance(move, str) and move in MOVES:
        return tuple(float(name == move) for name in MOVES)
    if not isinstance(move, str) and len(move) == len(MOVES):
        return tuple(move)
    expected = f"one of {', '.join(MOVES)}, or six numbers"
    raise RobotError("unknown move", key="platform.moves", value=move, expected=expected)


def _refuse_twice(kind: str, names: tuple[str, ...]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise RobotError(f"two things are called {name!r}", key=name, expected=f"one {kind}")


def _refuse_strangers(joint: Joint, known: set[str]) -> None:
    strangers = [name for name in joint.between if name not in known]
    if strangers:
        raise RobotError(
            "no such body",
            key=f"{joint.name}.between",
            value=strangers[0],
            expected=f"one of {', '.join(sorted(known))}",
        )
    if joint.between[0] == joint.between[1]:
        raise RobotError("a joint of a body with itself", key=joint.name, value=joint.between)
