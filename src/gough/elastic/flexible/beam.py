"""A link as a straight Euler-Bernoulli beam between its joints, by few coordinates.

They are Craig and Bampton's static modes and fixed-interface modes (1968). The first end is clamped
to the floating frame. The coordinates are displacement and rotation of the last end in the
directions in which the beam is flexible, with the static deflection that belongs to them; then the
lowest natural modes with both ends clamped. Instead of finite elements it may be rigid segments
with springs between them, of which all modes count.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Self

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.flexible.machine import Centreline, Shapes
from gough.errors import GoughError, RobotError
from gough.model.mechanism.decisions.samples import null_space
from gough.model.mechanism.numbers.mass import Mass
from gough.robot.elastic import Beam, tube_stiffness

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
"""Motions of a section: along the line and across it, and about the same axes."""
ALONG, ABOUT = (0,), (3,)
ASIDE = ((1, 5), (2, 4))  # bending along y rotates sections about z, and vice versa
ALIGNED = 1e-6  # sine of the angle below which a side counts as parallel to the line
POINTS = 5  # Gauss points in an element: exact for the square of a cubic on a uniform bar
OF_SECTION = 4  # number of point masses of each section, one after the other
STEPS, LONGEST, STEEPEST, ROUNDING = 60, 10.0, 200.0, 1e-14
"""Newton's method for the density: maximum number of steps, maximum step, maximum exponent,
accepted residual."""
OFF_LINE = 1e-6  # second moment off the line, by that along it, that is rounding of the file
NOISE = 1e-13  # fraction of the maximum below which a number is a rounding error
MIN_SEGMENTS = 2  # minimum number of springs of a beam of segments
ALIKE = 1e-6  # relative difference of squared frequencies below which two modes are one pair


@dataclass(frozen=True)
class BeamStiffness:
    """Stiffness of a link in bending, tension and torsion; rigid where it is None.

    Its line runs from the joint that carries it to its other joint. Two bending stiffnesses are
    those for deflection along `side`, a direction across the line, and across both.

    >>> import gough
    >>> gough.BeamStiffness(bending=1.2e3, axial=5e6)  # [N m^2], [N]; rigid in torsion
    BeamStiffness(bending=1200.0, axial=5000000.0, torsion=None, side=None)
    """

    bending: float | tuple[float | None, float | None] | None = None
    """E I [N m^2], of both planes or of each."""
    axial: float | None = None
    """E A [N]."""
    torsion: float | None = None
    """G J [N m^2]."""
    side: tuple[float, float, float] | None = None
    """In base axes, with the machine at home."""

    def __post_init__(self) -> None:
        given = [k for k in (*self.planes, self.axial, self.torsion) if k is not None]
        if not given or not all(isfinite(k) and k > 0 for k in given):
            raise GoughError(
                f"a beam has the stiffness {self!r}; expected positive numbers, one at least, and "
                "None where it is rigid"
            )
        if self.planes[0] != self.planes[1] and self.side is None:
            raise GoughError(
                f"a beam has two bending stiffnesses, {self.bending} N m^2; expected a side: the "
                "direction along which the first one counts"
            )

    @classmethod
    def tube(cls, young: float, shear: float, outer: float, inner: float = 0.0) -> Self:
        """Return a round tube or, without an inner radius, bar: moduli [Pa], radii [m]."""
        if not 0 <= inner < outer:
            raise GoughError(f"a tube has the radii {inner} and {outer} m; expected inner < outer")
        axial, bending, torsion = tube_stiffness(2 * outer, 2 * inner, young, shear)
        return cls(bending, axial, torsion)

    @property
    def planes(self) -> tuple[float | None, float | None]:
        """E I [N m^2] against deflection along the side, and across."""
        if isinstance(self.bending, tuple):
            return self.bending
        return self.bending, self.bending

    @property
    def compliant_directions(self) -> tuple[int, ...]:
        """Which of the DIRECTIONS a section moves in."""
        pairs = zip((self.axial, self.torsion, *self.planes), (ALONG, ABOUT, *ASIDE), strict=True)
        return tuple(sorted(k for given, places in pairs if given is not None for k in places))

    def axes(self, line: Array) -> Array:
        """Its own axes in columns: along the line, the side, and across both."""
        x = line / np.linalg.norm(line)
        side = np.eye(3)[int(np.argmin(np.abs(x)))] if self.side is None else np.array(self.side)
        across = np.cross(x, side / np.linalg.norm(side))
        if np.linalg.norm(across) < ALIGNED:
            raise GoughError(f"a beam has the side {self.side}, along its line {x.tolist()}")
        z = across / np.linalg.norm(across)
        return np.column_stack([x, np.cross(z, x), z])


@dataclass(frozen=True)
class FlexibleLink:
    """A flexible beam: its stiffness, damping, and number of coordinates."""

    stiffness: BeamStiffness
    modes: int = 2  # number of natural modes with both ends clamped
    elements: int = 8
    damping: float = 0.0  # damping ratio of each mode of the beam held at its first end
    segments: int | None = None  # springs between rigid segments, in place of elements
    length: float | None = None  # of a cylinder or piston of a leg [m]; None: between its joints

    @classmethod
    def of(cls, beam: Beam) -> Self:
        """Return the beam of a robot file; a part of a telescoping leg only bends."""
        size = beam.diameter, beam.bore or 0.0
        axial, bending, torsion = tube_stiffness(*size, beam.modulus, beam.shear_modulus)
        whole = BeamStiffness(bending, axial, torsion)
        stiffness = whole if beam.length is None else BeamStiffness(bending)
        return cls(stiffness, beam.modes, beam.elements, beam.damping, beam.segments, beam.length)


@dataclass(frozen=True)
class ElasticBeam:
    """A body that bends, among the coordinates of a machine."""

    body: str
    places: slice  # places of its elastic coordinates
    stiffness: Array  # (m, m) for these coordinates [N/m, N m/rad, …]


def element_stiffness(beam: BeamStiffness, h: float) -> Array:
    """The stiffness (12, 12) [SI] of an element of length h [m]: DIRECTIONS of both ends."""
    K = np.zeros((12, 12))
    ends = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h
    for k, stiffness in ((ALONG[0], beam.axial), (ABOUT[0], beam.torsion)):
        K[np.ix_((k, k + 6), (k, k + 6))] = (stiffness or 0.0) * ends
    for (j, k), sign, stiffness in zip(ASIDE, (1.0, -1.0), beam.planes, strict=True):
        places, s = (j, k, j + 6, k + 6), sign * h
        rows = [
            [12, 6 * s, -12, 6 * s],
            [6 * s, 4 * s**2, -6 * s, 2 * s**2],
            [-12, -6 * s, 12, -6 * s],
            [6 * s, 2 * s**2, -6 * s, 4 * s**2],
        ]
        K[np.ix_(places, places)] = (stiffness or 0.0) * (np.array(rows) / abs(s) ** 3)
    return K


def shape_functions(s: float, h: float) -> tuple[Array, Array]:
    """Translation and rotation of a section at a fraction s of an element by its ends': (3, 12)."""
    translation, rotation = np.zeros((3, 12)), np.zeros((3, 12))
    translation[0, [0, 6]] = rotation[0, [3, 9]] = 1 - s, s
    cubic = [1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2]
    slope = np.array([6 * s**2 - 6 * s, 1 - 4 * s + 3 * s**2, 6 * s - 6 * s**2, 3 * s**2 - 2 * s])
    for (k, j), sign in zip(ASIDE, (1.0, -1.0), strict=True):
        lengths = np.array([1.0, sign * h, 1.0, sign * h])
        translation[k, [k, j, k + 6, j + 6]] = np.array(cubic) * lengths
        rotation[j - 3, [k, j, k + 6, j + 6]] = sign * slope * lengths / h
    return translation, rotation


