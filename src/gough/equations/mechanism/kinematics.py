"""Kinematics of a machine: joint positions, rates, accelerations, Jacobian, moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.legs import closure
from gough.equations.machine import Machine, short
from gough.equations.mechanism.bodies import ZERO
from gough.equations.mechanism.description import Pair
from gough.equations.mechanism.frame_convention import (
    acceleration_in,
    in_base_axes,
    in_machine_axes,
    platform_at,
    twist_in,
)
from gough.equations.mechanism.freedom import assembled, platform_bias_acceleration
from gough.equations.mechanism.legs import (
    LegMotion,
    LegPosture,
    leg_jacobian,
    leg_motion,
    leg_postures,
    leg_rates,
)
from gough.equations.mechanism.motions import Velocities, velocities_of
from gough.equations.mechanism.points import Carrier, Line
from gough.equations.mechanism.rows import PlatformPlacement, Twist
from gough.equations.spatial.algebra import Value, cross, dot


def inverse_kinematics(machine: Machine, pose: Value) -> Value:
    """Positions of the driven joints at a pose [rad, m]."""
    return _driven(machine, [at.joint_positions for at in _legs(machine, pose)])


@short(closure.joint_velocity)
def joint_velocity(machine: Machine, pose: Value, twist: Value) -> Value:
    """Rates of the driven joints [rad/s, m/s]."""
    V = twist_in(machine, twist)
    return _driven(machine, [leg_rates(at, V) for at in _legs(machine, pose)])


@short(closure.joint_acceleration)
def joint_acceleration(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Second rates of the driven joints [rad/s^2, m/s^2]."""
    return _driven(machine, [m.q_ddot for m in _motions(machine, pose, twist, acceleration)])


def all_joints(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value, Value]:
    """Positions, rates and second rates of all joints of all legs, leg by leg."""
    motions = _motions(machine, pose, twist, acceleration)
    return (
        _all(at.joint_positions for at in _legs(machine, pose)),
        _all(motion.q_dot for motion in motions),
        _all(motion.q_ddot for motion in motions),
    )


def moves(machine: Machine, pose: Value) -> Value:
    """T (6, n): the twists that the platform can do, twist = T u with u = S · twist."""
    T = machine.freedom.T
    return in_base_axes(machine, assembled(machine, pose).T if T is None else T)


def along_moves(machine: Machine, twist: Value) -> Value:
    """u = S · twist (n)."""
    return machine.freedom.S @ in_machine_axes(machine, twist)


def admissible(machine: Machine, pose: Value, twist: Value) -> Value:
    """T S · twist: the twist that the platform can do and that has the same u."""
    return moves(machine, pose) @ along_moves(machine, twist)


def bias_acceleration(machine: Machine, pose: Value, twist: Value) -> Value:
    """Ṫ u (6): the acceleration of a motion whose u does not change [m/s^2, rad/s^2]."""
    if machine.freedom.T is not None:
        return ca.DM.zeros(6)
    V_dot = platform_bias_acceleration(assembled(machine, pose), twist_in(machine, twist))
    return in_base_axes(machine, ca.vertcat(V_dot.v + machine.gravity, V_dot.omega))


@short(closure.jacobian)
def jacobian(machine: Machine, pose: Value) -> Value:
    """J (motors, 6) of q̇ = J · twist, for twists that the machine can do."""
    possible = machine.freedom.possible
    columns = ca.DM.eye(6) if possible is None else possible
    J = _driven(machine, [leg_jacobian(at, columns) for at in _legs(machine, pose)])
    return in_base_axes(machine, J.T).T


@short(closure.jacobian)
def actuation_matrix(machine: Machine, pose: Value) -> Value:
    """J T (motors, n): the rates of the driven joints by u."""
    at = assembled(machine, pose)
    return _driven(machine, [leg_jacobian(leg, at.T) for leg in at.legs])


def drift(machine: Machine, pose: Value, twist: Value) -> Value:
    """Second rates of the driven joints (m) [m/s^2, rad/s^2] while u does not change: J̇_u u."""
    at_constant_u = bias_acceleration(machine, pose, twist)
    return joint_acceleration(machine, pose, twist, at_constant_u)


def _legs(machine: Machine, pose: Value) -> list[LegPosture]:
    return leg_postures(machine, platform_at(machine, pose))


def _motions(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> list[LegMotion]:
    V, V_dot = twist_in(machine, twist), acceleration_in(machine, acceleration)
    return [leg_motion(at, V, V_dot, machine.gravity) for at in _legs(machine, pose)]


def _driven(machine: Machine, by_leg: Sequence[Sequence[Value]]) -> Value:
    return ca.vertcat(*(by_leg[leg][joint] for leg, joint in machine.motors))


def _all(by_leg: Iterable[Sequence[Value]]) -> Value:
    return ca.vertcat(*(x for leg in by_leg for x in leg))


@dataclass(frozen=True)
class JointRates:
    """Rates of all joints and carriers at a twist of the platform, in the machine's axes."""

    velocities: Velocities
    q_dot: list[list[Value]]

    @classmethod
    def of(cls, platform: PlatformPlacement, legs: list[LegPosture], twist: Twist) -> JointRates:
        """At a twist."""
        return cls(velocities_of(platform, legs, twist), [leg_rates(at, twist) for at in legs])

    def of_pair(self, pair: Pair, elsewhere: Value = ZERO) -> list[Value]:
        """Return the rates of a joint: about each axis, or (3) about all, and along its slide.

        `elsewhere` is a relative rotation of its bodies that is not in the joint.
        """
        sliding = [] if pair.slide is None else [self.q_dot[pair.slide.leg][pair.slide.link]]
        return [*self.turns_of(pair, elsewhere), *sliding]

    def turns_of(self, pair: Pair, elsewhere: Value = ZERO) -> list[Value]:
        """Return the rates of a joint without that of its slide."""
        if not pair.turns:
            return []
        turning = self.turning(pair.second) - self.turning(pair.first) - elsewhere
        if not pair.axes:
            return [turning]
        axes = self._axes(pair)
        return _divided(axes, [dot(axis, turning) for axis in axes])

    def moment(self, pair: Pair, efforts: Sequence[Value]) -> Value:
        """The moment whose power is that of efforts about the axes of a joint, or all ways."""
        if not pair.axes:
            return efforts[0]
        axes = self._axes(pair)
        parts = zip(_divided(axes, efforts), axes, strict=True)
        return sum((effort * axis for effort, axis in parts), ZERO)

    def _axes(self, pair: Pair) -> list[Value]:
        frames = self.velocities.frames
        sides = [side for side in (pair.first, pair.second) if isinstance(side, Carrier)]
        return [frames.axes(side) @ axis for side, axis in zip(sides, pair.axes, strict=False)]

    def turning(self, side: Carrier | Line) -> Value:
        """Angular velocity; of what spins about a line without that."""
        if isinstance(side, Carrier):
            return self.velocities.by_carrier[side][1]
        along, speed = self.velocities.frames.direction(side), self.velocities.point
        return cross(along, speed(side.far) - speed(side.near)) / dot(along, along)


def _divided(axes: Sequence[Value], along: Sequence[Value]) -> list[Value]:
    """Components about one or two axes of a vector whose projections on them are given."""
    if len(axes) == 1:
        return list(along)
    c, (a, b) = dot(*axes), along
    return [(a - c * b) / (1 - c * c), (b - c * a) / (1 - c * c)]
