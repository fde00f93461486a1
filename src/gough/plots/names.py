"""What the actuators of a machine are called in pictures, tables and pages."""

from __future__ import annotations

from typing import NamedTuple

from gough.robot import Robot


class ActuatorNames(NamedTuple):
    """Names of a machine's actuators: "leg 1" is short "1" under the word "leg"."""

    word: str
    """What one of them is."""
    short: tuple[str, ...]
    """Each where the word stands nearby."""
    whole: tuple[str, ...]
    """Each where it stands by itself."""


def actuator_names(robot: Robot) -> ActuatorNames:
    """Names that differ in a number only share their word; others stand for themselves."""
    whole = tuple(actuator.name for actuator in robot.actuators)
    parts = [name.rpartition(" ") for name in whole]
    words = {word for word, _, _ in parts}
    if len(words) == 1 and all(number.isdigit() for *_, number in parts) and "" not in words:
        return ActuatorNames(words.pop(), tuple(number for *_, number in parts), whole)
    return ActuatorNames("actuator", whole, whole)
