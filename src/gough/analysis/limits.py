"""Limits and effects that a robot may state: quantities checked, and parts of the forces."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from gough.analysis.axes import SUFFIXES
from gough.analysis.quantities import table_of
from gough.analysis.reductions import BANDWIDTH, Reduction
from gough.arrays import Array
from gough.disk.plain_data import PlainMapping
from gough.model.actuators import has_springs
from gough.model.structure import structure_of
from gough.robot import HomeJoint, Joint, Robot

Ends = tuple[Array, Array]
Holder = Literal["actuator", "drive", "joint", "tilted joint", "surface"]


@dataclass(frozen=True)
class Limit:
    """A limit of actuators or joints, the quantity that it bounds, and words for keeping it."""

    name: str
    """Name of the limited quantity in words, such as "force"."""
    quantity: str
    """Quantity that is checked against the limit."""
    field: str
    """Where its holder states it."""
    figure: str
    """Figure of the margin to the limit; below zero the limit is exceeded."""
    meaning: str
    """Meaning of the figure."""
    passed: str
    """Warning of an exceeded limit, with places for size, amount with unit, percentage, angle."""
    passed_by_points: str
    """Warning of points of a grid that exceed it."""
    heading: str
    """Heading of the figure's column in a table."""
    sides: Literal["both ways", "range", "up to"] = "both ways"
    """Whether an absolute value, a minimum and a maximum, or a maximum alone is stated."""
    holder: Holder = "actuator"
    """Part of the machine that states it."""
    margin: str = ""
    """The quantity that is zero at the limit, where there is one."""
    as_share: bool = False
    """Whether the figure is a share of the limit."""
    reduction: Reduction | None = None
    """Reduction of the quantity that is bounded, where it is not every value."""

    def ends(self, robot: Robot) -> Ends:
        """Return minimum and maximum allowed value of each holder; NaN where none is stated."""
        stated = [getattr(holder, self.field, None) for holder in _HOLDERS[self.holder](robot)]
        if self.sides == "range":
            return _ranges(stated)
        most = _numbers(stated)
        return (-most if self.sides == "both ways" else np.full(len(most), np.nan)), most

    def stated(self, robot: Robot) -> Array:
        """Whether each holder states this limit."""
        return np.asarray(np.isfinite(self.ends(robot)[1]))


class CheckedLimits(NamedTuple):
    """Limits that a study was checked against, in words, and others."""

    checked: tuple[str, ...]
    not_stated: tuple[str, ...]
    """Those that the robot's file does not state."""
    not_checked: tuple[str, ...]
    """Those that it states, but what they bound is not known."""

    def __str__(self) -> str:
        sentences = (
            ("Limits checked", self.checked),
            ("Not stated by the robot's file", self.not_stated),
            ("Stated, but there are no numbers to check", self.not_checked),
        )
        return " ".join(f"{words}: {', '.join(names)}." for words, names in sentences if names)


@dataclass(frozen=True)
class Included:
    """Parts of the forces, in words."""

    stated: tuple[str, ...]
    """Those that the robot file states, and that count."""
    not_stated: tuple[str, ...]
    """Those that are taken as absent."""

    def texts(self) -> dict[str, str]:
        """Both as headings and lines, without an empty one."""
        stated = ", ".join(("rigid bodies", *self.stated))
        found = {"Forces include": stated, "Not stated": ", ".join(self.not_stated)}
        return {heading: line for heading, line in found.items() if line}


def forces_include(
    robot: Robot, study: PlainMapping | None = None, driven: bool = False
) -> Included:
    """Return the effects that forces include, by what the robot's file and the study state.

    Its actuators have drives if all in the file have, or others that are `driven` replace them.
    """
    study = study or {}
    mode = study.get("legs", "rigid")
    if legs := robot.extensible_legs:
        known = {"friction of passive joints": any(leg.joint_friction for leg in legs)}
        known["damping of transmissions"] = any(leg.connector for leg in legs)
    else:
        keys, joints = ("damping", "friction"), getattr(robot, "joints", ())
        with_any = [j for j in joints if any(getattr(j, k, None) is not None for k in keys)]
        known = {"friction of driven joints": any(joint.is_driven for joint in with_any)}
        known["friction of passive joints"] = not all(joint.is_driven for joint in with_any)
        known["armatures of joints"] = any(getattr(joint, "armature", None) for joint in joints)
    known["springs of joints and springs or dampers between bodies"] = has_springs(robot)
    if mode != "rigid":
        known[f"springs, dampers and masses of compliant legs ({mode})"] = True
    drives = driven or all(actuator.drive is not None for actuator in robot.actuators)
    known["inertia, friction and efficiency of drives (in what motors need)"] = drives
    if study.get("base") is not None:
        known["motion of the base"] = True
    both = (tuple(w for w, stated in known.items() if stated == which) for which in (True, False))
    return Included(*both)


