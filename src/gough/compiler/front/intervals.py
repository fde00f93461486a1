"""Programs over boxes: from bounds of every input to bounds of every value, rounded outward.

Each value becomes two, `(low, high)`: for all inputs within their bounds, the value of the formula
in real numbers is between them. With slopes, it also has bounds of its derivative along a
direction over the whole box, by the chain rule, so that callers have the mean-value form.

Rounding. A processor rounds to nearest: of a result x the exact one is within half an ulp, which is
at most 2^-53 |x|, or 2^-1075 where x is subnormal. `outward` takes e = 2^-52 (|low| + |high|) +
2^-1022 from low and adds it to high. Rounding is monotone: so e is at least ulp(x) for either end
x, and fl(x - e) at most fl(x - ulp(x)) = x - ulp(x), which is below the exact result. No rounding
mode is switched. Functions that are some ulps off take as many times more.

Nothing known. Bounds are both finite, or neither is; then nothing is known of the value (its
formula may have no value in the box). Every operation keeps this: a raw bound that is infinite or
NaN makes e so, and with e both bounds; each of four products has a factor of either operand; what
is not rounded is `poisoned` by 0 or NaN. Comparisons of what is unknown are undecided.

Slopes hold for continuous formulas: of what jumps (a comparison, a sign, a selection) they are
unknown, unless all of the box is on one side. `fmin`, `fmax` and `fabs` have those of both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache, reduce
from typing import NamedTuple

from gough.compiler.front import operations
from gough.compiler.front.argument import Argument
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import (
    APPROXIMATE,
    KNOWN,
    Call,
    Compute,
    ConstantValue,
    Iteration,
    LoadInput,
    Program,
    Result,
    Routine,
    Values,
    flat_size,
    offsets,
    only_needed,
)
from gough.errors import CompilerError

_BY_NAME = {o.name: o for o in operations.BY_CASADI_CODE.values()} | {
    o.name: o for o in (operations.SELECT, operations.LEAST, operations.GREATEST)
}
_EPS, _TINY = 2.0**-52, 2.0**-1022
_ULPS = 8.0
"""Outward rounding of elementary functions, which are within 3 ulp, in ulps."""
_OF_UNIT = 2.0**-49
"""Bound of the error of a sine or cosine."""
_FAR = 2.0**19
"""Beyond this angle [rad] a sine is only known to be from -1 to 1."""
_AROUND = 1e-9
"""A maximum of a sine as near [turns] counts as inside: more than the rounding of its place."""
_PI = math.nextafter(math.pi, 4.0)
_TRUTHS = {"lt", "le", "eq", "ne", "not", "and", "or"}


class Bounds(NamedTuple):
    """Places of a value's bounds in the new program, and of those of its slope: None for zero."""

    low: int
    high: int
    slope: Bounds | None = None


def over_boxes(
    program: Program, along: Collection[str] = (), within: Collection[str] = ()
) -> Program:
    """Return the program from bounds of all inputs, (..., 2), to bounds of all outputs, (..., 2).

    It takes a direction `d_x` of each input x that is named in `along`, as well, and gives bounds
    `d_y` of the derivative of each output y in that direction. Of inputs that are named `within`
    directions have bounds, (..., 2), too. CompilerError for a program that iterates.
    """
    return _Boxes(bool(along) or bool(within)).program(program, along, within)


