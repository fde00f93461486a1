"""A program in two: what depends on one of its inputs alone, once, and the rest for each sample."""

from __future__ import annotations

from dataclasses import replace

from gough.compiler.front.argument import Argument
from gough.compiler.front.program import (
    Constant,
    Instruction,
    Load,
    Program,
    offsets,
    operands_of,
    renumbered,
)

PREPARED = "prepared"


def in_two(program: Program, name: str) -> tuple[Program, Program]:
    """The program from the input of this name to numbers, and that which takes these instead.

    Together they do what the program does, every operation once.
    """
    (place,) = (k for k, a in enumerate(program.inputs) if a.name == name)
    early = _early(program, place)
    passed = _passed(program, early)
    numbers = Argument(PREPARED, (max(len(passed), 1),), "SI", f"of {name} alone")
    first = _first(program, place, passed, numbers)
    inputs = tuple(numbers if k == place else a for k, a in enumerate(program.inputs))
    return first, replace(_rest(program, place, passed, inputs), inputs=inputs)


def _early(program: Program, place: int) -> list[bool]:
    """Whether each value depends on that input alone, or on nothing."""
    start = offsets(program.inputs)[place]
    own = range(start, start + program.inputs[place].size)
    early: list[bool] = []
    for instruction in program.instructions:
        if isinstance(instruction, Load):
            early.append(instruction.element in own)
        else:
            early.append(all(early[k] for k in operands_of(instruction)))
    return early


def _passed(program: Program, early: list[bool]) -> list[int]:
    """The early values that later ones, or the outputs, need; constants are no news."""
    wanted = set(program.results)
    for number, instruction in enumerate(program.instructions):
        if not early[number]:
            wanted.update(operands_of(instruction))
    known = enumerate(program.instructions)
    return [k for k, x in known if early[k] and k in wanted and not isinstance(x, Constant)]


def _first(program: Program, place: int, passed: list[int], numbers: Argument) -> Program:
    """The program of what is passed on."""
    start = offsets(program.inputs)[place]
    needed = set(passed)
    for k in reversed(range(len(program.instructions))):
        if k in needed:
            needed.update(operands_of(program.instructions[k]))
    new: dict[int, int] = {}
    kept: list[Instruction] = []
    for k in sorted(needed):
        new[k] = len(kept)
        instruction = renumbered(program.instructions[k], new)
        if isinstance(instruction, Load):
            instruction = Load(instruction.element - start)
        kept.append(instruction)
    results = tuple(new[k] for k in passed)
    if not passed:  # a zero: arrays have numbers
        kept, results = [Constant(0.0)], (0,)
    name = f"{PREPARED}_{program.name}"
    return Program(name, "", (program.inputs[place],), (numbers,), tuple(kept), results)


def _rest(program: Program, place: int, passed: list[int], inputs: tuple[Argument, ...]) -> Program:
    """The program that takes what was passed on."""
    before, after = offsets(program.inputs), offsets(inputs)
    shift = {
        before[k] + i: after[k] + i
        for k, argument in enumerate(program.inputs)
        if k != place
        for i in range(argument.size)
    }
    taken = {value: after[place] + k for k, value in enumerate(passed)}
    needed = set(program.results)
    for k in reversed(range(len(program.instructions))):
        if k in needed and k not in taken:
            needed.update(operands_of(program.instructions[k]))
    new: dict[int, int] = {}
    kept: list[Instruction] = []
    for k in sorted(needed):
        instruction = program.instructions[k]
        new[k] = len(kept)
        if k in taken:
            kept.append(Load(taken[k]))
        elif isinstance(instruction, Load):
            kept.append(Load(shift[instruction.element]))
        else:
            kept.append(renumbered(instruction, new))
    return replace(
        program, instructions=tuple(kept), results=tuple(new[k] for k in program.results)
    )
