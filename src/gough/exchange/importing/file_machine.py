"""A machine as a file of another tool draws it: bodies, and joints between any two of them.

A joint leads from its first body by degrees of freedom, in their order, to a place that meets one
of its second body; without any it is a weld. Joints are in the order of a tree from the base
outwards, those that close its loops last. Everything is in the base frame, as it is drawn; places
are 4 by 4 matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from gough.arrays import Array
from gough.robot import BetweenBodies, spanning_tree

MOST_LINKS = 1000
"""Links, joints and named places of a machine; most of them stand still in each other."""
_RELAXED = 1e-6  # distance of home from where a spring has no force that counts as none [rad, m]
_TYPES = {  # types of joints by the kinds of their degrees of freedom
    ("hinge",): "R", ("slide",): "P", ("ball",): "S", ("hinge", "hinge"): "U",
    ("hinge", "hinge", "hinge"): "S", ("slide", "hinge"): "C", ("hinge", "slide"): "C",
}  # fmt: skip

Kind = Literal["hinge", "slide", "ball", "free"]
Holds = Literal["point", "all"]


def placed(position: Array, rotation: Array | None = None) -> Array:
    """Return the matrix of a place."""
    matrix = np.eye(4)
    matrix[:3, 3] = position
    if rotation is not None:
        matrix[:3, :3] = rotation
    return matrix


def carried(place: Array, point: Array) -> Array:
    """Return a point of a place [m] in the frame that the place is in."""
    return np.asarray(place[:3, :3] @ point + place[:3, 3])


def in_axes(R: Array, inertia: Array) -> Array:
    """Return R I Rᵀ of an inertia, without what rounding leaves of a difference to its mirror."""
    turned = R @ inertia @ R.T
    return np.asarray((turned + turned.T) / 2.0)


@dataclass(frozen=True, eq=False)
class FileFreedom:
    """A degree of freedom of a joint."""

    name: str
    kind: Kind
    at: Array  # a point of its axis, or the centre of a ball [m]
    axis: Array  # axis of a hinge or a slide; (3, 3) of others, as columns
    zero: float = 0.0  # its position in the file's configuration [rad, m]
    travel: tuple[float, float] | None = None
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    relaxed: float = 0.0  # position in which its spring is without force
    armature: float = 0.0  # inertia that turns or moves with it [kg m^2, kg]
    motor: int | None = None  # which of the machine's motors drives it
    max_effort: float | None = None
    max_speed: float | None = None
    stop: tuple[float, float] | None = None
    """Stiffness [N m/rad, N/m] and restitution of its end stops."""

    @property
    def resists(self) -> bool:
        """Whether it has friction."""
        return bool(self.damping or self.friction)

    @property
    def does_work(self) -> bool:
        """Whether it has friction, a spring or a motor."""
        return self.resists or bool(self.stiffness) or self.motor is not None

    @property
    def is_loaded(self) -> bool:
        """Whether it has a spring with a force at home."""
        return bool(self.stiffness) and abs(self.relaxed - self.zero) > _RELAXED

    @property
    def is_single(self) -> bool:
        """Whether it has one position."""
        return self.kind in ("hinge", "slide")

    @property
    def motions(self) -> Array:
        """The twists [turning; moving] about the origin that it allows, as columns."""
        if self.kind == "slide":
            return np.concatenate([np.zeros(3), self.axis])[:, None]
        turns = self.axis.reshape(3, -1)
        x, y, z = self.at
        about = np.vstack([turns, np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ turns])
        along = np.vstack([np.zeros((3, 3)), self.axis]) if self.kind == "free" else None
        return about if along is None else np.hstack([about, along])

    def moved(self, by: Array) -> Self:
        """Return it where a displacement brings it."""
        return replace(self, at=carried(by, self.at), axis=by[:3, :3] @ self.axis)


@dataclass(frozen=True, eq=False)
class FileBody:
    """A body: its own frame, its mass, mass centre, and its inertia about that."""

    place: Array = field(default_factory=lambda: np.eye(4))
    mass: float = 0.0
    center: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))

    @property
    def massless(self) -> bool:
        """Whether it has neither mass nor inertia."""
        return not self.mass and not self.inertia.any()

    def moved(self, by: Array) -> Self:
        """Return it where a displacement brings it."""
        center, inertia = carried(by, self.center), in_axes(by[:3, :3], self.inertia)
        return replace(self, place=by @ self.place, center=center, inertia=inertia)


@dataclass(frozen=True, eq=False)
class FileJoint(BetweenBodies):
    """A joint between two bodies, by their names."""

    name: str
    between: tuple[str, str]
    freedoms: tuple[FileFreedom, ...] = ()  # those from its first body on
    ends: tuple[Array, Array] = (np.eye(4), np.eye(4))
    """Places that meet, beyond these and on the second body."""
    holds: Holds = "all"  # whether all of these places or only their origins meet

    @property
    def rows(self) -> int:
        """Number of its constraint rows where it closes a loop."""
        return 3 if self.holds == "point" else 6

    @property
    def type(self) -> str:  # type: ignore[override]
        """Its letter; two hinges or three are those of one joint if their axes meet."""
        return _TYPES[tuple(f.kind for f in self.freedoms)]

    @property
    def axes(self) -> tuple[Array, ...]:
        """Axes that a robot file gives for its type."""
        hinges = [f for f in self.freedoms if f.kind == "hinge"]
        given = {"S": [], "C": hinges}.get(self.type, self.freedoms)
        return tuple(freedom.axis for freedom in given)

    @property
    def at(self) -> Array:
        """Its centre, or a point of its axis [m]."""
        if len(self.freedoms) > 1 and self.type != "C":
            return crossing(*self.freedoms[:2])
        return next((f for f in self.freedoms if f.kind == "hinge"), self.freedoms[0]).at

    @property
    def motor(self) -> int | None:
        """Which of the machine's motors drives it."""
        return next((f.motor for f in self.freedoms if f.motor is not None), None)

    @property
    def is_free(self) -> bool:
        """Whether its body moves in all ways: by a free joint, or by others that hold nothing."""
        motions = np.hstack([np.zeros((6, 0)), *(freedom.motions for freedom in self.freedoms)])
        plain = not any(f.travel or f.armature or f.does_work for f in self.freedoms)
        free = any(freedom.kind == "free" for freedom in self.freedoms)
        return free or (plain and np.linalg.matrix_rank(motions) == 6)

    @property
    def turned_round(self) -> Self:
        """This joint seen from its second body; its positions do not change."""
        across = self.ends[1] @ np.linalg.inv(self.ends[0])
        back = [replace(f, axis=-f.axis).moved(across) for f in self.freedoms[::-1]]
        ends = across, np.eye(4)
        return replace(self, between=self.between[::-1], freedoms=tuple(back), ends=ends)


