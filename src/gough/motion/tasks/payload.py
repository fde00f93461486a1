"""A body that the platform carries: joined to it, its weight and inertia are the platform's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.motion.problems import MotionError
from gough.motion.samples import MotionSamples
from gough.motion.tasks.task import Task
from gough.robot import Platform, Robot
from gough.shown.brief import brief


@dataclass(frozen=True)
class Payload(Task):
    """A mass [kg], its centre [m] in the platform's frame, and its inertia [kg m²].

    The inertia is about the payload's own mass centre, on platform axes: three principal moments
    or a 3x3.
    """

    mass: float
    center_of_mass: tuple[float, ...] = (0.0, 0.0, 0.0)
    inertia: tuple[Any, ...] = (0.0, 0.0, 0.0)

    __repr__ = brief

    def __post_init__(self) -> None:
        self._as_platform((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))

    def wrench(self, t: Any, samples: MotionSamples) -> Array:
        """Zero: what it does to the platform is in the platform's own mass and inertia."""
        return np.zeros((*np.shape(t), 6))

    def carried_by(self, robot: Robot, t: float = 0.0) -> Robot:
        """The robot with the payload joined to its platform, at any time."""
        own, load = robot.platform, self._as_platform(robot.home)
        mass = own.mass + load.mass
        if mass == 0.0:
            return robot
        c_1, c_2 = np.array(own.center_of_mass), np.array(load.center_of_mass)
        c = (own.mass * c_1 + load.mass * c_2) / mass
        inertia = _about(own, c) + _about(load, c)
        facts = {key: getattr(own, key) for key in type(own).model_fields}
        joined = {"mass": mass, "center_of_mass": c.tolist(), "inertia": inertia.tolist()}
        platform = type(own)(**facts | joined)
        return robot.model_copy(update={"platform": platform})

    def _as_platform(self, home: tuple[float, ...]) -> Platform:
        """The payload as a body that the robot's own checks have seen."""
        try:
            return Platform(
                mass=self.mass,
                center_of_mass=self.center_of_mass,
                inertia=self.inertia,
                home={"position": home[:3], "quaternion": home[3:]},
            )
        except RobotError as error:
            raise MotionError.of(error) from None


def _about(body: Platform, c: Array) -> Array:
    """The inertia about a point c, by the parallel axis theorem."""
    d = np.array(body.center_of_mass) - c
    return np.array(body.inertia) + body.mass * (d @ d * np.eye(3) - np.outer(d, d))
