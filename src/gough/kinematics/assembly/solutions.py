"""Solutions of the legs' conditions: refined, certified, distinguished."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.arrays import AnyArray
from gough.kinematics.assembly.kernels import numbers, pairs, refined_points

_NEAR = 1e-5
"""Sine of the angle between points that may be the same solution."""
_SMALL_BALL = _NEAR / 8
"""Maximum useful radius: balls of this size around points that are not near are disjoint."""
_TOWARDS_INFINITY = 1e-4
"""|e·e| of points of length one, below which a singular solution counts as infinite."""
_ZERO = 1e-12
_ACCURATE = 1e-3
"""Radius above which a point that is not singular is no solution: Newton's method has failed."""
_SINGULAR = 1e8
"""Singular solutions are known to half the digits only, so that the inverse is not infinite."""


@dataclass(frozen=True)
class Solutions:
    """Points (n, 8) of length one, the maximum entry of e real, with certificates of each.

    `radius` bounds the distance of any entry from the one solution near it, for those `proved`; no
    other solution is nearer than `isolation`. `inverse` is the norm of the inverse Jacobian, large
    near singular solutions. `e_square` is |e·e|: small near infinity. `imaginary` is the maximum
    imaginary part times the maximum entry of e.
    """

    points: AnyArray
    proved: AnyArray
    radius: AnyArray
    isolation: AnyArray
    inverse: AnyArray
    e_square: AnyArray
    imaginary: AnyArray

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, which: AnyArray | slice) -> Solutions:
        """Return some of them, by a mask, by numbers or a slice."""
        return Solutions(*(part[which] for part in self._parts()))

    def replaced(self, which: AnyArray, others: Solutions) -> Solutions:
        """Return a copy with some of the points replaced."""
        parts = []
        for old, new in zip(self._parts(), others._parts(), strict=True):
            part = old.copy()
            part[which] = new
            parts.append(part)
        return Solutions(*parts)

    def joined(self, others: Solutions) -> Solutions:
        """Return these and the others."""
        parts = zip(self._parts(), others._parts(), strict=True)
        return Solutions(*map(np.concatenate, parts))

    def _parts(self) -> tuple[AnyArray, ...]:
        return (
            self.points,
            self.proved,
            self.radius,
            self.isolation,
            self.inverse,
            self.e_square,
            self.imaginary,
        )

    @cached_property
    def regular(self) -> AnyArray:
        """Proved, or with an inverse Jacobian that does not indicate a singular solution.

        Far out, where e is small, it is large anyhow: there a solution is regular if its distance
        from infinity is known.
        """
        far = (self.e_square < _TOWARDS_INFINITY) & (self.radius < 0.1 * self._e_size)
        ordinary = (self.inverse < _SINGULAR) & (self.radius < _ACCURATE)
        return self.proved | ordinary | far

    @cached_property
    def failed(self) -> AnyArray:
        """Points that are no solutions: not singular, and yet they could not be refined."""
        failed: AnyArray = ~self.regular & (self.inverse < _SINGULAR)
        return failed

    @cached_property
    def infinite(self) -> AnyArray:
        """Solutions at infinity, which are no poses: e·e is numerically zero."""
        zero = np.where(self.regular, _ZERO * self._e_size**2, _TOWARDS_INFINITY)
        infinite: AnyArray = self.e_square < zero
        return infinite

    @cached_property
    def twins(self) -> AnyArray:
        """Equal solutions (n, n): nearly equal points that are not proved to be two.

        A proved point is within √8 radii of its solution, so two of them are two solutions if they
        are farther apart than three times both radii.
        """
        near = same(self.points, self.points)
        if near.sum() == len(self):
            return near
        for i, j in np.argwhere(np.triu(near, 1)):
            if self.proved[i] and self.proved[j]:
                a, b = self.points[[i, j]]
                turn = a.conj() @ b
                apart = np.linalg.norm(b - a * turn / abs(turn))
                near[i, j] = near[j, i] = apart <= 3 * (self.radius[i] + self.radius[j])
        return near

    @property
    def all_plain(self) -> bool:
        """Whether all are proved, finite and different: the usual case, with a quick check."""
        finite = float(self.e_square.min(initial=1.0)) >= _ZERO
        return finite and bool(self.proved.all()) and int(self.twins.sum()) == len(self)

    @cached_property
    def repeated(self) -> AnyArray:
        """Regular ones that occur more than once: paths do not meet at regular solutions."""
        repeated: AnyArray = self.regular & (self.twins.sum(1) > 1)
        return repeated

    @cached_property
    def _e_size(self) -> AnyArray:
        size: AnyArray = np.sqrt((np.abs(self.points[:, :4]) ** 2).sum(1))
        return size

    @property
    def proved_radius(self) -> AnyArray:
        """The radius, infinite without proof."""
        return np.where(self.proved, self.radius, np.inf)

    @property
    def may_be_real(self) -> AnyArray:
        """Points that may be real: x_i x̄_k is real for them, and changes by at most 2 r + r².

        Here r is the radius. The other proved ones are proved not to be real.
        """
        return ~(self.imaginary > 3 * self.radius)


def refine(points: AnyArray, coefficients: AnyArray, bounds: AnyArray) -> Solutions:
    """Refine approximate solutions of coefficients (6, 17), which are exact within `bounds`."""
    x, proved, *others = refined_points()(pairs(points), pairs(coefficients), bounds, threads=1)
    radius = others[0]
    return Solutions(numbers(x), (proved == 1) & (radius < _SMALL_BALL), *others)


def same(points: AnyArray, others: AnyArray) -> AnyArray:
    """Return whether projective points of length one are nearly equal: (n, m)."""
    near: AnyArray = np.abs(points.conj() @ others.T) ** 2 > 1 - _NEAR**2
    return near


def distinct(solutions: Solutions) -> tuple[AnyArray, AnyArray]:
    """Return the first one of each set of twins, and the size of each set."""
    if len(solutions) == 0:
        return np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    equal = solutions.twins
    first = np.flatnonzero(equal.argmax(1) == np.arange(len(solutions)))
    return first, equal[first].sum(1)
