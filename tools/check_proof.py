"""Check certificates of proofs: the equations in decimal intervals, without compiled bounds.

    python tools/check_proof.py CERTIFICATE [--robot ROBOT] [--at-most N]

It takes the statement of a certificate (robot, box, requirements), evaluates the equations' symbols
one by one with Python's `decimal`, which rounds down and up as asked, and verifies that boxes fill
the whole, that requirements hold in those called proved, that one holds nowhere in those called
outside, and that a counter-example violates its requirement. A box whose bounds come out wider
here is bisected. Sines are bounded by their series of |x| < 4 and its remainder, arc tangents after
halving them four times; roots, which `decimal` rounds to nearest, are widened by one digit.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from functools import reduce
from math import isqrt
from pathlib import Path
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

import gough
from gough.errors import GoughError
from gough.kinematics.proof.certificate import content_of, statement
from gough.kinematics.proof.implicit import Implicit as Implicits
from gough.kinematics.proof.implicit import gaps_function
from gough.kinematics.proof.requirements import STEPS, Guide
from gough.robot import Robot

_DEEPEST = 8
"""Bisections of a box whose bounds come out wider here."""
_DOWN, _UP = (Context(32, mode, traps=[InvalidOperation]) for mode in (ROUND_FLOOR, ROUND_CEILING))
_EXACT = Context(2000)
"""Sums of doubles are exact with so many digits."""
_TERMS = 40
Interval = tuple[Decimal, Decimal]
Bounds = Interval | None
"""None where nothing is known."""
Box = list[tuple[float, float]]


class Number(NamedTuple):
    """Bounds of a value, and of its derivatives by coordinates; those left out are zero."""

    value: Bounds
    slopes: dict[int, Bounds]


def _exact(x: float | Decimal) -> Bounds:
    """Bounds of one number; infinite ones are only compared."""
    return (Decimal(x), Decimal(x)) if x == x else None  # noqa: PLR0124  (NaN)


ZERO, ONE, PI = _exact(0.0), _exact(1.0), (
    Decimal("3.1415926535897932384626433832795"), Decimal("3.1415926535897932384626433832796")
)  # fmt: skip


def _add(a: Bounds, b: Bounds) -> Bounds:
    return a and b and (_DOWN.add(a[0], b[0]), _UP.add(a[1], b[1]))


def _neg(a: Bounds) -> Bounds:
    return a and (a[1].copy_negate(), a[0].copy_negate())


def _mul(a: Bounds, b: Bounds) -> Bounds:
    pairs = [(x, y) for x in a for y in b] if a and b else []
    low, high = ([context.multiply(*pair) for pair in pairs] for context in (_DOWN, _UP))
    return (min(low), max(high)) if pairs else None


def _sq(a: Bounds) -> Bounds:
    size = _absolute(a)
    return size and (_DOWN.multiply(size[0], size[0]), _UP.multiply(size[1], size[1]))


def _inv(a: Bounds) -> Bounds:
    known = a is not None and not a[0] <= 0 <= a[1]
    return (_DOWN.divide(1, a[1]), _UP.divide(1, a[0])) if a and known else None


def _sqrt(a: Bounds) -> Bounds:
    if a is None or a[0] < 0:
        return None
    return max(a[0].sqrt(_DOWN).next_minus(_DOWN), Decimal(0)), a[1].sqrt(_UP).next_plus(_UP)


def _absolute(a: Bounds) -> Bounds:
    return a and (max(a[0], a[1].copy_negate(), Decimal(0)), max(map(Decimal.copy_abs, a)))


def _hull(a: Bounds, b: Bounds) -> Bounds:
    return a and b and (min(a[0], b[0]), max(a[1], b[1]))


def _alternating(total: Bounds, square: Bounds, ratio: Callable[[int], float]) -> Bounds:
    """Σ of terms, each -square ratio(k) of the one before; the rest is less than the last one."""
    term = total
    for k in range(1, _TERMS):
        term = _neg(_mul(_mul(term, square), _inv(_exact(ratio(k)))))
        total = _add(total, term)
    rest = _absolute(term)
    return rest and _add(total, (rest[1].copy_negate(), rest[1]))


def _wave(a: Bounds, odd: int) -> Bounds:
    """sin a (odd 1) or cos a (odd 0)."""
    if a is None or not -4 < a[0] <= a[1] < 4:
        return a and (Decimal(-1), Decimal(1))
    ends = [
        _alternating(
            (x, x) if odd else ONE, _sq((x, x)), lambda k: (2 * k + odd) * (2 * k + odd - 1)
        )
        for x in a
    ]
    found = _hull(*ends)
    for k in range(odd - 6, 7, 2):  # extremes at k π/2
        at = _mul(PI, _exact(k / 2))
        if at and a[0] <= at[1] and at[0] <= a[1]:
            found = _hull(found, _exact(1 - (k - odd) % 4))
    return found


def _arc_tangent(x: Bounds) -> Bounds:
    for _ in range(4):
        x = _mul(x, _inv(_add(ONE, _sqrt(_add(ONE, _sq(x))))))
    # terms x^(2k+1) / (2k + 1): each is the one before times x² (2k - 1) / (2k + 1)
    term, total, square = x, x, _sq(x)
    for k in range(1, _TERMS):
        term = _neg(_mul(term, square))
        total = _add(total, _mul(term, _inv(_exact(2 * k + 1))))
    rest = _absolute(term)
    return rest and _mul(_exact(16), _add(total, (rest[1].copy_negate(), rest[1])))


def _jumps(y: Interval, x: Interval) -> bool:
    """Whether atan2 may jump, or have no value."""
    return x[0] <= 0 and y[0] <= 0 <= y[1]


def _angle(y: Bounds, x: Bounds) -> Bounds:
    """atan2, whose extremes are in corners."""
    if x is None or y is None or _jumps(y, x):
        return x and y and (PI[1].copy_negate(), PI[1])
    steep = x[0] <= 0
    pairs = [((p, p), (q, q)) if steep else ((q, q), (p, p)) for q in y for p in x]
    arcs = [_arc_tangent(_mul(a, _inv(b))) for a, b in pairs]
    quarter = _mul(PI, _exact(0.5 if y[0] > 0 else -0.5))
    return reduce(_hull, [_add(quarter, _neg(arc)) if steep else arc for arc in arcs])


def _chain(value: Bounds, *parts: tuple[Bounds, Number]) -> Number:
    """Return a function's value with slopes, by its partial derivatives."""
    slopes: dict[int, Bounds] = {}
    for partial, of in parts:
        for k, slope in of.slopes.items():
            term = _mul(partial, slope)
            slopes[k] = _add(slopes[k], term) if k in slopes else term
    return Number(value, slopes)