@dataclass(frozen=True, eq=False)
class MassPoints:
    """Masses [kg] (p), their places (p, 3) [m] in the beam's axes, from its first joint.

    `shapes` (p, 3, n) are their displacements by all nodes' displacements.
    """

    masses: Array
    places: Array
    shapes: Array

    @property
    def mass_matrix(self) -> Array:
        """(n, n) [SI]."""
        weighted = self.masses[:, None, None] * self.shapes
        return np.asarray(np.tensordot(weighted, self.shapes, axes=((0, 1), (0, 1))))


Sections = tuple[Array, Array, list[tuple[Array, Array]]]
"""Sections along a line: fractions of it, weights, translation and rotation (3, n) of each."""


def spread(name: str, body: Mass, length: float, along: Sections) -> MassPoints:
    """Distribute a body's mass along its beam; about its first joint, in the beam's axes.

    A smooth line density has the body's mass, mass centre and second moment along the line. Each
    section is four points at its radii of gyration, so that the other second moments are the
    body's too: the undeformed beam moves as the rigid body does.
    """
    _refuse_off_line(name, body, length)
    radii = np.sqrt(np.maximum(np.diag(body.sigma)[1:], 0.0) / body.mass)
    section = np.sqrt(2.0) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) * radii
    shares, weights, motions = along
    masses = np.repeat(_line_masses(name, body, length, shares, weights), OF_SECTION)
    places, moved = [], []
    for share, (translation, rotation) in zip(shares, motions, strict=True):
        for aside in section:
            lever = np.array([0.0, *aside])
            places.append(lever + [share * length, 0.0, 0.0])
            moved.append(translation + np.cross(rotation, lever, axis=0))
    return MassPoints(masses / OF_SECTION, np.array(places), np.array(moved))


