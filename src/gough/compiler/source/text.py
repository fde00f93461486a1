"""The same program as source text: C99 for embedded controllers, CUDA for GPUs.

Both are straight-line code with one constant per value. Nothing is allocated, there are no
globals, and `math.h` is the only header; all inputs are read before any output is written, so
an output may be the same memory as an input.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import indent
from typing import Any

import numpy as np

from gough._version import __version__
from gough.arrays import AnyArray
from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import LIBRARY
from gough.compiler.front.program import (
    Call,
    Compute,
    Constant,
    Iteration,
    Load,
    Program,
    Result,
    Routine,
    flat_size,
)
from gough.disk.sources import MARK
from gough.errors import CompilerError

Signature = dict[str, Any]

_CUDA_CONSTANTS = """#ifndef NAN  /* the run-time compiler has no math.h */
#define NAN (__int_as_float(0x7fffffff))
#define INFINITY (__int_as_float(0x7f800000))
#endif
"""

_KEYWORDS = frozenset(
    """alignas alignof and asm auto bool break case catch char class compl const constexpr continue
    decltype default delete do double else enum explicit export extern false float for friend goto
    if inline int long main mutable namespace new noexcept not nullptr operator or private protected
    public register restrict return short signed sizeof static struct switch template this throw
    true try typedef typeid typename union unsigned using virtual void volatile while xor""".split()
)
"""Of C and C++: a header is read by both, and CUDA is the latter."""


@dataclass(frozen=True)
class _Dialect:
    real: str
    private: str
    """What stands before a function that only this file calls."""
    literal_suffix: str = ""

    def number(self, x: float) -> str:
        x = float(np.float32(x)) if self.literal_suffix else x
        if math.isnan(x):
            return "NAN"
        if math.isinf(x):
            return "INFINITY" if x > 0 else "(-INFINITY)"
        text = repr(x)
        text += "" if "." in text or "e" in text else ".0"
        return f"({text}{self.literal_suffix})" if x < 0 else text + self.literal_suffix


_C99 = _Dialect("double", "static void")
_CUDA = {
    np.dtype(np.float64): _Dialect("double", "static __device__ void"),
    np.dtype(np.float32): _Dialect("float", "static __device__ void", "f"),
}


def c_header(program: Program) -> str:
    """The C99 header: one documented function."""
    _check_names(program)
    guard = f"GOUGH_{program.name.upper()}_H"
    opening = '#ifdef __cplusplus\nextern "C" {\n#endif'
    closing = "#ifdef __cplusplus\n}\n#endif"
    return (
        f"{_banner(program)}\n#ifndef {guard}\n#define {guard}\n\n{opening}\n\n"
        f"{_comment(_argument_lines(program))}\n{_c_prototype(program)};\n\n{closing}\n\n#endif\n"
    )


def c_source(program: Program) -> str:
    """The C99 source that goes with the header."""
    writer = _Writer(_C99, program)
    inputs = _places((a, _identifier(a)) for a in program.inputs)
    outputs = _places(_named_outputs(program))
    unused = [f"(void){name};" for name in _unused_inputs(program)]
    body = [*unused, *writer.body(program, inputs, outputs)]
    main = f"{_c_prototype(program)} {_braces(body)}"
    head = f'{_banner(program)}\n#include "{program.name}.h"\n\n#include <math.h>\n'
    return "\n".join([head, *writer.private_functions(), main]) + "\n"


def c_example(program: Program, values: dict[str, AnyArray]) -> str:
    """A C program that calls the function once with these inputs and prints the outputs."""
    lines = []
    for a in program.inputs:
        numbers = np.broadcast_to(values.get(a.name, np.zeros(a.shape)), a.shape).ravel()
        listed = ", ".join(_C99.number(float(x)) for x in numbers)
        lines.append(f"const double {_identifier(a)}[{max(a.size, 1)}] = {{{listed}}};")
    lines += [f"double {n}[{max(a.size, 1)}];" for a, n in _named_outputs(program)]
    passed = [_identifier(a) for a in program.inputs]
    passed += [name for _, name in _named_outputs(program)]
    lines += ["int k;", f"{program.name}({', '.join(passed)});"]
    for a, name in _named_outputs(program):
        lines.append(f"for (k = 0; k < {a.size}; k++)")
        lines.append(f'    printf("{name}[%d] = %.17g\\n", k, {name}[k]);')
    lines.append("return 0;")
    usage = f"cc -std=c99 -O2 {program.name}.c {program.name}_example.c -lm -o example"
    return (
        f"/* An example, {MARK} {__version__}; copy it before you change it.\n"
        f' * Build:  {usage} */\n#include "{program.name}.h"\n\n'
        f"#include <math.h>\n#include <stdio.h>\n\n"
        f"int main(void) {_braces(lines)}\n"
    )


def cuda_source(program: Program, dtype: Any = np.float64) -> tuple[str, Signature]:
    """CUDA text and its signature (plain data): a kernel over samples, one thread each.

    Every array comes with two strides, in numbers: from sample to sample and from element to
    element. Structure-of-arrays data (1, n) makes a warp read adjacent memory; a sample stride
    of 0 repeats one sample for all.
    """
    dialect = _CUDA[np.dtype(dtype)]
    writer = _Writer(dialect, program)
    inputs = [f"in{k}" for k in range(len(program.inputs))]
    outputs = [f"out{k}" for k in range(len(program.outputs))]
    parameters = ["const long long n"]
    for name in inputs:
        parameters += [f"const {dialect.real} *__restrict__ {name}", *_stride_parameters(name)]
    for name in outputs:
        parameters += [f"{dialect.real} *__restrict__ {name}", *_stride_parameters(name)]
    body = [
        "const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;",
        "if (i >= n) return;",
        *writer.body(program, _strided(program.inputs, inputs), _strided(program.outputs, outputs)),
    ]
    listed = ",\n    ".join(parameters)
    main = f'extern "C" __global__ void {program.name}(\n    {listed})\n{_braces(body)}'
    parts = [_banner(program), _CUDA_CONSTANTS, *writer.private_functions(), main]
    text = "\n".join(parts) + "\n"
    return text, _signature(program, dtype)


def _signature(program: Program, dtype: Any) -> Signature:
    def described(arguments: tuple[Argument, ...]) -> list[dict[str, Any]]:
        fields = ("name", "unit", "meaning", "optional")
        return [{"shape": list(a.shape), **{f: getattr(a, f) for f in fields}} for a in arguments]

    return {
        "comment": f"{MARK} {__version__}",
        "name": program.name,
        "dtype": np.dtype(dtype).name,
        "doc": program.doc.strip(),
        "inputs": described(program.inputs),
        "outputs": described(program.outputs),
    }


class _Writer:
    """Writes the bodies of routines in one dialect; a routine that is called has its own name."""

    def __init__(self, dialect: _Dialect, program: Program) -> None:
        _check_names(program)
        self.dialect = dialect
        self.names = {
            id(r): f"{program.name}_{k}_{r.name}" for k, r in enumerate(program.routines())
        }
        self.called = list(program.routines())

    def private_functions(self) -> Iterator[str]:
        for routine in self.called:
            real = self.dialect.real
            head = f"{self.dialect.private} {self.names[id(routine)]}"
            arguments = f"(const {real} *in, {real} *out)"
            yield f"{head}{arguments} {_braces(self._lines(routine))}\n"

    def _lines(self, routine: Routine) -> list[str]:
        if isinstance(routine, Iteration):
            return list(self._loop(routine))
        n_in, n_out = flat_size(routine.inputs), flat_size(routine.outputs)
        places = [f"in[{k}]" for k in range(n_in)], [f"out[{k}]" for k in range(n_out)]
        unused = [] if any(isinstance(i, Load) for i in routine.instructions) else ["(void)in;"]
        return [*unused, *self.body(routine, *places)]

    def body(self, program: Program, inputs: list[str], outputs: list[str]) -> Iterator[str]:
        """One line per value, then one per output."""
        real, value = self.dialect.real, list[str]()
        for number, instruction in enumerate(program.instructions):
            name, right = f"v{number}", ""
            match instruction:
                case Constant(x):
                    name = self.dialect.number(x)
                case Load(element):
                    right = inputs[element]
                case Compute(operation, operands):
                    right = operation.c.format(
                        zero=self.dialect.number(0.0),
                        one=self.dialect.number(1.0),
                        minus_one=self.dialect.number(-1.0),
                        **dict(zip("abc", (value[x] for x in operands), strict=False)),
                    )
                case Call(routine, operands):
                    yield from self._call(number, routine, [value[x] for x in operands])
                case Result(call, element):
                    right = f"out{call}[{element}]"
            if right:
                yield f"const {real} {name} = {right};"
            value.append(name)
        for place, number in zip(outputs, program.results, strict=True):
            yield f"{place} = {value[number]};"

    def _call(self, number: int, routine: Routine, operands: list[str]) -> Iterator[str]:
        real, zero = self.dialect.real, self.dialect.number(0.0)
        listed = ", ".join(operands) or zero
        yield f"const {real} in{number}[{max(len(operands), 1)}] = {{{listed}}};"
        yield f"{real} out{number}[{flat_size(routine.outputs)}];"
        yield f"{self.names[id(routine)]}(in{number}, out{number});"

    def _loop(self, iteration: Iteration) -> Iterator[str]:
        real, zero = self.dialect.real, self.dialect.number(0.0)
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


def _check_names(program: Program) -> None:
    """Refuse names that source code cannot have; a function's is also that of its files."""
    for name in (program.name, *(a.name for a in (*program.inputs, *program.outputs))):
        if (
            name in _KEYWORDS
            or name in LIBRARY
            or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)
        ):
            raise CompilerError(
                f"{program.name}: {name!r} cannot be a name in C; expected letters, digits and _, "
                "and no word that C or its library has"
            )