def _div(a: Number, b: Number) -> Number:
    inverse = _inv(b.value)
    value = _mul(a.value, inverse)
    inner = _chain(None, (ONE, a), (_neg(value), b))
    return _chain(value, (inverse, inner))


def _root(a: Number) -> Number:
    value = _sqrt(a.value)
    return _chain(value, (_inv(_add(value, value)), a))


def _lesser(a: Number, b: Number) -> Number:
    if a.value is None or b.value is None:
        return Number(None, dict.fromkeys([*a.slopes, *b.slopes]))
    if a.value[1] <= b.value[0] or b.value[1] <= a.value[0]:
        return a if a.value[1] <= b.value[0] else b
    keys = a.slopes.keys() | b.slopes.keys()
    slopes = {k: _hull(a.slopes.get(k, ZERO), b.slopes.get(k, ZERO)) for k in keys}
    return Number((min(a.value[0], b.value[0]), min(a.value[1], b.value[1])), slopes)


def _arc(y: Number, x: Number) -> Number:
    partial = _inv(_add(_sq(x.value), _sq(y.value)))
    if x.value and y.value and _jumps(y.value, x.value):
        partial = None
    inner = _chain(None, (x.value, y), (_neg(y.value), x))
    return _chain(_angle(y.value, x.value), (partial, inner))


