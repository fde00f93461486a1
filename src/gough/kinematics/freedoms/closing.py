"""Equations that satisfy a machine's platform constraints, and their kernels."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.machine import Machine
from gough.equations.mechanism.closing import closing_step, open_gaps
from gough.equations.spatial.algebra import Value, position, quaternion
from gough.equations.spatial.pose import displace, normalised, nudge, turn_between
from gough.kinematics.forward.status import AT_MOST, STRIDE, Status
from gough.kinematics.freedoms.possible import has_constant_moves, possible_steps
from gough.kinematics.size import machine_size
from gough.model.definition import POSE
from gough.model.machines import Machines
from gough.model.parameters import machine_of
from gough.robot import Robot

CLOSED = 1e-10
"""Last step below which only rounding error remains: machine sizes, radians."""


def seeing(robot: Robot) -> Callable[[Value], Value]:
    """Return the equation from a pose to the one that kernels use, with a constant twist basis."""
    machine, home = machine_of(robot), ca.DM(robot.home)
    if machine.freedom.T is None or machine.freedom.possible is None:
        return lambda pose: pose
    possible, axis = ca.DM(possible_steps(machine)), machine.frame_convention.axes[2, :].T

    def equation(pose: Value) -> Value:
        turned = turn_between(pose, home)
        along = ca.dot(turned[1:4], axis)
        angle = 2 * ca.atan2(ca.if_else(turned[0] < 0, -along, along), ca.fabs(turned[0]))
        turn = angle * axis if machine.frame_convention.turning == "z" else ca.DM.zeros(3)
        seen = displace(home, possible @ ca.vertcat(position(pose) - position(home), turn))
        keeps = machine.frame_convention.turning == "any"
        return normalised(ca.vertcat(position(seen), quaternion(pose if keeps else seen)))

    return equation


def closing(robot: Robot) -> Callable[[Value], tuple[Value, Value]]:
    """Return the equation from a pose to the possible one, and a status."""
    if has_constant_moves(robot):
        return lambda pose: (pose, ca.DM(Status.CONVERGED))
    size, machine = machine_size(robot), machine_of(robot)

    def step(pose: Value) -> tuple[Value, Value]:
        motion = closing_step(machine, pose)
        longest = ca.mmax(ca.fabs(ca.vertcat(motion[0:3] / size, motion[3:6])))
        ended = ca.if_else(longest < CLOSED, Status.CONVERGED, 0)
        status = ca.if_else(longest < ca.inf, ended, Status.SINGULAR)
        return normalised(nudge(pose, motion * ca.fmin(1, STRIDE / longest))), status

    function = Function.from_equation("closing_step", step, [POSE], [POSE, Argument("status")])
    repeated = iterate(function, AT_MOST)

    def equation(pose: Value) -> tuple[Value, Value]:
        found, _, status = repeated(normalised(pose))
        return ca.if_else(status == Status.CONVERGED, found, ca.DM.nan(7)), status

    return equation


@compiled
def closing_kernel(robot: Robot) -> Kernel:
    """The kernel from a pose to the possible one, and a status."""
    return Kernel.from_equation(
        "possible_pose",
        closing(robot),
        [POSE],
        [Argument("possible", (7,), POSE.unit, "the possible pose"),
         Argument("status", (), "1", "see Status")],
        "The possible pose of a machine with the same u as the given one.",
    )  # fmt: skip


@compiled
def gap_kernel(machines: Machines) -> Kernel:
    """The kernel from a pose to the maximum violation of a platform constraint."""

    def equation(machine: Machine, pose: Value) -> Value:
        gaps = open_gaps(machine, pose)
        return ca.mmax(ca.fabs(gaps)) if gaps.shape[0] else ca.DM(0)

    return machines.kernel(
        "gap", equation, [POSE], [Argument("gap", (), "m, rad", "of the platform constraints")],
        "Violation of the platform constraints.",
    )  # fmt: skip
