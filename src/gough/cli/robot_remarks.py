"""What a robot file may say, and was perhaps not meant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gough.cli.robot_facts import largest_distance
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.appearance import metres
from gough.robot.checks import legs_at_home

if TYPE_CHECKING:
    from gough.report.surfaces import Surfaces

LARGE = 100.0
"""A machine larger than this [m] was perhaps written in millimetres."""
UNLIKE = 50.0
"""A mesh so many times larger, or smaller, than its machine has perhaps another unit."""

_OF_LEGS = ("leg has a stroke", "leg has a max_force", "leg has a radius")
_OF_JOINTS = (
    "driven joint has a range or stroke",
    "driven joint has a max_torque or max_force",
    "body has a radius",
)
_USES = ("workspace", "force margins", "clearance")


def robot_remarks(robot: Robot) -> list[str]:
    """What is allowed, and perhaps not meant."""
    return _limit_remarks(robot) + _size_remarks(robot) + _mass_center_remarks(robot)


def mesh_remarks(robot: Robot, read: Surfaces) -> list[str]:
    """Meshes whose size is not that of a part of the machine."""
    machine, remarks = largest_distance(robot), []
    for found in robot.meshes:
        size = float(np.ptp(metres(found.mesh) * read[found.mesh.file].corners, axis=0).max())
        if not machine / UNLIKE <= size <= machine * UNLIKE:
            remarks.append(
                f"mesh of {found.body}: {size:.3g} m large, in a machine of {machine:.3g} m; "
                f'is its unit "{found.mesh.unit or "m"}"?'
            )
    return remarks


def _limit_remarks(robot: Robot) -> list[str]:
    """Limits that nothing in the robot states."""
    if isinstance(robot, Hexapod):
        words, radii = _OF_LEGS, [leg.radius for leg in robot.legs]
    else:
        assert isinstance(robot, Mechanism)
        words, radii = _OF_JOINTS, [body.radius for body in robot.bodies]
    stated = (
        any(actuator.travel for actuator in robot.actuators),
        any(actuator.max_force for actuator in robot.actuators),
        any(radii),
    )
    return [
        f"no {what}: {use} will not be limited by it"
        for what, use, known in zip(words, _USES, stated, strict=True)
        if not known
    ]


def _size_remarks(robot: Robot) -> list[str]:
    size = largest_distance(robot)
    if size <= LARGE:
        return []
    return [f'a joint centre is {size:.6g} m from the origin; was "{size:.6g} mm" meant?']


def _mass_center_remarks(robot: Robot) -> list[str]:
    """Mass centres of extensible legs beyond the joint at the other end.

    Not refused: a leg may be held in its middle, and its rod then ends behind the base joint.
    """
    if not isinstance(robot, Hexapod):
        return []
    remarks = []
    lengths = [math.hypot(*vector) for vector in legs_at_home(robot)]
    for part, other in (("cylinder", "platform"), ("piston", "base")):
        legs = [
            str(k)
            for k, (leg, length) in enumerate(zip(robot.legs, lengths, strict=True), 1)
            if getattr(leg, part).center_of_mass > length
        ]
        if legs:
            which = f"the mass centre of the {part} lies beyond the {other} joint at home"
            remarks.append(f"leg {', '.join(legs)}: {which}")
    return remarks
