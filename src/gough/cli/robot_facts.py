"""What the commands say of a robot of any kind: structure, masses, and where it is at home."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gough.cli.joint_options import joint_facts, option_of
from gough.model.structure import MechanismStructure, structure_of
from gough.robot import Hexapod, Mechanism, Robot


def leg_kinds(robot: Robot) -> str:
    """Of which kinds the legs are: "UPS", or "R*SSSS" with a star behind driven joints."""
    if isinstance(robot, Hexapod):
        return "/".join(sorted({leg.kind for leg in robot.legs}))
    return "/".join(sorted({str(leg) for leg in structure_of(robot).legs}))


def structure_facts(robot: Robot) -> dict[str, Any]:
    """How a machine is built and how it can move, as plain data."""
    structure = structure_of(robot)
    mobility, overconstrained, spins = len(structure.freedoms), 0, _spinning_legs(robot)
    if isinstance(structure, MechanismStructure):
        mobility, overconstrained = structure.mobility, structure.overconstrained
        spins = list(structure.spinning)
    return {
        "legs": [str(leg) for leg in structure.legs],
        "actuators": structure.actuators,
        "freedoms": list(structure.freedoms),
        "mobility": mobility,
        "overconstrained": overconstrained,
        "spins": spins,
    }


def _spinning_legs(robot: Robot) -> list[str]:
    """Legs of a hexapod that spin between two ball joints."""
    legs = robot.legs if isinstance(robot, Hexapod) else ()
    return [f"leg {k}" for k, leg in enumerate(legs, 1) if leg.kind == "SPS"]


def home_facts(robot: Robot) -> dict[str, Any]:
    """Structure, positions at home [m, rad], and the condition number of J there.

    Rotations are scaled by the platform's size.
    """
    from gough.kinematics.model import Model
    from gough.kinematics.singularity.singularity import condition_number
    from gough.kinematics.size import default_length

    model, home, length = Model(robot), np.array(robot.home), default_length(robot)
    positions = model.inverse_kinematics(home)
    by_length = option_of(robot) == "--lengths"
    return {
        **({"leg_lengths": positions.tolist()} if by_length else {}),
        **joint_facts(robot, positions),
        "characteristic_length": length,
        "jacobian_condition": float(condition_number(model.machines)(home, length)),
        "structure": structure_facts(robot),
    }


def part_mass(robot: Robot) -> float:
    """Mass [kg] of all that moves but the platform."""
    if isinstance(robot, Hexapod):
        return sum(leg.cylinder.mass + leg.piston.mass for leg in robot.legs)
    assert isinstance(robot, Mechanism)
    return sum(body.mass for body in robot.bodies)


def largest_distance(robot: Robot) -> float:
    """Of a joint centre from the origin of its frame [m]."""
    if isinstance(robot, Hexapod):
        joints = [joint for leg in robot.legs for joint in (leg.base, leg.platform)]
    else:
        assert isinstance(robot, Mechanism)
        joints = [joint.at for joint in robot.joints]
    return max(math.hypot(*joint) for joint in joints)
