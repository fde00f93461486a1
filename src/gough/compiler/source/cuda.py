"""A program as CUDA for GPUs: a sample, or a sequence of samples, a thread.

Straight-line code, as of C, with loops over rows of numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import (
    Call,
    ForEach,
    Iteration,
    Program,
    Result,
    Routine,
    offsets,
)
from gough.compiler.front.transformed import waiting_values
from gough.compiler.source import language as lang
from gough.compiler.source.c import C
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
