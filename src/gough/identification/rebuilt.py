"""A robot with other numbers: from standard parameters and friction back to its file's keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.model.standard import standard_parameters
from gough.robot import Hexapod, Leg, Robot
from gough.robot.numbers import UPPER
from gough.robot.records import Drive

_ACROSS = np.diag([1.0, 1.0, 0.0])


def rebuilt(robot: Hexapod, numbers: Mapping[str, float]) -> Robot:
    """The robot with these standard parameters, reflected masses and friction, by their names."""
    changes = _platform(numbers)
    for k, leg in enumerate(robot.legs):
        for part in ("cylinder", "piston"):
            changes |= _leg_part(f"legs[{k}].{part}", numbers, leg)
        if leg.drive is not None:
            changes |= _drive(f"legs[{k}].drive", numbers, leg.drive)
            if (constant := numbers.get(f"actuators[{k}].torque_constant")) is not None:
                changes[f"legs[{k}].drive.torque_constant"] = constant
        at = f"legs[{k}].joint_friction."
        found = {name.removeprefix(at): v for name, v in numbers.items() if name.startswith(at)}
        changes |= {f"legs[{k}].joint_friction": found} if found else {}
    return _with_legs_apart(robot).replace(changes)


def contained_parameters(robot: Hexapod) -> Array:
    """The standard parameters of what bodies contain: decoupling stages, in their cylinders."""
    changes: dict[str, Any] = {"platform.mass": 0.0, "platform.inertia": [0.0, 0.0, 0.0]}
    for k, leg in enumerate(robot.legs):
        stage = leg.connector.decoupling if leg.connector else None
        mass, at = (stage.mass, stage.position) if stage else (0.0, 0.0)
        point = {"mass": mass, "center_of_mass": at, "inertia": [0.0, 0.0, 0.0]}
        changes |= {f"legs[{k}].cylinder": point, f"legs[{k}].piston": point | {"mass": 0.0}}
    return standard_parameters(_with_legs_apart(robot).replace(changes))


def _with_legs_apart(robot: Hexapod) -> Robot:
    """The same robot, written with all keys of each leg: they may differ from now on."""
    data = robot.to_dict()
    shared = data.pop("leg", {})
    return Robot.from_dict(data | {"legs": [shared | leg for leg in data["legs"]]})


def _platform(numbers: Mapping[str, float]) -> dict[str, Any]:
    m = numbers["platform.mass"]
    h = np.array([numbers[f"platform.first_moment.{axis}"] for axis in "xyz"])
    J = _tensor(numbers, "platform.origin_inertia")
    c = h / m
    return {
        "platform.mass": m,
        "platform.center_of_mass": c.tolist(),
        "platform.inertia": (J - m * (c @ c * np.eye(3) - np.outer(c, c))).tolist(),
    }


def _leg_part(at: str, numbers: Mapping[str, float], leg: Leg) -> dict[str, Any]:
    m, h = numbers[f"{at}.mass"], numbers[f"{at}.first_moment"]
    c = h / m
    if leg.kind == "UPS":
        inertia = _tensor(numbers, f"{at}.joint_inertia") - m * c**2 * _ACROSS
    else:  # what it is along the leg, nobody feels
        across = numbers[f"{at}.joint_inertia.xx"] - m * c**2
        along = getattr(leg, at.rpartition(".")[2]).inertia[2][2]
        inertia = np.diag([across, across, min(along, 2 * across)])
    return {f"{at}.mass": m, f"{at}.center_of_mass": c, f"{at}.inertia": inertia.tolist()}


def _drive(at: str, numbers: Mapping[str, float], drive: Drive) -> dict[str, Any]:
    """A drive's rotor and screw share what the leg feels of them as they did before."""
    turns, n = 2 * np.pi * drive.gear_ratio / drive.screw_lead, drive.gear_ratio
    changes = {}
    for name, of_rotor, of_screw, power, factor in (
        ("reflected_mass", "rotor_inertia", "screw_inertia", 2, turns**2),
        ("damping", "rotor_damping", "screw_damping", 2, turns**2),
        ("friction", "rotor_friction", "screw_friction", 1, turns),
    ):
        if f"{at}.{name}" in numbers:
            rotor, screw = getattr(drive, of_rotor), getattr(drive, of_screw)
            before = rotor + screw / n**power
            share = rotor / before if before else 0.0
            at_motor = max(numbers[f"{at}.{name}"], 0.0) / factor
            changes[f"{at}.{of_rotor}"] = share * at_motor
            changes[f"{at}.{of_screw}"] = (1 - share) * at_motor * n**power
    if f"{at}.load_friction" in numbers:
        changes[f"{at}.efficiency"] = 1.0 / (1.0 + max(numbers[f"{at}.load_friction"], 0.0))
    return changes


def _tensor(numbers: Mapping[str, float], at: str) -> Array:
    J = np.zeros((3, 3))
    for i, j in zip(*UPPER, strict=True):
        J[i, j] = J[j, i] = numbers[f"{at}.{'xyz'[i]}{'xyz'[j]}"]
    return J
