"""Machines of any kind whose drives yield, and whose joints are flexures if they are told so."""

from drawings import changed

DRIVE = {"R": 2.0e4, "P": 3.0e6}
FLEXURE = {"R": 30.0, "P": 4e3, "U": 7.0, "S": 5.0}
"""Stiffness by the type of joint [N m/rad, N/m]."""


def yielding(machine, flexures=False):
    """The machine with a stiffness of its own in each driven joint, or in all that can have one."""
    joints = []
    for k, joint in enumerate(machine.joints):
        driven = getattr(joint, "driven", False)
        known = DRIVE if driven else FLEXURE if flexures else {}
        more = {"stiffness": known[joint.type] * (1 + 0.1 * k)} if joint.type in known else {}
        joints.append(changed(joint, **more))
    return changed(machine, joints=tuple(joints))
