"""All poses of machines held by few distances: translating ones (2), planar ones (2 or 6).

Both are systems of quadratic equations in complex numbers, of which all solutions are known as
roots of a polynomial. Kantorovich's theorem proves that a solution is near an approximate one: with
β >= |J⁻¹|, η >= |J⁻¹ F| and a Lipschitz constant L of J, if h = β η L <= 1/2 there is exactly one
within (1 + √(1 - 2h)) / (β L), and it is within (1 - √(1 - 2h)) / (β L) [Ortega 1968].
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.kinematics.assembly.held_motors import Distances
from gough.kinematics.size import machine_size
from gough.poses import pose
from gough.poses.quaternions import of_rotation_vector, product, rotated
from gough.robot import Mechanism

ROUNDING = 2.0**-46
"""Rounding error of an equation's value, relative to the sum of its terms' sizes."""
_STEPS = 10
_FLAT = 1e-13
"""Fraction of a polynomial's maximum coefficient that counts as zero."""
_SMALL = 1e-10
"""Determinant of the platform's linear conditions below which it is undetermined."""


class Conditions(ABC):
    """Quadratic equations F(x) = 0 in complex numbers, with real poses among their solutions."""

    degree: int
    """Maximum number of solutions."""

    @abstractmethod
    def starts(self) -> list[AnyArray]:
        """Return approximate solutions, as many as there are finite ones."""

    @abstractmethod
    def values(self, x: AnyArray) -> tuple[AnyArray, Array]:
        """F, and the sum of the sizes of each equation's terms."""

    @abstractmethod
    def jacobian(self, x: AnyArray) -> AnyArray:
        """J of F."""

    @property
    @abstractmethod
    def lipschitz(self) -> float:
        """L with |J(x) - J(y)| <= L |x - y|."""

    @abstractmethod
    def mirrored(self, x: AnyArray) -> AnyArray:
        """Return the conjugate solution of x: itself if it is real."""


@dataclass(frozen=True)
class Solution:
    """A solution: approximate numbers, and its certificates."""

    x: AnyArray
    radius: float
    """Proved bound of the distance to the exact one; infinite if there is no proof."""
    alone: float
    """Proved radius without another solution; zero if there is no proof."""
    real: bool
    """Whether it is real: proved, or to rounding error if there is no proof."""
    decided: bool
    """Whether it is proved that it is real, or that it is not."""


def solutions(conditions: Conditions) -> list[Solution]:
    """Return all finite solutions, refined by Newton's method."""
    return [_judged(conditions, _refined(conditions, x)) for x in conditions.starts()]


def are_different(found: list[Solution]) -> bool:
    """Whether it is proved that no two of these are the same."""
    return all(
        np.linalg.norm(a.x - b.x) > a.radius + b.radius
        for k, a in enumerate(found)
        for b in found[:k]
    )


def _refined(conditions: Conditions, x: AnyArray) -> AnyArray:
    for _ in range(_STEPS):
        step = np.linalg.lstsq(conditions.jacobian(x), conditions.values(x)[0], rcond=None)[0]
        x = x - step
        if np.linalg.norm(step) <= ROUNDING * np.linalg.norm(x):
            break
    return x


def _judged(conditions: Conditions, x: AnyArray) -> Solution:
    F, sizes = conditions.values(x)
    J = conditions.jacobian(x)
    weakest = np.linalg.svd(J, compute_uv=False)[-1]
    apart = float(np.linalg.norm(conditions.mirrored(x) - x))
    if not weakest > 0:
        return Solution(x, np.inf, 0.0, apart < 1e-6, decided=False)
    beta = (1 + 1e-6) / weakest
    eta = beta * (np.linalg.norm(F) + ROUNDING * np.linalg.norm(sizes))
    h = beta * eta * conditions.lipschitz
    if not h < 0.25:
        return Solution(x, np.inf, 0.0, apart < 1e-6, decided=False)
    root = np.sqrt(1 - 2 * h)
    alone = (1 + root) / (beta * conditions.lipschitz)
    radius = 2 * eta / (1 + root)
    real = radius + apart < alone
    return Solution(x, float(radius), float(alone), bool(real), bool(real or apart > 2 * radius))


