"""The checker of certificates: requirements in an arithmetic of its own, which knows no compiler.

CasADi's functions of a `Claim` are evaluated instruction by instruction over boxes, each number as
bounds of its value and its slopes: integers over 2¹²⁸, rounded outward. Coordinates without closed
form depend on z. Where the mean-value form of N over x and |z| <= r is within ± r, N contracts, and
has one fixed point for each x [Krawczyk 1969; Neumaier 1990, section 5.1]: z are coordinates then.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from gough.errors import GoughError

SIDES = "+-?"  # boxes that are proved, outside (a requirement holds nowhere), undecided
_BITS = 128


@dataclass(slots=True)
class Interval:
    """Bounds: integers, over 2¹²⁸; infinite where nothing is known."""

    low: Any
    high: Any

    def is_known(self) -> bool:
        """Whether both are finite."""
        return type(self.low) is int and type(self.high) is int

    def __add__(self, other: Interval) -> Interval:
        found = Interval(self.low + other.low, self.high + other.high)
        return found if found.is_known() else UNKNOWN

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        if not (self.is_known() and other.is_known()):
            return UNKNOWN
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends) >> _BITS, -(-max(ends) >> _BITS))

    def __truediv__(self, other: Interval) -> Interval:
        if not (other.is_known() and other.is_apart()):
            return UNKNOWN
        one = 1 << 2 * _BITS
        return self * Interval(one // other.high, -(-one // other.low))

    def __or__(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def __and__(self, other: Interval) -> Interval:
        return Interval(max(self.low, other.low), min(self.high, other.high))

    def __abs__(self) -> Interval:
        found = Interval(max(self.low, -self.high, 0), max(-self.low, self.high))
        return found if self.is_known() else UNKNOWN

    def is_apart(self) -> bool:
        """Whether zero is not between them."""
        return bool(self.low > 0 or self.high < 0)

    def middle(self) -> Interval:
        """Return the number between them."""
        return Interval(*[(self.low + self.high) // 2] * 2) if self.is_known() else self


def exact(number: Any) -> Interval:
    """Return bounds of a number; infinite ones are only compared."""
    if not math.isfinite(number):
        return UNKNOWN if math.isnan(number) else Interval(number, number)
    top, bottom = number.as_integer_ratio()
    return Interval((top << _BITS) // bottom, -((-top << _BITS) // bottom))


UNKNOWN, ZERO, ONE, TWO = Interval(-math.inf, math.inf), exact(0), exact(1), exact(2)
PI = Interval(1069028584064966747859680373161870783300, 1069028584064966747859680373161870783301)
Rule = tuple[Interval, ...]  # bounds of an operation's value, and of its derivatives
Number = tuple[Interval, dict[int, Interval]]  # bounds of a value, and its slopes by coordinate


def _square(x: Interval) -> Interval:
    return abs(x) * abs(x)


def _sign(x: Interval) -> Interval:
    return (ONE if x.low > 0 else -ONE if x.high < 0 else ONE | -ONE) if x.is_known() else UNKNOWN


def _cosine(x: Interval) -> Interval:
    """Return the cosine: by its series over x less whole turns, and from the middle of that on."""
    if not x.is_known() or x.high - x.low > PI.low:
        return (ONE | -ONE) if x.is_known() else UNKNOWN
    part = x - TWO * PI * exact((x.middle().low + PI.low) // (2 * PI.low))
    found, away = ONE | -ONE, abs(part - part.middle())
    for own, radius in ((part, ZERO), (part.middle(), away | -away)):
        term = total = ONE
        for k in range(1, 30):
            term = -term * _square(own) / exact(2 * k * (2 * k - 1))
            total += term
        found &= total + (term | -term) + radius  # the rest is below the last term
    return found


def _arc(y: Interval, x: Interval) -> Rule:
    """Return atan2: a guess in the middle, what it is wrong by, and slopes times the way there."""
    if not (x.is_known() and y.is_known()) or (x.low <= 0 and y.low <= 0 <= y.high):
        return UNKNOWN, UNKNOWN, UNKNOWN  # it may jump
    p, q, size = x.middle(), y.middle(), _square(x) + _square(y)
    guess = exact(math.atan2(q.low / ONE.low, p.low / ONE.low))
    c, s = _cosine(guess), _cosine(guess - PI / TWO)
    wrong = ((q * c - p * s) / (p * c + q * s)) | ZERO  # |angle| <= |its tangent|
    by_y, by_x = x / size, -y / size
    return guess + wrong + by_y * (y - q) + by_x * (x - p), by_y, by_x


def _root(x: Interval) -> Rule:
    if not x.is_known() or x.low < 0:
        return UNKNOWN, UNKNOWN
    value = Interval(math.isqrt(x.low << _BITS), math.isqrt(x.high << _BITS) + 1)
    return value, ONE / (TWO * value)


def _truth(sure: bool, possible: bool) -> Rule:
    slope = ZERO if sure == possible else UNKNOWN  # it may jump
    return Interval(sure << _BITS, possible << _BITS), slope, slope


def _chosen(test: Interval, x: Interval) -> Rule:
    if test.is_apart() or test == ZERO:
        return (ZERO, ZERO, ZERO) if test == ZERO else (x, ZERO, ONE)
    return x | ZERO, UNKNOWN, UNKNOWN  # it may jump


def _lesser(a: Interval, b: Interval) -> Rule:
    share = Interval((a.high < b.low) << _BITS, (a.low <= b.high) << _BITS)
    found = Interval(min(a.low, b.low), min(a.high, b.high)), share, ONE - share
    return (UNKNOWN, UNKNOWN, UNKNOWN) if UNKNOWN in (a, b) else found


RULES: dict[int, Callable[..., Rule]] = {
    ca.OP_ADD: lambda a, b: (a + b, ONE, ONE),
    ca.OP_SUB: lambda a, b: (a - b, ONE, -ONE),
    ca.OP_NEG: lambda a: (-a, -ONE),
    ca.OP_TWICE: lambda a: (a + a, TWO),
    ca.OP_MUL: lambda a, b: (a * b, b, a),
    ca.OP_SQ: lambda a: (_square(a), a + a),
    ca.OP_DIV: lambda a, b: (a / b, ONE / b, -a / b / b),
    ca.OP_INV: lambda a: (ONE / a, -ONE / a / a),
    ca.OP_SQRT: _root,
    ca.OP_SIN: lambda a: (_cosine(a - PI / TWO), _cosine(a)),
    ca.OP_COS: lambda a: (_cosine(a), _cosine(a + PI / TWO)),
    ca.OP_ATAN2: _arc,
    ca.OP_LOG: lambda a: ((ONE - ONE / a) | (a - ONE) if a.low > 0 else UNKNOWN, ONE / a),
    ca.OP_FABS: lambda a: (abs(a), _sign(a)),
    ca.OP_SIGN: lambda a: (_sign(a), ZERO if a.is_apart() else UNKNOWN),
    ca.OP_COPYSIGN: lambda a, b: (_sign(b) * abs(a), _sign(b) * _sign(a), RULES[ca.OP_SIGN](b)[1]),
    ca.OP_FMIN: _lesser,
    ca.OP_FMAX: lambda a, b: (-_lesser(-a, -b)[0], *_lesser(-a, -b)[1:]),
    ca.OP_LT: lambda a, b: _truth(a.high < b.low, a.low < b.high),
    ca.OP_LE: lambda a, b: _truth(UNKNOWN not in (a, b) and a.high <= b.low, a.low <= b.high),
    ca.OP_NOT: lambda a: _truth(a == ZERO, not a.is_apart())[:2],
    ca.OP_AND: lambda a, b: _truth(a.is_apart() and b.is_apart(), ZERO not in (a, b)),
    ca.OP_OR: lambda a, b: _truth(a.is_apart() or b.is_apart(), not a == b == ZERO),
    ca.OP_IF_ELSE_ZERO: _chosen,
}
"""CasADi's operations. Logarithms are bounded by 1 - 1/x and x - 1."""


