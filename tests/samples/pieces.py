"""A design whose front is in four pieces, and a lattice of all its designs."""

import numpy as np

import gough
from gough.design import Design, Objective, Requirement, Variable, demands

BASE = "symmetric.base_angle"


def in_pieces():
    """Joints of the base close together, and short actuators, far from singular configurations.

    Angles of base and platform far apart or near one another: between them the machine is singular.
    """
    angles = [Variable(BASE, 0.02, 2.0), Variable("symmetric.platform_angle", 0.02, 2.0)]
    robot = gough.load("demo-hexapod")
    corners = demands.box({"x": 0.025, "roll": 0.12, "yaw": 0.55}, points=2).offset
    place = np.array(robot.home)[:3] + corners[:, :3]
    poses = demands.of_poses(gough.pose(place, rpy=corners[:, 3:]))
    aims = [Objective(BASE), Objective("travel")]
    return Design(robot, angles, [poses], [Requirement("condition", 5.0)], aims, "pieces")


def lattice(design, count):
    """All designs (N, d) of so many values of each variable."""
    space = design.problem.space
    lines = [np.linspace(a, b, count) for a, b in zip(space.low, space.high, strict=True)]
    return np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(space))
