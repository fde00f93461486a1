"""Solutions of the legs' conditions: refined, certified, distinguished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import AnyArray
from gough.compiler.native.kernel import Kernel
from gough.equations.assembly.study import ARRIVED, GOING
from gough.kinematics.assembly.kernels import STEPS_PER_ROUND, numbers, pairs, refined_points

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
        parts = [part.copy() for part in self._parts()]
        for part, new in zip(parts, others._parts(), strict=True):
            part[which] = new
        return Solutions(*parts)

    def joined(self, others: Solutions) -> Solutions:
        """Return these and the others."""
        return Solutions(*map(np.concatenate, zip(self._parts(), others._parts(), strict=True)))

    def _parts(self) -> tuple[AnyArray, ...]:
        return tuple(getattr(self, name) for name in _PARTS)

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
        return np.asarray(~self.regular & (self.inverse < _SINGULAR))

    @cached_property
    def infinite(self) -> AnyArray:
        """Solutions at infinity, which are no poses: e·e is numerically zero."""
        zero = np.where(self.regular, _ZERO * self._e_size**2, _TOWARDS_INFINITY)
        return np.asarray(self.e_square < zero)

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
        return np.asarray(self.regular & (self.twins.sum(1) > 1))

    @cached_property
    def _e_size(self) -> AnyArray:
        return np.asarray(np.sqrt((np.abs(self.points[:, :4]) ** 2).sum(1)))

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


_PARTS = tuple(field.name for field in fields(Solutions))


def refine(points: AnyArray, coefficients: AnyArray, bounds: AnyArray) -> Solutions:
    """Refine approximate solutions of coefficients (6, 17), which are exact within `bounds`."""
    x, proved, *others = refined_points()(pairs(points), pairs(coefficients), bounds, threads=1)
    radius = others[0]
    return Solutions(numbers(x), (proved == 1) & (radius < _SMALL_BALL), *others)


def same(points: AnyArray, others: AnyArray) -> AnyArray:
    """Return whether projective points of length one are nearly equal: (n, m)."""
    return np.asarray(np.abs(points.conj() @ others.T) ** 2 > 1 - _NEAR**2)


def distinct(solutions: Solutions) -> tuple[AnyArray, AnyArray]:
    """Return the first one of each set of twins, and the size of each set."""
    if len(solutions) == 0:
        return np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    equal = solutions.twins
    first = np.flatnonzero(equal.argmax(1) == np.arange(len(solutions)))
    return first, equal[first].sum(1)


class Care(NamedTuple):
    """The tolerance of predictions, and the number of steps after which a path is given up."""

    tolerance: float
    most_steps: int


ATTEMPTS = (Care(2e-2, 120), Care(1e-3, 480), Care(1e-5, 1440), Care(1e-7, 3000))
"""The first attempt, and those that follow where it was not enough; the last towards infinity."""


class Paths(NamedTuple):
    """Ends of paths: points (n, 8), s, whether they arrived, and numbers of steps."""

    points: AnyArray
    s: AnyArray
    arrived: AnyArray
    steps: AnyArray


def follow(kernel: Kernel, starts: AnyArray, moving: Sequence[AnyArray], care: Care) -> Paths:
    """Follow paths from their starts at s = 0 until they arrive at s = 1, or get stuck.

    `moving` are the kernel's parameters, which change along the paths.
    """
    n, given = len(starts), (*moving, np.array(care.tolerance))
    x, zeros = pairs(starts), np.zeros(n)
    *state, steps, status = kernel(x, zeros, x, zeros, np.ones(n), *given, threads=1)
    points, s, ended, going = state[0], state[1], status, np.arange(n)
    for _ in range(STEPS_PER_ROUND, care.most_steps, STEPS_PER_ROUND):
        on = (ended == GOING).nonzero()[0]
        if not len(on):
            break
        on = on[state[1][on].argsort()]  # those that arrive together go side by side
        going = going[on]
        *state, taken, ended = kernel(*(p[on] for p in state), *given, threads=1)
        points[going], s[going], status[going] = state[0], state[1], ended
        steps[going] += taken
    return Paths(numbers(points), s, status == ARRIVED, steps)


_ENDED = 1e-4
"""Remaining part of a path, below which a stuck path has come to a singular solution."""
_AT_INFINITY = 1e-14
"""|e·e| of points of length one, above which an infinite end may be only far away."""


@dataclass(frozen=True)
class Endpoints:
    """Solutions at the end of paths.

    `regular` are finite and distinct; `singular` are finite and may repeat. Besides, numbers of
    paths: to infinity, lost, and how many of those to infinity may have ended only far away.
    """

    regular: Solutions
    singular: Solutions
    n_infinite: int
    n_lost: int
    n_doubtful: int

    @property
    def all_proved(self) -> bool:
        """Whether every path has come to a regular solution of its own, beyond doubt.

        Then there is nothing else: every connected set of solutions has an end of a path.
        """
        elsewhere = len(self.singular) + self.n_infinite + self.n_lost
        return elsewhere == 0 and bool(self.regular.proved.all())

    @property
    def without_proof(self) -> AnyArray:
        """The ends (n, 8) that are singular, or nearly so."""
        return np.concatenate([self.regular.points[~self.regular.proved], self.singular.points])


def endpoints(
    kernel: Kernel,
    starts: AnyArray,
    moving: Sequence[AnyArray],
    coefficients: AnyArray,
    bounds: AnyArray,
) -> Endpoints:
    """Follow paths to the solutions of `coefficients`.

    Paths whose end is not proved, or the same as that of another path, are followed again with more
    care; those that come to a singular solution, or to the same regular one, with even more.
    """

    def followed(which: AnyArray | slice, care: Care) -> tuple[Solutions, AnyArray]:
        """Solutions at the end of paths, and which paths have come to their end."""
        paths = follow(kernel, starts[which], moving, care)
        return refine(paths.points, coefficients, bounds), paths.arrived | (paths.s > 1 - _ENDED)

    solutions, ended = followed(slice(None), ATTEMPTS[0])
    if ended.all() and solutions.all_plain:
        return Endpoints(solutions, solutions[:0], 0, 0, 0)
    known = solutions.proved
    for care in ATTEMPTS[1:]:
        good = ended & known & ~solutions.repeated
        if care == ATTEMPTS[-1]:
            good |= solutions.e_square > _TOWARDS_INFINITY
        if good.all():
            break
        again = np.flatnonzero(~good)
        better, ended[again] = followed(again, care)
        solutions = solutions.replaced(again, better)
        sure = solutions.infinite & (solutions.e_square <= _AT_INFINITY)
        known = sure & ~solutions.failed | solutions.regular
    return _sorted(solutions, ended)


def _sorted(solutions: Solutions, ended: AnyArray) -> Endpoints:
    """Sort ends: one with several paths that is not proved regular is singular."""
    ended = ended & ~solutions.failed
    infinite = solutions.infinite & ended
    finite = ended & ~infinite
    ordinary = finite & solutions.regular & (solutions.proved | ~solutions.repeated)
    regular = solutions if ordinary.all() else solutions[ordinary]
    singular = solutions[finite & ~ordinary]
    first, _ = distinct(regular)
    n_infinite = int(infinite.sum())
    n_lost = len(solutions) - len(first) - len(singular) - n_infinite
    n_doubtful = int((infinite & (solutions.e_square > _AT_INFINITY)).sum())
    once = regular if len(first) == len(regular) else regular[first]
    return Endpoints(once, singular, n_infinite, n_lost, n_doubtful)
