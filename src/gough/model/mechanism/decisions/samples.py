"""Random states in which the machine is assembled, found by Newton's method from home.

What is true at home may be true only there: symmetric machines are special at home. Everything
that is decided once for a machine is decided on such states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.closure import constraint_rows
from gough.equations.closure.assembled import LegPosture, posture_at
from gough.equations.closure.constraint_rows import PlatformPlacement
from gough.equations.machine import Leg
from gough.equations.spatial.algebra import Value, norm
from gough.equations.tree.joints import Prismatic
from gough.errors import RobotError
from gough.model.mechanism.legs.frames import HomeFrame
from gough.poses.quaternions import of_rotation_vector, rotation_matrix

SAMPLES = 6
STRAY = 0.15  # distance of samples from home, in radians and machine sizes
CLOSED = 1e-11  # a loop is closed when its gaps are smaller, in machine sizes and radians
RANK = 1e-8  # share of the maximum singular value below which others count as zero
LEAP = 0.5  # a larger step of Newton's method [rad, machine sizes] leads to another assembly
Start = Sequence[Array | None] | None
"""Positions of each leg's joints at home [rad, m], on another branch than that drawn."""
_STEPS = 25
_TRIES = 40


@dataclass(frozen=True, eq=False)
class _AssemblyState:
    """Each leg's positions [rad, m], and the platform's place."""

    q: list[Array]
    position: Array
    rotation: Array


@dataclass(frozen=True, eq=False)
class Sample(_AssemblyState):
    """An assembled state, with the rows of each leg.

    In A q̇ = B V lengths are in machine sizes, and directions of unit length: whether a number is
    nothing can be seen from itself.
    """

    A: list[Array]
    B: list[Array]
    scales: Array  # units of the six components of V: the machine's size, and one


class Assembler:
    """Closes the loops of a machine's legs, numerically."""

    def __init__(
        self, legs: Sequence[Leg], home: HomeFrame, size: float, start: Start = None
    ) -> None:
        self._functions = [row_function(leg) for leg in legs]
        q = [np.array([joint.at_home for joint in leg.joints]) for leg in legs]
        if start is not None:  # another branch
            q = [old if new is None else new for old, new in zip(q, start, strict=True)]
        self._home = _AssemblyState(q, home.origin, home.axes)
        joints = (joint for leg in legs for joint in leg.joints)
        lengths = [size if isinstance(joint, Prismatic) else 1.0 for joint in joints]
        self._scales = np.array([*lengths, size, size, size, 1.0, 1.0, 1.0])

    def home(self) -> Sample:
        """Return the home configuration."""
        return self._rows(self._home)[0]

    def samples(self) -> list[Sample]:
        """Random assembled states near home; farther ones may be on another branch."""
        rng, at_home = np.random.default_rng(1), np.concatenate(self._home.q)
        found: list[Sample] = []
        for _ in range(_TRIES):
            sample = self._closed(self._strayed(rng))
            if sample is not None:
                away = np.abs(np.concatenate(sample.q) - at_home) / self._scales[:-6]
                found += [sample] if away.max(initial=0.0) <= LEAP else []
            if len(found) == SAMPLES:
                return found
        raise RobotError(
            f"found {len(found)} assembled states near home in {_TRIES} tries; expected {SAMPLES}: "
            "perhaps the machine cannot move"
        )

    def tangent(self, at: Sample, along: Array | None = None) -> Array:
        """A direction of length one in which the loops stay closed, most nearly along another."""
        N = null_space(jacobian_of(at))
        step = N[:, 0] if along is None else N @ (N.T @ along)
        return np.asarray(step / np.linalg.norm(step))

    def followed(self, at: Sample, step: Array, stride: float) -> tuple[Sample, Array] | None:
        """The state a stride ahead, and its direction; None where loops cannot be closed nearby."""
        found = self._closed(self._moved(at, step * self._scales * stride / np.abs(step).max()))
        return None if found is None else (found, self.tangent(found, step))

    def _strayed(self, rng: np.random.Generator) -> _AssemblyState:
        """A random step from home in a direction in which the loops stay closed at first."""
        N = null_space(jacobian_of(self.home()))  # whose columns are any basis of it
        step = N @ (N.T @ rng.standard_normal(len(N)))
        step *= STRAY * rng.uniform(0.5, 1.0) / (np.abs(step).max() or 1.0)
        return self._moved(self._home, step * self._scales)

    def _closed(self, guess: _AssemblyState) -> Sample | None:
        """The state near a guess; one step after it is closed, so that only rounding is left."""
        for _ in range(_STEPS):
            sample, gap = self._rows(guess)
            if not np.isfinite(gap).all():
                return None
            step = np.asarray(np.linalg.lstsq(jacobian_of(sample), gap, rcond=1e-9)[0], float)
            if np.abs(step).max() > LEAP:
                return None
            guess = self._moved(guess, step * self._scales)
            if np.abs(gap).max(initial=0.0) < CLOSED:
                return self._rows(guess)[0]
        return None

    def _rows(self, guess: _AssemblyState) -> tuple[Sample, Array]:
        """The rows at a guess, and their gaps."""
        A, B, gaps, start = [], [], [], 0
        for function, q in zip(self._functions, guess.q, strict=True):
            a, b, gap, force, couple = function(q, guess.position, guess.rotation)
            unit = force * self._scales[-6] + couple
            A.append(a.reshape(len(b), len(q)) / unit)
            A[-1] *= self._scales[start : start + len(q)]
            B.append(b * self._scales[-6:] / unit)
            gaps.append((gap / unit).ravel())
            start += len(q)
        place = guess.position, guess.rotation
        return Sample(guess.q, *place, A, B, self._scales[-6:]), np.concatenate(gaps)

    def _moved(self, guess: _AssemblyState, step: Array) -> _AssemblyState:
        parts = np.split(step, np.cumsum([len(q) for q in guess.q]))
        q = [old + part for old, part in zip(guess.q, parts[:-1], strict=True)]
        turn = rotation_matrix(of_rotation_vector(parts[-1][3:]))
        return _AssemblyState(q, guess.position + parts[-1][:3], turn @ guess.rotation)


