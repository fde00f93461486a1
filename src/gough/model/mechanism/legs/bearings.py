"""Load paths through a machine: which joint holds which body, and the axes of its reaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gough.arrays import Array
from gough.equations.tree.description import (
    GROUND,
    Bearing,
    Branch,
    ClosedJoint,
    Closure,
    Loads,
    Member,
    Point,
    RodEnd,
    RodMass,
)
from gough.fields.inertia import Triple
from gough.model.mechanism.home.drawing import DrawnJoint
from gough.model.mechanism.home.rods import Rod, holds
from gough.model.mechanism.legs.carriers import Carriers
from gough.model.mechanism.legs.frames import MASSLESS, across
from gough.model.mechanism.numbers.mass import NOTHING, Mass
from gough.model.mechanism.numbers.traced import as_value
from gough.model.structure import Reaction
from gough.robot.joint_kinds import TRANSLATIONS
from gough.robot.mechanism import BASE, PLATFORM


def reactions_of(found: Carriers, bearings: Sequence[Bearing], axes: Array) -> tuple[Reaction, ...]:
    """Describe the rows of reactions; `axes` are the home configuration's, as rows in base axes."""
    pairs = zip(found.drawing.described.joints, bearings, strict=True)
    return tuple(
        Reaction(joint.name, _axes_body(found, joint), _rows(_own_axes(joint, axes)), bearing.known)
        for joint, bearing in pairs
    )


def loads_of(
    found: Carriers, masses: Mapping[str, Mass], axes: Array
) -> tuple[Loads, tuple[Mass, ...]]:
    """Return members, rods and joints of a machine, and the members' masses in carriers' frames.

    `axes` are the home configuration's, as rows in base axes.
    """
    grown = _Grown(found, masses)
    closed = _closed(found, grown)
    rods = tuple(_rod_mass(found, grown, rod) for rod in found.rods.values())
    joints = found.drawing.described.joints
    bearings = tuple(_bearing(found, grown, closed, joint, axes) for joint in joints)
    members, size = tuple(grown.members), found.drawing.size
    loads = Loads(members, rods, tuple(closed.values()), bearings, size)
    return loads, tuple(grown.masses)


def _own_axes(joint: DrawnJoint, axes: Array) -> Array:
    """A joint's own axes at home, as rows in base axes; the base's of a joint without axes."""
    if not joint.axes:
        return np.eye(3)
    x, *more = (axes.T @ axis for axis in joint.axes)
    y = more[0] - x * (x @ more[0]) if more else across(x)[:, 0]
    y = y / np.linalg.norm(y)
    return np.array([x, y, np.cross(x, y)])


def _rows(axes: Array) -> tuple[Triple, Triple, Triple]:
    x, y, z = ((float(a), float(b), float(c)) for a, b, c in axes)
    return x, y, z


def _axes_body(found: Carriers, joint: DrawnJoint) -> str:
    first, second = found.wholes(joint)
    spins = found.spinning
    return joint.second if first in spins and second not in spins else joint.first


class _Grown:
    """Members, each after what holds it, and the joints that hold them."""

    def __init__(self, found: Carriers, masses: Mapping[str, Mass]) -> None:
        self.members: list[Member] = []
        self.masses: list[Mass] = []
        self.numbers: dict[str, int] = {}
        """Numbers of members, by body of the description; a body that spins has all its parts."""
        self.held_by: dict[str, int] = {}
        """By joint, the member that it holds."""
        self._found, self._masses = found, masses
        self._add(BASE, None)
        self._add(PLATFORM, None)
        joints = {joint.name: joint for joint in found.drawing.described.joints}
        for tree in found.trees:
            for whole, name in tree.held_by.items():
                first, second = joints[name].first, joints[name].second
                body, before = (second, first) if self._whole(second) == whole else (first, second)
                self.held_by[name] = len(self.members)
                self._add(body, self.numbers[before])

    def _whole(self, body: str) -> str:
        return self._found.drawing.described.whole[body]

    def _add(self, body: str, before: int | None) -> None:
        """Add a body, and all that is fixed to it."""
        described, number = self._found.drawing.described, len(self.members)
        whole = self._whole(body)
        if whole in self._found.spinning:
            self.numbers |= {part: number for part in described.whole if self._whole(part) == whole}
            self._append(whole, self._masses[whole], before)
            return
        self.numbers[body] = number
        self._append(whole, described.bodies.get(body, NOTHING), before)
        for joint in described.joints:
            fixed = joint.kind.is_fixed and joint.joins(body)
            if fixed and joint.beyond(body) not in self.numbers:
                self.held_by[joint.name] = len(self.members)
                self._add(joint.beyond(body), number)

    def _append(self, whole: str, mass: Mass, before: int | None) -> None:
        carrier = self._found.carrier(whole)
        self.members.append(Member(carrier, MASSLESS, before))
        self.masses.append(self._found.seen_by(carrier, mass))


