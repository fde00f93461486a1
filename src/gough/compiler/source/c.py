"""A program as C99, for embedded controllers, and as CUDA for GPUs: a sample a thread.

Straight-line code. Nothing is allocated, there are no globals, and `math.h` is the only header; all
inputs are read before any output is written, so an output may be the same memory as an input.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self, cast

import numpy as np

from gough.arrays import AnyArray
from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import (
    Call,
    ForEach,
    Iteration,
    Program,
    Result,
    Routine,
    flat_size,
    offsets,
)
from gough.compiler.front.transformed import waiting_values
from gough.compiler.source import language as lang
from gough.compiler.source.gpu import LARGEST_BLOCK
from gough.disk.plain_data import PlainData
from gough.disk.sources import rendered

LARGE = {"double": 1_000, "float": 4_000}
"""Number of operations from which a routine is large, for each kind of real numbers."""

FEW_VALUES = 70
"""Number of waiting values up to which two thirds of the registers of a GPU's thread are enough."""

IN_BLOCK = 227
"""Count of numbers of each thread up to which rows of loops are in the memory that a block shares.

So many have room there for 128 threads; most of a thread's own memory is far away."""

BESIDE = 24
"""Count of numbers of each thread that have room in the memory that a block shares."""

NEW_ROWS = "new_rows"
"""Name of the array with the new rows of a loop, before its number."""

LOW_WORD = np.uint64(0xFFFFFFFF)

IN_REGISTERS = 100
"""Count of numbers in all rows of a loop up to which they move along registers."""

WITHOUT_BRANCHES = {
    **{"inv": "reciprocal", "div": "quotient"},
    **{"sqrt": "square_root", "inverse_root": "inverse_root", "root_of_inverse": "root_of_inverse"},
}
"""Functions of CUDA text by which operations are computed, see `templates/constants.cu`."""


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


