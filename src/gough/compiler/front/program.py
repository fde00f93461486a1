"""A straight-line program: the operations of a Function, in order, none of them twice.

Values are numbered as they are computed and never change (static single assignment). Building a
program does common-subexpression elimination (equal operations on equal values get one number),
turns CasADi's two-sided conditionals into one selection, and drops what no output needs.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from itertools import accumulate, compress
from typing import NamedTuple, cast

import casadi as ca

from gough.compiler.front import operations
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import FOR_EACH, ITERATE, Function
from gough.compiler.front.operations import ADD, IF_ELSE_ZERO, Operation
from gough.errors import CompilerError

_ID, _INPUT, _OUTPUT = (
    getattr(import_module("casadi._casadi"), f"Function_instruction_{part}")
    for part in ("id", "input", "output")
)
"""Functions that CasADi's methods call: of large programs they are asked a million times."""
APPROXIMATE = "approximate_"
"""Start of the names of routines whose results a formula does not depend on.

Whatever numbers they give, the formula has the same value: over a box they are those of the middles
of bounds, and their slopes and derivatives are zero."""
KNOWN = "known_"
"""Start of the names of routines that give their first half of inputs.

Over a box bounds of these are no wider than those of the other half."""
SMALL = 4
"""Programs of so few operations are copied where they are called."""


class ConstantValue(NamedTuple):
    """A number."""

    value: float


class LoadInput(NamedTuple):
    """One element of the inputs, counted through all of them."""

    element: int


class Compute(NamedTuple):
    """A scalar operation on values."""

    operation: Operation
    operands: tuple[int, ...]


class Call(NamedTuple):
    """A call of another routine; its results are Result instructions."""

    routine: Routine
    operands: tuple[int, ...]


class Result(NamedTuple):
    """One of the results of a call."""

    call: int
    element: int


Instruction = ConstantValue | LoadInput | Compute | Call | Result


def operands_of(instruction: Instruction) -> tuple[int, ...]:
    """The values that an instruction needs."""
    if isinstance(instruction, Compute):  # most are: asked alone, and first
        return instruction.operands
    if isinstance(instruction, Call):
        return instruction.operands
    return (instruction.call,) if isinstance(instruction, Result) else ()


@dataclass(frozen=True, eq=False)
class Program:
    """Instructions, each numbered by its place, and the values that are the outputs."""

    name: str
    doc: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    instructions: tuple[Instruction, ...]
    results: tuple[int, ...]
    origin: str = ""
    """Origin of the program, as stated at the beginning of its source text."""
    packs: tuple[range, ...] = ()
    """Operations of one kind, numbered in a row, that may be computed as one: see `packs`."""

    def __repr__(self) -> str:
        return f"<gough program {self.name}: {len(self.instructions)} instructions>"

    @classmethod
    def of(cls, function: Function, origin: str = "") -> Program:
        """The program of a symbolic function."""
        arguments = function.inputs, function.outputs
        made = _Builder().program(function.traced, function.name, function.doc, *arguments)
        return replace(made, origin=origin)

    @cached_property
    def operations(self) -> Counter[str]:
        """Count of each scalar operation, of called programs too, with one pass of iterations."""
        counts: Counter[str] = Counter()
        for instruction in self.instructions:
            if isinstance(instruction, Compute):
                counts[instruction.operation.name] += 1
            elif isinstance(instruction, Call):
                counts += instruction.routine.operations
        return counts

    @property
    def n_operations(self) -> int:
        """Number of scalar operations of one sample."""
        return self.operations.total()

    @cached_property
    def most_operations(self) -> int:
        """Maximum number of scalar operations of one sample, if no iteration stops early."""
        own = sum(isinstance(i, Compute) for i in self.instructions)
        called = (i.routine for i in self.instructions if isinstance(i, Call))
        return own + sum(routine.most_operations for routine in called)

    @cached_property
    def loaded(self) -> frozenset[int]:
        """The elements of the inputs that it needs."""
        return frozenset(i.element for i in self.instructions if isinstance(i, LoadInput))

    @cached_property
    def is_small(self) -> bool:
        """Whether it is less work to do than to call."""
        named = self.name.startswith(KNOWN)
        return self.n_operations <= SMALL and not named and not any(self.routines())

    def routines(self) -> Iterator[Routine]:
        """Yield the routines that this program calls, each once, and before its callers."""
        seen: set[int] = set()
        for instruction in self.instructions:
            if isinstance(instruction, Call):
                for routine in (*instruction.routine.routines(), instruction.routine):
                    if id(routine) not in seen:
                        seen.add(id(routine))
                        yield routine


