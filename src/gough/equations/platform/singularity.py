"""How near a machine is to a singular configuration, for one pose.

Type 2 (parallel): J loses rank, and the platform can move although no leg changes its length.
Type 1 (serial): a leg has no length, or stands along the first axis of its universal joint.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.closure import jacobian
from gough.equations.legs.leg import leg_position
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, norm
from gough.equations.spatial.pose import nudge


def scaled_jacobian(machine: Machine, pose: Value, length: Value) -> Value:
    """J with rotations measured by the way at a distance `length` [m]: all entries are numbers."""
    J = jacobian(machine, pose)
    return ca.horzcat(J[:, 0:3], J[:, 3:6] / length)


def unscaled_moves(machine: Machine, length: Value, share: Value) -> Value:
    """The twist (6) of a motion in scaled coordinates: rotations are ways at the length."""
    return ca.vertcat(share[0:3], share[3:6] / length)


def determinant(machine: Machine, pose: Value) -> Value:
    """det J [m³], by expansion in minors that are shared: no divisions and no pivots."""
    return ca.det(jacobian(machine, pose))


def distance(machine: Machine, pose: Value, length: Value) -> Value:
    """How far the nearest configuration with det J = 0 is, to first order [m].

    |det J| over its steepest slope; a rotation by φ counts as a way of `length` times φ.
    """
    twist = ca.SX.sym("twist", 6)
    slope = ca.gradient(determinant(machine, nudge(pose, twist)), twist)
    slope = ca.substitute(slope, twist, ca.DM.zeros(6))
    steepest = norm(ca.vertcat(slope[0:3], slope[3:6] / length))
    size = ca.fabs(determinant(machine, pose))
    return size / steepest


def universal_joint_sines(machine: Machine, pose: Value) -> Value:
    """Sine of the angle between each leg and its joint's first axis; NaN for SPS legs."""
    return ca.vertcat(*(leg.base_joint.sine(leg_position(leg, pose).s) for leg in machine.legs))
