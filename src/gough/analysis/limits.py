"""The limits that a robot may state of each leg: what is held against them, and what is not."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from gough.arrays import Array
from gough.robot import Robot

Ends = tuple[Array, Array]


@dataclass(frozen=True)
class Limit:
    """A limit of each leg, the quantity that it bounds, and the words for keeping or passing it."""

    name: str
    """As "force": what is limited, in words."""
    quantity: str
    """What is held against the limit."""
    field: str
    """Where a leg, or its drive, states it."""
    figure: str
    """The figure that says how far the quantity stays within; below zero it does not."""
    kept: str
    """What the figure is."""
    passed: str
    """What a leg does that passes the limit, with a place for the size, percentage or degrees."""
    passed_by_points: str
    """What the points of a grid do in which a leg passes it."""
    heading: str
    """Of the figure's column in a table."""
    sides: Literal["both ways", "range", "up to"] = "both ways"
    """Whether a leg states a size, a least and a greatest value, or a greatest one alone."""
    of_drive: bool = False
    """Whether the leg's drive states it."""
    margin: str = ""
    """The quantity that is zero at the limit, where there is one."""
    as_share: bool = False
    """Whether the figure is a share of the limit."""

    def ends(self, robot: Robot) -> Ends:
        """(legs,) the least and (legs,) the greatest value allowed [SI]; NaN where none is."""
        if self.sides == "range":
            return ranges(robot, self.field)
        most = (of_drives if self.of_drive else of_legs)(robot, self.field)
        return (-most if self.sides == "both ways" else np.full(len(most), np.nan)), most

    def stated(self, robot: Robot) -> Array:
        """(legs,) whether a leg states this limit."""
        return np.asarray(np.isfinite(self.ends(robot)[1]))


class Judged(NamedTuple):
    """Which limits a study was held against, in words, and which not."""

    judged: tuple[str, ...]
    not_stated: tuple[str, ...]
    """Those that the robot's file does not state."""
    not_judged: tuple[str, ...]
    """Those that it states, but what they bound is not known."""

    def __str__(self) -> str:
        sentences = (
            ("Limits that were judged", self.judged),
            ("Not stated by the robot's file", self.not_stated),
            ("Stated, but there are no numbers to judge", self.not_judged),
        )
        return " ".join(f"{words}: {', '.join(names)}." for words, names in sentences if names)


def of_legs(robot: Robot, name: str) -> Array:
    """(legs,) a limit of each leg, NaN for legs that do not state it."""
    return _numbers(getattr(leg, name) for leg in robot.legs)


def of_drives(robot: Robot, name: str) -> Array:
    """(legs,) a limit of each leg's drive, NaN for legs that do not state it."""
    return _numbers(getattr(leg.drive, name, None) for leg in robot.legs)


def ranges(robot: Robot, name: str) -> Ends:
    """(legs,) the least and (legs,) the greatest value of each leg, NaN where none is stated."""
    pairs = np.array([getattr(leg, name) or (np.nan, np.nan) for leg in robot.legs])
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def limit_of(quantity: str) -> Limit | None:
    """The limit that a quantity is held against, if there is one."""
    return next((limit for limit in LIMITS if limit.quantity == quantity), None)


def held_against_limits(robot: Robot) -> frozenset[str]:
    """The quantities that a limit of the robot bounds, and the current behind a voltage."""
    held = {limit.quantity for limit in LIMITS if limit.stated(robot).any()}
    return frozenset(held | {"motor_current"} if "motor_voltage" in held else held)


def judged_limits(robot: Robot, known: Collection[str]) -> Judged:
    """Which limits were judged in a study, from the names of its figures that have a number."""
    judged, not_stated, not_judged = [], [], []
    for limit in LIMITS:
        stated = limit.stated(robot)
        if not stated.any():
            not_stated.append(limit.name)
        elif limit.figure in known:
            judged.append(_of_which_legs(limit.name, stated))
        else:
            not_judged.append(limit.name)
    return Judged(tuple(judged), tuple(not_stated), tuple(not_judged))


def _of_which_legs(name: str, stated: Array) -> str:
    if stated.all():
        return name
    return f"{name} (of leg {', '.join(str(k + 1) for k in np.flatnonzero(stated))} only)"


def _numbers(values: Iterable[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values])


# fmt: off
LIMITS = (
    Limit(
        "stroke", "leg_length", "stroke", "least_stroke_margin",
        "least distance to the nearer end of the stroke", "leaves its stroke by {size:.4g} m",
        "leave the stroke of a leg", "Stroke margin", sides="range", margin="stroke_margin",
    ),
    Limit(
        "speed", "leg_speed", "max_speed", "least_speed_margin",
        "least distance of the speed to its limit", "exceeds its speed by {size:.4g} m/s",
        "exceed the speed of an actuator", "Speed margin", margin="speed_margin",
    ),
    Limit(
        "force", "force", "max_force", "least_force_index",
        "least of (max force - |force|) / max force", "exceeds its force by {percent:.3g} %",
        "exceed the force of an actuator", "Least force index", margin="force_index", as_share=True,
    ),
    Limit(
        "motor current", "motor_current", "max_current", "least_current_margin",
        "least distance of the current to its limit",
        "needs {size:.3g} A more than its motor may have", "exceed the current of a motor",
        "Current margin", of_drive=True,
    ),
    Limit(
        "amplifier voltage", "motor_voltage", "max_voltage", "least_voltage_margin",
        "least distance of the voltage to its limit",
        "needs {size:.3g} V more than its amplifier can give", "exceed the voltage of an amplifier",
        "Voltage margin", of_drive=True,
    ),
    Limit(
        "base joint angle", "base_joint_tilt", "base_joint_limit", "least_base_joint_margin",
        "least distance of the base joint's tilt to its limit",
        "exceeds the limit of its base joint by {degrees:.3g} deg",
        "exceed the limit of a base joint", "Base joint margin", sides="up to",
    ),
    Limit(
        "platform joint angle", "spherical_joint_tilt", "platform_joint_limit",
        "least_platform_joint_margin", "least distance of the platform joint's tilt to its limit",
        "exceeds the limit of its platform joint by {degrees:.3g} deg",
        "exceed the limit of a platform joint", "Platform joint margin", sides="up to",
    ),
)
# fmt: on
MARGINS = tuple(limit.margin for limit in LIMITS if limit.margin)
"""The quantities that are zero at a limit."""
