"""All poses of machines held by few distances: translating ones (2), planar ones (2 or 6).

Both are systems of quadratic equations in complex numbers, of which all solutions are known as
roots of a polynomial. Kantorovich's theorem proves that a solution is near an approximate one: with
β >= |J⁻¹|, η >= |J⁻¹ F| and a Lipschitz constant L of J, if h = β η L <= 1/2 there is exactly one
within (1 + √(1 - 2h)) / (β L), and it is within (1 - √(1 - 2h)) / (β L) [Ortega 1968].
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.kinematics.assembly.held_motors import Distances
from gough.kinematics.size import machine_size
from gough.poses import difference, pose
from gough.poses.quaternions import of_rotation_vector, product, rotated
from gough.robot import Mechanism

ROUNDING = 2.0**-46
"""Rounding error of an equation's value, relative to the sum of its terms' sizes."""
_STEPS = 10
_FLAT = 1e-13
"""Fraction of a polynomial's maximum coefficient that counts as zero."""
_SMALL = 1e-10
"""Determinant of the platform's linear conditions below which it is undetermined."""


@dataclass(frozen=True)
class Conditions:
    """Quadratic equations F(x) = 0 in n complex numbers, with real poses among their solutions.

    F_i = Σ_k (α_ik · x̃)(β_ik · x̃) - s_i, products of linear forms of x̃ = (x, 1).
    """

    forms: tuple[AnyArray, AnyArray]
    """(n, k, n + 1) α, and β."""
    squares: Array
    """(n) s."""
    lipschitz: float
    """L with |J(x) - J(y)| <= L |x - y|, of the Jacobian J of F."""
    mirror: tuple[int, ...]
    """(n) numbers in x whose conjugates are the conjugate solution: itself if it is real."""
    degree: int
    """Maximum number of solutions."""
    starts: list[AnyArray]
    """Approximate solutions, as many as there are finite ones."""

    def values(self, x: AnyArray) -> tuple[AnyArray, Array]:
        """F, and the sum of the sizes of each equation's terms."""
        A, B = (form @ [*x, 1] for form in self.forms)
        A_size, B_size = (np.abs(form) @ np.abs([*x, 1]) for form in self.forms)
        return (A * B).sum(1) - self.squares, (A_size * B_size).sum(1) + self.squares

    def jacobian(self, x: AnyArray) -> AnyArray:
        """J of F."""
        first, second = self.forms
        A, B = (form @ [*x, 1] for form in self.forms)
        return np.asarray((A[..., None] * second + B[..., None] * first).sum(1)[:, :-1])


@dataclass(frozen=True)
class Solution:
    """A solution: approximate numbers, and its certificates."""

    x: AnyArray
    radius: float
    """Proved bound of the distance to the exact one; infinite if there is no proof."""
    real: bool
    """Whether it is real: proved, or to rounding error if there is no proof."""
    decided: bool
    """Whether it is proved that it is real, or that it is not."""


def solutions(conditions: Conditions) -> list[Solution]:
    """Return all finite solutions, refined by Newton's method."""
    return [_solved(conditions, x) for x in conditions.starts]


def are_different(found: list[Solution]) -> bool:
    """Whether it is proved that no two of these are the same."""
    return all(np.linalg.norm(a.x - b.x) > a.radius + b.radius for a, b in combinations(found, 2))


def _solved(conditions: Conditions, x: AnyArray) -> Solution:
    for _ in range(_STEPS):
        step = np.linalg.lstsq(conditions.jacobian(x), conditions.values(x)[0], rcond=None)[0]
        x = x - step
        if np.linalg.norm(step) <= ROUNDING * np.linalg.norm(x):
            break
    F, sizes = conditions.values(x)
    weakest = np.linalg.svd(conditions.jacobian(x), compute_uv=False)[-1]
    apart = float(np.linalg.norm(np.conj(x[list(conditions.mirror)]) - x))
    beta = (1 + 1e-6) / weakest if weakest > 0 else np.inf
    eta = beta * (np.linalg.norm(F) + ROUNDING * np.linalg.norm(sizes))
    h = beta * eta * conditions.lipschitz
    if not h < 0.25:
        return Solution(x, np.inf, apart < 1e-6, decided=False)
    root = np.sqrt(1 - 2 * h)
    alone = (1 + root) / (beta * conditions.lipschitz)
    radius = 2 * eta / (1 + root)
    real = radius + apart < alone
    return Solution(x, float(radius), bool(real), bool(real or apart > 2 * radius))


