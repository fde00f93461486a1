"""The equations that close what a machine's legs leave over, and the kernels of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.equations.machine import Machine as HexapodMachine
from gough.equations.spatial.algebra import position, quaternion
from gough.equations.spatial.pose import displace, normalised, nudge, turn_between
from gough.kinematics.forward.precision import AT_MOST, STRIDE
from gough.kinematics.forward.status import Status
from gough.kinematics.freedoms.possible import has_constant_moves, possible_steps
from gough.kinematics.size import machine_size
from gough.model.definition import POSE
from gough.model.machines import Machines
from gough.model.parameters import machine_of
from gough.robot import Hexapod, Robot

CLOSED = 1e-10
"""A last step as small leaves what rounding leaves: machine sizes, radians."""


def seeing(robot: Robot) -> Callable[[Any], Any]:
    """The equation from a pose to what kernels see of it: where moves are constant, that alone."""
    if isinstance(robot, Hexapod) or not has_constant_moves(robot):
        return lambda pose: pose
    machine, home = machine_of(robot), ca.DM(robot.home)
    assert not isinstance(machine, HexapodMachine)
    possible, axis = ca.DM(possible_steps(machine)), machine.stance.axes[2, :].T

    def equation(pose: Any) -> Any:
        turned = turn_between(pose, home)
        along = ca.dot(turned[1:4], axis)
        angle = 2 * ca.atan2(ca.if_else(turned[0] < 0, -along, along), ca.fabs(turned[0]))
        turn = angle * axis if machine.stance.turning == "z" else ca.DM.zeros(3)
        seen = displace(home, possible @ ca.vertcat(position(pose) - position(home), turn))
        keeps = machine.stance.turning == "any"
        return normalised(ca.vertcat(position(seen), quaternion(pose if keeps else seen)))

    return equation


def closing(robot: Robot) -> Callable[[Any], tuple[Any, Any]]:
    """The equation from a pose to the one that the machine can take, and a status."""
    if has_constant_moves(robot):
        return lambda pose: (pose, Status.CONVERGED)
    size, machine = machine_size(robot), machine_of(robot)

    def step(pose: Any) -> tuple[Any, Any]:
        motion = any_machine.closing_step(machine, pose)
        longest = ca.mmax(ca.fabs(ca.vertcat(motion[0:3] / size, motion[3:6])))
        ended = ca.if_else(longest < CLOSED, Status.CONVERGED, 0)
        status = ca.if_else(longest < ca.inf, ended, Status.SINGULAR)
        return normalised(nudge(pose, motion * ca.fmin(1, STRIDE / longest))), status

    function = Function.from_equation("closing_step", step, [POSE], [POSE, Argument("status")])
    repeated = iterate(function, AT_MOST)

    def equation(pose: Any) -> tuple[Any, Any]:
        found, _, status = repeated(normalised(pose))
        return ca.if_else(status == Status.CONVERGED, found, ca.DM.nan(7)), status

    return equation


@compiled
def closing_kernel(robot: Robot) -> Kernel:
    """From a pose to the one that the machine can take, and a status."""
    return Kernel.from_equation(
        "possible_pose",
        closing(robot),
        [POSE],
        [Argument("possible", (7,), POSE.unit, "the pose that the machine can take"),
         Argument("status", (), "1", "see Status")],
        "The pose that a machine can take, with the same u as the given one.",
    )  # fmt: skip


@compiled
def gap_kernel(machines: Machines) -> Kernel:
    """From a pose to how far the worst row left over is open."""

    def equation(machine: Any, pose: Any) -> Any:
        gaps = any_machine.open_gaps(machine, pose)
        return ca.mmax(ca.fabs(gaps)) if gaps.shape[0] else ca.DM(0)

    return machines.kernel(
        "gap", equation, [POSE], [Argument("gap", (), "m, rad", "of the worst row left over")],
        "How far the rows that the legs have left over are open.",
    )  # fmt: skip
