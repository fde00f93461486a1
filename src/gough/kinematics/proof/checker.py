"""The checker of certificates: requirements in an arithmetic of its own, which knows no compiler.

CasADi's functions are evaluated instruction by instruction over boxes, each number as its value in
the middle, slopes, and bounds that follow: integers over 2¹²⁸, rounded outward. Coordinates without
closed form depend on z. Where N over x and |z| <= r is within ± r by slopes, it has one fixed point
for each x [Krawczyk 1969; Neumaier 1990, section 5.1]: z are coordinates then, and boxes that touch
have the same solution where that in a common point is within ± r of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
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
Number = tuple[Interval, Interval, Interval, dict[int, Interval]]  # in the middle, by slopes, both
Box = list[Interval]
Part = tuple[Box, list[float], Box]  # a box, numbers there, and bounds of z


def _sign(x: Interval) -> Interval:
    return (ONE if x.low > 0 else -ONE if x.high < 0 else ONE | -ONE) if x.is_known() else UNKNOWN


def _cosine(x: Interval) -> Interval:
    near, away, term, total = x.middle(), abs(x - x.middle()), ONE, ONE
    if not x.is_known():
        return UNKNOWN  # else by the series in the middle, and from there on with slopes up to 1
    near -= TWO * PI * exact((near.low + PI.low) // (2 * PI.low))
    for k in range(1, 30):
        term = -term * near * near / exact(2 * k * (2 * k - 1))
        total += term
    return (ONE | -ONE) & total + (term | -term) + (away | -away)  # the rest is below the last one


def _arc(y: Interval, x: Interval) -> Rule:
    """Return atan2: a guess in the middle, what it is wrong by, and slopes times the way there."""
    if not (x.is_known() and y.is_known()) or (x.low <= 0 and y.low <= 0 <= y.high):
        return UNKNOWN, UNKNOWN, UNKNOWN  # it may jump
    p, q, size = x.middle(), y.middle(), abs(x) * abs(x) + abs(y) * abs(y)
    guess = exact(math.atan2(q.low / ONE.low, p.low / ONE.low))
    c, s = _cosine(guess), _cosine(guess - PI / TWO)
    wrong = ((q * c - p * s) / (p * c + q * s)) | ZERO  # |angle| <= |its tangent|
    by_y, by_x = x / size, -y / size
    return guess + wrong + by_y * (y - q) + by_x * (x - p), by_y, by_x


def _root(x: Interval) -> Interval:
    if not x.is_known() or x.low < 0:
        return UNKNOWN
    return Interval(math.isqrt(x.low << _BITS), math.isqrt(x.high << _BITS) + 1)


def _truth(sure: bool, possible: bool) -> Rule:
    slope = ZERO if sure == possible else UNKNOWN  # it may jump
    return exact(sure) | exact(possible), slope, slope


def _chosen(test: Interval, x: Interval) -> Rule:
    found = (x, ZERO, ONE) if test.is_apart() else (x | ZERO, UNKNOWN, UNKNOWN)  # it may jump
    return (ZERO, ZERO, ZERO) if test == ZERO else found


def _lesser(a: Interval, b: Interval) -> Rule:
    share = exact(a.high < b.low) | exact(a.low <= b.high)
    found = Interval(min(a.low, b.low), min(a.high, b.high)), share, ONE - share
    return (UNKNOWN, UNKNOWN, UNKNOWN) if UNKNOWN in (a, b) else found


RULES: dict[int, Callable[..., Rule]] = {
    ca.OP_ADD: lambda a, b: (a + b, ONE, ONE),
    ca.OP_SUB: lambda a, b: (a - b, ONE, -ONE),
    ca.OP_NEG: lambda a: (-a, -ONE),
    ca.OP_TWICE: lambda a: (a + a, TWO),
    ca.OP_MUL: lambda a, b: (a * b, b, a),
    ca.OP_SQ: lambda a: (abs(a) * abs(a), a + a),
    ca.OP_DIV: lambda a, b: (a / b, ONE / b, -a / b / b),
    ca.OP_INV: lambda a: (ONE / a, -ONE / a / a),
    ca.OP_SQRT: lambda a: (_root(a), ONE / (TWO * _root(a))),
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


def _evaluated(f: ca.Function, inputs: Sequence[Number], sides: Box) -> list[Number]:
    """Return the numbers of all outputs, instruction by instruction."""
    work, found, nodes = dict[int, Number](), list[Number](), f.instructions_sx()
    if f.name().startswith("approximate_"):  # any numbers: bounds are narrow by them
        middle, n = [x.middle().low / ONE.low for x, *_ in inputs], math.isqrt(len(inputs))
        return [(exact(x),) * 3 + ({},) for x in f(ca.reshape(ca.DM(middle), n, n)).nonzeros()]
    for k in range(f.n_instructions()):
        code, sources = f.instruction_id(k), f.instruction_input(k)
        targets = f.instruction_output(k)
        if code == ca.OP_CONST:
            work[targets[0]] = (exact(f.instruction_constant(k)),) * 3 + ({},)
        elif code == ca.OP_INPUT:
            work[targets[0]] = inputs[sum(map(f.nnz_in, range(sources[0]))) + sources[1]]
        elif code == ca.OP_OUTPUT:
            found.append(work[sources[0]])
        elif code == ca.OP_CALL:
            results = _evaluated(nodes[k].which_function(), [work[s] for s in sources], sides)
            work.update(zip(targets, results, strict=True))
        else:
            at = RULES[code](*(work[s][0] for s in sources))[0]
            value, *partials = RULES[code](*(work[s][2] for s in sources))
            slopes: dict[int, Interval] = {}
            for source, partial in zip(sources, partials, strict=True):
                for j, slope in work[source][3].items() if partial is not ZERO else ():
                    slopes[j] = slopes.get(j, ZERO) + partial * slope
            mean = sum((slope * sides[j] for j, slope in slopes.items()), at)
            work[targets[0]] = at, mean, value & mean if value.is_known() else value, slopes
    return found


def _over(f: ca.Function, part: Part) -> list[Number]:
    region = [*part[0], *part[2], *map(exact, part[1])]
    inputs = [(x.middle(), x, x, {k: ONE} if x.low < x.high else {}) for k, x in enumerate(region)]
    return _evaluated(f, inputs, [x - x.middle() for x in region])


@dataclass(frozen=True)
class Claim:
    """Requirements on all points x of a box: functions of x and z, and of numbers."""

    whole: Box
    axes: Sequence[int]  # that are bisected
    numbers: Callable[[list[float]], list[float]]  # given ones, and any: bounds are narrow by them
    margins: ca.Function
    mapped: ca.Function  # N(z), at whose fixed point all legs close
    solution: ca.Function  # coordinates without closed form
    ends: Sequence[Box]  # points: the solution there is that at the end of the claim before
    joint: ca.Function  # further margins: of bounds of margins, and of numbers
    requirements: Sequence[tuple[str, list[list[int]]]]  # hold where margins of one list are > 0

    def part(self, box: Box) -> Part:
        """Return a box with bounds of z where all legs close once, unknown if they may not."""
        numbers = self.numbers([side.middle().low / ONE.low for side in box])
        z = [ZERO] * self.mapped.nnz_out(0)
        least = exact(2**-80 if any(x.high - x.low > 1 for x in box) else 2**-104)
        for _ in range(8):
            image = [abs(mean) for _, mean, *_ in _over(self.mapped, (box, numbers, z))]
            if all(a.high < r.high for a, r in zip(image, z, strict=True)):
                return box, numbers, z
            z = [r | -r for r in (a * exact(1.5) + least for a in image)]
        return box, numbers, [UNKNOWN] * len(z)

    def failing(self, part: Part, sign: str) -> list[str]:
        """Return requirements that do not hold in a part as its sign says."""
        found, closes = _over(self.margins, part), UNKNOWN not in part[2]
        joint = _over(self.joint, ([value for _, _, value, _ in found], part[1], []))
        bounds = [*(value for _, _, value, _ in (*found, *joint)), *(at for at, *_ in found)]
        if sign == "-":
            violated = any(b.high < 0 for b in bounds[: len(self.requirements)])
            return [] if violated else ["no requirement is violated everywhere"]
        positive = {k for k, b in enumerate(bounds) if b.low > 0 and closes}
        return [f"{name} is not proved" for name, ways in self.requirements
                if not any(map(positive.issuperset, ways))]  # fmt: skip

    def solved(self, point: Box, part: Part) -> Box:
        """Return bounds of the solution of a part at a point."""
        return [value for _, _, value, _ in _over(self.solution, (point, *part[1:]))]

    def join(self, parts: Iterable[Part | None], point: Box) -> Box:
        """Return the solution at a point; GoughError if it is not that of all parts there."""
        solution = self.solved(point, self.part(point))
        for box, numbers, z in filter(None, parts):
            inside = all(x & side == x for x, side in zip(point, box, strict=True))
            near = self.solved(point, (box, numbers, [ZERO] * len(z))) if inside else []
            away = map(abs, map(Interval.__sub__, solution, near))
            if not all(a.high <= r.high < math.inf for a, r in zip(away, z, strict=False)):
                raise GoughError("boxes that touch have different solutions")
        return solution

    def parts(self, box: Box, code: Iterator[tuple[str, str]], deeper: int = 8) -> list[Any]:
        """Return verified parts of a box that a code bisects; None for what is not proved."""
        letter, name = next(code, ("its boxes do not fill the whole", ""))
        if letter in SIDES:
            part = self.part(box) if letter != "?" else None
            failing = self.failing(part, letter) if part else []
            if not failing:
                return [part if letter == "+" else None]
            if not deeper:
                raise GoughError(f"{name}, stated as {letter!r}: {failing[0]}")
            axis, code, deeper = deeper % len(self.axes), iter([(letter, name)] * 2), deeper - 1
        else:
            axis = "abcdefghijklmnopqrstuvwx".index(letter)
        k, middle = self.axes[axis], box[self.axes[axis]].middle()
        halves = Interval(box[k].low, middle.low), Interval(middle.low, box[k].high)
        one, other = [self.parts([*box[:k], x, *box[k + 1 :]], code, deeper) for x in halves]
        for a, b in ((a, b) for a in one if a and a[2] for b in other if b):
            face = [x & y for x, y in zip(a[0], b[0], strict=True)]
            if all(x.low <= x.high for x in face):
                self.join([a, b], [x.middle() for x in face])
                if None not in (*one, *other):
                    break  # one solution in each half: if it is the same here, it is in all faces
        return [*one, *other]


def check(said: str, codes: list[str], claims: list[Claim], home: Box, names: list[str]) -> None:
    """Verify a verdict, and codes of claims in boxes that have a name; GoughError otherwise."""
    signs = [letter for code in codes for letter in code if letter in SIDES]
    verdict = "refuted" if "-" in signs else "undecided" if "?" in signs else "proved"
    if verdict != said:
        raise GoughError(f"its boxes say {verdict}, not {said}")
    asked = iter([(sign if name else "?", name) for sign, name in zip(signs, names, strict=True)])
    for claim, code in zip(claims, codes, strict=True):
        letters = iter([next(asked) if letter in SIDES else (letter, "") for letter in code])
        parts = claim.parts(claim.whole, letters)
        if next(letters, None):
            raise GoughError("its boxes do not fill the whole")
        ends = [claim.join(parts, point) for point in claim.ends]
        near = zip(ends[0], home, strict=True) if ends else ()
        if any(abs(a - b).high > ONE.low >> 30 for a, b in near):
            raise GoughError("it begins with another solution than home, or than what is before it")
        home = ends[1] if ends else home
