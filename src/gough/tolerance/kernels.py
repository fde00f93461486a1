"""Kernels of machines with parameter errors.

Some of a robot's numbers, by their places in the vector of parameters, have errors. The machine is
commanded as if it had none: by the readings that the encoders of the nominal machine have at a
pose.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.mechanism import dynamics
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import difference, normalised, nudge, rate
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.kinematics.forward.kernel import forward_function
from gough.kinematics.forward.searches import search_of
from gough.kinematics.forward.status import AT_MOST, DOUBLE, STRIDE, Status
from gough.kinematics.size import size_in
from gough.kinematics.workspace.reach import ALL_LIMITS, least_margins
from gough.kinematics.workspace.stated_limits import FAMILIES, Stated, stated_limits
from gough.model.catalogue import definitions
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH, Definition, forces
from gough.model.machines import Machines

Places = tuple[int, ...]
"""Places of the numbers that have errors, in the vector of parameters."""
Equation = Callable[..., Value | tuple[Value, ...]]

LOADS = (TWIST, ACCELERATION, WRENCH)
DISPLACEMENT = Argument("displacement", (6,), "m, rad", "translation and rotation, base axes")
_STEPS = 3
"""Number of Newton's steps: parameter errors of a thousandth of a machine's size leave 1e-6 after
one step, 1e-12 after two."""
MARGIN = Argument("margin", (len(FAMILIES),), "1", "within each kind of limit")


@compiled
def nearby_kernel(machines: Machines, places: Places) -> Kernel:
    """The kernel (parameters, errors, pose) -> displacement, reached pose, whether it converged.

    A few of Newton's steps from the nominal pose, without a loop: enough for usual parameter
    errors. It did not converge where the last step is not small, or det J has another sign.
    """
    kind = search_of(machines.robot, "newton")

    def equation(parameters: Value, errors: Value, pose: Value) -> tuple[Value, ...]:
        """Pose near by that a machine with errors reaches when it is commanded to a pose."""
        real, q = _commanded(machines, places, parameters, errors, pose)
        machine = machines.machine(real)
        size, taken, joints = size_in(machines, machine), pose, kind.start(machine, pose, q)
        steps = []
        for _ in range(_STEPS):
            step = kind.step(machine, taken, joints, q, size)
            taken = normalised(nudge(taken, step.platform))
            joints = [old + new for old, new in zip(joints, step.joints, strict=True)]
            steps.append(step)
        small = reduce(ca.fmax, map(ca.fabs, steps[-1].sizes)) <= DOUBLE.tolerance
        own_side = steps[0].determinant * steps[-1].determinant > 0
        return difference(taken, pose), taken, ca.logic_and(small, own_side)

    inputs = [*machines.numbers, _errors(places), POSE]
    outputs = [DISPLACEMENT, POSE, Argument("settled", (), "1", "whether it has converged")]
    return Kernel(Function.from_equation("nearby_pose", equation, inputs, outputs))


@compiled
def searched_kernel(machines: Machines, places: Places) -> Kernel:
    """The kernel (parameters, errors, pose) -> displacement, reached pose; NaN if there is none.

    Newton's method until convergence.
    """
    forward = forward_function(machines, "newton", AT_MOST)

    def equation(parameters: Value, errors: Value, pose: Value) -> tuple[Value, ...]:
        """Pose that a machine with errors reaches when it is commanded to a pose."""
        real, q = _commanded(machines, places, parameters, errors, pose)
        taken, _, _, status = forward(real, q, pose, 0, ca.DM([DOUBLE.tolerance, STRIDE]))
        own = ca.logic_or(status == Status.CONVERGED, status == Status.OUTSIDE_STROKE)
        found = ca.if_else(own, taken, ca.DM.nan(POSE.size))
        return difference(found, pose), found

    inputs = [*machines.numbers, _errors(places), POSE]
    return Kernel(Function.from_equation("searched_pose", equation, inputs, [DISPLACEMENT, POSE]))


@compiled
def force_kernel(machines: Machines, places: Places) -> Kernel:
    """The kernel (parameters, errors, pose, twist, acceleration, wrench) -> actuator forces."""
    return _at_errors(machines, places, dynamics.actuator_force, LOADS, _force(machines))


def margin_kernel(machines: Machines, places: Places) -> Kernel:
    """The kernel (parameters, errors, pose) -> minimum margin of each kind of limit."""
    return _margins(machines, places, _stated(machines))


@compiled
def reading_change_kernel(machines: Machines) -> Kernel:
    """The kernel (parameters, pose, change, displacement) -> change of the encoders' readings."""
    readings = _of_encoders(machines, "readings")
    return _change(machines, readings.equation, (), readings.outputs[0])


@compiled
def force_change_kernel(machines: Machines) -> Kernel:
    """The kernel (parameters, pose, LOADS..., change, displacement) -> change of actuator forces.

    Twist, acceleration and wrench are constant.
    """
    return _change(machines, dynamics.actuator_force, LOADS, _force(machines))


def margin_change_kernel(machines: Machines) -> Kernel:
    """The kernel (parameters, pose, change, displacement) -> change of the margins."""
    return _margin_change(machines, _stated(machines))


@compiled
def _margins(machines: Machines, places: Places, stated: Stated) -> Kernel:
    margins = least_margins(machines, stated, ALL_LIMITS, possible=True)
    return _at_errors(machines, places, margins, (), MARGIN)


@compiled
def _margin_change(machines: Machines, stated: Stated) -> Kernel:
    margins = least_margins(machines, stated, ALL_LIMITS, possible=True)
    return _change(machines, margins, (), MARGIN)


def _stated(machines: Machines) -> Stated:
    """The limits that count: equal for all machines with the same ones stated."""
    return stated_limits(machines.robot, ALL_LIMITS.families)


def _at_errors(
    machines: Machines,
    places: Places,
    equation: Equation,
    state: tuple[Argument, ...],
    output: Argument,
) -> Kernel:
    """The kernel (parameters, errors, pose, state...) of an equation(machine, pose, state...)."""

    def with_errors(
        parameters: Value, errors: Value, pose: Value, *given: Value
    ) -> Value | tuple[Value, ...]:
        real = machines.machine(_with_errors(parameters, places, errors))
        return equation(real, pose, *given)

    inputs = [*machines.numbers, _errors(places), POSE, *state]
    name, doc = f"{output.name}_with_errors", equation.__doc__ or ""
    return Kernel(Function.from_equation(name, with_errors, inputs, [output], doc))


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


def _with_errors(parameters: Value, places: Places, errors: Value) -> Value:
    real = ca.SX(parameters)
    real[list(places)] += errors
    return real


def _commanded(
    machines: Machines, places: Places, parameters: Value, errors: Value, pose: Value
) -> tuple[Value, Value]:
    """The numbers with their errors, and the actuators' positions at a pose's nominal readings."""
    readings, positions = (_of_encoders(machines, name) for name in ("readings", "positions"))
    real = _with_errors(parameters, places, errors)
    commanded = readings.equation(machines.machine(parameters), pose)
    moved = positions.equation(machines.machine(real), commanded)
    assert not isinstance(moved, tuple)
    return real, moved


def _of_encoders(machines: Machines, name: str) -> Definition:
    """Equation of the "readings" at a pose, or of the "positions" at readings."""
    return definitions(machines.structure, DEFAULT_FORMULATION)[name]


def _errors(places: Places) -> Argument:
    return Argument("errors", (len(places),), "SI", "of the numbers at some places")


def _force(machines: Machines) -> Argument:
    known = forces(machines.structure)
    return Argument(known.name, known.shape, known.unit, known.meaning)
