"""Programs made of others: with shared routines, for single precision, or in another order."""

import math
import struct
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from operator import or_
from typing import cast

import numpy as np

from gough.compiler.front import program as ir
from gough.compiler.front.argument import Argument
from gough.compiler.front.elementary import elementary
from gough.compiler.front.packs import Pack, packs_of
from gough.errors import CompilerError

_THRESHOLD = 1e-6
"""Positive numbers of an iteration that are smaller are thresholds, no lengths or angles."""
_EXACT = 1e-10
"""Thresholds as small are the rounding of double precision itself."""
_DIGITS = math.log(np.finfo(np.float32).eps) / math.log(np.finfo(np.float64).eps)
"""Digits of single precision as a share of those of double precision."""

CYCLES = {"div": 13, "inv": 13, "sqrt": 21, "select": 2, "fabs": 1, "neg": 1}
"""Approximate latency of operations on current processors [cycles]; of others 3."""
FEW, SIMILAR = 60, 1.06
"""Maximum number of operations that are moved at a time; ratio of similar numbers of values."""
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

    return transformed(program, lambda called: called, single)


def in_turns(program: ir.Program) -> ir.Program:
    """Interleave independent operations of a program, and of all that it calls, and pack them.

    A single sample is done soonest: an operation waits for its operands, and a processor looks only
    so far ahead. It takes more registers: for many samples side by side the order as built is best.
    """
    return transformed(program, lambda p: _interleaved(_with_own_functions(p)), lambda step: step)


def near_their_use(program: ir.Program) -> ir.Program:
    """Order operations of a program, and of all that it calls, so that few values wait at a time.

    For processors that keep all values of a sample in registers: the best of several orders.
    """
    return transformed(program, _few_waiting, lambda step: step)


def in_place(program: ir.Program, apart: Container[str] = ()) -> ir.Program:
    """Put the operations of programs that are called once in place of their calls.

    Those whose names are `apart` remain.
    """
    bodies = (program, *(r for r in program.routines() if isinstance(r, ir.Program)))
    called = (i for body in bodies for i in body.instructions if isinstance(i, ir.Call))
    calls = Counter(id(i.routine) for i in called)
    values = ir.Values()

    def copied(part: ir.Program, inputs: Sequence[int] | None) -> list[int]:
        new, found = dict[int, int](), dict[int, list[int]]()
        for number, instruction in enumerate(part.instructions):
            operands = tuple(new[x] for x in ir.operands_of(instruction) if x in new)
            match instruction:
                case ir.LoadInput(element) if inputs is not None:
                    new[number] = inputs[element]
                case ir.Call(ir.Program(name=name) as routine) if (
                    calls[id(routine)] < 2 and name not in apart
                ):
                    found[number] = copied(routine, operands)
                case ir.Call(routine):
                    count = ir.flat_size(routine.outputs)
                    found[number] = values.call(routine, operands, count)
                case ir.Result(call, element):
                    new[number] = found[call][element]
                case _:
                    new[number] = values.again(instruction, operands)
        return [new[r] for r in part.results]

    return of_needed(program, values.instructions, copied(program, None))


def split_ahead(program: ir.Program, name: str) -> tuple[ir.Program | None, ir.Program]:
    """Split a program into what depends on one input alone, and the rest, whose last input it is.

    None, and the program, where nothing is computed of that input alone, or there is none.
    """
    where = next((k for k, a in enumerate(program.inputs) if a.name == name), None)
    if where is None:
        return None, program
    first, total = ir.offsets(program.inputs)[where], ir.flat_size(program.inputs)
    source = program.inputs[where]
    alone, known = list[bool](), dict[int, int]()
    for i in program.instructions:
        if isinstance(i, ir.LoadInput):
            alone.append(first <= i.element < first + source.size)
        else:
            alone.append(all(alone[x] for x in ir.operands_of(i)))
    outside = [i for i, own in zip(program.instructions, alone, strict=True) if not own]
    used = {x for i in outside for x in ir.operands_of(i)} | {*program.results}
    for k in sorted(used):
        if alone[k] and isinstance(program.instructions[k], ir.Compute | ir.Result):
            known[k] = len(known)
    if not known:
        return None, program
    found = Argument(f"of_{name}", (len(known),), "", f"what depends on the {name} alone")
    moved = [
        ir.LoadInput(i.element - first) if isinstance(i, ir.LoadInput) else i
        for i in program.instructions
    ]
    named = replace(program, name=f"{program.name}_ahead", inputs=(source,), outputs=(found,))
    rest = [
        ir.LoadInput(total + known[k]) if k in known else i
        for k, i in enumerate(program.instructions)
    ]
    going_on = replace(program, inputs=(*program.inputs, found))
    return of_needed(named, moved, list(known)), of_needed(going_on, rest, list(program.results))


