"""A program as C99, for embedded controllers, and as CUDA for GPUs: a sample a thread.

Straight-line code. Nothing is allocated, there are no globals, and `math.h` is the only header; all
inputs are read before any output is written, so an output may be the same memory as an input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gough.arrays import AnyArray
from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import Iteration, Program, Routine, flat_size, offsets
from gough.compiler.source.language import (
    Language,
    banner,
    braces,
    c_identifier,
    comment,
    described,
    named_inputs,
    named_outputs,
    places,
    provenance,
    signature,
    work,
)
from gough.disk.plain_data import PlainData

_CONSTANTS = """#ifndef NAN  /* the run-time compiler has no math.h */
#define NAN (__int_as_float(0x7fffffff))
#define INFINITY (__int_as_float(0x7f800000))
#endif
"""


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
        plain = [c_identifier(name).upper() for name in self.parameter_names]
        count = Counter(plain)
        return [name if count[name] == 1 else f"{name}_{k}" for k, name in enumerate(plain)]


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
        zero, one, minus_one = map(self.number, (0.0, 1.0, -1.0))
        named = {"zero": zero, "one": one, "minus_one": minus_one, "f": self.suffix}
        return operation.c.format(**named, **operands)

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
    library, language, first = _opened(what)
    guard = f"GOUGH_{library.name.upper()}_H"
    opening = '#ifdef __cplusplus\nextern "C" {\n#endif'
    closing = "#ifdef __cplusplus\n}\n#endif"
    names = library.index_names
    indices = [f"#define {library.prefix.upper()}{name} {k}" for k, name in enumerate(names)]
    told = "/* The places of the robot's numbers in parameters. */"
    parts = [first, f"#ifndef {guard}\n#define {guard}\n"]
    parts += ["\n".join([told, *indices, ""])] if indices else []
    parts.append(opening + "\n")
    for program in library.programs:
        parts.append(f"{comment(_argument_lines(program))}\n{_prototype(program, language)};\n")
    return "\n".join([*parts, f"{closing}\n\n#endif\n"])


def c_source(what: Program | Library) -> str:
    """The C99 source that goes with the header."""
    library, language, first = _opened(what)
    head = f'{first}\n#include "{library.name}.h"\n\n#include <math.h>\n'
    functions = [_function(program, language) for program in library.programs]
    return "\n".join([head, *language.functions(), *functions])


def c_example(what: Program | Library, values: Mapping[str, AnyArray]) -> str:
    """A C program that calls each function once with these inputs and prints the outputs."""
    library, language, _ = _opened(what)
    if len(library.programs) == 1:
        calls, lines = [], [*_called(library.programs[0], language, values), "return 0;"]
    else:
        bodies = (braces(_called(p, language, values, f"{p.name}.")) for p in library.programs)
        names = [f"call_{p.name}" for p in library.programs]
        pairs = zip(names, bodies, strict=True)
        calls = [f"static void {name}(void) {body}\n" for name, body in pairs]
        lines = [*(f"{name}();" for name in names), "return 0;"]
    usage = f"cc -std=c99 -O2 {library.name}.c {library.name}_example.c -lm -o example"
    head = (
        f"/* {provenance('An example', library.origin)}; copy it before you change it.\n"
        f' * Build:  {usage} */\n#include "{library.name}.h"\n\n'
        "#include <math.h>\n#include <stdio.h>\n"
    )
    return "\n".join([head, *calls, f"int main(void) {braces(lines)}\n"])


def _opened(what: Program | Library) -> tuple[Library, C, str]:
    """Return a library, its language, and the first line of its files."""
    library = Library.of(what)
    kind = SinglePrecisionC if library.single else C
    first = banner(library.programs[0])
    if len(library.programs) > 1:
        count = f"{len(library.programs)} functions"
        first = f"/* {provenance(library.name, library.origin, count)}. Do not edit. */\n"
    return library, kind(*library.programs, name=library.name), first


def _function(program: Program, language: C) -> str:
    inputs, outputs = places(named_inputs(program)), places(named_outputs(program))
    unused = [
        f"(void){name};"
        for (a, name), first in zip(named_inputs(program), offsets(program.inputs), strict=True)
        if program.loaded.isdisjoint(range(first, first + a.size))
    ]
    body = [*unused, *language.assigned(program, inputs, outputs)]
    return f"{_prototype(program, language)} {braces(body)}\n"


def _called(
    program: Program, language: C, values: Mapping[str, AnyArray], prefix: str = ""
) -> Iterator[str]:
    """Lines that call a function and print what it gives."""
    for a, name in named_inputs(program):
        numbers = np.broadcast_to(values.get(a.name, np.zeros(a.shape)), a.shape).ravel()
        listed = ", ".join(language.number(float(x)) for x in numbers)
        yield f"const {language.real} {name}[{max(a.size, 1)}] = {{{listed}}};"
    for a, name in named_outputs(program):
        yield f"{language.real} {name}[{max(a.size, 1)}];"
    passed = [name for _, name in (*named_inputs(program), *named_outputs(program))]
    yield "int k;"
    yield f"{program.name}({', '.join(passed)});"
    digits = 9 if language.suffix else 17
    for a, name in named_outputs(program):
        yield f"for (k = 0; k < {a.size}; k++)"
        yield f'    printf("{prefix}{name}[%d] = %.{digits}g\\n", k, (double){name}[k]);'


def _prototype(program: Program, language: C) -> str:
    real = language.real
    inputs = [f"const {real} {name}[{max(a.size, 1)}]" for a, name in named_inputs(program)]
    outputs = [f"{real} {name}[{max(a.size, 1)}]" for a, name in named_outputs(program)]
    listed = ",\n    ".join([*inputs, *outputs])
    return f"void {program.name}(\n    {listed})"


def _argument_lines(program: Program) -> list[str]:
    inputs, outputs = (
        [f"  {name}: {described(a)}" for a, name in named]
        for named in (named_inputs(program), named_outputs(program))
    )
    told = program.doc.strip().split("\n")
    return [f"{program.name}: {work(program)}", "", *told, "", "in:", *inputs, "out:", *outputs]


class _Double(C):
    private = "static __device__ void"


class _Single(_Double):
    real, suffix = "float", "f"


_LANGUAGES = {np.dtype(np.float64): _Double, np.dtype(np.float32): _Single}


def cuda_source(program: Program, dtype: Any = np.float64) -> tuple[str, PlainData]:
    """CUDA text and its signature (plain data).

    Every array comes with two strides, in numbers: from sample to sample and from element to
    element. Structure-of-arrays data (1, n) makes a warp read adjacent memory; a sample stride
    of 0 repeats one sample for all.
    """
    language = _LANGUAGES[np.dtype(dtype)](program)
    inputs = [(a, f"in{k}") for k, a in enumerate(program.inputs)]
    outputs = [(a, f"out{k}") for k, a in enumerate(program.outputs)]
    parameters = ["const long long n"]
    for kind, named in ((f"const {language.real}", inputs), (language.real, outputs)):
        for _, name in named:
            strides = f"const long long {name}_sample", f"const long long {name}_element"
            parameters += [f"{kind} *__restrict__ {name}", *strides]
    body = [
        "const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;",
        "if (i >= n) return;",
        *language.assigned(program, _strided(inputs), _strided(outputs)),
    ]
    listed = ",\n    ".join(parameters)
    main = f'extern "C" __global__ void {program.name}(\n    {listed})\n{braces(body)}'
    parts = [banner(program), _CONSTANTS, *language.functions(), main]
    return "\n".join(parts) + "\n", signature(program, np.dtype(dtype).name)


def _strided(named: list[tuple[Argument, str]]) -> list[str]:
    return [
        f"{name}[i * {name}_sample + {k} * {name}_element]"
        for a, name in named
        for k in range(a.size)
    ]