class Cuda(C):
    """C's way on a GPU, where a large routine that is called several times is code once.

    Copies of it would not fit in the memory for instructions; small ones are quicker in place.
    """

    unrolled, repeated = "#pragma unroll", "#pragma unroll 1"

    def __init__(self, program: Program, single: bool, apart: Collection[str] = ()) -> None:
        super().__init__(program, single=single, specifiers="static __device__")
        self._apart = apart
        bodies = (program, *(r for r in self.called if isinstance(r, Program)))
        calls = (i for body in bodies for i in body.instructions if isinstance(i, Call))
        self._calls = Counter(id(call.routine) for call in calls)
        self.constants: dict[str, int] = {}
        self.tables: dict[tuple[str, ...], int] = {}
        """Rows of constants, and their places."""
        self._rows: dict[str, str] = {}
        """Places in new rows of loops, by the names of values."""
        self._copied: dict[tuple[str, ...], str] = {}
        """Places of rows that the present routine has copied."""
        self._rooms: dict[int, int] = {}
        """Count of numbers in memory that routines need."""
        self.room = self._now = 0
        """That of the present routine, and the number of its present instruction."""
        self._new_rows = defaultdict[int, list[str]](list)
        """Names of values in new rows, by the number of the loop that gives them."""
        self._held: list[tuple[int, int, int]] = []
        """Parts of its memory: beginning, end, and the last instruction that needs it."""
        self._last: dict[str, int] = {}
        """Last of its instructions that needs a number of a row, by the names of values."""

    def number(self, x: float) -> str:
        """A literal; in double precision one of 32 bits, or a place in the constant memory.

        An operation reads a number from there at once, and 32 bits from itself; it would take two
        more instructions, and a register, to make the others.
        """
        text = super().number(x)
        if self.suffix or not np.isfinite(x) or not np.float64(x).view(np.uint64) & LOW_WORD:
            return text
        return f"constants[{self.constants.setdefault(text, len(self.constants))}]"

    def computed(self, operation: Operation, operands: dict[str, str]) -> str:
        """The operation's own text; in double precision quotients and roots are functions."""
        if self.suffix or operation.name not in WITHOUT_BRANCHES:
            return super().computed(operation, operands)
        return f"{WITHOUT_BRANCHES[operation.name]}({', '.join(operands.values())})"

    def constant(self, name: str, text: str) -> str:
        """A declaration; which numbers are those of new rows is noted for other loops."""
        self._rows[name] = text if text.startswith(NEW_ROWS) else ""
        return super().constant(name, text)

    def result(self, call: int, routine: Routine, element: int) -> str:
        """Where a result is: a state, or a number of a new row."""
        states = routine.outputs[0].size
        if isinstance(routine, ForEach) and element >= states:
            return f"{NEW_ROWS}{call}[{element - states}]"
        return super().result(call, routine, element)

    def call(self, number: int, routine: Routine, operands: list[str]) -> Iterator[str]:
        """Operands go in, and results come out, by arrays; rows are where their numbers are."""
        self._held = [part for part in self._held if part[2] >= number]
        self._now = number
        if not isinstance(routine, ForEach):
            yield from super().call(number, routine, operands)
            return
        n, count, real = routine.inputs[0].size, routine.at_most, self.real
        given, copied = list[str](), list[str]()
        for k in range(0, n, count):
            row = tuple(operands[k : k + count])
            if not (place := self._place(row)):
                place = self._copied[row] = f"rows{number} + {len(copied)}"
                copied += row
            given.append(place)
        if copied:
            until = max(self._last.get(x, number) for x in copied)
            yield self._array(f"rows{number}", len(copied), until)
            yield from (f"rows{number}[{k}] = {x};" for k, x in enumerate(copied))
        if operands[n:]:
            yield f"const {real} in{number}[{len(operands) - n}] = {{{', '.join(operands[n:])}}};"
            given.append(f"in{number}")
        states, new = routine.outputs
        if states.size:
            yield f"{real} out{number}[{states.size}];"
            given.append(f"out{number}")
        if new.size:
            name, alone = f"{NEW_ROWS}{number}", _moves_along(routine)
            until = max((self._last[x] for x in self._new_rows[number]), default=number)
            yield f"{real} {name}[{new.size}];" if alone else self._array(name, new.size, until)
            given.append(name)
        yield self.called_with(routine, given)

    def _array(self, name: str, size: int, until: int) -> str:
        """A part of the memory of a thread, which is another's after an instruction."""
        return f"{self.real} *const {name} = scratch + {self._part(size, until)};"

    def _part(self, size: int, until: int) -> int:
        """Where so many numbers are free, from now on until an instruction."""
        place = 0
        for begin, end, _ in sorted(self._held):
            if place + size <= begin:
                break
            place = max(place, end)
        self._held.append((place, place + size, until))
        self.room = max(self.room, place + size)
        return place

    def called_with(self, routine: Routine, arguments: list[str]) -> str:
        """A call, with a part of this routine's memory for one that needs some."""
        if room := self._rooms[id(routine)]:
            arguments = [*arguments, f"scratch + {self._part(room, self._now)}"]
        return super().called_with(routine, arguments)

    def body(self, program: Program, inputs: list[str]) -> tuple[list[str], list[str]]:
        """One line per value, and the texts of the results."""
        for known in (self._copied, self._held, self._last, self._new_rows):
            known.clear()
        self.room = 0
        for number, instruction in enumerate(program.instructions):
            match instruction:
                case Call(ForEach(), operands):
                    self._last |= {f"v{x}": number for x in operands}
                case Result(call, element):
                    routine = cast(Call, program.instructions[call]).routine
                    if isinstance(routine, ForEach) and element >= routine.outputs[0].size:
                        self._last[f"v{number}"] = number
                        self._new_rows[call].append(f"v{number}")
        return super().body(program, inputs)

    def _place(self, row: tuple[str, ...]) -> str:
        """Where the numbers of a row are in memory: constants, or another loop's; "": nowhere."""
        if not any(x.startswith("v") for x in row):
            known = {f"constants[{k}]": text for text, k in self.constants.items()}
            table = tuple(known.get(x, x) for x in row)
            return f"tables + {self.tables.setdefault(table, sum(map(len, self.tables)))}"
        if row in self._copied:
            return self._copied[row]
        first, _, place = self._rows.get(row[0], "").rstrip("]").partition("[")
        if first and [self._rows.get(x) for x in row] == [
            f"{first}[{int(place) + k}]" for k in range(len(row))
        ]:
            return f"{first} + {place}"
        return ""

    def loop(self, iteration: Iteration) -> list[str]:
        """The lines of a loop; of one over rows those that are few move along registers."""
        if not isinstance(iteration, ForEach):
            self.room = 0
            return super().loop(iteration)
        count, (states, taken, shared) = iteration.at_most, iteration.step.inputs
        new, turns = iteration.step.outputs[1].size, range(count)
        inner = f"int row = 0; row < {count}; row++"
        if iteration.backwards:
            turns, inner = turns[::-1], f"int row = {count - 1}; row >= 0; row--"
        out, rows = [f"out[{k}]" for k in range(states.size)], range(taken.size)
        new_rows = [f"{NEW_ROWS}[{k * count + row}]" for k in range(new) for row in turns]
        moved = _moves_along(iteration)
        first, last = map(str, (turns[0], turns[-1])) if moved else ("row", "row")
        places = [*out, *(f"taken{k}[{first}]" for k in rows)]
        places += [f"in[{k}]" for k in range(shared.size)]
        results = [*out, *(f"{NEW_ROWS}[{k * count} + {last}]" for k in range(new))]
        lines, head = self.assigned(iteration.step, places, results), list[str]()
        if moved:
            copied = [", ".join(f"row{k}[{turn}]" for turn in range(count)) for k in rows]
            head = [f"{self.real} taken{k}[] = {{{copied[k]}}};" for k in rows]
            head += [f"{x} = {self.number(0.0)};" for x in new_rows]
            along = [f"taken{k}[{row}]" for k in rows for row in turns]
            lines = [*_moved(new_rows, count), *lines, *_moved(along, count)]
        head += [f"{x} = {self.number(0.0)};" for x in out]
        return [*head, self.repeated, f"for ({inner}) {lang.braces(lines)}"]

    def function(self, routine: Routine, lines: Iterable[str]) -> str:
        """A function, in place of its calls if it is small or called once."""
        text = super().function(routine, lines)
        once = self._calls[id(routine)] < 2 or routine.operations.total() < LARGE[self.real]
        once = once and routine.name not in self._apart
        return text if once else text.replace("__device__", "__device__ __noinline__", 1)

    def arguments(self, routine: Routine) -> list[str]:
        """Those of any routine, or of a loop over rows, and memory where it needs some."""
        room = self._rooms[id(routine)] = self.room
        memory, found = [f"{self.real} *scratch"] if room else [], super().arguments(routine)
        if isinstance(routine, ForEach):
            (_, taken, shared), (states, new) = routine.step.inputs, routine.step.outputs
            sizes = {"in": shared.size, "out": states.size, "new_rows": new.size}
            name = "row" if _moves_along(routine) else "taken"
            found = [f"const {self.real} *{name}{k}" for k in range(taken.size)]
            found += [f"{'const ' if name == 'in' else ''}{self.real} *{name}"
                      for name, size in sizes.items() if size]  # fmt: skip
        return [*found, *memory]


