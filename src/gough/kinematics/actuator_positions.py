"""Positions of a machine's actuators at a pose, by name and unit, and whether limits allow them."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table, data_of
from gough.errors import GoughError
from gough.kinematics.singularity.singularity import singular_words
from gough.model.kernels import Kernels, kernels_of
from gough.poses import Frames
from gough.poses.rows import frame_facts, frame_tables, pose_rows
from gough.robot import Actuator, Robot, actuator_names


@dataclass(frozen=True)
class ActuatorPositions(Displayable):
    """Positions of all actuators at one pose."""

    robot: Robot
    pose: Array
    """(7) of the platform in the base."""
    q: Array
    """(n) [m, rad]"""
    frames: Frames | None = None
    """The work frame and the tool in which poses are shown, if any were given."""

    @property
    def within(self) -> list[bool | None]:
        """Whether each actuator is within its stroke or range; None if it states none."""
        return [
            None if a.travel is None else bool(a.travel[0] <= x <= a.travel[1])
            for a, x in zip(self.robot.actuators, self.q, strict=True)
        ]

    @property
    def warnings(self) -> list[str]:
        """Singularities at the pose, or near it."""
        return singular_words(self.robot, self.pose)

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and what this is."""
        return self.robot.name, "leg lengths" if are_lengths(self.robot) else "joint positions"

    def tables(self) -> list[Table]:
        """The pose, and each actuator with its limits."""
        names = actuator_names(self.robot)
        actuators = zip(names.short, self.robot.actuators, self.q, self.within, strict=True)
        rows = [
            (
                name,
                f"{as_read(actuator, float(x)):z.6f}",
                *(as_read(actuator, end) for end in actuator.travel or (None, None)),
                unit_read(actuator),
                f"outside its {'range' if actuator.turns else 'stroke'}" if inside is False else "",
            )
            for name, actuator, x, inside in actuators
        ]
        heads = (names.word, "position", "minimum", "maximum", "unit", "")
        return [
            *frame_tables(self.frames),
            Table.properties("Pose", pose_rows(self.pose, self.frames)),
            Table.of("Actuators", heads, rows),
        ]

    def to_dict(self) -> PlainData:
        """Everything as plain data; lengths of whole legs by that name, too."""
        legs = {"leg_lengths": self.q, "within_stroke": self.within}
        facts = data_of(self, "robot pose") | frame_facts(self.frames, self.pose)
        facts |= position_facts(self.robot, self.q) | {"within_travel": self.within}
        facts |= legs if are_lengths(self.robot) else {}
        return facts | {"warnings": self.warnings}


def actuator_positions(
    robot: Robot | Kernels, pose: ArrayLike, frames: Frames | None = None
) -> ActuatorPositions:
    """The positions of all actuators at a pose (7) of the platform; GoughError if none fit it."""
    model = kernels_of(robot)
    q = model.inverse_kinematics(pose)
    robot = model.own_robot("positions of actuators")
    lost = [a.name for a, x in zip(robot.actuators, q, strict=True) if not math.isfinite(x)]
    if lost:
        raise GoughError(
            f"{robot.name} cannot reach this pose: no position of {', '.join(lost)} fits it"
        )
    return ActuatorPositions(robot, np.asarray(pose), q, frames)


def position_facts(robot: Robot, q: Array) -> PlainData:
    """Return names, units and positions [m, rad] of all actuators as plain data."""
    return {
        "names": [actuator.name for actuator in robot.actuators],
        "units": ["rad" if actuator.turns else "m" for actuator in robot.actuators],
        "positions": [float(x) for x in q],
    }


def are_lengths(robot: Robot) -> bool:
    """Whether the actuators' positions are lengths of whole legs."""
    return actuator_names(robot).word == "leg"


def as_read(actuator: Actuator, value: float | None) -> float | None:
    """Return a position, speed or range of an actuator for display: angles in degrees."""
    return math.degrees(value) if actuator.turns and value is not None else value


def unit_read(actuator: Actuator) -> str:
    """Return the unit for display."""
    return "deg" if actuator.turns else "m"
