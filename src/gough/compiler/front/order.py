"""The order of a program's operations with which a single sample is done soonest.

An operation waits for its operands, and a processor looks only so far ahead for something else to
do. So operations that do not need each other, such as those of different legs, come in turns. That
takes more registers: with many samples side by side, where there is always enough to do, the order
in which a program is built is the better one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush

from gough.compiler.front.program import (
    Call,
    Compute,
    ConstantValue,
    Instruction,
    Iteration,
    LoadInput,
    Program,
    Routine,
    operands_of,
    renumbered,
)

CYCLES = {"div": 13, "inv": 13, "sqrt": 21, "select": 2, "fabs": 1, "neg": 1}
"""Approximate latency of operations on current processors [cycles]; of others 3."""
PER_CYCLE = 16
"""Operations that begin in a cycle: more than a processor has, so that it may choose."""


def in_turns(program: Program) -> Program:
    """Interleave independent operations of a program, and of all that it calls."""
    done: dict[int, Routine] = {}

    def called(routine: Routine) -> Routine:
        if id(routine) not in done:
            if isinstance(routine, Iteration):
                done[id(routine)] = Iteration(ordered(routine.step), routine.at_most)
            else:
                done[id(routine)] = ordered(routine)
        return done[id(routine)]

    def ordered(program: Program) -> Program:
        order = _order(program.instructions)
        new = {old: number for number, old in enumerate(order)}
        instructions = [renumbered(program.instructions[k], new) for k in order]
        for number, instruction in enumerate(instructions):
            if isinstance(instruction, Call):
                instructions[number] = Call(called(instruction.routine), instruction.operands)
        results = tuple(new[r] for r in program.results)
        return replace(program, instructions=tuple(instructions), results=results)

    return ordered(program)


def _order(instructions: Sequence[Instruction]) -> list[int]:
    """The numbers of all instructions; constants and inputs come just before they are needed."""
    order: dict[int, None] = {}
    for k in _operations_in_turns(instructions):
        order |= dict.fromkeys((*operands_of(instructions[k]), k))
    return list(order | dict.fromkeys(range(len(instructions))))


def _operations_in_turns(instructions: Sequence[Instruction]) -> list[int]:
    """Order operations by the longest remaining path among those whose operands are there."""
    users = _users(instructions)
    to_go = _ways_to_go(instructions, users)
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
            earliest[user] = max(earliest[user], now + _duration(instructions[k]))
            missing[user] -= 1
            if not missing[user]:
                heappush(waiting, (earliest[user], user))
        now += 1
    return order


def _users(instructions: Sequence[Instruction]) -> dict[int, list[int]]:
    """For each operation, those that need it; a constant or an input is no operation."""
    users: dict[int, list[int]] = {}
    for k, instruction in enumerate(instructions):
        if not isinstance(instruction, ConstantValue | LoadInput):
            users[k] = []
            for x in set(operands_of(instruction)) & users.keys():
                users[x].append(k)
    return users


def _ways_to_go(instructions: Sequence[Instruction], users: dict[int, list[int]]) -> dict[int, int]:
    """Return the time from the start of each operation to the end of all that need it."""
    to_go: dict[int, int] = {}
    for k in reversed(users):
        to_go[k] = _duration(instructions[k]) + max((to_go[u] for u in users[k]), default=0)
    return to_go


def _duration(instruction: Instruction) -> int:
    match instruction:
        case Compute(operation, _):
            return PER_CYCLE * CYCLES.get(operation.name, 3)
        case _:
            return 0
