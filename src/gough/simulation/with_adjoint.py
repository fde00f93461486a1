"""Functions and their adjoints, which take solutions and factors from the functions."""

from collections.abc import Callable
from dataclasses import replace
from inspect import unwrap
from itertools import accumulate
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, adjoint_along
from gough.equations.solvers.implicit import restoring, storing


def with_adjoint(make: Callable[..., Function], *given: Any) -> tuple[Function, Function]:
    """Return a function whose last output are stored numbers, and its adjoint, which takes them.

    They are the input behind the function's own. `make` is the maker of the function, which traces
    equations: of y(z, x) with a solution x of r(z, x) = 0 the adjoint is d_z = y_zᵀ d_y + r_zᵀ μ,
    Aᵀ μ = y_xᵀ d_y with A = -∂r/∂x, and so on for solutions that depend on others.
    """
    trace = unwrap(make)
    with storing() as noted:
        function = trace(*given)
    sizes = [x.shape[0] for x in noted]
    numbers = ca.SX.sym("stored", sum(sizes))
    with restoring(ca.vertsplit(numbers, [0, *accumulate(sizes)])) as solutions:
        again = trace(*given)
    name, inputs = f"{again.name}_adjoint", again.inputs
    d_outputs = tuple(Argument(f"d_{a.name}", a.shape) for a in again.outputs)
    d_symbols = tuple(ca.SX.sym(a.name, a.size) for a in d_outputs)
    results, seeds = list(again.expressions), list(d_symbols)
    for solved in reversed(solutions):
        d_x = adjoint_along(again.name, results, solved.x, seeds)
        if not d_x.is_zero():
            results.append(solved.residual)
            seeds.append(solved.transposed(d_x))
    slopes = adjoint_along(again.name, results, ca.vertcat(*again.symbols), seeds)
    known = {x.element_hash() for x in ca.symvar(slopes)}
    places = [k for k in range(sum(sizes)) if numbers[k].element_hash() in known]
    stored, values = Argument("stored", (len(places),)), ca.vertcat(ca.SX(0, 1), *noted)
    evaluated = replace(
        function,
        outputs=(*function.outputs, stored),
        expressions=(*function.expressions, values[places, :]),
    )
    adjoint = Function(
        name,
        f"Derivative of a number that depends on {again.name}.",
        (*inputs, stored, *d_outputs),
        tuple(Argument(f"d_{a.name}", a.shape) for a in inputs),
        (*again.symbols, numbers[places, :], *d_symbols),
        tuple(ca.vertsplit(slopes, [0, *accumulate(a.size for a in inputs)])),
    )
    return evaluated, adjoint
