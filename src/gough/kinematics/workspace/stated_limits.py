"""Limits in robot files, by family, from which margins are computed.

The travel of motors is a stroke; joints at the platform are platform joints, and all other passive
joints are base joints.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.equations.motion.reach import Gap, HingeRange, JointLimits, Range
from gough.model.structure import structure_of
from gough.robot import PLATFORM, HomeConfiguration, Robot, numbers_of
from gough.robot.home.configuration import joint_names

FAMILIES = ("stroke", "base joint", "platform joint", "clearance", "singularity")
"""The kinds of limits, in the order of the margins."""
ENDS = (*FAMILIES, "assembly")
"""Causes of the end of a travel: a limit, or that the legs cannot be assembled."""
SYNONYMS = {"range": "stroke", "travel": "stroke", "passive joint": "base joint"}
"""Displayed names of families: of rotary motors, of rotary and linear ones, of mechanisms."""
KEYS = {
    "stroke": "stroke",
    "base joint": "base_joint_limit",
    "platform joint": "platform_joint_limit",
    "clearance": "radius",
}
"""Keys of each family in a hexapod's file, for a leg."""
KEYS_OF_JOINTS = {
    "stroke": "range or stroke of driven joints",
    "base joint": "range or limit of other joints",
    "platform joint": "range or limit of joints at the platform",
    "clearance": "radius of bodies",
}
"""Keys of each family in the file of a mechanism."""


@dataclass(frozen=True)
class Stated:
    """The limits of a machine that count."""

    travel: tuple[Range, ...]
    base_joints: JointLimits
    platform_joints: JointLimits
    gaps: tuple[Gap, ...]


def known_limits(robot: Robot, families: tuple[str, ...]) -> list[str]:
    """Return the families with limits in the robot file."""
    stated = zip(KEYS, vars(stated_limits(robot, families)).values(), strict=True)
    return [family for family, some in stated if some not in ((), JointLimits())]


def keys_of(robot: Robot) -> dict[str, str]:
    """Return the keys of each family in a robot's file."""
    return KEYS if robot.has_extensible_legs else KEYS_OF_JOINTS


def ends_of(robot: Robot) -> tuple[str, ...]:
    """Return ENDS for display: motors that turn have a range, joints of mechanisms are passive."""
    turning = {actuator.turns for actuator in robot.actuators}
    words = {"stroke": "travel" if len(turning) > 1 else "range"} if True in turning else {}
    if not robot.has_extensible_legs:
        words["base joint"] = "passive joint"
    return tuple(words.get(end, end) for end in ENDS)


def stated_limits(robot: Robot, families: tuple[str, ...]) -> Stated:
    """Return the limits of a robot that count; their numbers are the machine's."""
    home, none = robot.bodies_and_joints, JointLimits()
    limited = [(k, a) for k, a in enumerate(robot.actuators) if a.travel is not None]
    travel = tuple(Range(k, f"{a.key}.{a.travel_key}") for k, a in limited)
    return Stated(
        travel if "stroke" in families else (),
        _joint_limits(home, platform=False) if "base joint" in families else none,
        _joint_limits(home, platform=True) if "platform joint" in families else none,
        tuple(_gaps(home)) if "clearance" in families else (),
    )


def _joint_limits(home: HomeConfiguration, *, platform: bool) -> JointLimits:
    """Limits of the passive joints: those at the platform, or all others."""
    structure = structure_of(home.robot)
    passive = [j for j in home.joints if not j.driven and j.joins(PLATFORM) == platform]
    own = {joint.name for joint in passive}
    ranges, hinges = [], []
    for k, joint in enumerate(home.robot.listed_joints):
        left = joint.range_of_travel is None or joint.name in structure.held
        if joint.name not in own or left:
            continue
        travel = f"joints[{k}].{joint.travel_key}"
        if joint.name in structure.joints:
            ranges.append(Range(structure.joints.index(joint.name), travel))
        else:
            sign = -1 if joint.first == PLATFORM else 1
            place = next(
                (l, names.index(joint.name))
                for l, names in enumerate(structure.loop_joints)
                if joint.name in names
            )
            hinges.append(HingeRange(*place, sign, joint.home, travel, joint.name))
    tilting = (j for j in passive if j.limit is not None and j.name in structure.tilts)
    tilts = tuple(Range(structure.tilts.index(j.name), j.limit_key) for j in tilting)
    return JointLimits(tuple(ranges), tuple(hinges), tilts)


