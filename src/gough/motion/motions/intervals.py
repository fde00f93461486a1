"""Interval arithmetic of expressions, and their zeros in time: none is missed.

Every operation turns bounds of its operands into bounds of its result. They are never too narrow,
however fast the expression changes; over short intervals they are tight. Where an expression has no
value anywhere its bounds are nan. It is ours because libraries of intervals take one at a time, and
these expressions are CasADi's, over thousands of intervals.

An interval over which the bounds of an expression leave out zero has no zero; one over which those
of its rate do has at most one. All others are divided until nothing is left but a moment.
"""

from collections.abc import Callable, Mapping
from math import erf, tau
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.motion.checked import MotionError

MOMENT = 1e-10  # intervals of less than this share of the duration are not divided
MOST = 50_000_000  # maximum operations before expressions are refused as too fast to be checked

_AT_ONCE = 4096
_PARTS = 4
_REFINING = 3  # to refine a zero takes as long as so many bounds

Rule = Callable[..., Array]  # from intervals (2, n), or (2, 1) if the same everywhere, to one
Truths = NDArray[np.bool_]

_EPS = 4 * np.finfo(float).eps
_EXACT = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_NOT, ca.OP_AND, ca.OP_OR, ca.OP_SIGN}
_ANY = np.array([[-np.inf], [np.inf]])


class ExpressionBounds:
    """The bounds of a column of expressions over intervals of the inputs."""

    def __init__(self, inputs: tuple[Any, ...], column: Any, rules: Mapping[int, Rule]) -> None:
        function = ca.Function("bounded", list(inputs), [ca.densify(column)])
        self._rules, self._size = rules, column.numel()
        self.steps = []
        for k in range(function.n_instructions()):
            operation = function.instruction_id(k)
            number = function.instruction_constant(k) if operation == ca.OP_CONST else 0.0
            places = function.instruction_input(k), function.instruction_output(k)
            self.steps.append((operation, *places, number))

    def __call__(
        self, t: ArrayLike, numbers: Array, constants: Array | None = None
    ) -> tuple[Array, Array]:
        """Lower and upper bounds, (n, size), over n intervals of time (2, n).

        With `constants` (n, steps), those of each interval in place of its own, all are rounded
        outward, also where an interval is one time; tiny numbers by 1e-300.
        """
        inputs = ([np.asarray(t)], [np.full((2, 1), value) for value in numbers])
        low, high = np.empty((2, np.shape(t)[1], self._size))
        work: dict[int, Array] = {}
        with np.errstate(all="ignore"):
            for k, (operation, sources, targets, number) in enumerate(self.steps):
                if operation == ca.OP_INPUT:
                    work[targets[0]] = inputs[sources[0]][sources[1]]
                elif operation == ca.OP_CONST:
                    own = number if constants is None else constants[:, k]
                    work[targets[0]] = np.full((2, np.size(own)), own)
                elif operation == ca.OP_OUTPUT:
                    low[:, targets[1]], high[:, targets[1]] = work[sources[0]]
                else:
                    rule = self._rules.get(operation)
                    u = rule(*(work[source] for source in sources)) if rule else _ANY
                    rounding = _EPS * abs(u) * [[-1.0], [1.0]]
                    if constants is not None and operation not in _EXACT:
                        work[targets[0]] = u + rounding + [[-1e-300], [1e-300]]
                    else:
                        work[targets[0]] = np.where(u[1] > u[0], u + rounding, u)
        return low, high


def _rising(function: Any, least: float = -np.inf, most: float = np.inf) -> Rule:
    """Return the rule of a function that rises from its minimum to its maximum value."""

    def rule(u: Array) -> Array:
        inside = np.array([np.maximum(u[0], least), np.minimum(u[1], most)])
        return np.where(inside[0] > inside[1], np.nan, function(inside))

    return rule


def _product(a: Array, b: Array) -> Array:
    products = np.nan_to_num(a[:, None] * b, nan=0.0, posinf=np.inf, neginf=-np.inf)
    ends = products.min(axis=(0, 1)), products.max(axis=(0, 1))
    return np.where(np.isnan(a[0]) | np.isnan(b[0]), np.nan, ends)


