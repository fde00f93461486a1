"""Programs made anew from others: with shared routines, or for single precision."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from gough.compiler.front.program import (
    Call,
    Compute,
    ConstantValue,
    Instruction,
    Iteration,
    Program,
    Routine,
    flat_size,
)
from gough.errors import CompilerError

_THRESHOLD = 1e-6
"""Positive numbers of an iteration that are smaller are thresholds, no lengths or angles."""
_EXACT = 1e-10
"""Thresholds as small are the rounding of double precision itself."""
_DIGITS = math.log(np.finfo(np.float32).eps) / math.log(np.finfo(np.float64).eps)
"""Digits of single precision as a share of those of double precision."""


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
    made: dict[int, Routine] = {}

    def single(routine: Routine) -> Routine:
        if id(routine) not in made:
            made[id(routine)] = rebuilt(routine)
        return made[id(routine)]

    def rebuilt(routine: Routine) -> Routine:
        if not isinstance(routine, Iteration):
            return _calling(routine, single)
        step = _calling(routine.step, single)
        if step.name not in suited:
            step = _stopping_sooner(step, program.name)
        return replace(routine, step=step)

    return _calling(program, single)


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
    if small:
        instructions = list(step.instructions)
        for k, value in small.items():
            instructions[k] = ConstantValue(value**_DIGITS)
        return replace(step, instructions=tuple(instructions))
    raise CompilerError(
        f"{name} repeats {step.name} until it is exact in double precision; expected float64"
    )
