"""What the actuators of a machine are called in pictures, tables and pages."""

from __future__ import annotations

from typing import NamedTuple

from gough.robot import Robot


class ActuatorNames(NamedTuple):
    """Names of a machine's actuators: "leg 1" is "1" for short, under the word "leg"."""

    word: str
    """What one of them is."""
    short: tuple[str, ...]
    """Each where the word stands nearby."""
    titles: tuple[str, ...]
    """Each where it stands by itself: "Leg 1", or the joint's own name."""


def actuator_names(robot: Robot) -> ActuatorNames:
    """Names that differ in a number only share their word; others stand for themselves."""
    names = tuple(actuator.name for actuator in robot.actuators)
    parts = [name.rpartition(" ") for name in names]
    words = {word for word, _, _ in parts}
    if len(words) == 1 and all(number.isdigit() for *_, number in parts) and "" not in words:
        titles = tuple(name[:1].upper() + name[1:] for name in names)
        return ActuatorNames(words.pop(), tuple(number for *_, number in parts), titles)
    return ActuatorNames("actuator", names, names)