def _segments(robot: Robot) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Yield cylinders between joint centres: name, rows of both, and the place of the radius.

    Extensible legs, and bodies from their first joint to each other one, that have a radius.
    """
    centers = structure_of(robot).centers
    rows = {center.joint: k for k, center in enumerate(centers)}
    for k, leg in enumerate(robot.extensible_legs):
        if leg.radius is not None:
            hip, _, wrist = joint_names(k + 1)
            yield robot.actuators[k].name, (rows[hip], rows[wrist]), f"legs[{k}].radius"
    for k, body in enumerate(robot.listed_bodies):
        if body.radius is not None:
            first, *others = [row for row, c in enumerate(centers) if body.name in c.bodies]
            yield from ((body.name, (first, n), f"bodies[{k}].radius") for n in others)


def _gaps(home: HomeConfiguration) -> Iterator[Gap]:
    """Yield pairs of segments without a common joint.

    Segments that share a joint centre in the home configuration are left out.
    """
    centers = structure_of(home.robot).centers
    joined = {frozenset(joint.between) for joint in home.joints}
    places = {joint.name: np.array(joint.at) for joint in home.joints}
    size = max(float(np.abs(place).max()) for place in places.values())
    pairs = combinations(_segments(home.robot), 2)
    for (one, ends, radius), (other, other_ends, other_radius) in pairs:
        first, second = ([places[centers[k].joint] for k in own] for own in (ends, other_ends))
        apart = min(float(np.linalg.norm(p - q)) for p in first for q in second)
        if one != other and {one, other} not in joined and apart > 1e-9 * size:
            yield Gap((one, other), ends, other_ends, (radius, other_radius))


@dataclass(frozen=True)
class SingleLimit:
    """One of the limits that a robot states."""

    family: str
    """Its family, as `ends_of` the robot."""
    of: tuple[str, ...]
    """Its parts: an actuator, a joint, two legs or bodies; empty for a singularity."""
    unit: str
    """Unit of its size: m, rad or 1."""
    kind: str
    """A "range" of positions, an "angle" from home, a "gap", or the "side" of a singularity."""
    size: float
    """Half of the range, the maximum angle, both radii together, or 1."""

    def inside(self, margin: ArrayLike) -> Array:
        """Return the distance to the limit [unit] of a margin; negative beyond it."""
        m = np.asarray(margin, dtype=float)
        if self.kind != "angle":
            return np.asarray(m * self.size)
        sine = np.sin(self.size / 2) * np.sqrt(1 - m)
        return np.asarray(self.size - 2 * np.arcsin(np.minimum(sine, 1.0)))


def single_limits(robot: Robot, families: tuple[str, ...]) -> list[SingleLimit]:
    """Return the limits of these families, in the order of their margins."""
    return list(_single_limits(robot, families))


def _single_limits(robot: Robot, families: tuple[str, ...]) -> Iterator[SingleLimit]:
    structure, stated = structure_of(robot), stated_limits(robot, families)
    numbers = numbers_of(robot)
    stroke, base, platform, clearance, singularity, _ = ends_of(robot)

    def half(place: str) -> float:
        low, high = numbers[place]
        return (high - low) / 2

    for travel in stated.travel:
        actuator = robot.actuators[travel.number]
        unit = "rad" if actuator.turns else "m"
        yield SingleLimit(stroke, (actuator.name,), unit, "range", half(travel.place))
    for family, joints in ((base, stated.base_joints), (platform, stated.platform_joints)):
        for one in joints.ranges:
            name = structure.joints[one.number]
            unit = "m" if name in structure.sliding else "rad"
            yield SingleLimit(family, (name,), unit, "range", half(one.place))
        for hinge in joints.hinges:
            yield SingleLimit(family, (hinge.joint,), "rad", "range", half(hinge.place))
        for tilt in joints.tilts:
            (largest,) = numbers[tilt.place]
            yield SingleLimit(family, (structure.tilts[tilt.number],), "rad", "angle", largest)
    for gap in stated.gaps:
        radii = sum(numbers[place][0] for place in gap.places)
        yield SingleLimit(clearance, gap.bodies, "m", "gap", radii)
    if "singularity" in families:
        yield SingleLimit(singularity, (), "1", "side", 1.0)
