"""Bounds of a model's kernels over all poses of a box."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, compiled
from gough.equations.closure.closing import is_on_home_branch
from gough.equations.machine import Machine
from gough.equations.solvers.linear import Intermediate, for_boxes, symbols_of
from gough.equations.spatial.algebra import Value
from gough.errors import CompilerError, GoughError
from gough.kinematics.proof.implicit import Implicit, moved, twice
from gough.kinematics.proof.joint_derivatives import JointDerivatives
from gough.kinematics.proof.mean_value import Bounded, bounds, taylor_bounds
from gough.kinematics.workspace.box import box_halves
from gough.kinematics.workspace.charts import centre_of
from gough.model import Machines, definitions
from gough.model.kernels import Kernels, kernels_of
from gough.poses.given import array_of_numbers
from gough.robot import Robot

_PASSES = 3
"""Bounds of values inside equations are taken so many times, those of the last ones for good."""
_SHARE = 0.99
"""They are taken no more if each is still as wide as this share of what it was."""
_HALVINGS = 3
"""Sides of a box are halved so many times, at most."""
_TOGETHER = 2**22
"""Second derivatives that are bounded at a time."""


def over(
    robot: Robot | Kernels,
    name: str,
    position: Sequence[float] = (0.0, 0.0, 0.0),
    rotation: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    pose: ArrayLike | None = None,
    order: int = 1,
    halvings: int = 0,
    **inputs: ArrayLike,
) -> Any:
    """Bound a kernel over all poses of a box: (..., 2) lower and upper bounds, rounded outward.

    The box is ± `position` [m] with ± `rotation` [rad] of roll, pitch and yaw about base axes,
    around `pose` (7), by default home, or the possible pose with its coordinates. `inputs` are
    other inputs of the kernel by name, such as a `twist`: numbers (n), or bounds (n, 2); zero if
    left out. Bounds are infinite where nothing is known: divide the box. With an `order` of 2 they
    are those of second derivatives, too: narrower where much is multiplied, of all robots but those
    whose legs alone iterate (H4, quattro); its machine code takes longer to make. With
    `halvings` all sides of the box of poses are halved so many times, and bounds are those of all
    parts together: each time what they are wider than the range by is about a quarter, of 64 times
    as many boxes with six coordinates. Of a kernel with several outputs it is a named tuple.
    """
    if order not in (1, 2):
        raise GoughError(f"order is {order!r:.40}; expected 1 or 2")
    if halvings not in range(_HALVINGS + 1):
        expected = f"expected a whole number from 0 to {_HALVINGS}"
        raise GoughError(f"halvings is {halvings!r:.40}; {expected}")
    model = kernels_of(robot)
    own = model.own_robot("over", of_forces=True)
    model.function(name)  # refuses a name that is unknown
    definition = definitions(model.structure, model.formulation)[name]
    first, *others = definition.inputs
    if first.name != "pose":
        raise GoughError(f"{name} takes no pose; expected a kernel of a pose")
    halves = box_halves(model, position, rotation)
    sides = [np.stack([-halves, halves], -1)]
    for argument in others:
        value = inputs.pop(argument.name, np.zeros(argument.shape))
        given = array_of_numbers(value, argument.name)
        given = np.stack([given, given], -1) if given.shape == argument.shape else given
        if given.shape != (*argument.shape, 2):
            expected = f"{argument.shape}, or bounds {(*argument.shape, 2)}"
            raise GoughError(f"{argument.name} has shape {given.shape}; expected {expected}")
        if not (np.isfinite(given).all() and (given[..., 0] <= given[..., 1]).all()):
            raise GoughError(f"{argument.name} is {given.tolist()!r:.80}; expected numbers, "
                             "or lower and upper bounds in this order")  # fmt: skip
        sides.append(given.reshape(-1, 2))
    if inputs:
        known = ", ".join(argument.name for argument in others) or "none"
        raise GoughError(f"{name} has no input {next(iter(inputs))!r}; expected {known}")
    box, centre = np.concatenate(sides), centre_of(own, pose)
    try:
        implicit = JointDerivatives(Machines(own), centre)
        found = enclosed(implicit, model.formulation, name, box[None], order, halvings)
    except CompilerError as error:
        raise GoughError(f"{own.name}: {name} has no bounds over a box: {error}") from error
    ends, outputs = np.stack([found.low[0], found.high[0]], -1), definition.outputs
    each = np.split(ends, np.cumsum([output.size for output in outputs])[:-1])
    shaped = [part.reshape(*x.shape, 2) for part, x in zip(each, outputs, strict=True)]
    if len(outputs) == 1:
        return shaped[0]
    return namedtuple(name, [output.name for output in outputs])(*shaped)


def enclosed(
    implicit: JointDerivatives,
    formulation: str,
    name: str,
    boxes: Array,
    order: int,
    halvings: int = 0,
) -> Bounded:
    """Bound all values of a kernel over boxes (n, x, 2) around a pose, by order 1 or 2.

    Values inside its equations are bounded first, in some passes: each by those before it. With
    sides that are halved so many times bounds are those of all parts together.
    """
    if halvings:
        given = formulation, name
        each = [enclosed(implicit, *given, x, order, halvings - 1) for x in _halved(boxes)]
        low, high = np.array([x.low.min(0) for x in each]), np.array([x.high.max(0) for x in each])
        slopes = np.array([[x.slopes[..., 0].min(0), x.slopes[..., 1].max(0)] for x in each])
        slopes = np.moveaxis(slopes, 1, -1)
        return Bounded(low, high, slopes, at=low)
    machines, kernel = implicit.machines, bounded_kernel(implicit.machines, formulation, name)
    varied = np.flatnonzero((boxes[..., 0] < boxes[..., 1]).any(0))
    middle = twice(implicit.middle)
    count = sum(x.size for x in definitions(machines.structure, formulation)[name].outputs)
    inside = kernel.function.outputs[0].size - count
    known = np.tile([-np.inf, np.inf], (len(boxes), max(inside, 1), 1))
    for _ in range(_PASSES if inside else 1):
        every, before = bounds(kernel, boxes, [middle, known], varied, implicit, states=6), known
        known = before.copy()
        known[:, :inside, 0] = np.fmax(before[:, :inside, 0], every.low[:, count:])
        known[:, :inside, 1] = np.fmin(before[:, :inside, 1], every.high[:, count:])
        with np.errstate(invalid="ignore"):  # of what is unknown nothing is gained
            if not (np.diff(known) < _SHARE * np.diff(before)).any():
                break
    found = Bounded(*(x[..., :count, :] if x.ndim > 2 else x[:, :count] for x in every))
    if order == 1 or not len(varied):
        return found
    if Implicit(machines.robot).follows:
        raise CompilerError("its legs iterate, of which order 2 is not known; expected order 1")
    curved, size = curved_kernel(machines, formulation, name), len(varied) ** 2 * count
    bundles = min(len(boxes), len(boxes) * size // _TOGETHER + 1)
    split = zip(*(np.array_split(x, bundles) for x in (boxes, found.slopes, known)), strict=True)
    pairs = (taylor_bounds(kernel, curved, x, s, [middle, k], varied, implicit)
             for x, s, k in split)  # fmt: skip
    low, high = map(np.concatenate, zip(*pairs, strict=True))
    has = np.isfinite(found.low)
    low, high = np.fmax(found.low, low), np.fmin(found.high, high)
    return found._replace(low=np.where(has, low, -np.inf), high=np.where(has, high, np.inf))


def _halved(boxes: Array) -> Array:
    """Return parts (n, p, x, 2) of boxes, of which all sides of poses are halved."""
    parts = boxes[:, None]
    for j in np.flatnonzero((boxes[:, :6, 0] < boxes[:, :6, 1]).any(0)):
        lower, upper = parts.copy(), parts.copy()
        lower[..., j, 1] = upper[..., j, 0] = parts[..., j, :].mean(-1)
        parts = np.concatenate([lower, upper], axis=1)
    return parts


@compiled
def bounded_kernel(machines: Machines, formulation: str, name: str) -> Kernel:
    """Return the kernel of bounds of all values of a kernel, and of values inside its equations."""
    return Kernel(_values(machines, formulation, name), boxes=["x"], within=["y"])


@compiled
def curved_kernel(machines: Machines, formulation: str, name: str) -> Kernel:
    """Return the kernel of bounds of derivatives along a direction, and of their slopes."""
    f = _values(machines, formulation, name)
    count = sum(x.size for x in definitions(machines.structure, formulation)[name].outputs)

    def equation(*given: Value) -> Value:
        x, middle, known, *y = given[: len(f.inputs)]
        z, along = ca.vertcat(x, *y), ca.vertcat(*given[len(f.inputs) :])
        return ca.jtimes(f.traced(x, middle, known, *y)[:count], z, along)

    x, _, _, *y = f.inputs
    inputs = [*f.inputs, *(replace(a, name=f"{a.name}_along") for a in (x, *y))]
    made = Function.from_equation(f"{name}_along", equation, inputs, [Argument("values", (count,))])
    return Kernel(made, boxes=["x"], within=["y", "y_along"])


def _values(machines: Machines, formulation: str, name: str) -> Function:
    """Return the function of steps, other inputs, and coordinates that are enclosed, to values.

    Behind these are the values inside, of which `known` has bounds.
    """
    definition = definitions(machines.structure, formulation)[name]
    sizes = np.cumsum([6, *(argument.size for argument in definition.inputs[1:])]).tolist()
    implicit = Implicit(machines.robot)

    def equation(free: Machine, x: Value, middle: Value, known: Value, *ys: Value) -> Value:
        step, *others = ca.vertsplit(x, [0, *sizes])
        machine, pose = implicit.closed(free, moved(middle, step), ys[0] if ys else ca.DM(0, 1))
        # coordinates that are enclosed close all loops, from home on
        of = definition.ungated if implicit.count else definition.equation
        symbols = symbols_of(ca.vertcat(x, middle, known, *ys))
        with for_boxes(inside := Intermediate(known, symbols)):
            found: Any = (of or definition.equation)(machine, pose, *others)
            reached = is_on_home_branch(machine, pose, np.inf) if of else ca.DM(1)
        each = found if isinstance(found, tuple | list) else [found]
        values = ca.vertcat(*(ca.vec(ca.SX(part).T) for part in each))
        if not reached.is_constant():  # else a leg in closed form may not close
            values = ca.if_else(reached, values, ca.DM.nan(*values.shape))
        return ca.vertcat(values, *inside.values)

    inputs = [
        Argument("x", (sizes[-1],)),
        Argument("middle", (7,)),
        Argument("known", (0,)),
        *implicit.arguments("y", derivatives=2 if implicit.follows else 0),
    ]
    free, symbols = machines.machine(), [ca.SX.sym(a.name, a.size) for a in inputs]
    total = equation(free, *symbols).numel()  # how many there are is known when they are traced
    inside = total - sum(output.size for output in definition.outputs)
    inputs[2] = Argument("known", (max(inside, 1),))
    return machines.function(name, equation, inputs, [Argument("values", (total,))])