def _with_own_functions(program: ir.Program) -> ir.Program:
    """Put our programs of C's functions in place: those of all legs can be packed then."""
    values, new = ir.Values(), list[int]()
    for i in program.instructions:
        operands = tuple(new[x] for x in ir.operands_of(i))
        own = elementary(i.operation.name) if isinstance(i, ir.Compute) else None
        if own is None or len(own.outputs) > 1:  # it does not hold everywhere
            new.append(values.again(i, operands))
        else:
            new += values.inline(own, operands)
    return of_needed(program, values.instructions, [new[r] for r in program.results])


def of_needed(
    program: ir.Program, instructions: list[ir.Instruction], results: list[int]
) -> ir.Program:
    """Return a program with other instructions, as far as they are needed."""
    needed, at = ir.only_needed(instructions, results)
    return replace(program, instructions=tuple(needed), results=tuple(at), packs=())


def _few_waiting(program: ir.Program) -> ir.Program:
    """Order the instructions in the way in which the fewest values wait, or nearly so.

    Where it makes little difference, values come just before their use, as compilers expect it.
    """
    walked = _from_results(program)
    orders = [_lazily(order) for order in (_by_roots(walked), walked, _by_roots(program))]
    most = SIMILAR * min(map(waiting_values, orders))
    return next(order for order in orders if waiting_values(order) <= most)


def waiting_values(program: ir.Program) -> int:
    """Maximum number of values that wait for their use."""
    instructions, count, most = program.instructions, 0, 0
    last = {x: k for k, i in enumerate(instructions) for x in ir.operands_of(i)}
    last |= dict.fromkeys(program.results, len(instructions))
    done = Counter(k for x, k in last.items() if not isinstance(instructions[x], ir.ConstantValue))
    for k, i in enumerate(instructions):
        count += 0 if isinstance(i, ir.ConstantValue) else 1
        most = max(most, count)
        count -= done[k]
    return most


def _by_roots(program: ir.Program) -> ir.Program:
    """Order by the last root that a value depends on: all that needs one leg, then the next.

    The parts of a machine are chains that begin with a length, a root; sums over legs take each of
    them as it comes. A root that depends on others belongs to the same part.
    """
    last, numbers = last_roots(program), range(len(program.instructions))
    in_turn = sorted((k for k in numbers if last[k]), key=last.__getitem__)
    return _walked(program, [*in_turn, *numbers], lambda missing: sorted(missing, reverse=True))


def last_roots(program: ir.Program) -> list[int]:
    """Number of the last root that each value depends on, from 1; 0: none."""
    return [bits.bit_length() for bits in roots_of(program)]


def roots_of(program: ir.Program) -> list[int]:
    """The roots that each value depends on, as bits; those that depend on others do not count."""
    roots, parts = dict[tuple[int, ...], int](), list[int]()
    for i in program.instructions:
        bits = reduce(or_, (parts[x] for x in ir.operands_of(i)), 0)
        root = isinstance(i, ir.Compute) and i.operation.name in ("sqrt", "inverse_root")
        if root and not bits:
            bits = 1 << roots.setdefault(ir.operands_of(i), len(roots))
        parts.append(bits)
    return parts


def _lazily(program: ir.Program) -> ir.Program:
    """Compute what needs only values that wait anyway where it is first used."""
    instructions, results = program.instructions, {*program.results}
    operands = [set(ir.operands_of(i)) for i in instructions]
    users: list[list[int]] = [[] for _ in instructions]
    for k, needed in enumerate(operands):
        for x in needed:
            users[x].append(k)
    place = list(range(len(instructions)))

    def alone(k: int, until: int) -> set[int]:
        """Values that only k needs, with k, if all others are needed later; else none."""
        found, left = {k}, [k]
        while left:
            for x in operands[left.pop()] - found:
                if isinstance(instructions[x], ir.ConstantValue) or x in results:
                    continue
                others = [place[u] for u in users[x] if u not in found]
                if not others and isinstance(instructions[x], ir.Compute) and len(found) < FEW:
                    found.add(x)
                    left.append(x)
                elif max(others, default=-1) < until:
                    return set()
        return found

    for k in reversed(range(len(instructions))):
        if users[k] and k not in results and isinstance(instructions[k], ir.Compute):
            until = min(place[u] for u in users[k])
            for x in alone(k, until):
                place[x] = until
    order = sorted(range(len(instructions)), key=lambda k: (place[k], k))
    return _walked(program, order, lambda missing: sorted(missing, reverse=True))


