"""The limits that a robot may state of each leg: what is held against them, and what is not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gough.robot import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]
Ends = tuple[Array, Array]


@dataclass(frozen=True)
class Limit:
    """A limit of each leg, the quantity that it bounds, and the words for keeping or passing it."""

    name: str
    """As "force": what is limited, in words."""
    quantity: str
    """What is held against the limit."""
    ends: Callable[[Robot], Ends]
    """(6,) the least and (6,) the greatest value that is allowed [SI]; NaN where none is stated."""
    figure: str
    """The figure that says how far the quantity stays within; below zero it does not."""
    kept: str
    """What the figure is."""
    passed: str
    """What a leg does that passes the limit, with a place for the size, percentage or degrees."""
    passed_by_points: str
    """What the points of a grid do in which a leg passes it."""
    as_share: bool = False
    """Whether the figure is a share of the limit."""

    def stated(self, robot: Robot) -> Array:
        """(6,) whether a leg states this limit."""
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
    """(6,) a limit of each leg, NaN for legs that do not state it."""
    return _numbers(getattr(leg, name) for leg in robot.legs)


def of_drives(robot: Robot, name: str) -> Array:
    """(6,) a limit of each leg's drive, NaN for legs that do not state it."""
    return _numbers(getattr(leg.drive, name, None) for leg in robot.legs)


def strokes(robot: Robot) -> Ends:
    """(6,) the shortest and (6,) the longest leg lengths [m], NaN for legs without a stroke."""
    pairs = np.array([leg.stroke or (np.nan, np.nan) for leg in robot.legs])
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


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


def _either_way(of: Callable[[Robot, str], Array], name: str) -> Callable[[Robot], Ends]:
    return lambda robot: (-of(robot, name), of(robot, name))


def _up_to(name: str) -> Callable[[Robot], Ends]:
    return lambda robot: (np.full(6, np.nan), of_legs(robot, name))


LIMITS = (
    Limit(
        "stroke",
        "leg_length",
        strokes,
        "least_stroke_margin",
        "least distance to the nearer end of the stroke",
        "leaves its stroke by {size:.4g} m",
        "leave the stroke of a leg",
    ),
    Limit(
        "speed",
        "leg_speed",
        _either_way(of_legs, "max_speed"),
        "least_speed_margin",
        "least distance of the speed to its limit",
        "exceeds its speed by {size:.4g} m/s",
        "exceed the speed of an actuator",
    ),
    Limit(
        "force",
        "force",
        _either_way(of_legs, "max_force"),
        "least_force_index",
        "least of (max force - |force|) / max force",
        "exceeds its force by {percent:.3g} %",
        "exceed the force of an actuator",
        as_share=True,
    ),
    Limit(
        "motor current",
        "motor_current",
        _either_way(of_drives, "max_current"),
        "least_current_margin",
        "least distance of the current to its limit",
        "needs {size:.3g} A more than its motor may have",
        "exceed the current of a motor",
    ),
    Limit(
        "amplifier voltage",
        "motor_voltage",
        _either_way(of_drives, "max_voltage"),
        "least_voltage_margin",
        "least distance of the voltage to its limit",
        "needs {size:.3g} V more than its amplifier can give",
        "exceed the voltage of an amplifier",
    ),
    Limit(
        "base joint angle",
        "base_joint_tilt",
        _up_to("base_joint_limit"),
        "least_base_joint_margin",
        "least distance of the base joint's tilt to its limit",
        "exceeds the limit of its base joint by {degrees:.3g} deg",
        "exceed the limit of a base joint",
    ),
    Limit(
        "platform joint angle",
        "spherical_joint_tilt",
        _up_to("platform_joint_limit"),
        "least_platform_joint_margin",
        "least distance of the platform joint's tilt to its limit",
        "exceeds the limit of its platform joint by {degrees:.3g} deg",
        "exceed the limit of a platform joint",
    ),
)
MARGINS = tuple(limit.figure for limit in LIMITS)
"""The figures that are below zero where a limit is passed."""