def _truth(sure: bool, possible: bool, *of: Number) -> Number:
    """Return a truth value: 0 to 1 where it is not sure, and may jump."""
    keys = [] if sure == possible else [k for a in of for k in a.slopes]
    return Number((Decimal(int(sure)), Decimal(int(possible))), dict.fromkeys(keys))


def _compared(strict: bool) -> Callable[[Number, Number], Number]:
    def rule(a: Number, b: Number) -> Number:
        if a.value is None or b.value is None:
            return _truth(False, True, a, b)
        (low, high), (b_low, b_high) = a.value, b.value
        if strict:
            return _truth(high < b_low, low < b_high, a, b)
        return _truth(high <= b_low, low <= b_high, a, b)

    return rule


def _is_true(a: Number) -> tuple[bool, bool]:
    """Whether a number is surely, and whether it is possibly, not zero."""
    apart = a.value is not None and (a.value[0] > 0 or a.value[1] < 0)
    return apart, a.value != ZERO


def _both(join: Callable[[Sequence[bool]], bool]) -> Callable[[Number, Number], Number]:
    def rule(a: Number, b: Number) -> Number:
        sure, possible = zip(_is_true(a), _is_true(b), strict=True)
        return _truth(join(sure), join(possible), a, b)

    return rule


def _negated(a: Number) -> Number:
    sure, possible = _is_true(a)
    return _truth(not possible, not sure, a)


def _else_zero(test: Number, a: Number) -> Number:
    """`a` where the test is true, else 0; where it is not sure, both, and it may jump."""
    sure, possible = _is_true(test)
    if sure or not possible:
        return a if sure else Number(ZERO, {})
    return Number(_hull(a.value, ZERO), dict.fromkeys([*a.slopes, *test.slopes]))


def _flipped(a: Number) -> Number:
    return _chain(_neg(a.value), (_exact(-1), a))


def _size(a: Number) -> Number:
    return _flipped(_lesser(a, _flipped(a)))


def _signed(a: Number, b: Number) -> Number:
    """Return |a| with the sign of b; where that is not sure, both, and it may jump."""
    size = _size(a)
    if b.value and not b.value[0] <= 0 <= b.value[1]:
        return size if b.value[0] > 0 else _flipped(size)
    both = b.value and _hull(size.value, _neg(size.value))
    return Number(both, dict.fromkeys([*a.slopes, *b.slopes]))


RULES: dict[int, Callable[..., Number]] = {
    ca.OP_ADD: lambda a, b: _chain(_add(a.value, b.value), (ONE, a), (ONE, b)),
    ca.OP_SUB: lambda a, b: _chain(_add(a.value, _neg(b.value)), (ONE, a), (_exact(-1), b)),
    ca.OP_MUL: lambda a, b: _chain(_mul(a.value, b.value), (b.value, a), (a.value, b)),
    ca.OP_SQ: lambda a: _chain(_sq(a.value), (_add(a.value, a.value), a)),
    ca.OP_TWICE: lambda a: _chain(_add(a.value, a.value), (_exact(2), a)),
    ca.OP_INV: lambda a: _div(Number(ONE, {}), a),
    ca.OP_FABS: _size,
    ca.OP_FMAX: lambda a, b: _flipped(_lesser(_flipped(a), _flipped(b))),
    ca.OP_SIN: lambda a: _chain(_wave(a.value, 1), (_wave(a.value, 0), a)),
    ca.OP_COS: lambda a: _chain(_wave(a.value, 0), (_neg(_wave(a.value, 1)), a)),
    ca.OP_LT: _compared(True), ca.OP_LE: _compared(False), ca.OP_AND: _both(all),
    ca.OP_OR: _both(any),
    ca.OP_NOT: _negated, ca.OP_IF_ELSE_ZERO: _else_zero, ca.OP_NEG: _flipped, ca.OP_DIV: _div,
    ca.OP_SQRT: _root, ca.OP_FMIN: _lesser, ca.OP_ATAN2: _arc,
    ca.OP_COPYSIGN: _signed,
}  # fmt: skip
"""CasADi's operations on numbers with slopes."""


