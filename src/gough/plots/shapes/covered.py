"""What of a machine's drawing is left out because its bodies have meshes."""

from __future__ import annotations

from gough.plots.shapes.chains import welded
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.appearance import part_name
from gough.robot.mechanism import BASE, PLATFORM


def covered(robot: Robot) -> frozenset[str]:
    """Names of bodies that have meshes, and of joints both of whose bodies have some."""
    whole = welded(robot) if isinstance(robot, Mechanism) else {}
    bodies = {whole.get(found.body, found.body) for found in robot.meshes}
    joints = {
        name
        for name, pair in _joints(robot).items()
        if all(whole.get(body, body) in bodies for body in pair)
    }
    return frozenset(bodies | joints)


def _joints(robot: Robot) -> dict[str, tuple[str, str]]:
    """By name, the two bodies of each joint."""
    if isinstance(robot, Mechanism):
        return {joint.name: joint.between for joint in robot.joints}
    assert isinstance(robot, Hexapod)
    return {
        part_name(k, f"{end} joint"): (end, part_name(k, part))
        for k, _ in enumerate(robot.legs)
        for end, part in ((BASE, "cylinder"), (PLATFORM, "piston"))
    }
