"""Functions and their adjoints, which take solutions and factors from the functions."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import unwrap
from itertools import accumulate
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, adjoint_along
from gough.equations.solvers.implicit import restoring, storing
from gough.equations.spatial.algebra import Value

FEW = 700
"""Operations that may be in two parts of an adjoint."""


def with_adjoint(
    make: Callable[..., Function], *given: Any, in_parts: bool = False
) -> tuple[Function, Function]:
    """Return a function whose last output are stored numbers, and its adjoint, which takes them.

    They are the input behind the function's own. `make` is the maker of the function, which traces
    equations: of y(z, x) with a solution x of r(z, x) = 0 the adjoint is d_z = y_zᵀ d_y + r_zᵀ μ,
    Aᵀ μ = y_xᵀ d_y with A = -∂r/∂x, and so on for solutions that depend on others. `in_parts` the
    terms of each r are a routine that computes all of what it needs: fewer numbers wait in each.
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
    given_and_solved = ca.vertcat(*again.symbols, *(solved.x for solved in solutions))
    results, seeds = list(again.expressions), list(d_symbols)
    slopes, end = ca.SX.zeros(given_and_solved.shape[0]), given_and_solved.shape[0]
    for solved in reversed(solutions):
        start, d_x = end - solved.x.shape[0], adjoint_along(name, results, solved.x, seeds)
        if in_parts and ca.n_nodes(d_x) > FEW:
            slopes += _part(name, results, given_and_solved, seeds)
            results, seeds, d_x = [], [], ca.SX.zeros(solved.x.shape[0])
        d_x, end = d_x + slopes[start:end], start
        if not d_x.is_zero():
            results.append(solved.residual)
            seeds.append(solved.transposed(d_x))
    along = _part if in_parts else adjoint_along
    slopes = slopes[:end] + along(name, results, given_and_solved[:end], seeds)
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


def _part(name: str, results: Sequence[Value], by: Value, seeds: Sequence[Value]) -> Value:
    """Return what `adjoint_along` does, as a call of a routine."""
    given = [ca.SX.sym("seeds", seed.shape[0]) for seed in seeds]
    slopes = adjoint_along(name, results, by, given)
    found = [k for k in range(slopes.shape[0]) if not slopes[k].is_zero()]
    taken = ca.vertcat(*ca.symvar(slopes))
    arguments = (Argument("taken", (taken.shape[0],)),), (Argument("slopes", (len(found),)),)
    part = Function(name, "", *arguments, (taken,), (slopes[found],))
    whole = ca.SX.zeros(slopes.shape[0])
    whole[found] = part(ca.substitute(taken, ca.vertcat(*given), ca.vertcat(*seeds)))
    return whole