@dataclass(frozen=True, eq=False)
class Iteration:
    """A step program repeated on its own states, at most so many times, until it says stop."""

    step: Program
    at_most: int

    @property
    def name(self) -> str:
        """The step's name, marked."""
        return f"iterate_{self.step.name}"

    @property
    def n_states(self) -> int:
        """Number of elements that the step passes on to itself."""
        return flat_size(self.step.outputs) - 1

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """States, then parameters: those of the step."""
        return self.step.inputs

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """States, the number of steps done, and the status with which the last one stopped."""
        *states, status = self.step.outputs
        return (*states, Argument("iterations"), status)

    @property
    def operations(self) -> Counter[str]:
        """Those of one pass."""
        return self.step.operations

    @property
    def most_operations(self) -> int:
        """Those of all passes."""
        return self.at_most * self.step.most_operations

    def routines(self) -> Iterator[Routine]:
        """Yield the routines that it calls, each before its callers."""
        yield from self.step.routines()
        yield self.step


@dataclass(frozen=True, eq=False)
class ForEach(Iteration):
    """A step program done `at_most` times, each time for another row of numbers; for GPUs only.

    The step takes states, which begin with zero, the numbers of its row, and numbers that all rows
    share; it gives new states and the numbers of its new row.
    """

    backwards: bool = False
    """Whether the last row is the first one."""

    @property
    def name(self) -> str:
        """The step's name, marked."""
        return f"each_{self.step.name}"

    @property
    def n_states(self) -> int:
        """Refused: who asks knows only steps that say when they stop."""
        raise CompilerError(f"{self.step.name} is done for rows of numbers, on GPUs only")

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """Numbers of all rows, the first ones of each first, and what they share."""
        _, row, shared = self.step.inputs
        return replace(row, shape=(row.size, self.at_most)), shared

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """States at last, and the numbers of all new rows."""
        states, row = self.step.outputs
        return states, replace(row, shape=(row.size, self.at_most))

    def routines(self) -> Iterator[Routine]:
        """Yield the routines that its step calls: the step itself is no function."""
        yield from self.step.routines()


Routine = Program | Iteration


def flat_size(arguments: Sequence[Argument]) -> int:
    """Return the total number of elements of arguments."""
    return sum(a.size for a in arguments)


def offsets(arguments: tuple[Argument, ...]) -> list[int]:
    """Where each begins when all are laid end to end."""
    return [0, *accumulate(a.size for a in arguments)][:-1]


class Values:
    """The instructions of a program as it is built: equal ones get one number."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self._numbers: dict[object, int] = {}

    def constant(self, value: float) -> int:
        """Return the number of a constant."""
        return self._number(struct.pack("d", value), ConstantValue(value))

    def load(self, element: int) -> int:
        """Return the number of an element of the inputs."""
        return self._number((LoadInput, element), LoadInput(element))

    def compute(self, operation: Operation, *operands: int) -> int:
        """Return the number of the result of an operation."""
        instructions = self.instructions
        if operation is ADD and instructions[operands[0]][0] is IF_ELSE_ZERO:
            selection = self._selection(*operands)
            if selection is not None:
                return selection
        reverse = operation.commutative and operands[0] > operands[1]
        key = operation.name, operands[::-1] if reverse else operands
        number = self._numbers.setdefault(key, len(instructions))
        if number == len(instructions):
            instructions.append(Compute(operation, operands))
        return number

    def again(self, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """Return the number of an instruction of another program, on operands of this one."""
        match instruction:
            case Compute(operation):
                return self.compute(operation, *operands)
            case ConstantValue(value):
                return self.constant(value)
            case LoadInput(element):
                return self.load(element)
            case Call(routine):
                return self._number((id(routine), operands), Call(routine, operands))
            case Result(_, element):
                (call,) = operands
                return self._number((call, element, Result), Result(call, element))

    def inline(self, program: Program, operands: tuple[int, ...]) -> list[int]:
        """A small program's operations in place of its call."""
        new: dict[int, int] = {}
        for number, instruction in enumerate(program.instructions):
            match instruction:
                case Compute(operation, places):
                    new[number] = self.compute(operation, *[new[x] for x in places])
                case ConstantValue(value):
                    new[number] = self.constant(value)
                case LoadInput(element):
                    new[number] = operands[element]
        return [new[r] for r in program.results]

    def call(self, routine: Routine, operands: tuple[int, ...], count: int) -> list[int]:
        """Return the numbers of the results of a call."""
        call = self.again(Call(routine, operands), operands)
        return [self.again(Result(call, k), (call,)) for k in range(count)]

    def _selection(self, first: int, second: int) -> int | None:
        """`(test ? a : 0) + (!test ? b : 0)`, which is CasADi's if_else, as `test ? a : b`."""
        one, other = self.instructions[first], self.instructions[second]
        if one[0] is IF_ELSE_ZERO is other[0]:
            (test, a), (inverse, b) = operands_of(one), operands_of(other)
            if self.instructions[inverse] == Compute(operations.NOT, (test,)):
                return self.compute(operations.SELECT, test, a, b)
        return None

    def _number(self, key: object, instruction: Instruction) -> int:
        number = self._numbers.setdefault(key, len(self.instructions))
        if number == len(self.instructions):
            self.instructions.append(instruction)
        return number


