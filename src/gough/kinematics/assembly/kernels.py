"""Compiled kernels on Study coordinates: following paths, refining and proving solutions.

Complex arrays enter and leave as pairs of reals along a last axis of two. The kernels know no
machine: coefficients are inputs. They are compiled when first used.
"""

from collections.abc import Callable

import casadi as ca
import numpy as np

from gough.arrays import AnyArray
from gough.compiler import Argument, Function, Kernel, compiled, remembered
from gough.compiler.front.function import iterate
from gough.equations.assembly import study
from gough.equations.assembly.study import N_MONOMIALS, ROUNDING, LinearAlgebra, Pencil
from gough.equations.solvers import complex_number
from gough.equations.solvers.complex_number import Complex, from_pairs, real, side_by_side, to_pairs
from gough.equations.spatial.algebra import Value, norm, position, rotation

LEGS = 6
"""Number of conditions, one for each leg: that of the degrees of freedom of a pose."""
STEPS_PER_ROUND = 6
"""Number of steps of a path before finished paths are removed from the batch."""
REFINEMENTS = 25
"""Maximum number of steps: towards a double solution each step halves the error."""
_LONGEST_REFINEMENT = 0.1
"""Maximum step; near the end of a path, longer ones lead to other solutions."""

_MINORS, _SHAPE = slice(10, 16), slice(1, 16)
"""Columns of the minors g_i e_j - g_j e_i, and of all coefficients but those of e·e and g·g."""
_DIFFERENCES = np.linalg.qr(np.eye(LEGS) - 1 / LEGS)[0][:, :-1].T
"""Five orthonormal rows without a sum."""
_FLAT, _ONE = 1e-30, np.eye(LEGS - 1)

_POINT = Argument("x", (8, 2), "", "Study coordinates, of length one")
_COEFFICIENTS = Argument("c", (LEGS, N_MONOMIALS, 2), "", "coefficients of the conditions")
_STATE = (
    _POINT,
    Argument("s", (), "", "parameter of the path, 0 to 1"),
    Argument("last_x", (8, 2), "", "the last corrected point"),
    Argument("last_s"),
    Argument("boldness", (), "", "fraction of a normal step that is tried"),
)

_COLUMN = (Argument("start", (LEGS, 2)), Argument("end", (LEGS, 2)))
"""Coefficients of e·e at both ends of a path, which are complex: those of the lengths."""


@compiled
def section_paths() -> Kernel:
    """Follow solutions from one machine to another, by `mixed` coefficients of both."""
    inputs = (Argument("rows", (LEGS, N_MONOMIALS)), Argument("rows_end", (LEGS, N_MONOMIALS)))

    def pencil(rows: Value, rows_end: Value, start: Value, end: Value) -> Pencil:
        first = _mixed_matrix(rows, start)
        return Pencil(first, _mixed_matrix(rows_end, end) - first)

    return _follower("section_paths", pencil, (*inputs, *_COLUMN))


@compiled
def length_paths() -> Kernel:
    """Follow solutions of one machine, by `mixed` coefficients, while only lengths change."""

    def pencil(rows: Value, start: Value, end: Value) -> Pencil:
        rest = Complex(*(ca.SX(LEGS, N_MONOMIALS - 1) for _ in range(2)))
        change = side_by_side(from_pairs(end) - from_pairs(start), rest)
        return Pencil(_mixed_matrix(rows, start), change)

    return _follower("length_paths", pencil, (Argument("rows", (LEGS, N_MONOMIALS)), *_COLUMN))