class Equations:
    """A CasADi function that is evaluated over boxes, instruction by instruction."""

    def __init__(self, f: ca.Function) -> None:
        self.steps, self.counts = (
            list[tuple[int, Any, Any, Any]](),
            [f.nnz_in(k) for k in range(f.n_in())],
        )
        self.outputs = [f.nnz_out(k) for k in range(f.n_out())]
        symbols = f.instructions_sx()
        for k in range(f.n_instructions()):
            code, about = f.instruction_id(k), None
            if code == ca.OP_CONST:
                about = Number(_exact(f.instruction_constant(k)), {})
            elif code == ca.OP_CALL:
                about = Equations(symbols[k].which_function())
            elif code not in {*RULES, ca.OP_INPUT, ca.OP_OUTPUT}:
                raise GoughError(f"CasADi's operation {code} cannot be checked")
            self.steps.append((code, f.instruction_input(k), f.instruction_output(k), about))

    def __call__(self, flat: Sequence[Number]) -> list[Number]:
        """Return the numbers of all outputs, of those of all inputs."""
        work: dict[int, Number] = {}
        found = [Number(ZERO, {})] * sum(self.outputs)
        for code, sources, targets, about in self.steps:
            if code == ca.OP_CONST:
                work[targets[0]] = about
            elif code == ca.OP_INPUT:
                work[targets[0]] = flat[sum(self.counts[: sources[0]]) + sources[1]]
            elif code == ca.OP_OUTPUT:
                found[sum(self.outputs[: targets[0]]) + targets[1]] = work[sources[0]]
            elif code == ca.OP_CALL:
                work.update(zip(targets, about([work[s] for s in sources]), strict=True))
            else:
                work[targets[0]] = RULES[code](*(work[s] for s in sources))
        return found


def check_proof(
    path: str | Path, robot: Robot, *, at_most: int | None = None, seed: int = 0
) -> tuple[int, int]:
    """Verify a certificate: numbers of its boxes, and of those evaluated; GoughError if it fails.

    All boxes are evaluated again, or `at_most` so many, chosen at random; that they fill the whole
    is verified in any case.
    """
    content = content_of(path)
    check = _Check(content, robot, path)
    check.statement()
    leaves = [(p, side) for side in ("proved", "outside") for p in content[side]]
    count = len(leaves) if at_most is None else min(at_most, len(leaves))
    for leaf, side in random.Random(seed).sample(leaves, count):
        if not check.holds(check.part(leaf), side, _DEEPEST):
            raise check.refusal(f"box {leaf!r} is not {side}, or its bounds are too wide")
    return len(leaves), count