def _inverse(u: Array) -> Array:
    low, high = u
    pole = (low <= 0.0) & (high >= 0.0)
    below = np.where(pole & (low < 0.0), -np.inf, 1 / np.where(high == 0.0, -0.0, high))
    above = np.where(pole & (high > 0.0), np.inf, 1 / np.where(low == 0.0, 0.0, low))
    return np.array([below, above])


def _magnitude(u: Array) -> Array:
    low, high = u
    return np.array([np.maximum(np.maximum(low, -high), 0.0), np.maximum(-low, high)])


def _power(a: Array, b: Array) -> Array:
    """a**b: of any number if b is a whole number, else of those that are not negative."""
    if (b == b[0, 0]).all() and float(b[0, 0]).is_integer():
        exponent = abs(float(b[0, 0]))
        power = (a if exponent % 2 else _magnitude(a)) ** exponent
        return power if b[0, 0] >= 0.0 else _inverse(power)
    return _EXP(_product(b, _LOG(a)))


def _wave(function: Any, crest: float) -> Rule:
    """The rule of the sine or the cosine, that has a crest at this share of a turn."""

    def rule(u: Array) -> Array:
        ends, wide = function(u), u[0] < u[1]
        start, end = u / tau - crest
        top = wide & (np.ceil(start) <= np.floor(end))
        bottom = wide & (np.ceil(start - 0.5) <= np.floor(end - 0.5))
        return np.where([bottom, top], [[-1.0], [1.0]], [np.fmin(*ends), np.fmax(*ends)])

    return rule


def _tangent(u: Array) -> Array:
    start, end = np.floor(u / np.pi - 0.5)
    return np.where(start == end, np.tan(u), _ANY)


def _angle(y: Array, x: Array) -> Array:
    """atan2(y, x); anything where its cut is met, for it jumps there."""
    corners = np.arctan2(y[:, None], x)
    cut = (x[0] <= 0.0) & (y[0] <= 0.0) & (y[1] >= 0.0) & ((y[1] > y[0]) | (x[1] >= 0.0))
    return np.where(cut, _ANY, [corners.min(axis=(0, 1)), corners.max(axis=(0, 1))])


def _truth(surely: Truths, never: Truths) -> Array:
    return np.array([surely, ~never], dtype=float)


def _chosen(condition: Array, u: Array) -> Array:
    """A value if a condition holds, else 0; all between them if it may hold or not."""
    either = np.array([np.fmin(u[0], 0.0), np.fmax(u[1], 0.0)])
    return np.where(condition[1] == 0.0, 0.0, np.where(condition[0] == 1.0, u, either))


_EXP, _LOG = _rising(np.exp), _rising(np.log, least=0.0)

VALUES: dict[int, Rule] = {
    ca.OP_ASSIGN: lambda u: u,
    ca.OP_ADD: lambda a, b: a + b,
    ca.OP_SUB: lambda a, b: a - b[::-1],
    ca.OP_MUL: _product,
    ca.OP_DIV: lambda a, b: _product(a, _inverse(b)),
    ca.OP_NEG: lambda u: -u[::-1],
    ca.OP_INV: _inverse,
    ca.OP_SQ: lambda u: _power(u, np.full((2, 1), 2.0)),
    ca.OP_TWICE: lambda u: 2 * u,
    ca.OP_POW: _power,
    ca.OP_CONSTPOW: _power,
    ca.OP_EXP: _EXP,
    ca.OP_LOG: _LOG,
    ca.OP_SQRT: _rising(np.sqrt, least=0.0),
    ca.OP_ERF: _rising(np.vectorize(erf, otypes=[float])),
    ca.OP_SIN: _wave(np.sin, crest=0.25),
    ca.OP_COS: _wave(np.cos, crest=0.0),
    ca.OP_TAN: _tangent,
    ca.OP_ASIN: _rising(np.arcsin, -1.0, 1.0),
    ca.OP_ACOS: lambda u: _rising(np.arccos, -1.0, 1.0)(u)[::-1],
    ca.OP_ATAN: _rising(np.arctan),
    ca.OP_ATAN2: _angle,
    ca.OP_SINH: _rising(np.sinh),
    ca.OP_COSH: lambda u: _rising(np.cosh)(_magnitude(u)),
    ca.OP_TANH: _rising(np.tanh),
    ca.OP_ASINH: _rising(np.arcsinh),
    ca.OP_ACOSH: _rising(np.arccosh, least=1.0),
    ca.OP_ATANH: _rising(np.arctanh, -1.0, 1.0),
    ca.OP_FABS: _magnitude,
    ca.OP_SIGN: _rising(np.sign),
    ca.OP_LT: lambda a, b: _truth(a[1] < b[0], a[0] >= b[1]),
    ca.OP_LE: lambda a, b: _truth(a[1] <= b[0], a[0] > b[1]),
    ca.OP_NOT: lambda u: 1 - u[::-1],
    ca.OP_AND: lambda a, b: a * b,
    ca.OP_OR: np.maximum,
    ca.OP_IF_ELSE_ZERO: _chosen,
}
"""Bounds of the result of each operation; an operation that is missing bounds nothing."""