@compiled
def refined_points() -> Kernel:
    """Refine points by Newton's method to the last digit, and certify the solutions.

    The phase of the results is such that the maximum entry of e is real and positive. `bounds` are
    those of the coefficients, see gough.equations.assembly.study.
    """
    linear = _linear_algebra()

    def step(x: Value, size: Value, c: Value) -> tuple[Value, ...]:
        point = from_pairs(x)
        change, new = study.newton_step(_matrix(c), point, linear)
        new_size = change.squared_norm
        better = new_size < size / 2
        done = ca.if_else(ca.logic_and(better, new_size > 1e-31), 0, 1)
        # a last step that is no longer shorter is rounding, or not to be trusted
        return to_pairs(new.selected(better, point)), new_size, done

    size = Argument("size", (), "", "squared length of the last step")
    inputs, outputs = (_POINT, size, _COEFFICIENTS), (_POINT, size, Argument("status"))
    refine = iterate(Function.from_equation("refine", step, inputs, outputs), REFINEMENTS)

    def equation(x: Value, c: Value, bounds: Value) -> tuple[Value, ...]:
        refined, *_ = refine(x, _LONGEST_REFINEMENT**2, c)
        point = _turned(from_pairs(refined))
        e = point[0:4]
        return (
            to_pairs(point),
            *study.proof(_matrix(c), bounds, point, linear),
            ca.sqrt((e.T @ e).squares),
            ca.mmax(ca.fabs(point.im)) * ca.sqrt(ca.mmax(e.squares)),
        )

    return Kernel.from_equation(
        "refined_points",
        equation,
        (_POINT, _COEFFICIENTS, Argument("bounds", (LEGS, N_MONOMIALS))),
        (
            _POINT,
            Argument("proved", (), "", "1 if there is exactly one solution within `radius`"),
            Argument("radius"),
            Argument("isolation", (), "", "radius without another solution"),
            Argument("inverse", (), "", "norm of the inverse Jacobian"),
            Argument("e_square", (), "", "absolute value of e·e"),
            Argument("imaginary", (), "", "maximum imaginary part, times the maximum |e_k|"),
        ),
    )


@compiled
def leg_rows() -> Kernel:
    """The coefficients of a leg's condition, and their bounds, from its joint centres."""

    def equation(*ends: Value) -> tuple[Value, Value]:
        return study.leg_coefficients(*ends), study.leg_coefficient_bounds(*ends)

    inputs = (Argument("base", (3,)), Argument("platform", (3,)))
    outputs = (Argument("rows", (N_MONOMIALS,)), Argument("bounds", (N_MONOMIALS,)))
    return Kernel.from_equation("leg_rows", equation, inputs, outputs)


@compiled
def poses_of_points() -> Kernel:
    """Poses of real Study points in the machine's own frames and unit, residuals and error bounds.

    With |δe|, |δg| <= 2 r, the direction of e turns by at most asin(2 r / |e|), the platform by
    twice that; and t = 2 g ē / e·e moves by at most 4 r (1 + |g| / |e|) / (|e| - 2 r).
    """

    def equation(x: Value, radius: Value, scale: Value, *places: Value) -> tuple[Value, ...]:
        centers, base, platform, q = places
        centred = study.pose_of_study_point(x)
        scaled = ca.vertcat(scale * centred[0:3], centred[3:7])
        far, arm = centers[0, :].T, centers[1, :].T
        pose = study.moved_origins(scaled, far, arm)
        legs = rotation(pose) @ platform.T + position(pose) - base.T
        residuals = [ca.fabs(norm(legs[:, k]) - q[k]) for k in range(LEGS)]
        e, g = norm(x[0:4]), norm(x[4:8])
        small = 2 * radius < e / 2
        r = ca.if_else(small, radius, 0)
        angle = 2 * ca.pi * r / e + ROUNDING  # asin(x) <= π/2 x
        moved = scale * (4 * r * (1 + g / e) / (e - 2 * r) + 2 * g / e * ROUNDING)
        error = moved + norm(arm) * angle + norm(far) * ROUNDING
        errors = (ca.if_else(small, bound * (1 + ROUNDING), ca.inf) for bound in (error, angle))
        return pose, ca.mmax(ca.vertcat(*residuals)), *errors

    inputs = (
        Argument("x", (8,)),
        Argument("radius", (), "", "error of each entry"),
        Argument("scale", (), "m", "the points' unit of length"),
        Argument("centers", (2, 3), "m", "where the points' frames are: base, platform"),
        *(Argument(name, (LEGS, 3), "m") for name in ("base", "platform")),
        Argument("q", (LEGS,), "m"),
    )
    outputs = (
        Argument("pose", (7,)),
        Argument("residual", (), "m"),
        Argument("position_error", (), "m"),
        Argument("angle_error", (), "rad"),
    )
    return Kernel.from_equation("poses_of_points", equation, inputs, outputs)


@compiled
def jacobians() -> Kernel:
    """The derivatives of the six conditions and of e·g at real points."""

    def equation(x: Value, c: Value) -> Value:
        return study.jacobian(real(c), real(x)).re

    inputs = (Argument("x", (8,)), Argument("c", (LEGS, N_MONOMIALS)))
    return Kernel.from_equation("jacobians", equation, inputs, (Argument("J", (7, 8)),))


def pairs(z: AnyArray) -> AnyArray:
    """Return complex numbers as pairs of reals along a last axis (a copy)."""
    return np.array(z, dtype=complex, order="C").view(float).reshape(*z.shape, 2)


