"""A program as C99, for embedded controllers.

Straight-line code. Nothing is allocated, there are no globals, and `math.h` is the only header; all
inputs are read before any output is written, so an output may be the same memory as an input.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from gough._version import __version__
from gough.arrays import AnyArray
from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import Iteration, Load, Program, Routine, flat_size
from gough.compiler.source.language import (
    Language,
    banner,
    braces,
    check_names,
    comment,
    described,
    identifier,
    named_outputs,
    places,
)
from gough.disk.sources import MARK


class C(Language):
    """C's way to write routines: functions from one array into another."""

    real = "double"
    literal_suffix = ""
    private = "static void"
    """What stands before a function that only this file calls."""

    def number(self, x: float) -> str:
        """A literal of the language's kind of real numbers."""
        x = float(np.float32(x)) if self.literal_suffix else x
        if math.isnan(x):
            return "NAN"
        if math.isinf(x):
            return "INFINITY" if x > 0 else "(-INFINITY)"
        text = repr(x)
        text += "" if "." in text or "e" in text else ".0"
        return f"({text}{self.literal_suffix})" if x < 0 else text + self.literal_suffix

    def constant(self, name: str, text: str) -> str:
        """A declaration."""
        return f"const {self.real} {name} = {text};"

    def computed(self, operation: Operation, operands: dict[str, str]) -> str:
        """The operation's own text."""
        return operation.c.format(
            zero=self.number(0.0), one=self.number(1.0), minus_one=self.number(-1.0), **operands
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
        loads = any(isinstance(i, Load) for i in program.instructions)
        yield from [] if loads else ["(void)in;"]
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
        yield f"out[{n}] = count;"
        yield f"out[{n + 1}] = status;"


def c_header(program: Program) -> str:
    """The C99 header: one documented function."""
    check_names(program)
    guard = f"GOUGH_{program.name.upper()}_H"
    opening = '#ifdef __cplusplus\nextern "C" {\n#endif'
    closing = "#ifdef __cplusplus\n}\n#endif"
    return (
        f"{banner(program)}\n#ifndef {guard}\n#define {guard}\n\n{opening}\n\n"
        f"{comment(_argument_lines(program))}\n{_prototype(program)};\n\n{closing}\n\n#endif\n"
    )


def c_source(program: Program) -> str:
    """The C99 source that goes with the header."""
    language = C(program)
    inputs = places((a, identifier(a)) for a in program.inputs)
    outputs = places(named_outputs(program))
    unused = [f"(void){name};" for name in _unused_inputs(program)]
    body = [*unused, *language.assigned(program, inputs, outputs)]
    main = f"{_prototype(program)} {braces(body)}"
    head = f'{banner(program)}\n#include "{program.name}.h"\n\n#include <math.h>\n'
    return "\n".join([head, *language.functions(), main]) + "\n"


def c_example(program: Program, values: dict[str, AnyArray]) -> str:
    """A C program that calls the function once with these inputs and prints the outputs."""
    number, lines = C(program).number, list[str]()
    for a in program.inputs:
        numbers = np.broadcast_to(values.get(a.name, np.zeros(a.shape)), a.shape).ravel()
        listed = ", ".join(number(float(x)) for x in numbers)
        lines.append(f"const double {identifier(a)}[{max(a.size, 1)}] = {{{listed}}};")
    lines += [f"double {n}[{max(a.size, 1)}];" for a, n in named_outputs(program)]
    passed = [identifier(a) for a in program.inputs]
    passed += [name for _, name in named_outputs(program)]
    lines += ["int k;", f"{program.name}({', '.join(passed)});"]
    for a, name in named_outputs(program):
        lines.append(f"for (k = 0; k < {a.size}; k++)")
        lines.append(f'    printf("{name}[%d] = %.17g\\n", k, {name}[k]);')
    lines.append("return 0;")
    usage = f"cc -std=c99 -O2 {program.name}.c {program.name}_example.c -lm -o example"
    return (
        f"/* An example, {MARK} {__version__}; copy it before you change it.\n"
        f' * Build:  {usage} */\n#include "{program.name}.h"\n\n'
        f"#include <math.h>\n#include <stdio.h>\n\n"
        f"int main(void) {braces(lines)}\n"
    )


def _prototype(program: Program) -> str:
    inputs = [f"const double {identifier(a)}[{max(a.size, 1)}]" for a in program.inputs]
    outputs = [f"double {name}[{max(a.size, 1)}]" for a, name in named_outputs(program)]
    listed = ",\n    ".join([*inputs, *outputs])
    return f"void {program.name}(\n    {listed})"


def _unused_inputs(program: Program) -> list[str]:
    used = {i.element for i in program.instructions if isinstance(i, Load)}
    names, first = [], 0
    for a in program.inputs:
        if not used.intersection(range(first, first + a.size)):
            names.append(identifier(a))
        first += a.size
    return names


def _argument_lines(program: Program) -> list[str]:
    def line(a: Argument, name: str) -> str:
        return f"  {name}: {described(a)}"

    return [
        program.name,
        "",
        *program.doc.strip().split("\n"),
        "",
        "in:",
        *(line(a, identifier(a)) for a in program.inputs),
        "out:",
        *(line(a, name) for a, name in named_outputs(program)),
    ]
