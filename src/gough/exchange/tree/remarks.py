"""Remarks on what a file of another program does not simulate, for its users."""

from __future__ import annotations

from gough.exchange.tree.machine_tree import MachineTree
from gough.robot.writing import plain_facts

_NOT_SIMULATED = {
    "limit": "limits of balls and universal joints",
    "stiffness": "springs",
    "bearing": "springs",
    "beam": "springs",
    "drive": "motors behind the joints",
    "stop": "end stops",
    "connector": "springs",
    "screw": "springs",
    "joint_stiffness": "springs",
    "base_joint_limit": "limits of balls and universal joints",
    "platform_joint_limit": "limits of balls and universal joints",
}
"""Keys of legs, bodies and joints that no format has a place for, in words."""


def not_simulated(tree: MachineTree, closes: bool = False) -> list[str]:
    """List what the robot file says and a simulation of the tree leaves out.

    `closes`: whether the format closes loops by joints that are as others are.
    """
    facts = plain_facts(tree.robot)
    keys = {
        key for name in ("legs", "bodies", "joints") for part in facts.get(name, ()) for key in part
    }
    lines = sorted({_NOT_SIMULATED[key] for key in keys & _NOT_SIMULATED.keys()})
    resisting = [joint.name for joint in tree.cut if joint.damping or joint.friction]
    limited = [joint.name for joint in tree.cut if any(t.range for t in joint.travel)]
    for word, names in (("friction", resisting), ("limits", limited)):
        if names and not closes:
            lines.append(f"{word} of {', '.join(names)}, which close loops")
    return [f"not simulated: {line}" for line in lines]