class _Check:
    def __init__(self, content: dict[str, Any], robot: Robot, path: str | Path) -> None:
        required, self.machines = statement(content, robot, path)
        self.content, self.path = content, path
        self.box: Box = [(float(low), float(high)) for low, high in content["box"]]
        self.axes: list[int] = content["axes"]
        self.rows = [row.kind for row in required.rows(robot)]
        sizes = len(content["coordinates"]), 7, True
        if (len(self.box), len(content["centre"]), bool(self.rows)) != sizes:
            raise self.refusal("it requires nothing, or its box or its centre has another length")
        norm = sum(float(x) ** 2 for x in content["centre"][3:])
        if not abs(norm - 1) < 1e-12:
            raise self.refusal(f"the quaternion of its centre has the squared norm {norm}")
        self.first = content["coordinates"].index(STEPS[0])
        self.equations = Equations(required.function(self.machines).traced)
        self.condition, self.dof = required.condition, self.machines.structure.dof
        self.guide = Guide(required, self.machines, np.array(content["centre"], dtype=float))
        implicit = Implicits(robot)
        self.gaps: Equations | None = None
        if implicit.count:
            f = gaps_function(self.machines).casadi
            self.gaps, self.at_home = Equations(f), np.array(implicit.at_home)
            self.guess = f.factory("guess", f.name_in(), ["gap", "jac:gap:y", "jac:gap:step"])
            self.ends = np.array(robot.home), np.array(content["centre"])

    def refusal(self, reason: str) -> GoughError:
        return GoughError(f"{self.path}: the certificate does not hold: {reason}")

    def statement(self) -> None:
        """Verify tolerances, that boxes fill the whole, the verdict and the counter-example."""
        c, names = self.content, self.machines.names
        for k, (low, high) in enumerate(self.box):
            half = Decimal(c["tolerances"].get(names[k], 0)) if k < self.first else 0
            value = Decimal(float(self.machines.values[k]) if k < self.first else (low + high) / 2)
            ends = _EXACT.subtract(value, half), _EXACT.add(value, half)
            if not Decimal(low) <= ends[0] <= ends[1] <= Decimal(high):
                raise self.refusal(f"the box is narrower than {c['coordinates'][k]} may be")
        if not _fill([*c["proved"], *c["outside"], *c["undecided"]], len(self.axes)):
            raise self.refusal("its boxes do not fill the whole")
        found = c["counter_example"]
        refuted = bool(c["outside"]) or found is not None
        verdict = "refuted" if refuted else "undecided" if c["undecided"] else "proved"
        if verdict != c["verdict"]:
            raise self.refusal(f"its boxes say {verdict}, not {c['verdict']}")
        if found is not None:
            point = [(float(x), float(x)) for x in found["coordinates"]]
            sides = zip(self.box, point, strict=False)
            inside = len(point) == len(self.box) and all(a <= x <= b for (a, b), (x, _) in sides)
            number = found["requirement"]
            inside = inside and number in range(len(self.rows))
            margin = self.margins(point)[number].value if inside else None
            if not inside or margin is None or margin[1] >= 0:
                raise self.refusal("its counter-example violates no requirement in the box")

    def part(self, path: str) -> Box:
        """Return the box at the end of a path of bisections."""
        box = list(self.box)
        for letter in path:
            axis = self.axes[ord(letter.lower()) - ord("a")]
            box[axis] = _halves(box[axis])[letter.isupper()]
        return box

    def holds(self, box: Box, side: str, deeper: int) -> bool:
        """Whether a box is proved, or outside, perhaps after some bisections."""
        y = self.implicit(box)
        bounds = list(zip(self.bounds(box, y), self.rows, strict=True))
        if side == "proved":
            good = all(number.value for number in y.numbers)  # else no y may close the gaps
            good &= all(b and (b[0] > 0 or (b[0] == 0 and kind != "side")) for b, kind in bounds)
        else:
            good = any(b and b[1] < 0 for b, _ in bounds)
        if good or not deeper:
            return good
        sides = [(box[k][1] - box[k][0]) / (self.box[k][1] - self.box[k][0]) for k in self.axes]
        k = self.axes[sides.index(max(sides))]
        parts = ([*box[:k], half, *box[k + 1 :]] for half in _halves(box[k]))
        return all(self.holds(part, side, deeper - 1) for part in parts)

    def bounds(self, box: Box, y: Implicit) -> list[Bounds]:
        """Bound each requirement over a box, by intervals and by the mean-value form."""
        middle: Box = [((low + high) / 2,) * 2 for low, high in box]
        found = list[Bounds]()
        for over, at in zip(self.margins(box, y), self.margins(middle), strict=True):
            mean = at.value
            for k, ends in self.sides(box).items():
                mean = _add(mean, _mul(y.total(over, k), ends))
            own = over.value
            found.append(own and ((max(own[0], mean[0]), min(own[1], mean[1])) if mean else own))
        gaps = [k for k, kind in enumerate(self.rows) if kind == "gap"]
        last = len(self.rows) + len(gaps)
        for k, apart in zip(gaps, found[len(self.rows) : last], strict=True):
            if apart is not None:  # a gap is at least that along any normal
                own = found[k]
                found[k] = (max(own[0], apart[0]), own[1]) if own else (apart[0], Decimal("inf"))
        if self.condition is not None:  # its own bound is above the margin: see `requirements`
            k, n, hints = self.rows.index("condition"), self.dof, self.hints(box)
            motors = (len(found) - last) // n
            turns = hints[-(n * n) - motors**2 : -n * n], hints[-n * n :]
            holds = all(map(_orthogonal, turns)) and _conditioned(found[last:], n, self.condition)
            own = found[k]
            found[k] = Decimal(0 if holds else -1), own[1] if own else Decimal("inf")
        return found[: len(self.rows)]

    def hints(self, box: Box) -> list[float]:
        """Return further numbers of a guide: requirements hold for any, and are narrow by these."""
        found = self.guide(np.array([[(low + high) / 2 for low, high in box]]))
        return [float(x) for x in found[0, 6:]]

    def sides(self, box: Box) -> dict[int, Bounds]:
        """Return distances from the middle of a box, by coordinates with a length."""
        middle = ((low + high) / 2 for low, high in box)
        return {
            k: (_DOWN.subtract(Decimal(low), Decimal(c)), _UP.subtract(Decimal(high), Decimal(c)))
            for k, ((low, high), c) in enumerate(zip(box, middle, strict=True))
            if low < high
        }

    def margins(self, box: Box, y: Implicit | None = None) -> list[Number]:
        """Evaluate all requirements over a box, with slopes along sides that have a length."""
        y = y or self.implicit(box)
        steps = [(low + high) / 2 for low, high in box[self.first : self.first + 6]]
        fixed = [Number(_exact(x), {}) for x in (*self.content["centre"], *steps)]
        near = [Number(_exact(float(x)), {}) for x in y.near]
        fixed += [Number(_exact(x), {}) for x in self.hints(box)]
        return self.equations([*_numbers(box), *fixed, *y.numbers, *near])

    def implicit(self, box: Box) -> Implicit:
        """Enclose coordinates without a closed form, by Krawczyk's test of their gaps."""
        if self.gaps is None:
            return Implicit([], np.zeros(0), {})
        steps, sides = box[:6], {k: x for k, x in self.sides(box).items() if k < 6}
        near, C, tilt = self._near([(low + high) / 2 for low, high in steps])
        unknown = Implicit([Number(None, dict.fromkeys(sides))] * len(near), near, {})
        if not np.isfinite(C).all():
            return unknown
        count, fixed = len(near), [Number(_exact(x), {}) for x in self.content["centre"]]

        def mapped(over: Box, radius: list[Decimal]) -> tuple[list[Number], list[Number]]:
            own = sides if over is steps else {}
            y = []
            for j, (at, r) in enumerate(zip(near, radius, strict=True)):
                away: Bounds = (r.copy_negate(), r)
                for k, ends in own.items():
                    away = _add(away, _mul(_exact(tilt[j, k]), ends))
                slopes: dict[int, Bounds] = {k: _exact(tilt[j, k]) for k in own}
                y.append(Number(_add(_exact(float(at)), away), slopes | {100 + j: ONE}))
            gaps = self.gaps([*_numbers(over), *y, *fixed]) if self.gaps else []
            rows = []
            for j in range(count):
                total = Number(ZERO, {})
                for c, gap in zip(C[j], gaps, strict=True):
                    total = _chain(
                        _add(total.value, _mul(_exact(-float(c)), gap.value)),
                        (ONE, total), (_exact(-float(c)), gap),
                    )  # fmt: skip
                own_slope = _add(total.slopes.get(100 + j, ZERO), ONE)
                rows.append(Number(total.value, total.slopes | {100 + j: own_slope}))
            return y, rows

        points: Box = [((low + high) / 2,) * 2 for low, high in steps]
        away = [_size_of(row.value) for row in mapped(points, [Decimal(0)] * count)[1]]
        radius = [_UP.add(_UP.multiply(a, 2), Decimal("1e-13")) for a in away]
        for _ in range(8):
            y, rows = mapped(steps, radius)
            image = list[Decimal]()
            for row, total in zip(rows, away, strict=True):
                by = {k: radius[k - 100] if k >= 100 else _size_of(sides[k]) for k in row.slopes}
                parts = (_UP.multiply(_size_of(s), by[k]) for k, s in row.slopes.items())
                image.append(reduce(_UP.add, parts, total))
            if all(a < b for a, b in zip(image, radius, strict=True)):
                return Implicit(y, near, _slopes(rows, radius, list(sides)))
            radius = [_UP.multiply(a, Decimal("1.5")) for a in image]
            if not all(a < 10 for a in radius):
                break
        return unknown

    def _near(self, steps: list[float]) -> tuple[Any, Any, Any]:
        """Return about y in the middle of a box, from home in stages, 1 / ∂g/∂y, and slopes.

        They are NaN where a stage is singular.
        """
        y, (home, centre) = self.at_home, self.ends
        for t in np.linspace(0.0, 1.0, 9):
            at, middle = t * np.array(steps), (1 - t) * home + t * centre
            for _ in range(4):
                gap, by_y, by_x = (np.array(x) for x in self.guess(at, y, middle))
                singular = np.linalg.matrix_rank(np.nan_to_num(by_y)) < len(by_y)
                C = np.full(by_y.shape, np.nan) if singular else np.linalg.inv(by_y)
                y = y - C @ gap[:, 0]
        return y, C, -C @ by_x


