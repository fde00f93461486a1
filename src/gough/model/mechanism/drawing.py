"""A machine as it is drawn: bodies and joints as arrays, in any axes, welded parts as one body.

Masses are those of `mass.units`: the first ten numbers belong to the platform, in its own frame,
the next to the bodies in the order of the description, in base axes at home.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.model.mechanism.mass import NOTHING, Mass, units
from gough.model.mechanism.traced import drawn_values
from gough.robot import Mechanism
from gough.robot.joint_kinds import OfKind
from gough.robot.mechanism import BASE, PLATFORM, Joint

_AS_IT_IS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class DrawnJoint(OfKind):
    """A joint between two bodies, in the drawing's axes."""

    name: str
    type: str
    first: str
    second: str
    at: Array
    axes: tuple[Array, ...]
    driven: bool
    at_home: Any

    def joins(self, body: str) -> bool:
        """Whether it is a joint of this body."""
        return body in (self.first, self.second)

    def beyond(self, body: str) -> str:
        """The body on the other side."""
        return self.second if self.first == body else self.first


@dataclass(frozen=True, eq=False)
class Described:
    """A machine's bodies and joints by their maker's names, before welded parts became one body."""

    bodies: dict[str, Mass]
    """All but the base, those that are welded to it too, about the drawing's origin."""
    joints: tuple[DrawnJoint, ...]
    """Fixed ones too, in the order of the description."""
    whole: dict[str, str]
    """By body, the body of the drawing that it is part of."""

    def turned(self, R: Array) -> Described:
        """The same in other axes: R turns vectors into them."""
        return Described(
            {name: mass.seen_from(R, np.zeros(3)) for name, mass in self.bodies.items()},
            tuple(_turned(joint, R) for joint in self.joints),
            self.whole,
        )


@dataclass(frozen=True, eq=False)
class Spinning:
    """A body that spins freely about a line through two points: it must be symmetric about it."""

    name: str
    mass: Mass
    """About the first point, in the drawing's axes."""
    line: Array
    """From there to the other."""

    def turned(self, R: Array) -> Spinning:
        """The same in other axes: R turns vectors into them."""
        return Spinning(self.name, self.mass.seen_from(R, np.zeros(3)), R @ self.line)


@dataclass(frozen=True, eq=False)
class Drawing:
    """A machine at home, all in the same axes."""

    bodies: dict[str, Mass]
    """All moving bodies, the platform too, about the drawing's origin."""
    joints: tuple[DrawnJoint, ...]
    position: Array
    """Of the platform's frame."""
    rotation: Array
    """From the platform's to the drawing's axes."""
    size: float
    """A length that is typical of the machine [m]."""
    described: Described
    ground: Mass = NOTHING
    """What stands still with the base."""
    spinning: tuple[Spinning, ...] = ()
    """What must be symmetric."""

    def turned(self, R: Array) -> Drawing:
        """The same drawing in other axes: R turns vectors into them."""
        return replace(
            self,
            bodies={name: mass.seen_from(R, np.zeros(3)) for name, mass in self.bodies.items()},
            joints=tuple(_turned(joint, R) for joint in self.joints),
            position=R @ self.position,
            rotation=R @ self.rotation,
            described=self.described.turned(R),
            ground=self.ground.seen_from(R, np.zeros(3)),
            spinning=tuple(body.turned(R) for body in self.spinning),
        )


def drawn(
    mechanism: Mechanism, given: Mapping[str, Any] = _AS_IT_IS, masses: Sequence[Mass] = ()
) -> Drawing:
    """The drawing of a machine, in base axes.

    `given` are numbers by name that stand in for its own, perhaps traced, and `masses` those of the
    platform and of all bodies, if they are not to be linear in the numbers of these.
    """
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

    platform = mechanism.platform
    w, x, y, z = platform.home.quaternion
    R = Rotation.from_quat([x, y, z, w]).as_matrix()
    p = np.array(given.get("home", platform.home.position)[:3])
    own, *others = masses or units(1 + len(mechanism.bodies))
    names = (body.name for body in mechanism.bodies)
    bodies = {PLATFORM: own.seen_from(R, p)} | dict(zip(names, others, strict=True))
    joints = tuple(_drawn(joint, k, given) for k, joint in enumerate(mechanism.joints))
    described = Described(bodies, joints, _whole(bodies, joints))
    bodies, joints = _welded(described)
    return Drawing(bodies, joints, p, R, _size(joints), described)


def _drawn(joint: Joint, number: int, given: Mapping[str, Any]) -> DrawnJoint:
    def own(key: str, otherwise: Any) -> Any:
        return given.get(f"joints[{number}].{key}", otherwise)

    axes = own("axes", [own("axis", axis) for axis in joint.lines])
    return DrawnJoint(
        joint.name,
        joint.type,
        *joint.between,
        np.array(own("at", joint.at)),
        tuple(np.array(axis) / np.linalg.norm(axis) for axis in axes),
        joint.is_driven,
        _one(own("position_at_home", joint.home)),
    )


def _one(number: Any) -> Any:
    """A number that may stand in a row by itself."""
    return number[0] if isinstance(number, Sequence) else number


def _turned(joint: DrawnJoint, R: Array) -> DrawnJoint:
    return replace(joint, at=R @ joint.at, axes=tuple(R @ axis for axis in joint.axes))


def _whole(bodies: Iterable[str], joints: Iterable[DrawnJoint]) -> dict[str, str]:
    """By body, the one that it makes with all that is fixed to it: base, platform or its first."""
    names = {name: name for name in (BASE, *bodies)}
    for joint in joints:
        if joint.kind.is_fixed:
            pair = names[joint.first], names[joint.second]
            if set(pair) == {BASE, PLATFORM}:
                expected = "joints between them that move"
                raise RobotError(
                    "the platform is fixed to the base", key=joint.name, expected=expected
                )
            kept = next((name for name in pair if name in (BASE, PLATFORM)), pair[0])
            names = {name: kept if now in pair else now for name, now in names.items()}
    return names


def _welded(described: Described) -> tuple[dict[str, Mass], tuple[DrawnJoint, ...]]:
    """Bodies that fixed joints hold together as one, and the joints between them."""
    whole, together = described.whole, dict[str, Mass]()
    for name, mass in described.bodies.items():
        if whole[name] != BASE:
            together[whole[name]] = together.get(whole[name], NOTHING) + mass
    loose = (joint for joint in described.joints if not joint.kind.is_fixed)
    joints = (replace(j, first=whole[j.first], second=whole[j.second]) for j in loose)
    return together, tuple(joints)


def _size(joints: Iterable[DrawnJoint]) -> float:
    places = drawn_values(np.array([joint.at for joint in joints]))
    return float(np.linalg.norm(places - places.mean(axis=0), axis=1).max()) or 1.0
