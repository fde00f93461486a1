"""Effects of small errors of a machine's numbers, by exact derivatives: one number at a time.

The machine is commanded by the readings r of the nominal encoders at a pose x. With errors e it
reaches another one, with the same readings: r(e, x + δx) = r(0, x), or to first order
δx = -(∂r/∂x)⁻¹ ∂r/∂e · e. A function f of both changes by ∂f/∂e · e + ∂f/∂x · δx.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.forces import dynamics
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import rate
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.errors import GoughError
from gough.kinematics.workspace.reach import ALL_LIMITS, least_margins
from gough.kinematics.workspace.stated_limits import FAMILIES, Stated, stated_limits
from gough.model.catalogue import definitions
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH, Definition, forces
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.robot import Robot
from gough.tolerance.stated import StatedTolerances

Equation = Callable[..., Value | tuple[Value, ...]]
LOADS = (TWIST, ACCELERATION, WRENCH)
DISPLACEMENT = Argument("displacement", (6,), "m, rad", "translation and rotation, base axes")
MARGIN = Argument("margin", (len(FAMILIES),), "1", "within each kind of limit")


def pose_changes(stated: StatedTolerances, parameters: ArrayLike, poses: Array) -> Array:
    """Displacements (..., 6, k) [m, rad] by a standard deviation of each number, at poses (..., 7).

    NaN where one of the poses (..., 7) is singular. `parameters` (..., n) are the machine's.
    """
    return displacements(stated.robot, stated.changes, parameters, poses)


def displacements(robot: Robot, changes: Array, parameters: ArrayLike, poses: Array) -> Array:
    """Compute displacements (..., 6, k) [m, rad] by changes (k, n) of all numbers.

    NaN where one of the poses (..., 7) is singular. `parameters` (..., n) are the machine's.
    """
    kernel = reading_change_kernel(Machines(robot, parametric=True))
    p, at = np.asarray(parameters)[..., None, :], poses[..., None, :]
    by_number = kernel(p, at, changes, np.zeros(DISPLACEMENT.size))
    T = np.asarray(Kernels(robot).twist_basis(poses))  # twist basis (..., 6, f)
    by_move = kernel(p, at, np.zeros(p.shape[-1]), np.swapaxes(T, -1, -2))
    if not by_number.any():
        return np.zeros((*poses.shape[:-1], DISPLACEMENT.size, len(changes)))
    _check_fits(robot)
    return np.asarray(-T @ _solved(np.swapaxes(by_move, -1, -2), np.swapaxes(by_number, -1, -2)))


def force_changes(
    stated: StatedTolerances, parameters: ArrayLike, poses: Array, loads: list[Array], moved: Array
) -> Array:
    """Compute changes (..., n, k) [N, N m] of actuator forces, with those of the pose (..., 6, k).

    `loads` are twist, acceleration and wrench (..., 6), which are constant.
    """
    kernel = force_change_kernel(Machines(stated.robot, parametric=True))
    return _changes(kernel, stated, [parameters, poses, *loads], moved)


def margin_changes(
    stated: StatedTolerances, parameters: ArrayLike, poses: Array, moved: Array
) -> Array:
    """Changes (..., 5, k) of the minimum margins of all kinds of limits."""
    machines = Machines(stated.robot, parametric=True)
    kernel = margin_change_kernel(machines, counted_limits(machines))
    return _changes(kernel, stated, [parameters, poses], moved)


def deviations(changes: Array) -> Array:
    """Compute standard deviations (..., n) from changes (..., n, k) by that of each number."""
    return np.asarray(np.sqrt(np.square(changes).sum(-1)))


def _changes(
    kernel: Kernel, stated: StatedTolerances, state: list[ArrayLike], moved: Array
) -> Array:
    """Changes (..., n, k) by the error of each number and the displacement that comes of it."""
    at = [np.asarray(x)[..., None, :] for x in state]
    return np.swapaxes(kernel(*at, stated.changes, np.swapaxes(moved, -1, -2)), -1, -2)


def _solved(J: Array, right: Array) -> Array:
    """J⁻¹ times the right-hand side; NaN where J is singular or not a number."""
    regular = np.isfinite(J).all((-1, -2)) & (np.abs(np.linalg.det(np.nan_to_num(J))) > 0)
    found = np.full(right.shape, np.nan)
    found[regular] = np.linalg.solve(J[regular], right[regular])
    return found


def _check_fits(robot: Robot) -> None:
    """Refuse a redundantly actuated machine, for which no pose fits readings with errors."""
    structure = Machines(robot).structure
    if structure.actuators != structure.dof:
        raise GoughError(
            f"{robot.name}: {structure.actuators} actuators for {structure.dof} "
            "degrees of freedom strain each other where geometry or encoders have errors; expected "
            "tolerances of masses, mass centres and inertias only"
        )


@compiled
def reading_change_kernel(machines: Machines) -> Kernel:
    """The kernel (parameters, pose, change, displacement) -> change of the encoders' readings."""
    readings = encoder_equation(machines, "readings")
    return _change(machines, readings.equation, (), readings.outputs[0])


@compiled
def force_change_kernel(machines: Machines) -> Kernel:
    """The kernel (parameters, pose, LOADS..., change, displacement) -> change of actuator forces.

    Twist, acceleration and wrench are constant.
    """
    return _change(machines, dynamics.actuator_force, LOADS, force_output(machines))


@compiled
def margin_change_kernel(machines: Machines, stated: Stated) -> Kernel:
    """The kernel (parameters, pose, change, displacement) -> change of the margins."""
    margins = least_margins(machines, stated, ALL_LIMITS, possible=True)
    return _change(machines, margins, (), MARGIN)


def counted_limits(machines: Machines) -> Stated:
    """The limits that count: equal for all machines with the same ones stated."""
    return stated_limits(machines.robot, ALL_LIMITS.families)


def _change(
    machines: Machines, equation: Equation, state: tuple[Argument, ...], output: Argument
) -> Kernel:
    """The kernel of the derivative of an equation(machine, pose, state...) along a direction.

    The direction is a change of the machine's numbers with a displacement of the pose.
    """

    def along(parameters: Value, pose: Value, *given: Value) -> Value:
        *at, change, displacement = given
        value = equation(machines.machine(parameters), pose, *at)
        assert not isinstance(value, tuple)
        moved = ca.vertcat(parameters, pose)
        return ca.jtimes(value, moved, ca.vertcat(change, rate(pose, displacement)))

    (numbers,) = machines.numbers
    change = Argument("change", numbers.shape, numbers.unit, "of the robot's numbers")
    inputs = [numbers, POSE, *state, change, DISPLACEMENT]
    return Kernel(Function.from_equation(f"{output.name}_change", along, inputs, [output]))


def encoder_equation(machines: Machines, name: str) -> Definition:
    """Equation of the "readings" at a pose, or of the "positions" at readings."""
    return definitions(machines.structure, DEFAULT_FORMULATION)[name]


def force_output(machines: Machines) -> Argument:
    """Return the output of actuator forces."""
    known = forces(machines.structure)
    return Argument(known.name, known.shape, known.unit, known.meaning)
