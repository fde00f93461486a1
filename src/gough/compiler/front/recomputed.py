"""Adjoints for GPUs: numbers of single legs are computed again for the way back.

An adjoint needs the numbers of the way forth on its way back, in reverse. Of all legs together they
do not fit into the registers of a thread, and go through memory, which takes longer than computing
them again, leg by leg, where they are needed.
"""

from collections.abc import Container

from gough.compiler.front import operations
from gough.compiler.front import program as ir
from gough.compiler.front.transformed import of_needed, roots_of, transformed

_ROOTS_OF_A_LEG = 2
"""Maximum number of roots that numbers of a single leg depend on: more are in sums of several."""


def with_legs_again(
    program: ir.Program, seeds: tuple[str, ...], adjoints: Container[str]
) -> ir.Program:
    """Compute numbers of single legs a second time in some routines that a program calls.

    These have names among `adjoints`; their way back is what depends on inputs whose names begin
    with one of `seeds`.
    """
    return transformed(
        program,
        lambda part: _with_legs_again(part, seeds) if part.name in adjoints else part,
        lambda step: step,
    )


def _with_legs_again(program: ir.Program, seeds: tuple[str, ...]) -> ir.Program:
    instructions, given = program.instructions, set[int]()
    for a, first in zip(program.inputs, ir.offsets(program.inputs), strict=True):
        given |= {*range(first, first + a.size)} if a.name.startswith(seeds) else set()
    back, of_a_leg, new = list[bool](), list[bool](), list[ir.Instruction]()
    for i, roots in zip(instructions, roots_of(program), strict=True):
        seed = isinstance(i, ir.LoadInput) and i.element in given
        back.append(seed or any(back[x] for x in ir.operands_of(i)))
        alone = roots.bit_count() <= _ROOTS_OF_A_LEG and not back[-1]
        of_a_leg.append(alone and isinstance(i, ir.Compute | ir.LoadInput))
    number, again = dict[int, int](), dict[int, int]()

    def put(i: ir.Instruction, places: dict[int, int]) -> int:
        new.append(ir.renumbered(i, places))
        return len(new) - 1

    def second(x: int) -> int:
        """Return the number of a value on the way back."""
        if not of_a_leg[x]:
            return number[x]
        if x not in again:
            operands = {y: second(y) for y in ir.operands_of(instructions[x])}
            loaded = isinstance(instructions[x], ir.LoadInput)
            i = ir.Compute(operations.AGAIN, (x,)) if loaded else instructions[x]
            again[x] = put(i, {x: number[x]} if loaded else operands)
        return again[x]

    for k, i in enumerate(instructions):
        taken = {x: second(x) if back[k] else number[x] for x in ir.operands_of(i)}
        number[k] = put(i, taken)
    return of_needed(program, new, [number[r] for r in program.results])