def spheres(c: Array, r: Array) -> Conditions:
    """A point p at distances r (3) from three others c (3, 3): |p - c|² = r² [over some length].

    Starts are the intersections of a sphere with the line of two planes.
    """
    A = 2 * (c[1:] - c[0])
    b = (c[1:] ** 2).sum(1) - (c[0] ** 2).sum() - r[1:] ** 2 + r[0] ** 2
    along, starts = np.cross(A[0], A[1]), []
    if np.linalg.norm(along) > _SMALL * np.linalg.norm(A[0]) * np.linalg.norm(A[1]):
        along /= np.linalg.norm(along)
        foot = np.linalg.lstsq(A, b - A @ c[0], rcond=None)[0]
        half = np.sqrt(complex(r[0] ** 2 - foot @ foot))
        starts = [c[0] + foot + sign * half * along for sign in (1, -1)]
    form = np.concatenate([np.tile(np.eye(3), (3, 1, 1)), -c[:, :, None]], 2)  # p - c
    return Conditions((form, form), r**2, 2 * float(np.sqrt(3.0)), (0, 1, 2), 2, starts)


def circles(a: AnyArray, b: AnyArray, d: Array) -> Conditions:
    """A body in a plane, three points b of which are at distances d from three others a.

    In complex numbers, with z = exp(iθ): (P + z b - a)(P̄ + z̄ b̄ - ā) = d². P̄ and z̄ are separate
    unknowns, x = (P, P̄, z, z̄), so that all is polynomial, and z z̄ = 1. The first a and b are zero;
    if the first distance is zero too, P = 0 and P̄ = 0, and one other point determines the rest.
    """
    one, none, e = np.ones(len(a)), np.zeros(len(a)), np.eye(5)
    first = [*np.column_stack([one, none, b, none, -a]), e[2]]
    second = [*np.column_stack([none, one, none, np.conj(b), -np.conj(a)]), e[3]]
    squares, pinned = [*d**2, 1.0], bool(d[0] == 0)
    if pinned:
        first, second = [e[0], e[1], *first[1:]], [e[4], e[4], *second[1:]]
        squares = [0.0, *squares]
    starts = _pinned_starts(a[1], b[1], d[1]) if pinned else _circle_starts(a[1:], b[1:], d)
    # of rows α(δ) β + β(δ) α with |α| = |β| = √(1 + |b|²), and of the last one
    lipschitz = float(np.sqrt(((1 + np.abs(b) ** 2) ** 2).sum() + 1))
    forms, degree = (np.array(first)[:, None], np.array(second)[:, None]), 2 if pinned else 6
    return Conditions(forms, np.array(squares), lipschitz, (1, 0, 3, 2), degree, starts)


def _pinned_starts(a: complex, b: complex, d: float) -> list[AnyArray]:
    roots = _roots([-b * np.conj(a), abs(a) ** 2 + abs(b) ** 2 - d**2, -np.conj(b) * a])
    return [np.array([0, 0, z, 1 / z]) for z in roots if z]


