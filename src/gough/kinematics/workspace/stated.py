"""Which limits robots state, by family: what margins are made of.

For machines of any kind the travel of motors is a stroke; joints at the platform are platform
joints, and all others that no motor moves are base joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gough.equations.mechanism.reach import Gap, HingeRange, JointLimits, Range, TiltLimit
from gough.equations.platform.reach import Limiting
from gough.model.mechanism.reading import analysed
from gough.robot import Hexapod, Leg, Mechanism, Robot
from gough.robot.mechanism import PLATFORM, AnyJoint

FAMILIES = ("stroke", "base joint", "platform joint", "clearance", "singularity")
"""The kinds of limits, in the order of the margins."""
ENDS = (*FAMILIES, "assembly")
"""What can end a way: a limit, or that the legs do not meet any more."""
PASSIVE = "passive joint"
"""What readers call base joints where most of them are not at the base."""
KEYS = {
    "stroke": "stroke",
    "base joint": "base_joint_limit",
    "platform joint": "platform_joint_limit",
    "clearance": "radius",
}
"""Where a hexapod's file states each of them, for a leg."""
KEYS_OF_JOINTS = {
    "stroke": "range or stroke of driven joints",
    "base joint": "range or limit of other joints",
    "platform joint": "range or limit of joints at the platform",
    "clearance": "radius of bodies",
}
"""Where the file of a machine of any kind states them."""


@dataclass(frozen=True)
class Stated:
    """The limits of a machine of any kind that count."""

    travel: tuple[Range, ...]
    base_joints: JointLimits
    platform_joints: JointLimits
    gaps: tuple[Gap, ...]


def known_limits(robot: Robot, families: tuple[str, ...]) -> list[str]:
    """Those of the families that the robot states anything of."""
    return [family for family in KEYS if family in families and _is_stated(robot, family)]


def keys_of(robot: Robot) -> dict[str, str]:
    """Where a robot's file states each family."""
    return KEYS if isinstance(robot, Hexapod) else KEYS_OF_JOINTS


def ends_of(robot: Robot) -> tuple[str, ...]:
    """ENDS as readers call them: joints of machines of any kind are passive, not of the base."""
    own = isinstance(robot, Hexapod)
    return ENDS if own else tuple(PASSIVE if end == "base joint" else end for end in ENDS)


def limiting(robot: Hexapod, families: tuple[str, ...]) -> Limiting:
    """Which of a hexapod's legs have limits that count.

    Legs that share a joint centre meet there by design.
    """

    def stated(family: str) -> tuple[int, ...]:
        legs = enumerate(robot.legs if family in families else ())
        return tuple(k for k, leg in legs if getattr(leg, KEYS[family]) is not None)

    stroke, base, platform, thick = map(stated, KEYS)
    pairs = combinations(thick, 2)
    apart = [(i, j) for i, j in pairs if not _meet(robot, robot.legs[i], robot.legs[j])]
    return Limiting(stroke, base, platform, tuple(apart))


def _meet(robot: Hexapod, first: Leg, second: Leg) -> bool:
    """Whether two legs share a joint centre."""
    feet = np.array([leg.base for leg in robot.legs])
    size = max(float(np.linalg.norm(a - b)) for a, b in combinations(feet, 2))
    ends = ((first.base, second.base), (first.platform, second.platform))
    return any(float(np.linalg.norm(np.subtract(a, b))) <= 1e-9 * size for a, b in ends)


def machine_limits(robot: Mechanism, families: tuple[str, ...]) -> Stated:
    """The limits of a machine of any kind that count."""
    near, far = _at_base(robot), _at_platform(robot)
    return Stated(
        tuple(_travel(robot)) if "stroke" in families else (),
        _joint_limits(robot, near if "base joint" in families else []),
        _joint_limits(robot, far if "platform joint" in families else []),
        tuple(_gaps(robot)) if "clearance" in families else (),
    )


def stated_limits(robot: Robot, families: tuple[str, ...]) -> Limiting | Stated:
    """Which limits of a robot count; their numbers are the machine's."""
    if isinstance(robot, Hexapod):
        return limiting(robot, families)
    assert isinstance(robot, Mechanism)
    return machine_limits(robot, families)


def _is_stated(robot: Robot, family: str) -> bool:
    if isinstance(robot, Hexapod):
        return any(getattr(leg, KEYS[family]) is not None for leg in robot.legs)
    assert isinstance(robot, Mechanism)
    found = {
        "stroke": lambda: any(a.travel is not None for a in robot.actuators),
        "base joint": lambda: any(map(_has_limit, _at_base(robot))),
        "platform joint": lambda: any(map(_has_limit, _at_platform(robot))),
        "clearance": lambda: next(_gaps(robot), None) is not None,
    }
    return found[family]()


def _at_platform(robot: Mechanism) -> list[AnyJoint]:
    return [j for j in robot.joints if not j.is_driven and PLATFORM in j.between]


def _at_base(robot: Mechanism) -> list[AnyJoint]:
    return [j for j in robot.joints if not j.is_driven and PLATFORM not in j.between]


def _has_limit(joint: AnyJoint) -> bool:
    return joint.range_of_travel is not None or getattr(joint, "limit", None) is not None


def _travel(robot: Mechanism) -> Iterator[Range]:
    for k, actuator in enumerate(robot.actuators):
        if actuator.travel is not None:
            yield Range(k, f"{actuator.key}.{actuator.travel_key}")


def _joint_limits(robot: Mechanism, joints: list[AnyJoint]) -> JointLimits:
    found = analysed(robot)
    tips = {name: (l, t) for l, leg in enumerate(found.tips) for t, name in enumerate(leg)}
    places = {joint.name: f"joints[{k}]" for k, joint in enumerate(robot.joints)}
    ranges, hinges, tilts = [], [], []
    for joint in joints:
        travel = f"{places[joint.name]}.{joint.travel_key}"
        limited = joint.range_of_travel is not None
        if limited and joint.name in found.joints:
            ranges.append(Range(found.joints.index(joint.name), travel))
        elif limited:
            sign = -1 if joint.between[0] == PLATFORM else 1
            hinges.append(HingeRange(*tips[joint.name], sign, joint.home, travel))
        if getattr(joint, "limit", None) is not None:
            tilts.append(TiltLimit(found.tilts.index(joint.name), f"{places[joint.name]}.limit"))
    return JointLimits(tuple(ranges), tuple(hinges), tuple(tilts))


def _gaps(robot: Mechanism) -> Iterator[Gap]:
    """Pairs of segments between the joints of two bodies that no joint joins.

    Nor does the drawing: bodies that meet there are meant to.
    """
    joined = {frozenset(joint.between) for joint in robot.joints}
    centers, places = analysed(robot).centers, {j.name: np.array(j.at) for j in robot.joints}
    size = max(float(np.abs(place).max()) for place in places.values())
    segments = []
    for number, part in enumerate(robot.bodies):
        mine = [k for k, center in enumerate(centers) if part.name in center.bodies]
        if part.radius is not None:
            radius = f"bodies[{number}].radius"
            segments += [(part.name, (mine[0], k), radius) for k in mine[1:]]
    for (body, ends, radius), (other, others, other_radius) in combinations(segments, 2):
        first, second = ([places[centers[k].joint] for k in pair] for pair in (ends, others))
        apart = min(float(np.linalg.norm(p - q)) for p in first for q in second)
        if body != other and {body, other} not in joined and apart > 1e-9 * size:
            yield Gap((body, other), ends, others, (radius, other_radius))
