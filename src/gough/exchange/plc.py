"""Function blocks for PLCs: Structured Text of 64 or 32 bits, as text or as PLCopen XML.

The latter is PLCopen's exchange format (TC6, version 2.01). What single precision costs, its header
says: programs are evaluated here, operation by operation, in numbers of either kind.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from textwrap import fill

import numpy as np

from gough.arrays import AnyArray, AnyNumber, Array
from gough.compiler.front import program as ir
from gough.compiler.source.language import is_single, named
from gough.compiler.source.structured_text import structured_text
from gough.disk.sources import rendered
from gough.errors import CompilerError

_OF_SEARCHES = {"residual", "iterations", "status"}
"""Outputs that tell how a search ended, and not what it found."""
STATES = 10  # number of states in which single precision is compared with double precision

_UNIT = re.compile(
    r"^(?P<kind>FUNCTION(?:_BLOCK)?) (?P<name>\w+)(?: : (?P<returns>\w+))?\n"
    r"(?:\(\* (?P<says>.*?) \*\)\n)?(?P<declared>(?:VAR\w*\n.*?^END_VAR\n)*)(?P<body>.*?)"
    r"^END_(?P=kind)\n",
    re.MULTILINE | re.DOTALL,
)
_SECTION = re.compile(r"^(VAR\w*)\n(.*?)^END_VAR\n", re.MULTILINE | re.DOTALL)
_DECLARED = re.compile(r"\s*([\w,\s]+?)\s:\s+(.+?);(?: \(\* (.*?) \*\))?\n", re.DOTALL)
_WORDS = {"reference": "the_reference"}
"""Names that CODESYS and TwinCAT have as words, beside those of the standard."""
_LITERAL = re.compile(r"LREAL#(-?[\d.]+(?:E[+-]?\d+)?)")


def function_block(program: ir.Program, dtype: str) -> str:
    """Structured Text of a program, in LREAL or, of float32, in REAL."""
    named = (replace(a, name=_WORDS.get(a.name, a.name)) for a in program.inputs)
    text = structured_text(replace(program, inputs=tuple(named)))
    return _LITERAL.sub(_literal, text).replace("LREAL", "REAL") if is_single(dtype) else text


def _literal(found: re.Match[str]) -> str:
    most = float(np.finfo(np.float32).max)
    number = np.float32(min(max(float(found[1]), -most), most))
    mantissa, _, exponent = str(number).partition("e")
    whole = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"REAL#{whole}E{exponent}" if exponent else f"REAL#{whole}"


def plcopen_xml(text: str) -> str:
    """Structured Text as an XML file of PLCopen, with the same declarations and bodies."""
    units = []
    for found in _UNIT.finditer(text):
        sections = {
            kind: [(name.strip(), *of) for names, *of in lines for name in names.split(",")]
            for kind, inside in _SECTION.findall(found["declared"])
            if (lines := _DECLARED.findall(inside))
        }
        units.append(found.groupdict() | {"sections": sections})
    facts = {"banner": text.partition("\n")[0].strip("(* )"), "units": units}
    return rendered(__name__, "plcopen.xml", facts)


def rounding_note(double: ir.Program, single: ir.Program, values: Mapping[str, Array]) -> str:
    """A paragraph on the error of single precision in states near one, about 1 % away."""
    given = [np.ravel(values.get(a.name, np.zeros(a.shape))) for a in double.inputs]
    sizes = np.concatenate([np.full(x.size, np.abs(x).max(initial=0.0) or 1.0) for x in given])
    away = 0.01 * np.random.default_rng(0).normal(size=(STATES, sizes.size))
    away[0] = 0.0
    states = (np.concatenate(given) + sizes * away).astype(np.float32)
    ends, words = np.cumsum([a.size for a in double.outputs])[:-1], []
    exact = np.array([evaluated(double, state) for state in states.astype(float)], float)
    found = np.array([evaluated(single, state) for state in states], float)
    parts = (np.split(numbers, ends, axis=1) for numbers in (exact, found))
    for (argument, name), right, rounded in zip(named(double)[1], *parts, strict=True):
        known = np.isfinite(right).all(axis=1)
        if known.any() and argument.name not in _OF_SEARCHES:
            error = np.abs(rounded - right)[known].max() / (np.abs(right[known]).max() or 1.0)
            words.append(f"{name} {error:.1g}")
    against = "Maximum error against 64 bits, relative to the maximum of each output"
    where = f"in {STATES} states near home: {', '.join(words) or 'none is finite there'}."
    return "\n\n" + fill(f"In numbers of 32 bits (REAL). {against}, {where}", 88)


_NUMPY = {  # functions of NumPy by operations; others have the same name
    "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative", "sq": "square",
    "inv": "reciprocal", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
    "pow": "power", "lt": "less", "le": "less_equal", "eq": "equal", "ne": "not_equal",
    "not": "logical_not", "and": "logical_and", "or": "logical_or",
}  # fmt: skip


def _tanh(a: AnyNumber) -> AnyNumber:
    """Return tanh as the function in the file computes it."""
    s, e = a * a, np.exp(-2 * np.abs(a))
    if np.abs(a) < 0.02:
        return a * (1 - s * (1 / 3 - s * (2 - s * 17 / 21) / 15))
    return np.copysign((1 - e) / (1 + e), a)


_CHOICES: dict[str, Callable[..., AnyNumber]] = {
    "twice": lambda a: a + a,
    "if_else_zero": lambda a, b: b if a != 0 else 0.0,
    "select": lambda a, b, c: b if a != 0 else c,
    "tanh": _tanh,
}


def evaluated(routine: ir.Routine, given: AnyArray) -> list[AnyNumber]:
    """The outputs of a routine at inputs, all laid end to end, in numbers of the inputs' type."""
    number = given.dtype.type
    if isinstance(routine, ir.Iteration):
        states, others = [*given[: routine.n_states]], [*given[routine.n_states :]]
        count, status = 0, number(0)
        while count < routine.at_most and status == 0:
            count += 1
            *states, status = evaluated(routine.step, np.array([*states, *others], number))
        return [*states, number(count), status]
    values: list[AnyNumber] = []
    with np.errstate(all="ignore"):
        for instruction in routine.instructions:
            match instruction:
                case ir.ConstantValue(x):
                    value: AnyNumber = number(x)
                case ir.LoadInput(element):
                    value = given[element]
                case ir.Compute(operation, operands):
                    name = operation.name
                    does = _CHOICES.get(name) or getattr(np, _NUMPY.get(name, name), None)
                    if does is None:
                        raise CompilerError(f"{name} cannot be written in Structured Text")
                    value = number(does(*(values[k] for k in operands)))
                case ir.Call(called, operands):
                    value = evaluated(called, np.array([values[k] for k in operands], number))
                case ir.Result(call, element):
                    value = values[call][element]
            values.append(value)
    return [values[k] for k in routine.results]