class Implicit(NamedTuple):
    """Coordinates without a closed form over a box: y, about y, and slopes beside the tilt."""

    numbers: list[Number]
    near: Any
    slopes: dict[tuple[int, int], Bounds]

    def total(self, of: Number, k: int) -> Bounds:
        """Return the slope by coordinate k, of y too."""
        found = of.slopes.get(k, ZERO)
        for j in range(len(self.numbers)):
            term = _mul(of.slopes.get(100 + j, ZERO), self.slopes.get((j, k), ZERO))
            found = _add(found, term)
        return found


def _slopes(rows: list[Number], radius: list[Decimal], moves: list[int]) -> dict[Any, Bounds]:
    """Return bounds of the slopes s = drift + (∂N/∂y) s, by the norm with the weights radius."""

    def norm(row: Number, r: Decimal) -> Decimal:
        own = (_UP.multiply(_size_of(row.slopes[100 + j]), w) for j, w in enumerate(radius)
               if 100 + j in row.slopes)  # fmt: skip
        return _UP.divide(reduce(_UP.add, own), r)

    pairs = list(zip(rows, radius, strict=True))
    rest = _DOWN.subtract(1, max(norm(row, r) for row, r in pairs))
    found: dict[Any, Bounds] = {}
    for k in moves:
        most = max(_UP.divide(_size_of(row.slopes.get(k, ZERO)), r) for row, r in pairs)
        for j, r in enumerate(radius):
            size = _UP.multiply(_UP.divide(most, rest), r)
            found[j, k] = (size.copy_negate(), size)
    return found


