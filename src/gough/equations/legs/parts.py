"""The legs' parts: their frames, and how their mass centres move.

Mass centres come as a pair, cylinders and pistons, with one row per leg, in base axes
[Kalani 2016 (5), (29), (49)].
"""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.leg import leg_acceleration, leg_position, leg_velocity
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


def mass_center_position(machine: Machine, pose: Value) -> tuple[Value, Value]:
    """Positions [m] of the cylinders' and the pistons' mass centres."""
    cylinders, pistons = [], []
    for leg in machine.legs:
        e1, e2 = leg.cylinder.center_of_mass, leg.piston.center_of_mass
        at = leg_position(leg, pose)
        cylinders.append((leg.base + e1 * at.s).T)  # (5)
        pistons.append((leg.base + (at.l - e2) * at.s).T)  # (5)
    return ca.vertcat(*cylinders), ca.vertcat(*pistons)


def mass_center_velocity(machine: Machine, pose: Value, twist: Value) -> tuple[Value, Value]:
    """Velocities [m/s] of the cylinders' and the pistons' mass centres."""
    cylinders, pistons = [], []
    for leg in machine.legs:
        e1, e2 = leg.cylinder.center_of_mass, leg.piston.center_of_mass
        v = leg_velocity(leg, leg_position(leg, pose), twist)
        cylinders.append((e1 * v.s_dot).T)  # (29)
        pistons.append((v.x_dot - e2 * v.s_dot).T)  # (29): the platform joint, less e2 along s
    return ca.vertcat(*cylinders), ca.vertcat(*pistons)


def mass_center_acceleration(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """Accelerations [m/s^2] of the cylinders' and the pistons' mass centres, without gravity."""
    cylinders, pistons = [], []
    for leg in machine.legs:
        e1, e2 = leg.cylinder.center_of_mass, leg.piston.center_of_mass
        at = leg_position(leg, pose)
        v = leg_velocity(leg, at, twist)
        a = leg_acceleration(leg, at, v, twist, acceleration)
        cylinders.append((e1 * a.s_ddot).T)  # (49)
        pistons.append((a.x_ddot - e2 * a.s_ddot).T)  # (49)
    return ca.vertcat(*cylinders), ca.vertcat(*pistons)
