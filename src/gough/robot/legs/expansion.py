"""From legs in short form to bodies and joints at home, in base coordinates.

The results are mappings of numbers, or of objects with the same arithmetic; those of numbers become
records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gough.arrays import Array, across_axis, angle_of, direction_of, length_of, numeric, product_of
from gough.errors import InputError
from gough.fields.changes import parts
from gough.fields.table import read
from gough.poses import transform
from gough.poses.quaternions import rotation_matrix
from gough.robot.appearance import seen_from
from gough.robot.legs.chain import Chain, ChainJoint, chain_of, copies_of, mirror
from gough.robot.legs.places import CLOSE, joint_places, needed_axis
from gough.robot.legs.tables import Leg, Pattern
from gough.robot.mechanism import BASE, AnyJoint, Body, Joint

Facts = dict[str, Any]
_BARS = (("a", -0.5), ("b", 0.5))  # two bars of a parallelogram, and their places across it


def expanded(
    legs: Mapping[str, Leg], pattern: Pattern | None, home: Sequence[float]
) -> tuple[list[Body], list[Joint]]:
    """Return bodies and joints of all legs at home, given by their keys, which errors name."""
    drawn = drawn_legs(legs, pattern, home)
    bodies = [Body(**facts) for leg in drawn for facts in drawn_bodies(leg)]
    return bodies, [_read(*joint) for leg in drawn for joint in drawn_joints(leg)]


def drawn_legs(
    legs: Mapping[str, Leg], pattern: Pattern | None, home: Sequence[object]
) -> list[DrawnLeg]:
    """Return all legs with their joints in their places."""
    return [_drawn(chain, name, home) for chain, name in _named(list(_chains(legs, pattern)))]


def _chains(legs: Mapping[str, Leg], pattern: Pattern | None) -> Iterator[Chain]:
    repeated = pattern or Pattern(copies=1)
    chains, counts = [], []
    for key, leg in legs.items():
        images = [chain_of(leg, key)]
        if repeated.mirror is not None and leg.copies is None:
            images.append(images[0].moved(mirror(np.array(repeated.mirror))))
        chains += images
        counts += [leg.copies or repeated.copies] * len(images)
    return copies_of(chains, counts, np.array(repeated.about))


def _named(chains: list[Chain]) -> Iterator[tuple[Chain, str]]:
    """Yield the legs and the suffix of the names of their parts: a number, or their own name."""
    names = [chain.name for chain in chains]
    for k, (chain, name) in enumerate(zip(chains, names, strict=True)):
        number = names[: k + 1].count(name)
        if name is None:
            yield chain, str(number)
        else:
            yield chain, name if names.count(name) == 1 else f"{name}-{number}"


def _drawn(chain: Chain, name: str, home: Sequence[object]) -> DrawnLeg:
    for before, after in pairwise(chain.links):
        if before.record.parallelogram and after.record.parallelogram:
            problem, key = "two parallelograms in a row", f"{after.key}.parallelogram"
            raise InputError(problem, key=key, expected="a link between them")
    return DrawnLeg(chain, name, joint_places(chain, placed(home, chain.platform)))


def placed(pose: Sequence[Any], point: Array) -> Array:
    """Return the position of a point of the platform in the base frame [m]."""
    if numeric([*pose, *point]) is None:
        R = rotation_matrix(np.array(pose[3:], dtype=float))
        return np.array(pose[:3]) + product_of(R, point)
    return transform(pose, point)


def drawn_bodies(leg: DrawnLeg) -> Iterator[Facts]:
    """Yield the values of each body of a leg."""
    for k, link in enumerate(leg.chain.links):
        axes, record = leg.link_axes(k), link.record
        inertia = product_of(axes, record.inertia, axes.T)
        for side, offset in _sides(leg, k):
            yield {
                "name": _body_name(leg, k, side),
                "mass": record.mass,
                "center_of_mass": _mass_center(leg, k, axes) + offset,
                "inertia": (inertia + inertia.T) / 2.0,
                "radius": record.radius,
                "beam": record.beam,
                "mesh": record.mesh and seen_from(record.mesh, axes, _origin(leg, k) + offset),
            }


def drawn_joints(leg: DrawnLeg) -> Iterator[tuple[ChainJoint, Facts]]:
    """Yield the joints with the values of each, two where a parallelogram begins or ends."""
    for k, joint in enumerate(leg.chain.joints):
        beside = [j for j in (k - 1, k) if 0 <= j < len(leg.chain.links)]
        bars = next((j for j in beside if leg.chain.links[j].record.parallelogram), beside[0])
        sides = list(_sides(leg, bars))
        if len(sides) > 1 and joint.driven:
            problem = "a motor at the end of a parallelogram, where there are two joints"
            expected = "a joint without a motor, or a link between"
            raise InputError(problem, key=joint.key, value=f"{joint.type}*", expected=expected)
        for side, offset in sides:
            yield joint, _joint(leg, k, side, offset)


def _joint(leg: DrawnLeg, k: int, side: str, offset: Array) -> Facts:
    joint, axes = leg.chain.joints[k], leg.joint_axes(k)
    facts: Facts = {
        "name": f"{joint.name}-{leg.name}{side}",
        "type": joint.type,
        "between": (_body_name(leg, k - 1, side), _body_name(leg, k, side)),
        "at": leg.places[k] + offset,
    }
    if axes:
        facts |= {"axes": axes} if joint.kind.axes > 1 else {"axis": axes[0]}
    if joint.type in ("R", "P"):
        facts |= {"driven": joint.driven, "position_at_home": _position(leg, k)}
    return facts | joint.facts


def _read(joint: ChainJoint, facts: Facts) -> Joint:
    try:
        drawn: Joint = read(AnyJoint, facts)
    except InputError as error:  # about a generated joint: with the key that the user wrote
        facts_of = ((x, str(next(iter(parts(x.key)), ""))) for x in error.problems)
        found = [x.inside(joint.written.get(fact, joint.key)) for x, fact in facts_of]
        raise InputError.together(found) from None
    return drawn


def _position(leg: DrawnLeg, k: int) -> Any:
    """The angle of a hinge from its zero [rad], or the position of a slide [m]."""
    joint, last = leg.chain.joints[k], len(leg.chain.links)
    (axis,) = leg.joint_axes(k)
    if k < last and joint.type == "P":
        return product_of(axis, leg.places[k + 1] - leg.places[k])
    if k < last and joint.zero is not None:
        return _angle(axis, joint.zero, leg.along(k), joint.written["zero"])
    return 0.0


def _angle(axis: Array, zero: Array, link: Array, key: str) -> Any:
    """The angle about an axis from one direction to another [rad]."""
    start, end = across_axis(zero, axis), across_axis(link, axis)
    if any(length_of(across) < CLOSE for across in (start, end)):
        problem, expected = "along the hinge's axis", "a direction across it"
        raise InputError(problem, key=f"{key}.zero", value=zero.tolist(), expected=expected)
    return angle_of(product_of(axis, np.cross(start, end)), product_of(start, end))


def _body_name(leg: DrawnLeg, k: int, side: str) -> str:
    """The name of a link, or of the body at the leg's first and last joint."""
    if k < 0:
        return BASE
    if k == len(leg.chain.links):
        return leg.chain.to
    link = leg.chain.links[k].record
    return f"{link.name}-{leg.name}{side if link.parallelogram else ''}"