def _moves_along(loop: ForEach) -> bool:
    """Whether numbers of rows move along registers: few ones, in a loop of long steps."""
    numbers = loop.at_most * max(loop.step.inputs[1].size, loop.step.outputs[1].size)
    return numbers <= IN_REGISTERS and any(True for _ in loop.step.routines())


def _moved(places: Sequence[str], count: int) -> list[str]:
    """The lines after which each place of so many in turn has the number of the next one."""
    steps = (places[k : k + count] for k in range(0, len(places), count))
    return [f"{to} = {at};" for some in steps for to, at in pairwise(some)]


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


def cuda_source(program: Program, dtype: Any = np.float64) -> tuple[str, PlainData]:
    """CUDA text and its signature (plain data).

    Every array comes with two strides, in numbers: from sample to sample and from element to
    element. Structure-of-arrays data (1, n) makes a warp read adjacent memory; a sample stride
    of 0 repeats one sample for all.
    """
    single = lang.is_single(np.dtype(dtype).name)
    language = Cuda(program, single)
    inputs = [(a, f"in{k}") for k, a in enumerate(program.inputs)]
    outputs = [(a, f"out{k}") for k, a in enumerate(program.outputs)]
    functions = list(language.functions())
    lines, texts = language.body(program, _strided(inputs))
    pairs = zip(_strided(outputs), texts, strict=True)
    facts = {
        "name": program.name,
        "banner": lang.banner(program),
        "language": language,
        "inputs": inputs,
        "outputs": outputs,
        "functions": functions,
        "lines": [*lines, *(f"{place} = {text};" for place, text in pairs)],
    }
    return rendered(__name__, "kernel.cu", facts), lang.signature(program, np.dtype(dtype).name)