class _Builder:
    """Turns CasADi functions into routines, each once however often it is called."""

    def __init__(self) -> None:
        self._built: dict[int, Routine] = {}

    def program(
        self,
        f: ca.Function,
        name: str,
        doc: str,
        inputs: tuple[Argument, ...],
        outputs: tuple[Argument, ...],
    ) -> Program:
        """Number the values of a CasADi function's instructions."""
        values = Values()
        in_offsets, out_offsets = offsets(inputs), offsets(outputs)
        results: list[int] = [values.constant(0.0)] * flat_size(outputs)
        work: dict[int, int] = {}
        codes = [_ID(f, k) for k in range(f.n_instructions())]
        expressions = f.instructions_sx() if ca.OP_CALL in codes else []
        known, compute = operations.BY_CASADI_CODE, values.compute
        for k, code in enumerate(codes):
            targets, sources = _OUTPUT(f, k), _INPUT(f, k)
            if code in known:
                work[targets[0]] = compute(known[code], *[work[s] for s in sources])
            elif code == ca.OP_CONST:
                work[targets[0]] = values.constant(f.instruction_constant(k))
            elif code == ca.OP_INPUT:
                work[targets[0]] = values.load(in_offsets[sources[0]] + sources[1])
            elif code == ca.OP_OUTPUT:
                results[out_offsets[targets[0]] + targets[1]] = work[sources[0]]
            elif code == ca.OP_CALL and f"_{APPROXIMATE}" in expressions[k].which_function().name():
                work.update(dict.fromkeys(targets, values.constant(0.0)))  # its derivatives
            elif code == ca.OP_CALL:
                routine = self.routine(expressions[k].which_function())
                operands = tuple(work[s] for s in sources)
                if isinstance(routine, Program) and routine.is_small:
                    numbers = values.inline(routine, operands)
                else:
                    numbers = values.call(routine, operands, len(targets))
                work.update(zip(targets, numbers, strict=True))
            else:
                raise CompilerError(f"{name}: CasADi operation {code} cannot be compiled")
        instructions, outputs_at = only_needed(values.instructions, results)
        return Program(name, doc, inputs, outputs, tuple(instructions), tuple(outputs_at))

    def routine(self, f: ca.Function) -> Routine:
        """Return a called CasADi function as a program, or as an iteration of one."""
        key, name = f.__hash__(), f.name()
        if key not in self._built and name.startswith(ITERATE):
            (step,) = f.find_functions(0)
            at_most = int(name.removeprefix(ITERATE))
            self._built[key] = Iteration(cast(Program, self.routine(step)), at_most)
        elif key not in self._built and name.startswith(FOR_EACH):
            count, *words = name.removeprefix(FOR_EACH).split("_")
            (step,) = f.find_functions(0)
            self._built[key] = self._for_each(
                cast(Program, self.routine(step)), int(count), words != []
            )
        elif key not in self._built:
            inputs = tuple(Argument(f.name_in(k), (f.nnz_in(k),)) for k in range(f.n_in()))
            outputs = tuple(Argument(f.name_out(k), (f.nnz_out(k),)) for k in range(f.n_out()))
            self._built[key] = self.program(f, name, "", inputs, outputs)
        return self._built[key]

    def _for_each(self, step: Program, count: int, backwards: bool) -> ForEach:
        """Return a loop over rows of a step (states, row, what is shared) -> (states, new row)."""
        *states, row = step.outputs
        n, taken = len(states), step.inputs
        parts = {"states": taken[:n], "row": taken[n : n + 1], "shared": taken[n + 1 :]}
        inputs = tuple(Argument(name, (flat_size(some),)) for name, some in parts.items())
        outputs = Argument("states", (flat_size(states),)), Argument("row", (row.size,))
        return ForEach(replace(step, inputs=inputs, outputs=outputs), count, backwards)


def only_needed(
    instructions: list[Instruction], results: list[int]
) -> tuple[list[Instruction], list[int]]:
    """Return the instructions that the results depend on, numbered anew."""
    needed = bytearray(len(instructions))
    for number in results:
        needed[number] = 1
    for number in reversed(range(len(instructions))):
        if needed[number]:
            for operand in operands_of(instructions[number]):
                needed[operand] = 1
    if all(needed):
        return instructions, results
    new = list(accumulate(needed, initial=0))
    return [renumbered(i, new) for i in compress(instructions, needed)], [new[r] for r in results]


def renumbered(instruction: Instruction, new: Sequence[int] | Mapping[int, int]) -> Instruction:
    """Return an instruction on values that have new numbers."""
    if isinstance(instruction, Compute):
        operation, operands = instruction
        return Compute(operation, tuple([new[x] for x in operands]))
    if isinstance(instruction, Call):
        return Call(instruction.routine, tuple([new[x] for x in instruction.operands]))
    if isinstance(instruction, Result):
        return Result(new[instruction.call], instruction.element)
    return instruction
