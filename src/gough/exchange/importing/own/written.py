"""What stands in a file that Gough wrote, whatever its format: frames, masses, joints, facts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gough.exchange.tree.decimals import ORIGIN, Point, total
from gough.robot.mechanism import BASE

Facts = dict[str, Any]


@dataclass(frozen=True)
class Frame:
    """A frame in another one."""

    parent: str
    position: Point
    turned: bool = False


@dataclass(frozen=True)
class Inertial:
    """Mass, mass centre and the inertia about it: xx yy zz xy xz yz."""

    mass: float
    center: Point
    moments: tuple[float, ...]

    @property
    def inertia(self) -> list[list[float]]:
        """The inertia as a matrix."""
        xx, yy, zz, xy, xz, yz = self.moments
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


@dataclass(frozen=True)
class Step:
    """A hinge, a slide, a ball or nothing between a body and the one that it carries."""

    kind: str
    bodies: tuple[str, str]
    place: Frame
    """Its centre, in the body that it carries."""
    axis: tuple[float, ...] = ()
    facts: Facts = field(default_factory=dict)
    """Travel, position at home, friction and limits, as a robot file calls them."""


@dataclass(frozen=True)
class WrittenFile:
    """A machine in a file that Gough wrote."""

    facts: dict[str, Facts]
    """What the format cannot say: of "robot", "body NAME", "joint NAME", "leg" and "leg K"."""
    frames: dict[str, Frame]
    """Bodies, and places on them where joints are, called JOINT.BODY."""
    inertials: dict[str, Inertial]
    steps: dict[str, Step]
    closures: dict[str, tuple[str, str]]
    """Names of two frames that meet."""
    axes: dict[str, list[float]] = field(default_factory=dict)
    """Directions of axes that begin at frames."""
    gravity: list[float] | None = None
    home: Facts | None = None

    def place(self, frame: Frame) -> Point | None:
        """Where a frame is in the base's, if that is an exact sum."""
        if frame.parent == BASE:
            return frame.position
        around = self.frames[frame.parent]
        if around.turned and frame.position != ORIGIN:
            return None
        start = self.place(around)
        return None if start is None else total(start, frame.position)

    def body(self, frame: str) -> str:
        """The body that a frame is on."""
        while frame not in self.inertials and frame != BASE:
            frame = self.frames[frame].parent
        return frame


def decimals(text: str | None) -> tuple[Decimal, ...]:
    """The numbers of a text."""
    return tuple(map(Decimal, (text or "").split()))


def position(text: str | None) -> Point:
    """The position that a text says; without one it is the origin."""
    x, y, z = decimals(text or "0 0 0")
    return x, y, z


def floats(values: Iterable[Decimal | float]) -> list[float]:
    """Numbers in double precision; zeros without a sign."""
    return [float(value) + 0.0 for value in values]