def crossing(first: FileFreedom, second: FileFreedom) -> Array:
    """Return the point of the first of two axes that is nearest to the second."""
    normal = np.cross(first.axis, second.axis)
    along = np.cross(second.at - first.at, second.axis) @ normal / (normal @ normal)
    return np.asarray(first.at + along * first.axis)


def outward(joints: Iterable[FileJoint], base: str) -> tuple[FileJoint, ...]:
    """Return joints that are tied to the base, outwards: first those of a tree, then of loops."""
    given = list(joints)
    tree = spanning_tree(given, base)
    kept, tied = [branch.joint for branch in tree], {base, *(branch.body for branch in tree)}
    outwards = (b.joint if b.carrier == b.joint.first else b.joint.turned_round for b in tree)
    return *outwards, *(j for j in given if j not in kept and {*j.between} <= tied)


@dataclass(frozen=True, eq=False)
class FileCoupling:
    """A linear relation of joint positions: Σ coefficient · position = constant."""

    name: str
    joints: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float = 0.0

    def without(self, held: Mapping[str, float]) -> FileCoupling:
        """Return the relation of the other joints if some are held at positions."""
        terms, constant = dict.fromkeys(self.joints, 0.0), self.constant
        for joint, coefficient in zip(self.joints, self.coefficients, strict=True):
            terms[joint] += coefficient
            constant -= coefficient * held.get(joint, 0.0)
        left = {joint: c for joint, c in terms.items() if c and joint not in held}
        return FileCoupling(self.name, tuple(left), tuple(left.values()), constant)


