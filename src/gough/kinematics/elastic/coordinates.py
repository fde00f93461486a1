"""The coordinates in which machines vibrate: what they are called, and what moves with each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gough.robot import Hexapod, Robot
from gough.robot.mechanism import MOVES

PISTON, STAGE = "piston", "stage"


def coordinate_names(robot: Robot, freedoms: Sequence[str]) -> list[str]:
    """All of `model.vibration`: freedoms, `leg 1 piston` … and `leg 1 stage` … of hexapods."""
    if not isinstance(robot, Hexapod):
        return list(freedoms)
    pistons, stages = [], []
    for k, leg in enumerate(robot.legs, 1):
        keys = {*leg.springs}
        if {"connector.stiffness", "connector.coupling.stiffness"} & keys:
            pistons.append(f"leg {k} {PISTON}")
        if "connector.decoupling.stiffness" in keys:
            stages.append(f"leg {k} {STAGE}")
    return [*freedoms, *pistons, *stages]


def what_moves(coordinate: str) -> str:
    """What a coordinate moves, as "platform along x"; the pistons, or the stages, of all legs."""
    kind = coordinate.rsplit(maxsplit=1)[-1]
    if kind in (PISTON, STAGE):
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
