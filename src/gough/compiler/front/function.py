"""A symbolic function of one sample: named inputs and outputs, built from CasADi SX.

Symbols and expressions are held flat, in the order in which NumPy stores a row-major array, so
that shapes of any number of axes are possible and every backend sees plain lists of numbers.
Equations see CasADi's own matrices: `()` is 1x1, `(n,)` a column, `(m, n)` a matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate
from math import prod
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.exclusive_calls import make_calls_exclusive
from gough.compiler.front.quick_operators import make_operators_quick
from gough.compiler.memo import compiling, remembered
from gough.disk.plain_data import PlainData
from gough.errors import CompilerError

SX = ca.SX
"""Or a casadi.DM, of numbers."""
Equation = Callable[..., SX | float | Sequence[SX | float]]
"""From one SX for each input to one for each output."""
NUMBERS = "parameters"
"""Name of the input that has the same symbols in all functions: what was made of them, such as a
machine of these numbers, serves the next."""
ITERATE = "gough_iterate_at_most_"
FOR_EACH, BACKWARDS = "gough_for_each_of_", "_backwards"

make_calls_exclusive()
make_operators_quick()


@dataclass(frozen=True, eq=False)
class Function:
    """Named symbolic inputs and outputs with shapes and documentation.

    Calling a Function with SX values inside another equation makes a call in the generated code,
    not a copy of its operations. To copy them, call the Python equation instead.
    """

    name: str
    doc: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    symbols: tuple[SX, ...]
    expressions: tuple[SX, ...]

    def __repr__(self) -> str:
        given, found = (", ".join(a.name for a in some) for some in (self.inputs, self.outputs))
        return f"<gough function {self.name}: {given} -> {found}>"

    def __reduce__(self) -> tuple[object, ...]:
        written = ca.StringSerializer()
        written.pack([*self.symbols, *self.expressions])
        return _restored, (self.name, self.doc, self.inputs, self.outputs, written.encode())

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not ca.Function.check_name(self.name):
            raise CompilerError(
                f"a function cannot have the name {self.name!r}; expected a letter, then letters, "
                "digits and single _"
            )

    @classmethod
    def from_equation(
        cls,
        name: str,
        equation: Equation,
        inputs: Sequence[Argument],
        outputs: Sequence[Argument],
        doc: str = "",
    ) -> Function:
        """Trace `equation`, a Python function from one SX per input to one SX per output."""
        symbols = tuple(_symbols(a) for a in inputs)
        with compiling(name):
            found = equation(*(_shaped(s, a) for s, a in zip(symbols, inputs, strict=True)))
        results = found if isinstance(found, tuple | list) else (found,)
        if len(results) != len(outputs):
            raise CompilerError(
                f"{name}: the equation gave {len(results)} results; expected {len(outputs)}"
            )
        expressions = tuple(_flat(r, a, name) for r, a in zip(results, outputs, strict=True))
        return cls(name, doc or equation.__doc__ or "", tuple(inputs), tuple(outputs),
                   symbols, expressions)  # fmt: skip

    @property
    def casadi(self) -> ca.Function:
        """The CasADi Function behind it; refused with an iteration inside, which CasADi lacks."""
        if any(f.name().startswith(ITERATE) for f in self.traced.find_functions()):
            raise CompilerError(
                f"{self.name} iterates inside (a leg without a closed form, or a search), which a "
                "CasADi function cannot; expected a function in closed form: call the compiled "
                "kernel, or its derivatives"
            )
        return self.traced

    @cached_property
    def traced(self) -> ca.Function:
        """The CasADi Function that the compiler reads, where an iteration stands for one step."""
        return ca.Function(
            self.name,
            list(self.symbols),
            list(self.expressions),
            [a.name for a in self.inputs],
            [a.name for a in self.outputs],
            {"never_inline": True, "allow_duplicate_io_names": True},
        )

    def __call__(self, *values: SX | float) -> Any:
        """A call of this function inside another equation."""
        if len(values) != len(self.inputs):
            raise CompilerError(
                f"{self.name}: called with {len(values)} inputs; expected {len(self.inputs)}"
            )
        flat = [_flat(v, a, self.name) for v, a in zip(values, self.inputs, strict=True)]
        results = self.traced.call(flat)
        shaped = tuple(_shaped(r, a) for r, a in zip(results, self.outputs, strict=True))
        return shaped if len(shaped) > 1 else shaped[0]

    def jacobian(self, output: str, wrt: str, entries: Sequence[int] | None = None) -> Function:
        """Every partial derivative of one output with respect to one input, or to entries of it.

        Its shape is the output's shape followed by the input's: d_i d_j ... / d_k d_l ..., or by
        the number of entries, which count in the order of rows. NaN where the output is NaN: what
        chooses between numbers and NaN has slopes of zero there.
        """
        y, f = self._find(self.outputs, output)
        x, s = self._find(self.inputs, wrt)
        derivative = Argument(
            f"d_{y.name}_d_{x.name}",
            y.shape + (x.shape if entries is None else (len(entries),)),
            f"({y.unit or '1'})/({x.unit})" if x.unit else y.unit,
            f"partial derivatives of {y.name} with respect to {x.name}",
        )
        symbols = self.symbols[s] if entries is None else self.symbols[s][list(entries)]
        known = ca.fabs(self.expressions[f]) > -1  # CasADi takes >= 0 for granted, for NaN too
        dense = ca.densify(ca.jacobian(self.expressions[f], symbols))
        dense = ca.if_else(ca.repmat(known, 1, dense.shape[1]), dense, ca.DM.nan(*dense.shape))
        return Function(
            f"d_{self.name}_d_{x.name}" if len(self.outputs) == 1 else derivative.name,
            f"Partial derivatives of {y.name} of {self.name} with respect to {x.name}.",
            self.inputs,
            (derivative,),
            self.symbols,
            (ca.vec(dense.T),),
        )

    def directional(self) -> Function:
        """The outputs' change when every input x changes along its own direction d_x."""
        directions = tuple(
            Argument(f"d_{a.name}", a.shape, a.unit, f"direction of {a.name}", optional=True)
            for a in self.inputs
        )
        inputs = tuple(replace(a, optional=False) for a in self.inputs) + directions
        changes = tuple(
            Argument(f"d_{a.name}", a.shape, a.unit, f"change of {a.name}") for a in self.outputs
        )
        d_symbols = tuple(ca.SX.sym(a.name, a.size) for a in directions)
        stacked, d_stacked = ca.vertcat(*self.symbols), ca.vertcat(*d_symbols)
        along = tuple(ca.densify(ca.jtimes(e, stacked, d_stacked)) for e in self.expressions)
        name, doc = f"{self.name}_directional", f"Directional derivative of {self.name}."
        return Function(name, doc, inputs, changes, self.symbols + d_symbols, along)

    def adjoint(self) -> Function:
        """The derivative of a number by every input, from its derivative by every output.

        Inputs are those of the function and d_y of each output y; outputs are d_x of each input x.
        """
        given = tuple(
            Argument(f"d_{a.name}", a.shape, "", f"derivative by {a.name}") for a in self.outputs
        )
        found = tuple(
            Argument(f"d_{a.name}", a.shape, "", f"derivative by {a.name}") for a in self.inputs
        )
        d_symbols = tuple(ca.SX.sym(a.name, a.size) for a in given)
        stacked, sizes = ca.vertcat(*self.symbols), [0, *accumulate(a.size for a in self.inputs)]
        along = adjoint_along(self.name, self.expressions, stacked, d_symbols)
        inputs = tuple(replace(a, optional=False) for a in self.inputs) + given
        name, doc = f"{self.name}_adjoint", f"Derivative of a number that depends on {self.name}."
        slopes = tuple(ca.vertsplit(along, sizes))
        return Function(name, doc, inputs, found, self.symbols + d_symbols, slopes)

    def with_equal_parts_once(self) -> Function:
        """Return the function with equal expressions as one, whose derivatives are shorter.

        The compiler finds equal ones in any function, but not what derivatives make of each.
        """
        results, sizes = ca.vertcat(*self.expressions), accumulate(a.size for a in self.outputs)
        return replace(self, expressions=tuple(ca.vertsplit(ca.cse(results), [0, *sizes])))

    def _find(self, arguments: tuple[Argument, ...], name: str) -> tuple[Argument, int]:
        names = [a.name for a in arguments]
        if name not in names:
            raise CompilerError(f"{self.name} has no argument {name!r}; it has {', '.join(names)}")
        return arguments[names.index(name)], names.index(name)