def cuda_recurrence(
    program: Program,
    carried: Mapping[str, str],
    random: Collection[str] = (),
    dtype: Any = np.float64,
    apart: Collection[str] = (),
    beside: Collection[str] = (),
) -> tuple[str, PlainData]:
    """CUDA text of a recurrence and its signature (plain data): a sequence a thread.

    `carried` is {input: output of the sample before}; `random` are inputs that are normal numbers,
    drawn on the GPU: what is given for them are their deviations. Routines whose names are `apart`
    are code of their own. Carried inputs that are `beside` wait in the memory that a block shares,
    not in registers, if there is room. Every array comes with three strides, in numbers: from
    sample to sample, from sequence to sequence, from element to element.
    """
    single = lang.is_single(np.dtype(dtype).name)
    language = Cuda(program, single, apart)
    inputs = {a.name: (a, f"in{k}") for k, a in enumerate(program.inputs)}
    outputs = [(a, f"out{k}") for k, a in enumerate(program.outputs)]
    next_of = {given: inputs[taken][1] for taken, given in carried.items()}
    places = list[str]()
    for a, name in inputs.values():
        place = f"{name}_row[{{}} * {name}_step]"
        if a.name in carried:
            place = f"{name}_now[{{}}]"
        elif a.name in random:
            place += f" * {name}_drawn[{{}}]"
        places += [place.replace("{}", str(k)) for k in range(a.size)]
    functions = list(language.functions())
    lines, texts = language.body(program, places)
    in_block = 0 < language.room <= IN_BLOCK and not beside
    shared = (language.room | 1) * in_block  # odd: threads read from different banks
    results, written, going_on = iter(texts), list[str](), list[str]()
    for a, name in outputs:
        for k, text in zip(range(a.size), results, strict=False):
            if a.name in next_of:
                going_on.append(f"{next_of[a.name]}_now[{k}] = {text};")
            else:
                written.append(f"WRITE({name}_row[{k} * {name}_step], {text});")
    sizes = {key: [(inputs[name][1], inputs[name][0].size) for name in some]
             for key, some in (("carried", carried), ("random", random))}  # fmt: skip
    facts = {
        "function_name": program.name,
        "banner": lang.banner(program),
        "language": language,
        "functions": functions,
        "inputs": [name for _, name in inputs.values()],
        "read": [inputs[name][1] for name in _needed(program) if name not in carried],
        "written": [name for a, name in outputs if a.name not in next_of],
        "last": [f"{name}_last" for name in next_of.values()],
        "beside": [inputs[name][1] for name in beside if inputs[name][0].size <= BESIDE],
        "block": LARGEST_BLOCK,
        "shared": shared,
        "lines": [*lines, f"if (kept) {lang.braces(written)}", *going_on],
        **sizes,
    }
    described = {**lang.signature(program, np.dtype(dtype).name), "carried": dict(carried)}
    routines = list(program.routines())
    steps = [r.step for r in routines if isinstance(r, Iteration)]
    bodies = [program, *steps, *(r for r in routines if isinstance(r, Program))]
    small = not single and max(map(waiting_values, bodies)) <= FEW_VALUES
    described |= {"random": list(random), "small": small, "shared": shared}
    return rendered(__name__, "recurrence.cu", facts), described


def _needed(program: Program) -> list[str]:
    """Names of the inputs of which a program needs some element."""
    parts = zip(program.inputs, offsets(program.inputs), strict=True)
    return [a.name for a, at in parts if not program.loaded.isdisjoint(range(at, at + a.size))]


def _strided(named: list[tuple[Argument, str]]) -> list[str]:
    return [
        f"{name}[i * {name}_sample + {k} * {name}_element]"
        for a, name in named
        for k in range(a.size)
    ]
