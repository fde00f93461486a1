"""Small linear systems without branches: safe for any value of the symbols."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from math import nan
from typing import Self

import casadi as ca

from gough.equations.solvers.implicit import solution, stored
from gough.equations.spatial.algebra import Value, reciprocal

ROUNDING = 1e-14  # share of a diagonal entry below which what is left may be rounding error


@dataclass
class Intermediate:
    """Values inside equations that have bounds of their own over a box: see `bounded`."""

    known: Value  # symbols of these bounds; too few while values are counted
    symbols: set[int]  # hashes of symbols with bounds: what depends on others is left as it is
    values: list[Value] = field(default_factory=list)


_FOR_BOXES: ContextVar[Intermediate | None] = ContextVar("for_boxes", default=None)
_NONE = Intermediate(ca.SX(0, 1), set())


@contextmanager
def for_boxes(intermediate: Intermediate | None = None) -> Iterator[None]:
    """Trace equations for bounds over boxes: see `solve` and `bounded`."""
    before = _FOR_BOXES.set(intermediate or _NONE)
    try:
        yield
    finally:
        _FOR_BOXES.reset(before)


def is_for_boxes() -> bool:
    """Whether equations are traced for bounds over boxes."""
    return _FOR_BOXES.get() is not None


def bounded(x: Value) -> Value:
    """Return x; `for_boxes` its bounds are no wider than those that are given of it.

    Bounds over a box grow from operation to operation. Those of a mean-value form do not: so it
    is taken of some values on the way, too, and what follows is computed from it.
    """
    of = _FOR_BOXES.get()
    if of is None or not of.symbols or not symbols_of(x) <= of.symbols:
        return x
    every = ca.SX(x).elements()
    own = [k for k, part in enumerate(every) if not part.is_constant()]
    if not own:
        return x
    first, n = sum(value.numel() for value in of.values), len(own)
    of.values.append(ca.vertcat(*(every[k] for k in own)))
    known = of.known[first : first + n] if first + n <= of.known.numel() else ca.SX.sym("known", n)
    of.symbols |= symbols_of(known)
    for k, part in zip(own, _known(n)(of.values[-1], known).elements(), strict=True):
        every[k] = part
    return ca.reshape(ca.vertcat(*every), x.shape)


def symbols_of(x: Value) -> set[int]:
    """Return hashes of the symbols of an expression."""
    return {symbol.element_hash() for symbol in ca.symvar(ca.SX(x))}


@cache
def _known(n: int) -> ca.Function:
    """Return the function by whose name the compiler knows bounds of its result."""
    x, known = ca.SX.sym("x", n), ca.SX.sym("known", n)
    return ca.Function(f"known_{n}", [x, known], [x],
                       {"never_inline": True, "is_diff_in": [True, False]})  # fmt: skip


def solve(A: Value, b: Value) -> Value:
    """x of A x = b by Householder's reflections, which need no pivoting.

    Entries of A that are known to be zero cost nothing. `b` may have several columns. (CasADi's own
    symbolic solve loses digits near singular matrices: it is not backward stable.) NaN where a
    pivot is zero. `for_boxes` both sides are multiplied by a matrix first, whose numbers count as
    exact: about the inverse of A in the middle of the box. Bounds of an elimination of a matrix
    near 1 stay narrow, and where it has any both matrices are regular, unless b is known to be
    zero.
    """
    if _FOR_BOXES.get() and A.shape[0] > 1 and not A.is_constant():
        K = _approximate_inverse(A.shape[0])(A)
        return bounded(_eliminated(K @ A, K @ b))
    x, least, _ = solve_with_pivots(A, b)
    return ca.if_else(least > 0, x, ca.DM.nan(*x.shape))


def solve_regular(A: Value, b: Value, share: float) -> tuple[Value, Value]:
    """x of A x = b, and whether the minimum pivot is more than a share of the maximum one.

    `for_boxes` x has bounds only where A is regular.
    """
    if _FOR_BOXES.get():
        return solve(A, b), ca.SX(1)
    x, least, greatest = solve_with_pivots(A, b)
    return x, least > share * greatest  # false for NaN, too


@cache
def _approximate_inverse(n: int) -> ca.Function:
    """Return the function by whose name the compiler knows what need not be exact."""
    A = ca.SX.sym("A", n, n)
    x = solve_with_pivots(A, ca.DM.eye(n))[0]
    return ca.Function(f"approximate_inverse{n}", [A], [x],
                       {"never_inline": True, "is_diff_in": [False]})  # fmt: skip


def _eliminated(A: Value, b: Value) -> Value:
    """x of A x = b by Gauss' elimination in the given order, for A near 1."""
    n = A.shape[0]
    rows = [ca.horzcat(A[k, :], b[k, :]) for k in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            rows[i] = rows[i] - rows[i][k] / rows[k][k] * rows[k]
    found = [ca.SX(0)] * n
    for k in reversed(range(n)):
        known = sum((rows[k][i] * found[i] for i in range(k + 1, n)), ca.SX(0))
        found[k] = (rows[k][n:] - known) / rows[k][k]
    return ca.vertcat(*found)


def solve_with_pivots(A: Value, b: Value) -> tuple[Value, Value, Value]:
    """Return x of A x = b, and the minimum and maximum diagonal entry of A's triangular form.

    If the minimum is negligible beside the maximum, A is singular and x is not to be used. NaN in A
    is NaN in both.
    """
    n = A.shape[0]
    columns = [[c[i] for i in range(n)] for c in (*ca.horzsplit(A), *ca.horzsplit(b))]
    for k in range(n - 1):
        _reflect(columns[k:], k)
    sizes = [ca.fabs(columns[i][i]) for i in range(n)]
    inverse = [reciprocal(columns[i][i]) for i in range(n)]
    for x in columns[n:]:
        for i in reversed(range(n)):
            for j in reversed(range(i + 1, n)):
                x[i] -= columns[j][i] * x[j]
            x[i] *= inverse[i]
    known = sizes[-1] > -1  # NaN anywhere in A is NaN there; CasADi takes >= 0 for granted
    extremes = (_extreme(pick, sizes) for pick in (ca.fmin, ca.fmax))
    least, greatest = (ca.if_else(known, size, nan) for size in extremes)
    return ca.horzcat(*(ca.vertcat(*x) for x in columns[n:])), least, greatest


def _extreme(pick: Callable[[Value, Value], Value], values: list[Value]) -> Value:
    """The one that is picked, by halves: a chain would hold up the processor. Leaves out NaN."""
    half = len(values) // 2
    halves = (_extreme(pick, some) for some in (values[:half], values[half:]))
    return pick(*halves) if half else values[0]


def _reflect(columns: list[list[Value]], k: int) -> None:
    """Clear the first column below row k by t v - column, the reflection's opposite."""
    pivot, *others = columns
    tail = [i for i in range(k + 1, len(pivot)) if not pivot[i].is_zero()]
    rho = ca.copysign(ca.sqrt(sum((pivot[i] ** 2 for i in tail), pivot[k] ** 2)), pivot[k])
    head = pivot[k] + rho  # no cancellation: the signs are equal
    scale = reciprocal(head)
    v = {i: pivot[i] * scale for i in tail}  # v_k = 1
    pivot[k] = rho
    ratio = head / rho
    for column in others:
        t = ratio * sum((v[i] * column[i] for i in tail), column[k])
        column[k] = t - column[k]
        for i in tail:
            column[i] = t * v[i] - column[i]


def solve_symmetric(A: Value, b: Value) -> Value:
    """x of A x = b by A = L D Lᵀ of A's lower half; NaN where A is not positive definite."""
    if _FOR_BOXES.get():
        return solve(A, b)
    return SymmetricFactors.of(A).solve(b)


def least_squares(J: Value, b: Value) -> Value:
    """J x of JᵀJ x = b: the minimum f with Jᵀ f = b, of more numbers than b has.

    `for_boxes` both are unknowns of one system: bounds of x, by which J is ill-conditioned, are
    not needed.
    """
    m, n = J.shape
    if not _FOR_BOXES.get():
        return J @ solve_symmetric(J.T @ J, b)
    A = ca.blockcat([[ca.SX.eye(m), -J], [J.T, ca.SX(n, n)]])
    return solve(A, ca.vertcat(ca.SX(m, b.shape[1]), b))[:m, :]


@dataclass(frozen=True)
class SymmetricFactors:
    """A = L D Lᵀ of A's lower half; NaN where A is not positive definite."""

    L: list[list[Value]]  # unit lower triangle, row by row, without its diagonal
    inverse: list[Value]  # inverse of the diagonal D

    @classmethod
    def of(cls, A: Value) -> Self:
        """Factorise a matrix."""
        n = A.shape[0]
        L: list[list[Value]] = [[] for _ in range(n)]
        inverse: list[Value] = []
        for i in range(n):
            scaled: list[Value] = []
            for j in range(i):
                c = A[i, j]
                for k in range(j):
                    c -= scaled[k] * L[j][k]
                scaled.append(c)  # L_ij D_j
            L[i] = [c * inverse[j] for j, c in enumerate(scaled)]
            d = A[i, i]
            for c, l in zip(scaled, L[i], strict=True):
                d -= c * l
            inverse.append(reciprocal(ca.if_else(d > ROUNDING * A[i, i], d, nan)))
        return cls(L, inverse)

    def changed(self, change: Callable[[Value], Value]) -> Self:
        """Return factors whose numbers, as one column, are changed."""
        n = len(self.inverse)
        lower = [x for row in self.L for x in row]
        numbers = ca.vertsplit(change(ca.vertcat(*lower, *self.inverse)))
        rows = [numbers[i * (i - 1) // 2 : i * (i + 1) // 2] for i in range(n)]
        return replace(self, L=rows, inverse=numbers[len(lower) :])

    def solve(self, b: Value) -> Value:
        """x of A x = b."""
        return self.backward(self.scaled(self.forward(b)))

    def forward(self, b: Value) -> Value:
        """y of L y = b."""
        y = ca.vertsplit(b)
        for i in range(len(y)):
            for j in range(i):
                y[i] -= self.L[i][j] * y[j]
        return ca.vertcat(*y)

    def scaled(self, y: Value) -> Value:
        """z of D z = y."""
        return ca.vertcat(*(y[i, :] * x for i, x in enumerate(self.inverse)))

    def backward(self, z: Value) -> Value:
        """x of Lᵀ x = z."""
        x = ca.vertsplit(z)
        for i in reversed(range(len(x))):
            for j in reversed(range(i + 1, len(x))):  # what was found last is needed last
                x[i] -= self.L[j][i] * x[j]
        return ca.vertcat(*x)


# Gaussian elimination with row exchanges: an exchange is a selection of each entry by the same
# test, so that every lane of a batch has its own order of rows. Once a matrix is factorised, each
# further right-hand side is cheap.


@dataclass(frozen=True)
class _Elimination:
    """Operation on row `row` that cleared column `column`."""

    column: int
    row: int
    exchanged: Value  # whether this row and row `column` changed places first
    factor: Value  # multiple of row `column` that was subtracted


@dataclass(frozen=True)
class Factors:
    """A square matrix, factorised."""

    exchanges: tuple[tuple[_Elimination, ...], ...]
    upper: tuple[tuple[Value, ...], ...]
    """The triangle that is left: row k holds entries k, k + 1, ...; the first one is the pivot."""
    inverse_pivots: tuple[Value, ...]

    @property
    def pivots(self) -> tuple[Value, ...]:
        """One per column, scaled as it is: one is zero if singular, and small if nearly so."""
        return tuple(row[0] for row in self.upper)

    def changed(self, change: Callable[[Value], Value]) -> Self:
        """Return factors whose numbers, as one column, are changed."""
        steps = [e for column in self.exchanges for e in column]
        rows = [x for row in self.upper for x in row]
        numbers = [*(e.exchanged for e in steps), *(e.factor for e in steps), *rows]
        new = iter(ca.vertsplit(change(ca.vertcat(*numbers, *self.inverse_pivots))))
        tests, factors = ([next(new) for _ in steps] for _ in range(2))
        pairs = iter(zip(tests, factors, strict=True))
        exchanges = tuple(
            tuple(_Elimination(e.column, e.row, *next(pairs)) for e in column)
            for column in self.exchanges
        )
        upper = tuple(tuple(next(new) for _ in row) for row in self.upper)
        return replace(self, exchanges=exchanges, upper=upper, inverse_pivots=tuple(new))

    def solve(self, b: Value) -> Value:
        """x of A x = b; not finite if A is singular."""
        n = len(self.upper)
        x = [b[i] for i in range(n)]
        for column in self.exchanges:
            for e in column:
                x[e.column], x[e.row] = exchanged(e.exchanged, x[e.column], x[e.row])
            for e in column:
                x[e.row] -= e.factor * x[e.column]
        for i in reversed(range(n)):
            for j in reversed(range(i + 1, n)):  # what was found last is needed last
                x[i] -= self.upper[i][j - i] * x[j]
            x[i] *= self.inverse_pivots[i]
        return ca.vertcat(*x)

    def solve_transposed(self, b: Value) -> Value:
        """x of Aᵀ x = b: the steps of `solve` transposed, the last one first."""
        n = len(self.upper)
        x = [b[i] for i in range(n)]
        for i in range(n):
            for j in range(i):
                x[i] -= self.upper[j][i - j] * x[j]
            x[i] *= self.inverse_pivots[i]
        for column in reversed(self.exchanges):
            for e in reversed(column):
                x[e.column] -= e.factor * x[e.row]
            for e in reversed(column):
                x[e.column], x[e.row] = exchanged(e.exchanged, x[e.column], x[e.row])
        return ca.vertcat(*x)

    @property
    def determinant(self) -> Value:
        """Determinant of the matrix: the pivots' product, its sign changed by each exchange."""
        turns = [ca.if_else(e.exchanged, -1, 1) for column in self.exchanges for e in column]
        return reduce(lambda a, b: a * b, (*turns, *self.pivots))


def factorise(A: Value) -> Factors:
    """Factorise a square matrix; the maximum entry of each column becomes the pivot."""
    n = A.shape[0]
    rows = [[A[i, j] for j in range(n)] for i in range(n)]
    exchanges, upper, inverse_pivots = [], [], []
    for k in range(n):
        tests = []
        for i in range(k + 1, n):
            tests.append(ca.fabs(rows[i][0]) > ca.fabs(rows[k][0]))
            pairs = [exchanged(tests[-1], a, b) for a, b in zip(rows[k], rows[i], strict=True)]
            rows[k], rows[i] = [a for a, _ in pairs], [b for _, b in pairs]
        inverse = reciprocal(rows[k][0])
        cleared = []
        for i, test in zip(range(k + 1, n), tests, strict=True):
            factor = rows[i][0] * inverse
            rows[i] = [b - factor * a for a, b in zip(rows[k][1:], rows[i][1:], strict=True)]
            cleared.append(_Elimination(k, i, test, factor))
        exchanges.append(tuple(cleared))
        upper.append(tuple(rows[k]))
        inverse_pivots.append(inverse)
    return Factors(tuple(exchanges), tuple(upper), tuple(inverse_pivots))


def exchanged(test: Value, a: Value, b: Value) -> tuple[Value, Value]:
    """Return two values, in exchanged order where a test holds."""
    return ca.if_else(test, b, a), ca.if_else(test, a, b)


# Systems with at least as many equations as unknowns, solved exactly or in the mean: what has too
# many motors has too many equations of its motion, and too few of its forces


@dataclass(frozen=True)
class Fit:
    """A matrix A (m x n), m ≥ n, and the factors of A or, where it is not square, of AᵀA."""

    A: Value
    factors: Factors

    @classmethod
    def of(cls, A: Value) -> Self:
        """Factorise a matrix."""
        return cls(A, factorise(A if A.is_square() else A.T @ A).changed(stored))

    def solve(self, b: Value) -> Value:
        """Return x (n) of A x = b with the minimum sum of squared errors."""
        if not self.A.is_square():
            return self._projected(self.A.T @ b)
        found = self.factors.solve(b)
        return solution(found, lambda x: b - self.A @ x, lambda: self.factors.solve_transposed)

    def _projected(self, b: Value) -> Value:
        """x of AᵀA x = b."""
        found, A = self.factors.solve(b), self.A
        return solution(found, lambda x: b - A.T @ (A @ x), lambda: self.factors.solve)

    def solve_transposed(self, b: Value, beside: Value) -> Value:
        """Return the y (m) of minimum norm with Aᵀ (y - beside) = b."""
        if self.A.is_square():
            found = self.factors.solve_transposed(b)
            return beside + solution(found, lambda y: b - self.A.T @ y, lambda: self.factors.solve)
        return self.A @ self._projected(b + self.A.T @ beside)


@dataclass(frozen=True)
class DampedFit:
    """A matrix A (m x n), m ≥ n, in units in which its columns can be compared.

    Far from the loss of a rank it solves as `Fit` does. Near it the weakest direction is damped
    away, ever more: what cannot be known or done is left as it was. The switch is smooth.
    """

    B: Value  # A, each column times its unit
    unit: Value
    damping: Value
    """λ² of BᵀB + λ² 1: zero unless the minimum pivot of B is a small share of the maximum."""
    before: Value  # y (m) as it was: what the weakest direction keeps

    @classmethod
    def of(cls, A: Value, unit: Value, near: Value, before: Value) -> Self:
        """Factorise A; the minimum pivot is damped below the share `near` of the maximum one."""
        B = A * ca.repmat(unit.T, A.shape[0], 1)
        square = B if B.is_square() else B.T @ B
        _, least, greatest = solve_with_pivots(square, ca.DM.zeros(B.shape[1]))
        if square is not B:
            least, greatest = ca.sqrt(least), ca.sqrt(greatest)
        missing = ca.fmax(0, 1 - (least / (near * greatest)) ** 2)
        return cls(B, unit, (near * greatest) ** 2 * missing, before)

    def solve(self, b: Value) -> Value:
        """x (n) of A x = b, without what the weakest direction would take of it."""
        return self.unit * self._solve(self.B.T @ b)

    def solve_transposed(self, b: Value, beside: Value) -> Value:
        """y (m) of Aᵀ (y - beside) = b, as it was in the weakest direction."""
        return self.before + self.B @ self._solve(self.unit * b + self.B.T @ (beside - self.before))

    def _solve(self, b: Value) -> Value:
        K = self.B.T @ self.B + self.damping * ca.DM.eye(self.B.shape[1])
        return solve_symmetric(K, b)
