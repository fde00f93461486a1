"""From legs in short to bodies and joints, drawn at home in base coordinates.

What is drawn are facts, of numbers or of objects that reckon as these do; of numbers, records are
made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gough.arrays import Array, angle_of, numeric
from gough.errors import InputError
from gough.fields.paths import parts
from gough.fields.table import read
from gough.poses import transform
from gough.poses.quaternions import rotation_matrix
from gough.robot.appearance import seen_from
from gough.robot.legs.chain import Chain, ChainJoint, chain_of, copies_of, mirror
from gough.robot.legs.drawn import DrawnLeg
from gough.robot.legs.places import CLOSE, joint_places
from gough.robot.legs.tables import Leg, Pattern
from gough.robot.mechanism import BASE, AnyJoint, Body, Joint

Facts = dict[str, Any]
_BARS = (("a", -0.5), ("b", 0.5))
"""The two bars of a parallelogram, and where they are in its width."""


def expanded(
    legs: Mapping[str, Leg], pattern: Pattern | None, home: Sequence[float]
) -> tuple[list[Body], list[Joint]]:
    """The bodies and joints of all legs, with the platform at its home pose.

    Legs are given by where they stand in the robot file, which complaints name.
    """
    drawn = drawn_legs(legs, pattern, home)
    bodies = [Body(**facts) for leg in drawn for facts in drawn_bodies(leg)]
    return bodies, [_read(*joint) for leg in drawn for joint in drawn_joints(leg)]


def drawn_legs(
    legs: Mapping[str, Leg], pattern: Pattern | None, home: Sequence[Any]
) -> list[DrawnLeg]:
    """All legs with their joints in their places."""
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
    """The legs and what stands behind the names of their parts: a number, or their own name."""
    names = [chain.name for chain in chains]
    for k, (chain, name) in enumerate(zip(chains, names, strict=True)):
        number = names[: k + 1].count(name)
        if name is None:
            yield chain, str(number)
        else:
            yield chain, name if names.count(name) == 1 else f"{name}-{number}"


def _drawn(chain: Chain, name: str, home: Sequence[Any]) -> DrawnLeg:
    for before, after in pairwise(chain.links):
        if before.record.parallelogram and after.record.parallelogram:
            raise InputError(
                "two parallelograms in a row",
                key=f"{after.key}.parallelogram",
                expected="a link between them",
            )
    return DrawnLeg(chain, name, joint_places(chain, placed(home, chain.platform)))


def placed(pose: Sequence[Any], point: Array) -> Array:
    """Where a point of the platform is in the base [m]."""
    if numeric([*pose, *point]) is None:
        return np.array(pose[:3]) + rotation_matrix(np.array(pose[3:], dtype=float)) @ point
    return transform(pose, point)


def drawn_bodies(leg: DrawnLeg) -> Iterator[Facts]:
    """What is known of each body of a leg."""
    for k, link in enumerate(leg.chain.links):
        axes, record = leg.link_axes(k), link.record
        inertia = axes @ np.array(record.inertia) @ axes.T
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
    """The joints with what is known of each, two where a parallelogram begins or ends."""
    for k, joint in enumerate(leg.chain.joints):
        beside = [j for j in (k - 1, k) if 0 <= j < len(leg.chain.links)]
        bars = next((j for j in beside if leg.chain.links[j].record.parallelogram), beside[0])
        sides = list(_sides(leg, bars))
        if len(sides) > 1 and joint.driven:
            raise InputError(
                "a motor at the end of a parallelogram, where there are two joints",
                key=joint.key,
                value=f"{joint.type}*",
                expected="a joint without a motor, or a link between",
            )
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
    except InputError as error:
        raise _as_written(error, joint) from None
    return drawn


def _position(leg: DrawnLeg, k: int) -> Any:
    """The angle of a hinge from where it is zero [rad], or how far a slide is out [m]."""
    joint, last = leg.chain.joints[k], len(leg.chain.links)
    (axis,) = leg.joint_axes(k)
    if k < last and joint.type == "P":
        return axis @ (leg.places[k + 1] - leg.places[k])
    if k < last and joint.zero is not None:
        return _angle(axis, joint.zero, leg.along(k), joint.written["zero"])
    return 0.0


def _angle(axis: Array, zero: Array, link: Array, key: str) -> Any:
    """The angle about an axis from one direction to another [rad]."""
    start, end = zero - axis * (axis @ zero), link - axis * (axis @ link)
    if any(np.linalg.norm(across) < CLOSE for across in (start, end)):
        raise InputError(
            "along the hinge's axis",
            key=f"{key}.zero",
            value=zero.tolist(),
            expected="a direction across it",
        )
    return angle_of(axis @ np.cross(start, end), start @ end)


def _body_name(leg: DrawnLeg, k: int, side: str) -> str:
    """The name of a link, or of what the leg's first and last joint are fixed to."""
    if k < 0:
        return BASE
    if k == len(leg.chain.links):
        return leg.chain.to
    link = leg.chain.links[k].record
    return f"{link.name}-{leg.name}{side if link.parallelogram else ''}"


def _sides(leg: DrawnLeg, k: int) -> Iterator[tuple[str, Array]]:
    """The bars of a link that is a parallelogram and how far they are from its middle, or one."""
    width = leg.chain.links[k].record.parallelogram
    if width is None:
        yield "", np.zeros(3)
        return
    for side, share in _BARS:
        yield side, share * width * leg.bars_apart(k)


def _origin(leg: DrawnLeg, k: int) -> Array:
    """Of a link's frame: its first joint, of a link behind a slide the second one."""
    return leg.places[k + 1 if leg.slid(k) else k]


def _mass_center(leg: DrawnLeg, k: int, axes: Array) -> Array:
    """The mass centre of a link: behind a slide it counts from the link's second joint."""
    given: Any = leg.chain.links[k].record.center_of_mass
    slid, origin = leg.slid(k), _origin(leg, k)
    if given is None:
        return origin
    if np.ndim(given) == 0:
        return np.asarray(origin + axes[:, 2] * (-given if slid else given))
    return np.asarray(origin + axes @ np.array(given))


def _as_written(error: InputError, joint: ChainJoint) -> InputError:
    """The complaint about a drawn joint with its key where the user wrote it."""
    found = []
    for problem in error.problems:
        fact = next(iter(parts(problem.key)), "")
        found.append(problem.inside(joint.written.get(str(fact), joint.key)))
    return InputError.together(found)
