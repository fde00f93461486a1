"""Remarks on valid but suspicious values of robot files; masses and sizes of all parts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.robot.appearance import metres
from gough.robot.checks import legs_at_home
from gough.robot.description import Robot

if TYPE_CHECKING:
    from gough.meshes import Surface

LARGE = 100.0  # size [m] above which a machine was perhaps written in millimetres
UNLIKE = 50.0  # ratio of sizes of mesh and machine above which the mesh has perhaps another unit

_OF_LEGS = ("leg has a stroke", "leg has a max_force", "leg has a radius")
_OF_JOINTS = (
    "driven joint has a range or stroke",
    "driven joint has a max_torque or max_force",
    "body has a radius",
)
_USES = ("workspace", "force margins", "clearance")


def robot_remarks(robot: Robot) -> list[str]:
    """Return remarks on values that are valid, but perhaps not intended."""
    return _limit_remarks(robot) + _size_remarks(robot) + _mass_center_remarks(robot)


def mesh_remarks(robot: Robot, read: Mapping[str, Surface]) -> list[str]:
    """Return remarks on meshes whose size is not that of a part of the machine."""
    machine, bodies = largest_distance(robot), defaultdict[tuple[str, str], list[str]](list)
    for found in robot.meshes:
        size = float(np.ptp(metres(found.mesh) * read[found.mesh.file].corners, axis=0).max())
        if not machine / UNLIKE <= size <= machine * UNLIKE:
            bodies[f"{size:.3g}", found.mesh.unit or "m"].append(found.body)
    return [
        f"mesh of {counted_names(names, 'bodies')}: {size} m large, in a machine of "
        f'{machine:.3g} m; is its unit "{unit}"?'
        for (size, unit), names in bodies.items()
    ]


def counted_names(names: Sequence[str], noun: str) -> str:
    """Return one name as it is, or several with their number: "6 legs (hip-1, hip-2, …)"."""
    return names[0] if len(names) == 1 else f"{len(names)} {noun} ({', '.join(names)})"


def _limit_remarks(robot: Robot) -> list[str]:
    """Remarks on limits that are not given."""
    words = _OF_LEGS if robot.has_extensible_legs else _OF_JOINTS
    stated = (
        any(actuator.travel for actuator in robot.actuators),
        any(actuator.max_force for actuator in robot.actuators),
        any(leg.radius for leg in robot.extensible_legs)
        or any(body.radius for body in robot.listed_bodies),
    )
    rows = zip(words, _USES, stated, strict=True)
    return [f"no {what}: {use} will not be limited by it" for what, use, known in rows if not known]


def _size_remarks(robot: Robot) -> list[str]:
    size = largest_distance(robot)
    if size <= LARGE:
        return []
    return [f'a joint centre is {size:.6g} m from the origin; was "{size:.6g} mm" meant?']


def _mass_center_remarks(robot: Robot) -> list[str]:
    """Remarks on mass centres of extensible legs beyond the joint at the other end.

    Not refused: a leg may be held in its middle, and its rod then ends behind the base joint.
    """
    remarks = []
    lengths = [math.hypot(*vector) for vector in legs_at_home(robot)]
    for part, other in (("cylinder", "platform"), ("piston", "base")):
        parts = (getattr(leg, part) for leg in robot.extensible_legs)
        pairs = enumerate(zip(parts, lengths, strict=True), 1)
        legs = [str(k) for k, (body, length) in pairs if body.center_of_mass > length]
        if legs:
            which = f"the mass centre of the {part} lies beyond the {other} joint at home"
            remarks.append(f"leg {', '.join(legs)}: {which}")
    return remarks


def part_mass(robot: Robot) -> float:
    """Return the total mass [kg] of all moving bodies but the platform: all legs together."""
    return sum(_part_masses(robot))


def mass_of_each_leg(robot: Robot, legs: int) -> float | None:
    """Return the mass [kg] of one leg where all of them have the same parts, else None."""
    counts = Counter(_part_masses(robot)).values()
    alike = legs > 0 and all(count % legs == 0 for count in counts)
    return part_mass(robot) / legs if alike else None


def _part_masses(robot: Robot) -> list[float]:
    of_legs = [leg.cylinder.mass + leg.piston.mass for leg in robot.extensible_legs]
    return of_legs + [body.mass for body in robot.listed_bodies]


def largest_distance(robot: Robot) -> float:
    """Return the maximum distance of a joint centre from the origin of its frame [m]."""
    of_legs = (place for leg in robot.extensible_legs for place in (leg.base, leg.platform))
    places = (*of_legs, *(joint.at for joint in robot.listed_joints))
    return max(math.hypot(*place) for place in places)
