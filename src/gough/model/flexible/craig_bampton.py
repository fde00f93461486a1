"""A beam by few coordinates: Craig and Bampton's static modes and modes of fixed ends (1968).

The first end is clamped to the floating frame. The coordinates are displacement and turn of the
last end, as far as the beam yields, which bend the beam as they do at rest; then the lowest natural
modes with both ends clamped.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.flexible.shapes import Shapes
from gough.errors import GoughError, RobotError
from gough.model.flexible.beam import (
    DIRECTIONS,
    BeamStiffness,
    FlexibleLink,
    element_stiffness,
)
from gough.model.flexible.spread import Points, spread
from gough.model.mechanism.mass import Mass

NOISE = 1e-13
"""Beside the largest of its kind a smaller number is rounding error."""
ALIKE = 1e-6
"""Squares of frequencies that are nearer, beside the larger one, are those of one pair."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """A beam's stiffness and damping (n, n), points of mass, displacements of the last end (6, n).

    All by the coordinates, in the beam's axes.
    """

    stiffness: Array
    damping: Array
    points: Points
    end: Array
    names: tuple[str, ...]

    @property
    def mass_matrix(self) -> Array:
        """(n, n) [SI]."""
        return _mass_matrix(self.points)


def assembled(
    beam: BeamStiffness, points: Points, length: float, elements: int
) -> tuple[Array, Array]:
    """Stiffness and mass matrix of all nodes of a beam, nobody holding it [SI]."""
    size = 6 * (elements + 1)
    K = np.zeros((size, size))
    for element in range(elements):
        both = slice(6 * element, 6 * element + 12)
        K[both, both] += element_stiffness(beam, length / elements)
    return K, _mass_matrix(points)


def reduced(name: str, link: FlexibleLink, body: Mass, length: float) -> Reduced:
    """A beam whose body is seen from its first joint, in the beam's axes."""
    beam, modes, elements = link.stiffness, link.modes, link.elements
    if beam.torsion is not None and not np.diag(body.sigma)[1:].any():
        expected = "an inertia about the line between its joints, or a beam without torsion"
        raise RobotError("a link that can be twisted has no inertia", key=name, expected=expected)
    points = spread(name, body, length, elements)
    K, M = assembled(beam, points, length, elements)
    inner = [6 * node + k for node in range(1, elements) for k in beam.yielding]
    end = [6 * elements + k for k in beam.yielding]
    if modes > len(inner):
        raise GoughError(
            f"{name}: {modes} modes of {elements} elements; expected at most {len(inner)}"
        )
    T = np.zeros((len(K), len(end) + modes))
    T[end, range(len(end))] = 1.0
    if inner:
        T[inner, : len(end)] = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, end)])
    if modes:
        T[inner, len(end) :] = _clamped_modes(
            name, K[np.ix_(inner, inner)], M[np.ix_(inner, inner)], modes
        )
    moved = Points(points.masses, points.places, _cleaned(points.shapes @ T))
    names = (*(DIRECTIONS[k] for k in beam.yielding), *(f"mode {k + 1}" for k in range(modes)))
    stiffness = _uncoupled(T.T @ K @ T)
    damping = _damping(stiffness, _mass_matrix(moved), link.damping)
    return Reduced(stiffness, damping, moved, T[-6:], names)


def _clamped_modes(name: str, K: Array, M: Array, modes: int) -> Array:
    """The lowest natural modes, as columns; those of one frequency are not parted."""
    from scipy.linalg import eigh  # noqa: PLC0415  (slow to import)

    squares, shapes = eigh(K, M, subset_by_index=[0, min(modes, len(K) - 1)])
    if len(squares) > modes and squares[modes] - squares[modes - 1] < ALIKE * squares[modes]:
        raise RobotError(
            "two modes of a beam have the same frequency, in two planes, and one would be left out",
            key=f"{name}.beam.modes",
            value=modes,
            expected=f"{modes - 1} or {modes + 1}",
        )
    return np.asarray(shapes[:, :modes])


def shapes_of(beam: Reduced, R: Array, line: Array) -> Shapes:
    """What the equations want of a beam along a line, in axes into which R turns its own."""
    m, r = beam.points.masses, beam.points.places @ R.T
    phi = np.einsum("ij,pjk->pik", R, beam.points.shapes)
    S = np.einsum("p,pik->ik", m, phi)
    A = np.einsum("p,pi,pjk->kij", m, r, phi)
    B = np.einsum("p,pik,pjl->klij", m, phi, phi)
    return Shapes(
        ca.DM(beam.stiffness),
        _constants(beam.damping),
        _constants(S),
        tuple(map(_constants, _cleaned(A))),
        tuple(tuple(map(_constants, row)) for row in _cleaned(B)),
        ca.DM(line),
        _constants(R @ beam.end[:3]),
        _constants(R @ beam.end[3:]),
    )


def _mass_matrix(points: Points) -> Array:
    weighted = points.masses[:, None, None] * points.shapes
    return np.asarray(np.tensordot(weighted, points.shapes, axes=((0, 1), (0, 1))))


def _damping(K: Array, M: Array, ratio: float) -> Array:
    """Σ 2 ζ ω (M φ)(M φ)ᵀ over the natural modes φ: each has the same damping ratio ζ."""
    if not ratio:
        return np.zeros_like(K)
    from scipy.linalg import eigh  # noqa: PLC0415  (slow to import)

    squares, modes = eigh(K, M)
    weighted = M @ modes
    return np.asarray(weighted * (2 * ratio * np.sqrt(squares)) @ weighted.T)


def _uncoupled(K: Array) -> Array:
    """The same matrix, zero where it couples two coordinates by rounding errors alone."""
    own = np.sqrt(np.diag(K))
    return np.where(np.abs(K) > NOISE * np.outer(own, own), K, 0.0)


def _cleaned(values: Array) -> Array:
    return np.where(np.abs(values) > NOISE * np.abs(values).max(), values, 0.0)


def _constants(matrix: Array) -> ca.DM:
    """A sparse matrix: what is zero costs nothing."""
    return ca.sparsify(ca.DM(_cleaned(matrix) if matrix.any() else matrix))
