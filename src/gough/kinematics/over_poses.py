"""Many robots over many poses: the largest, smallest or sum of a quantity, made where it is.

A million designs at a hundred poses are a hundred million samples, of which nobody wants to see
more than one number for each design. So the kernel takes what was found so far and gives what is
found with one more pose; designs go through it in pieces that stay in the processor's cache. What
depends on the design alone, its geometry first of all, is computed once for all poses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program
from gough.compiler.front.stages import in_two
from gough.compiler.native import threads as threading
from gough.compiler.native.fitting import complete, fitted
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import WORTH_THREADS, Kernel
from gough.compiler.remembered import remembered
from gough.errors import GoughError, KernelArgumentError
from gough.kinematics.quantities import quantity_function
from gough.model.kernels import Kernels
from gough.model.machines import Machines

PIECE = 1024
"""So many designs go through all poses before the next ones do."""


def _more(so_far: Any, x: Any) -> Any:
    return ca.if_else(so_far < x, x, so_far)


def _less(so_far: Any, x: Any) -> Any:
    return ca.if_else(so_far > x, x, so_far)


REDUCTIONS: dict[str, tuple[float, Callable[[Any, Any], Any]]] = {
    "max": (-np.inf, _more),
    "min": (np.inf, _less),
    "sum": (0.0, lambda so_far, x: so_far + x),
}
"""By name, what there is before the first pose, and what with one more."""


def over_poses(
    model: Kernels,
    how: str,
    quantity: str,
    poses: Any,
    *,
    parameters: Any = None,
    threads: int | None = None,
    **others: Any,
) -> Array:
    """The largest ("max"), smallest ("min") or "sum" of a quantity over poses (n, 7).

    For each set of parameters (..., p) of a parametric model: (..., and the quantity's own axes).
    Quantities are the model's kernels with one output, and those of `gough.kinematics.quantity`.
    What else a kernel takes is given by name, as one value or as one for each pose: `twist=...`.
    A pose at which a robot has no answer makes the answer over all poses NaN.
    """
    if how not in REDUCTIONS:
        raise GoughError(f"over_poses: no reduction {how!r}; expected one of {list(REDUCTIONS)}")
    if not model.parametric:
        raise GoughError(
            "over_poses is about many robots, and this model has constants in place of parameters; "
            "expected gough.Model(robot, parametric=...)"
        )
    asked = (model.machines, model.formulation, quantity, how)
    prepared, kernel = _preparing(*asked), _reducing(*asked)
    so_far, _, *states = kernel.description.inputs
    designs = np.asarray(model.numbers(parameters)[0], dtype=float)
    states_given = _states(states, {"pose": poses, **others})
    result = np.full((*designs.shape[:-1], *so_far.shape), REDUCTIONS[how][0])
    flat = designs.reshape(-1, designs.shape[-1])
    found = result.reshape(-1, *so_far.shape)

    def run(inputs: Sequence[AnyArray], outputs: Sequence[AnyArray]) -> None:
        for start in range(0, len(outputs[0]), PIECE):
            piece = slice(start, start + PIECE)
            robots = prepared(np.ascontiguousarray(inputs[0][piece]), threads=1)
            _reduce(kernel, robots, states_given, outputs[0][piece])

    count = threading.available() if threads is None else threads
    work = len(flat) * len(states_given[0]) * kernel.description.n_operations
    if count > 1 and work > WORTH_THREADS:
        cores = [1, len(so_far.shape)]
        threading.run_in_pieces(run, [flat], cores, [found], (len(flat),), count)
    else:
        run([flat], [found])
    return result


def _reduce(kernel: Kernel, robots: AnyArray, states: Sequence[AnyArray], result: AnyArray) -> None:
    """All poses for a few designs, in two places in turn."""
    here, there = result.copy(), np.empty_like(result)
    for state in zip(*states, strict=True):
        kernel(here, robots, *state, out=there, threads=1)
        here, there = there, here
    result[...] = here


def _states(inputs: Sequence[Argument], given: dict[str, Any]) -> list[AnyArray]:
    """What is given of each pose: (n, ...) each."""
    found = complete("over_poses", inputs, given)
    arrays = [fitted("over_poses", a, found[a.name]) for a in inputs]
    poses = arrays[0]
    if poses.ndim != 2:
        raise KernelArgumentError(
            f"over_poses: argument 'pose' has shape {poses.shape}; expected (n, 7)"
        )
    for a, array in zip(inputs, arrays, strict=True):
        if array.shape not in (a.shape, (len(poses), *a.shape)):
            raise KernelArgumentError(
                f"over_poses: argument {a.name!r} has shape {array.shape}; expected "
                f"{a.shape}, or {(len(poses), *a.shape)}: one for each pose"
            )
    pairs = zip(inputs, arrays, strict=True)
    return [np.ascontiguousarray(np.broadcast_to(x, (len(poses), *a.shape))) for a, x in pairs]


@compiled
def _preparing(machines: Machines, formulation: str, quantity: str, how: str) -> Kernel:
    """From parameters to all that poses do not change."""
    return Kernel.of_program(_stages(machines, formulation, quantity, how)[0])


@compiled
def _reducing(machines: Machines, formulation: str, quantity: str, how: str) -> Kernel:
    """(so far, what was prepared, pose, ...) -> what is found with this pose."""
    return Kernel.of_program(_stages(machines, formulation, quantity, how)[1])


@remembered
def _stages(
    machines: Machines, formulation: str, quantity: str, how: str
) -> tuple[Program, Program]:
    """(so far, parameters, pose, ...) -> what is found with this pose, in two."""
    function = quantity_function(machines, formulation, quantity)
    if len(function.outputs) > 1:
        raise GoughError(f"over_poses: {quantity} has several outputs; expected one of one")
    (output,) = function.outputs
    together = REDUCTIONS[how][1]

    def equation(so_far: Any, *given: Any) -> Any:
        x = function(*given)
        known = ca.fabs(x) <= ca.inf
        return ca.if_else(known, together(so_far, x), x)

    so_far = Argument("so_far", output.shape, output.unit, "of the poses before")
    result = Argument(output.name, output.shape, output.unit, output.meaning)
    inputs = (so_far, *function.inputs)
    whole = Function.from_equation(f"{how}_of_{quantity}", equation, inputs, [result])
    return in_two(Program.of(whole), function.inputs[0].name)