def numbers(parts: AnyArray) -> AnyArray:
    """Return pairs of reals along the last axis as complex numbers."""
    return np.asarray(np.ascontiguousarray(parts).view(complex)[..., 0])


def orthonormal_rows(coefficients: AnyArray) -> AnyArray:
    """Return coefficients with the same solutions and orthonormal rows."""
    return np.asarray(np.linalg.qr(coefficients.conj().T)[0].conj().T)


def mixing(rows: AnyArray) -> AnyArray:
    """Return a matrix (6, 6) that mixes rows (6, 17) of legs for the kernels of paths.

    Five differences of legs are orthonormal, and have no coefficient of g·g; the last row is the
    legs' mean, without minors g_i e_j - g_j e_i, because joint centres are relative to their mean.
    Rows that depend on each other, of machines that have no assembly modes, become very long.
    """
    triangle = np.linalg.qr((_DIFFERENCES @ rows)[:, _SHAPE].T)[1].T + _FLAT * _ONE
    return np.vstack([np.linalg.solve(triangle, _DIFFERENCES), np.full(LEGS, 1 / LEGS)])


def turned_to(section: AnyArray, rows: AnyArray) -> AnyArray:
    """Return the matrix (6, 6) by which mixed rows come nearest to those of a section.

    Between the two no rows are degenerate.
    """
    turn = np.eye(LEGS)
    u, _, v = np.linalg.svd(section[:-1, _SHAPE].real @ rows[:-1, _SHAPE].T)
    turn[:-1, :-1] = u @ v
    return turn


def _mixed_matrix(rows: Value, column: Value) -> Complex:
    """Coefficients that are real but for those of e·e, without those that mixing makes zero."""
    kept = ca.SX(LEGS, N_MONOMIALS - 1)
    for leg in range(LEGS):
        last = leg == LEGS - 1
        for k in range(1, N_MONOMIALS):
            if not (_MINORS.start <= k < _MINORS.stop if last else k == N_MONOMIALS - 1):
                kept[leg, k - 1] = rows[leg, k]
    return side_by_side(from_pairs(column), real(kept))


def _follower(name: str, pencil: Callable[..., Pencil], parameters: tuple[Argument, ...]) -> Kernel:
    linear = _linear_algebra()

    def step(*given: Value) -> tuple[Value, ...]:
        x, s, last_x, last_s, boldness, *moving, tolerance = given
        state = study.PathState(from_pairs(x), s, from_pairs(last_x), last_s, boldness)
        new, status = study.path_step(pencil(*moving), state, tolerance, linear)
        return to_pairs(new.x), new.s, to_pairs(new.last_x), new.last_s, new.boldness, status

    inputs = (*_STATE, *parameters, Argument("tolerance"))
    one = Function.from_equation(f"{name}_step", step, inputs, (*_STATE, Argument("status")))
    outputs = (*_STATE, Argument("steps"), Argument("status"))
    return Kernel.from_equation(name, iterate(one, STEPS_PER_ROUND), inputs, outputs)


@remembered
def _linear_algebra() -> LinearAlgebra:
    """Linear algebra with one shared factorisation routine; solving is inlined."""
    A = (Argument("A_re", (8, 8)), Argument("A_im", (8, 8)))
    factors = (Argument("factors_re", (8, 8)), Argument("factors_im", (8, 8)))
    exchanges = Argument("exchanges", (28,))

    def factorise(re: Value, im: Value) -> tuple[Value, ...]:
        found, exchanged = complex_number.factorise(Complex(re, im))
        return found.re, found.im, exchanged

    routine = Function.from_equation("factorise", factorise, A, (*factors, exchanges))

    def call(matrix: Complex) -> tuple[Complex, Value]:
        re, im, exchanged = routine(matrix.re, matrix.im)
        return Complex(re, im), exchanged

    return LinearAlgebra(call, complex_number.solve)


def _matrix(c: Value) -> Complex:
    """A matrix from an input of _COEFFICIENTS' shape, which equations have as two long columns."""
    return Complex(*(ca.reshape(c[:, part], N_MONOMIALS, LEGS).T for part in (0, 1)))


def _turned(x: Complex) -> Complex:
    """The projective point with a phase that makes the maximum entry of e real and positive."""
    largest = x[0]
    for k in (1, 2, 3):
        largest = x[k].selected(x[k].squares > largest.squares, largest)
    phase = largest.conjugate.scaled(1 / ca.sqrt(largest.squares))
    return x * Complex(ca.repmat(phase.re, 8, 1), ca.repmat(phase.im, 8, 1))
