"""Motions that the simulation tests share."""

from dataclasses import dataclass

import numpy as np

import gough
from gough.motion import Motion, MotionSamples
from gough.motion.motions import screws
from gough.motion.profiles import Quintic


@dataclass(frozen=True)
class KalaniCase2(Motion):
    """Kalani 2016, section 8.3: a turn about x while the platform swings, ω = 0.5 rad/s."""

    duration: float = 4 * np.pi
    amplitude: float = 0.15
    frequency: float = 0.5

    def _at(self, t):
        w = self.frequency
        s, s_1, s_2 = (
            self.amplitude * f(w * t) * g for f, g in ((np.sin, 1.0), (np.cos, w), (np.sin, -w * w))
        )
        zero = np.zeros_like(t)
        turn = np.stack([s, zero, zero], -1)
        pose = gough.pose(np.stack([s, s, 1.0 + s], -1), rotation_vector=turn)
        twist, acceleration = (np.stack([x, x, x, x, zero, zero], -1) for x in (s_1, s_2))
        return MotionSamples(pose, twist, acceleration)


def screw_motion(robot, duration=1.0, travel=0.06, angle=0.12):
    """A turn and a travel together, from home, smooth at both ends."""
    home = np.array(robot.home)
    axis = np.array([0.6, -0.48, 0.64])
    point = home[:3] + [0.1, 0.05, -0.1]
    return screws.screw(home, axis, point, angle, travel / angle, Quintic(duration))
