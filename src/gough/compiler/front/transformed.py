"""Programs made of others: with shared routines, for single precision, or in another order."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import cast

import numpy as np

from gough.compiler.front.program import (
    Call,
    Compute,
    ConstantValue,
    Instruction,
    Iteration,
    LoadInput,
    Program,
    Routine,
    flat_size,
    operands_of,
    renumbered,
)
from gough.errors import CompilerError

_THRESHOLD = 1e-6
"""Positive numbers of an iteration that are smaller are thresholds, no lengths or angles."""
_EXACT = 1e-10
"""Thresholds as small are the rounding of double precision itself."""
_DIGITS = math.log(np.finfo(np.float32).eps) / math.log(np.finfo(np.float64).eps)
"""Digits of single precision as a share of those of double precision."""

CYCLES = {"div": 13, "inv": 13, "sqrt": 21, "select": 2, "fabs": 1, "neg": 1}
"""Approximate latency of operations on current processors [cycles]; of others 3."""
PER_CYCLE = 16
"""Operations that begin in a cycle: more than a processor has, so that it may choose."""


def sharing_routines(programs: Sequence[Program]) -> tuple[Program, ...]:
    """Merge equal routines of programs, whoever calls them."""
    known: dict[object, Routine] = {}

    def shared(routine: Routine) -> Routine:
        if isinstance(routine, Iteration):
            step = cast(Program, shared(routine.step))
            return known.setdefault((id(step), routine.at_most), replace(routine, step=step))
        made = _calling(routine, shared)
        sizes = flat_size(made.inputs), flat_size(made.outputs)
        facts = (sizes, tuple(map(_key, made.instructions)), made.results)
        return known.setdefault(facts, made)

    return tuple(_calling(program, shared) for program in programs)


def for_single_precision(program: Program, suited: Container[str] = ()) -> Program:
    """Return a program whose iterations end at steps that are small for single precision.

    A step that stops below some number, say half of the digits in double precision, stops at the
    same share of the digits. `suited` are names of steps that already do; CompilerError for one
    that stops in another way.
    """

    def single(step: Program) -> Program:
        return step if step.name in suited else _stopping_sooner(step, program.name)

    return _transformed(program, lambda called: called, single)


def in_turns(program: Program) -> Program:
    """Interleave independent operations of a program, and of all that it calls.

    That is the order with which a single sample is done soonest: an operation waits for its
    operands, and a processor looks only so far ahead for something else to do, such as the
    operations of another leg. It takes more registers: with many samples side by side, where there
    is always enough to do, the order in which a program is built is the better one.
    """
    return _transformed(program, _interleaved, lambda step: step)


def _transformed(
    program: Program, changed: Callable[[Program], Program], as_step: Callable[[Program], Program]
) -> Program:
    """Return a program changed with all that it calls, each once; steps of iterations as such."""
    made: dict[int, Routine] = {}

    def routine(old: Routine) -> Routine:
        if id(old) not in made:
            if isinstance(old, Iteration):
                made[id(old)] = replace(old, step=as_step(every(old.step)))
            else:
                made[id(old)] = every(old)
        return made[id(old)]

    def every(old: Program) -> Program:
        return _calling(changed(old), routine)

    return every(program)


def _calling(program: Program, changed: Callable[[Routine], Routine]) -> Program:
    """The program, with other routines in place of those that it calls."""
    instructions = tuple(
        Call(changed(i.routine), i.operands) if isinstance(i, Call) else i
        for i in program.instructions
    )
    return replace(program, instructions=instructions)


def _key(instruction: Instruction) -> bytes | tuple[object, ...]:
    """Return a key that is equal for equal instructions only."""
    if isinstance(instruction, ConstantValue):
        return struct.pack("d", instruction.value)
    if isinstance(instruction, Call):
        return (Call, id(instruction.routine), instruction.operands)
    return (type(instruction), instruction)


def _stopping_sooner(step: Program, name: str) -> Program:
    """A step whose thresholds are of as large a share of the digits.

    That is the number that its last result is compared with; where that is made of several
    comparisons, all numbers that are as small.
    """
    positive = {
        k: i.value
        for k, i in enumerate(step.instructions)
        if isinstance(i, ConstantValue) and i.value > 0
    }
    small = {k: value for k, value in positive.items() if value < _THRESHOLD}
    match step.instructions[step.results[-1]]:
        case Compute(operation, (_, place)) if operation.name in ("lt", "le"):
            small = {place: positive[place]} if place in positive else {}
        case _ if min(small.values(), default=0.0) < _EXACT:
            small = {}
    if not small:
        raise CompilerError(
            f"{name} repeats {step.name} until it is exact in double precision; expected float64"
        )
    instructions = list(step.instructions)
    for k, value in small.items():
        instructions[k] = ConstantValue(value**_DIGITS)
    return replace(step, instructions=tuple(instructions))


def _interleaved(program: Program) -> Program:
    """Order the instructions; constants and inputs come just before they are needed."""
    instructions, found = program.instructions, dict[int, None]()
    for k in _operations_in_turns(instructions):
        found |= dict.fromkeys((*operands_of(instructions[k]), k))
    order = list(found | dict.fromkeys(range(len(instructions))))
    new = {old: number for number, old in enumerate(order)}
    return replace(
        program,
        instructions=tuple(renumbered(instructions[k], new) for k in order),
        results=tuple(new[r] for r in program.results),
    )


def _operations_in_turns(instructions: Sequence[Instruction]) -> list[int]:
    """Order operations by the longest remaining path among those whose operands are there."""
    users: dict[int, list[int]] = {}  # of each operation; a constant or an input is none
    for k, instruction in enumerate(instructions):
        if not isinstance(instruction, ConstantValue | LoadInput):
            users[k] = []
            for x in set(operands_of(instruction)) & users.keys():
                users[x].append(k)
    duration = {k: _duration(instructions[k]) for k in users}
    to_go: dict[int, int] = {}  # from the start of each to the end of all that need it
    for k in reversed(users):
        to_go[k] = duration[k] + max((to_go[u] for u in users[k]), default=0)
    missing = {k: len(set(operands_of(instructions[k])) & users.keys()) for k in users}
    earliest = dict.fromkeys(users, 0)
    waiting = [(0, k) for k in users if not missing[k]]
    ready: list[tuple[int, int]] = []
    order: list[int] = []
    now = 0
    while waiting or ready:
        if not ready:
            now = max(now, waiting[0][0])
        while waiting and waiting[0][0] <= now:
            _, k = heappop(waiting)
            heappush(ready, (-to_go[k], k))
        _, k = heappop(ready)
        order.append(k)
        for user in users[k]:
            earliest[user] = max(earliest[user], now + duration[k])
            missing[user] -= 1
            if not missing[user]:
                heappush(waiting, (earliest[user], user))
        now += 1
    return order


def _duration(instruction: Instruction) -> int:
    if isinstance(instruction, Compute):
        return PER_CYCLE * CYCLES.get(instruction.operation.name, 3)
    return 0
