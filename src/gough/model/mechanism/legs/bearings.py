"""Load paths through a machine: which joint holds which body, and the axes of its reaction."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gough.arrays import Array, across_axis, direction_of, product_of
from gough.equations.tree import description
from gough.equations.tree.bodies import NO_MASS
from gough.equations.tree.description import Bearing, Branch, ClosedJoint, Closure, Loads, Member
from gough.fields.inertia import Triple
from gough.model.mechanism.home.drawing import DrawnJoint
from gough.model.mechanism.home.rods import holds
from gough.model.mechanism.legs.carriers import Carriers
from gough.model.mechanism.legs.frames import across
from gough.model.mechanism.numbers.mass import NOTHING, Mass
from gough.model.mechanism.numbers.traced import as_value
from gough.model.structure import Reaction
from gough.robot import BASE, PLATFORM
from gough.robot.joint_kinds import TRANSLATIONS


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
    paths = _LoadPaths(found, masses)
    places = {
        name: Closure(leg, len(tree.cuts) + k)
        for leg, tree in enumerate(found.trees)
        for k, name in enumerate(tree.couplings)
    }
    loads = Loads(
        tuple(paths.members),
        tuple(map(paths.rod_mass, found.rods)),
        tuple(paths.closed.values()),
        tuple(paths.bearing(joint, axes) for joint in found.drawing.described.joints),
        found.drawing.size,
        tuple(places[name] for name in found.drawing.couplings),
    )
    return loads, tuple(paths.masses)


def _own_axes(joint: DrawnJoint, axes: Array) -> Array:
    """A joint's own axes at home, as rows in base axes; the base's of a joint without axes."""
    if not joint.axes:
        return np.eye(3)
    x, *more = (product_of(axes.T, axis) for axis in joint.axes)
    y = direction_of(across_axis(more[0], x) if more else across(x)[:, 0])
    return np.array([x, y, np.cross(x, y)])


def _rows(axes: Array) -> tuple[Triple, Triple, Triple]:
    x, y, z = ((float(a), float(b), float(c)) for a, b, c in axes)
    return x, y, z


def _axes_body(found: Carriers, joint: DrawnJoint) -> str:
    first, second = found.units_of(joint)
    spins = found.spinning
    return joint.second if first in spins and second not in spins else joint.first


class _LoadPaths:
    """Members, each after what holds it, and the joints that hold them or close loops."""

    def __init__(self, found: Carriers, masses: Mapping[str, Mass]) -> None:
        self.members: list[Member] = []
        self.masses: list[Mass] = []
        self.numbers: dict[str, int] = {}
        """Numbers of members, by body of the description; a body that spins has all its parts."""
        self.held_by: dict[str, int] = {}  # by joint, the member that it holds
        self.closed: dict[str, ClosedJoint] = {}  # by joint, those that close loops: all cut
        self._found, self._masses = found, masses
        self._unit = found.drawing.described.unit
        self._add(BASE, None)
        self._add(PLATFORM, None)
        joints = {joint.name: joint for joint in found.drawing.described.joints}
        for tree in found.trees:
            for unit, name in tree.held_by.items():
                first, second = joints[name].between
                body, before = (second, first) if self._unit[second] == unit else (first, second)
                self.held_by[name] = len(self.members)
                self._add(body, self.numbers[before])
        for (name, is_rod), place in found.cuts.items():
            if not is_rod:
                near, far = (self.numbers[body] for body in self._from_leg(joints[name]))
                self.closed[name] = ClosedJoint(Closure(*place), near, far)

    def _add(self, body: str, before: int | None) -> None:
        """Add a body, and all that is fixed to it."""
        described, number = self._found.drawing.described, len(self.members)
        unit = self._unit[body]
        spins, carrier = unit in self._found.spinning, self._found.carrier(unit)
        mass = self._masses[unit] if spins else described.bodies.get(body, NOTHING)
        self.members.append(Member(carrier, NO_MASS, before))
        self.masses.append(self._found.seen_by(carrier, mass))
        if spins:
            self.numbers |= {part: number for part, own in self._unit.items() if own == unit}
            return
        self.numbers[body] = number
        for joint in described.joints:
            fixed = joint.kind.is_fixed and joint.joins(body)
            if fixed and joint.beyond(body) not in self.numbers:
                self.held_by[joint.name] = len(self.members)
                self._add(joint.beyond(body), number)

    def _from_leg(self, joint: DrawnJoint) -> list[str]:
        """A joint's bodies, that of the leg first."""
        return sorted(joint.between, key=lambda body: holds(self._unit[body]))

    def _rod_joints(self, rod: str) -> list[tuple[DrawnJoint, str]]:
        """A rod's two ball joints, the near one first, each with the body beyond."""
        balls = (joint for joint in self._found.drawing.described.joints if joint.kind.is_ball)
        own = (joint for joint in balls if rod in self._found.units_of(joint))
        pairs = [(x, x.second if self._unit[x.first] == rod else x.first) for x in own]
        return sorted(pairs, key=lambda pair: holds(self._unit[pair[1]]))

    def rod_mass(self, rod: str) -> description.RodMass:
        """A rod, whose masses are still to come."""
        near, far = (self.numbers[body] for _, body in self._rod_joints(rod))
        return description.RodMass(
            self._found.line(rod), Closure(*self._found.cuts[rod, True]), (near, far)
        )

    def _coupled(self, joint: DrawnJoint) -> tuple[tuple[int, int, Any], ...]:
        """Return number, component of its effort and coefficient of each coupling of a joint."""
        couplings = enumerate(self._found.drawing.couplings.values())
        own = ((k, weights[joint.name]) for k, weights in couplings if joint.name in weights)
        return tuple((number, joint.kind.free[0], weight) for number, weight in own)

    def _passed(
        self, joint: DrawnJoint
    ) -> tuple[Branch | Closure | description.RodEnd | None, int]:
        """Return the load path of a joint, and whether it counts from the first or second body."""
        if joint.name in self.held_by:
            member = self.held_by[joint.name]
            return Branch(member), 1 if self.numbers[joint.second] == member else -1
        if joint.name in self.closed:
            near, _ = self._from_leg(joint)
            return self.closed[joint.name].closure, 1 if near == joint.first else -1
        for number, rod in enumerate(self._found.rods):
            for far, (end, beyond) in enumerate(self._rod_joints(rod)):
                if end.name == joint.name:
                    from_near = joint.second if far else joint.first
                    return description.RodEnd(number, bool(far)), 1 if beyond == from_near else -1
        return None, 1

    def bearing(self, joint: DrawnJoint, axes: Array) -> Bearing:
        """Return the bearing of a joint."""
        found, units = self._found, self._found.units_of(joint)
        body = self._unit[_axes_body(found, joint)]
        carrier = description.GROUND if found.is_line(body) else found.carrier(body)
        second_axis, carried = None, joint.kind.carried
        if joint.kind.axes > 1:  # the moment across both axes is in no direction of its own axes
            beyond = found.carrier(units[1])
            second_axis = description.Point(
                beyond, as_value(found.direction(beyond, joint.axes[1]))
            )
            carried = carried[:TRANSLATIONS]
        rods = {rod: len(self.members) + number for number, rod in enumerate(found.rods)}
        sides = zip(units, joint.between, strict=True)
        first, second = (rods[w] if w in rods else self.numbers[name] for w, name in sides)
        return Bearing(
            (first, second),
            *self._passed(joint),
            found.joint_spot(joint, units[:1] if joint.kind.slides else units),
            carrier,
            as_value(found.direction(carrier, product_of(axes, _own_axes(joint, axes).T))),
            carried,
            second_axis,
            self._coupled(joint),
        )
