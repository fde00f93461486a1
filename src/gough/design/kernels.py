"""Kernels of designs: from variables and a state to all that is asked, with exact slopes."""

from __future__ import annotations

from functools import reduce

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.design.measures import MeasuredState, measure_of
from gough.design.variables import REACH, DesignSpace
from gough.equations.closure import assembled
from gough.equations.spatial.algebra import Value, position, quaternion
from gough.equations.spatial.attitude import euler_quaternion, quaternion_product
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH
from gough.model.machines import Machines

Owners = tuple[int, ...]
Names = tuple[str, ...]
Group = tuple[tuple[int, int], ...]
"""Entries of the values, each with its sign."""
Groups = tuple[Group, ...]

_STATE = (
    POSE,
    Argument("offset", (6,), "m, rad", "x, y, z, roll, pitch, yaw from there"),
    Argument("from_home", (), "1", "1: pose is added to home; 0: as it is"),
    TWIST,
    ACCELERATION,
    WRENCH,
)


def value_kernel(space: DesignSpace, measures: Names) -> Kernel:
    """The kernel (x, state...) -> values of all measures, one after the other."""
    return _values(space.machines, space.owners, space.full_names, measures)


def pull_kernel(space: DesignSpace, measures: Names) -> Kernel:
    """The kernel (x, state..., weights) -> derivatives by x of the weighted sum of the values."""
    return _pull(space.machines, space.owners, space.full_names, measures)


def worst_kernel(space: DesignSpace, measures: Names, groups: Groups) -> Kernel:
    """Return the kernel (x, state...) -> the maximum of each group of values, each with a sign.

    It is infinite where one of them is not a number.
    """
    return _worst(space.machines, space.owners, space.full_names, measures, groups)


@compiled
def _values(machines: Machines, owners: Owners, names: Names, measures: Names) -> Kernel:
    return Kernel(_function(machines, owners, names, measures))


@compiled
def _pull(machines: Machines, owners: Owners, names: Names, measures: Names) -> Kernel:
    plain = _function(machines, owners, names, measures)
    (values,), (x, *_) = plain.expressions, plain.symbols
    weights = ca.SX.sym("weights", values.shape[0])
    return Kernel(
        Function(
            "design_pull",
            "Derivatives by the variables of a weighted sum of a design's values in a state.",
            (*plain.inputs, Argument("weights", (values.shape[0],), "1", "of all values")),
            (Argument("pull", (len(names),), "SI", "derivatives by the variables"),),
            (*plain.symbols, weights),
            (ca.densify(ca.jtimes(values, x, weights, True)),),
        )
    )


@compiled
def _worst(
    machines: Machines, owners: Owners, names: Names, measures: Names, groups: Groups
) -> Kernel:
    plain = _function(machines, owners, names, measures)
    (values,) = plain.expressions
    return Kernel(
        Function(
            "design_worst",
            "The worst values of a design in a state.",
            plain.inputs,
            (Argument("worst", (len(groups),), "SI", "of each group"),),
            plain.symbols,
            (ca.vertcat(*(_largest(values, group) for group in groups)),),
        )
    )


def _largest(values: Value, group: Group) -> Value:
    signed = [sign * values[entry] for entry, sign in group]
    known = sum(signed) < ca.inf
    return ca.if_else(known, reduce(ca.fmax, signed), ca.inf)


def _function(machines: Machines, owners: Owners, names: Names, measures: Names) -> Function:
    chosen = [measure_of(machines, name) for name in measures]
    count = sum(len(measure.labels(machines.robot)) for measure in chosen)

    def equation(x: Value, pose: Value, offset: Value, from_home: Value, *loads: Value) -> Value:
        machine = machines.machine(*([x[list(owners)]] if owners else []))
        reach = x[names.index(REACH)] if REACH in names else 1
        placed = _placed(pose, reach * offset, from_home, assembled.home(machine))
        state = MeasuredState(placed, *loads)
        return ca.vertcat(*(measure.equation(machine, state) for measure in chosen))

    return Function.from_equation(
        "design_values",
        equation,
        [Argument("x", (len(names),), "SI", "the variables of the design"), *_STATE],
        [Argument("values", (count,), "SI", ", ".join(measures))],
        "Values of a design in a state.",
    )


def _placed(pose: Value, offset: Value, from_home: Value, home: Value) -> Value:
    """The platform's pose: a given one, or home; from there by an offset, about base axes."""
    at = from_home * position(home) + (1 - from_home) * position(pose)
    own = from_home * quaternion(home) + (1 - from_home) * quaternion(pose)
    turn = euler_quaternion("xyz", offset[3:6])
    return ca.vertcat(at + offset[0:3], quaternion_product(turn, own))