def of_actuators(robot: Robot, name: str) -> Array:
    """(actuators,) a limit of each actuator, NaN for those that do not state it."""
    return _numbers(getattr(actuator, name) for actuator in robot.actuators)


def of_drives(robot: Robot, name: str) -> Array:
    """(actuators,) a limit of each drive, NaN for those that do not state it."""
    return _numbers(getattr(actuator.drive, name, None) for actuator in robot.actuators)


def travels(robot: Robot) -> Ends:
    """Return (actuators,) minimum and maximum position of each actuator, NaN where not stated."""
    return _ranges([actuator.travel for actuator in robot.actuators])


def own_margins(robot: Robot, position: Array, speed: Array) -> dict[str, Array]:
    """Margins (T, actuators) of travel and speed, by name, of actuators that move on their own."""
    low, high = travels(robot)
    travel = np.fmin(position - low, high - position)
    slower = of_actuators(robot, "max_speed") - np.abs(speed)
    return {"stroke_margin": travel, "travel_margin": travel, "speed_margin": slower}


def limits_of(robot: Robot) -> tuple[Limit, ...]:
    """The limits that a robot may state: those of quantities that it has."""
    known = table_of(robot)
    own = (limit for limit in LIMITS if limit.quantity in known)
    return tuple(limit for limit in own if len(_HOLDERS[limit.holder](robot)))


def limits_on(quantity: str) -> list[Limit]:
    """Return the limits that a quantity is checked against."""
    return [limit for limit in LIMITS if limit.quantity == quantity]


def checked_quantity(limit: Limit, known: Container[str]) -> str:
    """Return the quantity that a limit is checked against: of compliant legs the actuators'."""
    of_actuators = {"leg_length": "actuator_length", "leg_speed": "actuator_length_rate"}
    name = of_actuators.get(limit.quantity, limit.quantity)
    return name if name in known else limit.quantity


def contact_force_limit(summary: Mapping[str, Any]) -> list[float]:
    """Return the limit [N] that contact forces were checked against, by the figures of a run."""
    known = [summary.get(name) for name in (CONTACT_FORCE.figure, "peak_contact_force")]
    return [] if None in known else [sum(figure.value for figure in known if figure)]


def limited_quantities(robot: Robot) -> frozenset[str]:
    """The quantities that a limit of the robot bounds, and the current behind a voltage."""
    checked = {limit.quantity for limit in limits_of(robot) if limit.stated(robot).any()}
    return frozenset(checked | {"motor_current"} if "motor_voltage" in checked else checked)


def checked_limits(robot: Robot, known: Set[str]) -> CheckedLimits:
    """Return which limits were checked, by the names of figures that have a number."""
    checked, not_stated, not_checked = [], [], []
    if CONTACT_FORCE.figure in known:
        checked.append(CONTACT_FORCE.name)
    for limit in limits_of(robot):
        stated, words = limit.stated(robot), limit.name
        if not stated.any():
            not_stated.append(words)
        elif known.isdisjoint(limit.figure + kind for kind in SUFFIXES):
            not_checked.append(words)
        else:
            if not stated.all() and "joint" not in limit.holder:
                axis = table_of(robot)[limit.quantity].axes[0]
                of = ", ".join(np.array(axis.names(len(stated)))[stated])
                words += f" (of {'' if axis.labels else 'leg '}{of} only)"
            checked.append(words)
    return CheckedLimits(tuple(checked), tuple(not_stated), tuple(not_checked))


def _passive_joints(robot: Robot) -> list[Joint | None]:
    """The passive joints of one freedom in the order of positions; None in places of others."""
    passive = {joint.name: joint for joint in robot.listed_joints if not joint.is_driven}
    return [passive.get(name) for name in structure_of(robot).joints] if passive else []


