"""A program as IEC 61131-3 Structured Text: a function block for programmable controllers.

Straight-line code on LREAL variables of the block; a routine that is called is a block of its own,
and an iteration a FOR loop with a bound. Structured Text ignores case, and has no infinity, no NaN
and no atan2. An infinite constant is the maximum finite number. There is no division by zero, which
stops many controllers: a function in the file returns its result. Negative zero counts as zero.
"""

import math
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import product
from textwrap import wrap

from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import Call, ConstantValue, Iteration, Program, Routine, flat_size
from gough.compiler.source import language as lang
from gough.disk.sources import rendered
from gough.errors import CompilerError

_STEP = "    "
_ZERO, _ONE = "LREAL#0.0", "LREAL#1.0"

_RESERVED = frozenset(
    """abs acos action add and any array asin at atan begin bool by byte case concat configuration
    constant continue cos ctd ctu ctud date delete dint div do dt dword element else elsif end eq
    exit exp expt f_edge f_trig false find for from function ge global gt if in insert int interval
    jmp le left len limit lint ln log lreal lt lword max method mid min mod move mul mux namespace
    ne non_retain not of on or override priority private program protected public r_edge r_trig
    read_only read_write real ref repeat replace resource retain return right rol ror rs sel shl shr
    sin single sint sqrt sr step string struct sub super tan task then this time to tod tof ton
    tp transition trunc true type udint uint ulint until use using usint var while with word
    write wstring xor""".split()
)
"""Words and standard functions of the language, and what blocks here call their own."""


def _either(condition: str, then: str, otherwise: str) -> str:
    return f"IF {condition} THEN {{r}} := {then}; ELSE {{r}} := {otherwise}; END_IF;"


def _truth(condition: str) -> str:
    return _either(condition, _ONE, _ZERO)


_OPERATIONS = {
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "mul": "{a} * {b}",
    "neg": "-{a}",
    "sq": "{a} * {a}",
    "twice": "{a} + {a}",
    "fabs": "ABS({a})",
    "log": "LN({a})",
    "pow": "EXPT({a}, {b})",
    **{name: f"{name.upper()}({{a}})" for name in "sqrt exp sin cos tan asin acos atan".split()},
    "copysign": _either(f"{{b}} < {_ZERO}", "-ABS({a})", "ABS({a})"),
    "fmin": _either("({b} < {a}) OR ({a} <> {a})", "{b}", "{a}"),
    "fmax": _either("({b} > {a}) OR ({a} <> {a})", "{b}", "{a}"),
    "sign": f"IF {{a}} < {_ZERO} THEN {{r}} := LREAL#-1.0; ELSIF {{a}} > {_ZERO} "
    f"THEN {{r}} := {_ONE}; ELSE {{r}} := {{a}}; END_IF;",
    "lt": _truth("{a} < {b}"),
    "le": _truth("{a} <= {b}"),
    "eq": _truth("{a} = {b}"),
    "ne": _truth("{a} <> {b}"),
    "not": _truth(f"{{a}} = {_ZERO}"),
    "and": _truth(f"({{a}} <> {_ZERO}) AND ({{b}} <> {_ZERO})"),
    "or": _truth(f"({{a}} <> {_ZERO}) OR ({{b}} <> {_ZERO})"),
    "if_else_zero": _either(f"{{a}} <> {_ZERO}", "{b}", _ZERO),
    "select": _either(f"{{a}} <> {_ZERO}", "{b}", "{c}"),
}
"""Expressions, or statements that assign the result `r` themselves.

A choice computes only what it takes, so that nobody divides by zero for a NaN that is not taken.
"""
_DIVISIONS = ("div", "inv")


