"""Poses on the way from one pose towards another; dependent coordinates follow.

The orientation of a five-bar follows from a commanded x and y. Newton's method alone (`possible`)
finds an orientation near the given one, which far from there may be that of another branch; here
small steps are made, each of which starts from the result of the one before.
"""

from collections.abc import Callable

import casadi as ca
import numpy as np
from casadi import cross

from gough.arrays import Array
from gough.compiler import Argument, Function, kernel_of
from gough.compiler.front.function import iterate
from gough.equations.closure.closing import closing_step
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value, angular, linear, position, quaternion, rotation
from gough.equations.spatial.pose import displace, move, normalised, nudge, turn_between
from gough.kinematics.freedoms.nearest_pose import has_constant_basis, loop_closing
from gough.kinematics.size import machine_size
from gough.model import machine_of
from gough.model.definition import MOTION, POSE
from gough.poses import difference
from gough.poses import displace as displaced
from gough.robot import Robot

STEPS, CORRECTIONS = 16, 3
"""Number of steps of a path, and of Newton's method in each."""
NEAR = 0.1
"""Last correction above which a step has not converged: machine sizes, radians."""
STEP = Argument("step", (6,), "m, rad", "a translation and a rotation vector, base axes")


def followed(robot: Robot, start: Array, steps: Array) -> Array:
    """Return the poses (..., 7) after steps (..., 6) from a possible pose.

    Independent coordinates are those of the step. Where the path leads through impossible poses,
    it continues after them with the last dependent coordinates.
    """
    if has_constant_basis(robot):
        return displaced(start, steps)
    return np.asarray(kernel_of(path_following_function, robot)(start, steps))


def followed_to(robot: Robot, start: Array, poses: Array) -> Array:
    """Return `followed` on the paths to poses (..., 7); unchanged without dependent coordinates."""
    if has_constant_basis(robot):
        return poses
    return followed(robot, start, difference(poses, start))


def path_following(robot: Robot) -> Callable[[Value, Value], Value]:
    """Return the equation of `followed`, from a pose and a step."""
    machine, size = machine_of(robot), machine_size(robot)
    if machine.freedom.T is not None:
        return displace

    def stride(beside: Value, share: Value, start: Value, step: Value) -> tuple[Value, ...]:
        share = share + 1 / STEPS
        aim = displace(start, share * step)
        guess = move(aim, position(beside), quaternion(beside))
        found, last = guess, ca.DM(ca.inf)
        for _ in range(CORRECTIONS):
            motion = closing_step(machine, found)
            last = ca.mmax(ca.fabs(ca.vertcat(motion[0:3] / size, motion[3:6])))
            found = normalised(nudge(found, motion))
        new = ca.vertcat(position(found) - position(aim), turn_between(found, aim))
        arrived = share > 1 - 0.5 / STEPS
        return ca.if_else(last < NEAR, new, beside), share, ca.if_else(arrived, 1, 0)

    state = [Argument("beside", (7,)), Argument("share")]
    inputs, outputs = [*state, POSE, STEP], [*state, Argument("status")]
    repeated = iterate(Function.from_equation("stride", stride, inputs, outputs), STEPS)

    def equation(start: Value, step: Value) -> Value:
        beside, *_ = repeated(ca.DM([0, 0, 0, 1, 0, 0, 0]), ca.DM(0), start, step)
        return normalised(move(displace(start, step), position(beside), quaternion(beside)))

    return equation


def path_following_function(robot: Robot) -> Function:
    """The symbolic function of `path_following`."""
    return Function.from_equation(
        "followed", path_following(robot), [POSE, STEP],
        [Argument("reached", (7,), POSE.unit, "the pose after the step")],
        "The pose of a machine after a step, with dependent coordinates.",
    )  # fmt: skip


def completed_motion_function(robot: Robot) -> Function:
    """The function from pose, twist and acceleration to possible ones; NaN where there are none.

    The pose is Q R for the orientation R of the given one, and ω = Q ω_given + ω_Q, where ω_Q has
    no part in the independent velocities: u = S · [v, Q ω_given].
    """
    close, machine = loop_closing(robot), machine_of(robot)

    def equation(given: Value, twist: Value, acceleration: Value) -> tuple[Value, Value, Value]:
        pose, _ = close(given)
        Q = rotation(ca.vertcat(0, 0, 0, turn_between(pose, given)))
        omega = Q @ angular(twist)
        twist = kinematics.admissible(machine, pose, ca.vertcat(linear(twist), omega))
        omega_1 = Q @ angular(acceleration) + cross(angular(twist) - omega, omega)
        possible = kinematics.admissible(machine, pose, ca.vertcat(linear(acceleration), omega_1))
        return pose, twist, possible + kinematics.bias_acceleration(machine, pose, twist)

    meaning = "The possible motion of a machine with the same u and its rates."
    return Function.from_equation("completed", equation, MOTION, MOTION, meaning)