def _identifier(argument: Argument) -> str:
    """An argument's name, apart from those of the values (`v12`, `in3`, `out3`)."""
    return re.sub(r"^(v|in|out)(\d+)$", r"\1_\2", argument.name)


def _named_outputs(program: Program) -> list[tuple[Argument, str]]:
    """Outputs with names that neither an input (a new state has the old's) nor the function has."""
    taken = {_identifier(a): f"new_{_identifier(a)}" for a in program.inputs}
    taken[program.name] = f"{program.name}_found"
    names = [(a, _identifier(a)) for a in program.outputs]
    return [(a, taken.get(n, n)) for a, n in names]


def _c_prototype(program: Program) -> str:
    inputs = [f"const double {_identifier(a)}[{max(a.size, 1)}]" for a in program.inputs]
    outputs = [f"double {name}[{max(a.size, 1)}]" for a, name in _named_outputs(program)]
    listed = ",\n    ".join([*inputs, *outputs])
    return f"void {program.name}(\n    {listed})"


def _places(named: Iterable[tuple[Argument, str]]) -> list[str]:
    return [f"{name}[{k}]" for a, name in named for k in range(a.size)]


def _strided(arguments: tuple[Argument, ...], names: list[str]) -> list[str]:
    return [
        f"{name}[i * {name}_sample + {k} * {name}_element]"
        for a, name in zip(arguments, names, strict=True)
        for k in range(a.size)
    ]


