"""The limits that a robot may state of its actuators and joints: what is held against them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from gough.analysis.axes import SUFFIXES
from gough.analysis.definition import Definition
from gough.analysis.machine_table import table_of
from gough.arrays import Array
from gough.model.structure import MechanismStructure, structure_of
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.mechanism import Joint

Ends = tuple[Array, Array]
Holder = Literal["actuator", "drive", "leg", "joint", "tilted joint"]


@dataclass(frozen=True)
class Limit:
    """A limit of actuators or joints, the quantity that it bounds, and words for keeping it."""

    name: str
    """As "force": what is limited, in words."""
    quantity: str
    """What is held against the limit."""
    field: str
    """Where its holder states it."""
    figure: str
    """The figure that says how far the quantity stays within; below zero it does not."""
    kept: str
    """What the figure is."""
    passed: str
    """What one does that passes the limit, with places for size and unit, percentage, degrees."""
    passed_by_points: str
    """What the points of a grid do in which one passes it."""
    heading: str
    """Of the figure's column in a table."""
    sides: Literal["both ways", "range", "up to"] = "both ways"
    """Whether a size is stated, a least and a greatest value, or a greatest one alone."""
    holder: Holder = "actuator"
    """What states it."""
    margin: str = ""
    """The quantity that is zero at the limit, where there is one."""
    as_share: bool = False
    """Whether the figure is a share of the limit."""

    def ends(self, robot: Robot) -> Ends:
        """The least and the greatest value allowed of each holder [SI]; NaN where none is."""
        stated = [getattr(holder, self.field, None) for holder in _HOLDERS[self.holder](robot)]
        if self.sides == "range":
            return _ranges(stated)
        most = _numbers(stated)
        return (-most if self.sides == "both ways" else np.full(len(most), np.nan)), most

    def stated(self, robot: Robot) -> Array:
        """Whether each holder states this limit."""
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


def of_actuators(robot: Robot, name: str) -> Array:
    """(actuators,) a limit of each actuator, NaN for those that do not state it."""
    return _numbers(getattr(actuator, name) for actuator in robot.actuators)


def of_drives(robot: Robot, name: str) -> Array:
    """(actuators,) a limit of each drive, NaN for those that do not state it."""
    return _numbers(getattr(actuator.drive, name, None) for actuator in robot.actuators)


def travels(robot: Robot) -> Ends:
    """(actuators,) the least and the greatest position of each actuator, NaN where none is."""
    return _ranges([actuator.travel for actuator in robot.actuators])


def limits_of(robot: Robot) -> tuple[Limit, ...]:
    """The limits that a robot may state: those of quantities that it has."""
    known = table_of(robot)
    return tuple(limit for limit in LIMITS if limit.quantity in known)


def limit_of(quantity: str) -> Limit | None:
    """The limit that a quantity is held against, if there is one."""
    return next((limit for limit in LIMITS if limit.quantity == quantity), None)


def held_against_limits(robot: Robot) -> frozenset[str]:
    """The quantities that a limit of the robot bounds, and the current behind a voltage."""
    held = {limit.quantity for limit in limits_of(robot) if limit.stated(robot).any()}
    return frozenset(held | {"motor_current"} if "motor_voltage" in held else held)


def judged_limits(robot: Robot, known: Set[str]) -> Judged:
    """Which limits were judged in a study, from the names of its figures that have a number."""
    judged, not_stated, not_judged = [], [], []
    for limit in limits_of(robot):
        stated = limit.stated(robot)
        if not stated.any():
            not_stated.append(limit.name)
        elif not known.isdisjoint(limit.figure + kind for kind in SUFFIXES):
            judged.append(_of_which(limit, stated, table_of(robot)[limit.quantity]))
        else:
            not_judged.append(limit.name)
    return Judged(tuple(judged), tuple(not_stated), tuple(not_judged))


def _of_which(limit: Limit, stated: Array, quantity: Definition) -> str:
    if stated.all() or limit.holder in ("joint", "tilted joint"):
        return limit.name
    names = quantity.axes[0].names(len(stated))
    of = ", ".join(names[k] for k in np.flatnonzero(stated))
    return f"{limit.name} (of {'' if quantity.axes[0].labels else 'leg '}{of} only)"


