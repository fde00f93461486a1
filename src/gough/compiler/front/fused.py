"""Programs for GPUs: a product and a sum are one operation there, a quotient or a root several."""

from collections import Counter
from collections.abc import Iterable

from gough.compiler.front import operations
from gough.compiler.front import program as ir
from gough.compiler.front.elementary import elementary
from gough.compiler.front.transformed import last_roots, of_needed, transformed

_REGULAR = 1e-300, 1e300
"""Sizes of constants between which the inverse has all digits."""


def with_chained_sums(program: ir.Program) -> ir.Program:
    """Compute sums as chains, leg by leg, in a program and in all that it calls.

    Each product is fused with a sum then, and numbers of one leg wait, not those of all. What comes
    twice in a sum, and constants, are added up beforehand.
    """
    return transformed(program, lambda part: Sums(part).in_chains(), lambda step: step)


def without_quotients(program: ir.Program, *, angles: bool = True) -> ir.Program:
    """Compute quotients as products, in a program and in all that it calls.

    That is 1 / c of a constant, 1 / b of what divides several numbers, 1 / sqrt(a) at once and
    sqrt(a) of that. With `angles`, those of points have no branches, in double precision.
    """
    return transformed(program, lambda part: _without_quotients(part, angles), lambda step: step)


class Sums:
    """The sums of a program."""

    def __init__(self, program: ir.Program) -> None:
        self._program, self._legs = program, last_roots(program)
        self._uses = Counter(x for i in program.instructions for x in ir.operands_of(i))
        self._uses.update(program.results)

    def in_chains(self) -> ir.Program:
        """Compute each sum as a chain: terms of one leg after those of the one before it."""
        program, values, new = self._program, ir.Values(), list[int]()
        for k, i in enumerate(program.instructions):
            if (terms := self.terms(k, 1.0, k)) == [(k, 1.0)]:
                new.append(values.again(i, tuple(new[x] for x in ir.operands_of(i))))
            else:
                new.append(self._chain(terms, values, new))
        return of_needed(
            self._program, values.instructions, [new[r] for r in self._program.results]
        )

    def terms(self, x: int, factor: float, of: int) -> list[tuple[int | None, float]]:
        """Return values with factors, whose sum is a factor times x; None is the number one.

        Those of another sum are taken if only sum `of` needs it.
        """
        match self._program.instructions[x]:
            case ir.ConstantValue(value):
                return [(None, factor * value)]
            case ir.Compute(operation, operands) if x == of or self._uses[x] == 1:
                scale = self._scale(operation.name, operands)
                if scale is not None:
                    return self.terms(operands[scale[1]], factor * scale[0], of)
                if operation.name in ("add", "sub") and abs(factor) == 1.0:
                    second = factor if operation.name == "add" else -factor
                    a, b = operands
                    return self.terms(a, factor, of) + self.terms(b, second, of)
        return [(x, factor)]

    def _scale(self, name: str, operands: tuple[int, ...]) -> tuple[float, int] | None:
        """Return the factor of an operation that is a multiple of an operand, and of which one."""
        if name in ("neg", "twice"):
            return (-1.0 if name == "neg" else 2.0), 0
        if name == "mul":
            for k, x in enumerate(operands):
                if isinstance(i := self._program.instructions[x], ir.ConstantValue):
                    return i.value, 1 - k
        return None

    def _chain(
        self, terms: list[tuple[int | None, float]], values: ir.Values, new: list[int]
    ) -> int:
        factors = dict[int | None, float]()
        for x, factor in terms:
            factors[x] = factors.get(x, 0.0) + factor
        constant = factors.pop(None, 0.0)
        in_turn = sorted(factors, key=self._place)
        total = values.constant(constant) if constant or not in_turn else None
        return chain(values, [(new[x], factors[x]) for x in in_turn if x is not None], total)

    def _place(self, x: int | None) -> tuple[int, bool]:
        """Return by what terms are sorted: the leg; what cannot be fused first."""
        assert x is not None
        i = self._program.instructions[x]
        product = isinstance(i, ir.Compute) and i.operation.name in ("mul", "sq")
        return self._legs[x], product and self._uses[x] == 1


def chain(values: ir.Values, terms: Iterable[tuple[int, float]], total: int | None = None) -> int:
    """Compute a sum of values with factors as a chain that begins with a total, if there is one."""
    for x, factor in terms:
        value = x
        if abs(factor) != 1.0:
            value = values.compute(operations.MUL, values.constant(factor), value)
        if total is None:
            total = values.compute(operations.NEG, value) if factor == -1.0 else value
        else:
            sign = operations.SUB if factor == -1.0 else operations.ADD
            total = values.compute(sign, total, value)
    assert total is not None
    return total


def _without_quotients(program: ir.Program, angles: bool) -> ir.Program:
    instructions, values, new = program.instructions, ir.Values(), list[int]()
    divisions = (i for i in instructions if _name(i) in ("inv", "div"))
    divisors = Counter(ir.operands_of(i)[-1] for i in divisions)
    under = {x for x in divisors if _name(instructions[x]) == "sqrt"}
    roots = {ir.operands_of(instructions[x]) for x in under}  # whose inverse is needed

    def inverse(x: int) -> int:
        match instructions[x]:
            case ir.ConstantValue(value):
                return values.constant(1 / value)
            case ir.Compute(operations.Operation("sqrt"), (a,)):
                return values.compute(operations.INVERSE_ROOT, new[a])
        return values.compute(operations.INV, new[x])

    def by_inverse(x: int) -> bool:
        divisor, (least, most) = instructions[x], _REGULAR
        if isinstance(divisor, ir.ConstantValue):
            return least < abs(divisor.value) < most
        return divisors[x] > 1 or x in under

    for i in instructions:
        operands = tuple(new[x] for x in ir.operands_of(i))
        match i:
            case ir.Compute(operations.Operation("inv"), (x,)) if by_inverse(x):
                new.append(inverse(x))
            case ir.Compute(operations.Operation("div"), (_, x)) if by_inverse(x):
                new.append(values.compute(operations.MUL, operands[0], inverse(x)))
            case ir.Compute(operations.Operation("sqrt"), places) if places in roots:
                by = values.compute(operations.INVERSE_ROOT, *operands)
                new.append(values.compute(operations.ROOT_OF_INVERSE, *operands, by))
            case ir.Compute(operations.Operation(name)) if angles and name in (
                "atan2",
                "atan",
                "asin",
                "acos",
            ):
                angle = elementary(name)
                assert angle is not None
                new += values.inline(angle, operands)
            case _:
                new.append(values.again(i, operands))
    return of_needed(program, values.instructions, [new[r] for r in program.results])


def _name(instruction: ir.Instruction) -> str:
    return instruction.operation.name if isinstance(instruction, ir.Compute) else ""
