"""Effects that forces of studies include beside rigid bodies, and those not stated in the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gough.model.actuators import has_springs
from gough.robot import Leg, Robot


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


def forces_include(robot: Robot) -> Included:
    """Return the effects that the forces of a robot include, by what its file states."""
    legs = robot.extensible_legs
    known = _of_legs(legs) if legs else _of_joints(robot)
    known["springs of passive joints"] = has_springs(robot)
    drives = all(actuator.drive is not None for actuator in robot.actuators)
    known["inertia, friction and efficiency of drives (in what motors need)"] = drives
    return Included(
        tuple(words for words, stated in known.items() if stated),
        tuple(words for words, stated in known.items() if not stated),
    )


def _of_legs(legs: Iterable[Leg]) -> dict[str, bool]:
    return {
        "friction of passive joints": any(leg.joint_friction for leg in legs),
        "damping of transmissions": any(leg.connector for leg in legs),
    }


def _of_joints(robot: Robot) -> dict[str, bool]:
    resisting = {
        joint.is_driven
        for joint in getattr(robot, "joints", ())
        if any(getattr(joint, key, None) is not None for key in ("damping", "friction"))
    }
    return {
        "friction of driven joints": True in resisting,
        "friction of passive joints": False in resisting,
    }
