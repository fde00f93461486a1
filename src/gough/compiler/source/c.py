"""A program as C99, for embedded controllers.

Straight-line code. Nothing is allocated, there are no globals, and `math.h` is the only header; all
inputs are read before any output is written, so an output may be the same memory as an input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from gough.arrays import AnyArray
from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import Iteration, Program, Routine, flat_size, offsets
from gough.compiler.source.language import (
    Language,
    banner,
    braces,
    comment,
    described,
    identifier,
    named_outputs,
    places,
    provenance,
    work,
)
from gough.compiler.source.library import Library, index_names


class C(Language):
    """C's way to write routines: functions from one array into another."""

    real = "double"
    suffix = ""
    """Suffix of literals and of the names of mathematical functions."""
    private = "static void"
    """Specifiers of a function that only this file calls."""

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
        return operation.c.format(
            zero=self.number(0.0),
            one=self.number(1.0),
            minus_one=self.number(-1.0),
            f=self.suffix,
            **operands,
        )

    def call(self, number: int, routine: Routine, operands: list[str]) -> Iterator[str]:
        """Operands go in, and results come out, by arrays on the stack."""
        listed = ", ".join(operands) or self.number(0.0)
        yield f"const {self.real} in{number}[{max(len(operands), 1)}] = {{{listed}}};"
        yield f"{self.real} out{number}[{flat_size(routine.outputs)}];"
        yield f"{self.names[id(routine)]}(in{number}, out{number});"

    def function(self, routine: Routine, lines: Iterable[str]) -> str:
        """A function of two arrays."""
        arguments = f"(const {self.real} *in, {self.real} *out)"
        return f"{self.private} {self.names[id(routine)]}{arguments} {braces(lines)}"

    def straight(self, program: Program) -> Iterator[str]:
        """One line per value, then one per output."""
        yield from [] if program.loaded else ["(void)in;"]
        inputs = [f"in[{k}]" for k in range(flat_size(program.inputs))]
        outputs = [f"out[{k}]" for k in range(flat_size(program.outputs))]
        yield from self.assigned(program, inputs, outputs)

    def loop(self, iteration: Iteration) -> Iterator[str]:
        """Steps until one says stop, or there were enough of them."""
        real, zero = self.real, self.number(0.0)
        n_in, n = flat_size(iteration.inputs), iteration.n_states
        yield f"{real} work[{n_in}], next[{n + 1}], status = {zero};"
        yield "int k, count = 0;"
        yield f"for (k = 0; k < {n_in}; k++) work[k] = in[k];"
        yield f"while (status == {zero} && count < {iteration.at_most}) {{"
        yield f"    {self.names[id(iteration.step)]}(work, next);"
        yield f"    for (k = 0; k < {n}; k++) work[k] = next[k];"
        yield f"    status = next[{n}];"
        yield "    count++;"
        yield "}"
        yield f"for (k = 0; k < {n}; k++) out[k] = work[k];"
        yield f"out[{n}] = ({real})count;"
        yield f"out[{n + 1}] = status;"


class SinglePrecisionC(C):
    """C in numbers of 32 bits."""

    real, suffix = "float", "f"


def c_header(what: Program | Library) -> str:
    """The C99 header: documented functions, and the places of parameters if they have names."""
    library = Library.of(what)
    language = _language(library)
    guard = f"GOUGH_{library.name.upper()}_H"
    opening = '#ifdef __cplusplus\nextern "C" {\n#endif'
    closing = "#ifdef __cplusplus\n}\n#endif"
    functions = [
        f"{comment(_argument_lines(program))}\n{_prototype(program, language)};\n"
        for program in library.programs
    ]
    parts = [f"#ifndef {guard}\n#define {guard}\n", *_indices(library), opening + "\n"]
    parts += [*functions, f"{closing}\n\n#endif\n"]
    return "\n".join([_banner(library), *parts])


def c_source(what: Program | Library) -> str:
    """The C99 source that goes with the header."""
    library = Library.of(what)
    language = _language(library)
    head = f'{_banner(library)}\n#include "{library.name}.h"\n\n#include <math.h>\n'
    functions = [_function(program, language) for program in library.programs]
    return "\n".join([head, *language.functions(), *functions])