def of_elements(length: float, elements: int) -> Sections:
    """Gauss points of finite elements, which move with the displacements of all nodes."""
    shares, weights = _gauss_points(elements)
    shapes = []
    for share in shares:
        element, s = divmod(share * elements, 1)
        nodes, first = np.zeros((2, 3, 6 * (elements + 1))), 6 * int(element)
        nodes[..., first : first + 12] = shape_functions(s, length / elements)
        shapes.append((nodes[0], nodes[1]))
    return shares, weights, shapes


def of_segments(length: float, segments: int) -> tuple[Sections, Array]:
    """Gauss points of rigid segments, which move with the strains of springs; motion of the end.

    The springs are in the middle of equal parts of the line [the rigid finite elements of
    Wittbrodt, Adamiec-Wójcik & Wojciech 2006]. Each has six strains, in the order of DIRECTIONS.
    """
    shares, weights = _gauss_points(2 * segments)
    springs = (np.arange(segments) + 0.5) / segments
    motions = []
    for share in (*shares, 1.0):
        moved = np.zeros((segments, 6, 6))
        for k in np.flatnonzero(springs < share):
            lever = np.array([(share - springs[k]) * length, 0.0, 0.0])
            moved[k] = np.eye(6)
            moved[k, :3, 3:] = np.cross(np.eye(3), lever).T
        both = np.hstack([*moved])
        motions.append((both[:3], both[3:]))
    return (shares, weights, motions[:-1]), np.vstack(motions[-1])


def _gauss_points(elements: int) -> tuple[Array, Array]:
    """Gauss points of equal parts of a line, as fractions of it, and their weights."""
    x, weights = np.polynomial.legendre.leggauss(POINTS)
    shares = (np.arange(elements)[:, None] + (x + 1) / 2) / elements
    return shares.ravel(), np.tile(weights / 2 / elements, elements)


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


@dataclass(frozen=True, eq=False)
class Reduced:
    """Stiffness and damping (n, n), point masses and last end (6, n) of a beam, in its axes."""

    stiffness: Array
    damping: Array
    points: MassPoints
    end: Array
    names: tuple[str, ...]
    nodes: Array  # displacements of all nodes of finite elements (6 (elements + 1), n)
    length: float

    @cached_property
    def mass(self) -> Array:
        """(n, n) [SI]."""
        return self.points.mass_matrix

    @cached_property
    def momentum(self) -> Array:
        """Linear and angular momentum (6, n) about its first end, by the coordinates' rates."""
        moved = self.points.masses[:, None, None] * self.points.shapes
        about = np.cross(self.points.places[:, :, None], moved, axis=1)
        return np.vstack([moved.sum(0), about.sum(0)])

    def moved(self, x: float) -> Array:
        """Displacement (3, n) of the section at a distance x [m] from its first end."""
        pieces = len(self.nodes) // 6 - 1
        k, h = min(int(x / self.length * pieces), pieces - 1), self.length / pieces
        return np.asarray(shape_functions(x / h - k, h)[0] @ self.nodes[6 * k : 6 * k + 12])

    def centreline(self, axes: Array) -> Centreline:
        """Return the deflection across its line, its axes being these in those of its link."""
        pieces, fractions = len(self.nodes) // 6 - 1, np.linspace(0.1, 0.9, 4)
        powers, h = np.linalg.inv(np.vander(fractions, increasing=True)), self.length / pieces
        cubics = []
        for k in range(pieces):
            at = np.array([self.moved((k + fraction) * h) for fraction in fractions])
            cubics.append((_constants(powers @ at[:, 1]), _constants(powers @ at[:, 2])))
        return Centreline(_constants(axes), h, tuple(cubics))


