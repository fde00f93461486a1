"""A program as C99, for embedded controllers.

Straight-line code. Nothing is allocated, there are no globals, and `math.h` is the only header; all
inputs are read before any output is written, so an output may be the same memory as an input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from gough.arrays import AnyArray
from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import Program, Routine, flat_size, offsets
from gough.compiler.source import language as lang
from gough.disk.sources import rendered


@dataclass(frozen=True)
class Library:
    """Programs with a name for all of them; routines that several call are written once."""

    name: str
    programs: tuple[Program, ...]
    single: bool = False
    """Whether numbers are of single precision."""
    parameter_names: tuple[str, ...] = ()
    """Names of the elements of an input `parameters`, for the header."""
    prefix: str = ""
    """Prefix of the names of its functions."""

    @classmethod
    def of(cls, what: Program | Self) -> Library:
        """A library, or a program as one."""
        return cls(what.name, (what,)) if isinstance(what, Program) else what

    @property
    def origin(self) -> str:
        """Origin of the programs."""
        return "; ".join(dict.fromkeys(program.origin for program in self.programs))

    @property
    def index_names(self) -> list[str]:
        """Parameters as constants of C: LEGS_0_BASE_X of legs[0].base.x, each another one."""
        plain = [lang.c_identifier(name).upper() for name in self.parameter_names]
        count = Counter(plain)
        return [name if count[name] == 1 else f"{name}_{k}" for k, name in enumerate(plain)]


class C(lang.Language):
    """C's way to write routines: functions from one array into another."""

    ending = "c"
    unrolled = repeated = ""
    """Words before loops that are code for each pass, and that are code once."""

    def __init__(
        self, *programs: Program, name: str = "", single: bool = False, specifiers: str = "static"
    ) -> None:
        super().__init__(*programs, name=name)
        self.real, self.suffix = ("float", "f") if single else ("double", "")
        self._private = f"{specifiers} void"  # a function that only this file calls

    def number(self, x: float) -> str:
        """A literal of the language's kind of real numbers."""
        with np.errstate(over="ignore"):
            value = np.float32(x) if self.suffix else np.float64(x)
        if not np.isfinite(value):
            word = "NAN" if np.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
            return f"(({self.real}){word})"
        text = str(value)
        text += ("" if "." in text or "e" in text else ".0") + self.suffix
        return f"({text})" if text.startswith("-") else text

    def constant(self, name: str, text: str) -> str:
        """A declaration."""
        return f"const {self.real} {name} = {text};"

    def computed(self, operation: Operation, operands: dict[str, str]) -> str:
        """The operation's own text."""
        zero, one, minus_one = map(self.number, (0.0, 1.0, -1.0))
        named = {"zero": zero, "one": one, "minus_one": minus_one, "f": self.suffix}
        return operation.c.format(**named, **operands)

    def call(self, number: int, routine: Routine, operands: list[str]) -> Iterator[str]:
        """Operands go in, and results come out, by arrays on the stack."""
        listed = ", ".join(operands) or self.number(0.0)
        yield f"const {self.real} in{number}[{max(len(operands), 1)}] = {{{listed}}};"
        yield f"{self.real} out{number}[{flat_size(routine.outputs)}];"
        yield self.called_with(routine, [f"in{number}", f"out{number}"])

    def called_with(self, routine: Routine, arguments: list[str]) -> str:
        """A call of a routine's function."""
        return f"{self.callee(routine)}({', '.join(arguments)});"

    def function(self, routine: Routine, lines: Iterable[str]) -> str:
        """A function of two arrays."""
        taken = ", ".join(self.arguments(routine))
        return f"{self._private} {self.names[id(routine)]}({taken}) {lang.braces(lines)}"

    def arguments(self, routine: Routine) -> list[str]:
        """Declarations of the arguments of a routine's function."""
        return [f"const {self.real} *in", f"{self.real} *out"]

    def straight(self, program: Program) -> list[str]:
        """One line per value, then one per output."""
        return [*([] if program.loaded else ["(void)in;"]), *super().straight(program)]


def private_function(program: Program, single: bool = False) -> str:
    """A static function from all its inputs, one behind the other, to all its outputs."""
    language = C(program, single=single)
    language.names[id(program)] = program.name
    main = language.function(program, language.straight(program))
    return "\n".join([*language.functions(), main, ""])


def c_header(what: Program | Library) -> str:
    """The C99 header: documented functions, and the places of parameters if they have names."""
    library, language, first = _opened(what)
    facts = {"library": library, "language": language, "first": first}
    return rendered(
        __name__, "header.h", facts | {"described": _described, "prototype": _prototype}
    )


def c_source(what: Program | Library) -> str:
    """The C99 source that goes with the header."""
    library, language, first = _opened(what)
    head = f'{first}\n#include "{library.name}.h"\n\n#include <math.h>\n'
    functions = [_function(program, language) for program in library.programs]
    return "\n".join([head, *language.functions(), *functions])


def c_example(what: Program | Library, values: Mapping[str, AnyArray]) -> str:
    """A C program that calls each function once with these inputs and prints the outputs."""
    library, language, _ = _opened(what)

    def numbers(a: Argument) -> str:
        given = np.broadcast_to(values.get(a.name, np.zeros(a.shape)), a.shape)
        return ", ".join(language.number(float(x)) for x in given.ravel())

    facts = {"library": library, "language": language, "named": lang.named, "numbers": numbers}
    mark = lang.provenance("An example", library.origin)
    return rendered(__name__, "example.c", facts | {"mark": mark})


def _opened(what: Program | Library) -> tuple[Library, C, str]:
    """Return a library, its language, and the first line of its files."""
    library = Library.of(what)
    first = lang.banner(library.programs[0])
    if len(library.programs) > 1:
        count = f"{len(library.programs)} functions"
        first = f"/* {lang.provenance(library.name, library.origin, count)}. Do not edit. */\n"
    return library, C(*library.programs, name=library.name, single=library.single), first


def _function(program: Program, language: C) -> str:
    inputs, outputs = lang.named(program)
    unused = [
        f"(void){name};"
        for (a, name), first in zip(inputs, offsets(program.inputs), strict=True)
        if program.loaded.isdisjoint(range(first, first + a.size))
    ]
    lines = language.assigned(program, lang.places(inputs), lang.places(outputs))
    return f"{_prototype(program, language)} {lang.braces([*unused, *lines])}\n"


def _prototype(program: Program, language: C) -> str:
    inputs, outputs = (
        [f"{language.real} {name}[{max(a.size, 1)}]" for a, name in side]
        for side in lang.named(program)
    )
    listed = ",\n    ".join([*(f"const {declared}" for declared in inputs), *outputs])
    return f"void {program.name}(\n    {listed})"


def _described(program: Program) -> str:
    inputs, outputs = (
        [f"  {name}: {lang.described(a)}" for a, name in side] for side in lang.named(program)
    )
    heading, doc = f"{program.name}: {lang.work(program)}", program.doc.strip().split("\n")
    return lang.comment([heading, "", *doc, "", "in:", *inputs, "out:", *outputs])