def c_example(what: Program | Library, values: Mapping[str, AnyArray]) -> str:
    """A C program that calls each function once with these inputs and prints the outputs."""
    library = Library.of(what)
    language = _language(library)
    alone = len(library.programs) == 1
    if alone:
        calls, lines = [], [*_called(library.programs[0], language, values), "return 0;"]
    else:
        calls = [
            f"static void call_{p.name}(void) "
            f"{braces(_called(p, language, values, f'{p.name}.'))}\n"
            for p in library.programs
        ]
        lines = [*(f"call_{p.name}();" for p in library.programs), "return 0;"]
    usage = f"cc -std=c99 -O2 {library.name}.c {library.name}_example.c -lm -o example"
    head = (
        f"/* {provenance('An example', library.origin)}; copy it before you change it.\n"
        f' * Build:  {usage} */\n#include "{library.name}.h"\n\n'
        "#include <math.h>\n#include <stdio.h>\n"
    )
    return "\n".join([head, *calls, f"int main(void) {braces(lines)}\n"])


def _language(library: Library) -> C:
    kind = SinglePrecisionC if library.single else C
    return kind(*library.programs, name=library.name)


def _banner(library: Library) -> str:
    if len(library.programs) == 1:
        return banner(library.programs[0])
    count = f"{len(library.programs)} functions"
    return f"/* {provenance(library.name, library.origin, count)}. Do not edit. */\n"


def _indices(library: Library) -> Iterator[str]:
    """Where the header says each parameter is."""
    names = index_names(library.parameter_names)
    if names:
        prefix = library.prefix.upper()
        lines = [f"#define {prefix}{name} {k}" for k, name in enumerate(names)]
        yield "\n".join(["/* The places of the robot's numbers in parameters. */", *lines, ""])


def _function(program: Program, language: C) -> str:
    inputs = places((a, identifier(a)) for a in program.inputs)
    outputs = places(named_outputs(program))
    unused = [f"(void){name};" for name in _unused_inputs(program)]
    body = [*unused, *language.assigned(program, inputs, outputs)]
    return f"{_prototype(program, language)} {braces(body)}\n"


def _called(
    program: Program, language: C, values: Mapping[str, AnyArray], prefix: str = ""
) -> Iterator[str]:
    """Lines that call a function and print what it gives."""
    for a in program.inputs:
        numbers = np.broadcast_to(values.get(a.name, np.zeros(a.shape)), a.shape).ravel()
        listed = ", ".join(language.number(float(x)) for x in numbers)
        yield f"const {language.real} {identifier(a)}[{max(a.size, 1)}] = {{{listed}}};"
    for a, name in named_outputs(program):
        yield f"{language.real} {name}[{max(a.size, 1)}];"
    passed = [identifier(a) for a in program.inputs]
    passed += [name for _, name in named_outputs(program)]
    yield "int k;"
    yield f"{program.name}({', '.join(passed)});"
    digits = 9 if language.suffix else 17
    for a, name in named_outputs(program):
        yield f"for (k = 0; k < {a.size}; k++)"
        yield f'    printf("{prefix}{name}[%d] = %.{digits}g\\n", k, (double){name}[k]);'


def _prototype(program: Program, language: C) -> str:
    real = language.real
    inputs = [f"const {real} {identifier(a)}[{max(a.size, 1)}]" for a in program.inputs]
    outputs = [f"{real} {name}[{max(a.size, 1)}]" for a, name in named_outputs(program)]
    listed = ",\n    ".join([*inputs, *outputs])
    return f"void {program.name}(\n    {listed})"


def _unused_inputs(program: Program) -> list[str]:
    begins = zip(program.inputs, offsets(program.inputs), strict=True)
    return [
        identifier(a)
        for a, first in begins
        if program.loaded.isdisjoint(range(first, first + a.size))
    ]


def _argument_lines(program: Program) -> list[str]:
    def line(a: Argument, name: str) -> str:
        return f"  {name}: {described(a)}"

    return [
        f"{program.name}: {work(program)}",
        "",
        *program.doc.strip().split("\n"),
        "",
        "in:",
        *(line(a, identifier(a)) for a in program.inputs),
        "out:",
        *(line(a, name) for a, name in named_outputs(program)),
    ]
