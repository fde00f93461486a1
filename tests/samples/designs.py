"""A design that many tests share, so that they share its kernels."""

import gough
from gough.design import Design, Objective, Requirement, Variable, demands

RADII = (
    Variable("symmetric.base_radius", 0.4, 0.9),
    Variable("symmetric.platform_radius", 0.2, 0.7),
)
BOX = demands.box({"x": 0.1, "y": 0.1, "z": 0.05, "roll": 0.1}, points=2)
SHAKEN = demands.moving(BOX, twist=[[0.2, 0, 0, 0, 0, 0]], acceleration=[[0, 3, 0, 0, 0, 0]])
KEPT = (Requirement("limits"), Requirement("radius", 10.0))


def two_aims():
    """Radii of a light machine, and of a small one."""
    robot = gough.load("demo-hexapod")
    return Design(robot, RADII, [BOX], KEPT, [Objective("force"), Objective("radius")])