class _Boxes:
    """Makes programs over boxes, each once however often it is called."""

    def __init__(self, slopes: bool) -> None:
        self.slopes = slopes
        self._made: dict[int, Program] = {}

    def program(self, program: Program, along: Collection[str], within: Collection[str]) -> Program:
        """Return a program that is called from outside: directions are numbers, or have bounds."""
        boxes = tuple(replace(a, shape=(*a.shape, 2), optional=False) for a in program.inputs)
        found = tuple(replace(a, shape=(*a.shape, 2)) for a in program.outputs)
        name = f"{program.name}_over_boxes"
        if not self.slopes:
            return self._translated(program, name, boxes, found, {})
        directions, seeds = list[Argument](), dict[int, tuple[int, int]]()
        count = flat_size(boxes)
        for a, first in zip(program.inputs, offsets(program.inputs), strict=True):
            if a.name in along or a.name in within:
                ends = 2 if a.name in within else 1
                shape, meaning = (*a.shape, 2)[: len(a.shape) + ends - 1], f"direction of {a.name}"
                directions.append(Argument(f"d_{a.name}", shape, a.unit, meaning, optional=True))
                places = (range(count + ends * k, count + ends * (k + 1)) for k in range(a.size))
                seeds |= {first + k: (at[0], at[-1]) for k, at in enumerate(places)}
                count += ends * a.size
        changes = tuple(replace(a, name=f"d_{a.name}") for a in found)
        return self._translated(program, name, (*boxes, *directions), (*found, *changes), seeds)

    def routine(self, routine: Routine, caller: str) -> Program:
        """Return a program that is called from others: directions have bounds."""
        if isinstance(routine, Iteration):
            raise CompilerError(
                f"{caller} iterates inside (a leg without a closed form, or a search), which has "
                "no bounds over a box; expected a robot with legs in closed form"
            )
        if id(routine) not in self._made:
            each = 4 if self.slopes else 2
            sizes = [each * flat_size(some) for some in (routine.inputs, routine.outputs)]
            boxes, found = ((Argument(x, (n,)),) for x, n in zip("xy", sizes, strict=True))
            half, count = 2 * flat_size(routine.inputs), flat_size(routine.inputs)
            seeds = {k: (half + 2 * k, half + 2 * k + 1) for k in range(count)}
            seeds = seeds if self.slopes else {}
            self._made[id(routine)] = self._translated(routine, routine.name, boxes, found, seeds)
        return self._made[id(routine)]

    def _translated(
        self,
        program: Program,
        name: str,
        inputs: tuple[Argument, ...],
        outputs: tuple[Argument, ...],
        seeds: Mapping[int, tuple[int, int]],
    ) -> Program:
        """Translate all instructions; `seeds` are the places of the slopes of inputs."""
        write, value = _Writer(), dict[int, Bounds]()
        calls, squares = dict[int, list[Bounds]](), set[int]()

        def load(k: int) -> Bounds:
            slope = None
            if k in seeds:
                first, second = map(write.values.load, seeds[k])
                slope = Bounds(first, second)
            return Bounds(write.values.load(2 * k), write.values.load(2 * k + 1), slope)

        for number, instruction in enumerate(program.instructions):
            match instruction:
                case ConstantValue(x):
                    value[number] = write.constant(x)
                case LoadInput(element):
                    value[number] = load(element)
                case Compute(operation, operands):
                    given = [value[x] for x in operands]
                    summed = operation.name == "add" and squares.issuperset(operands)
                    if operation.name == "sq" or summed:
                        squares.add(number)
                    elif operation.name == "sqrt" and squares.issuperset(operands):
                        given = [write.not_negative(*given)]
                    value[number] = write.compute(operation, given)
                case Call(routine, operands):
                    given = [value[x] for x in operands]
                    if isinstance(routine, Program) and routine.name.startswith(APPROXIMATE):
                        calls[number] = write.approximate(routine, given)
                        continue
                    if isinstance(routine, Program) and routine.name.startswith(KNOWN):
                        halves = given[: len(given) // 2], given[len(given) // 2 :]
                        calls[number] = [*map(write.narrowed, *halves)]
                        continue
                    made = self.routine(routine, program.name)
                    flat = [x for b in given for x in b[:2]]
                    if self.slopes:
                        flat += [x for b in given for x in write.slope(b)[:2]]
                    got = write.values.call(made, tuple(flat), flat_size(made.outputs))
                    both = [Bounds(*pair) for pair in zip(got[::2], got[1::2], strict=True)]
                    half = len(both) // 2
                    slopes = zip(both[:half], both[half:], strict=True)
                    joined = (a._replace(slope=b) for a, b in slopes)
                    calls[number] = [*joined] if self.slopes else both
                case Result(call, element):
                    value[number] = calls[call][element]
        found = [value[r] for r in program.results]
        results = [x for b in found for x in b[:2]]
        if self.slopes:
            results += [x for b in found for x in write.slope(b)[:2]]
        instructions, places = only_needed(write.values.instructions, results)
        return Program(name, program.doc, inputs, outputs, tuple(instructions), tuple(places))


class _Writer:
    """Writes operations on bounds as operations on numbers."""

    def __init__(self) -> None:
        self.values = Values()

    # numbers

    def do(self, name: str, *operands: int) -> int:
        return self.values.compute(_BY_NAME[name], *operands)

    def number(self, x: float) -> int:
        return self.values.constant(x)

    def known(self, a: Bounds) -> float | None:
        """The number, of bounds that are one."""
        instruction = self.values.instructions[a.low]
        if a.low == a.high and isinstance(instruction, ConstantValue):
            return instruction.value
        return None

    # bounds

    def constant(self, x: float) -> Bounds:
        return Bounds(self.number(x), self.number(x))

    def between(self, low: float, high: float) -> Bounds:
        return Bounds(self.number(low), self.number(high))

    def slope(self, a: Bounds) -> Bounds:
        return a.slope or self.constant(0.0)

    def outward(self, low: int, high: int, ulps: float = 1.0) -> Bounds:
        size = self.do("add", self.do("fabs", low), self.do("fabs", high))
        e = self.do("add", self.do("mul", size, self.number(ulps * _EPS)), self.number(_TINY))
        return Bounds(self.do("sub", low, e), self.do("add", high, e))

    def poisoned(self, low: int, high: int, *by: Bounds) -> Bounds:
        """These bounds, unless one of the others is unknown."""
        total = self.sum(x for b in by for x in b[:2])
        z = self.do("mul", total, self.number(0.0))
        return Bounds(self.do("add", low, z), self.do("add", high, z))

    def sum(self, numbers: Iterable[int]) -> int:
        first, *others = numbers
        for x in others:
            first = self.do("add", first, x)
        return first

    def least(self, *numbers: int) -> int:
        return self._extreme("least", numbers)

    def greatest(self, *numbers: int) -> int:
        return self._extreme("greatest", numbers)

    def _extreme(self, name: str, numbers: tuple[int, ...]) -> int:
        """Compare in pairs, both kinds alike: each takes the second of two if one is NaN."""
        if len(numbers) == 1:
            return numbers[0]
        half = len(numbers) // 2
        first, second = numbers[:half], numbers[half:]
        return self.do(name, self._extreme(name, first), self._extreme(name, second))

    def hull(self, a: Bounds, b: Bounds) -> Bounds:
        return self.poisoned(self.least(a.low, b.low), self.greatest(a.high, b.high), a, b)

    def chosen(self, sure: int, a: Bounds, b: Bounds) -> Bounds:
        """`a` where sure, else `b`; without slopes."""
        if a[:2] == b[:2]:
            return Bounds(*a[:2])
        low = self.do("select", sure, a.low, b.low)
        return Bounds(low, self.do("select", sure, a.high, b.high))

    def called(self, rule: Callable[..., Bounds], *given: Bounds) -> Bounds:
        """Return what a rule finds, by a call: programs have thousands of a few of them."""
        flat = tuple(x for a in given for x in a[:2])
        low, high = self.values.call(_routine(rule, len(given)), flat, 2)
        return Bounds(low, high)

    def approximate(self, routine: Program, given: list[Bounds]) -> list[Bounds]:
        """Numbers that a routine gives of middles: they are any, and count as exact."""
        half = self.number(0.5)
        middles = (self.do("mul", half, self.do("add", *a[:2])) for a in given)
        found = self.values.call(routine, tuple(middles), flat_size(routine.outputs))
        return [Bounds(x, x) for x in found]

    def narrowed(self, a: Bounds, known: Bounds) -> Bounds:
        """Bounds of a value that is within others, too, which may be infinite."""
        ends = self.greatest(known.low, a.low), self.least(known.high, a.high)
        return self.poisoned(*ends, a)._replace(slope=a.slope)

    def add(self, a: Bounds, b: Bounds) -> Bounds:
        if self.known(a) == 0.0 or self.known(b) == 0.0:
            return Bounds(*(b if self.known(a) == 0.0 else a)[:2])
        return self.called(_sum, a, b)

    def negative(self, a: Bounds) -> Bounds:
        if (x := self.known(a)) is not None:
            return self.constant(-x)
        return Bounds(self.do("neg", a.high), self.do("neg", a.low))

    def subtract(self, a: Bounds, b: Bounds) -> Bounds:
        if self.known(b) == 0.0:
            return Bounds(*a[:2])
        if self.known(a) == 0.0:
            return self.negative(b)
        return self.called(_difference, a, b)

    def multiply(self, a: Bounds, b: Bounds) -> Bounds:
        for x, other in ((self.known(a), b), (self.known(b), a)):
            if x in (1.0, -1.0):
                return self.negative(other) if x == -1.0 else Bounds(*other[:2])
        return self.square(a) if a[:2] == b[:2] else self.called(_product, a, b)

    def magnitudes(self, a: Bounds) -> tuple[int, int]:
        """Minimum and maximum of |a|."""
        zero = self.number(0.0)
        low = self.greatest(self.greatest(a.low, self.do("neg", a.high)), zero)
        return low, self.greatest(self.do("fabs", a.low), self.do("fabs", a.high))

    def square(self, a: Bounds) -> Bounds:
        return self.called(_square, a)

    def not_negative(self, a: Bounds) -> Bounds:
        """Bounds of a sum of squares, which rounding has below zero."""
        low = self.greatest(a.low, self.number(0.0))
        return self.poisoned(low, a.high, a)._replace(slope=a.slope)

    def inverse(self, a: Bounds) -> Bounds:
        return self.called(_inverse, a)

    # truths: bounds 0 and 1

    def truth(self, sure: int, impossible: int) -> Bounds:
        return Bounds(sure, self.do("not", impossible))

    def is_true(self, a: Bounds) -> Bounds:
        """Whether a number counts as true: it is not zero."""
        return self.compare("ne", a, self.constant(0.0))

    def compare(self, name: str, a: Bounds, b: Bounds) -> Bounds:
        if name in ("lt", "le"):
            back = "le" if name == "lt" else "lt"
            return self.truth(self.do(name, a.high, b.low), self.do(back, b.high, a.low))
        apart = self.do("or", self.do("lt", a.high, b.low), self.do("lt", b.high, a.low))
        ends = (self.do("eq", x, y) for x in a[:2] for y in b[:2])
        same = self.number(1.0)
        for equal in ends:
            same = self.do("and", same, equal)
        return self.truth(same, apart) if name == "eq" else self.truth(apart, same)

    def logic(self, name: str, operands: list[Bounds]) -> Bounds:
        truths = [self.is_true(a) for a in operands]
        if name == "not":
            (a,) = truths
            return Bounds(self.do("not", a.high), self.do("not", a.low))
        a, b = truths
        return Bounds(self.do(name, a.low, b.low), self.do(name, a.high, b.high))

    # functions

    def wave(self, name: str, a: Bounds) -> Bounds:
        """Sine or cosine: the values at both ends, and 1 or -1 where a maximum is between."""
        ends = [self.do(name, x) for x in a[:2]]
        error = self.number(_OF_UNIT)
        low, high = (
            self.do("sub", self.least(*ends), error),
            self.do("add", self.greatest(*ends), error),
        )
        far = self.do("lt", self.number(_FAR), self.magnitudes(a)[1])
        quarter = 0.25 if name == "sin" else 0.0
        for shift, extreme in ((quarter, 1.0), (quarter + 0.5, -1.0)):
            turns = []
            for end, side in zip(a[:2], (-_AROUND, _AROUND), strict=True):
                turn = self.do("mul", end, self.number(1 / math.tau))
                turns.append(self.do("floor", self.do("add", turn, self.number(side - shift))))
            inside = self.do("or", far, self.do("ne", *turns))
            if extreme > 0:
                high = self.do("select", inside, self.number(extreme), high)
            else:
                low = self.do("select", inside, self.number(extreme), low)
        return self.poisoned(low, high, a)

    def angle(self, y: Bounds, x: Bounds) -> tuple[Bounds, int]:
        """atan2, and whether the box may touch its jump: then it is from -π to π.

        Elsewhere its extremes are in corners: the angle of a convex set without the origin.
        """
        corners = [self.do("atan2", q, p) for q in y[:2] for p in x[:2]]
        found = self.outward(self.least(*corners), self.greatest(*corners), _ULPS)
        zero = self.number(0.0)
        tests = self.do("le", x.low, zero), self.do("le", y.low, zero), self.do("le", zero, y.high)
        jumps = self.do("and", self.do("and", *tests[:2]), tests[2])
        full = self.between(-_PI, _PI)
        return self.poisoned(*self.chosen(jumps, full, found)[:2], y, x), jumps

    # any operation, with its slope

    def compute(self, operation: Operation, given: list[Bounds]) -> Bounds:
        name = operation.name
        varied = any(a.slope is not None for a in given)
        if name in ("select", "if_else_zero"):
            return self._selection(given[0], given[1], (*given, self.constant(0.0))[2], varied)
        if name in _TRUTHS:
            logical = name in ("not", "and", "or")
            found = self.logic(name, given) if logical else self.compare(name, *given)
            return self._jumping(found, varied)
        if name in ("sign", "floor", "ceil"):
            low, high = (self.do(name, x) for x in given[0][:2])
            return self._jumping(self.poisoned(low, high, given[0]), varied)
        if name not in _RULES:
            raise CompilerError(f"the function {name} has no bounds over a box")
        return _RULES[name](self, *given) if varied else Bounds(*_RULES[name](self, *given)[:2])

    def _jumping(self, found: Bounds, varied: bool) -> Bounds:
        """A value whose slope is zero where it is one number in all of the box, else unknown."""
        if not varied:
            return found
        same = self.do("eq", found.low, found.high)
        slope = self.chosen(same, self.constant(0.0), self.constant(math.nan))
        return found._replace(slope=slope)

    def _selection(self, test: Bounds, a: Bounds, b: Bounds, varied: bool) -> Bounds:
        sure, possible = self.is_true(test)[:2]
        found = self.chosen(sure, a, self.chosen(possible, self.hull(a, b), b))
        if not varied:
            return found
        nothing, slopes = self.constant(math.nan), (self.slope(a), self.slope(b))
        slope = self.chosen(sure, slopes[0], self.chosen(possible, nothing, slopes[1]))
        return found._replace(slope=slope)

    def chain(self, value: Bounds, *parts: tuple[Bounds, Bounds]) -> Bounds:
        """A value with its slope, by partial derivatives and the operands that these are of."""
        factors = [(partial, a.slope) for partial, a in parts if a.slope is not None]
        if len(factors) == 2 and all(self.known(p) is None for p, _ in factors):
            terms = [self.called(_combination, *factors[0], *factors[1])]
        else:
            terms = [self.multiply(*pair) for pair in factors]
        return Bounds(value.low, value.high, reduce(self.add, terms) if terms else None)

    def either(self, sure_a: int, sure_b: int, a: Bounds, b: Bounds) -> Bounds:
        """The slope of one of two sides, or of both where it is not sure which."""
        a, b = self.slope(a), self.slope(b)
        return self.chosen(sure_a, a, self.chosen(sure_b, b, self.hull(a, b)))


Rule = Callable[..., Bounds]


@cache
def _routine(rule: Rule, count: int) -> Program:
    """The program of a rule, from so many bounds to one."""
    write = _Writer()
    given = [Bounds(write.values.load(2 * k), write.values.load(2 * k + 1)) for k in range(count)]
    found = rule(write, *given)[:2]
    taken, given_back = Argument("x", (2 * count,)), Argument("y", (2,))
    instructions, places = only_needed(write.values.instructions, list(found))
    name = rule.__name__.removeprefix("_")
    return Program(name, "", (taken,), (given_back,), tuple(instructions), tuple(places))


def _sum(w: _Writer, a: Bounds, b: Bounds) -> Bounds:
    return w.outward(w.do("add", a.low, b.low), w.do("add", a.high, b.high))


def _difference(w: _Writer, a: Bounds, b: Bounds) -> Bounds:
    return w.outward(w.do("sub", a.low, b.high), w.do("sub", a.high, b.low))


def _product(w: _Writer, a: Bounds, b: Bounds) -> Bounds:
    all_four = [w.do("mul", x, y) for x in a[:2] for y in b[:2]]
    return w.outward(w.least(*all_four), w.greatest(*all_four))


def _combination(w: _Writer, a: Bounds, b: Bounds, c: Bounds, d: Bounds) -> Bounds:
    return _sum(w, _product(w, a, b), _product(w, c, d))


def _square(w: _Writer, a: Bounds) -> Bounds:
    found = w.outward(*(w.do("mul", m, m) for m in w.magnitudes(a)))
    above = w.greatest(found.low, w.number(0.0))
    return w.poisoned(above, found.high, found)


def _inverse(w: _Writer, a: Bounds) -> Bounds:
    """Unknown if a may be zero: a product of bounds that is 0 by underflow counts as such."""
    apart = w.do("lt", w.number(0.0), w.do("mul", a.low, a.high))
    nothing, one = w.number(math.nan), w.number(1.0)
    ends = (w.do("div", one, x) for x in (a.high, a.low))
    return w.outward(*(w.do("select", apart, x, nothing) for x in ends))


def _inv(w: _Writer, a: Bounds) -> Bounds:
    found = w.inverse(a)
    return w.chain(found, (w.negative(w.square(found)), a))


def _div(w: _Writer, a: Bounds, b: Bounds) -> Bounds:
    inverse = w.inverse(b)
    found = w.multiply(a, inverse)
    inner = w.chain(found, (w.constant(1.0), a), (w.negative(found), b))
    return w.chain(found, (inverse, inner))


def _sqrt(w: _Writer, a: Bounds) -> Bounds:
    found = w.outward(w.do("sqrt", a.low), w.do("sqrt", a.high))
    return w.chain(found, (w.multiply(w.constant(0.5), w.inverse(found)), a))


def _negative(w: _Writer, a: Bounds) -> Bounds:
    return w.chain(w.negative(a), (w.constant(-1.0), a))


def _fmin(w: _Writer, a: Bounds, b: Bounds) -> Bounds:
    found = w.poisoned(w.least(a.low, b.low), w.least(a.high, b.high), a, b)
    sure = w.do("le", a.high, b.low), w.do("le", b.high, a.low)
    return found._replace(slope=w.either(*sure, a, b))


def _fmax(w: _Writer, a: Bounds, b: Bounds) -> Bounds:
    return _negative(w, _fmin(w, _negative(w, a), _negative(w, b)))


def _fabs(w: _Writer, a: Bounds) -> Bounds:
    return w.poisoned(*w.magnitudes(a), a)._replace(slope=_fmax(w, a, _negative(w, a)).slope)


def _copysign(w: _Writer, a: Bounds, b: Bounds) -> Bounds:
    """|a|, or -|a| where b is negative; where the sign of b is not known, the slope is not."""
    zero, size = w.number(0.0), _fabs(w, a)
    up, down, less = w.do("lt", zero, b.low), w.do("lt", b.high, zero), _negative(w, size)
    found = w.chosen(up, size, w.chosen(down, less, w.hull(size, less)))
    slopes, nothing = (w.slope(size), w.slope(less)), w.constant(math.nan)
    slope = w.chosen(up, slopes[0], w.chosen(down, slopes[1], nothing))
    return w.poisoned(found.low, found.high, b)._replace(slope=slope)


def _atan2(w: _Writer, y: Bounds, x: Bounds) -> Bounds:
    found, jumps = w.angle(y, x)
    inner = w.chain(found, (x, y), (w.negative(y), x))
    inverse = w.inverse(w.add(w.square(x), w.square(y)))
    slope = w.slope(w.chain(found, (inverse, inner)))
    return found._replace(slope=w.chosen(jumps, w.constant(math.nan), slope))


def _pow(w: _Writer, a: Bounds, b: Bounds) -> Bounds:
    """Integer powers, and roots."""
    exponent = w.known(b)
    if exponent == 0.5:
        return _sqrt(w, a)
    if exponent is None or exponent != int(exponent) or not 0 < abs(exponent) <= 16:
        raise CompilerError(
            f"a power with exponent {exponent} has no bounds over a box; expected an integer"
        )
    if exponent < 0:
        return _inv(w, _pow(w, a, w.constant(-exponent)))
    if exponent == 1:
        return a
    found = _RULES["sq"](w, _pow(w, a, w.constant(float(exponent // 2))))
    return _RULES["mul"](w, found, a) if exponent % 2 else found


def _monotone(name: str, steepness: Rule) -> Rule:
    """A function that rises, or falls if its name is acos, with its derivative by a and itself."""

    def rule(w: _Writer, a: Bounds) -> Bounds:
        low, high = [w.do(name, x) for x in a[:2]][:: -1 if name == "acos" else 1]
        found = w.outward(low, high, _ULPS)
        return w.chain(found, (steepness(w, a, found), a))

    return rule


def _arc(w: _Writer, a: Bounds, sign: float) -> Bounds:
    inside = w.subtract(w.constant(1.0), w.square(a))
    return w.multiply(w.constant(sign), w.inverse(_sqrt(w, inside)))


_RULES: dict[str, Rule] = {
    "add": lambda w, a, b: w.chain(w.add(a, b), (w.constant(1.0), a), (w.constant(1.0), b)),
    "sub": lambda w, a, b: w.chain(w.subtract(a, b), (w.constant(1.0), a), (w.constant(-1.0), b)),
    "mul": lambda w, a, b: w.chain(w.multiply(a, b), (b, a), (a, b)),
    "twice": lambda w, a: w.chain(w.multiply(w.constant(2.0), a), (w.constant(2.0), a)),
    "sq": lambda w, a: w.chain(w.square(a), (w.multiply(w.constant(2.0), a), a)),
    "sin": lambda w, a: w.chain(w.wave("sin", a), (w.wave("cos", a), a)),
    "cos": lambda w, a: w.chain(w.wave("cos", a), (w.negative(w.wave("sin", a)), a)),
    "tan": lambda w, a: _div(w, _RULES["sin"](w, a), _RULES["cos"](w, a)),
    "hypot": lambda w, a, b: _sqrt(
        w, w.not_negative(_RULES["add"](w, *(_RULES["sq"](w, x) for x in (a, b))))
    ),
    "exp": _monotone("exp", lambda w, a, y: y),
    "log": _monotone("log", lambda w, a, y: w.inverse(a)),
    "asin": _monotone("asin", lambda w, a, y: _arc(w, a, 1.0)),
    "acos": _monotone("acos", lambda w, a, y: _arc(w, a, -1.0)),
    "atan": _monotone("atan", lambda w, a, y: w.inverse(w.add(w.constant(1.0), w.square(a)))),
    "tanh": _monotone("tanh", lambda w, a, y: w.subtract(w.constant(1.0), w.square(y))),
    "neg": _negative, "inv": _inv, "div": _div, "sqrt": _sqrt, "fabs": _fabs, "fmin": _fmin,
    "fmax": _fmax, "copysign": _copysign, "atan2": _atan2, "pow": _pow,
}  # fmt: skip
"""Each operation over bounds, with its slope."""