def _closed(found: Carriers, grown: _Grown) -> dict[str, ClosedJoint]:
    """By joint, those that close loops: all that were cut."""
    closed, joints = {}, {joint.name: joint for joint in found.drawing.described.joints}
    for leg, tree in enumerate(found.trees):
        for number, tip in enumerate(tree.tips):
            if tip.type != "rod":
                near, far = (grown.numbers[body] for body in _from_leg(found, joints[tip.name]))
                closed[tip.name] = ClosedJoint(Closure(leg, number), near, far)
    return closed


def _from_leg(found: Carriers, joint: DrawnJoint) -> tuple[str, str]:
    """A joint's bodies, that of the leg first."""
    pairs = zip(found.wholes(joint), (joint.first, joint.second), strict=True)
    (_, near), (_, far) = sorted(pairs, key=lambda pair: holds(pair[0]))
    return near, far


def _rod_joints(found: Carriers, rod: str) -> list[tuple[DrawnJoint, str]]:
    """A rod's two ball joints, the near one first, each with the body beyond."""
    whole, pairs = found.drawing.described.whole, []
    for joint in found.drawing.described.joints:
        ends = found.wholes(joint)
        if joint.kind.is_ball and rod in ends:
            pairs.append((joint, joint.second if ends[0] == rod else joint.first))
    return sorted(pairs, key=lambda pair: holds(whole[pair[1]]))


def _rod_mass(found: Carriers, grown: _Grown, rod: Rod) -> RodMass:
    near, far = (grown.numbers[body] for _, body in _rod_joints(found, rod.name))
    return RodMass(found.line(rod.name), Closure(*found.place_of_rod(rod.name)), (near, far))


def _passed(
    found: Carriers, grown: _Grown, closed: Mapping[str, ClosedJoint], joint: DrawnJoint
) -> tuple[Branch | Closure | RodEnd | None, int]:
    """Return the load path of a joint, and whether it counts from the first or second body."""
    if joint.name in grown.held_by:
        member = grown.held_by[joint.name]
        return Branch(member), 1 if grown.numbers[joint.second] == member else -1
    if joint.name in closed:
        near, _ = _from_leg(found, joint)
        return closed[joint.name].closure, 1 if near == joint.first else -1
    for number, rod in enumerate(found.rods):
        for far, (end, beyond) in enumerate(_rod_joints(found, rod)):
            if end.name == joint.name:
                from_near = joint.second if far else joint.first
                return RodEnd(number, bool(far)), 1 if beyond == from_near else -1
    return None, 1


def _bearing(
    found: Carriers,
    grown: _Grown,
    closed: Mapping[str, ClosedJoint],
    joint: DrawnJoint,
    axes: Array,
) -> Bearing:
    wholes = found.wholes(joint)
    body = found.drawing.described.whole[_axes_body(found, joint)]
    carrier = GROUND if found.is_line(body) else found.carrier(body)
    second_axis, carried = None, joint.kind.carried
    if joint.kind.axes > 1:  # the moment across both axes is in no direction of its own axes
        beyond = found.carrier(wholes[1])
        second_axis = Point(beyond, as_value(found.direction(beyond, joint.axes[1])))
        carried = carried[:TRANSLATIONS]
    return Bearing(
        _sides(found, grown, joint),
        *_passed(found, grown, closed, joint),
        found.joint_spot(joint, wholes[:1] if joint.kind.slides else wholes),
        carrier,
        as_value(found.direction(carrier, axes @ _own_axes(joint, axes).T)),
        carried,
        second_axis,
    )


def _sides(found: Carriers, grown: _Grown, joint: DrawnJoint) -> tuple[int, int]:
    rods = {rod: len(grown.members) + number for number, rod in enumerate(found.rods)}
    pairs = zip(found.wholes(joint), (joint.first, joint.second), strict=True)
    first, second = (rods[w] if w in rods else grown.numbers[body] for w, body in pairs)
    return first, second
