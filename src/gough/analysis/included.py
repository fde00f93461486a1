"""What forces of studies include beside rigid bodies, and what the robot file does not state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gough.analysis.quantities import QUANTITIES
from gough.model.actuators import has_springs
from gough.robot import Hexapod, Mechanism, Robot

_REACTIONS = {name for name, known in QUANTITIES.items() if known.group == "reactions"}


@dataclass(frozen=True)
class Included:
    """Parts of the forces, in words."""

    stated: tuple[str, ...]
    """Those that the robot file states, and that count."""
    not_stated: tuple[str, ...]
    """Those that are taken as absent."""
    joints_resist: bool
    """Whether friction, damping or springs of joints are among the stated ones."""

    def texts(self, quantities: Iterable[str] = ()) -> dict[str, str]:
        """Both as headings and lines, without an empty one; with reactions, what these leave out.

        Reactions in joints are those of rigid bodies, whatever the joints do against the motion.
        """
        stated = ", ".join(("rigid bodies", *self.stated))
        found = {"Forces include": stated, "Not stated": ", ".join(self.not_stated)}
        if not _REACTIONS.isdisjoint(quantities) and self.joints_resist:
            found["Reactions include"] = "rigid bodies alone"
        return {heading: line for heading, line in found.items() if line}


def forces_include(robot: Robot) -> Included:
    """What the forces of a robot include, by what its file states."""
    known = _of_hexapod(robot) if isinstance(robot, Hexapod) else _of_mechanism(robot)
    joints_resist = any(known.values())
    drives = all(actuator.drive is not None for actuator in robot.actuators)
    known["inertia, friction and efficiency of drives (in what motors need)"] = drives
    return Included(
        tuple(words for words, stated in known.items() if stated),
        tuple(words for words, stated in known.items() if not stated),
        joints_resist,
    )


def _of_hexapod(robot: Hexapod) -> dict[str, bool]:
    return {
        "friction of passive joints": any(leg.joint_friction for leg in robot.legs),
        "damping of transmissions": any(leg.connector for leg in robot.legs),
        "springs of passive joints": has_springs(robot),
    }


def _of_mechanism(robot: Robot) -> dict[str, bool]:
    assert isinstance(robot, Mechanism)
    passive = [joint for joint in robot.joints if not joint.is_driven]
    return {
        "friction of driven joints": _some(robot.driven, ("damping", "friction")),
        "friction of passive joints": _some(passive, ("damping", "friction")),
        "springs of passive joints": has_springs(robot),
    }


def _some(joints: Iterable[Any], keys: tuple[str, ...]) -> bool:
    return any(getattr(joint, key, None) is not None for joint in joints for key in keys)