RATES = VALUES | {ca.OP_IF_ELSE_ZERO: lambda c, u: np.where(c[0] != c[1], _ANY, _chosen(c, u))}
"""Rules for the derivatives of expressions, which do not show the jump at a condition: where it
may hold or not, the rate of what is chosen is anything."""


class Zeros:
    """Finds the zeros of a column of expressions, given their rates."""

    def __init__(self, inputs: tuple[object, ...], values: object, rates: object) -> None:
        self._values = ExpressionBounds(inputs, values, VALUES)
        self._rates = ExpressionBounds(inputs, rates, RATES)

    def __call__(self, duration: float, numbers: Array, found: Callable[[Array], Array]) -> Array:
        """The times [s] from 0 to a duration at which an expression begins or ceases to be zero.

        `found` gives values, then rates. Of an expression that only touches zero within a moment it
        is the time at which it turns back.
        """

        def sides(t: Array) -> Truths:
            values = found(t)
            return np.concatenate([values > 0.0, values < 0.0], axis=-1)

        pieces, wanted = self._around_zeros(duration, numbers)
        before, after = np.moveaxis(sides(pieces), 1, 0)
        which, columns = np.nonzero(np.tile(wanted, 2) & (before != after))
        low, high = pieces[which].T
        side = before[which, columns]
        for _ in range(60):
            middle = (low + high) / 2
            same = sides(middle)[np.arange(len(which)), columns] == side
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return np.unique(high)

    def _around_zeros(self, duration: float, numbers: Array) -> tuple[Array, Truths]:
        """Intervals (n, 2) with all zeros, and which values and rates may change sign in them."""
        found, wanted = [], []
        operations = len(self._values.steps) + len(self._rates.steps)
        pieces, spent = np.array([[0.0, duration]]), 0
        while len(pieces):
            now, later = pieces[:_AT_ONCE], pieces[_AT_ONCE:]
            if spent > MOST:
                raise MotionError(
                    f"it switches too fast to be checked, at t = {now[0, 0]:.6g} s and later",
                    expected="conditions, roots and quotients that are zero less often",
                )
            one, several = self._possible(now, numbers)
            divide = several.any(axis=-1) & (now[:, 1] - now[:, 0] > MOMENT * duration)
            keep = ~divide & (one | several).any(axis=-1)
            found.append(now[keep])
            wanted.append(np.concatenate([one | several, several], axis=-1)[keep])
            spent += operations * (len(now) + _REFINING * int(wanted[-1].sum()))
            pieces = np.concatenate([divided(now[divide], _PARTS), later])
        return np.concatenate(found), np.concatenate(wanted)

    def _possible(self, pieces: Array, numbers: Array) -> tuple[Truths, Truths]:
        """Which expressions may have one zero in each interval, and which several, (n, size)."""
        low, high = self._values(pieces.T, numbers)
        least, most = self._rates(pieces.T, numbers)
        zero = (low <= 0.0) & (high >= 0.0) & (low < high)
        steady = np.isfinite([low, high, least, most]).all(axis=0) & ((least > 0.0) | (most < 0.0))
        return zero & steady, zero & ~steady


def divided(pieces: Array, parts: int) -> Array:
    """Each interval as several equal ones, in the order of time."""
    ends = np.linspace(pieces[:, 0], pieces[:, 1], parts + 1, axis=-1)
    return np.stack([ends[:, :-1], ends[:, 1:]], axis=-1).reshape(-1, 2)