def _from_results(program: ir.Program) -> ir.Program:
    """Order by a walk from the results, the operand that takes most registers first.

    [Sethi, Ullman 1970]
    """
    instructions = program.instructions
    waiting = list[int]()  # registers that the operands of each value take
    for instruction in instructions:
        taken = sorted((waiting[x] for x in set(ir.operands_of(instruction))), reverse=True)
        waiting.append(max((n + k for k, n in enumerate(taken)), default=1))
    return _walked(program, program.results, lambda some: sorted(some, key=waiting.__getitem__))


def _walked(
    program: ir.Program, wanted: Sequence[int], in_order: Callable[[list[int]], list[int]]
) -> ir.Program:
    """Order the instructions: each wanted one after its operands, the last of an order first."""
    instructions = program.instructions
    found, stack = dict[int, None](), list(reversed(wanted))
    while stack:
        k = stack[-1]
        missing = [x for x in set(ir.operands_of(instructions[k])) if x not in found]
        if missing and k not in found:
            stack += in_order(missing)
        else:
            found[stack.pop()] = None
    return _reordered(program, list(found))


def transformed(
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
    packs = {pack[0]: pack for pack in packs_of(instructions)}
    steps = _operations_in_turns(instructions, packs)
    for first, *others in steps:
        for k in (first, *others):
            found |= dict.fromkeys(ir.operands_of(instructions[k]))
        found |= dict.fromkeys((first, *others))
    order = list(found | dict.fromkeys(range(len(instructions))))
    starts = {old: number for number, old in enumerate(order)}
    packed = tuple(range(starts[s[0]], starts[s[0]] + len(s)) for s in steps if len(s) > 1)
    return replace(_reordered(program, order), packs=packed)


def _reordered(program: ir.Program, order: Sequence[int]) -> ir.Program:
    instructions, new = program.instructions, {old: number for number, old in enumerate(order)}
    return replace(
        program,
        instructions=tuple(ir.renumbered(instructions[k], new) for k in order),
        results=tuple(new[r] for r in program.results),
        packs=(),
    )


def _operations_in_turns(
    instructions: Sequence[ir.Instruction], packs: dict[int, Pack]
) -> list[Pack]:
    """Order operations by the longest remaining path among those whose operands are there.

    A pack, found by its first operation, is one of them. Of packs that wait for each other the one
    found last, the most doubtful one, is none.
    """
    while True:
        needed = _needed(instructions, packs)
        try:
            one_after_the_other = tuple(TopologicalSorter(needed).static_order())
            break
        except CycleError as error:
            _, cycle = error.args
            last = next(k for k in reversed(packs) if k in cycle)
            packs = {k: pack for k, pack in packs.items() if k != last}
    duration, users = dict.fromkeys(needed, 0), {k: list[int]() for k in needed}
    for k in sorted(needed):
        for x in needed[k]:
            users[x].append(k)
        if isinstance(instruction := instructions[k], ir.Compute):
            duration[k] = PER_CYCLE * CYCLES.get(instruction.operation.name, 3)
    to_go: dict[int, int] = {}  # from the start of each to the end of all that need it
    for k in reversed(one_after_the_other):
        to_go[k] = duration[k] + max((to_go[u] for u in users[k]), default=0)
    missing = {k: len(needed[k]) for k in sorted(needed)}
    earliest = dict.fromkeys(users, 0)
    waiting = [(0, k) for k in missing if not missing[k]]
    ready: list[tuple[int, int]] = []
    order: list[Pack] = []
    now = 0
    while waiting or ready:
        if not ready:
            now = max(now, waiting[0][0])
        while waiting and waiting[0][0] <= now:
            _, k = heappop(waiting)
            heappush(ready, (-to_go[k], k))
        _, k = heappop(ready)
        order.append(packs.get(k, (k,)))
        for user in users[k]:
            earliest[user] = max(earliest[user], now + duration[k])
            missing[user] -= 1
            if not missing[user]:
                heappush(waiting, (earliest[user], user))
        now += 1
    return order


def _needed(
    instructions: Sequence[ir.Instruction], packs: Mapping[int, Pack]
) -> dict[int, set[int]]:
    """Return what each operation or pack needs of others; a constant or an input is none."""
    first = {k: pack[0] for pack in packs.values() for k in pack}
    needed: dict[int, set[int]] = {}
    for k, instruction in enumerate(instructions):
        if not isinstance(instruction, ir.ConstantValue | ir.LoadInput):
            first.setdefault(k, k)
            operands = (first[x] for x in ir.operands_of(instruction) if x in first)
            needed.setdefault(first[k], set()).update(operands)
    return needed
