"""A machine as URDF: a tree of links, with a file beside it that says which frames close loops.

That file is the one of Gepetto's collection of parallel robots (example-parallel-robots): pairs of
frames, whether points ("3d") or frames ("6d") meet, and names of motors. Or else the loops are in
the URDF itself, as URDF+ [Chignoli 2024, arXiv:2411.19753] proposes it.

A link's frame is its body's; URDF has a joint at the origin of the link that it carries, so that
where the body's joint is elsewhere a massless link stands at the joint. A ball is three hinges
about x, y and z, with massless links between them.
"""

import json
import re
from typing import Literal

import numpy as np

from gough._version import __version__
from gough.disk.sources import MARK
from gough.exchange.tree.document import Export, exported, not_simulated
from gough.exchange.tree.machine_tree import Freedom, MachineTree, closed, freedoms, tree_of
from gough.exchange.tree.visuals import visuals_of
from gough.poses.quaternions import rotation_matrix
from gough.robot import HomeJoint, Robot
from gough.robot.home.configuration import Quaternion, between

UNLIMITED = 1e9  # stands for a limit [SI units] where URDF wants one and there is none
JOINT_KINDS: dict[str, Literal["hinge", "slide", "fixed"]] = {  # kinds of joints by URDF's types
    "revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "fixed": "fixed",
}  # fmt: skip
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_UNREADABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufffe\uffff]")
"""Characters that JSON has as they are, and YAML does not have, or has as ends of lines."""


def urdf(robot: Robot, loops: bool = False, meshes: str = "") -> Export:
    """The machine as a URDF file, with one that closes its loops beside it, or with loops in it.

    `meshes` is what names of meshes begin with, such as `package://my_robot/meshes/`.
    """
    machine = tree_of(robot)
    tree, visuals = closed(machine, by_points=not loops), visuals_of(machine.home)
    mimics = _mimics(tree)
    facts = {
        "meshes": meshes,
        "loops": loops,
        "mimics": mimics,
        "unlimited": UNLIMITED,
        "between": between,
        "hinges_and_slides": hinges_and_slides,
        "rpy": _rpy,
    }
    beside = {} if loops else {"yaml": _closing_file(tree)}
    lost = {c.name for c in robot.listed_couplings} - {name for name, _, _ in mimics.values()}
    words = f"couplings {', '.join(sorted(lost))}" if lost else ""
    return exported(tree, visuals, "urdf", not_simulated(machine, couplings=words), facts, **beside)


def _mimics(tree: MachineTree) -> dict[str, tuple[str, str, float]]:
    """Couplings of two joints by the one that follows, without a motor: whom, and how fast."""
    motors, found = {joint.name for joint in tree.driven}, dict[str, tuple[str, str, float]]()
    for coupling in (c for c in tree.robot.listed_couplings if len(c.joints) == 2):
        (first, second), ratio = coupling.joints, -coupling.weights[1]
        if first in motors and ratio:
            first, second, ratio = second, first, 1.0 / ratio
        found.setdefault(first, (coupling.name, second, ratio))
    return found


def hinges_and_slides(joint: HomeJoint) -> list[Freedom]:
    """Return the hinges and slides of a joint; the axes of a ball's three hinges are the link's."""
    if not joint.kind.is_ball:
        return freedoms(joint)
    return [Freedom(f"{joint.name}.{letter}", "hinge", axis) for letter, axis in AXES.items()]


def _rpy(turn: Quaternion) -> tuple[float, float, float]:
    """Roll, pitch and yaw [rad] that are exact near a pitch of 90°, too: what is left of a turn."""
    R = rotation_matrix(np.array(turn))
    roll = np.arctan2(R[2, 1], R[2, 2])
    c, s = np.cos(roll), np.sin(roll)
    pitch = np.arctan2(-R[2, 0], s * R[2, 1] + c * R[2, 2])
    yaw = np.arctan2(s * R[0, 2] - c * R[0, 1], c * R[1, 1] - s * R[1, 2])
    return float(roll), float(pitch), float(yaw)


def _closing_file(tree: MachineTree) -> str:
    """Pairs of frames that meet, and the motors, as Gepetto's loader takes them."""
    keys = {
        "closed_loop": [[f"{c.name}.{body}" for body in c.bodies] for c in tree.closures],
        "type": ["3d" if c.kind == "point" else "6d" for c in tree.closures],
        "name_mot": [joint.name for joint in tree.driven],
        "joint_name": [],
        "joint_type": [],
    }
    said = f"# {MARK} {__version__}; what closes the loops of {tree.robot.identity}"
    lines = [f"{key}: {json.dumps(names, ensure_ascii=False)}" for key, names in keys.items()]
    readable = (_UNREADABLE.sub(lambda c: f"\\u{ord(c[0]):04x}", line) for line in lines)
    return "\n".join([said, *readable, ""])
