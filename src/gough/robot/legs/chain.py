"""A leg as a chain: joints with their axes, links with their lengths, turned and mirrored."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gough.arrays import Array, product_of
from gough.disk.plain_data import PlainData
from gough.errors import InputError, inside
from gough.fields.table import read
from gough.robot.checks import given_twice
from gough.robot.joint_kinds import JOINT_KINDS, OfKind
from gough.robot.legs.tables import JointTable, Leg, Link, motor_table

PARALLELOGRAM = "Pa"
_OURS = ("type", "name", "axis", "axes", "zero")


@dataclass(frozen=True, eq=False)
class ChainJoint(OfKind):
    """A joint of a leg, before the places of the joints are known."""

    key: str  # its key in the robot file
    name: str
    type: str
    driven: bool
    axis: Array | None
    axes: tuple[Array, Array] | None  # both axes of a universal joint, if they are given
    zero: Array | None
    bar: int | None  # index of the parallelogram's link, for its hinges
    facts: PlainData  # limits, drive and friction
    written: dict[str, str]  # keys of these in the robot file
    spins: bool = False
    """Whether it is the hinge of a driven cylinder, about the axis of the slide behind it."""

    def moved(self, Q: Array) -> Self:
        """Return this joint rotated or mirrored; a mirrored hinge has the mirrored direction."""
        turned = Q * np.sign(np.linalg.det(Q)) if self.kind.is_hinged else Q
        return replace(
            self,
            axis=_moved(turned, self.axis),
            axes=self.axes and (product_of(turned, self.axes[0]), product_of(turned, self.axes[1])),
            zero=_moved(Q, self.zero),
        )


@dataclass(frozen=True, eq=False)
class ChainLink:
    """A link of a leg, before the places of the joints are known."""

    key: str
    record: Link
    end: Array | None
    across: Array | None

    def moved(self, Q: Array) -> Self:
        """Return this link rotated or mirrored."""
        return replace(self, end=_moved(Q, self.end), across=_moved(Q, self.across))


@dataclass(frozen=True, eq=False)
class Chain:
    """A leg from base to platform: joint, link, joint, …, joint."""

    key: str
    name: str | None
    to: str
    base: Array
    platform: Array
    elbow: Array | None
    axis: Array | None  # axis of the leg as written in the file
    joints: tuple[ChainJoint, ...]
    links: tuple[ChainLink, ...]
    turn: Array  # rotation or reflection of the leg from the written one

    @property
    def mirrored(self) -> bool:
        """Whether it is a mirror image of the written leg."""
        return bool(np.linalg.det(self.turn) < 0)

    @property
    def any_axes(self) -> Array:
        """Default directions of axes (rows), which rotate with the leg."""
        own = np.eye(3) if self.axis is None else np.vstack([self.axis, np.eye(3)])
        return product_of(own, (-self.turn if self.mirrored else self.turn).T)

    def moved(self, Q: Array) -> Self:
        """Return this leg rotated or mirrored in the frames of base and platform."""
        return replace(
            self,
            base=product_of(Q, self.base),
            platform=product_of(Q, self.platform),
            elbow=_moved(Q, self.elbow),
            joints=tuple(joint.moved(Q) for joint in self.joints),
            links=tuple(link.moved(Q) for link in self.links),
            turn=product_of(Q, self.turn),
        )


def chain_of(leg: Leg, key: str) -> Chain:
    """Return the chain of a leg at a key of the robot file."""
    joints = tuple(_joints(leg, key))
    if len(joints) < 2:
        problem = "too few joints"
        raise InputError(problem, key=f"{key}.joints", value=len(joints), expected="two or more")
    found = [*given_twice(f"{key}.joints", _names(leg))]
    if found := [*found, *given_twice(f"{key}.links", [link.name for link in leg.links])]:
        raise InputError.together(found)
    spins = [k for k, joint in enumerate(joints) if joint.spins]
    count = len(joints) - len(spins)
    if len(leg.links) != count - 1:
        problem = f"{len(leg.links)} links between {count} joints"
        two = any(joint.type == PARALLELOGRAM for joint in leg.joints)
        counted = " (a Pa is two joints with a link between)" if two else ""
        raise InputError(problem, key=f"{key}.links", expected=f"{count - 1}{counted}")
    links = [
        ChainLink(f"{key}.links[{k}]", link, _array(link.end), _array(link.across))
        for k, link in enumerate(leg.links)
    ]
    for k in spins:  # the massless link between hinge and slide
        links.insert(k, ChainLink(joints[k].key, Link(name=joints[k].name), None, None))
    return Chain(
        key, leg.name, leg.to, np.array(leg.base), np.array(leg.platform), _array(leg.elbow),
        _array(leg.axis), joints, tuple(links), np.eye(3),
    )  # fmt: skip


def _joints(leg: Leg, key: str) -> Iterator[ChainJoint]:
    """The joints, a parallelogram as the hinges at both ends of its bars."""
    bar = 0
    for k, (table, name) in enumerate(zip(leg.joints, _names(leg), strict=True)):
        joint = _joint(leg, table, f"{key}.joints[{k}]", key, name)
        if table.type == PARALLELOGRAM:
            _check_bars(leg, bar, key)
            for end in ("near", "far"):
                yield replace(joint, name=f"{name}-{end}", type="R", axis=None, bar=bar)
        elif table.type == "C*":
            axis = table.axis or (leg.axis if k == 0 else None)
            slide = replace(joint, type="P", axis=_array(axis))
            hinge = replace(slide, type="R", name=f"{name}-turn", driven=False, spins=True)
            yield replace(hinge, facts={}, written={})
            yield slide
        elif k == 0 and joint.kind.slides and joint.axis is None:
            yield replace(joint, axis=_array(leg.axis))
        else:
            yield joint
        bar += 2 if table.type == PARALLELOGRAM else 1


def _joint(leg: Leg, table: JointTable, place: str, key: str, name: str) -> ChainJoint:
    own, motor = table.model_dump(exclude_none=True), _motor(leg, table, key)
    said = motor | own
    written = dict.fromkeys(motor, f"{key}.motor") | dict.fromkeys(own, place)
    if "zero" in said and (given := said.get("position_at_home")) is not None:
        problem = "the angle at home follows from zero already"
        at = f"{written['position_at_home']}.position_at_home"
        expected = "one of zero and position_at_home"
        raise InputError(problem, key=at, value=given, expected=expected)
    kind = table.type.rstrip("*")
    axes, hinged = said.get("axes"), kind != PARALLELOGRAM and JOINT_KINDS[kind].is_hinged
    return ChainJoint(
        place,
        name,
        kind,
        table.type.endswith("*"),
        _array(said.get("axis", leg.axis if hinged else None)),
        None if axes is None else (np.array(axes[0]), np.array(axes[1])),
        _array(said.get("zero")),
        None,
        {fact: value for fact, value in said.items() if fact not in _OURS},
        written,
    )


def _motor(leg: Leg, table: JointTable, key: str) -> PlainData:
    """Values of the leg's motor table, if this joint is driven."""
    if leg.motor is None or not table.type.endswith("*"):
        return {}
    with inside(f"{key}.motor"):
        said: PlainData = read(motor_table(table), leg.motor).model_dump(exclude_none=True)
    return said


