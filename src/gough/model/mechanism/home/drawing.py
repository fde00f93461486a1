"""A machine as it is drawn: bodies and joints as arrays, in any axes, welded parts as one body.

Masses are those of `mass.units`: the first ten numbers belong to the platform, in its own frame,
the next to the bodies in the order of the description, in base axes at home.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from gough.arrays import AnyNumber, Array, direction_of, product_of
from gough.model.mechanism.numbers.mass import NOTHING, Mass, units
from gough.model.mechanism.numbers.traced import drawn_values
from gough.robot import BASE, PLATFORM, BetweenBodies, HomeJoint, Mechanism
from gough.robot.home.spanning import welded
from gough.robot.mechanism import Coupling

Given = Mapping[str, Any]  # numbers of a machine by name that replace its own: one or several
_AS_IT_IS: Given = MappingProxyType({})
Couplings = Mapping[str, Mapping[str, AnyNumber]]
"""By name of a coupling, coefficients of the displacements of its joints: the first is 1."""


@dataclass(frozen=True, eq=False)
class DrawnJoint(BetweenBodies):
    """A joint between two bodies, in the home configuration's axes."""

    name: str
    type: str
    between: tuple[str, str]
    at: Array
    axes: tuple[Array, ...]
    driven: bool
    at_home: AnyNumber
    lead: AnyNumber = 0.0  # travel of a screw for one radian [m/rad]
    coupled: bool = False
    has_inertia: bool = False  # whether an inertia moves with its position


@dataclass(frozen=True, eq=False)
class Described:
    """A machine's bodies and joints by their maker's names, before welded parts became one body."""

    bodies: dict[str, Mass]  # all but the base, with welded ones, about the configuration's origin
    joints: tuple[DrawnJoint, ...]  # fixed ones too, in the order of the description
    unit: dict[str, str]  # rigid unit of the home configuration that each body is part of


@dataclass(frozen=True, eq=False)
class Spinning:
    """A body that spins freely about a line through two points, and counts as symmetric."""

    name: str
    mass: Mass  # mass about the first point, in the home configuration's axes
    line: Array  # from there to the other


@dataclass(frozen=True, eq=False)
class Drawing:
    """A machine at home, all in the same axes."""

    bodies: dict[str, Mass]  # all moving ones, the platform too, about the configuration's origin
    joints: tuple[DrawnJoint, ...]
    position: Array  # origin of the platform's frame
    rotation: Array  # rotation from the platform's to the home configuration's axes
    size: float  # a length that is typical of the machine [m]
    described: Described
    ground: Mass = NOTHING  # mass of all that is fixed to the base
    spinning: tuple[Spinning, ...] = ()  # bodies that count as symmetric about a line
    couplings: Couplings = field(default_factory=dict)

    def with_joints(self, changes: Mapping[str, tuple[str, tuple[Array, ...]]]) -> Drawing:
        """Return the machine with other types and axes of some joints, by their names."""
        pairs = ((j, changes.get(j.name, (j.type, j.axes))) for j in self.described.joints)
        joints = tuple(replace(joint, type=kind, axes=axes) for joint, (kind, axes) in pairs)
        bodies = self.described.bodies
        described = Described(bodies, joints, welded(bodies, joints))
        units, loose = _welded(described)
        return replace(self, bodies=units, joints=loose, described=described)

    def turned(self, R: Array) -> Drawing:
        """Return what is described in other axes: R turns vectors into them."""
        bodies = self.described.bodies.items()
        joints = tuple(
            replace(j, at=product_of(R, j.at), axes=tuple(product_of(R, axis) for axis in j.axes))
            for j in self.described.joints
        )
        masses = {name: mass.seen_from(R, np.zeros(3)) for name, mass in bodies}
        described = Described(masses, joints, self.described.unit)
        place = product_of(R, self.position), product_of(R, self.rotation)
        turned = Drawing(*_welded(described), *place, self.size, described)
        return replace(turned, couplings=self.couplings)


def drawn(mechanism: Mechanism, given: Given = _AS_IT_IS, masses: Sequence[Mass] = ()) -> Drawing:
    """Return the home configuration of a machine, in base axes.

    `given` are numbers by name that replace its own, perhaps traced, and `masses` those of the
    platform and of all bodies, if they are not to be linear in the numbers of these.
    """
    home = mechanism.bodies_and_joints
    R = home.frame(PLATFORM).rotation
    p = np.array(given.get("home", home.frame(PLATFORM).position)[:3])
    bodies = dict(zip(home.bodies, masses or units(len(home.bodies)), strict=True))
    bodies[PLATFORM] = bodies[PLATFORM].seen_from(R, p)
    joints = tuple(_drawn(joint, k, given) for k, joint in enumerate(home.joints))
    described = Described(bodies, joints, welded(bodies, joints))
    bodies, joints = _welded(described)
    couplings = {c.name: _weights(c, k, given) for k, c in enumerate(mechanism.couplings)}
    return Drawing(bodies, joints, p, R, _size(joints), described, couplings=couplings)


def _weights(coupling: Coupling, number: int, given: Given) -> dict[str, AnyNumber]:
    ratio = given.get(f"couplings[{number}].ratio")
    weights = coupling.weights if ratio is None else (1.0, -_one(ratio))
    return dict(zip(coupling.joints, weights, strict=True))


def _drawn(joint: HomeJoint, number: int, given: Given) -> DrawnJoint:
    def own(key: str, otherwise: Any) -> Any:
        return given.get(f"joints[{number}].{key}", otherwise)

    axes = own("axes", [own("axis", axis) for axis in joint.axes])
    return DrawnJoint(
        joint.name,
        joint.type,
        joint.between,
        np.array(own("at", joint.at)),
        tuple(direction_of(axis) for axis in axes),
        joint.driven,
        _one(own("position_at_home", joint.home)),
        _one(own("pitch", joint.lead * math.tau)) / math.tau,
        joint.coupled,
        joint.armature is not None,
    )


def _one(number: object) -> AnyNumber:
    """A number that may stand in a row by itself."""
    return number[0] if isinstance(number, Sequence) else number


def _welded(described: Described) -> tuple[dict[str, Mass], tuple[DrawnJoint, ...]]:
    """Bodies that fixed joints hold together as one, and the joints between them."""
    unit, together = described.unit, dict[str, Mass]()
    for name, mass in described.bodies.items():
        if unit[name] != BASE:
            together[unit[name]] = together.get(unit[name], NOTHING) + mass
    loose = (joint for joint in described.joints if not joint.kind.is_fixed)
    joints = (replace(j, between=(unit[j.first], unit[j.second])) for j in loose)
    return together, tuple(joints)


def _size(joints: Iterable[DrawnJoint]) -> float:
    places = drawn_values(np.array([joint.at for joint in joints]))
    return float(np.linalg.norm(places - places.mean(axis=0), axis=1).max()) or 1.0