def _stride_parameters(name: str) -> list[str]:
    return [f"const long long {name}_sample", f"const long long {name}_element"]


def _unused_inputs(program: Program) -> list[str]:
    used = {i.element for i in program.instructions if isinstance(i, Load)}
    names, first = [], 0
    for a in program.inputs:
        if not used.intersection(range(first, first + a.size)):
            names.append(_identifier(a))
        first += a.size
    return names


def _argument_lines(program: Program) -> list[str]:
    def line(a: Argument, name: str) -> str:
        shape = "x".join(map(str, a.shape)) or "1"
        order = ", row by row" if len(a.shape) > 1 else ""
        unit = f" [{a.unit}]" if a.unit else ""
        return f"  {name}: {shape} numbers{order}{unit} {a.meaning}".rstrip()

    return [
        program.name,
        "",
        *program.doc.strip().split("\n"),
        "",
        "in:",
        *(line(a, _identifier(a)) for a in program.inputs),
        "out:",
        *(line(a, name) for a, name in _named_outputs(program)),
    ]


def _banner(program: Program) -> str:
    operations = f"{program.n_operations} operations"
    return f"/* {program.name}: {MARK} {__version__}; {operations}. Do not edit. */\n"


def _comment(lines: list[str]) -> str:
    text = "\n".join(lines).replace("*/", "* /")
    return "/*\n" + indent(text, " * ", lambda _: True).replace(" * \n", " *\n") + "\n */"


def _braces(lines: Iterator[str] | list[str]) -> str:
    return "{\n" + indent("\n".join(lines), "    ") + "\n}"
