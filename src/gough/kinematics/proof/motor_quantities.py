"""Speeds, efforts and positions of motors, and places of joint centres, at a state of a box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import casadi as ca

from gough.equations.forces.dynamics import required_forces
from gough.equations.forces.passive_joints import (
    dry_friction,
    required_with_joints,
    without_dry_friction,
)
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.motion.motions import joint_centers
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value

_Balls = Sequence[Sequence[int]]


class MotorQuantity(NamedTuple):
    """Speeds or efforts of the motors (n), by their parts."""

    smooth: Value
    dry: Value = ca.SX(0, 0)
    """(n, m) parts of each dry friction in full."""
    shares: Value = ca.SX(0, 1)
    """(m) shares of these, from -1 to 1."""
    squares: bool = False
    """Whether squares of the twist count by themselves: where dependent coordinates follow."""

    @property
    def value(self) -> Value:
        """Sum of its parts."""
        return self.smooth + self.dry @ self.shares if self.dry.numel() else self.smooth

    def most(
        self, k: int, linear: slice, state: Value, balls: _Balls, radii: Sequence[Value]
    ) -> Value:
        """Return what the size of entry k is at most: each part that is `linear` adds its own."""
        own, alone = state[linear], ca.sum2(ca.fabs(self.dry[k, :])) if self.dry.numel() else 0
        slopes, rest = ca.SX(ca.DM.zeros(*state.shape)), self.smooth[k]
        slopes[linear] = ca.gradient(rest, own)
        if ca.depends_on(slopes, own):
            return ca.fabs(rest) + alone
        sizes = ca.fabs(slopes * state)
        for ball, r in zip(balls, ca.vertsplit(ca.vertcat(*radii)), strict=True):
            if not ca.SX(slopes[ball]).is_zero():
                sizes[ball] = 0
                alone += r * ca.norm_2(slopes[ball])
        rest = ca.substitute(rest, own, 0 * own)
        size = _quadratic_size(rest, state[:6]) if self.squares else ca.fabs(rest)
        return size + ca.sum1(sizes) + alone


def _quadratic_size(of: Value, x: Value) -> Value:
    """Return what the size of a polynomial of second order is at most, whatever the signs of x."""
    slopes = ca.gradient(of, x)
    H = ca.horzcat(*(ca.gradient(slope, x) for slope in ca.vertsplit(slopes)))
    if ca.depends_on(H, x):
        return ca.fabs(of)
    at, linear = ca.vertsplit(ca.substitute(ca.vertcat(of, slopes), x, 0 * x), [0, 1, 7])
    own, size = ca.diag(H), ca.fabs(x)
    crossed = ca.dot(ca.fabs(H - ca.diag(own)) @ size, size) / 2
    above = at + ca.dot(ca.fmax(own, 0), x**2) / 2 + crossed
    below = at + ca.dot(ca.fmin(own, 0), x**2) / 2 - crossed
    return ca.fmax(ca.fabs(above), ca.fabs(below)) + ca.dot(ca.fabs(linear), size)


@dataclass(frozen=True)
class MotorQuantities:
    """Quantities of actuators and joint centres at a state: twist, acceleration, wrench."""

    machine: Machine
    pose: Value
    state: Value
    dynamics: Any
    linear: ClassVar = {"speed": slice(6), "force": slice(6, 18)}
    """Parts of the state by which speeds and forces are linear."""

    @cached_property
    def possible(self) -> list[Value]:
        """Twist and acceleration whose dependent coordinates follow from others, and the wrench."""
        twist, acceleration, wrench = ca.vertsplit(self.state, 6)
        if self.machine.freedom.T is None:
            own = self.machine, self.pose
            twist, acceleration = (kinematics.admissible(*own, x) for x in (twist, acceleration))
            acceleration += kinematics.bias_acceleration(*own, twist)
        return [twist, acceleration, wrench]

    def moving(self, name: str) -> MotorQuantity:
        """Return the speed or force of all actuators."""
        if name == "speed":
            speed = kinematics.joint_velocity(self.machine, self.pose, self.possible[0])
            return MotorQuantity(speed)
        if len(self.machine.motors) == self.machine.dof:
            return _efforts(self.machine, self.pose, *self.possible)
        return MotorQuantity(self.dynamics(self.machine, self.pose, *self.possible))

    def value(self, name: str) -> Any:
        """Return one of `VALUES`."""
        if name in ("speed", "force"):
            return self.moving(name).value
        if name == "power":
            return self.value("force") * self.value("speed")
        if name == "position":
            return kinematics.inverse_kinematics(self.machine, self.pose)
        centers = joint_centers(self.machine, self.pose)
        return centers[:, 2] if name == "height" else ca.sqrt(ca.sum2(centers[:, :2] ** 2))


def _efforts(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> MotorQuantity:
    """Efforts of the motors [N m, N], as `actuator_force`."""
    smooth, T = without_dry_friction(machine), kinematics.twist_basis(machine, pose)
    across, along = required_with_joints(required_forces)(smooth, pose, twist, acceleration)
    dry, shares = dry_friction(machine, pose, twist)
    loads = ca.horzcat(across - T.T @ wrench, -T.T @ dry)
    found = solve(kinematics.actuation_matrix(machine, pose).T, loads)
    return MotorQuantity(along + found[:, 0], found[:, 1:], shares, machine.freedom.T is None)