def _products(columns: Sequence[Sequence[Bounds]]) -> list[list[Bounds]]:
    """Return bounds of AᵀA, of a matrix A by columns."""
    return [[reduce(_add, map(_mul, a, b)) for b in columns] for a in columns]


def _orthogonal(entries: list[float]) -> bool:
    """Whether |AᵀA - 1| < 1e-12 for a square matrix, all of whose entries are given."""
    n = isqrt(len(entries))
    A = _products([[_exact(x) for x in entries[k * n : (k + 1) * n]] for k in range(n)])
    away = (_size_of(_add(x, _exact(-float(i == j)))) for i, row in enumerate(A)
            for j, x in enumerate(row))  # fmt: skip
    return sum(away) < Decimal("1e-12")


def _conditioned(entries: list[Bounds], n: int, most: float) -> bool:
    """Whether a matrix A, by its n columns, has a condition number of at most `most` (1 - 1e-11).

    AᵀA - μ and most² μ - AᵀA are positive definite if all pivots of an elimination are positive.
    """
    motors = len(entries) // n
    A = _products([entries[k * motors : (k + 1) * motors] for k in range(n)])
    if any(x is None for row in A for x in row):
        return False
    sizes = [_size_of(row[k]) for k, row in enumerate(A)]
    K = _DOWN.multiply(Decimal(most), 1 - Decimal("1e-11"))
    mu = _exact((min(sizes) * max(sizes)).sqrt() / K)
    for sign, shift in ((ONE, _neg(mu)), (_exact(-1), _mul(_sq((K, K)), mu))):
        M = [[_add(_mul(sign, x), shift if i == j else ZERO) for j, x in enumerate(row)]
             for i, row in enumerate(A)]  # fmt: skip
        for k, row in enumerate(M):
            pivot = row[k]
            if pivot is None or pivot[0] <= 0:
                return False
            for other in M[k + 1 :]:
                factor = _neg(_mul(other[k], _inv(pivot)))
                other[:] = [_add(x, _mul(factor, y)) for x, y in zip(other, row, strict=True)]
    return True


