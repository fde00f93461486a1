"""A robot with other numbers: from standard parameters and friction back to its file's keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.fields.inertia import Triple
from gough.identification.joint_friction import OF_A_JOINT
from gough.model.standard import ORIGIN, standard_parameters, standard_points
from gough.robot import Drive, GearDrive, Hexapod, Leg, Mechanism, Robot
from gough.robot.numbers import UPPER

_ACROSS = np.diag([1.0, 1.0, 0.0])


def rebuilt(robot: Robot, numbers: Mapping[str, float]) -> Robot:
    """The robot with these standard parameters, reflected masses and friction, by their names."""
    changes = _free_body("platform", "origin_inertia", numbers)
    for k, actuator in enumerate(robot.actuators):
        if actuator.drive is not None:
            changes |= _drive(f"{actuator.key}.drive", numbers, actuator.drive)
            if (constant := numbers.get(f"actuators[{k}].torque_constant")) is not None:
                changes[f"{actuator.key}.drive.torque_constant"] = constant
    if isinstance(robot, Hexapod):
        return _with_legs_apart(robot).replace(changes | _legs(robot, numbers))
    assert isinstance(robot, Mechanism)
    return Robot.from_dict(robot.to_dict()).replace(changes | _bodies(robot, numbers))


def contained_parameters(robot: Robot) -> Array:
    """The standard parameters of what bodies contain: decoupling stages, in their cylinders."""
    if not isinstance(robot, Hexapod):
        return np.zeros_like(standard_parameters(robot))
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


def _legs(robot: Hexapod, numbers: Mapping[str, float]) -> dict[str, Any]:
    """What is new in a hexapod's legs: parts, and friction of the passive joints."""
    changes = dict[str, Any]()
    for k, leg in enumerate(robot.legs):
        for part in ("cylinder", "piston"):
            changes |= _leg_part(f"legs[{k}].{part}", numbers, leg)
        at = f"legs[{k}].joint_friction."
        found = {name.removeprefix(at): v for name, v in numbers.items() if name.startswith(at)}
        changes |= {f"legs[{k}].joint_friction": found} if found else {}
    return changes


def _bodies(robot: Mechanism, numbers: Mapping[str, float]) -> dict[str, Any]:
    """What is new in a machine of any kind: bodies, and friction in joints."""
    changes = dict[str, Any]()
    for k, point in enumerate(standard_points(robot)[1:]):
        changes |= _free_body(f"bodies[{k}]", "joint_inertia", numbers, point)
    for k in range(len(robot.joints)):
        places = (f"joints[{k}].{key}" for key in OF_A_JOINT)
        changes |= {place: max(numbers[place], 0.0) for place in places if place in numbers}
    return changes


def _free_body(
    at: str, inertia: str, numbers: Mapping[str, float], point: Triple = ORIGIN
) -> dict[str, Any]:
    """A body's mass, mass centre and inertia about it, from its numbers about a point."""
    m = numbers[f"{at}.mass"]
    h = np.array([numbers[f"{at}.first_moment.{axis}"] for axis in "xyz"])
    J = _tensor(numbers, f"{at}.{inertia}")
    c = h / m
    return {
        f"{at}.mass": m,
        f"{at}.center_of_mass": (c + point).tolist(),
        f"{at}.inertia": (J - m * (c @ c * np.eye(3) - np.outer(c, c))).tolist(),
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


def _drive(at: str, numbers: Mapping[str, float], drive: Drive | GearDrive) -> dict[str, Any]:
    """A drive's rotor and screw, or gear, share what is felt of them as they did before."""
    screw = "screw" if isinstance(drive, Drive) else "gear"
    n = drive.gear_ratio
    turns = 2 * np.pi * n / drive.screw_lead if isinstance(drive, Drive) else n
    changes = {}
    for name, number, power, factor in (
        ("reflected_mass", "inertia", 2, turns**2),
        ("damping", "damping", 2, turns**2),
        ("friction", "friction", 1, turns),
    ):
        of_rotor, of_screw = f"rotor_{number}", f"{screw}_{number}"
        if f"{at}.{name}" in numbers:
            rotor, other = getattr(drive, of_rotor), getattr(drive, of_screw)
            before = rotor + other / n**power
            share = rotor / before if before else 0.0
            at_motor = max(numbers[f"{at}.{name}"], 0.0) / factor
            changes[f"{at}.{of_rotor}"] = share * at_motor
            changes[f"{at}.{of_screw}"] = (1 - share) * at_motor * n**power
    if f"{at}.offset" in numbers:
        changes[f"{at}.torque_offset"] = numbers[f"{at}.offset"] / turns
    if f"{at}.load_friction" in numbers:
        changes[f"{at}.efficiency"] = 1.0 / (1.0 + max(numbers[f"{at}.load_friction"], 0.0))
    return changes


def _tensor(numbers: Mapping[str, float], at: str) -> Array:
    J = np.zeros((3, 3))
    for i, j in zip(*UPPER, strict=True):
        J[i, j] = J[j, i] = numbers[f"{at}.{'xyz'[i]}{'xyz'[j]}"]
    return J