def _circle_starts(a: AnyArray, b: AnyArray, d: Array) -> list[AnyArray]:
    """x from the roots z of a polynomial without P and P̄, where these are determined."""
    none = np.zeros(2)  # coefficients of P, P̄, 1 in z⁻¹, 1, z: conditions 2, 3 minus the first one
    middle = np.abs(a) ** 2 + np.abs(b) ** 2 - d[1:] ** 2 + d[0] ** 2
    p2, p3 = of_p = np.array([np.conj(b), -np.conj(a), none]).T
    c2, c3 = of_conj = np.array([none, -a, b]).T
    r2, r3 = rest = np.array([-np.conj(b) * a, middle, -b * np.conj(a)]).T
    times = np.convolve
    D = times(p2, c3) - times(p3, c2)  # P = N_P / D, P̄ = N_P̄ / D
    N_p = times(r3, c2) - times(r2, c3)
    N_conj = times(p3, r2) - times(p2, r3)
    resultant = times(N_p, N_conj) - d[0] ** 2 * times(D, D)  # from z⁻⁴ to z⁴
    found = []
    for z in _roots(resultant[1:-1][::-1]):  # the outermost are zero
        if z:
            M = np.column_stack([rows @ [1 / z, 1, z] for rows in (of_p, of_conj)])
            if abs(np.linalg.det(M)) > _SMALL * np.abs(M).max() ** 2:
                place = np.linalg.solve(M, -rest @ [1 / z, 1, z])
                found.append(np.array([*place, z, 1 / z]))
    return found


def _roots(coefficients: AnyArray | list[complex]) -> AnyArray:
    """Roots of a polynomial, highest power first; those at infinity, and at zero, left out."""
    c = np.asarray(coefficients, dtype=complex)
    c = np.where(np.abs(c) > _FLAT * np.abs(c).max(initial=0.0), c, 0)
    return np.roots(c)


_SAME = 1e-9
"""Difference, in machine sizes, below which spheres or poses are the same."""
_FITS = 1e-9
"""Maximum residual of a pose, in machine sizes."""
_ROUNDING = 1e-14
"""Difference of squares, relative to their sum, that counts as zero."""
_TWICE = 1e-5
"""Distance below which solutions without proof coincide, at a singular pose."""

Modes = dict[str, Any]
"""Facts of `AssemblyModes`: poses (n, 7), nearest to home first, errors, and counts of all."""


def translating_modes(robot: Mechanism, held: Distances) -> Modes:
    """Find poses of a machine that only translates: where three spheres meet."""
    unit = machine_size(robot)
    held_by = np.column_stack([held.base - held.platform, held.lengths]) / unit
    distinct = held_by[_first_of_each(held_by)]
    if len(distinct) < 3:
        raise GoughError(
            f"assembly_modes: {robot.name}: {len(distinct)} spheres hold the platform; expected "
            "three. forward_kinematics finds the pose near a guess"
        )
    conditions = spheres(distinct[:3, :3], distinct[:3, 3])

    def placed(x: AnyArray) -> Array:
        return pose(unit * x.real, quaternion=robot.home[3:])

    return _modes(robot, held, conditions, placed, unit, arm=0.0, more=len(distinct) > 3)


def planar_modes(robot: Mechanism, held: Distances) -> Modes:
    """Find poses of a planar machine, from three circles, or a hinge and a circle."""
    n, unit, home = held.normal, machine_size(robot), np.array(robot.home)
    assert n is not None
    radii = _radii(robot, held.lengths, np.abs((home[:3] + held.platform - held.base) @ n))
    order = np.argsort(radii != 0, kind="stable")  # a hinge first
    base, platform, d = held.base[order], held.platform[order], radii[order] / unit
    across = np.eye(3)[np.argmin(np.abs(n))]
    x = np.cross(across, n) / np.linalg.norm(np.cross(across, n))
    plane = np.array([x, np.cross(n, x)])
    a, b = ((points / unit) @ plane.T @ [1, 1j] for points in (base, platform))
    count = 2 if d[0] == 0 else 3
    if len(d) < count:
        raise GoughError(
            f"assembly_modes: {robot.name}: {len(d)} distances hold the platform; expected three, "
            "or a hinge and one. forward_kinematics finds the pose near a guess"
        )
    first = slice(0, count)
    conditions = circles(a[first] - a[0], b[first] - b[0], d[first])

    def placed(x: AnyArray) -> Array:
        P, _, z, _ = x
        turn = of_rotation_vector(np.angle(z) * n)
        origin = P + a[0] - z / abs(z) * b[0]
        place = unit * np.array([origin.real, origin.imag]) @ plane + (home[:3] @ n) * n
        return pose(place, quaternion=product(turn, home[3:]))

    return _modes(robot, held, conditions, placed, unit, float(abs(b[0])), more=len(d) > count)


