"""A program as a JavaScript module of typed arrays, without dependencies: for browsers and Node.

A browser's numbers are IEEE doubles, so the operations give Python's bits. JavaScript leaves sine
and the like to each browser; here they are the programs that Gough's machine code runs, too.
"""

import json
import math
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from gough.compiler.front.elementary import elementary
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import Program, Routine, flat_size
from gough.compiler.native.webassembly import webassembly
from gough.compiler.source import language as lang
from gough.disk.sources import rendered
from gough.errors import CompilerError

_STEP = "  "

_OPERATIONS = {
    "sqrt": "Math.sqrt({a})",
    "fabs": "Math.abs({a})",
    "floor": "Math.floor({a})",
    "ceil": "Math.ceil({a})",
    "fmin": "{b} < {a} || {a} !== {a} ? {b} : {a}",
    "fmax": "{b} > {a} || {a} !== {a} ? {b} : {a}",
    "sign": "{a} < 0 ? -1 : {a} > 0 ? 1 : {a}",
    "lt": "{a} < {b} ? 1 : 0",
    "le": "{a} <= {b} ? 1 : 0",
    "eq": "{a} === {b} ? 1 : 0",
    "ne": "{a} !== {b} ? 1 : 0",
    "not": "{a} === 0 ? 1 : 0",
    "and": "{a} !== 0 && {b} !== 0 ? 1 : 0",
    "or": "{a} !== 0 || {b} !== 0 ? 1 : 0",
    "if_else_zero": "{a} !== 0 ? {b} : 0",
    "select": "{a} !== 0 ? {b} : {c}",
}
"""Operations that are not written as in C, where NaN is true, and ignored in a minimum."""

_BROWSERS = frozenset(
    "exp log tan sinh cosh tanh asinh acosh atanh expm1 log1p hypot sin cos".split()
)
"""Functions that a browser has: within some units in the last place of Python's."""


class JavaScript(lang.Language):
    """JavaScript's way to write routines: functions of numbers that return an array of them."""

    ending = "js"

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._library: dict[str, str] = {}

    def number(self, x: float) -> str:
        """A literal."""
        if math.isnan(x):
            return "NaN"
        if math.isinf(x):
            return "Infinity" if x > 0 else "(-Infinity)"
        text = repr(x).removesuffix(".0")
        return f"({text})" if math.copysign(1.0, x) < 0 else text

    def constant(self, name: str, text: str) -> str:
        """A declaration."""
        return f"const {name} = {text};"

    def computed(self, operation: Operation, operands: dict[str, str]) -> str:
        """An expression; what is a function in C may be one here."""
        name = operation.name
        if name in _OPERATIONS or (operation.llvm and name not in _helpers()):
            return _OPERATIONS.get(name, operation.c).format(one="1", f="", **operands)
        return f"{self._function(name)}({', '.join(operands.values())})"

    def call(self, number: int, routine: Routine, operands: list[str]) -> Iterator[str]:
        """Operands are arguments."""
        yield f"const out{number} = {self.callee(routine)}({', '.join(operands)});"

    def function(self, routine: Routine, lines: Iterable[str]) -> str:
        """A function of as many numbers as the routine takes."""
        listed = ", ".join(f"in{k}" for k in range(flat_size(routine.inputs)))
        return f"function {self.names[id(routine)]}({listed}) {lang.braces(lines, _STEP)}"

    def straight(self, program: Program) -> list[str]:
        """One line per value; the outputs as an array."""
        lines, results = self.body(program, [f"in{k}" for k in range(flat_size(program.inputs))])
        return [*lines, f"return [{', '.join(results)}];"]

    def library(self) -> Iterator[str]:
        """The functions of C that were needed so far, each after those that it needs."""
        yield from self._library.values()

    def _function(self, name: str) -> str:
        """The name here of one of C's functions; if it is of our own its text is remembered."""
        program = elementary(name)
        if program is None:
            self._library |= {name: _helpers()[name]} if name in _helpers() else {}
            return _by_c(name)
        if name not in self._library:
            text = self._elementary(program)  # which may need others first
            self._library[name] = text
        return name

    def _elementary(self, program: Program) -> str:
        """A function by our own program, and by the browser's where that does not hold."""
        names = ", ".join(a.name for a in program.inputs)
        lines, (value, *holds) = self.body(program, [a.name for a in program.inputs])
        chosen = f"{holds[0]} !== 0 ? {value} : Math.{program.name}({names})" if holds else value
        body = lang.braces([*lines, f"return {chosen};"], _STEP)
        return f"function {program.name}({names}) {body}\n"


@cache
def _helpers() -> dict[str, str]:
    """Functions with C's rules, by name."""
    text = files("gough.compiler.source").joinpath("mathematics.js").read_text(encoding="utf-8")
    return {name: body for body, name in re.findall(r"(?ms)^export (function (\w+).*?^}\n)", text)}


def _by_c(name: str) -> str:
    """Return the function to call for one of C's."""
    if name in _helpers():
        return name
    if name in _BROWSERS:
        return f"Math.{name}"
    raise CompilerError(f"{name} cannot be written in JavaScript: it has no such function")


def mathematics(names: Iterable[str]) -> str:
    """`mathematics`, an object of C's functions by these names, for code that calls them."""
    helpers = [_helpers()[name] for name in names if name in _helpers()]
    listed = ", ".join(f"{name}: {_by_c(name)}" for name in names)
    return "\n".join([*helpers, f"const mathematics = {{ {listed} }};\n"])


def javascript_source(program: Program) -> str:
    """An ES module that exports the function, and `signature`, which describes it."""
    language = JavaScript(program)
    inputs, outputs = lang.named(program)
    lines = language.assigned(program, lang.places(inputs), lang.places(outputs))
    functions = [*language.functions()]  # which may need more of the library
    facts = {
        "program": program,
        "beginning": _beginning(program),
        "inputs": inputs,
        "outputs": outputs,
        "described": lang.described,
        "plain": lang.in_comment,
        "lines": lines,
        "functions": [*language.library(), *functions],
    }
    return rendered(__name__, "module.js", facts)


def _beginning(program: Program) -> str:
    written = json.dumps(lang.signature(program), indent=2, ensure_ascii=False)
    return f"{lang.banner(program)}\nexport const signature = {written};\n"


def webassembly_source(program: Program) -> str:
    """An ES module of one function, which loads the code and resolves to what runs it."""
    made = webassembly(program)
    runner = files("gough.compiler.source").joinpath("batch.js").read_text(encoding="utf-8")
    lines = [f"Resolves to a function (inputs, count): {program.doc.strip()}", "", "See `batch`."]
    facts = {
        "name": program.name,
        "beginning": _beginning(program),
        "comment": lang.comment(lines, "/**"),
        "mathematics": mathematics(made.calls),
        "runner": runner.replace("export async", "async"),
        "code": b64encode(made.content).decode(),
    }
    return rendered(__name__, "batch_module.js", facts)