def _numbers(box: Box) -> list[Number]:
    return [
        Number((Decimal(low), Decimal(high)), {k: ONE} if low < high else {})
        for k, (low, high) in enumerate(box)
    ]


def _size_of(a: Bounds) -> Decimal:
    return max(map(Decimal.copy_abs, a)) if a else Decimal("inf")


def _halves(side: tuple[float, float]) -> tuple[tuple[float, float], tuple[float, float]]:
    low, high = side
    middle = (low + high) / 2
    return (low, middle), (middle, high)


def _fill(paths: list[str], axes: int) -> bool:
    """Whether boxes with these paths are all parts of the whole, each once."""
    if len(paths) < 2 or not all(paths):
        return paths == [""]
    letters = sorted({path[0] for path in paths})
    known = [[chr(ord("A") + k), chr(ord("a") + k)] for k in range(axes)]
    parts = ([path[1:] for path in paths if path[0] == letter] for letter in letters)
    return letters in known and all(_fill(part, axes) for part in parts)


def main() -> None:
    """Check the certificate that the command line names."""
    parser = argparse.ArgumentParser(description="Check a certificate of gough prove.")
    parser.add_argument("certificate")
    parser.add_argument("--robot", help="name or file; default: the name in the certificate")
    parser.add_argument("--at-most", type=int, help="evaluate so many boxes, chosen at random")
    given = parser.parse_args()
    try:
        content = content_of(given.certificate)
        robot = gough.load(given.robot or content["robot"])
        boxes, checked = check_proof(given.certificate, robot, at_most=given.at_most)
    except GoughError as error:
        sys.exit(f"refused: {error}")
    required, limits = content["required"], content["required"]["limits"]
    families = [*limits["families"], *(name for name in ("speed", "force") if required[name])]
    first = content["coordinates"].index(STEPS[0])
    sides = zip(content["coordinates"][first:], content["box"][first:], strict=True)
    box = ", ".join(f"{name} {low:g} to {high:g}" for name, (low, high) in sides if low < high)
    print(f"holds: {robot.name} {content['verdict']}, {checked} of {boxes} boxes evaluated again")
    print(f"box around {content['centre']}, others 0 [SI]: {box}")
    print(f"required: {', '.join(families)}; tolerances: {content['tolerances'] or 'none'}")


if __name__ == "__main__":
    main()
