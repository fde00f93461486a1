"""How large a machine is: what makes tolerances and steps independent of the unit of length."""

from __future__ import annotations

import numpy as np

from gough.robot import Robot


def machine_size(robot: Robot) -> float:
    """The larger one of the base's and the platform's radius [m].

    The radius of a body is the largest distance of its joint centres from their mean.
    """
    bodies = [leg.base for leg in robot.legs], [leg.platform for leg in robot.legs]
    return max(
        float(np.linalg.norm(np.array(joints) - np.mean(joints, 0), axis=1).max())
        for joints in bodies
    )
