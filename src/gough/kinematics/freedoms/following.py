"""Where a machine comes to when it goes from one pose towards another: the rest follows.

A five-bar that is told x and y turns as it must. Newton's method alone (`possible`) finds an
attitude near the one that is given, which far from there may be that of another branch; here the
way is gone in small steps, each of which starts from what followed before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.native.kernel import Kernel
from gough.compiler.remembered import remembered
from gough.equations import any_machine
from gough.equations.mechanism.closing import closing_step
from gough.equations.mechanism.machine import Machine
from gough.equations.spatial.algebra import angular, cross, linear, position, quaternion, rotation
from gough.equations.spatial.pose import displace, move, normalised, nudge, turn_between
from gough.kinematics.freedoms.closing import closing
from gough.kinematics.freedoms.possible import has_constant_moves
from gough.kinematics.size import machine_size
from gough.model.definition import ACCELERATION, POSE, TWIST
from gough.model.parameters import machine_of
from gough.poses import difference
from gough.poses import displace as displaced
from gough.robot import Robot

STATE = (POSE, TWIST, ACCELERATION)
STEPS, CORRECTIONS = 16, 3
"""Steps of a way, and of Newton's method in each."""
NEAR = 0.1
"""A step whose last correction is longer is not believed: machine sizes, radians."""
STEP = Argument("step", (6,), "m, rad", "a way and a rotation vector, base axes")


def followed(robot: Robot, start: Array, steps: Array) -> Array:
    """The poses (..., 7) after steps (..., 6) from a pose that the machine takes.

    What it can choose is that of the step. Where the way leads through poses that it cannot take,
    it goes on behind them with what had followed before.
    """
    if has_constant_moves(robot):
        return displaced(start, steps)
    return np.asarray(_following_kernel(robot)(start, steps))


def followed_to(robot: Robot, start: Array, poses: Array) -> Array:
    """The same on the ways to poses (..., 7); those of a machine that nothing follows are kept."""
    if has_constant_moves(robot):
        return poses
    return followed(robot, start, difference(poses, start))


def following(robot: Robot) -> Callable[[Any, Any], Any]:
    """The equation of it, from a pose and a step."""
    machine, size = machine_of(robot), machine_size(robot)
    if not isinstance(machine, Machine) or machine.freedom.T is not None:
        return displace

    def stride(beside: Any, share: Any, start: Any, step: Any) -> tuple[Any, Any, Any]:
        share = share + 1 / STEPS
        aim = displace(start, share * step)
        guess = move(aim, position(beside), quaternion(beside))
        found, last = guess, ca.inf
        for _ in range(CORRECTIONS):
            motion = closing_step(machine, found)
            last = ca.mmax(ca.fabs(ca.vertcat(motion[0:3] / size, motion[3:6])))
            found = normalised(nudge(found, motion))
        new = ca.vertcat(position(found) - position(aim), turn_between(found, aim))
        arrived = share > 1 - 0.5 / STEPS
        return ca.if_else(last < NEAR, new, beside), share, ca.if_else(arrived, 1, 0)

    beside, share = Argument("beside", (7,)), Argument("share")
    function = Function.from_equation(
        "stride", stride, [beside, share, POSE, STEP], [beside, share, Argument("status")]
    )
    repeated = iterate(function, STEPS)

    def equation(start: Any, step: Any) -> Any:
        beside, *_ = repeated(ca.DM([0, 0, 0, 1, 0, 0, 0]), ca.DM(0), start, step)
        return normalised(move(displace(start, step), position(beside), quaternion(beside)))

    return equation


@remembered
def _following_kernel(robot: Robot) -> Kernel:
    return Kernel(following_function(robot))


def following_function(robot: Robot) -> Function:
    """The symbolic function of it."""
    return Function.from_equation(
        "followed", following(robot), [POSE, STEP],
        [Argument("reached", (7,), POSE.unit, "the pose after the step")],
        "The pose that a machine comes to by a step, the rest following.",
    )  # fmt: skip


@remembered
def completing(robot: Robot) -> Kernel:
    """From pose, twist and acceleration to those of the machine; NaN where there are none."""
    return Kernel(completing_function(robot))


def completing_function(robot: Robot) -> Function:
    """The symbolic function of it.

    The pose is Q R for the attitude R of the given one, and ω = Q ω_given + ω_Q, where all of ω_Q
    is beside the moves: u = S · [v, Q ω_given].
    """
    close, machine = closing(robot), machine_of(robot)

    def equation(given: Any, twist: Any, acceleration: Any) -> tuple[Any, Any, Any]:
        pose, _ = close(given)
        Q = rotation(ca.vertcat(0, 0, 0, turn_between(pose, given)))
        omega = Q @ angular(twist)
        twist = any_machine.admissible(machine, pose, ca.vertcat(linear(twist), omega))
        omega_1 = Q @ angular(acceleration) + cross(angular(twist) - omega, omega)
        asked = ca.vertcat(linear(acceleration), omega_1)
        possible = any_machine.admissible(machine, pose, asked)
        return pose, twist, possible + any_machine.coasting(machine, pose, twist)

    meaning = "The motion that a machine makes of one, with the same u and its rates."
    return Function.from_equation("completed", equation, list(STATE), list(STATE), meaning)
