"""The coordinates in which machines vibrate: what they are called, and what moves with each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.model.actuators import rotor_masses_of
from gough.model.structure import structure_of
from gough.robot import Hexapod, Leg, Robot
from gough.robot.mechanism import MOVES

PISTON, STAGE, ROTOR, BEARING, BEAM = "piston", "stage", "rotor", "bearing", "beam"


def coordinates_of(robot: Robot, rotors: bool) -> list[str]:
    """Of platform, pistons and stages as `model.vibration` has them, and of rotors if told so."""
    freedoms = list(structure_of(robot).freedoms)
    turning = _rotors(robot) if rotors else []
    if not isinstance(robot, Hexapod):
        return freedoms + turning
    legs = list(enumerate(robot.legs, 1))
    pistons = [f"leg {k} {PISTON}" for k, leg in legs if _has_piston(leg)]
    stages = [
        f"leg {k} {STAGE}" for k, leg in legs if "connector.decoupling.stiffness" in leg.springs
    ]
    return freedoms + pistons + stages + turning


def rotors_move(robot: Robot, actuator_compliance: Array) -> bool:
    """Whether it has drives with an inertia, and some actuators are not locked."""
    return bool(np.any(actuator_compliance) and any(rotor_masses_of(robot)))


def what_moves(coordinate: str) -> str:
    """What a coordinate moves, as "platform along x"; the pistons, stages … of all legs."""
    kind = coordinate.rsplit(maxsplit=1)[-1]
    if kind in (PISTON, STAGE, ROTOR, BEARING, BEAM):
        return f"{kind}s"
    if kind not in MOVES:
        return f"platform in {kind}"
    return f"platform {f'about {kind[1:]}' if kind[0] == 'r' else f'along {kind}'}"


def leg_of(coordinate: str) -> int | None:
    """The leg that a piston or stage is in, counted from 0; None of the platform's freedoms."""
    words = coordinate.split()
    return int(words[1]) - 1 if words[-1] in (PISTON, STAGE) else None


def described(names: Sequence[str]) -> list[dict[str, Any]]:
    """Coordinates for a page: the name, what moves, and the leg of each."""
    return [{"name": name, "words": what_moves(name), "leg": leg_of(name)} for name in names]


def _rotors(robot: Robot) -> list[str]:
    """Of those that a spring parts from what they drive."""
    masses = zip(robot.actuators, rotor_masses_of(robot), strict=True)
    names = [f"{actuator.name} {ROTOR}" if mass else "" for actuator, mass in masses]
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
