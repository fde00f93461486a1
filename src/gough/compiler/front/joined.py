"""Several functions as one, which computes what they share once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import SX, Function
from gough.errors import CompilerError


def joined(name: str, functions: Sequence[Function]) -> Function:
    """One function with the inputs of all, those of the same name once, and with all outputs.

    An output whose name is another's, too, has its function's name before it.
    """
    inputs = _inputs(name, functions)
    symbols = {a.name: ca.SX.sym(a.name, a.size) for a in inputs}
    expressions: list[SX] = []
    for function in functions:
        here = [symbols[a.name] for a in function.inputs]
        expressions += ca.substitute(list(function.expressions), list(function.symbols), here)
    return Function(
        name,
        "\n\n".join(f"{function.name}: {function.doc.strip()}" for function in functions),
        inputs,
        _outputs(functions),
        tuple(symbols.values()),
        tuple(expressions),
    )


def _inputs(name: str, functions: Sequence[Function]) -> tuple[Argument, ...]:
    found = dict[str, Argument]()
    for argument in (argument for function in functions for argument in function.inputs):
        first = found.setdefault(argument.name, argument)
        if first.shape != argument.shape:
            raise CompilerError(
                f"{name}: {argument.name} has shape {first.shape} in one function and "
                f"{argument.shape} in another; they cannot be one"
            )
    return tuple(found.values())


def _outputs(functions: Sequence[Function]) -> tuple[Argument, ...]:
    names = [a.name for function in functions for a in function.outputs]
    return tuple(
        replace(a, name=f"{function.name}_{a.name}") if names.count(a.name) > 1 else a
        for function in functions
        for a in function.outputs
    )