def _evaluated(f: ca.Function, inputs: Sequence[Number]) -> list[Number]:
    """Return the numbers of all outputs, instruction by instruction."""
    work, found, nodes = dict[int, Number](), list[Number](), f.instructions_sx()
    first = [sum(f.nnz_in(j) for j in range(k)) for k in range(f.n_in())]
    for k in range(f.n_instructions()):
        code, sources = f.instruction_id(k), f.instruction_input(k)
        targets = f.instruction_output(k)
        if code == ca.OP_CONST:
            work[targets[0]] = exact(f.instruction_constant(k)), {}
        elif code == ca.OP_INPUT:
            work[targets[0]] = inputs[first[sources[0]] + sources[1]]
        elif code == ca.OP_OUTPUT:
            found.append(work[sources[0]])
        elif code == ca.OP_CALL:
            called, given, near = nodes[k].which_function(), [work[s] for s in sources], []
            if called.name().startswith("approximate_"):  # any numbers: bounds are narrow by them
                middle, n = [x.middle().low / ONE.low for x, _ in given], math.isqrt(len(given))
                near = called(ca.reshape(ca.DM(middle), n, n)).nonzeros()
            results = [(exact(x), {}) for x in near] if near else _evaluated(called, given)
            work.update(zip(targets, results, strict=True))
        else:
            value, *partials = RULES[code](*(work[s][0] for s in sources))
            slopes: dict[int, Interval] = {}
            for partial, source in zip(partials, sources, strict=True):
                for j, slope in work[source][1].items() if partial is not ZERO else ():
                    slopes[j] = slopes.get(j, ZERO) + partial * slope
            work[targets[0]] = value, slopes
    return found


def _over(f: ca.Function, box: list[Interval], fixed: list[Number]) -> Iterator[Rule]:
    """Give bounds over a box by intervals and by the mean-value form, and those in its middle."""
    sides = [(x, {k: ONE} if x.low < x.high else {}) for k, x in enumerate(box)]
    at = _evaluated(f, [*((x.middle(), {}) for x in box), *fixed])
    for (natural, slopes), (value, _) in zip(_evaluated(f, [*sides, *fixed]), at, strict=True):
        terms = (slope * (box[k] - box[k].middle()) for k, slope in slopes.items())
        yield natural, sum(terms, value), value


