"""Machines whose joints resist: viscous and dry friction in all, springs in the passive ones."""

from drawings import Mechanism, changed

import gough

RUBS = {"R": (0.3, 0.7), "H": (0.4, 0.6), "U": (0.2, 0.4), "S": (0.15, 0.5), "P": (4.0, 6.0)}
"""Viscous and dry friction of each type of joint."""
SPRINGS = {"R": 2.0, "U": 1.5, "S": 1.2, "P": 90.0}
"""Of passive joints [N m/rad, N/m]."""


def resisting(machine, *, dry=True, springs=True):
    """The machine with damping, no two joints alike, and with what else is wanted."""
    joints = []
    for k, joint in enumerate(machine.joints):
        facts = {}
        if joint.type in RUBS:
            damping, friction = RUBS[joint.type]
            facts["damping"] = damping * (1 + 0.1 * k)
            if dry:
                facts["friction"] = friction * (1 + 0.05 * k)
        if springs and joint.type in SPRINGS and not joint.is_driven:
            facts["stiffness"] = SPRINGS[joint.type] * (1 + 0.07 * k)
        joints.append(changed(joint, **facts))
    return Mechanism(machine.name, machine.platform, machine.bodies, tuple(joints), machine.gravity)


def resisting_hexapod(kind, **friction):
    """The demonstration hexapod with legs of a kind, springs in their joints and friction."""
    data = gough.load("demo-hexapod").to_dict()
    bending = {"base_bending": 4e3, "platform_bending": 3e3, "platform_torsion": 2e3}
    data["leg"] |= {"kind": kind, "joint_stiffness": bending, "joint_friction": friction}
    data["leg"]["connector"] = {"damping": 6e3}
    for part in ("cylinder", "piston"):
        data["leg"][part]["inertia"] = [0.3, 0.3, 0.0]  # spinning legs feel nothing of it
    if kind == "SPS":
        for leg in data["legs"]:
            leg.pop("first_axis", None)
    return gough.Robot.from_dict(data)