def jacobian_of(sample: Sample) -> Array:
    """[A, -B] of all legs over all joints and V."""
    n = sum(a.shape[1] for a in sample.A)
    blocks, start = [], 0
    for a, b in zip(sample.A, sample.B, strict=True):
        row = np.zeros((len(b), n + 6))
        row[:, start : start + a.shape[1]] = a
        row[:, n:] = -b
        blocks.append(row)
        start += a.shape[1]
    return np.vstack(blocks)


def null_space(J: Array, share: float = RANK, largest: float | None = None) -> Array:
    """Orthonormal columns of J's null space; σ below a share of the maximum count as zero."""
    _, sigma, Vt = np.linalg.svd(J)
    largest = sigma.max(initial=1e-300) if largest is None else largest
    return Vt[int((sigma > share * largest).sum()) :].T


def at_samples(
    legs: Sequence[Leg],
    equation: Callable[[list[LegPosture], PlatformPlacement], Sequence[Value]],
    samples: Sequence[Sample],
) -> Iterator[list[Array]]:
    """Yield what an equation of the legs' postures and the platform's place gives at samples."""
    q = [ca.SX.sym(f"q{k}", len(leg.joints)) for k, leg in enumerate(legs)]
    p, R = ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    postures = [posture_at(leg, x, p, R) for leg, x in zip(legs, q, strict=True)]
    results = [ca.densify(ca.SX(x)) for x in equation(postures, PlatformPlacement(p, R))]
    function = ca.Function("at_samples", [*q, p, R], results)
    for sample in samples:
        found = function.call([*sample.q, sample.position, sample.rotation])
        yield [np.array(result) for result in found]


def row_function(leg: Leg) -> RowFunction:
    """A, B, gaps, and how long the rows' forces and couples are, at q, position and rotation."""
    q, p, R = ca.SX.sym("q", len(leg.joints)), ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    at = posture_at(leg, q, p, R)
    held = [row for cut in at.cuts for row in cut.rows]
    A = ca.blockcat(at.rows.A) if leg.joints else ca.SX(0, 0)
    B = ca.vertcat(*constraint_rows.platform_rows(at.cuts))
    results = [
        A,
        B,
        ca.vertcat(*(row.gap for row in held)),
        ca.vertcat(*(norm(row.force) for row in held)),
        ca.vertcat(*(norm(row.couple) for row in held)),
    ]
    return RowFunction(q, p, R, [ca.densify(ca.SX(result)) for result in results])


class RowFunction:
    """A function in fixed memory: CasADi's own call takes long to read and write arrays."""

    def __init__(self, q: Value, p: Value, R: Value, results: Sequence[Value]) -> None:
        self._function = ca.Function("rows", [q, p, R], results)
        self._memory, self._evaluate = self._function.buffer()
        self._given = [np.zeros(x.numel()) for x in (q, p, R)]
        self._found = [np.zeros(x.shape[::-1]) for x in results]
        for k, array in enumerate(self._given):
            self._memory.set_arg(k, array.data)
        for k, array in enumerate(self._found):
            self._memory.set_res(k, array.data)

    def __call__(self, *values: Array) -> list[Array]:
        """A, B, gaps and lengths at q, p, R."""
        for array, value in zip(self._given, values, strict=True):
            np.copyto(array, np.reshape(value, array.shape, order="F"))
        self._evaluate()
        return [array.T.copy() for array in self._found]