def adjoint_along(name: str, results: Sequence[SX], symbols: SX, slopes: Sequence[SX]) -> SX:
    """Return the derivative of a number by symbols, from its derivatives by results of them."""
    try:
        found = ca.jtimes(ca.cse(ca.vertcat(*results)), symbols, ca.vertcat(*slopes), True)
    except RuntimeError:  # CasADi's, of what must not be differentiated
        raise CompilerError(
            f"{name} iterates inside, which has no adjoint; expected a closed form"
        ) from None
    return ca.densify(found)


def iterate(
    step: Function, at_most: int, *, constant: bool = False
) -> Callable[..., tuple[SX, ...]]:
    """Repeat `step` on its own results until it says stop, at most `at_most` times, per sample.

    `step` takes states and then parameters; it returns the same number of new states and last a
    scalar `status`: 0 goes on, anything else stops that sample and is kept. The result is a
    function for use inside equations: (states..., parameters...) -> (states..., iterations,
    status). A status of 0 there means that `at_most` steps were not enough. As a `constant` the
    result has no derivatives: one more step of Newton's method outside has exact first ones then.
    """
    *states, status = step.outputs
    taken, given = ([a.shape for a in some] for some in (step.inputs, step.outputs))
    if at_most < 1:
        raise CompilerError(f"{step.name}: cannot iterate at most {at_most} times; expected >= 1")
    if status.shape != () or given[:-1] != taken[: len(states)]:
        raise CompilerError(
            f"{step.name}: a step returns its states, shaped as its first inputs, and then a "
            f"scalar status; got {given} from {taken}"
        )
    symbols = [ca.SX.sym(a.name, a.size) for a in step.inputs]
    *new_states, new_status = step.traced.call(symbols)
    # A stand-in that calls the step once: the compiler knows it by its name and makes the loop.
    # CasADi must not differentiate or evaluate it as if it were the loop.
    derivatives: PlainData = {"is_diff_in": [False] * len(symbols)} if constant else {
        "enable_forward": False, "enable_reverse": False, "enable_jacobian": False
    }  # fmt: skip
    results = [*new_states, ca.SX(1), new_status]
    options = {"never_inline": True, **derivatives}
    stand_in = ca.Function(f"{ITERATE}{at_most}", symbols, results, options)

    def iteration(*values: SX | float) -> tuple[SX, ...]:
        flat = [_flat(v, a, step.name) for v, a in zip(values, step.inputs, strict=True)]
        *final, iterations, last_status = stand_in.call(flat)
        shaped = (_shaped(r, a) for r, a in zip(final, states, strict=True))
        return (*shaped, iterations, last_status)

    return iteration


