"""Legs that are alike: one number of all of them in place of one of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.robot import Hexapod, Robot

Legs = Literal["independent", "identical"]
_LEG = re.compile(r"^legs\[\d+\]")
_BODY = re.compile(r"^(platform|legs(?:\[\d+\])?\.(?:cylinder|piston))\.")


def tied(names: Sequence[str], legs: Legs) -> tuple[list[str], Array]:
    """Names of the numbers that are free, and E (names x free): all numbers = E · free ones.

    Of identical legs, `legs.piston.mass` stands for that of each.
    """
    shared = [_LEG.sub("legs", name) for name in names] if legs == "identical" else [*names]
    free = list(dict.fromkeys(shared))
    E = np.zeros((len(names), len(free)))
    E[range(len(names)), [free.index(name) for name in shared]] = 1.0
    return free, E


def body_of(name: str) -> str:
    """The body that a standard parameter belongs to; nothing for other numbers."""
    found = _BODY.match(name)
    return found[1] if found else ""


def checked_legs(robot: Robot, legs: object) -> Legs:
    """Whether legs are taken as alike; GoughError where that means nothing."""
    if legs not in get_args(Legs):
        raise GoughError(f"legs={legs!r}; expected {' or '.join(map(repr, get_args(Legs)))}")
    if legs == "independent":
        return "independent"
    if not isinstance(robot, Hexapod):
        raise GoughError(
            f'{robot.name}: legs="identical" is for hexapods, whose parts count along their legs; '
            'expected "independent"'
        )
    if len({leg.kind for leg in robot.legs}) > 1:
        raise GoughError(
            f"{robot.name}: legs of several kinds are not identical; expected one kind of leg, or "
            '"independent"'
        )
    return "identical"