def _passive_joints(robot: Robot) -> list[Joint | None]:
    """The joints of one freedom in the order of their positions; None for what states no travel.

    The travel of a driven joint is that of its actuator.
    """
    structure = structure_of(robot)
    if not (isinstance(robot, Mechanism) and isinstance(structure, MechanismStructure)):
        return []
    passive = {joint.name: joint for joint in robot.joints if not joint.is_driven}
    return [passive.get(name) for name in structure.joints]


def _tilted_joints(robot: Robot) -> list[Joint]:
    """The ball and universal joints in the order of their tilts."""
    structure = structure_of(robot)
    if not (isinstance(robot, Mechanism) and isinstance(structure, MechanismStructure)):
        return []
    by_name = {joint.name: joint for joint in robot.joints}
    return [by_name[name] for name in structure.tilts]


def _ranges(pairs: Sequence[tuple[float, float] | None]) -> Ends:
    known = np.array([pair or (np.nan, np.nan) for pair in pairs]).reshape(-1, 2)
    return np.ascontiguousarray(known[:, 0]), np.ascontiguousarray(known[:, 1])


def _numbers(values: Iterable[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values])


_HOLDERS: dict[Holder, Callable[[Robot], Sequence[Any]]] = {
    "actuator": lambda robot: robot.actuators,
    "drive": lambda robot: [actuator.drive for actuator in robot.actuators],
    "leg": lambda robot: robot.legs if isinstance(robot, Hexapod) else (),
    "joint": _passive_joints,
    "tilted joint": _tilted_joints,
}

# fmt: off
LIMITS = (
    Limit(
        "stroke", "leg_length", "travel", "least_stroke_margin",
        "least distance to the nearer end of the stroke", "leaves its stroke by {size:.4g} {unit}",
        "leave the stroke of a leg", "Stroke margin", sides="range", margin="stroke_margin",
    ),
    Limit(
        "travel", "actuator_position", "travel", "least_travel_margin",
        "least distance to the nearer end of the travel", "leaves its travel by {size:.4g} {unit}",
        "leave the travel of an actuator", "Travel margin", sides="range", margin="travel_margin",
    ),
    *(
        Limit(
            "speed", quantity, "max_speed", "least_speed_margin",
            "least distance of the speed to its limit", "exceeds its speed by {size:.4g} {unit}",
            "exceed the speed of an actuator", "Speed margin", margin="speed_margin",
        )
        for quantity in ("leg_speed", "actuator_speed")
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
        "Current margin", holder="drive",
    ),
    Limit(
        "amplifier voltage", "motor_voltage", "max_voltage", "least_voltage_margin",
        "least distance of the voltage to its limit",
        "needs {size:.3g} V more than its amplifier can give", "exceed the voltage of an amplifier",
        "Voltage margin", holder="drive",
    ),
    Limit(
        "base joint angle", "base_joint_tilt", "base_joint_limit", "least_base_joint_margin",
        "least distance of the base joint's tilt to its limit",
        "exceeds the limit of its base joint by {degrees:.3g} deg",
        "exceed the limit of a base joint", "Base joint margin", sides="up to", holder="leg",
    ),
    Limit(
        "platform joint angle", "spherical_joint_tilt", "platform_joint_limit",
        "least_platform_joint_margin", "least distance of the platform joint's tilt to its limit",
        "exceeds the limit of its platform joint by {degrees:.3g} deg",
        "exceed the limit of a platform joint", "Platform joint margin", sides="up to",
        holder="leg",
    ),
    Limit(
        "passive joint travel", "joint_position", "range_of_travel", "least_joint_margin",
        "least distance of a passive joint to the nearer end of its travel",
        "leaves its travel by {size:.4g} {unit}", "leave the travel of a passive joint",
        "Passive joint margin", sides="range", holder="joint",
    ),
    Limit(
        "joint tilt", "joint_tilt", "limit", "least_tilt_margin",
        "least distance of the tilt of a ball or universal joint to its limit",
        "exceeds its tilt by {degrees:.3g} deg", "exceed the tilt of a joint", "Tilt margin",
        sides="up to", holder="tilted joint",
    ),
)
# fmt: on
MARGINS = tuple(dict.fromkeys(limit.margin for limit in LIMITS if limit.margin))
"""The quantities that are zero at a limit."""
