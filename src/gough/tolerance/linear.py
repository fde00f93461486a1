"""Effects of small errors of a machine's numbers, by exact derivatives: one number at a time.

The machine is commanded by the readings r of the nominal encoders at a pose x. With errors e it
reaches another one, with the same readings, r(e, x + δx) = r(0, x), and with closed loops, which
may move it along constrained directions as well. A step of Newton's method from x is zero without
errors, and changes by δx to first order. A function f of both changes by ∂f/∂e · e + ∂f/∂x · δx.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.forces import dynamics
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import rate
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.errors import GoughError
from gough.kinematics import ALL_LIMITS
from gough.kinematics.forward.searches import search_of
from gough.kinematics.size import size_in
from gough.kinematics.workspace.reach import least_margins
from gough.kinematics.workspace.stated_limits import FAMILIES, Stated, stated_limits
from gough.model import Machines, definitions
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH, forces
from gough.tolerance.stated import StatedTolerances

Equation = Callable[..., Value | tuple[Value, ...]]
DISPLACEMENT = Argument("displacement", (6,), "m, rad", "translation and rotation, base axes")
MARGIN = Argument("margin", (len(FAMILIES),), "1", "within each kind of limit")


def displacements(machines: Machines, changes: Array, parameters: ArrayLike, poses: Array) -> Array:
    """Compute displacements (..., 6, k) [m, rad] by changes (k, n) of all numbers.

    NaN where one of the poses (..., 7) is singular. `parameters` (..., n) are the machine's.
    """
    p, at = np.asarray(parameters)[..., None, :], poses[..., None, :]
    structure = machines.structure
    if structure.actuators != structure.dof:  # no pose fits readings with errors
        if change_kernel(machines, "readings")(p, at, changes, np.zeros(DISPLACEMENT.size)).any():
            raise GoughError(
                f"{machines.robot.name}: {structure.actuators} actuators for {structure.dof} "
                "degrees of freedom strain each other where geometry or encoders have errors; "
                "expected tolerances of masses, mass centres and inertias only"
            )
        return np.zeros((*poses.shape[:-1], DISPLACEMENT.size, len(changes)))
    found = np.swapaxes(displacement_kernel(machines)(p, at, changes), -1, -2)
    return np.where(np.isfinite(found).all((-1, -2), keepdims=True), found, np.nan)


def effect_changes(
    stated: StatedTolerances, effect: str, state: Sequence[ArrayLike], moved: Array
) -> Array:
    """Compute changes (..., n, k) of a "force" [N, N m] or "margin" by the error of each number.

    `state` has the machine's parameters, poses and, of forces, twist, acceleration and wrench, all
    constant but for displacements `moved` (..., 6, k).
    """
    machines = stated.machines
    kernel = change_kernel(machines, effect, counted_limits(machines))
    at = [np.asarray(x)[..., None, :] for x in state]
    return np.swapaxes(kernel(*at, stated.changes, np.swapaxes(moved, -1, -2)), -1, -2)


def deviations(changes: Array) -> Array:
    """Compute standard deviations (..., n) from changes (..., n, k) by that of each number."""
    return np.asarray(np.sqrt(np.square(changes).sum(-1)))


def counted_limits(machines: Machines) -> Stated:
    """The limits that count: equal for all machines with the same ones stated."""
    return stated_limits(machines.robot, ALL_LIMITS.families)


@compiled
def displacement_kernel(machines: Machines) -> Kernel:
    """The kernel of the displacement by a change of the machine's numbers, to first order.

    (parameters, pose, change) -> change of the first step of Newton's method from the pose.
    """
    search = search_of(machines.robot, "newton")

    def equation(parameters: Value, pose: Value, change: Value) -> Value:
        real = ca.SX.sym("real", *parameters.shape)
        machine, nominal = machines.machine(real), machines.machine(parameters)
        commanded, joints = commanded_positions(nominal, machine, pose), search.start(nominal, pose)
        step = search.step(machine, pose, joints, commanded, size_in(machines, nominal))
        return ca.substitute(ca.jtimes(step.platform, real, change), real, parameters)

    (numbers,) = machines.numbers
    change = Argument("change", numbers.shape, numbers.unit, "of the robot's numbers")
    inputs = [numbers, POSE, change]
    return Kernel.from_equation("displacement_change", equation, inputs, [DISPLACEMENT])


@compiled
def change_kernel(machines: Machines, effect: str, stated: Stated | None = None) -> Kernel:
    """The kernel of the derivative of an effect along a direction.

    The direction is a change of the machine's numbers with a displacement of the pose:
    (parameters, pose, state..., change, displacement) -> change of the effect.
    """
    equation, state, output = effect_equation(machines, effect, stated)

    def along(parameters: Value, pose: Value, *given: Value) -> Value:
        *at, change, displacement = given
        value = equation(machines.machine(parameters), pose, *at)
        assert not isinstance(value, tuple)
        moved = ca.vertcat(parameters, pose)
        return ca.jtimes(value, moved, ca.vertcat(change, rate(pose, displacement)))

    (numbers,) = machines.numbers
    change = Argument("change", numbers.shape, numbers.unit, "of the robot's numbers")
    inputs = [numbers, POSE, *state, change, DISPLACEMENT]
    return Kernel.from_equation(f"{output.name}_change", along, inputs, [output])


def effect_equation(
    machines: Machines, effect: str, stated: Stated | None
) -> tuple[Equation, tuple[Argument, ...], Argument]:
    """Equation (machine, pose, state...) of an effect, the arguments of its state, and its output.

    The "readings" of the encoders, the "force" of the actuators, or the "margin" to limits.
    """
    if effect == "readings":
        readings = definitions(machines.structure, DEFAULT_FORMULATION)["readings"]
        return readings.equation, (), readings.outputs[0]
    if effect == "force":
        loads = (TWIST, ACCELERATION, WRENCH)
        return dynamics.actuator_force, loads, replace(forces(machines.structure), optional=False)
    assert stated is not None
    return least_margins(machines, stated, ALL_LIMITS, possible=True), (), MARGIN


def commanded_positions(nominal: Machine, real: Machine, pose: Value) -> Value:
    """Return the actuators' positions of a real machine at the nominal readings at a pose."""
    readings = nominal.encoders.readings(kinematics.inverse_kinematics(nominal, pose))
    return real.encoders.positions(readings)