class StructuredText(lang.Language):
    """Structured Text's way to write routines: function blocks with an array in and one out."""

    ending = "st"
    assignment = ":="
    arrays = "given", "found"

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._program = program.name
        self._needed = set[str]()

    def number(self, x: float) -> str:
        """A typed literal; what is no number has none."""
        if math.isnan(x):
            return self._function("over_zero", [_ZERO])
        x = min(max(x, -sys.float_info.max), sys.float_info.max) + 0.0  # no negative zero
        mantissa, _, exponent = repr(x).partition("e")
        text = mantissa if "." in mantissa else f"{mantissa}.0"
        text = f"LREAL#{text}E{exponent}" if exponent else f"LREAL#{text}"
        return f"({text})" if math.copysign(1.0, x) < 0 else text

    def constant(self, name: str, text: str) -> str:
        """An assignment to a variable, which the block declares."""
        return text.format(r=name) if "{r}" in text else f"{name} := {text};"

    def computed(self, operation: Operation, operands: dict[str, str]) -> str:
        """An expression, or a statement that assigns `r`."""
        name = operation.name
        if name in _DIVISIONS:
            a, b = (*operands.values(),) if len(operands) == 2 else (_ONE, *operands.values())
            return _either(f"{b} <> {_ZERO}", f"{a} / {b}", self._function("over_zero", [a]))
        if name in _functions():
            return self._function(name, operands.values())
        if name in _OPERATIONS:
            return _OPERATIONS[name].format(r="{r}", **operands)
        raise CompilerError(f"{name} cannot be written in Structured Text: it has no such function")

    def call(self, number: int, routine: Routine, operands: list[str]) -> Iterator[str]:
        """Operands go into the routine's block, and results out of it before its next call."""
        block = self.callee(routine)
        yield from (f"{block}.given[{k}] := {x};" for k, x in enumerate(operands))
        yield f"{block}();"
        # one by one: compilers differ about assigning whole arrays
        yield f"FOR element := 0 TO {flat_size(routine.outputs) - 1} DO"
        yield f"{_STEP}out{number}[element] := {block}.found[element];"
        yield "END_FOR;"

    def function(self, routine: Routine, lines: Iterable[str]) -> str:
        """A function block from `given` to `found`."""
        facts = {
            "name": self.names[id(routine)],
            "said": "",
            "inputs": [f"given : {_array((flat_size(routine.inputs),))};"],
            "outputs": [f"found : {_array((flat_size(routine.outputs),))};"],
            "variables": self.variables(routine),
            "lines": lines,
        }
        return rendered(__name__, "block.st", facts).rstrip()

    def variables(self, routine: Routine) -> list[str]:
        """Declarations of all that the lines of a routine assign, but its results."""
        if isinstance(routine, Iteration):
            step = f"{self.callee(routine.step)} : {self.names[id(routine.step)]};"
            return ["element, pass, count : DINT;", step]
        numbered = list(enumerate(routine.instructions))
        values = [f"v{n}" for n, i in numbered if not isinstance(i, ConstantValue | Call)]
        calls = [(n, i.routine) for n, i in numbered if isinstance(i, Call)]
        blocks = {self.callee(r): self.names[id(r)] for _, r in calls}
        return [
            *wrap(", ".join(values) + " : LREAL;" if values else "", 96),
            *(["element : DINT;"] if calls else []),
            *(f"out{n} : {_array((flat_size(r.outputs),))};" for n, r in calls),
            *(f"{instance} : {name};" for instance, name in blocks.items()),
        ]

    def library(self) -> Iterator[str]:
        """The functions that were needed so far."""
        for name in sorted(self._needed):
            yield re.sub(rf"\b{name}\b", f"{self._program}_{name}", _functions()[name])

    def _function(self, name: str, operands: Iterable[str]) -> str:
        """A call of a function of the file's own, under the program's name."""
        self._needed.add(name)
        return f"{self._program}_{name}({', '.join(operands)})"

    def callee(self, routine: Routine) -> str:
        """An instance of its block."""
        return f"block{[id(r) for r in self.called].index(id(routine))}"


def structured_text(program: Program) -> str:
    """A function block of the program's name, behind the blocks and functions that it calls."""
    language = StructuredText(program)
    inputs, outputs = (
        [(a, f"the_{name}" if name.lower() in _RESERVED else name) for a, name in side]
        for side in lang.named(program)
    )
    seen = dict[str, str]()
    for name in (program.name, *(name for _, name in (*inputs, *outputs))):
        if name.lower() in seen:
            raise CompilerError(
                f"{program.name}: {seen[name.lower()]!r} and {name!r} are one name in Structured "
                "Text, which does not tell upper case from lower"
            )
        seen[name.lower()] = name
    facts = {
        "name": program.name,
        "said": _comment(program.doc.strip()) if program.doc.strip() else "",
        "inputs": _declared(inputs),
        "outputs": _declared(outputs),
        "variables": language.variables(program),
        "lines": language.assigned(program, _places(inputs), _places(outputs)),
    }
    functions = [*language.functions()]  # which may need more of the library
    banner = f"{lang.provenance(program.name, program.origin, lang.work(program))}. Do not edit."
    main = rendered(__name__, "block.st", facts)
    return "\n".join([f"{_comment(banner)}\n", *language.library(), *functions, main])


@cache
def _functions() -> dict[str, str]:
    """Return functions that the language lacks, by C's names."""
    text = files("gough.compiler.source").joinpath("mathematics.st").read_text(encoding="utf-8")
    return {n: body for body, n in re.findall(r"(?ms)^(FUNCTION (\w+).*?^END_FUNCTION\n)", text)}


def _places(named: list[tuple[Argument, str]]) -> list[str]:
    """Elements of all arguments: `J[0, 5]`, or a name alone of what is one number."""
    return [
        f"{name}[{', '.join(map(str, place))}]" if a.shape else name
        for a, name in named
        for place in product(*map(range, a.shape))
    ]


def _declared(named: list[tuple[Argument, str]]) -> list[str]:
    return [f"{name} : {_array(a.shape)}; {_comment(lang.described(a))}" for a, name in named]


def _array(shape: tuple[int, ...]) -> str:
    """The type of an array, or of one number."""
    ranges = ", ".join(f"0..{max(n, 1) - 1}" for n in shape)
    return f"ARRAY[{ranges}] OF LREAL" if shape else "LREAL"


def _comment(text: str) -> str:
    """A comment, which nothing in it can end."""
    return f"(* {text.replace('*)', '* )').replace('(*', '( *')} *)"