def _tilted_joints(robot: Robot) -> list[HomeJoint]:
    """All ball and universal joints, in the order of their tilts."""
    by_name = {joint.name: joint for joint in robot.bodies_and_joints.joints}
    return [by_name[name] for name in structure_of(robot).tilts]


def _ranges(pairs: Sequence[tuple[float, float] | None]) -> Ends:
    known = np.array([pair or (np.nan, np.nan) for pair in pairs]).reshape(-1, 2)
    return np.ascontiguousarray(known[:, 0]), np.ascontiguousarray(known[:, 1])


def _numbers(values: Iterable[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values])


_HOLDERS: dict[Holder, Callable[[Robot], Sequence[Any]]] = {
    "actuator": lambda robot: robot.actuators,
    "drive": lambda robot: [actuator.drive for actuator in robot.actuators],
    "joint": _passive_joints,
    "tilted joint": _tilted_joints,
    "surface": lambda robot: (),  # stated by a study, not by the robot
}

# fmt: off
CONTACT_FORCE = Limit("contact force", "contact_force", "max_force", "minimum_contact_force_margin",
    "minimum distance of the contact force to its limit",
    "contact force exceeds its limit by {amount}", "exceed the limit of the contact force",
    "Contact force margin", sides="up to", holder="surface")
LIMITS = (
    CONTACT_FORCE,
    Limit("stroke", "leg_length", "travel", "minimum_stroke_margin",
        "minimum distance to the nearer end of the stroke",
        "exceeds its stroke by {amount}", "exceed the stroke of a leg", "Stroke margin",
        sides="range", margin="stroke_margin"),
    Limit("travel", "actuator_position", "travel", "minimum_travel_margin",
        "minimum distance to the nearer end of the travel",
        "exceeds its range by {amount}", "exceed the range of an actuator",
        "Travel margin", sides="range", margin="travel_margin"),
    *(
        Limit("speed", quantity, "max_speed", "minimum_speed_margin",
            "minimum distance of the speed to its limit", "exceeds its speed by {amount}",
            "exceed the speed of an actuator", "Speed margin", margin="speed_margin")
        for quantity in ("leg_speed", "actuator_speed")
    ),
    Limit("force", "force", "max_force", "minimum_force_margin",
        "minimum of (max force - |force|) / max force", "exceeds its force by {percent:.3g} %",
        "exceed the force of an actuator", "Minimum force margin", margin="force_margin",
        as_share=True),
    Limit("power", "power", "max_power", "minimum_power_margin",
        "minimum distance of the power to its limit", "exceeds its power by {amount}",
        "exceed the power of an actuator", "Power margin"),
    *(
        Limit(f"{name} bandwidth", quantity, "max_bandwidth", f"minimum_{name}_bandwidth_margin",
            f"distance of the bandwidth of the {name} to its limit",
            f"needs {{size:.3g}} Hz more bandwidth for its {name}",
            f"exceed the {name} bandwidth of an actuator",
            "Bandwidth margin", sides="up to", reduction=BANDWIDTH)
        for name, quantity in (
            ("force", "force"), ("speed", "leg_speed"), ("speed", "actuator_speed")
        )
    ),
    Limit("motor current", "motor_current", "max_current", "minimum_current_margin",
        "minimum distance of the current to its limit",
        "needs {size:.3g} A more than its motor may have", "exceed the current of a motor",
        "Current margin", holder="drive"),
    Limit("amplifier voltage", "motor_voltage", "max_voltage", "minimum_voltage_margin",
        "minimum distance of the voltage to its limit",
        "needs {size:.3g} V more than its amplifier can give",
        "exceed the voltage of an amplifier", "Voltage margin", holder="drive"),
    Limit("passive joint travel", "joint_position", "range_of_travel", "minimum_joint_margin",
        "minimum distance of a passive joint to the nearer end of its travel",
        "exceeds its range by {amount}", "exceed the range of a passive joint",
        "Passive joint margin", sides="range", holder="joint"),
    Limit("joint tilt", "joint_tilt", "limit", "minimum_tilt_margin",
        "minimum distance of the tilt of a ball or universal joint to its limit",
        "exceeds its tilt by {angle}", "exceed the tilt of a joint", "Tilt margin",
        sides="up to", holder="tilted joint"),
)
# fmt: on
MARGINS = tuple(dict.fromkeys(limit.margin for limit in LIMITS if limit.margin))
"""The quantities that are zero at a limit."""
