"""A machine as SDF, which joins any two links: its loops are closed by their own joints.

Links stand in the model frame, which is the base frame, as they are at home, where all positions
are zero. SDF has no joint that slides and turns: that one is a slide and a hinge, with a link
between them that weighs next to nothing.
"""

from gough.exchange.tree.document import Export, exported, not_simulated, text
from gough.exchange.tree.machine_tree import tree_of
from gough.exchange.tree.visuals import visuals_of
from gough.robot import Robot
from gough.robot.home.configuration import HomeBody

_LEAST = 1e-12
"""Mass [kg] and inertia [kg m^2] of what has none: SDF takes only bodies that have some."""


def sdf(robot: Robot) -> Export:
    """The machine as an SDF file."""
    tree = tree_of(robot)
    visuals = visuals_of(tree.home)
    remarks = [
        f"not in a model of SDF: gravity, which is the world's; here {text(*robot.gravity)} m/s^2",
        *not_simulated(tree, spring="", stop="restitution of end stops"),
    ]
    balls = [j.name for j in tree.home.joints if j.kind.is_ball and not j.is_bare]
    remarks += [f"not simulated: friction and springs of {', '.join(balls)}"] if balls else []
    if constant := [j.name for j in tree.home.joints if j.preload and not j.stiffness]:
        remarks.append(f"not simulated: springs without stiffness, {', '.join(constant)}")
    if thin := [body.name for body in tree.home.bodies.values() if body.is_thin(_LEAST)]:
        least = f"{_LEAST} kg and kg m^2"
        remarks.append(f"made heavier by {least}, as SDF takes no less: {', '.join(thin)}")
    return exported(tree, visuals, "sdf", remarks, {"least": _LEAST, "massless": HomeBody.massless})
