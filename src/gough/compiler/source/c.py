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
from gough.compiler.source import language as lang
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
        plain = [lang.c_identifier(name).upper() for name in self.parameter_names]
        count = Counter(plain)
        return [name if count[name] == 1 else f"{name}_{k}" for k, name in enumerate(plain)]


class C(lang.Language):
    """C's way to write routines: functions from one array into another."""

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
        yield f"{self.names[id(routine)]}(in{number}, out{number});"

    def function(self, routine: Routine, lines: Iterable[str]) -> str:
        """A function of two arrays."""
        arguments = f"(const {self.real} *in, {self.real} *out)"
        return f"{self._private} {self.names[id(routine)]}{arguments} {lang.braces(lines)}"

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


def private_function(program: Program, single: bool = False) -> str:
    """A static function from all its inputs, one behind the other, to all its outputs."""
    language = C(program, single=single)
    language.names[id(program)] = program.name
    main = language.function(program, language.straight(program))
    return "\n".join([*language.functions(), main, ""])


def c_header(what: Program | Library) -> str:
    """The C99 header: documented functions, and the places of parameters if they have names."""
    library, language, first = _opened(what)
    guard = f"GOUGH_{library.name.upper()}_H"
    opening = '#ifdef __cplusplus\nextern "C" {\n#endif'
    closing = "#ifdef __cplusplus\n}\n#endif"
    names = library.index_names
    indices = [f"#define {library.prefix.upper()}{name} {k}" for k, name in enumerate(names)]
    heading = "/* The places of the robot's numbers in parameters. */"
    parts = [first, f"#ifndef {guard}\n#define {guard}\n"]
    parts += ["\n".join([heading, *indices, ""])] if indices else []
    parts.append(opening + "\n")
    for program in library.programs:
        described = lang.comment(_argument_lines(program))
        parts.append(f"{described}\n{_prototype(program, language)};\n")
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
        bodies = (lang.braces(_called(p, language, values, f"{p.name}.")) for p in library.programs)
        names = [f"call_{p.name}" for p in library.programs]
        pairs = zip(names, bodies, strict=True)
        calls = [f"static void {name}(void) {body}\n" for name, body in pairs]
        lines = [*(f"{name}();" for name in names), "return 0;"]
    usage = f"cc -std=c99 -O2 {library.name}.c {library.name}_example.c -lm -o example"
    head = (
        f"/* {lang.provenance('An example', library.origin)}; copy it before you change it.\n"
        f' * Build:  {usage} */\n#include "{library.name}.h"\n\n'
        "#include <math.h>\n#include <stdio.h>\n"
    )
    return "\n".join([head, *calls, f"int main(void) {lang.braces(lines)}\n"])


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


def _called(
    program: Program, language: C, values: Mapping[str, AnyArray], prefix: str = ""
) -> Iterator[str]:
    """Lines that call a function and print what it gives."""
    inputs, outputs = lang.named(program)
    for a, name in inputs:
        numbers = np.broadcast_to(values.get(a.name, np.zeros(a.shape)), a.shape).ravel()
        listed = ", ".join(language.number(float(x)) for x in numbers)
        yield f"const {language.real} {name}[{max(a.size, 1)}] = {{{listed}}};"
    yield from (f"{language.real} {name}[{max(a.size, 1)}];" for a, name in outputs)
    yield "int k;"
    yield f"{program.name}({', '.join(name for _, name in (*inputs, *outputs))});"
    digits = 9 if language.suffix else 17
    for a, name in outputs:
        yield f"for (k = 0; k < {a.size}; k++)"
        yield f'    printf("{prefix}{name}[%d] = %.{digits}g\\n", k, (double){name}[k]);'


def _prototype(program: Program, language: C) -> str:
    inputs, outputs = (
        [f"{language.real} {name}[{max(a.size, 1)}]" for a, name in side]
        for side in lang.named(program)
    )
    listed = ",\n    ".join([*(f"const {declared}" for declared in inputs), *outputs])
    return f"void {program.name}(\n    {listed})"


def _argument_lines(program: Program) -> list[str]:
    inputs, outputs = (
        [f"  {name}: {lang.described(a)}" for a, name in side] for side in lang.named(program)
    )
    heading, doc = f"{program.name}: {lang.work(program)}", program.doc.strip().split("\n")
    return [heading, "", *doc, "", "in:", *inputs, "out:", *outputs]


def cuda_source(program: Program, dtype: Any = np.float64) -> tuple[str, PlainData]:
    """CUDA text and its signature (plain data).

    Every array comes with two strides, in numbers: from sample to sample and from element to
    element. Structure-of-arrays data (1, n) makes a warp read adjacent memory; a sample stride
    of 0 repeats one sample for all.
    """
    single = lang.is_single(np.dtype(dtype).name)
    language = C(program, single=single, specifiers="static __device__")
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
    main = f'extern "C" __global__ void {program.name}(\n    {listed})\n{lang.braces(body)}'
    parts = [lang.banner(program), _CONSTANTS, *language.functions(), main]
    return "\n".join(parts) + "\n", lang.signature(program, np.dtype(dtype).name)


def _strided(named: list[tuple[Argument, str]]) -> list[str]:
    return [
        f"{name}[i * {name}_sample + {k} * {name}_element]"
        for a, name in named
        for k in range(a.size)
    ]