@dataclass(frozen=True)
class Spheres(Conditions):
    """A point p at given distances from three others: |p - c|² = r² [all over a unit of length]."""

    centers: Array
    radii: Array
    degree = 2

    def starts(self) -> list[AnyArray]:
        """Return the intersections of a sphere with the line of two planes."""
        c, r = self.centers, self.radii
        A = 2 * (c[1:] - c[0])
        b = (c[1:] ** 2).sum(1) - (c[0] ** 2).sum() - r[1:] ** 2 + r[0] ** 2
        along = np.cross(A[0], A[1])
        if not np.linalg.norm(along) > _SMALL * np.linalg.norm(A[0]) * np.linalg.norm(A[1]):
            return []
        along /= np.linalg.norm(along)
        foot = np.linalg.lstsq(A, b - A @ c[0], rcond=None)[0]
        half = np.sqrt(complex(r[0] ** 2 - foot @ foot))
        return [c[0] + foot + sign * half * along for sign in (1, -1)]

    def values(self, x: AnyArray) -> tuple[AnyArray, Array]:
        """(p - c)·(p - c) - r²."""
        away = x - self.centers
        sizes = ((np.abs(x) + np.abs(self.centers)) ** 2).sum(1) + self.radii**2
        return (away * away).sum(1) - self.radii**2, sizes

    def jacobian(self, x: AnyArray) -> AnyArray:
        """2 (p - c)."""
        return np.asarray(2 * (x - self.centers))

    @property
    def lipschitz(self) -> float:
        """2 √3."""
        return 2 * float(np.sqrt(3.0))

    def mirrored(self, x: AnyArray) -> AnyArray:
        """The conjugate."""
        return np.conj(x)