def assembled(beam: BeamStiffness, length: float, elements: int) -> Array:
    """Stiffness matrix of all nodes of an unsupported beam, in base units of the SI."""
    K = np.zeros((6 * (elements + 1),) * 2)
    for element in range(elements):
        both = slice(6 * element, 6 * element + 12)
        K[both, both] += element_stiffness(beam, length / elements)
    return K


def reduced(name: str, link: FlexibleLink, body: Mass, length: float) -> Reduced:
    """Reduce a beam whose body is given about its first joint, in the beam's axes."""
    beam = link.stiffness
    if beam.torsion is not None and not np.diag(body.sigma)[1:].any():
        expected = "an inertia about the line between its joints, or a beam without torsion"
        raise RobotError("a link with torsion has no inertia", key=name, expected=expected)
    by = _by_elements if link.segments is None else _by_segments
    points, K, T, last = by(name, link, body, length)
    moved = replace(points, shapes=_cleaned(points.shapes @ T))
    directions = [DIRECTIONS[k] for k in beam.compliant_directions]
    names = (*directions, *(f"mode {k + 1}" for k in range(T.shape[1] - len(directions))))
    stiffness = T.T @ K @ T
    own = np.sqrt(np.diag(stiffness))  # rounding errors alone couple no coordinates
    stiffness = np.where(np.abs(stiffness) > NOISE * np.outer(own, own), stiffness, 0.0)
    damping = _damping(stiffness, moved.mass_matrix, link.damping)
    return Reduced(stiffness, damping, moved, last @ T, names, T, length)


_Unreduced = tuple[MassPoints, Array, Array, Array]
"""Point masses, stiffness (n, n), coordinates as columns (n, k), displacements of the last end."""


def _by_elements(name: str, link: FlexibleLink, body: Mass, length: float) -> _Unreduced:
    beam, modes, elements = link.stiffness, link.modes, link.elements
    points = spread(name, body, length, of_elements(length, elements))
    K, M = assembled(beam, length, elements), points.mass_matrix
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
    K_i, M_i = (matrix[np.ix_(inner, inner)] for matrix in (K, M))
    T[inner, len(end) :] = _clamped_modes(name, K_i, M_i, modes)
    return points, K, T, np.eye(len(K))[-6:]


def _by_segments(name: str, link: FlexibleLink, body: Mass, length: float) -> _Unreduced:
    beam, segments = link.stiffness, link.segments or 0
    if link.length is not None:  # supports slide along shapes, which segments do not have
        expected = "modes and elements in a telescoping leg"
        raise RobotError("segments", key=name, value=segments, expected=expected)
    if segments < MIN_SEGMENTS:
        expected = f"{MIN_SEGMENTS} or more: its end is displaced and rotates"
        raise RobotError("too few", key=f"{name}.beam.segments", value=segments, expected=expected)
    along, end = of_segments(length, segments)
    stiffness = beam.axial, None, None, beam.torsion, beam.planes[1], beam.planes[0]
    given = [6 * k + j for k in range(segments) for j in range(6) if stiffness[j] is not None]
    per_spring = np.array([k or 0.0 for k in stiffness]) * segments / length
    points, K = spread(name, body, length, along), np.diag(np.tile(per_spring, segments))
    own, last = np.diag(K)[given], end[np.ix_(beam.compliant_directions, given)]
    static = (last / own).T
    held = null_space(last, NOISE)
    M = points.mass_matrix[np.ix_(given, given)]
    free = held.T @ (own[:, None] * held)
    modes = held @ _clamped_modes(name, free, held.T @ M @ held, held.shape[1])
    T = np.zeros((len(K), len(given)))
    T[given] = np.hstack([static @ np.linalg.inv(last @ static), modes])
    return points, K, T, end


def _clamped_modes(name: str, K: Array, M: Array, modes: int) -> Array:
    """The lowest natural modes, as columns; those of one frequency stay together."""
    from scipy.linalg import eigh  # noqa: PLC0415  (slow to import)

    if not modes:
        return np.zeros((len(K), 0))
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
        *(ca.DM(beam.stiffness), _constants(beam.damping), _constants(S)),
        tuple(map(_constants, _cleaned(A))),
        tuple(tuple(map(_constants, row)) for row in _cleaned(B)),
        *(_constants(np.einsum("klii->kl", B)), ca.DM(line)),
        *(_constants(R @ beam.end[:3]), _constants(R @ beam.end[3:])),
    )


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
