"""Frame convention of pose, twist and acceleration in the equations.

A planar machine is turned so that it moves in the plane x, y; what never changes is a constant;
what the machine cannot do is left out: that part of an argument is not used.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.mechanism.rows import PlatformPlacement, Twist
from gough.equations.spatial.algebra import (
    Value,
    angular,
    linear,
    position,
    quaternion,
    reciprocal,
    rotation,
)
from gough.equations.spatial.attitude import quaternion_product


def platform_at(machine: Machine, pose: Value) -> PlatformPlacement:
    """Position [m] and rotation matrix of the platform, in the machine's axes."""
    convention = machine.frame_convention
    p = ca.SX(convention.axes @ position(pose))
    for k in convention.fixed:
        p[k] = convention.home_position[k]
    return PlatformPlacement(p, _rotation(machine, pose))


def home(machine: Machine) -> Value:
    """The home pose, base axes."""
    convention = machine.frame_convention
    return ca.vertcat(convention.axes.T @ convention.home_position, convention.home_quaternion)


def _rotation(machine: Machine, pose: Value) -> Value:
    """From the platform's axes, where it turns little those at home, to the machine's axes."""
    convention = machine.frame_convention
    if convention.turning == "none":
        return ca.DM.eye(3)
    if convention.turning == "any":
        return convention.axes @ rotation(pose)
    q_0, *q_v = ca.vertsplit(convention.home_quaternion)
    turned = quaternion_product(quaternion(pose), ca.vertcat(q_0, *(-x for x in q_v)))
    w, z = turned[0], convention.axes[2, :] @ turned[1:4]
    k = reciprocal(w * w + z * z)
    c, s = (w * w - z * z) * k, 2 * w * z * k
    return ca.blockcat([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def twist_in(machine: Machine, twist: Value) -> Twist:
    """A twist in the machine's axes; the constant part of what it cannot do left out."""
    return _halves(_possible(machine, in_machine_axes(machine, twist)))


def acceleration_in(machine: Machine, acceleration: Value) -> Twist:
    """An acceleration in the machine's axes, less gravity."""
    return less_gravity(machine, twist_in(machine, acceleration))


def less_gravity(machine: Machine, acceleration: Twist) -> Twist:
    """An acceleration as seen by who falls freely."""
    return Twist(acceleration.v - machine.gravity, acceleration.omega)


def in_machine_axes(machine: Machine, twist: Value) -> Value:
    """A twist or wrench of base axes in the machine's axes."""
    return _turned(machine.frame_convention.axes, twist)


def in_base_axes(machine: Machine, twist: Value) -> Value:
    """A twist or acceleration from the machine's axes to base axes; also matrices of columns."""
    return _turned(machine.frame_convention.axes.T, twist)


def _turned(axes: Value, twist: Value) -> Value:
    return ca.vertcat(axes @ twist[0:3, :], axes @ twist[3:6, :])


def _possible(machine: Machine, V: Value) -> Value:
    possible = machine.freedom.possible
    return V if possible is None else possible @ V


def _halves(V: Value) -> Twist:
    return Twist(linear(V), angular(V))
