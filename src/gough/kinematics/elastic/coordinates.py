"""The coordinates of a machine's small vibrations, by name."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.model.actuators import rotor_masses_of
from gough.model.structure import structure_of
from gough.robot import Hexapod, Leg, Robot


def coordinates_of(robot: Robot, rotors: bool) -> list[str]:
    """Of platform, pistons and stages as `model.vibration` has them, and of rotors if told so."""
    freedoms = list(structure_of(robot).freedoms)
    turning = _rotors(robot) if rotors else []
    if not isinstance(robot, Hexapod):
        return freedoms + turning
    legs = list(enumerate(robot.legs, 1))
    pistons = [f"leg {k} piston" for k, leg in legs if _has_piston(leg)]
    stages = [
        f"leg {k} stage" for k, leg in legs if "connector.decoupling.stiffness" in leg.springs
    ]
    return freedoms + pistons + stages + turning


def rotors_move(robot: Robot, actuator_compliance: Array) -> bool:
    """Whether it has drives with an inertia, and some actuators are not locked."""
    return bool(np.any(actuator_compliance) and any(rotor_masses_of(robot)))


def _rotors(robot: Robot) -> list[str]:
    """Of those that a spring parts from what they drive."""
    masses = zip(robot.actuators, rotor_masses_of(robot), strict=True)
    names = [f"{actuator.name} rotor" if mass else "" for actuator, mass in masses]
    if isinstance(robot, Hexapod):
        pairs = zip(names, robot.legs, strict=True)
        names = [name for name, leg in pairs if not _has_piston(leg) or _yields_behind(leg)]
    return [name for name in names if name]


def _has_piston(leg: Leg) -> bool:
    """Whether springs part a piston from the platform."""
    return bool({"connector.stiffness", "connector.coupling.stiffness"} & {*leg.springs})


def _yields_behind(leg: Leg) -> bool:
    """Whether springs part a rotor from its piston."""
    behind = ("stiffness", "joint_stiffness.base_axial")
    return any(key in behind or key.startswith("screw.") for key in leg.springs)
