"""Programs made of others: with shared routines, for single precision, or in another order."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import cast

import numpy as np

from gough.compiler.front import program as ir
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


def sharing_routines(programs: Sequence[ir.Program]) -> tuple[ir.Program, ...]:
    """Merge equal routines of programs, whoever calls them."""
    known: dict[object, ir.Routine] = {}

    def shared(routine: ir.Routine) -> ir.Routine:
        if isinstance(routine, ir.Iteration):
            step = cast(ir.Program, shared(routine.step))
            return known.setdefault((id(step), routine.at_most), replace(routine, step=step))
        made = _calling(routine, shared)
        sizes = ir.flat_size(made.inputs), ir.flat_size(made.outputs)
        facts = (sizes, tuple(map(_key, made.instructions)), made.results)
        return known.setdefault(facts, made)

    return tuple(_calling(program, shared) for program in programs)


def for_single_precision(program: ir.Program, suited: Container[str] = ()) -> ir.Program:
    """Return a program whose iterations end at steps that are small for single precision.

    A step that stops below some number, say half of the digits in double precision, stops at the
    same share of the digits. `suited` are names of steps that already do; CompilerError for one
    that stops in another way.
    """

    def single(step: ir.Program) -> ir.Program:
        return step if step.name in suited else _stopping_sooner(step, program.name)

    return _transformed(program, lambda called: called, single)


def in_turns(program: ir.Program) -> ir.Program:
    """Interleave independent operations of a program, and of all that it calls.

    A single sample is done soonest: an operation waits for its operands, and a processor looks only
    so far ahead. It takes more registers: for many samples side by side the order as built is best.
    """
    return _transformed(program, _interleaved, lambda step: step)


def near_their_use(program: ir.Program) -> ir.Program:
    """Order operations of a program, and of all that it calls, so that few values wait at a time.

    Each result is computed from its operands up, the operand that takes the most registers first
    [Sethi, Ullman 1970]: for processors that keep all values of a sample in registers.
    """
    return _transformed(program, _from_results, lambda step: step)


def _from_results(program: ir.Program) -> ir.Program:
    """Order the instructions by a walk from the results."""
    instructions = program.instructions
    waiting = list[int]()  # registers that the operands of each value take
    for instruction in instructions:
        taken = sorted((waiting[x] for x in set(ir.operands_of(instruction))), reverse=True)
        waiting.append(max((n + k for k, n in enumerate(taken)), default=1))
    found, stack = dict[int, None](), list(reversed(program.results))
    while stack:
        k = stack[-1]
        missing = [x for x in set(ir.operands_of(instructions[k])) if x not in found]
        if missing and k not in found:
            stack += sorted(missing, key=waiting.__getitem__)
        else:
            found[stack.pop()] = None
    return _reordered(program, list(found))


def _transformed(
    program: ir.Program,
    changed: Callable[[ir.Program], ir.Program],
    as_step: Callable[[ir.Program], ir.Program],
) -> ir.Program:
    """Return a program changed with all that it calls, each once; steps of iterations as such."""
    made: dict[int, ir.Routine] = {}

    def routine(old: ir.Routine) -> ir.Routine:
        if id(old) not in made:
            if isinstance(old, ir.Iteration):
                made[id(old)] = replace(old, step=as_step(every(old.step)))
            else:
                made[id(old)] = every(old)
        return made[id(old)]

    def every(old: ir.Program) -> ir.Program:
        return _calling(changed(old), routine)

    return every(program)


def _calling(program: ir.Program, changed: Callable[[ir.Routine], ir.Routine]) -> ir.Program:
    """The program, with other routines in place of those that it calls."""
    instructions = tuple(
        ir.Call(changed(i.routine), i.operands) if isinstance(i, ir.Call) else i
        for i in program.instructions
    )
    return replace(program, instructions=instructions)


def _key(instruction: ir.Instruction) -> bytes | tuple[object, ...]:
    """Return a key that is equal for equal instructions only."""
    if isinstance(instruction, ir.ConstantValue):
        return struct.pack("d", instruction.value)
    if isinstance(instruction, ir.Call):
        return (ir.Call, id(instruction.routine), instruction.operands)
    return (type(instruction), instruction)


def _stopping_sooner(step: ir.Program, name: str) -> ir.Program:
    """A step whose thresholds, those of its last comparisons, have as large a share of digits."""
    positive = {
        k: i.value
        for k, i in enumerate(step.instructions)
        if isinstance(i, ir.ConstantValue) and i.value > 0
    }
    small = {k: value for k, value in positive.items() if value < _THRESHOLD}
    match step.instructions[step.results[-1]]:
        case ir.Compute(operation, (_, place)) if operation.name in ("lt", "le"):
            small = {place: positive[place]} if place in positive else {}
        case _ if min(small.values(), default=0.0) < _EXACT:
            small = {}
    if not small:
        raise CompilerError(
            f"{name} repeats {step.name} until it is exact in double precision; expected float64"
        )
    instructions = list(step.instructions)
    for k, value in small.items():
        instructions[k] = ir.ConstantValue(value**_DIGITS)
    return replace(step, instructions=tuple(instructions))


def _interleaved(program: ir.Program) -> ir.Program:
    """Order the instructions; constants and inputs come just before they are needed."""
    instructions, found = program.instructions, dict[int, None]()
    for k in _operations_in_turns(instructions):
        found |= dict.fromkeys((*ir.operands_of(instructions[k]), k))
    return _reordered(program, list(found | dict.fromkeys(range(len(instructions)))))


def _reordered(program: ir.Program, order: Sequence[int]) -> ir.Program:
    instructions, new = program.instructions, {old: number for number, old in enumerate(order)}
    return replace(
        program,
        instructions=tuple(ir.renumbered(instructions[k], new) for k in order),
        results=tuple(new[r] for r in program.results),
    )


def _operations_in_turns(instructions: Sequence[ir.Instruction]) -> list[int]:
    """Order operations by the longest remaining path among those whose operands are there."""
    users: dict[int, list[int]] = {}  # of each operation; a constant or an input is none
    for k, instruction in enumerate(instructions):
        if not isinstance(instruction, ir.ConstantValue | ir.LoadInput):
            users[k] = []
            for x in set(ir.operands_of(instruction)) & users.keys():
                users[x].append(k)
    duration = dict.fromkeys(users, 0)
    for k in users:
        if isinstance(instruction := instructions[k], ir.Compute):
            duration[k] = PER_CYCLE * CYCLES.get(instruction.operation.name, 3)
    to_go: dict[int, int] = {}  # from the start of each to the end of all that need it
    for k in reversed(users):
        to_go[k] = duration[k] + max((to_go[u] for u in users[k]), default=0)
    missing = {k: len(set(ir.operands_of(instructions[k])) & users.keys()) for k in users}
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