def _sides(leg: DrawnLeg, k: int) -> Iterator[tuple[str, Array]]:
    """Yield the bars of a parallelogram and their offsets from its middle, or one link."""
    width = leg.chain.links[k].record.parallelogram
    if width is None:
        yield "", np.zeros(3)
        return
    for side, share in _BARS:
        yield side, share * width * leg.bars_apart(k)


def _origin(leg: DrawnLeg, k: int) -> Array:
    """Origin of a link's frame: its first joint; for a link behind a slide the second one."""
    return leg.places[k + 1 if leg.slid(k) else k]


def _mass_center(leg: DrawnLeg, k: int, axes: Array) -> Array:
    """The mass centre of a link: behind a slide it is measured from the link's second joint."""
    given: Any = leg.chain.links[k].record.center_of_mass
    slid, origin = leg.slid(k), _origin(leg, k)
    if given is None:
        return origin
    if np.ndim(given) == 0:
        return np.asarray(origin + axes[:, 2] * (-given if slid else given))
    return np.asarray(origin + product_of(axes, given))


@dataclass(frozen=True, eq=False)
class DrawnLeg:
    """A leg with the places of its joints at home, and the directions that follow from these."""

    chain: Chain
    name: str  # suffix of the names of its joints and links
    places: list[Array]

    def slid(self, k: int) -> bool:
        """Whether a link is behind a slide."""
        return self.chain.joints[k].kind.slides

    def joint_axes(self, k: int) -> tuple[Array, ...]:
        """Return the axes of a joint: two of a universal joint, none of a ball joint."""
        joint = self.chain.joints[k]
        if joint.kind.axes > 1:
            return joint.axes or self._universal(k)
        if joint.spins:
            return self.joint_axes(k + 1)
        if joint.bar is not None:
            return (_across(self.bars_apart(joint.bar), self.along(joint.bar), joint.key),)
        if joint.kind.slides and joint.axis is None:
            return (self._slide(k),)
        return () if not joint.kind.axes else (needed_axis(self.chain, k),)

    def along(self, k: int) -> Array:
        """Return a link's direction: of its slide, to its next joint, or of that joint's axis."""
        if self.slid(k):
            return self.joint_axes(k)[0]
        if self._apart(k, k + 1):
            return direction_of(self.places[k + 1] - self.places[k])
        following = self.chain.joints[k + 1]
        if not following.kind.axes:
            problem = "it has no direction: its joints are at one place, and the second has no axis"
            raise InputError(problem, key=self.chain.links[k].key, expected="a length, or an end")
        if following.kind.axes > 1:
            return following.axes[0] if following.axes else needed_axis(self.chain, k + 1)
        return self.joint_axes(k + 1)[0]

    def link_axes(self, k: int) -> Array:
        """Return the axes of a link's frame as columns: z along the link, x along axis × z."""
        z = self.along(k)
        sideways = (np.cross(axis, z) for axis in self._axes_before(k))
        x = next(direction_of(across) for across in sideways if length_of(across) > CLOSE)
        y = np.cross(z, x)
        return np.column_stack([x, -y if self.chain.mirrored else y, z])

    def bars_apart(self, k: int) -> Array:
        """Return the vector from one bar of a parallelogram to the other."""
        link = self.chain.links[k]
        if link.across is not None:
            return link.across
        for joint in reversed(self.chain.joints[: k + 1]):
            if joint.kind.is_hinged and joint.axis is not None and joint.bar is None:
                return joint.axis
        problem = "missing, and there is no hinge before the parallelogram"
        expected = "a direction in the base frame"
        raise InputError(problem, key=f"{link.key}.across", expected=expected)

    def _axes_before(self, k: int) -> list[Array]:
        """Candidates for an axis across a link: hinges before it, nearest first; else any."""
        turning = [j for j in range(k, -1, -1) if self.chain.joints[j].kind.is_hinged]
        return [*(self.joint_axes(j)[0] for j in turning), *self.chain.any_axes]

    def _universal(self, k: int) -> tuple[Array, Array]:
        """The given axis, and one across it and the link; the last joint's is the platform's."""
        axis, key = needed_axis(self.chain, k), self.chain.joints[k].key
        if k == len(self.chain.links):
            return _across(axis, self.along(k - 1), key), axis
        return axis, _across(axis, self.along(k), key)

    def _slide(self, k: int) -> Array:
        """From a slide to the next joint; of the last one, from the joint before it."""
        for start, end in ((k, k + 1), (k - 1, k)):
            if start >= 0 and end < len(self.places) and self._apart(start, end):
                return direction_of(self.places[end] - self.places[start])
        return needed_axis(self.chain, k)

    def _apart(self, start: int, end: int) -> bool:
        return bool(length_of(self.places[end] - self.places[start]) > 0.0)


def _across(axis: Array, link: Array, key: str) -> Array:
    across = np.cross(axis, link)
    if length_of(across) < 1e-6:
        problem = "its axis is parallel to its link at home"
        raise InputError(problem, key=key, value=axis.tolist(), expected="an axis across the link")
    return direction_of(across)