def _radii(robot: Mechanism, lengths: Array, across: Array) -> Array:
    """Distances of the ends of legs in the plane [m]; zero, but for rounding errors, of hinges."""
    squares, rounding = lengths**2 - across**2, _ROUNDING * (lengths**2 + across**2)
    short = np.flatnonzero(squares < -rounding)
    if short.size:
        k = short[0]
        raise GoughError(
            f"assembly_modes: {robot.name}: leg {k + 1} is {lengths[k]:.6g} m long and its joints "
            f"are {across[k]:.6g} m apart across the plane; expected a leg that is not shorter"
        )
    return np.sqrt(np.where(squares <= rounding, 0.0, squares))


def _modes(
    robot: Mechanism,
    held: Distances,
    conditions: Conditions,
    placed: Callable[[AnyArray], Array],
    unit: float,
    arm: float,
    more: bool,
) -> Modes:
    found = solutions(conditions)
    proved = [s for s in found if np.isfinite(s.radius)]
    real, multiplicity = _real(found)
    poses = np.array([placed(s.x) for s in real]).reshape(-1, 7)
    residual = _residual(robot, held, poses)
    fits = residual < _FITS * unit if more else np.full(len(real), True)
    decided = len(proved) == conditions.degree and all(s.decided for s in proved)
    order = nearest_first(poses, np.array(robot.home), unit)
    order = order[fits[order]]
    error = np.array([np.inf if more else s.radius for s in real])[order]
    return {
        "poses": poses[order],
        "residual": residual[order],
        "position_error": unit * (1 + arm) * error,
        "angle_error": np.pi * error,
        "certified": np.isfinite(error),
        "multiplicity": multiplicity[order],
        "self_motion": np.zeros(len(order), dtype=bool),
        "degree": conditions.degree,
        "n_complex": len(found),
        "n_proved": len(proved),
        "n_infinite": conditions.degree - len(found),
        "n_on_curves": 0,
        "n_lost": 0,
        "complete": decided and are_different(proved) and not more,
    }


def nearest_first(poses: Array, home: Array, unit: float) -> AnyArray:
    """Order of poses by their distance from home: the translation over the unit plus the angle."""
    step = difference(poses, home)
    way, turn = (np.linalg.norm(part, axis=-1) for part in (step[:, :3], step[:, 3:]))
    return np.asarray((way / unit + turn).argsort(kind="stable"))


def _real(found: list[Solution]) -> tuple[list[Solution], AnyArray]:
    """The real solutions, those without proof only once, and their multiplicities."""
    distinct: list[Solution] = []
    counts: list[int] = []
    for s in (s for s in found if s.real):
        near = [bool(np.linalg.norm(other.x - s.x) < _TWICE) for other in distinct]
        if not np.isfinite(s.radius) and any(near):
            counts[near.index(True)] += 1
        else:
            distinct.append(s)
            counts.append(1)
    return distinct, np.array(counts, dtype=int)


def _residual(robot: Mechanism, held: Distances, poses: Array) -> Array:
    """Maximum error of the distances between points [m]."""
    home = np.array(robot.home)
    back = rotated(home[3:] * [1, -1, -1, -1] / np.linalg.norm(home[3:]), held.platform)
    points = poses[:, None, :3] + rotated(poses[:, None, 3:], back)
    apart = np.linalg.norm(points - held.base, axis=-1)
    return np.asarray(np.abs(apart - held.lengths).max(-1, initial=0.0))


def _first_of_each(rows: Array) -> list[int]:
    """Indices of the rows that differ from all before."""
    away = (np.abs(rows[:k] - row).max(axis=1, initial=0.0) for k, row in enumerate(rows))
    return [k for k, before in enumerate(away) if not (before < _SAME).any()]