def _check_bars(leg: Leg, bar: int, key: str) -> None:
    if bar < len(leg.links) and leg.links[bar].parallelogram is None:
        problem = "missing, between the hinges of a Pa"
        expected = "the distance between its two bars"
        raise InputError(problem, key=f"{key}.links[{bar}].parallelogram", expected=expected)


def _names(leg: Leg) -> list[str]:
    """Default names of the joints: hip, slide, elbow, wrist."""
    met, names, last = Counter[str](), [], len(leg.joints) - 1
    for k, joint in enumerate(leg.joints):
        name = _usual(joint.type, k == 0, k == last)
        met[name] += 1
        own = name if met[name] == 1 else f"{name}{met[name]}"
        names.append(joint.name or own)
    return names


def _usual(kind: str, first: bool, last: bool) -> str:
    if kind.startswith("P") or kind == "C*":
        return "bar" if kind == PARALLELOGRAM else "slide"
    return "hip" if first else "wrist" if last else "elbow"


def copies_of(chains: list[Chain], counts: list[int], about: Array) -> Iterator[Chain]:
    """Yield the legs of a pattern: all legs of the first copy, then all of the second, …."""
    for copy in range(max(counts, default=0)):
        for chain, count in zip(chains, counts, strict=True):
            if copy < count:
                yield chain.moved(turn(about, 2.0 * np.pi * copy / count))


def turn(axis: Array, angle: float) -> Array:
    """Return the rotation about an axis; entries ±√(n / 4), such as of 30° and 45°, are exact."""
    cross = np.cross(np.eye(3), axis)
    R = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * product_of(cross, cross)
    exact = np.sign(R) * np.sqrt(np.round(4.0 * R * R) / 4.0)
    return np.asarray(np.where(np.abs(R - exact) < 1e-15, exact, R))


def mirror(across: Array) -> Array:
    """Return the reflection at the plane through the origin across a direction."""
    return np.eye(3) - 2.0 * np.outer(across, across)


def _moved(Q: Array, vector: Array | None) -> Array | None:
    return None if vector is None else product_of(Q, vector)


def _array(triple: tuple[float, ...] | None) -> Array | None:
    return None if triple is None else np.array(triple)
