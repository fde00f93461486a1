"""Coordinates of vibration: their names, and what moves with each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.model.actuators import rotor_masses_of
from gough.model.structure import structure_of
from gough.robot import Leg, Robot
from gough.robot.mechanism import MOVES

PISTON, STAGE, ROTOR = "piston", "stage", "rotor"
BEARING, BEAM, LINK = "bearing", "beam", "link"


def coordinates_of(robot: Robot, rotors: bool) -> list[str]:
    """Names of the coordinates of `model.vibration`, and of rotors if wanted."""
    freedoms = list(structure_of(robot).degrees_of_freedom)
    turning = _rotors(robot) if rotors else []
    legs = list(enumerate(robot.extensible_legs, 1))
    pistons = [f"leg {k} {PISTON}" for k, leg in legs if _has_piston(leg)]
    stages = [
        f"leg {k} {STAGE}" for k, leg in legs if "connector.decoupling.stiffness" in leg.springs
    ]
    return freedoms + pistons + stages + turning


def rotors_move(robot: Robot, actuator_compliance: Array) -> bool:
    """Whether the drives have inertia, and some actuators are not locked."""
    return bool(np.any(actuator_compliance) and any(rotor_masses_of(robot)))


def what_moves(coordinate: str) -> str:
    """Return what a coordinate moves, as "platform along x"; the pistons, stages … of all legs."""
    kind = coordinate.rsplit(maxsplit=1)[-1]
    if kind in (PISTON, STAGE, ROTOR, BEARING, BEAM, LINK):
        return f"{kind}s"
    if kind not in MOVES:
        return f"platform in {kind}"
    return f"platform {f'about {kind[1:]}' if kind[0] == 'r' else f'along {kind}'}"


def leg_of(coordinate: str) -> int | None:
    """Leg of a piston or stage, counted from 0; None for the platform's degrees of freedom."""
    words = coordinate.split()
    return int(words[1]) - 1 if words[-1] in (PISTON, STAGE) else None


def described(names: Sequence[str]) -> list[PlainData]:
    """Coordinates for a page: the name, what moves, and the leg of each."""
    return [{"name": name, "words": what_moves(name), "leg": leg_of(name)} for name in names]


def _rotors(robot: Robot) -> list[str]:
    """Names of the rotors with a spring between them and their load."""
    masses = zip(robot.actuators, rotor_masses_of(robot), strict=True)
    names = [f"{actuator.name} {ROTOR}" if mass else "" for actuator, mass in masses]
    if robot.extensible_legs:
        pairs = zip(names, robot.extensible_legs, strict=True)
        names = [name for name, leg in pairs if not _has_piston(leg) or _yields_behind(leg)]
    return [name for name in names if name]


def _has_piston(leg: Leg) -> bool:
    """Whether there are springs between the piston and the platform."""
    return bool({"connector.stiffness", "connector.coupling.stiffness"} & {*leg.springs})


def _yields_behind(leg: Leg) -> bool:
    """Whether there are springs between the rotor and its piston."""
    behind = ("stiffness", "joint_stiffness.base_axial")
    return any(key in behind or key.startswith("screw.") for key in leg.springs)
