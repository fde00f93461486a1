"""A beam by few coordinates: Craig and Bampton's static modes and fixed-interface modes (1968).

The first end is clamped to the floating frame. The coordinates are displacement and rotation of the
last end in the directions in which the beam is flexible, with the static deflection that belongs to
them; then the lowest natural modes with both ends clamped.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.elastic.flexible.beam import (
    DIRECTIONS,
    BeamStiffness,
    FlexibleLink,
    element_stiffness,
    shape_functions,
)
from gough.equations.flexible.machine import Shapes
from gough.errors import GoughError, RobotError
from gough.model.mechanism.numbers.mass import Mass

POINTS = 5
"""Gauss points in an element: exact for the square of a cubic on a uniform bar."""
OF_SECTION = 4
"""Number of point masses of each section, one after the other."""
STEPS, LONGEST, STEEPEST, ROUNDING = 60, 10.0, 200.0, 1e-14
"""Newton's method for the density: maximum number of steps, maximum step, maximum exponent,
accepted residual."""
OFF_LINE = 1e-6
"""Second moment off the line, relative to that along it, that is rounding error of the file."""


@dataclass(frozen=True, eq=False)
class MassPoints:
    """Masses [kg] (p), their places (p, 3) [m] in the beam's axes, from its first joint.

    `shapes` (p, 3, n) are their displacements by all nodes' displacements.
    """

    masses: Array
    places: Array
    shapes: Array


def spread(name: str, body: Mass, length: float, elements: int) -> MassPoints:
    """Distribute a body's mass along its beam; about its first joint, in the beam's axes.

    A smooth line density has the body's mass, mass centre and second moment along the line. Each
    section is four points at its radii of gyration, so that the other second moments are the
    body's too: the undeformed beam moves as the rigid body does.
    """
    _refuse_off_line(name, body, length)
    radii = np.sqrt(np.maximum(np.diag(body.sigma)[1:], 0.0) / body.mass)
    section = np.sqrt(2.0) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) * radii
    shares, weights, shapes = _sections(length, elements)
    masses = np.repeat(_line_masses(name, body, length, shares, weights), OF_SECTION)
    places, moved = [], []
    for share, (translation, rotation) in zip(shares, shapes, strict=True):
        for aside in section:
            lever = np.array([0.0, *aside])
            places.append(lever + [share * length, 0.0, 0.0])
            moved.append(translation + np.cross(rotation, lever, axis=0))
    return MassPoints(masses / OF_SECTION, np.array(places), np.array(moved))


def _sections(length: float, elements: int) -> tuple[Array, Array, list[tuple[Array, Array]]]:
    """Gauss points as fractions of the line, their weights, and their motion with all nodes."""
    x, weights = np.polynomial.legendre.leggauss(POINTS)
    shares, shapes = [], []
    for element in range(elements):
        for s in (x + 1) / 2:
            nodes = np.zeros((2, 3, 6 * (elements + 1)))
            nodes[..., 6 * element : 6 * element + 12] = shape_functions(s, length / elements)
            shares.append((element + s) / elements)
            shapes.append((nodes[0], nodes[1]))
    return np.array(shares), np.tile(weights / 2 / elements, elements), shapes


def _line_masses(name: str, body: Mass, length: float, x: Array, weights: Array) -> Array:
    """Masses [kg] at fractions x of the line, weights · exp(a + b x + c x^2), with given moments.

    Of all densities with a mass, a mass centre and a second moment this is the smoothest: that of
    maximum entropy. Newton's method minimises log Σ, a convex problem.
    """
    center = body.ms[0] / body.mass / length
    second = body.sigma[0, 0] / body.mass / length**2
    powers = np.column_stack([x - center, x**2 - second])
    factors = np.zeros(2)
    for _ in range(STEPS):
        shares = weights * np.exp(powers @ factors)
        shares /= shares.sum()
        gradient = shares @ powers
        if np.abs(gradient).max() < ROUNDING:
            return np.asarray(body.mass * shares)
        spread_of = powers - gradient
        hessian = (spread_of.T * shares) @ spread_of
        step = np.linalg.lstsq(hessian, -gradient)[0]
        factors += step / max(1.0, np.abs(step).max() / LONGEST)
        if np.abs(factors).max() > STEEPEST:
            break
    raise RobotError(
        "its mass is not distributed along the line between its joints",
        key=name,
        value=f"mass centre at {center:.3g} of the line, ∫ x^2 dm = {second:.3g} mass length^2",
        expected="a link such as a uniform bar (0.5, 0.333); lumps are bodies fixed to its ends",
    )


def _refuse_off_line(name: str, body: Mass, length: float) -> None:
    mixed = np.abs(body.sigma - np.diag(np.diag(body.sigma))).max() / length
    if not body.mass > 0:
        raise RobotError("a flexible link without mass", key=name, expected="a mass > 0")
    if max(np.abs(body.ms[1:]).max(), mixed) > OFF_LINE * body.mass * length:
        raise RobotError(
            "its mass centre or its principal axes are beside the line between its joints",
            key=name,
            expected="a straight link; parts beside the line are bodies fixed to its ends",
        )


NOISE = 1e-13
"""Fraction of the maximum below which a number is a rounding error."""
ALIKE = 1e-6
"""Relative difference of squared frequencies below which two modes are one pair."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """A beam's stiffness and damping (n, n), point masses, displacements of the last end (6, n).

    All by the coordinates, in the beam's axes.
    """

    stiffness: Array
    damping: Array
    points: MassPoints
    end: Array
    names: tuple[str, ...]

    @property
    def mass_matrix(self) -> Array:
        """(n, n) [SI]."""
        return _mass_matrix(self.points)


def assembled(
    beam: BeamStiffness, points: MassPoints, length: float, elements: int
) -> tuple[Array, Array]:
    """Stiffness and mass matrix of all nodes of an unsupported beam, in base units of the SI."""
    size = 6 * (elements + 1)
    K = np.zeros((size, size))
    for element in range(elements):
        both = slice(6 * element, 6 * element + 12)
        K[both, both] += element_stiffness(beam, length / elements)
    return K, _mass_matrix(points)


def reduced(name: str, link: FlexibleLink, body: Mass, length: float) -> Reduced:
    """Reduce a beam whose body is given about its first joint, in the beam's axes."""
    beam, modes, elements = link.stiffness, link.modes, link.elements
    if beam.torsion is not None and not np.diag(body.sigma)[1:].any():
        expected = "an inertia about the line between its joints, or a beam without torsion"
        raise RobotError("a link with torsion has no inertia", key=name, expected=expected)
    points = spread(name, body, length, elements)
    K, M = assembled(beam, points, length, elements)
    inner = [6 * node + k for node in range(1, elements) for k in beam.compliant_directions]
    end = [6 * elements + k for k in beam.compliant_directions]
    if modes > len(inner):
        raise GoughError(
            f"{name}: {modes} modes of {elements} elements; expected at most {len(inner)}"
        )
    T = np.zeros((len(K), len(end) + modes))
    T[end, range(len(end))] = 1.0
    if inner:
        T[inner, : len(end)] = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, end)])
    if modes:
        K_i, M_i = (matrix[np.ix_(inner, inner)] for matrix in (K, M))
        T[inner, len(end) :] = _clamped_modes(name, K_i, M_i, modes)
    moved = MassPoints(points.masses, points.places, _cleaned(points.shapes @ T))
    directions = (DIRECTIONS[k] for k in beam.compliant_directions)
    names = (*directions, *(f"mode {k + 1}" for k in range(modes)))
    stiffness = T.T @ K @ T
    own = np.sqrt(np.diag(stiffness))  # rounding errors alone couple no coordinates
    stiffness = np.where(np.abs(stiffness) > NOISE * np.outer(own, own), stiffness, 0.0)
    damping = _damping(stiffness, _mass_matrix(moved), link.damping)
    return Reduced(stiffness, damping, moved, T[-6:], names)


def _clamped_modes(name: str, K: Array, M: Array, modes: int) -> Array:
    """The lowest natural modes, as columns; those of one frequency stay together."""
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
    """Return the shapes of a beam along a line, in axes into which R rotates its own."""
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


def _mass_matrix(points: MassPoints) -> Array:
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


def _cleaned(values: Array) -> Array:
    return np.where(np.abs(values) > NOISE * np.abs(values).max(), values, 0.0)


def _constants(matrix: Array) -> ca.DM:
    """A sparse matrix: zeros cost no operations."""
    return ca.sparsify(ca.DM(_cleaned(matrix) if matrix.any() else matrix))