@dataclass(frozen=True)
class Claim:
    """Requirements on all points x of a box: functions of x and z, numbers given, and hints."""

    whole: Sequence[Interval]
    axes: Sequence[int]  # that are bisected
    given: Sequence[float]
    hints: Callable[[list[float]], Sequence[float]]  # any numbers: bounds become narrow by them
    margins: ca.Function
    mapped: ca.Function  # N(z), at whose fixed point all legs close
    joint: ca.Function  # further margins: of bounds of margins, numbers given, and hints
    requirements: Sequence[tuple[str, list[list[int]]]]  # hold where margins of one list are > 0

    def boxes(self, code: str) -> Iterator[tuple[Claim, list[Interval], str]]:
        """Give the boxes of a code: a letter bisects along an axis, signs say what a box is."""
        left = [list(self.whole)]
        for letter in code:
            box = left.pop()
            if letter in SIDES:
                yield self, box, letter
            else:
                left += self._halves(box, "abcdefghijklmnopqrstuvwx".index(letter))[::-1]
        if left:
            raise GoughError("its boxes do not fill the whole")

    def _halves(self, box: list[Interval], axis: int) -> list[list[Interval]]:
        k, middle = self.axes[axis], box[self.axes[axis]].middle()
        sides = Interval(box[k].low, middle.low), Interval(middle.low, box[k].high)
        return [[*box[:k], side, *box[k + 1 :]] for side in sides]

    def bounds(self, x: list[Interval]) -> tuple[list[Interval], bool]:
        """Return bounds of all margins over a box, and whether all legs close there."""
        hints = self.hints([side.middle().low / ONE.low for side in x])
        fixed: list[Number] = [(exact(number), {}) for number in (*self.given, *hints)]
        radius, closes = [0] * self.mapped.nnz_out(0), False
        for _ in range(8):
            z = [Interval(-r, r) for r in radius]
            image = [abs(mean).high for _, mean, _ in _over(self.mapped, [*x, *z], fixed)]
            closes = all(a < r for a, r in zip(image, radius, strict=True))
            if closes or math.inf in image:
                break
            radius = [a + a // 2 + (1 << 32) for a in image]
        found = [*_over(self.margins, [*x, *(z if closes else [UNKNOWN] * len(z))], fixed)]
        own = [natural & mean if natural.is_known() else UNKNOWN for natural, mean, _ in found]
        joint = _evaluated(self.joint, [*((b, {}) for b in own), *fixed])
        return [*own, *(b for b, _ in joint), *(at for *_, at in found)], closes

    def wrong(self, box: list[Interval], sign: str, deeper: int = 8) -> str:
        """Return what does not hold in a box, after some bisections deeper; "" if all does."""
        bounds, closes = self.bounds(box)
        positive = {k for k, b in enumerate(bounds) if b.low > 0 and closes}
        failing = [f"{name} is not proved" for name, ways in self.requirements
                   if not any(map(positive.issuperset, ways))]  # fmt: skip
        violated = any(b.high < 0 for b in bounds[: len(self.requirements)])
        if sign == "-":
            failing = [] if violated else ["no requirement is violated everywhere"]
        if not failing or violated or not deeper:
            return "".join(failing[:1])
        parts = self._halves(box, deeper % len(self.axes))
        return next(filter(None, (self.wrong(part, sign, deeper - 1) for part in parts)), "")


def check(content: Any, claims: Sequence[Claim], at_most: int | None) -> tuple[int, int]:
    """Verify a certificate, or raise GoughError: numbers of its boxes, and of those evaluated."""
    pairs, example = zip(claims, content["boxes"], strict=True), content["counter_example"]
    boxes = [box for claim, code in pairs for box in claim.boxes(code)]
    signs = {"" if example is None else "-", *(sign for *_, sign in boxes)}
    verdict = "refuted" if "-" in signs else "undecided" if "?" in signs else "proved"
    if verdict != content["verdict"]:
        raise GoughError(f"its boxes say {verdict}, not {content['verdict']}")
    if example is not None:
        claim = claims[range(len(claims)).index(example["part"])]
        point = [exact(x) for x in example["coordinates"]]
        number = range(len(claim.requirements)).index(example["requirement"])
        inside = all(x & side == x for x, side in zip(point, claim.whole, strict=True))
        if not inside or claim.bounds(point)[0][number].high >= 0:
            raise GoughError("its counter-example violates no requirement in the box")
    decided = [k for k, (*_, sign) in enumerate(boxes) if sign != "?"]
    chosen = decided if at_most is None else random.sample(decided, min(at_most, len(decided)))
    for k in chosen:
        if wrong := boxes[k][0].wrong(*boxes[k][1:]):
            raise GoughError(f"box {k + 1} of {len(boxes)}, stated as {boxes[k][2]!r}: {wrong}")
    return len(boxes), len(chosen)