@dataclass(frozen=True)
class CircleConditions(Conditions):
    """A body in a plane, three points of which are at given distances from three others.

    In complex numbers, with z = exp(iθ): (P + z b - a)(P̄ + z̄ b̄ - ā) = d². P̄ and z̄ = 1/z are
    separate unknowns, x = (P, P̄, z, z̄), so that all is polynomial. The first a and b are zero; if
    the first distance is zero too, one of the two remaining conditions is P = 0.
    """

    a: AnyArray
    b: AnyArray
    d: Array

    @property
    def degree(self) -> int:  # type: ignore[override]
        """Maximum number of solutions."""
        return 2 if self._is_pinned else 6

    @property
    def _is_pinned(self) -> bool:
        return bool(self.d[0] == 0)

    def starts(self) -> list[AnyArray]:
        """Return solutions from the roots z of a polynomial without P and P̄."""
        if self._is_pinned:
            a, b, d = self.a[1], self.b[1], self.d[1]
            roots = _roots([-b * np.conj(a), abs(a) ** 2 + abs(b) ** 2 - d**2, -np.conj(b) * a])
            return [np.array([0, 0, z, 1 / z]) for z in roots if z]
        found = [self._with_place(z) for z in _roots(self._resultant()) if z]
        return [x for x in found if x is not None]

    def _linear(self) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Coefficients of P, P̄ and 1, in z⁻¹, 1, z, of conditions 2 and 3 minus the first one."""
        a, b, d = self.a[1:], self.b[1:], self.d
        none = np.zeros(2)
        of_p = np.array([np.conj(b), -np.conj(a), none]).T
        of_conj = np.array([none, -a, b]).T
        middle = np.abs(a) ** 2 + np.abs(b) ** 2 - d[1:] ** 2 + d[0] ** 2
        rest = np.array([-np.conj(b) * a, middle, -b * np.conj(a)]).T
        return of_p, of_conj, rest

    def _resultant(self) -> AnyArray:
        """The polynomial in z, highest power first: N_P N_P̄ - d² D² of P = N_P/D, P̄ = N_P̄/D."""
        (p2, p3), (c2, c3), (r2, r3) = self._linear()
        times = np.convolve
        D = times(p2, c3) - times(p3, c2)
        N_p = times(r3, c2) - times(r2, c3)
        N_conj = times(p3, r2) - times(p2, r3)
        found = times(N_p, N_conj) - self.d[0] ** 2 * times(D, D)  # from z⁻⁴ to z⁴
        return np.asarray(found[1:-1][::-1])  # the outermost are zero

    def _with_place(self, z: complex) -> AnyArray | None:
        """x at a root z; None where the conditions do not determine P."""
        of_p, of_conj, rest = (rows @ [1 / z, 1, z] for rows in self._linear())
        M = np.column_stack([of_p, of_conj])
        if not abs(np.linalg.det(M)) > _SMALL * np.abs(M).max() ** 2:
            return None
        return np.array([*np.linalg.solve(M, -rest), z, 1 / z])

    def values(self, x: AnyArray) -> tuple[AnyArray, Array]:
        """The conditions, and z z̄ - 1."""
        P, Q, z, w = x
        A, B = P + z * self.b - self.a, Q + w * np.conj(self.b) - np.conj(self.a)
        A_size = abs(P) + abs(z) * np.abs(self.b) + np.abs(self.a)
        B_size = abs(Q) + abs(w) * np.abs(self.b) + np.abs(self.a)
        F, sizes = A * B - self.d**2, A_size * B_size + self.d**2
        first, first_sizes = ([P, Q], [abs(P), abs(Q)]) if self._is_pinned else ([], [])
        start = int(self._is_pinned)
        return (
            np.array([*first, *F[start:], z * w - 1]),
            np.array([*first_sizes, *sizes[start:], abs(z * w) + 1]),
        )

    def jacobian(self, x: AnyArray) -> AnyArray:
        """By P, P̄, z and z̄."""
        P, Q, z, w = x
        A, B = P + z * self.b - self.a, Q + w * np.conj(self.b) - np.conj(self.a)
        rows = np.column_stack([B, A, self.b * B, np.conj(self.b) * A])
        last = np.array([0, 0, w, z])
        if self._is_pinned:
            return np.vstack([np.eye(4)[:2], rows[1:], last])
        return np.vstack([rows, last])

    @property
    def lipschitz(self) -> float:
        """Bound of rows α(δ) β + β(δ) α with |α| = |β| = √(1 + |b|²), and of the last one."""
        return float(np.sqrt(((1 + np.abs(self.b) ** 2) ** 2).sum() + 1))

    def mirrored(self, x: AnyArray) -> AnyArray:
        """P and P̄, z and z̄ exchanged, and all conjugate."""
        return np.conj(x[[1, 0, 3, 2]])


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


@dataclass(frozen=True)
class FewModes:
    """Poses (n, 7) with residuals [m], error bounds [m, rad] and multiplicity; counts of all."""

    poses: Array
    residual: Array
    position_error: Array
    angle_error: Array
    multiplicity: AnyArray
    degree: int
    n_complex: int
    n_proved: int
    complete: bool


def translating_modes(robot: Mechanism, held: Distances) -> FewModes:
    """Find poses of a machine that only translates: where three spheres meet."""
    unit = machine_size(robot)
    spheres = np.column_stack([held.base - held.platform, held.lengths]) / unit
    distinct = spheres[_first_of_each(spheres)]
    if len(distinct) < 3:
        raise GoughError(
            f"assembly_modes: {robot.name}: {len(distinct)} spheres hold the platform; expected "
            "three. forward_kinematics finds the pose near a guess"
        )
    conditions = Spheres(distinct[:3, :3], distinct[:3, 3])

    def placed(x: AnyArray) -> Array:
        return pose(unit * x.real, quaternion=robot.home[3:])

    return _modes(robot, held, conditions, placed, unit, arm=0.0, more=len(distinct) > 3)


def planar_modes(robot: Mechanism, held: Distances) -> FewModes:
    """Find poses of a planar machine, from three circles, or a hinge and a circle."""
    n, unit, home = held.normal, machine_size(robot), np.array(robot.home)
    assert n is not None
    across_plane = np.abs((home[:3] + held.platform - held.base) @ n)
    radii = _radii(robot, held.lengths, across_plane)
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
    conditions = CircleConditions(a[first] - a[0], b[first] - b[0], d[first])

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
) -> FewModes:
    found = solutions(conditions)
    proved = [s for s in found if np.isfinite(s.radius)]
    real, multiplicity = _real(found)
    unproved = np.inf if more else 0.0
    poses = np.array([placed(s.x) for s in real]).reshape(-1, 7)
    residual = _residual(robot, held, poses)
    fits = residual < _FITS * unit if more else np.full(len(real), True)
    radius = np.array([s.radius for s in real])
    decided = len(proved) == conditions.degree and all(s.decided for s in proved)
    return FewModes(
        poses[fits],
        residual[fits],
        unit * (1 + arm) * radius[fits] + unproved,
        np.pi * radius[fits] + unproved,
        multiplicity[fits],
        conditions.degree,
        len(found),
        len(proved),
        decided and are_different(proved) and not more,
    )


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
    return [
        k
        for k, row in enumerate(rows)
        if not (np.abs(rows[:k] - row).max(axis=1, initial=0.0) < _SAME).any()
    ]