def for_each(
    step: Function, count: int, *, backwards: bool = False
) -> Callable[..., tuple[SX, ...]]:
    """Evaluate `step` for each of so many rows of numbers, the last one first if `backwards`.

    `step` takes states, which begin with zero, then a row, then what all rows share; it returns new
    states and a new row. The result is a function for use inside equations of GPUs:
    (rows (n, count), shared...) -> (states..., new rows (m, count)).
    """
    *states, new_row = step.outputs
    row, *shared = step.inputs[len(states) :]
    rows, *others = [
        ca.SX.sym(a.name, n * a.size) for a, n in ((row, count), *((a, 1) for a in shared))
    ]
    zeros = [ca.SX.zeros(a.size) for a in states]
    *found, first = step.traced.call([*zeros, rows[::count], *others])
    results = [*found, ca.vec(ca.repmat(first, 1, count).T)]  # a stand-in as that of `iterate`
    options = {"never_inline": True, "enable_forward": False, "enable_reverse": False}
    name = f"{FOR_EACH}{count}{BACKWARDS if backwards else ''}"
    stand_in = ca.Function(name, [rows, *others], results, options)

    def repeated(rows: SX, *values: SX | float) -> tuple[SX, ...]:
        flat = [_flat(v, a, step.name) for v, a in zip(values, shared, strict=True)]
        *final, new_rows = stand_in.call([ca.vec(rows.T), *flat])
        shaped = (_shaped(r, a) for r, a in zip(final, states, strict=True))
        return (*shaped, ca.reshape(new_rows, count, new_row.size).T)

    return repeated


