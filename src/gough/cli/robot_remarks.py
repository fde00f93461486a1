"""What a robot file may say, and was perhaps not meant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gough.robot import Robot
from gough.robot.checks import legs_at_home

LARGE = 100.0
"""A machine larger than this [m] was perhaps written in millimetres."""

_LIMITS = {"stroke": "workspace", "max_force": "force margins", "radius": "clearance"}


def robot_remarks(robot: Robot) -> list[str]:
    """What is allowed, and perhaps not meant."""
    limits = [
        f"no leg has a {key}: {use} will not be limited by it"
        for key, use in _LIMITS.items()
        if all(getattr(leg, key) is None for leg in robot.legs)
    ]
    return limits + _size_remarks(robot) + _mass_center_remarks(robot)


def home_facts(robot: Robot) -> dict[str, Any]:
    """Leg lengths [m] and the condition number of J, lengths scaled by the platform's size."""
    from gough.kinematics.model import Model

    model = Model(robot)
    radius = max(math.hypot(*leg.platform) for leg in robot.legs)
    scale = [1.0] * 3 + [radius or 1.0] * 3
    values = np.linalg.svd(model.jacobian(np.array(robot.home)) / scale, compute_uv=False)
    return {
        "leg_lengths": model.inverse_kinematics(np.array(robot.home)).tolist(),
        "characteristic_length": radius,
        "jacobian_condition": float(values[0] / values[-1]) if values[-1] > 0 else math.inf,
    }


def _size_remarks(robot: Robot) -> list[str]:
    size = max(math.hypot(*joint) for leg in robot.legs for joint in (leg.base, leg.platform))
    if size <= LARGE:
        return []
    return [f'a joint centre is {size:.6g} m from the origin; was "{size:.6g} mm" meant?']


def _mass_center_remarks(robot: Robot) -> list[str]:
    """Mass centres beyond the joint at the other end.

    Not refused: a leg may be held in its middle, and its rod then ends behind the base joint.
    """
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