@dataclass(frozen=True, eq=False)
class FileMachine:
    """A machine as a file of another tool says it."""

    name: str
    gravity: tuple[float, ...]
    bodies: dict[str, FileBody]  # bodies by their names, the base first
    joints: tuple[FileJoint, ...]
    frames: dict[str, tuple[str, Array]]  # places by name, each of a body
    left_out: tuple[str, ...] = ()  # contents of the file that Gough has no place for
    assumed: tuple[str, ...] = ()  # assumptions where the file gives no value, in sentences
    configurations: dict[str, Array] = field(default_factory=dict)
    """By name, steps of all joints [rad, m] from the drawn configuration to others."""
    couplings: tuple[FileCoupling, ...] = ()
    size: float = 0.0  # size of the machine [m]; zero becomes that of all places

    def __post_init__(self) -> None:
        """Measure it if need be."""
        if not self.size:
            points = [body.place[:3, 3] for body in self.bodies.values()]
            points += [freedom.at for freedom in self.freedoms if freedom.kind != "free"]
            size = float(np.linalg.norm(np.ptp(points, axis=0)))
            object.__setattr__(self, "size", size or 1.0)

    @property
    def base(self) -> str:
        """Name of the body that does not move."""
        return next(iter(self.bodies))

    @cached_property
    def freedoms(self) -> tuple[FileFreedom, ...]:
        """Degrees of freedom of all joints."""
        return tuple(freedom for joint in self.joints for freedom in joint.freedoms)

    @cached_property
    def columns(self) -> list[FileFreedom]:
        """Degrees of freedom by their columns: a ball has three."""
        return [freedom for freedom in self.freedoms for _ in freedom.motions.T]

    @cached_property
    def motions(self) -> Array:
        """Twists [turning; moving] about the origin of all columns."""
        return np.hstack([np.zeros((6, 0)), *(freedom.motions for freedom in self.freedoms)])

    @cached_property
    def numbers(self) -> Array:
        """Number of the degree of freedom of each column."""
        counts = [freedom.motions.shape[1] for freedom in self.freedoms]
        return np.repeat(np.arange(len(counts)), counts)

    @cached_property
    def units(self) -> Array:
        """Unit of each column's steps: the machine's size [m], of turns 1 rad."""
        return np.where(self.motions[:3].any(axis=0), 1.0, self.size)

    @cached_property
    def row_units(self) -> Array:
        """Unit of each row of loops and couplings: likewise."""
        slides = {f.name for f in self.freedoms if f.kind == "slide"}
        units = [unit for j in self.loops for unit in ([self.size] * 3 + [1.0] * 3)[: j.rows]]
        units += [self.size if c.joints[0] in slides else 1.0 for c in self.couplings]
        return np.array(units)

    @property
    def tree(self) -> tuple[FileJoint, ...]:
        """The joints by which bodies hang: as many as these without the base."""
        return self.joints[: len(self.bodies) - 1]

    @property
    def loops(self) -> tuple[FileJoint, ...]:
        """The joints that close loops."""
        return self.joints[len(self.bodies) - 1 :]

    @cached_property
    def ways(self) -> list[tuple[int, ...]]:
        """Numbers of the degrees of freedom from the base to the end of each joint."""
        bodies, ways, count = dict[str, tuple[int, ...]]({self.base: ()}), [], 0
        for joint in self.joints:
            own = range(count, count := count + len(joint.freedoms))
            ways.append((*bodies[joint.first], *own))
            bodies.setdefault(joint.second, ways[-1])
        return ways

    @property
    def fixed(self) -> set[str]:
        """The base, and the bodies that fixed joints tie to it."""
        found = {self.base}
        for joint in self.tree:
            found |= {joint.second} if joint.first in found and not joint.freedoms else set()
        return found

    def joints_of(self, body: str) -> list[FileJoint]:
        """The joints of a body."""
        return [joint for joint in self.joints if body in joint.between]

    def changed(self, change: Callable[[FileFreedom], FileFreedom]) -> FileMachine:
        """Return the machine with changed degrees of freedom."""
        joints = [replace(j, freedoms=tuple(map(change, j.freedoms))) for j in self.joints]
        return replace(self, joints=tuple(joints))

    def assuming(self, *lines: str) -> FileMachine:
        """Return the machine with assumptions, in sentences."""
        return replace(self, assumed=(*self.assumed, *lines))

    def leaving_out(self, *lines: str, **changes: Any) -> FileMachine:
        """Return the machine with changes, and with what these leave out."""
        return replace(self, left_out=(*self.left_out, *lines), **changes)