def _symbols(argument: Argument) -> SX:
    if argument.name == NUMBERS:
        return _numbers(argument.size)
    return ca.SX.sym(argument.name, argument.size)


@cache
def _numbers(count: int) -> SX:
    return ca.SX.sym(NUMBERS, count)


@remembered
def _restored(
    name: str, doc: str, inputs: tuple[Argument, ...], outputs: tuple[Argument, ...], written: str
) -> Function:
    """A function from another process: one for all that were written alike."""
    parts = tuple(ca.StringDeserializer(written).unpack())
    return Function(name, doc, inputs, outputs, parts[: len(inputs)], parts[len(inputs) :])


def _matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """The rows and columns with which equations see an array of this shape."""
    return (prod(shape), 1) if len(shape) < 2 else (prod(shape[:-1]), shape[-1])


def _shaped(flat: SX, argument: Argument) -> SX:
    rows, columns = _matrix_shape(argument.shape)
    return flat if columns == 1 else ca.reshape(flat, columns, rows).T


def _flat(value: SX | float, argument: Argument, name: str) -> SX:
    matrix = ca.densify(ca.SX(value))
    if matrix.shape != _matrix_shape(argument.shape):
        raise CompilerError(
            f"{name}: {argument.name} is {matrix.shape[0]}x{matrix.shape[1]}; "
            f"expected shape {argument.shape}"
        )
    return ca.vec(matrix.T)


def joined(name: str, functions: Sequence[Function]) -> Function:
    """One function with all inputs, equal names once, and all outputs, named apart if needed."""
    inputs = dict[str, Argument]()
    for argument in (argument for function in functions for argument in function.inputs):
        first = inputs.setdefault(argument.name, argument)
        if first.shape != argument.shape:
            raise CompilerError(
                f"{name}: {argument.name} has shape {first.shape} in one function and "
                f"{argument.shape} in another; they cannot be one"
            )
    symbols = {a.name: ca.SX.sym(a.name, a.size) for a in inputs.values()}
    names = [a.name for function in functions for a in function.outputs]
    outputs, expressions = list[Argument](), list[SX]()
    for function in functions:
        here = [symbols[a.name] for a in function.inputs]
        expressions += ca.substitute(list(function.expressions), list(function.symbols), here)
        outputs += [
            replace(a, name=f"{function.name}_{a.name}") if names.count(a.name) > 1 else a
            for a in function.outputs
        ]
    doc = "\n\n".join(f"{function.name}: {function.doc.strip()}" for function in functions)
    arguments = tuple(inputs.values()), tuple(outputs), tuple(symbols.values())
    return Function(name, doc, *arguments, tuple(expressions))
