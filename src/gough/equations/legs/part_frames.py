"""Frames of the legs' parts: where what is fixed to a cylinder or a piston is."""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.leg import leg_position
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, position


def part_frames(machine: Machine, pose: Value) -> Value:
    """Rotation and origin [m] of each cylinder and piston (2 m, 3, 4), leg by leg, base axes.

    Both have the leg's axes, the cylinder's at the base joint and the piston's at the platform
    joint.
    """
    rows = []
    for leg in machine.legs:
        at, home = leg_position(leg, pose), leg_position(leg, machine.home)
        axes = leg.base_joint.carried_axes(at.s, home.s)
        rows += [ca.horzcat(axes, leg.base), ca.horzcat(axes, position(pose) + at.b)]
    return ca.vertcat(*rows)
